# SPDX-License-Identifier: Apache-2.0
"""StableHLO text of a TensorFlow Lite model.

    python3 from_tflite.py model.tflite model.mlir [--weights weights.npz or weights.bin]

Arguments and results have the types of the file: in an int8 model they are stored as i8, so they are arrays of int8.
Products and convolutions are in i32 with the bias, then requantized. With --weights, weights and biases are arguments
after the inputs, in the order of the arrays in weights.npz, or of their bytes in weights.bin, where each begins at a
multiple of 16; without it they are constants in the text.
"""
import argparse
import sys

try:
    import numpy as np
    import tflite
except ImportError as missing:
    sys.exit(f"from_tflite.py needs the Python package {missing.name}: pip install numpy tflite")

FLOAT, NONE, RELU, RELU6 = tflite.TensorType.FLOAT32, 0, 1, 3
ELEMENTS = {tflite.TensorType.FLOAT32: ("f32", np.float32), tflite.TensorType.INT8: ("i8", np.int8),
            tflite.TensorType.UINT8: ("ui8", np.uint8), tflite.TensorType.INT16: ("i16", np.int16),
            tflite.TensorType.INT32: ("i32", np.int32), tflite.TensorType.INT64: ("i64", np.int64),
            tflite.TensorType.BOOL: ("i1", np.bool_)}
OP_NAMES = {number: name for name, number in vars(tflite.BuiltinOperator).items() if isinstance(number, int)}


class refused(Exception):
    pass


class value:
    """A value of the text: its name, shape, and element type; scales is None where that is not quantized."""

    def __init__(self, name, shape, element, scales=None, zero_points=(0,), axis=None):
        self.name, self.shape, self.element = name, [int(n) for n in shape], element
        self.scales, self.zero_points, self.axis = scales, zero_points, axis

    def like(self, name=None, shape=None, element=None, **quantization):
        parts = {"scales": self.scales, "zero_points": self.zero_points, "axis": self.axis, **quantization}
        return value(name or self.name, self.shape if shape is None else shape, element or self.element, **parts)

    def expressed(self, shape=None):
        return value(self.name, self.shape if shape is None else shape, "f32" if self.scales else self.element)

    def stored(self):
        return value(self.name, self.shape, self.element)

    @property
    def element_type(self):
        if self.scales is None:
            return self.element
        points = self.zero_points if len(self.zero_points) == len(self.scales) else [0] * len(self.scales)
        pairs = [f"{np.float32(s):.9e}" + (f":{z}" if z else "") for s, z in zip(self.scales, points)]
        if self.axis is None:
            return f"!quant.uniform<{self.element}:f32, {pairs[0]}>"
        return f"!quant.uniform<{self.element}:f32:{self.axis}, {{{', '.join(pairs)}}}>"

    @property
    def type(self):
        return f"tensor<{''.join(f'{n}x' for n in self.shape)}{self.element_type}>"


class importer:
    def __init__(self, data, weights_are_arguments):
        self.model = tflite.Model.GetRootAs(data, 0)
        if self.model.SubgraphsLength() != 1:
            raise refused("a model of one subgraph is wanted")
        self.graph = self.model.Subgraphs(0)
        self.lines, self.values, self.arguments, self.weights, self.count = [], {}, [], {}, 0
        self.weights_are_arguments = weights_are_arguments

    # Tensors of the file

    def tensor(self, index):
        """The type of a tensor of the file, without a name."""
        t = self.graph.Tensors(index)
        if t.Type() not in ELEMENTS:
            raise refused(f"tensor {t.Name().decode()}: no element type for number {t.Type()}")
        shape, q = (t.ShapeAsNumpy() if t.ShapeLength() else []), t.Quantization()
        result = value(None, shape, ELEMENTS[t.Type()][0])
        if q is not None and q.ScaleLength() and t.Type() != FLOAT:
            result.scales, result.zero_points = list(q.ScaleAsNumpy()), [int(z) for z in q.ZeroPointAsNumpy()]
            result.axis = q.QuantizedDimension() if len(result.scales) > 1 else None
        return result

    def array(self, index):
        """The numbers of a constant tensor; None if an op computes it."""
        t = self.graph.Tensors(index)
        buffer = self.model.Buffers(t.Buffer())
        if buffer.DataLength() == 0:
            return None
        shape = [int(n) for n in t.ShapeAsNumpy()] if t.ShapeLength() else []
        return np.frombuffer(buffer.DataAsNumpy().tobytes(), ELEMENTS[t.Type()][1]).reshape(shape)

    def read(self, index):
        if index not in self.values:
            numbers = self.array(index)
            if numbers is None:
                raise refused(f"tensor {self.graph.Tensors(index).Name().decode()} has no value")
            self.values[index] = self.weight(numbers, self.tensor(index), f"tensor_{index}")
        return self.values[index]

    # Lines of the text

    def name(self):
        self.count += 1
        return f"%{self.count - 1}"

    def emit(self, op, operands, result, attributes="", suffix=""):
        result = result.like(name=self.name())
        names = ", ".join(o.name for o in operands)
        types = ", ".join(o.type for o in operands)
        self.lines.append(f"    {result.name} = \"stablehlo.{op}\"({names}){suffix}"
                          f"{' {' + attributes + '}' if attributes else ''} : ({types}) -> {result.type}")
        return result

    def constant(self, numbers, like):
        stored = value(None, numbers.shape, like.element)
        if numbers.size == 1 or numbers.size and (numbers == numbers.flat[0]).all() and numbers.dtype.kind != "f":
            number = numbers.flat[0].item()
            text = "0xFF800000" if number == float("-inf") else repr(number).lower()
        else:
            text = f'"0x{numbers.astype(numbers.dtype.newbyteorder("<")).tobytes().hex().upper()}"'
        return self.emit("constant", [], like.like(shape=numbers.shape), f"value = dense<{text}> : {stored.type}")

    def weight(self, numbers, like, name):
        if not self.weights_are_arguments or numbers.ndim == 0:
            return self.constant(numbers, like)
        self.weights[name] = numbers
        self.arguments.append(like.like(name=f"%{name}", shape=numbers.shape))
        return self.arguments[-1]

    def scalar(self, number):
        return self.constant(np.array(number, np.float32), value(None, [], "f32"))

    def broadcast(self, x, shape, dims):
        per_axis = {} if x.axis is None else {"axis": dims[x.axis]}
        return self.emit("broadcast_in_dim", [x], x.like(shape=shape, **per_axis),
                         f"broadcast_dimensions = array<i64: {', '.join(map(str, dims))}>" if dims else
                         "broadcast_dimensions = array<i64>")

    def to_shape(self, x, shape):
        """NumPy's broadcast."""
        if x.shape == list(shape):
            return x
        kept = [i for i, n in enumerate(x.shape) if n != 1]
        first = len(shape) - len(x.shape)
        if len(kept) < len(x.shape):
            x = self.emit("reshape", [x], x.like(shape=[x.shape[i] for i in kept]))
        return self.broadcast(x, shape, [first + i for i in kept])

    def dequantize(self, x):
        return x if x.scales is None else self.emit("uniform_dequantize", [x], x.expressed())

    def quantize(self, x, to):
        """x in the element type of `to`: requantized or quantized where that is wanted."""
        if x.element_type == to.element_type:
            return x
        if to.scales is None:
            return self.dequantize(x)
        if x.scales is not None:
            factor = np.float64(x.scales[0]) / np.float64(to.scales[0])
            return self.requantized(self.widened(x, x.zero_points[0]), factor, to.like(shape=x.shape), NONE)
        return self.emit("uniform_quantize", [x], to.like(shape=x.shape))

    def limits(self, result, activation):
        """The smallest and largest stored number that an activation leaves; for floats, the bounds themselves."""
        bounds = {NONE: (-np.inf, np.inf), RELU: (0.0, np.inf), 2: (-1.0, 1.0), RELU6: (0.0, 6.0)}.get(activation)
        if bounds is None:
            raise refused(f"activation {activation}")
        if result.scales is None:
            return bounds
        of_type = np.iinfo(ELEMENTS_OF[result.element])
        stored = [result.zero_points[0] + np.round(b / np.float64(result.scales[0])) for b in bounds]
        return max(of_type.min, stored[0]), min(of_type.max, stored[1])

    def activate(self, x, activation):
        lowest, highest = self.limits(x, activation)
        plain = x.stored()
        for op, limit in (("maximum", lowest), ("minimum", highest)):
            if np.isfinite(limit) and (x.scales is None or limit not in self.limits(x, NONE)):
                number = self.constant(np.array(limit, ELEMENTS_OF[x.element]), plain)
                y = self.emit(op, [self.stored(x), self.broadcast(number, x.shape, [])], plain)
                x = self.quantized(y, x)
        return x

    # Stored numbers

    def stored(self, x):
        return x if x.scales is None else self.emit("bitcast_convert", [x], x.stored())

    def quantized(self, x, to):
        return x if to.scales is None else self.emit("bitcast_convert", [x], to.like(shape=x.shape))

    def widened(self, x, zero_point=0):
        """Stored numbers as i32, less the zero point."""
        y = self.emit("convert", [self.stored(x)], value(None, x.shape, "i32"))
        return self.integers("subtract", y, zero_point) if zero_point else y

    def integers(self, op, x, numbers):
        """x op numbers, where numbers are an integer or one per element of the last dimension."""
        return self.emit(op, [x, self.spread_last(numbers, x)], x)

    def spread_last(self, numbers, x):
        """A constant in the shape of x: an integer, or one per element of the last dimension."""
        numbers = np.asarray(numbers, ELEMENTS_OF[x.element])
        if numbers.ndim and (numbers == numbers[0]).all():
            numbers = numbers[0]
        other = self.constant(numbers, value(None, [], x.element))
        return self.broadcast(other, x.shape, [len(x.shape) - 1] if numbers.ndim else [])

    def times(self, x, numbers):
        """x * numbers in i64. A row of numbers is stored as i32, and a compiler sees that it multiplies 32 bits."""
        wide = x if x.element == "i64" else self.emit("convert", [x], x.like(element="i64"))
        if np.ndim(numbers) == 0 or (numbers == numbers[0]).all():
            return self.integers("multiply", wide, numbers)
        factor = self.emit("convert", [self.spread_last(numbers, x.like(element="i32"))], wide)
        return self.emit("multiply", [wide, factor], wide)

    def scaled(self, x, factors, rounds_once=False, only_positive=False, offset=0):
        """Integers times real factors, as TensorFlow Lite does it: times 31 bits of the factor, then shifted; plus offset.

        Products of matrices round once, all others after either step. only_positive: negative results do not matter.
        """
        multipliers, exponents = self.fixed_point(factors)
        left, right = np.maximum(exponents, 0), np.minimum(np.maximum(-exponents, 0), 31)
        wide = self.times(x, multipliers)
        if left.any():
            wide = self.integers("shift_left", wide, left)
        if not rounds_once:
            wide = self.integers("add", wide, 1 << 30)
        if (rounds_once or only_positive) and right.min() >= 3:
            return self.rounded(self.shifted(wide, 32), right - 1, offset)
        if rounds_once:
            y = self.shifted(self.integers("add", wide, 1 << (30 + right)), 31 + right)
        else:
            y = self.shifted(wide, 31)
            if right.max() > 0:
                return self.rounded(self.away_from_zero(y, right), right, offset)
        return self.integers("add", y, offset) if offset else y

    def fixed_point(self, factors):
        """Real factors as fractions of 31 bits and exponents."""
        fractions, exponents = np.frexp(np.atleast_1d(np.asarray(factors, np.float64)))
        multipliers = np.floor(fractions * 2.0**31 + 0.5).astype(np.int64)
        exponents = exponents + (multipliers == 1 << 31)
        multipliers[multipliers == 1 << 31] >>= 1
        return multipliers, exponents.astype(np.int64)

    def shifted(self, wide, bits):
        """i64 shifted right, as i32."""
        return self.emit("convert", [self.integers("shift_right_arithmetic", wide, bits)], wide.like(element="i32"))

    def away_from_zero(self, y, right):
        """Less 1 where negative: halves are rounded away from zero then."""
        sign = self.integers("shift_right_arithmetic", y, 31)
        if right.min() == 0:
            sign = self.integers("and", sign, -(right > 0).astype(np.int64))
        return self.emit("add", [y, sign], y)

    def rounded(self, y, right, offset=0):
        """floor((y + half) / 2**right) + offset, where half is 2**right / 2."""
        if (right == right[0]).all() and right[0] <= 20 and abs(offset) << int(right[0]) < 1 << 28:
            half = ((1 << right[0]) >> 1) + (offset << right[0])
            return self.integers("shift_right_arithmetic", self.integers("add", y, half), right)
        if right.min() >= 2:  # the upper half of a product, so that no shift depends on the channel
            wide = self.integers("add", self.times(y, (1 << 32) >> right), (1 << 31) + (offset << 32))
            return self.shifted(wide, 32)
        y = self.integers("shift_right_arithmetic", self.integers("add", y, (1 << right) >> 1), right)
        return self.integers("add", y, offset) if offset else y

    def narrowed(self, x, result, activation):
        """i32, clamped to stored numbers of the result."""
        limits = self.limits(result, activation)
        low, high = (self.constant(np.array(int(n), np.int32), value(None, [], "i32")) for n in limits)
        y = self.emit("clamp", [low, x, high], x)
        return self.quantized(self.emit("convert", [y], result.stored()), result)

    def requantized(self, x, factors, result, activation, rounds_once=False):
        lowest, _ = self.limits(result, activation)
        x = self.scaled(x, factors, rounds_once, lowest >= result.zero_points[0], result.zero_points[0])
        return self.narrowed(x, result, activation)

    def reduce(self, op, initial, x, axes):
        """A reduction without the axes."""
        result = x.like(name=self.name(), shape=[n for i, n in enumerate(x.shape) if i not in axes])
        scalar = self.constant(np.array(initial, ELEMENTS_OF[x.element]), x.like(shape=[]))
        self.lines.append(f"    {result.name} = stablehlo.reduce({x.name} init: {scalar.name}) applies stablehlo.{op} across "
                          f"dimensions = [{', '.join(map(str, axes))}] : ({x.type}, {scalar.type}) -> {result.type}")
        return result

    # Products

    def accumulator(self, x, w, shape, axis):
        """The type of sums of products: i32 whose scale is the product of the scales."""
        if x.scales is None or w.scales is None:
            return value(None, shape, "f32")
        if any(w.zero_points):
            raise refused("weights with a zero point")
        scales = [np.float32(np.float64(x.scales[0]) * np.float64(s)) for s in w.scales]
        return value(None, shape, "i32", scales, [0] * len(scales), axis if len(scales) > 1 else None)

    def centred(self, x, pads):
        """x with a zero point of 0: the same stored numbers, with its zero point at the edges of images."""
        if x.scales is None or not any(x.zero_points):
            return x, pads
        y = self.stored(x)
        if any(map(any, pads)):
            zero = self.constant(np.array(x.zero_points[0], ELEMENTS_OF[x.element]), y.like(shape=[]))
            low, high = [0, pads[0][0], pads[1][0], 0], [0, pads[0][1], pads[1][1], 0]
            y = self.pad(y, zero, low, high, [n + a + b for n, a, b in zip(y.shape, low, high)])
            pads = [(0, 0), (0, 0)]
        return self.quantized(y, x.like(shape=y.shape, zero_points=[0])), pads

    def pad(self, x, zero, low, high, shape):
        sides = [f"array<i64: {', '.join(str(int(n)) for n in side)}>" for side in (low, high, [0] * len(shape))]
        return self.emit("pad", [x, zero], x.like(shape=shape), "edge_padding_low = {}, edge_padding_high = {}, "
                         "interior_padding = {}".format(*sides))

    def add_bias(self, sums, inputs, axis, zero_point, factors, activation, result):
        """Sums of stored numbers plus the bias, less what the zero point adds to them, in the type of the result.

        axis: the dimension of the weights that is the last one of the sums.
        """
        sums, weights = self.stored(sums), self.array(inputs[1])
        bias = self.array(inputs[2]) if len(inputs) > 2 and inputs[2] >= 0 else None
        if zero_point:
            totals = weights.astype(np.int64).sum(axis=tuple(d for d in range(weights.ndim) if d != axis))
            bias = ((0 if bias is None else bias) - zero_point * totals).astype(np.int32)
        if bias is not None:
            row = self.weight(bias, value(None, [sums.shape[-1]], sums.element), f"bias_{len(self.lines)}")
            sums = self.emit("add", [sums, self.broadcast(row, sums.shape, [len(sums.shape) - 1])], sums)
        if result.scales is None:
            return self.activate(sums, activation)
        return self.requantized(sums, factors, result.like(shape=sums.shape), activation, len(sums.shape) == 2)

    def padding(self, kind, size, window, stride, dilation):
        if kind == tflite.Padding.VALID:
            return 0, 0
        extent = (window - 1) * dilation + 1
        both = max(0, (-(-size // stride) - 1) * stride + extent - size)
        return both // 2, both - both // 2

    def convolve(self, inputs, result, o, depthwise):
        x, w = self.read(inputs[0]), self.read(inputs[1])
        groups, kernel, window = 1, "[o, 0, 1, i]", w.shape[1:3]
        if depthwise:
            groups, kernel = x.shape[3], "[0, 1, i, o]"
            w = self.emit("reshape", [w], w.like(shape=[*window, 1, w.shape[3]]))
        elif w.shape[3] != x.shape[3]:
            groups = x.shape[3] // w.shape[3]
        strides, dilations = (o.StrideH(), o.StrideW()), (o.DilationHFactor(), o.DilationWFactor())
        pads = [self.padding(o.Padding(), *p) for p in zip(x.shape[1:3], window, strides, dilations)]
        zero_point = 0 if x.scales is None else x.zero_points[0]
        factors = [np.float64(x.scales[0]) * np.float64(s) / np.float64(result.scales[0]) for s in w.scales or []]
        x, pads = self.centred(x, pads)
        sums = self.accumulator(x, w, result.shape, 3).like(name=self.name())
        text = lambda pair: f"[{pair[0]}, {pair[1]}]"
        self.lines.append(
            f"    {sums.name} = stablehlo.convolution({x.name}, {w.name}) dim_numbers = [b, 0, 1, f]x{kernel}->[b, 0, 1, f], "
            f"window = {{stride = {text(strides)}, pad = [{text(pads[0])}, {text(pads[1])}], "
            f"rhs_dilate = {text(dilations)}}} "
            f"{{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : ({x.type}, {w.type}) -> {sums.type}")
        return self.add_bias(sums, inputs, 3 if depthwise else 0, zero_point, factors, o.FusedActivationFunction(), result)

    def op_CONV_2D(self, inputs, result, o):
        return self.convolve(inputs, result, o, False)

    def op_DEPTHWISE_CONV_2D(self, inputs, result, o):
        return self.convolve(inputs, result, o, True)

    def op_FULLY_CONNECTED(self, inputs, result, o):
        x, w = self.read(inputs[0]), self.read(inputs[1])
        rows = int(np.prod(x.shape)) // w.shape[1]
        if x.shape != [rows, w.shape[1]]:
            x = self.emit("reshape", [x], x.like(shape=[rows, w.shape[1]]))
        zero_point = 0 if x.scales is None else x.zero_points[0]
        x, _ = self.centred(x, [])
        sums = self.product(x, w, [1], [1], self.accumulator(x, w, [rows, w.shape[0]], 1))
        factors = [np.float64(np.float32(x.scales[0]) * np.float32(s)) / np.float64(result.scales[0])
                   for s in w.scales or []]
        y = self.add_bias(sums, inputs, 0, zero_point, factors, o.FusedActivationFunction(), result)
        return y if y.shape == result.shape else self.emit("reshape", [y], result)

    def product(self, x, w, summed, by, result):
        sums = result.like(name=self.name())
        self.lines.append(f"    {sums.name} = stablehlo.dot_general {x.name}, {w.name}, contracting_dims = {summed} x {by} "
                          f": ({x.type}, {w.type}) -> {sums.type}")
        return sums

    # Pooling, softmax, elementwise ops

    def op_AVERAGE_POOL_2D(self, inputs, result, o):
        x = self.read(inputs[0])
        window, strides, pads = self.window(o, x)
        counts = np.zeros(result.shape[1:3], np.int32)
        for at in np.ndindex(*counts.shape):
            counts[at] = np.prod([min(i * s - p[0] + w, n) - max(i * s - p[0], 0)
                                  for i, s, p, w, n in zip(at, strides, pads, window, x.shape[1:3])])
        is_stored = x.scales is not None
        sums_all = counts.size == 1 and pads == [(0, 0), (0, 0)]
        if sums_all and is_stored:  # small integers are multiplied by 1, which takes no memory
            x = self.stored(x)
            ones = self.constant(np.ones(x.shape[1:3], np.int8), value(None, x.shape[1:3], x.element))
            y = self.product(x, ones, [1, 2], [0, 1], value(None, [x.shape[0], x.shape[3]], "i32"))
        elif sums_all:
            y = self.reduce("add", 0, x, [1, 2])
        if sums_all:
            y = self.emit("reshape", [y], y.like(shape=result.shape))
        else:
            x = self.widened(x) if is_stored else x
            y = self.window_fold("add", self.constant(np.array(0, ELEMENTS_OF[x.element]), x.like(shape=[])), x, window,
                                 strides, pads, result.shape)
        like = value(None, [], y.element)
        divisors = self.spread(counts, like, y.shape)
        if is_stored:  # halves away from zero
            half, zero = self.spread(counts // 2, like, y.shape), self.spread(np.zeros_like(counts), like, y.shape)
            is_positive = self.emit("compare", [y, zero], value(None, y.shape, "i1"),
                                    "comparison_direction = #stablehlo<comparison_direction GT>")
            up, down = self.emit("add", [y, half], y), self.emit("subtract", [y, half], y)
            y = self.emit("select", [is_positive, up, down], y)
        y = self.emit("divide", [y, divisors], y)
        if not is_stored:
            return self.activate(y, o.FusedActivationFunction())
        return self.narrowed(y, result, o.FusedActivationFunction())

    def spread(self, numbers, like, shape):
        """Numbers per row and column of an image, as a tensor of this shape."""
        if (numbers == numbers.flat[0]).all():
            return self.broadcast(self.constant(np.array(numbers.flat[0], ELEMENTS_OF[like.element]), like), shape, [])
        return self.broadcast(self.constant(numbers.astype(ELEMENTS_OF[like.element]), like), shape, [1, 2])

    def window(self, o, x):
        window, strides = (o.FilterHeight(), o.FilterWidth()), (o.StrideH(), o.StrideW())
        return window, strides, [self.padding(o.Padding(), n, w, s, 1) for n, w, s in zip(x.shape[1:3], window, strides)]

    def op_MAX_POOL_2D(self, inputs, result, o):
        x = self.read(inputs[0])
        window, strides, pads = self.window(o, x)
        lowest = self.scalar(-3.4028234663852886e38) if x.scales is None else self.constant(
            np.array(np.iinfo(ELEMENTS_OF[x.element]).min, ELEMENTS_OF[x.element]), x)
        y = self.window_fold("maximum", lowest, x, window, strides, pads, result.shape)
        return self.activate(self.quantize(y, result), o.FusedActivationFunction())

    def window_fold(self, op, initial, x, window, strides, pads, shape):
        result, scalar = x.like(name=self.name(), shape=shape), x.like(shape=[]).type
        sizes = lambda pair: f"array<i64: 1, {pair[0]}, {pair[1]}, 1>"
        zero = [0, 0]
        self.lines.append(
            f"    {result.name} = \"stablehlo.reduce_window\"({x.name}, {initial.name}) ({{\n"
            f"    ^bb0(%a: {scalar}, %b: {scalar}):\n      %c = stablehlo.{op} %a, %b : {scalar}\n"
            f"      stablehlo.return %c : {scalar}\n    }}) {{window_dimensions = {sizes(window)}, "
            f"window_strides = {sizes(strides)}, padding = dense<{[zero, list(pads[0]), list(pads[1]), zero]}> : "
            f"tensor<4x2xi64>}} : ({x.type}, {scalar}) -> {result.type}")
        return result

    def op_MEAN(self, inputs, result, o):
        x = self.dequantize(self.read(inputs[0]))
        axes = sorted(int(a) % len(x.shape) for a in np.atleast_1d(self.array(inputs[1])))
        y = self.divide(self.reduce("add", 0.0, x, axes), float(np.prod([x.shape[a] for a in axes])))
        return self.quantize(y if y.shape == result.shape else self.emit("reshape", [y], y.like(shape=result.shape)), result)

    def divide(self, x, by):
        return self.emit("divide", [x, self.broadcast(self.scalar(by), x.shape, [])], x)

    def op_SOFTMAX(self, inputs, result, o):
        x, last = self.dequantize(self.read(inputs[0])), len(result.shape) - 1
        if o.Beta() != 1.0:
            x = self.emit("multiply", [x, self.broadcast(self.scalar(o.Beta()), x.shape, [])], x)
        kept = list(range(last))
        largest = self.broadcast(self.reduce("maximum", float("-inf"), x, [last]), x.shape, kept)
        e = self.emit("exponential", [self.emit("subtract", [x, largest], x)], x)
        sums = self.broadcast(self.reduce("add", 0.0, e, [last]), x.shape, kept)
        return self.quantize(self.emit("divide", [e, sums], x), result)

    def elementwise(self, op, inputs, result, activation=NONE):
        operands = [self.to_shape(self.read(i), result.shape) for i in inputs]
        return self.activate(self.emit(op, operands, result), activation)

    def sum(self, op, inputs, result, activation):
        """With 20 bits of fraction, as TensorFlow Lite adds."""
        if result.scales is None:
            return self.elementwise(op, inputs, result, activation)
        operands = [self.read(i) for i in inputs]
        twice, parts = 2 * max(np.float64(x.scales[0]) for x in operands), []
        for x in operands:
            (multiplier,), (exponent,) = self.fixed_point(np.float64(x.scales[0]) / twice)
            wide = self.times(self.emit("convert", [self.stored(x)], value(None, x.shape, "i64")), multiplier)
            # (x - zero point) * 2**20 * multiplier, rounded to 2**31
            wide = self.integers("add", wide, (1 << 10) - x.zero_points[0] * int(multiplier))
            wide = self.integers("shift_right_arithmetic", wide, 11)
            if exponent < 0:
                sign = self.integers("shift_right_arithmetic", wide, 63)
                wide = self.integers("add", self.emit("add", [wide, sign], wide), 1 << (-exponent - 1))
                wide = self.integers("shift_right_arithmetic", wide, -exponent)
            parts.append(self.to_shape(wide, result.shape))
        factor = twice / (2.0**20 * np.float64(result.scales[0]))
        return self.requantized(self.emit(op, parts, parts[0]), factor, result, activation)

    def op_ADD(self, inputs, result, o):
        return self.sum("add", inputs, result, o.FusedActivationFunction())

    def op_SUB(self, inputs, result, o):
        return self.sum("subtract", inputs, result, o.FusedActivationFunction())

    def op_MUL(self, inputs, result, o):
        if result.scales is None:
            return self.elementwise("multiply", inputs, result, o.FusedActivationFunction())
        operands = [self.read(i) for i in inputs]
        parts = [self.to_shape(self.widened(x, x.zero_points[0]), result.shape) for x in operands]
        factor = np.prod([np.float64(x.scales[0]) for x in operands]) / np.float64(result.scales[0])
        return self.requantized(self.emit("multiply", parts, parts[0]), factor, result, o.FusedActivationFunction())

    def op_MAXIMUM(self, inputs, result, o):
        return self.elementwise("maximum", inputs, result)

    def op_MINIMUM(self, inputs, result, o):
        return self.elementwise("minimum", inputs, result)

    def op_LOGISTIC(self, inputs, result, o):
        return self.elementwise("logistic", inputs, result)

    def op_TANH(self, inputs, result, o):
        return self.elementwise("tanh", inputs, result)

    def op_RELU(self, inputs, result, o):
        return self.activate(self.quantize(self.read(inputs[0]), result), RELU)

    def op_RELU6(self, inputs, result, o):
        return self.activate(self.quantize(self.read(inputs[0]), result), RELU6)

    def op_QUANTIZE(self, inputs, result, o):
        return self.quantize(self.read(inputs[0]), result)

    def op_DEQUANTIZE(self, inputs, result, o):
        return self.dequantize(self.read(inputs[0]))

    # Movement

    def op_RESHAPE(self, inputs, result, o):
        x = self.read(inputs[0])
        return self.emit("reshape", [x], x.like(shape=result.shape))

    op_SQUEEZE = op_EXPAND_DIMS = op_RESHAPE

    def op_TRANSPOSE(self, inputs, result, o):
        x = self.read(inputs[0])
        order = ", ".join(str(int(d)) for d in self.array(inputs[1]))
        return self.emit("transpose", [x], x.like(shape=result.shape), f"permutation = array<i64: {order}>")

    def op_PAD(self, inputs, result, o):
        x, pads = self.read(inputs[0]), self.array(inputs[1])
        zero = self.scalar(0.0) if x.scales is None else self.constant(
            np.array(x.zero_points[0], ELEMENTS_OF[x.element]), x)
        return self.pad(x, zero, *pads.T, result.shape)

    def op_CONCATENATION(self, inputs, result, o):
        parts = [self.quantize(self.read(i), result) for i in inputs]
        return self.activate(self.emit("concatenate", parts, result,
                                       f"dimension = {o.Axis() % len(result.shape)} : i64"), o.FusedActivationFunction())

    # The program

    def text(self):
        for i in self.graph.InputsAsNumpy():
            self.values[i] = self.tensor(i).like(name=f"%arg{i}")
            self.arguments.append(self.values[i])
        for i in range(self.graph.OperatorsLength()):
            node = self.graph.Operators(i)
            code = self.model.OperatorCodes(node.OpcodeIndex())
            name = OP_NAMES[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())]
            if not hasattr(self, f"op_{name}"):
                raise refused(f"operator {i}, {name}, is not known")
            table, options = node.BuiltinOptions(), OPTIONS.get(name)
            if options and table is not None:
                options.Init(table.Bytes, table.Pos)
            outputs = node.OutputsAsNumpy()
            y = getattr(self, f"op_{name}")(list(node.InputsAsNumpy()), self.tensor(outputs[0]), options)
            self.values[outputs[0]] = y
        results = [self.values[i] for i in self.graph.OutputsAsNumpy()]
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        types = ", ".join(r.type for r in results)
        body = "\n".join(self.lines)
        return (f"module {{\n  func.func public @main({arguments}) -> ({types}) {{\n{body}\n"
                f"    return {', '.join(r.name for r in results)} : {types}\n  }}\n}}\n")


ELEMENTS_OF = dict(ELEMENTS.values())
OPTIONS = {"CONV_2D": tflite.Conv2DOptions(), "DEPTHWISE_CONV_2D": tflite.DepthwiseConv2DOptions(),
           "FULLY_CONNECTED": tflite.FullyConnectedOptions(), "AVERAGE_POOL_2D": tflite.Pool2DOptions(),
           "MAX_POOL_2D": tflite.Pool2DOptions(), "SOFTMAX": tflite.SoftmaxOptions(), "ADD": tflite.AddOptions(),
           "SUB": tflite.SubOptions(), "MUL": tflite.MulOptions(), "CONCATENATION": tflite.ConcatenationOptions()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model"), parser.add_argument("text")
    parser.add_argument("--weights", help="write weights here and make them arguments")
    options = parser.parse_args()
    with open(options.model, "rb") as file:
        program = importer(file.read(), options.weights is not None)
    try:
        text = program.text()
    except refused as reason:
        sys.exit(f"{options.model}: {reason}")
    with open(options.text, "w") as file:
        file.write(text)
    if options.weights and options.weights.endswith(".bin"):
        with open(options.weights, "wb") as file:
            for numbers in program.weights.values():
                data = numbers.astype(numbers.dtype.newbyteorder("<")).tobytes()
                file.write(data + bytes(-len(data) % 16))
    elif options.weights:
        np.savez(options.weights, **program.weights)


if __name__ == "__main__":
    main()
