# SPDX-License-Identifier: Apache-2.0
"""The operators of ONNX as functions of JAX, and the evaluation of a graph by them: see to_stablehlo.py.

An operator that is not in the table is evaluated by the function that ONNX defines it by, if there is one.
"""
import itertools
import math
import re
from collections import OrderedDict

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from jax import lax
from onnx import helper, numpy_helper


class refused(Exception):
    pass


class missing(refused):
    """No operator of this name."""


# Below this many elements a result that depends on no input is computed while converting.
FOLDED = 1 << 16
TABLE, STATIC, PREFERRED = {}, {}, {}


def operator(*names, static=(), preferred=()):
    """The inputs with the numbers `static` must not depend on inputs of the model: they decide shapes. Those that are
    `preferred` are values where they do not. Names of other domains than ONNX's own begin with that."""
    def add(function):
        for name in names:
            TABLE[name], STATIC[name], PREFERRED[name] = function, static, preferred
        return function
    return add


def own_domain(proto):
    return "" if proto.domain == "ai.onnx" else proto.domain


def key_of(proto):
    domain = own_domain(proto)
    return f"{domain}.{proto.op_type}" if domain else proto.op_type


class node_view:
    """A node while it is evaluated."""

    def __init__(self, proto, version, scope):
        self.type, self.version, self.scope, self.outputs = proto.op_type, version, scope, len(proto.output)
        self.attributes = {each.name: helper.get_attribute_value(each) for each in proto.attribute}
        self.output_names = proto.output
        self.inputs = sum(bool(name) for name in proto.input)

    def get(self, name, default=None):
        value = self.attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def only(self, **allowed):
        """Refuses attributes with other values than these, of which the first is the default."""
        for name, values in allowed.items():
            if self.get(name, values[0]) not in values:
                raise refused(f"{name} = {self.get(name)}")


def is_known(value):
    return value is None or isinstance(value, np.ndarray)


class scope:
    """Values by name: arrays of NumPy where they depend on no input, else those of JAX. `known` has the values of
    weights, too, which are values of JAX where they are computed with; `used` collects their names."""

    def __init__(self, outer=None, versions=None):
        self.values, self.known, self.makers, self.outer = {}, {}, {}, outer
        self.versions = versions if versions is not None else outer.versions
        self.functions = outer.functions if outer else {}
        self.used = outer.used if outer else set()

    def find(self, name):
        here = self
        while here is not None:
            if name in here.values:
                return here
            here = here.outer
        raise refused(f"there is no value {name}")

    def value(self, name):
        return self.find(name).values[name] if name else None

    def constant(self, name, computes=True):
        """A value that depends on no input, else None; computed anew if it was computed of weights."""
        here = self.find(name)
        if name not in here.known and is_known(here.values[name]):
            return here.values[name]
        if name not in here.known and name in here.makers and computes:
            proto = here.makers[name]
            inputs = [here.constant(each) if each else None for each in proto.input]
            if key_of(proto) in TABLE and all(each is not None or not n for each, n in zip(inputs, proto.input)):
                version = here.versions.get(own_domain(proto), 1)
                results = compute(TABLE[key_of(proto)], node_view(proto, version, here), inputs)
                here.known.update(zip(proto.output, results))
            else:
                here.known[name] = None
        return here.known.get(name)

    def dependency(self, name):
        """A value that is computed with."""
        here = self.find(name)
        self.used.add(name)
        return here.values[name]


def listed(results):
    return list(results) if isinstance(results, (tuple, list)) else [results]


def compute(function, node, inputs):
    """Results as arrays of NumPy, within the trace of a function, too. Sequences are tuples."""
    with jax.ensure_compile_time_eval():
        return [each if each is None or isinstance(each, tuple) else np.asarray(each)
                for each in listed(function(node, *inputs))]


def apply(proto, within):
    domain, key = own_domain(proto), key_of(proto)
    function = within.functions.get((domain, proto.op_type))
    node = node_view(proto, within.versions.get(domain, 1), within)
    own = TABLE.get(key)
    if function is not None or own is None:
        return apply_function(proto, function, domain, within)
    static, inputs, raw = STATIC[key], [], []
    for i, name in enumerate(proto.input):
        decides = name and (static == "all" or i in static)
        value = within.constant(name) if decides or (name and i in PREFERRED[key]) else None
        if decides or value is not None:
            if value is None:
                raise refused(f"input {i}, {name}, decides shapes and depends on inputs of the model")
            inputs.append(value)
        else:
            raw.append(i)
            inputs.append(within.value(name))
    # What is computed of shapes and constants is computed now; what is computed of weights only, is not.
    found = [within.constant(proto.input[i], False) if proto.input[i] else None for i in raw]
    foldable = all(value is not None or not proto.input[i] for i, value in zip(raw, found))
    integers = all(value is None or value.dtype.kind in "iub" for value in found)
    of_shapes = any(is_known(inputs[i]) and proto.input[i] for i in raw) and all(v is None or v.ndim < 2 for v in found)
    small = sum(value.size for value in found if value is not None) <= FOLDED
    has_body = any(each.type == onnx.AttributeProto.GRAPH for each in proto.attribute)
    if foldable and not has_body and (all(is_known(inputs[i]) for i in raw) or (small and (integers or of_shapes))):
        for i, value in zip(raw, found):
            inputs[i] = value
        return compute(own, node, inputs)
    for i in raw:
        if proto.input[i]:
            within.dependency(proto.input[i])
    return listed(own(node, *inputs))


def element_type_of(value):
    return helper.np_dtype_to_tensor_dtype(np.dtype(value.dtype))


def apply_function(proto, function, domain, within):
    """By the function of the model, or the one that defines the operator."""
    version = within.versions.get(domain, 1)
    versions, defaults = {"": version}, {}
    if function is None:
        try:
            schema = onnx.defs.get_schema(proto.op_type, version, domain)
        except onnx.defs.SchemaError:
            raise missing(f"the operator is unknown{' in ' + domain if domain else ''}") from None
        defaults = {name: each.default_value for name, each in schema.attributes.items() if each.default_value.name}
        body = None
        if schema.has_function:
            body = schema.get_function_with_opset_version(max(v for v in schema.function_opset_versions if v <= version))
        elif schema.has_context_dependent_function:
            types = []
            for name in proto.input:
                value = within.value(name)
                types.append(helper.make_tensor_type_proto(element_type_of(value), value.shape).SerializeToString()
                             if name else onnx.TypeProto().SerializeToString())
            chosen = max(v for v in schema.context_dependent_function_opset_versions if v <= version)
            body = schema.get_context_dependent_function_with_opset_version(chosen, proto.SerializeToString(), types)
        if not body:
            raise missing("the operator is not supported")
        function = onnx.FunctionProto.FromString(body) if isinstance(body, bytes) else body
    versions.update({"" if each.domain == "ai.onnx" else each.domain: each.version for each in function.opset_import})
    inner = scope(None, versions)
    inner.functions, inner.used = within.functions, within.used
    for i, name in enumerate(function.input):
        given = proto.input[i] if i < len(proto.input) else ""
        inner.values[name] = within.dependency(given) if given else None
        if given and within.constant(given) is not None:
            inner.known[name] = within.constant(given)
    defaults.update({each.name: each for each in function.attribute_proto})
    given = {each.name: each for each in proto.attribute}
    for each in function.node:
        evaluate_node(with_attributes(each, {**defaults, **given}), inner)
    wanted = zip(function.output, proto.output)
    return [inner.dependency(name) if name in inner.values else None for name, _ in wanted]


def with_attributes(proto, given):
    """The node with what its function was called with in place of references."""
    if not any(each.ref_attr_name for each in proto.attribute):
        return proto
    copy = onnx.NodeProto()
    copy.CopyFrom(proto)
    del copy.attribute[:]
    for each in proto.attribute:
        source = given.get(each.ref_attr_name) if each.ref_attr_name else each
        if source is not None:
            added = copy.attribute.add()
            added.CopyFrom(source)
            added.name = each.name
    return copy


def evaluate_node(proto, within):
    try:
        results = apply(proto, within)
    except refused as why:
        if len(why.args) > 1:
            raise
        raise type(why)(f"node {proto.name or proto.output[0]} ({proto.op_type}): {why}", True) from why
    except (TypeError, ValueError, IndexError, NotImplementedError, KeyError, AttributeError) as why:
        raise refused(f"node {proto.name or proto.output[0]} ({proto.op_type}): {why}", True) from why
    for name, value in zip(proto.output, results):
        if name:
            within.values[name], within.makers[name] = value, proto


def evaluate(graph, within, inputs=()):
    """The outputs of a graph whose values go into a scope."""
    for each in graph.initializer:
        if each.name not in within.values:
            within.values[each.name] = numpy_helper.to_array(each)
    for each, value in zip(graph.input, inputs):
        within.values[each.name] = value
    for each in graph.node:
        if each.op_type != "Constant" or each.output[0] not in within.values:
            evaluate_node(each, within)
    return [within.dependency(each.name) for each in graph.output]


class program:
    """A model as a function of its weights and inputs, both by name."""

    def __init__(self, model):
        self.graph, self.functions = model.graph, {(each.domain, each.name): each for each in model.functions}
        self.versions = {"" if each.domain == "ai.onnx" else each.domain: each.version for each in model.opset_import}
        self.constants = {each.name: numpy_helper.to_array(each) for each in self.graph.initializer}
        for each in self.graph.node:
            if each.op_type == "Constant" and each.attribute[0].name == "value":
                value = numpy_helper.to_array(each.attribute[0].t)
                if value.size > 16:
                    self.constants[each.output[0]] = value
        parts = [tuple(re.split(r"[./\[\]'\"]+", name)) for name in self.constants]
        if len(set(parts)) < len(parts):
            raise refused("the names of two weights differ in nothing but dots and slashes")

    def __call__(self, weights, inputs):
        within = scope(None, self.versions)
        within.functions, self.used = self.functions, within.used
        within.known.update(self.constants)
        within.values.update({**self.constants, **weights, **inputs})
        return OrderedDict(zip([each.name for each in self.graph.output], evaluate(self.graph, within)))

    def weights(self, inputs):
        """The constants that are computed with, without numbers and int64: these are few, and stay in the text."""
        every = OrderedDict((name, value) for name, value in self.constants.items()
                            if value.ndim > 0 and value.dtype not in (np.int64, np.bool_))
        jax.eval_shape(self, every, inputs)
        return OrderedDict((name, value) for name, value in every.items() if name in self.used)


# Elementwise.

def elementwise(name, function):
    operator(name)(lambda node, *inputs: function(*inputs))


for name, function in {
    "Abs": jnp.abs, "Acos": jnp.arccos, "Acosh": jnp.arccosh, "And": jnp.logical_and, "Asin": jnp.arcsin,
    "Asinh": jnp.arcsinh, "Atan": jnp.arctan, "Atanh": jnp.arctanh, "BitwiseAnd": jnp.bitwise_and,
    "BitwiseNot": jnp.bitwise_not, "BitwiseOr": jnp.bitwise_or, "BitwiseXor": jnp.bitwise_xor, "Ceil": jnp.ceil,
    "Cos": jnp.cos, "Cosh": jnp.cosh, "Equal": jnp.equal, "Erf": lax.erf, "Exp": jnp.exp, "Floor": jnp.floor,
    "Greater": jnp.greater, "GreaterOrEqual": jnp.greater_equal, "Identity": lambda x: x, "IsNaN": jnp.isnan,
    "Less": jnp.less, "LessOrEqual": jnp.less_equal, "Log": jnp.log, "Mish": lambda x: x * jnp.tanh(jax.nn.softplus(x)),
    "Neg": jnp.negative, "Not": jnp.logical_not, "Or": jnp.logical_or,
    "PRelu": lambda x, slope: jnp.where(x < 0, x * slope, x), "Reciprocal": lambda x: 1 / x,
    "Relu": lambda x: jnp.maximum(x, 0), "Round": jnp.round, "Sigmoid": jax.nn.sigmoid, "Sign": jnp.sign,
    "Sin": jnp.sin, "Sinh": jnp.sinh, "Softplus": jax.nn.softplus, "Softsign": lambda x: x / (1 + jnp.abs(x)),
    "Sqrt": jnp.sqrt, "Tan": jnp.tan, "Tanh": jnp.tanh, "Where": jnp.where, "Xor": jnp.logical_xor,
    "HardSwish": lambda x: x * jnp.clip(x / 6 + 0.5, 0, 1),
}.items():
    elementwise(name, function)


def variadic(names, function):
    def fold(node, first, *rest):
        if node.get("broadcast") and rest and rest[0].ndim < first.ndim:  # before version 7
            axis = node.get("axis", first.ndim - rest[0].ndim)
            rest = [rest[0].reshape(rest[0].shape + (1,) * (first.ndim - axis - rest[0].ndim))]
        for each in rest:
            first = function(first, each)
        return first
    operator(*names)(fold)


variadic(["Add", "Sum"], jnp.add)
variadic(["Sub"], jnp.subtract)
variadic(["Mul"], jnp.multiply)
variadic(["Max"], jnp.maximum)
variadic(["Min"], jnp.minimum)
variadic(["Div"], lambda x, y: x / y if jnp.issubdtype(x.dtype, jnp.floating) else lax.div(*jnp.broadcast_arrays(x, y)))


@operator("Mean")
def mean_of(node, *inputs):
    return sum(inputs[1:], inputs[0]) / len(inputs)


@operator("Pow")
def power(node, x, y):
    if is_known(y) and y.size == 1 and float(y.reshape(())) in (0.5, 2, 3) and x.dtype.kind == "f":
        exponent = float(y.reshape(()))
        result = jnp.sqrt(x) if exponent == 0.5 else x * x if exponent == 2 else x * x * x
        return jnp.broadcast_to(result, jnp.broadcast_shapes(x.shape, y.shape))
    return jnp.power(x, y).astype(x.dtype)


@operator("Mod")
def modulo(node, x, y):
    return jnp.fmod(x, y) if node.get("fmod", 0) else jnp.mod(x, y)


@operator("BitShift")
def bit_shift(node, x, y):
    return jnp.left_shift(x, y) if node.get("direction") == "LEFT" else jnp.right_shift(x, y)


@operator("IsInf")
def is_infinite(node, x):
    return (bool(node.get("detect_positive", 1)) & jnp.isposinf(x)) | (bool(node.get("detect_negative", 1)) & jnp.isneginf(x))


@operator("Clip", "Relu6")
def clip(node, x, low=None, high=None):
    low, high = node.get("min", low), node.get("max", high)
    x = x if low is None else jnp.maximum(x, np.asarray(low, x.dtype) if isinstance(low, float) else low)
    return x if high is None else jnp.minimum(x, np.asarray(high, x.dtype) if isinstance(high, float) else high)


@operator("Elu")
def elu(node, x):
    return jnp.where(x > 0, x, node.get("alpha", 1.0) * jnp.expm1(jnp.minimum(x, 0)))


@operator("Celu")
def celu(node, x):
    alpha = node.get("alpha", 1.0)
    return jnp.maximum(x, 0) + jnp.minimum(0, alpha * jnp.expm1(x / alpha))


@operator("Selu")
def selu(node, x):
    alpha, gamma = node.get("alpha", 1.67326319217681884765625), node.get("gamma", 1.05070102214813232421875)
    return gamma * jnp.where(x > 0, x, alpha * jnp.expm1(jnp.minimum(x, 0)))


@operator("LeakyRelu")
def leaky_relu(node, x):
    return jnp.where(x < 0, x * np.asarray(node.get("alpha", 0.01), x.dtype), x)


@operator("ThresholdedRelu")
def thresholded_relu(node, x):
    return jnp.where(x > node.get("alpha", 1.0), x, 0)


@operator("HardSigmoid")
def hard_sigmoid(node, x):
    return jnp.clip(node.get("alpha", 0.2) * x + node.get("beta", 0.5), 0, 1)


@operator("Gelu", "com.microsoft.Gelu")
def gelu(node, x):
    return jax.nn.gelu(x, approximate=node.get("approximate", "none") == "tanh")


@operator("Swish")
def swish(node, x):
    return x * jax.nn.sigmoid(node.get("alpha", 1.0) * x)


@operator("Shrink")
def shrink(node, x):
    bias, edge = node.get("bias", 0.0), node.get("lambd", 0.5)
    return jnp.where(x < -edge, x + bias, jnp.where(x > edge, x - bias, 0)).astype(x.dtype)


@operator("Cast", "CastLike")
def cast(node, x, like=None):
    to = np.dtype(like.dtype) if like is not None else helper.tensor_dtype_to_np_dtype(node.get("to"))
    if to.kind == "O" or to.kind in "SU":
        raise refused("strings are not supported")
    if to.type.__module__ != "numpy" and to.name != "bfloat16":  # StableHLO saturates and wraps otherwise
        raise refused(f"to {to} is not supported")
    return x.astype(to) if to != np.bool_ else x != 0


@operator("Dropout")
def dropout(node, x, ratio=None, training=None):
    if training is not None and (not is_known(training) or training.any()):
        raise refused("training is not supported")
    return x, jnp.ones(x.shape, bool)


# Shapes and copies.

@operator("Constant")
def constant(node):
    for name, value in node.attributes.items():
        if name == "value":
            return numpy_helper.to_array(value)
        if name in ("value_float", "value_floats"):
            return np.asarray(value, np.float32)
        if name in ("value_int", "value_ints"):
            return np.asarray(value, np.int64)
    raise refused("strings and sparse tensors are not supported")


@operator("Shape", static=())
def shape_of(node, x):
    return np.asarray(x.shape[node.get("start", 0):node.get("end", None)], np.int64)


@operator("Size")
def size_of(node, x):
    return np.asarray(math.prod(x.shape), np.int64)


@operator("ConstantOfShape", static=[0])
def constant_of_shape(node, shape):
    value = node.get("value")
    return jnp.broadcast_to(np.float32(0) if value is None else numpy_helper.to_array(value).reshape(()), tuple(shape))


@operator("Reshape", static=[1])
def reshape(node, x, shape=None):
    shape = [int(n) for n in (node.get("shape") if shape is None else shape)]
    if not node.get("allowzero", 0):
        shape = [x.shape[i] if n == 0 else n for i, n in enumerate(shape)]
    return x.reshape(shape)


@operator("Flatten")
def flatten(node, x):
    axis = node.get("axis", 1)
    axis += x.ndim if axis < 0 else 0
    return x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))


def integers(value):
    return None if value is None else tuple(int(n) for n in np.asarray(value).reshape(-1))


@operator("Squeeze", static=[1])
def squeeze(node, x, axes=None):
    return jnp.squeeze(x, integers(node.get("axes", axes)))


@operator("Unsqueeze", static=[1])
def unsqueeze(node, x, axes=None):
    return jnp.expand_dims(x, integers(node.get("axes", axes)))


@operator("Transpose")
def transpose(node, x):
    return jnp.transpose(x, node.get("perm"))


@operator("Concat")
def concat(node, *inputs):
    return jnp.concatenate(inputs, node.get("axis", 1))


@operator("Split", static=[1])
def split(node, x, sizes=None):
    axis, sizes = node.get("axis", 0), integers(node.get("split", sizes))
    if sizes is None:
        count = node.get("num_outputs", node.outputs)
        each = -(-x.shape[axis] // count)
        sizes = [each] * (count - 1) + [x.shape[axis] - each * (count - 1)]
    return jnp.split(x, list(itertools.accumulate(sizes))[:-1], axis)


@operator("Slice", static=[1, 2, 3, 4])
def slice_of(node, x, starts=None, ends=None, axes=None, steps=None):
    starts, ends = integers(node.get("starts", starts)), integers(node.get("ends", ends))
    axes = integers(node.get("axes", axes)) or range(len(starts))
    steps = integers(steps) or [1] * len(starts)
    parts = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        n = x.shape[axis]
        low, high = (0, n) if step > 0 else (-1, n - 1)
        start = min(max(start + n if start < 0 else start, 0), n if step > 0 else n - 1)
        end = min(max(end + n if end < 0 else end, low), high)
        parts[axis] = slice(start, None if end < 0 else end, step)
    return x[tuple(parts)]


def within_axis(indices, n):
    """Indices that may count from the end."""
    return np.where(indices < 0, indices + n, indices) if is_known(indices) else jnp.where(indices < 0, indices + n, indices)


def taken(x, indices, axis):
    return jnp.asarray(x).at[(slice(None),) * axis + (indices,)].get(mode="promise_in_bounds")


@operator("Gather")
def gather(node, x, indices):
    axis = node.get("axis", 0) % x.ndim
    return taken(x, within_axis(indices, x.shape[axis]), axis)


@operator("GatherElements")
def gather_elements(node, x, indices):
    axis = node.get("axis", 0) % x.ndim
    where = list(jnp.meshgrid(*[jnp.arange(n) for n in indices.shape], indexing="ij"))
    where[axis] = within_axis(indices, x.shape[axis])
    return jnp.asarray(x).at[tuple(where)].get(mode="promise_in_bounds")


@operator("GatherND")
def gather_nd(node, x, indices):
    def take(x, indices):
        parts = tuple(within_axis(indices[..., i], x.shape[i]) for i in range(indices.shape[-1]))
        return jnp.asarray(x).at[parts].get(mode="promise_in_bounds")
    for _ in range(node.get("batch_dims", 0)):
        take = jax.vmap(take)
    return take(x, jnp.asarray(indices))


def updated(node, x, where, updates):
    at = jnp.asarray(x).at[where]
    kind = node.get("reduction", "none")
    return {"none": at.set, "add": at.add, "mul": at.multiply, "max": at.max, "min": at.min}[kind](updates)


@operator("ScatterElements", "Scatter")
def scatter_elements(node, x, indices, updates):
    axis = node.get("axis", 0) % x.ndim
    where = list(jnp.meshgrid(*[jnp.arange(n) for n in indices.shape], indexing="ij"))
    where[axis] = within_axis(indices, x.shape[axis])
    return updated(node, x, tuple(where), updates)


@operator("ScatterND")
def scatter_nd(node, x, indices, updates):
    return updated(node, x, tuple(within_axis(indices[..., i], x.shape[i]) for i in range(indices.shape[-1])), updates)


@operator("Expand", static=[1])
def expand(node, x, shape):
    return jnp.broadcast_to(x, jnp.broadcast_shapes(x.shape, integers(shape)))


@operator("Tile", static=[1, 2])
def tile(node, x, repeats, axis=None):
    return jnp.tile(x, integers(repeats))


@operator("Pad", static=[1, 3])
def pad(node, x, pads=None, value=None, axes=None):
    pads = integers(node.get("pads", node.get("paddings", pads)))
    axes = [axis % x.ndim for axis in (integers(axes) or range(x.ndim))]
    amounts = [(0, 0)] * x.ndim
    for i, axis in enumerate(axes):
        amounts[axis] = (pads[i], pads[i + len(axes)])
    mode = node.get("mode", "constant")
    if mode == "constant":
        value = np.asarray(node.get("value", 0.0), x.dtype) if value is None else value.reshape(())
        return lax.pad(jnp.asarray(x), jnp.asarray(value, x.dtype), [(low, high, 0) for low, high in amounts])
    for axis, (low, high) in enumerate(amounts):
        x = lax.slice_in_dim(jnp.asarray(x), max(-low, 0), x.shape[axis] - max(-high, 0), axis=axis)
    return jnp.pad(x, [(max(low, 0), max(high, 0)) for low, high in amounts], mode=mode)


@operator("Range", static="all")
def range_of(node, start, limit, delta):
    count = max(math.ceil((limit - start) / delta), 0)
    return (start + np.arange(count) * delta).astype(start.dtype)


@operator("OneHot", static=[1])
def one_hot(node, indices, depth, values):
    depth, axis = int(depth.reshape(-1)[0]), node.get("axis", -1)
    axis += indices.ndim + 1 if axis < 0 else 0
    shape = [depth if i == axis else 1 for i in range(indices.ndim + 1)]
    wanted = jnp.expand_dims(within_axis(indices.astype(np.int64), depth), axis)
    return jnp.where(wanted == np.arange(depth).reshape(shape), values[1], values[0])


@operator("Trilu", static=[1])
def trilu(node, x, k=None):
    k = 0 if k is None else int(k.reshape(-1)[0])
    return jnp.triu(x, k) if node.get("upper", 1) else jnp.tril(x, k)


@operator("EyeLike")
def eye_like(node, x):
    to = node.get("dtype")
    return jnp.eye(*x.shape, k=node.get("k", 0), dtype=x.dtype if to is None else helper.tensor_dtype_to_np_dtype(to))


@operator("NonZero", static=[0])
def non_zero(node, x):
    return np.asarray(np.nonzero(x), np.int64)


@operator("Compress", static=[1])
def compress(node, x, condition):
    axis = node.get("axis")
    x = x.reshape(-1) if axis is None else x
    return taken(x, np.nonzero(condition)[0], (axis or 0) % x.ndim)


@operator("DepthToSpace")
def depth_to_space(node, x):
    n, c, h, w = x.shape
    size = node.get("blocksize")
    if node.get("mode", "DCR") == "DCR":
        x = x.reshape(n, size, size, c // size**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        x = x.reshape(n, c // size**2, size, size, h, w).transpose(0, 1, 4, 2, 5, 3)
    return x.reshape(n, c // size**2, h * size, w * size)


@operator("SpaceToDepth")
def space_to_depth(node, x):
    n, c, h, w = x.shape
    size, order = node.get("blocksize"), (0, 3, 5, 1, 2, 4) if node.get("mode", "DCR") == "DCR" else (0, 1, 3, 5, 2, 4)
    x = x.reshape(n, c, h // size, size, w // size, size).transpose(order)
    return x.reshape(n, c * size**2, h // size, w // size)


@operator("ReverseSequence", static=[1])
def reverse_sequence(node, x, lengths):
    time, batch = node.get("time_axis", 0), node.get("batch_axis", 1)
    steps = np.arange(x.shape[time])[:, None]
    where = np.where(steps < lengths, lengths - 1 - steps, steps)
    shape = [1] * x.ndim
    shape[time], shape[batch] = where.shape
    where = (where if time < batch else where.T).reshape(shape)
    return jnp.take_along_axis(x, np.broadcast_to(where, x.shape), time)


# Reductions.

def reduction(name, function):
    def reduce(node, x, axes=None):
        axes = integers(node.get("axes", axes))
        if axes is None or len(axes) == 0:
            if node.get("noop_with_empty_axes", 0):
                return function(x, ()) if name in ("ReduceSumSquare", "ReduceL1", "ReduceL2", "ReduceLogSum") else x
            axes = tuple(range(x.ndim))
        result = function(x, axes)
        return (jnp.expand_dims(result, [axis % x.ndim for axis in axes]) if node.get("keepdims", 1) else result).astype(x.dtype)
    operator(name, static=[1])(reduce)


for name, function in {
    "ReduceSum": lambda x, a: jnp.sum(x, a, x.dtype), "ReduceMean": jnp.mean, "ReduceMax": jnp.max, "ReduceMin": jnp.min,
    "ReduceProd": lambda x, a: jnp.prod(x, a, x.dtype), "ReduceL1": lambda x, a: jnp.sum(jnp.abs(x), a),
    "ReduceL2": lambda x, a: jnp.sqrt(jnp.sum(x * x, a)), "ReduceLogSum": lambda x, a: jnp.log(jnp.sum(x, a)),
    "ReduceLogSumExp": jax.scipy.special.logsumexp, "ReduceSumSquare": lambda x, a: jnp.sum(x * x, a),
}.items():
    reduction(name, function)


@operator("ArgMax", "ArgMin")
def arg_max(node, x):
    axis = node.get("axis", 0) % x.ndim
    last = node.get("select_last_index", 0)
    x = jnp.flip(x, axis) if last else x
    found = (jnp.argmax if node.type == "ArgMax" else jnp.argmin)(x, axis, keepdims=bool(node.get("keepdims", 1)))
    return (x.shape[axis] - 1 - found if last else found).astype(np.int64)


@operator("TopK", static=[1])
def top_k(node, x, k=None):
    axis, k = node.get("axis", -1) % x.ndim, int(node.get("k") if k is None else k.reshape(-1)[0])
    order = jnp.argsort(x, axis, stable=True, descending=bool(node.get("largest", 1)))
    order = lax.slice_in_dim(order, 0, k, axis=axis)
    return jnp.take_along_axis(x, order, axis), order.astype(np.int64)


@operator("CumSum", "CumProd", static=[1])
def cumulative(node, x, axis):
    axis = int(axis.reshape(-1)[0]) % x.ndim
    x = jnp.flip(x, axis) if node.get("reverse", 0) else jnp.asarray(x)
    total = (jnp.cumsum if node.type == "CumSum" else jnp.cumprod)(x, axis, dtype=x.dtype)
    if node.get("exclusive", 0):
        amounts = [(0, 0, 0)] * x.ndim
        amounts[axis] = (1, -1, 0)
        total = lax.pad(total, np.asarray(node.type == "CumProd", x.dtype), amounts)
    return jnp.flip(total, axis) if node.get("reverse", 0) else total


# Products.

@operator("MatMul")
def matmul(node, x, y):
    return jnp.matmul(x, y)


@operator("Gemm")
def gemm(node, x, y, z=None):
    result = jnp.matmul(x.T if node.get("transA", 0) else x, y.T if node.get("transB", 0) else y)
    if node.get("alpha", 1.0) != 1:
        result = (result * node.get("alpha")).astype(x.dtype)
    if z is None or node.get("beta", 1.0) == 0:
        return result
    return result + (z if node.get("beta", 1.0) == 1 else (z * node.get("beta")).astype(x.dtype))


@operator("Einsum")
def einsum(node, *inputs):
    return jnp.einsum(node.get("equation"), *inputs)


@operator("Det")
def determinant(node, x):
    return jnp.linalg.det(x)


# Windows.

class windows:
    """Sizes, strides, dilations and padding of a node with windows."""

    def __init__(self, node, x, size):
        n = len(size)
        self.size, self.strides, self.dilations = size, node.get("strides", [1] * n), node.get("dilations", [1] * n)
        pads, kind = node.get("pads", [0] * 2 * n), node.get("auto_pad", "NOTSET")
        self.pads, self.more = [], []
        for i in range(n):
            reach, width, stride = (size[i] - 1) * self.dilations[i] + 1, x.shape[i + 2], self.strides[i]
            low, high = pads[i], pads[i + n]
            if kind in ("SAME_UPPER", "SAME_LOWER"):
                total = max((-(-width // stride) - 1) * stride + reach - width, 0)
                low, high = (total // 2, total - total // 2) if kind == "SAME_UPPER" else (total - total // 2, total // 2)
            elif kind == "VALID":
                low = high = 0
            more = 0
            if node.get("ceil_mode", 0):
                count = -(-(width + low + high - reach) // stride) + 1
                count -= (count - 1) * stride >= width + low
                more = max((count - 1) * stride + reach - width - low - high, 0)
            self.pads.append((low, high))
            self.more.append((0, more))

    def all_pads(self):
        return [(low, high + more) for (low, high), (_, more) in zip(self.pads, self.more)]

    def reduce(self, x, start, function, pads):
        ones = [1, 1]
        return lax.reduce_window(jnp.asarray(x), np.asarray(start, x.dtype), function, ones + list(self.size),
                                 ones + list(self.strides), [(0, 0)] * 2 + pads, window_dilation=ones + list(self.dilations))


def convolution(x, w, node, kind=None):
    how = windows(node, x, w.shape[2:])
    return lax.conv_general_dilated(x, w, how.strides, how.pads, rhs_dilation=how.dilations,
                                    feature_group_count=node.get("group", 1), preferred_element_type=kind)


def by_channel(value, rank):
    return value.reshape((1, -1) + (1,) * (rank - 2)) if value.ndim == 1 else value


@operator("Conv")
def conv(node, x, w, bias=None):
    result = convolution(x, w, node)
    return result if bias is None else result + by_channel(bias, x.ndim)


@operator("ConvTranspose")
def conv_transpose(node, x, w, bias=None):
    n, group = x.ndim - 2, node.get("group", 1)
    size, strides, dilations = w.shape[2:], node.get("strides", [1] * n), node.get("dilations", [1] * n)
    more, pads = node.get("output_padding", [0] * n), list(node.get("pads", [0] * 2 * n))
    shape, kind = node.get("output_shape"), node.get("auto_pad", "NOTSET")
    for i in range(n):
        if shape is None and kind not in ("SAME_UPPER", "SAME_LOWER"):
            break
        wanted = x.shape[i + 2] * strides[i] if shape is None else shape[-n:][i]
        total = strides[i] * (x.shape[i + 2] - 1) + more[i] + (size[i] - 1) * dilations[i] + 1 - wanted
        small, large = total // 2, total - total // 2
        pads[i], pads[i + n] = (small, large) if kind == "SAME_UPPER" else (large, small)
    w = w.reshape(group, w.shape[0] // group, *w.shape[1:]).swapaxes(1, 2)
    w = jnp.flip(w.reshape(w.shape[0] * w.shape[1], *w.shape[2:]), range(2, n + 2))
    reach = [(size[i] - 1) * dilations[i] for i in range(n)]
    padding = [(reach[i] - pads[i], reach[i] - pads[i + n] + more[i]) for i in range(n)]
    result = lax.conv_general_dilated(x, w, [1] * n, padding, strides, dilations, feature_group_count=group)
    return result if bias is None else result + by_channel(bias, x.ndim)


@operator("MaxPool")
def max_pool(node, x):
    if node.outputs > 1 and node.output_names[1]:
        raise refused("the indices of maxima are not supported")
    node.only(storage_order=[0])
    how = windows(node, x, node.get("kernel_shape"))
    low = -np.inf if jnp.issubdtype(x.dtype, jnp.floating) else np.iinfo(x.dtype).min
    return how.reduce(x, low, lax.max, how.all_pads())


@operator("AveragePool")
def average_pool(node, x):
    how = windows(node, x, node.get("kernel_shape"))
    total = how.reduce(x, 0, lax.add, how.all_pads())
    with jax.ensure_compile_time_eval():
        ones, pads = np.ones((1, 1) + x.shape[2:], np.float32), how.all_pads()
        if node.get("count_include_pad", 0):
            ones, pads = np.pad(ones, [(0, 0)] * 2 + how.pads, constant_values=1), how.more
        count = np.asarray(how.reduce(ones, 0, lax.add, pads)).astype(x.dtype)
    return total / (count.reshape(-1)[0] if (count == count.reshape(-1)[0]).all() else count)


@operator("LpPool")
def lp_pool(node, x):
    p, how = node.get("p", 2), windows(node, x, node.get("kernel_shape"))
    return how.reduce(jnp.abs(x) ** p, 0, lax.add, how.all_pads()) ** (1 / p)


@operator("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(node, x):
    axes = tuple(range(2, x.ndim))
    if node.type == "GlobalLpPool":
        return jnp.sum(jnp.abs(x) ** node.get("p", 2), axes, keepdims=True) ** (1 / node.get("p", 2))
    return (jnp.mean if node.type == "GlobalAveragePool" else jnp.max)(x, axes, keepdims=True)


def cubic(distance, a):
    d = np.abs(distance)
    near, far = (a + 2) * d**3 - (a + 3) * d**2 + 1, a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


@operator("Resize", "Upsample", static=[1, 2, 3])
def resize(node, x, roi=None, scales=None, sizes=None):
    if node.type == "Upsample" or node.version < 11:
        roi, scales = None, node.get("scales", roi)
    node.only(antialias=[0], keep_aspect_ratio_policy=["stretch"])
    mode = node.get("mode", "nearest")
    nearest = node.get("nearest_mode", "round_prefer_floor" if node.version >= 11 else "floor")
    usual = "asymmetric" if node.version < 11 else "half_pixel"
    where = node.get("coordinate_transformation_mode", usual)
    axes = [axis % x.ndim for axis in node.get("axes", range(x.ndim))]
    use_sizes = sizes is not None and np.size(sizes) > 0
    for i, axis in enumerate(axes):
        n = x.shape[axis]
        count = int(sizes[i]) if use_sizes else int(math.floor(n * float(np.float32(scales[i]))))
        scale = count / n if use_sizes else float(scales[i])
        if count == n and scale == 1:
            continue
        out = np.arange(count, dtype=np.float64)
        if where == "asymmetric":
            at = out / scale
        elif where == "align_corners":
            at = out * (n - 1) / (count - 1) if count > 1 else out * 0
        elif where == "pytorch_half_pixel":
            at = (out + 0.5) / scale - 0.5 if count > 1 else out * 0
        elif where == "half_pixel_symmetric":
            at = n / 2 * (1 - count / (n * scale)) + (out + 0.5) / scale - 0.5
        elif where == "half_pixel":
            at = (out + 0.5) / scale - 0.5
        else:
            raise refused(f"coordinate_transformation_mode = {where}")
        if mode == "nearest":
            at = at.astype(np.float32)
            at = {"floor": np.floor, "ceil": np.ceil, "round_prefer_ceil": lambda v: np.floor(v + 0.5),
                  "round_prefer_floor": lambda v: np.ceil(v - 0.5)}[nearest](at)
            at = np.clip(at, 0, n - 1).astype(np.int64)
            repeats = count // n
            if count == n * repeats and (at == np.arange(count) // repeats).all():
                x = jnp.repeat(x, repeats, axis)
            else:
                x = taken(x, at, axis)
            continue
        matrix = np.zeros((count, n))
        first = np.floor(at).astype(np.int64)
        for offset in ((0, 1) if mode == "linear" else (-1, 0, 1, 2)):
            source = first + offset
            weight = 1 - np.abs(at - source) if mode == "linear" else cubic(at - source, node.get("cubic_coeff_a", -0.75))
            if node.get("exclude_outside", 0):
                weight = np.where((source < 0) | (source >= n), 0, weight)
            np.add.at(matrix, (np.arange(count), np.clip(source, 0, n - 1)), weight)
        if node.get("exclude_outside", 0):
            matrix /= matrix.sum(1, keepdims=True)
        x = jnp.moveaxis(jnp.tensordot(x, matrix.T.astype(x.dtype), [[axis], [0]]), -1, axis)
    return x


@operator("GridSample")
def grid_sample(node, x, grid):
    mode, padding, corners = node.get("mode", "linear"), node.get("padding_mode", "zeros"), node.get("align_corners", 0)
    if mode not in ("linear", "bilinear", "nearest") or padding not in ("zeros", "border"):
        raise refused(f"mode = {mode}, padding_mode = {padding}")
    sizes = x.shape[2:]
    at = [grid[..., len(sizes) - 1 - i] for i in range(len(sizes))]
    at = [(v + 1) / 2 * (n - 1) if corners else ((v + 1) * n - 1) / 2 for v, n in zip(at, sizes)]
    if padding == "border":
        at = [jnp.clip(v, 0, n - 1) for v, n in zip(at, sizes)]
    first = [jnp.round(v) if mode == "nearest" else jnp.floor(v) for v in at]
    total = 0
    for corner in itertools.product(*[[0] if mode == "nearest" else [0, 1]] * len(sizes)):
        where = [v + step for v, step in zip(first, corner)]
        weight = math.prod([jnp.ones_like(v) if mode == "nearest" else 1 - jnp.abs(v - w) for v, w in zip(at, where)])
        inside = math.prod([((w >= 0) & (w <= n - 1)).astype(x.dtype) for w, n in zip(where, sizes)])
        index = tuple(jnp.clip(w, 0, n - 1).astype(np.int32) for w, n in zip(where, sizes))
        picked = jax.vmap(lambda image, i: image[(slice(None), *i)])(x, index)
        total = total + picked * (weight * inside)[:, None]
    return total


@operator("RoiAlign")
def roi_align(node, x, rois, batches):
    node.only(mode=["avg"])
    ratio, rows, columns = node.get("sampling_ratio", 0), node.get("output_height", 1), node.get("output_width", 1)
    if ratio <= 0:
        raise refused("sampling_ratio = 0: the number of samples would depend on inputs of the model")
    usual = "half_pixel" if node.version >= 16 else "output_half_pixel"
    half = node.get("coordinate_transformation_mode", usual) == "half_pixel"
    corners = rois * np.asarray(node.get("spatial_scale", 1.0), rois.dtype) - (0.5 if half else 0)

    def samples(low, high, count, n):
        """The two neighbours of each sample along one axis, and their weights."""
        length = high - low if half else jnp.maximum(high - low, 1)
        at = low[:, None] + length[:, None] * ((np.arange(count * ratio) + 0.5) / (count * ratio)).astype(rois.dtype)
        inside = (at >= -1) & (at <= n)
        at = jnp.clip(at, 0, n - 1)
        first = jnp.floor(at).astype(np.int32)
        part = at - first
        return [(first, (1 - part) * inside), (jnp.minimum(first + 1, n - 1), part * inside)]

    of_rows = samples(corners[:, 1], corners[:, 3], rows, x.shape[2])
    of_columns = samples(corners[:, 0], corners[:, 2], columns, x.shape[3])
    images, total = jnp.asarray(x).transpose(0, 2, 3, 1), 0
    for (i, wi), (j, wj) in itertools.product(of_rows, of_columns):
        picked = images.at[batches.reshape(-1, 1, 1), i[:, :, None], j[:, None, :]].get(mode="promise_in_bounds")
        total = total + picked * (wi[:, :, None] * wj[:, None, :])[..., None]
    total = total.reshape(total.shape[0], rows, ratio, columns, ratio, total.shape[-1]).mean((2, 4))
    return total.transpose(0, 3, 1, 2).astype(x.dtype)


# Transforms. The last axis has the real part, and the imaginary one if there is one.

def complex_of(x):
    return lax.complex(x[..., 0], x[..., 1]) if x.shape[-1] == 2 else x[..., 0]


def parts_of(x):
    return jnp.stack([jnp.real(x), jnp.imag(x)], -1)


@operator("DFT", static=[1, 2])
def fourier(node, x, length=None, axis=None):
    axis = node.get("axis", 1) if node.version < 20 else -2 if axis is None else int(axis.reshape(-1)[0])
    axis = axis % x.ndim if axis >= 0 else axis + x.ndim
    n, value = None if length is None else int(length.reshape(-1)[0]), complex_of(x)
    if node.get("inverse", 0):
        if node.get("onesided", 0):
            return jnp.fft.irfft(value, n, axis)[..., None].astype(x.dtype)
        return parts_of(jnp.fft.ifft(value, n, axis)).astype(x.dtype)
    return parts_of((jnp.fft.rfft if node.get("onesided", 0) else jnp.fft.fft)(value, n, axis)).astype(x.dtype)


@operator("STFT", static=[1, 3])
def short_time_fourier(node, x, step, window=None, length=None):
    size = window.shape[0] if length is None else int(length.reshape(-1)[0])
    value, step = complex_of(x) if x.ndim == 3 else x, int(step.reshape(-1)[0])
    starts = np.arange((value.shape[1] - size) // step + 1) * step
    frames = taken(value, starts[:, None] + np.arange(size), 1)
    frames = frames if window is None else frames * window
    one_sided = node.get("onesided", 1) and not jnp.iscomplexobj(frames)
    return parts_of((jnp.fft.rfft if one_sided else jnp.fft.fft)(frames)).astype(x.dtype)


# Sequences, of which positions and lengths are known while converting.

@operator("SequenceEmpty")
def empty_sequence(node):
    return [()]


@operator("SequenceConstruct")
def construct_sequence(node, *inputs):
    return [inputs]


def place_in(sequence, position, end):
    """A position that may count from the end."""
    n, i = len(sequence), end if position is None else int(position.reshape(-1)[0])
    if not -n <= i <= end:
        raise refused(f"position {i} of a sequence of {n}")
    return i + n if i < 0 else i


@operator("SequenceAt", static=[1])
def sequence_at(node, sequence, position):
    return sequence[place_in(sequence, position, len(sequence) - 1)]


@operator("SequenceInsert", static=[2])
def sequence_insert(node, sequence, value, position=None):
    i = place_in(sequence, position, len(sequence))
    return [(*sequence[:i], value, *sequence[i:])]


@operator("SequenceErase", static=[1])
def sequence_erase(node, sequence, position=None):
    i = place_in(sequence, position, len(sequence) - 1)
    return [(*sequence[:i], *sequence[i + 1 :])]


@operator("SequenceLength")
def sequence_length(node, sequence):
    return np.asarray(len(sequence), np.int64)


@operator("ConcatFromSequence")
def concat_from_sequence(node, sequence):
    return (jnp.stack if node.get("new_axis", 0) else jnp.concatenate)(sequence, node.get("axis"))


@operator("SplitToSequence", static=[1])
def split_to_sequence(node, x, sizes=None):
    axis = node.get("axis", 0) % x.ndim
    n = x.shape[axis]
    each = 1 if sizes is None else int(sizes) if sizes.ndim == 0 else None
    sizes = [min(each, n - i) for i in range(0, n, each)] if each else integers(sizes)
    parts = jnp.split(x, list(itertools.accumulate(sizes))[:-1], axis)
    drops = node.get("keepdims", 1) == 0 and node.inputs < 2
    return [tuple(jnp.squeeze(part, axis) if drops else part for part in parts)]


# Normalisations.

@operator("BatchNormalization")
def batch_normalization(node, x, scale, bias, mean, variance):
    node.only(training_mode=[0], spatial=[1])
    factor = by_channel(scale / jnp.sqrt(variance + np.asarray(node.get("epsilon", 1e-5), variance.dtype)), x.ndim)
    return ((x - by_channel(mean, x.ndim)) * factor + by_channel(bias, x.ndim)).astype(x.dtype)


def normalized(x, axes, epsilon):
    mean = jnp.mean(x, axes, keepdims=True)
    inverse = lax.rsqrt(jnp.mean(jnp.square(x - mean), axes, keepdims=True) + np.asarray(epsilon, x.dtype))
    return (x - mean) * inverse, mean, inverse


@operator("InstanceNormalization")
def instance_normalization(node, x, scale, bias):
    result, _, _ = normalized(x, tuple(range(2, x.ndim)), node.get("epsilon", 1e-5))
    return result * by_channel(scale, x.ndim) + by_channel(bias, x.ndim)


@operator("LayerNormalization")
def layer_normalization(node, x, scale, bias=None):
    axes = tuple(range(node.get("axis", -1) % x.ndim, x.ndim))
    result, mean, inverse = normalized(x.astype(np.float32) if x.dtype.itemsize < 4 else x, axes, node.get("epsilon", 1e-5))
    result = result.astype(x.dtype) * scale
    return result if bias is None else result + bias, mean, inverse


@operator("GroupNormalization")
def group_normalization(node, x, scale, bias):
    groups = node.get("num_groups")
    parts = x.reshape(x.shape[0], groups, -1)
    result, _, _ = normalized(parts, (2,), node.get("epsilon", 1e-5))
    if node.version < 21:
        return (result * scale[:, None] + bias[:, None]).reshape(x.shape)
    return result.reshape(x.shape) * by_channel(scale, x.ndim) + by_channel(bias, x.ndim)


@operator("RMSNormalization")
def rms_normalization(node, x, scale):
    axes = tuple(range(node.get("axis", -1) % x.ndim, x.ndim))
    wide = x.astype(np.float32) if x.dtype.itemsize < 4 else x
    mean = jnp.mean(jnp.square(wide), axes, keepdims=True)
    return (wide * lax.rsqrt(mean + np.asarray(node.get("epsilon", 1e-5), wide.dtype))).astype(x.dtype) * scale


@operator("LpNormalization")
def lp_normalization(node, x):
    axis, p = node.get("axis", -1), node.get("p", 2)
    length = jnp.sum(jnp.abs(x), axis, keepdims=True) if p == 1 else jnp.sqrt(jnp.sum(x * x, axis, keepdims=True))
    return jnp.where(length == 0, 0, x / length)


@operator("LRN")
def local_response_normalization(node, x):
    size = node.get("size")
    low = (size - 1) // 2
    total = lax.reduce_window(x * x, np.asarray(0, x.dtype), lax.add, [1, size] + [1] * (x.ndim - 2), [1] * x.ndim,
                              [(0, 0), (low, size - 1 - low)] + [(0, 0)] * (x.ndim - 2))
    scale = node.get("bias", 1.0) + node.get("alpha", 1e-4) / size * total
    return x / scale ** node.get("beta", 0.75)


@operator("Softmax", "LogSoftmax", "Hardmax")
def softmax(node, x):
    axis, shape = node.get("axis", 1 if node.version < 13 else -1), x.shape
    if node.version < 13:  # the axes from this one on are one
        axis %= x.ndim
        x, axis = x.reshape(math.prod(shape[:axis]), math.prod(shape[axis:])), 1
    if node.type == "Hardmax":
        result = jnp.moveaxis(jax.nn.one_hot(jnp.argmax(x, axis), x.shape[axis], dtype=x.dtype), -1, axis)
    else:
        result = (jax.nn.softmax if node.type == "Softmax" else jax.nn.log_softmax)(x, axis)
    return result.reshape(shape)


# Recurrent layers.

def activations(node, usual, directions):
    names = [each.decode() if isinstance(each, bytes) else each for each in node.get("activations", usual * directions)]
    known = {"sigmoid": jax.nn.sigmoid, "tanh": jnp.tanh, "relu": jax.nn.relu, "softsign": jax.nn.soft_sign,
             "softplus": jax.nn.softplus, "affine": None}
    for name in names:
        if known.get(name.lower()) is None:
            raise refused(f"activation {name}")
    return [known[name.lower()] for name in names]


@operator("LSTM", "GRU", "RNN", static=[4])
def recurrent(node, x, w, r, b=None, lengths=None, h=None, c=None, peepholes=None):
    node.only(clip=[None], input_forget=[0])
    layout, direction = node.get("layout", 0), node.get("direction", "forward")
    x = x.swapaxes(0, 1) if layout else x
    steps, batch, _ = x.shape
    if lengths is not None and (lengths != steps).any():
        raise refused("sequences of several lengths are not supported")
    size, directions = r.shape[2], r.shape[0]
    h, c = (None if each is None else each.swapaxes(0, 1) if layout else each for each in (h, c))
    usual = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}[node.type]
    chosen = activations(node, usual, directions)
    outputs, last_h, last_c = [], [], []
    for d in range(directions):
        f = chosen[d * len(usual):]
        gates = w.shape[1]
        of_input, of_state = (None, None) if b is None else (b[d, :gates], b[d, gates:])
        p = jnp.zeros((3, size), x.dtype) if peepholes is None else peepholes[d].reshape(3, size)
        products = x @ w[d].T
        products = products if b is None else products + of_input

        def lstm(state, given):
            h, c = state
            i, o, forget, cell = jnp.split(given + h @ r[d].T + (0 if b is None else of_state), 4, -1)
            if peepholes is not None:
                i, forget = i + p[0] * c, forget + p[2] * c
            c = f[0](forget) * c + f[0](i) * f[1](cell)
            h = f[0](o if peepholes is None else o + p[1] * c) * f[2](c)
            return (h, c), h

        def gru(state, given):
            h, c = state
            z, reset, new = jnp.split(given, 3, -1)
            bz, br, bn = (0, 0, 0) if b is None else jnp.split(of_state, 3)
            wz, wr, wn = jnp.split(r[d], 3)
            z, reset = f[0](z + h @ wz.T + bz), f[0](reset + h @ wr.T + br)
            if node.get("linear_before_reset", 0):
                new = f[1](new + reset * (h @ wn.T + bn))
            else:
                new = f[1](new + (reset * h) @ wn.T + bn)
            h = (1 - z) * new + z * h
            return (h, c), h

        def rnn(state, given):
            h = f[0](given + state[0] @ r[d].T + (0 if b is None else of_state))
            return (h, state[1]), h

        start = tuple(jnp.zeros((batch, size), x.dtype) if each is None else jnp.asarray(each[d]) for each in (h, c))
        (end_h, end_c), states = lax.scan({"LSTM": lstm, "GRU": gru, "RNN": rnn}[node.type], start, products,
                                          reverse=d == 1 or direction == "reverse")
        outputs, last_h, last_c = outputs + [states], last_h + [end_h], last_c + [end_c]
    # [steps, directions, batch, size], or [batch, steps, directions, size]
    results = [jnp.stack(outputs, 1), jnp.stack(last_h), jnp.stack(last_c)]
    if layout:
        results = [results[0].transpose(2, 0, 1, 3), results[1].swapaxes(0, 1), results[2].swapaxes(0, 1)]
    return results[: 3 if node.type == "LSTM" else 2]


# Quantization.

def along(value, x, axis, block):
    """A scale or zero point for each element of x, of its axis, or of blocks of it."""
    if value.ndim == 0 or value.size == 1:
        return value.reshape(())
    if value.ndim == 1 and not block:
        return value.reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])
    return lax.slice_in_dim(jnp.repeat(value, block, axis), 0, x.shape[axis], axis=axis)


def quantize(x, scale, zero_point, kind):
    if kind.kind not in "iu":
        raise refused(f"{kind} is not supported")
    limits = np.iinfo(kind)
    rounded = jnp.round(x / scale) + zero_point.astype(x.dtype)
    return jnp.clip(rounded, limits.min, limits.max).astype(kind)


@operator("QuantizeLinear")
def quantize_linear(node, x, scale, zero_point=None):
    axis, block, to = node.get("axis", 1), node.get("block_size", 0), node.get("output_dtype", 0)
    kind = helper.tensor_dtype_to_np_dtype(to) if to else np.dtype(np.uint8 if zero_point is None else zero_point.dtype)
    zero_point = np.zeros((), kind) if zero_point is None else zero_point
    return quantize(x.astype(np.float32) if x.dtype.kind in "iu" else x, along(scale, x, axis, block).astype(np.float32),
                    along(zero_point, x, axis, block), kind)


@operator("DequantizeLinear")
def dequantize_linear(node, x, scale, zero_point=None):
    axis, block = node.get("axis", 1), node.get("block_size", 0)
    wide = x.astype(np.int32) if x.dtype.kind in "iu" else x.astype(np.float32)
    if zero_point is not None:
        wide = wide - along(zero_point, x, axis, block).astype(wide.dtype)
    return wide.astype(scale.dtype) * along(scale, x, axis, block)


def centred(x, zero_point, axis=None):
    x = x.astype(np.int32)
    if zero_point is None:
        return x
    zero_point = zero_point.astype(np.int32)
    return x - (zero_point if axis is None or zero_point.ndim != 1 else along(zero_point, x, axis, 0))


@operator("QLinearConv")
def quantized_conv(node, x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias=None):
    total = convolution(centred(x, x_zero), centred(w, w_zero, 0), node, np.int32)
    if bias is not None:
        total = total + by_channel(bias, x.ndim)
    factor = x_scale * w_scale / y_scale
    scaled = total.astype(np.float32) * (by_channel(factor, x.ndim) if factor.ndim == 1 and factor.size > 1 else factor.reshape(()))
    return quantize(scaled, np.float32(1), y_zero, np.dtype(y_zero.dtype))


@operator("QLinearMatMul")
def quantized_matmul(node, x, x_scale, x_zero, y, y_scale, y_zero, z_scale, z_zero):
    total = jnp.matmul(centred(x, x_zero, -2), centred(y, y_zero, -1), preferred_element_type=np.int32)
    return quantize(total.astype(np.float32) * (along(x_scale, total, -2, 0) * along(y_scale, total, -1, 0) / z_scale),
                    np.float32(1), z_zero, np.dtype(z_zero.dtype))


@operator("MatMulInteger")
def integer_matmul(node, x, y, x_zero=None, y_zero=None):
    return jnp.matmul(centred(x, x_zero, -2), centred(y, y_zero, -1), preferred_element_type=np.int32)


@operator("ConvInteger")
def integer_conv(node, x, w, x_zero=None, w_zero=None):
    return convolution(centred(x, x_zero), centred(w, w_zero, 0), node, np.int32)


# Control flow.

def arrays_of(values):
    if any(isinstance(each, tuple) for each in values):
        raise refused("a sequence that depends on inputs of the model is not supported")
    return [jnp.asarray(each) for each in values]


def branch(node, name):
    return lambda: evaluate(node.attributes[name], scope(node.scope))


@operator("If")
def if_of(node, condition):
    chosen, other = branch(node, "then_branch"), branch(node, "else_branch")
    if is_known(condition):
        return (chosen if condition.reshape(-1)[0] else other)()
    return lax.cond(condition.reshape(()), lambda: arrays_of(chosen()), lambda: arrays_of(other()))


@operator("Loop", preferred=[0, 1])
def loop(node, count=None, condition=None, *state):
    body, carried = node.attributes["body"], len(state)
    outputs = len(body.output) - 1 - carried

    def step(i, going, state):
        results = evaluate(body, scope(node.scope), [i, going, *state])
        return results[0], results[1 : 1 + carried], results[1 + carried :]

    def open_length():
        if outputs > 0:
            raise refused("a loop whose length depends on inputs of the model hands over stacks, whose size would be open")
        first = np.asarray(True) if condition is None else condition.reshape(())
        last = None if count is None else count.reshape(())

        def go_on(carry):
            return carry[1] if last is None else jnp.logical_and(carry[1], carry[0] < last)

        def iterate(carry):
            i, going, values = carry
            going, values, _ = step(i, going, values)
            return i + 1, jnp.asarray(going).reshape(()), arrays_of(values)

        start = np.asarray(0, np.int64), jnp.asarray(first), arrays_of(state)
        return lax.while_loop(go_on, iterate, start)[2]

    if not is_known(condition) or count is None or not is_known(count):
        return open_length()
    known = int(count.reshape(-1)[0]) if condition is None or condition.reshape(-1)[0] else 0
    values, stacks = state, []
    for i in range(known):
        going, values, given = step(np.asarray(i, np.int64), np.asarray(True), values)
        if not is_known(going):
            return open_length()
        stacks.append(given)
        if not going.reshape(-1)[0]:
            break
    if not stacks and outputs > 0:
        raise refused("a loop without iterations hands over stacks")
    return [*values, *(jnp.stack([each[i] for each in stacks]) for i in range(outputs))]


@operator("Scan")
def scan(node, *inputs):
    if node.version < 9:
        raise refused("Scan of version 8 is not supported")
    body, count = node.attributes["body"], node.get("num_scan_inputs")
    state, given = inputs[: len(inputs) - count], inputs[len(inputs) - count :]
    results = len(body.output) - len(state)
    in_axes, out_axes = node.get("scan_input_axes", [0] * count), node.get("scan_output_axes", [0] * results)
    backward, out_backward = node.get("scan_input_directions", [0] * count), node.get("scan_output_directions", [0] * results)
    given = [jnp.moveaxis(jnp.asarray(x), axis, 0) for x, axis in zip(given, in_axes)]
    given = [jnp.flip(x, 0) if back else x for x, back in zip(given, backward)]

    def step(state, given):
        values = evaluate(body, scope(node.scope), [*state, *given])
        return arrays_of(values[: len(state)]), arrays_of(values[len(state) :])

    state, stacked = lax.scan(step, arrays_of(state), given)
    stacked = [jnp.flip(x, 0) if back else x for x, back in zip(stacked, out_backward)]
    return [*state, *(jnp.moveaxis(x, 0, axis) for x, axis in zip(stacked, out_axes))]


# Operators of onnxruntime, which it writes when it saves an optimised or a quantized model.

def microsoft(*names, **keywords):
    return operator(*(f"com.microsoft.{name}" for name in names), **keywords)


def activated(node, x):
    kind = node.get("activation", "")
    alpha, beta = node.get("activation_alpha"), node.get("activation_beta")
    alpha, beta = [*node.get("activation_params", []), alpha, beta][:2]
    functions = {
        "": lambda: x, "Relu": lambda: jnp.maximum(x, 0), "Tanh": lambda: jnp.tanh(x), "Sigmoid": lambda: jax.nn.sigmoid(x),
        "LeakyRelu": lambda: jnp.where(x < 0, x * np.asarray(0.01 if alpha is None else alpha, x.dtype), x),
        "Clip": lambda: jnp.clip(x, alpha, beta),
        "HardSigmoid": lambda: jnp.clip((0.2 if alpha is None else alpha) * x + (0.5 if beta is None else beta), 0, 1),
    }
    if kind not in functions:
        raise refused(f"activation = {kind}")
    return functions[kind]()


@microsoft("FusedConv")
def fused_conv(node, x, w, bias=None, more=None):
    result = conv(node, x, w, bias)
    return activated(node, result if more is None else result + more)


@microsoft("FusedGemm")
def fused_gemm(node, x, y, z=None):
    return activated(node, gemm(node, x, y, z))


@microsoft("FusedMatMul", "TransposeMatMul")
def fused_matmul(node, x, y):
    node.only(transBatchA=[0], transBatchB=[0])
    x = jnp.swapaxes(x, -1, -2) if node.get("transA", 0) and x.ndim > 1 else x
    y = jnp.swapaxes(y, -1, -2) if node.get("transB", 0) and y.ndim > 1 else y
    return jnp.matmul(x, y) * np.asarray(node.get("alpha", 1.0), x.dtype)


@microsoft("BiasGelu")
def bias_gelu(node, x, bias):
    return jax.nn.gelu(x + bias, approximate=False)


@microsoft("FastGelu")
def fast_gelu(node, x, bias=None):
    return jax.nn.gelu(x if bias is None else x + bias, approximate=True)


@microsoft("QuickGelu")
def quick_gelu(node, x):
    return x * jax.nn.sigmoid(np.asarray(node.get("alpha", 1.702), x.dtype) * x)


@microsoft("Inverse")
def inverse_of(node, x):
    return jnp.linalg.inv(x)


@operator("SimplifiedLayerNormalization")
def simplified_layer_normalization(node, x, scale):
    axes = tuple(range(node.get("axis", -1) % x.ndim, x.ndim))
    inverse = lax.rsqrt(jnp.mean(jnp.square(x), axes, keepdims=True) + np.asarray(node.get("epsilon", 1e-5), x.dtype))
    return x * inverse * scale, inverse


@microsoft("SkipLayerNormalization")
def skip_layer_normalization(node, x, skip, scale, shift=None, bias=None):
    total = x + skip if bias is None else x + skip + bias
    result, mean, inverse = normalized(total, (-1,), node.get("epsilon", 1e-12))
    return result * scale if shift is None else result * scale + shift, mean, inverse, total


@microsoft("SkipSimplifiedLayerNormalization")
def skip_simplified_layer_normalization(node, x, skip, scale, bias=None):
    total = x + skip if bias is None else x + skip + bias
    result, inverse = simplified_layer_normalization(node, total, scale)
    return result, None, inverse, total


@microsoft("EmbedLayerNormalization")
def embed_layer_normalization(node, ids, segments, words, positions, kinds=None, scale=None, shift=None, mask=None, at=None):
    total = taken(words, ids, 0)
    total = total + (taken(positions, at, 0) if at is not None else jnp.asarray(positions)[: ids.shape[1]])
    if kinds is not None and segments is not None:
        total = total + taken(kinds, segments, 0)
    result, _, _ = normalized(total, (-1,), node.get("epsilon", 1e-12))
    lengths = np.zeros(ids.shape[0], np.int32) if mask is None else jnp.sum(mask, 1, dtype=np.int32)
    return result * scale + shift, lengths, total


def heads_of(x, count):
    """[batch, length, heads * size] as [batch, heads, length, size]"""
    return x if x.ndim == 4 else x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)


def attend(node, q, k, v, mask, more):
    """Of [batch, heads, length, size]. `mask` is None, [batch], the keys that count, or [batch, keys] or
    [batch, rows, keys], 1 where they count."""
    scores = jnp.einsum("bhid,bhjd->bhij", q, k) * np.asarray(node.get("scale", 0.0) or 1 / math.sqrt(q.shape[-1]), q.dtype)
    rows, keys = scores.shape[2:]
    low = np.asarray(node.get("mask_filter_value", -10000.0), q.dtype)
    if mask is not None:
        if mask.ndim == 1 and mask.shape[0] != q.shape[0]:
            raise refused("keys that begin later are not supported")
        counts = np.arange(keys) < mask[:, None] if mask.ndim == 1 else mask != 0
        counts = counts[:, None, None] if counts.ndim == 2 else counts[:, None] if counts.ndim == 3 else counts
        scores = scores + jnp.where(counts, np.asarray(0, q.dtype), low)
    if node.get("unidirectional", 0):
        scores = jnp.where(np.tri(rows, keys, keys - rows, dtype=bool), scores, np.finfo(q.dtype).min)
    scores = scores if more is None else scores + more
    result = jnp.einsum("bhij,bhjd->bhid", jax.nn.softmax(scores, -1), v).transpose(0, 2, 1, 3)
    return result.reshape(*result.shape[:2], -1)


@microsoft("Attention")
def fused_attention(node, x, w, bias=None, mask=None, past=None, more=None, past_length=None):
    node.only(do_rotary=[0], past_present_share_buffer=[0])
    sizes, count = node.get("qkv_hidden_sizes") or [w.shape[1] // 3] * 3, node.get("num_heads")
    products = x @ w if bias is None else x @ w + bias
    q, k, v = (heads_of(each, count) for each in jnp.split(products, [sizes[0], sizes[0] + sizes[1]], -1))
    if past is not None:
        k, v = jnp.concatenate([past[0], k], 2), jnp.concatenate([past[1], v], 2)
    present = jnp.stack([k, v]) if node.outputs > 1 and node.output_names[1] else None
    return attend(node, q, k, v, mask, more), present


@microsoft("MultiHeadAttention")
def multi_head_attention(node, q, k=None, v=None, bias=None, mask=None, more=None, past_k=None, past_v=None, *rest):
    if any(each is not None for each in rest):
        raise refused("past lengths and indirect caches are not supported")
    count = node.get("num_heads")
    if k is None or v is None:
        raise refused("queries, keys and values in one tensor are not supported")
    if bias is not None:
        if any(each.ndim != 3 for each in (q, k, v)):
            raise refused("a bias beside heads apart is not supported")
        q, k, v = q + bias[: q.shape[-1]], k + bias[q.shape[-1] : q.shape[-1] + k.shape[-1]], v + bias[-v.shape[-1] :]
    q, k, v = (heads_of(each, count) for each in (q, k, v))
    if past_k is not None:
        k, v = jnp.concatenate([past_k, k], 2), jnp.concatenate([past_v, v], 2)
    return attend(node, q, k, v, mask, more), k, v


@microsoft("RotaryEmbedding")
def fused_rotary_embedding(node, x, positions, cosines, sines):
    node.only(is_packed_batching=[0], scale=[1.0])
    size = 2 * cosines.shape[1]
    count = node.get("num_heads", 0) or (x.shape[-1] // size if x.ndim == 3 else x.shape[1])
    parts = heads_of(x, count)
    if positions.size == 1:
        positions = positions.reshape(1, 1) + np.arange(parts.shape[2])
    c, s = (taken(each, positions, 0)[:, None] for each in (cosines, sines))
    rotated, kept = parts[..., :size], parts[..., size:]
    if node.get("interleaved", 0):
        a, b = rotated[..., ::2], rotated[..., 1::2]
        rotated = jnp.stack([a * c - b * s, a * s + b * c], -1).reshape(rotated.shape)
    else:
        a, b = jnp.split(rotated, 2, -1)
        rotated = jnp.concatenate([a * c - b * s, a * s + b * c], -1)
    result = jnp.concatenate([rotated, kept], -1)
    return result if x.ndim == 4 else result.transpose(0, 2, 1, 3).reshape(x.shape)


def real_of(x, scale, zero_point):
    return centred(x, zero_point).astype(np.float32) * scale


def on_reals(*names):
    """A quantized operator that rounds the result of a function of real numbers."""
    def add(function):
        def quantized(node, *inputs):
            operands, (scale, zero_point) = inputs[:-2], inputs[-2:]
            kind = np.dtype(operands[0].dtype if zero_point is None else zero_point.dtype)
            real = [real_of(*operands[i : i + 3]) for i in range(0, len(operands), 3)]
            zero_point = np.zeros((), kind) if zero_point is None else zero_point
            return quantize(function(node, *real), scale, zero_point, kind)
        microsoft(*names)(quantized)
        return function
    return add


on_reals("QLinearAdd")(lambda node, x, y: x + y)
on_reals("QLinearMul")(lambda node, x, y: x * y)
on_reals("QLinearSigmoid")(lambda node, x: jax.nn.sigmoid(x))
on_reals("QLinearLeakyRelu")(leaky_relu)
on_reals("QLinearSoftmax")(lambda node, x: jax.nn.softmax(x, node.get("axis", -1)))


@on_reals("QLinearAveragePool", "QLinearGlobalAveragePool")
def quantized_pool(node, x):
    node.only(channels_last=[0])
    return average_pool(node, x) if node.type == "QLinearAveragePool" else jnp.mean(x, tuple(range(2, x.ndim)), keepdims=True)


@microsoft("QLinearConcat")
def quantized_concat(node, scale, zero_point, *inputs):
    real = [real_of(*inputs[i : i + 3]) for i in range(0, len(inputs), 3)]
    return quantize(jnp.concatenate(real, node.get("axis")), scale, zero_point, np.dtype(zero_point.dtype))


@microsoft("QGemm")
def quantized_gemm(node, x, x_scale, x_zero, y, y_scale, y_zero, z=None, scale=None, zero_point=None):
    x = centred(x, x_zero).T if node.get("transA", 0) else centred(x, x_zero)
    y = centred(y, y_zero, 0 if node.get("transB", 0) else 1)
    total = jnp.matmul(x, y.T if node.get("transB", 0) else y, preferred_element_type=np.int32)
    total = (total if z is None else total + z).astype(np.float32) * (node.get("alpha", 1.0) * x_scale * y_scale)
    if scale is None:
        return total
    return quantize(total, scale, np.zeros((), np.uint8) if zero_point is None else zero_point,
                    np.dtype(np.uint8 if zero_point is None else zero_point.dtype))


@microsoft("MatMulIntegerToFloat")
def integer_matmul_to_float(node, x, y, x_scale, y_scale, x_zero=None, y_zero=None, bias=None):
    result = integer_matmul(node, x, y, x_zero, y_zero).astype(np.float32) * (x_scale * y_scale)
    return result if bias is None else result + bias


@microsoft("DynamicQuantizeMatMul")
def dynamic_quantized_matmul(node, x, y, y_scale, y_zero=None, bias=None):
    low, high = jnp.minimum(jnp.min(x), 0), jnp.maximum(jnp.max(x), 0)
    scale = jnp.where(high == low, np.float32(1), (high - low) / np.float32(255))
    zero_point = jnp.clip(jnp.round(-low / scale), 0, 255).astype(np.uint8)
    bytes_of_x = quantize(x, scale, zero_point, np.dtype(np.uint8))
    return integer_matmul_to_float(node, bytes_of_x, y, scale, y_scale, zero_point, y_zero, bias)


@microsoft("MatMulNBits")
def matmul_of_few_bits(node, x, packed, scales, zero_points=None, order=None, bias=None):
    node.only(bits=[4, 8])
    if order is not None:
        raise refused("blocks in another order are not supported")
    rows, columns, block, bits = node.get("K"), node.get("N"), node.get("block_size"), node.get("bits", 4)
    blocks = -(-rows // block)

    def unpacked(value, count):
        value = jnp.asarray(value).reshape(columns, -1)
        if bits == 4:
            value = jnp.stack([value & np.uint8(15), value >> np.uint8(4)], -1).reshape(columns, -1)
        return value[:, :count].astype(x.dtype)

    scales = scales.reshape(columns, blocks, 1)
    if zero_points is None:
        zero = np.asarray(1 << (bits - 1), x.dtype)
    elif zero_points.dtype == np.uint8:
        zero = unpacked(zero_points, blocks).reshape(columns, blocks, 1)
    else:
        zero = zero_points.reshape(columns, blocks, 1)
    weights = ((unpacked(packed, blocks * block).reshape(columns, blocks, block) - zero) * scales).reshape(columns, -1)
    result = jnp.matmul(x, weights[:, :rows].T)
    return result if bias is None else result + bias
