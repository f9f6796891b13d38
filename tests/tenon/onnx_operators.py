# SPDX-License-Identifier: Apache-2.0
"""onnx_operators.py TENON: operators of ONNX and of onnxruntime, each a model of few nodes, through the text that is
written for it. Results are those of onnxruntime; numbers of 8 bits may be one step apart."""
import pathlib
import subprocess
import sys

import jax
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

try:
    import onnxruntime
except ImportError:
    print("skipped: operators, since onnxruntime is not there")
    sys.exit(0)

TENON = sys.argv[1]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "onnx"))
import operators
import to_stablehlo

random = np.random.default_rng(0)
failed = count = 0


def draw(*shape):
    return random.standard_normal(shape, dtype=np.float32)


def scale(*shape):
    return np.abs(draw(*shape)) * np.float32(0.02) + np.float32(0.01)


def unsigned(*shape):
    return random.integers(0, 256, shape).astype(np.uint8)


def signed(*shape):
    return random.integers(-128, 128, shape).astype(np.int8)


def number(value, kind=np.int64):
    return np.asarray(value, kind)


def is_equal(seen, wanted):
    if seen.shape != wanted.shape or seen.dtype != wanted.dtype:
        return False
    if wanted.dtype.kind == "f":
        return np.allclose(seen, wanted, rtol=1e-4, atol=2e-5)
    return np.abs(seen.astype(int) - wanted.astype(int)).max(initial=0) <= (wanted.dtype.itemsize == 1)


def check(name, nodes, given, weights=(), outputs=("y",), version=20):
    """`given` are the values x0, x1, ... of the nodes, or None; those with the numbers `weights` are in the model."""
    global failed, count
    inputs = {f"x{i}": each for i, each in enumerate(given) if each is not None and i not in weights}
    graph = helper.make_graph(
        nodes, name, [helper.make_tensor_value_info(each, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
                      for each, value in inputs.items()],
        [onnx.ValueInfoProto(name=each) for each in outputs], [numpy_helper.from_array(given[i], f"x{i}") for i in weights])
    domains = [helper.make_opsetid("", version), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=domains, ir_version=9)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    wanted = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"]).run(None, inputs)
    text, values = to_stablehlo.convert(model, {})
    pathlib.Path("operator.mlir").write_text(text)
    files = []
    for value in [*values.values(), *inputs.values()]:
        files.append(f"argument{len(files)}.npy")
        np.save(files[-1], value)
    ran = subprocess.run([TENON, "run", "operator.mlir", *files, "--output", "results.npz"], capture_output=True, text=True)
    results = np.load("results.npz") if ran.returncode == 0 else {}
    right = len(results) == len(wanted) and all(is_equal(results[f"result{i}"], each) for i, each in enumerate(wanted))
    count += 1
    if not right:
        failed += 1
        print(name, "DIFFERENT", ran.stderr)


def one(kind, given, weights=(), outputs=1, version=20, domain="", label="", **attributes):
    names = [f"x{i}" if each is not None else "" for i, each in enumerate(given)]
    results = [f"y{i}" for i in range(outputs)] if isinstance(outputs, int) else outputs
    node = helper.make_node(kind, names, results, domain=domain, **attributes)
    check(kind + label, [node], given, weights, [each for each in results if each], version)


def fused(kind, given, weights=(), outputs=1, label="", **attributes):
    one(kind, given, weights, outputs, 20, "com.microsoft", label, **attributes)


def refused(nodes, given, weights, sentence):
    global failed
    try:
        check("refused", nodes, given, weights)
    except operators.refused as why:
        if sentence in str(why.args[0]):
            return
        print(why)
    failed += 1
    print("is not refused:", sentence)


# Loops whose length depends on inputs: halve x while its sum is above 0.1.
def body(stacks):
    info = helper.make_tensor_value_info
    nodes = [helper.make_node("Mul", ["v", "half"], ["w"]), helper.make_node("ReduceSum", ["w"], ["sum"], keepdims=0),
             helper.make_node("Greater", ["sum", "edge"], ["going"])]
    return helper.make_graph(
        nodes, "body", [info("i", TensorProto.INT64, []), info("c", TensorProto.BOOL, []), info("v", TensorProto.FLOAT, [4])],
        [info("going", TensorProto.BOOL, []), info("w", TensorProto.FLOAT, [4]),
         *[info("sum", TensorProto.FLOAT, [])] * stacks],
        [numpy_helper.from_array(np.float32(0.5), "half"), numpy_helper.from_array(np.float32(0.1), "edge")])


def loop(inputs, stacks=0):
    return [helper.make_node("Loop", inputs, ["y", *["sums"] * stacks], body=body(stacks))]


start = np.abs(draw(4)) * 50
check("Loop, by a condition", loop(["", "x0", "x1"]), [np.array(True), start])
check("Loop, not at all", loop(["", "x0", "x1"]), [np.array(False), start])
check("Loop, by an open count", loop(["x0", "", "x1"]), [number(3), start])
check("Loop, by both", loop(["x0", "x2", "x1"]), [number(4), start, np.array(True)])
check("Loop, at most 100", loop(["x0", "", "x1"]), [number(100), start], [0])
refused(loop(["x0", "", "x1"], 1), [number(100), start], [0], "hands over stacks, whose size would be open")

node = helper.make_node
check("sequences", [
    node("SequenceEmpty", [], ["e"]), node("SequenceInsert", ["e", "x0"], ["a"]), node("SequenceInsert", ["a", "x1"], ["b"]),
    node("SequenceInsert", ["b", "x2", "x3"], ["c"]), node("SequenceErase", ["c", "x4"], ["d"]),
    node("SequenceAt", ["d", "x4"], ["y"]), node("SequenceLength", ["d"], ["n"]),
    node("ConcatFromSequence", ["c"], ["joined"], axis=1), node("ConcatFromSequence", ["c"], ["stacked"], axis=-1, new_axis=1)],
    [draw(2, 3), draw(2, 3), draw(2, 3), number(0), number(-2)], [3, 4], ["y", "n", "joined", "stacked"])
check("sequences of parts", [
    node("SplitToSequence", ["x0"], ["a"], axis=1, keepdims=0), node("SequenceAt", ["a", "x1"], ["y"]),
    node("SplitToSequence", ["x0", "x2"], ["b"], axis=1), node("SequenceAt", ["b", "x2"], ["last"]),
    node("SplitToSequence", ["x0", "x3"], ["c"]), node("SequenceAt", ["c", "x1"], ["second"]),
    node("SequenceConstruct", ["last", "last"], ["d"]), node("ConcatFromSequence", ["d"], ["twice"], axis=0)],
    [draw(4, 5), number(1), number(2), number([1, 3])], [1, 2, 3], ["y", "last", "second", "twice"])

one("DFT", [draw(2, 8, 1)], version=17)
one("DFT", [draw(2, 9, 1), number(6)], [1], version=17, onesided=1, label=", of real numbers")
one("DFT", [draw(2, 9, 2)], version=17, inverse=1, label=", inverse")
one("DFT", [draw(2, 3, 9, 2), None, number(1)], [2], label=", along an axis")
one("DFT", [draw(2, 3, 9, 2)], label=", along the last axis")
one("STFT", [draw(2, 64, 1), number(8), draw(16)], [1], version=17)
one("STFT", [draw(1, 50, 1), number(7), None, number(16)], [1, 3], version=17, onesided=0, label=", without a window")
regions = np.array([[0, 0, 7, 7], [1.5, 2.2, 9.7, 6.1], [-3, -4, 5, 6], [4, 4, 4.2, 4.3]], np.float32)
for version in (10, 16):
    one("RoiAlign", [draw(2, 3, 10, 12), regions, number([0, 1, 1, 0])], version=version, sampling_ratio=2, output_height=3,
        output_width=4, spatial_scale=0.8, label=f" of opset {version}")

for kind, more in {"Relu": None, "Tanh": None, "Sigmoid": None, "LeakyRelu": [0.2], "Clip": [-0.3, 0.4],
                   "HardSigmoid": [0.3, 0.4]}.items():
    fused("FusedConv", [draw(1, 3, 8, 8), draw(4, 3, 3, 3), draw(4)], [1, 2], label=kind, activation=kind, pads=[1] * 4,
          **{"activation_params": more} if more else {})
fused("FusedConv", [draw(1, 3, 8, 8), draw(4, 3, 3, 3), draw(4), draw(1, 4, 8, 8)], [1, 2], activation="Relu", pads=[1] * 4)
fused("FusedGemm", [draw(3, 4), draw(5, 4), draw(5)], transB=1, alpha=0.5, activation="LeakyRelu", activation_alpha=0.3)
fused("FusedMatMul", [draw(2, 4, 3), draw(2, 5, 4)], transA=1, transB=1, alpha=0.7)
fused("Gelu", [draw(3, 4)])
fused("BiasGelu", [draw(3, 4), draw(4)])
fused("FastGelu", [draw(3, 4), draw(4)])
fused("QuickGelu", [draw(3, 4)], alpha=1.5)
fused("Inverse", [draw(2, 4, 4)])
one("SimplifiedLayerNormalization", [draw(2, 3, 8), draw(8)], outputs=2)
fused("SkipLayerNormalization", [draw(2, 3, 8), draw(2, 3, 8), draw(8), draw(8), draw(8)], outputs=["y", "", "", "sum"])
fused("SkipSimplifiedLayerNormalization", [draw(2, 3, 8), draw(2, 3, 8), draw(8), draw(8)], outputs=["y", "", "", "sum"],
      epsilon=1e-3)
ids, kinds = (random.integers(0, n, (2, 5)).astype(np.int32) for n in (9, 2))
counts = np.array([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]], np.int32)
fused("EmbedLayerNormalization", [ids, kinds, draw(9, 8), draw(7, 8), draw(2, 8), draw(8), draw(8), counts],
      range(2, 7), 2)
fused("EmbedLayerNormalization", [ids, None, draw(9, 8), draw(7, 8), None, draw(8), draw(8), None, ids % 7], (2, 3, 5, 6),
      ["y", "", "sum"], ", without segments")

x, w, b = draw(2, 5, 8), draw(8, 24), draw(24)
for label, mask in {"all": None, "lengths": counts.sum(1, dtype=np.int32), "keys": counts,
                    "rows": (random.random((2, 5, 5)) > 0.3).astype(np.int32)}.items():
    for causal in (0, 1):
        fused("Attention", [x, w, b] + ([] if mask is None else [mask]), [1, 2], label=f" {label} {causal}", num_heads=2,
              unidirectional=causal)
fused("Attention", [x, w, b, None, draw(2, 2, 2, 3, 4)], [1, 2], 2, " after others", num_heads=2, unidirectional=1)
fused("Attention", [x, w, b, None, None, draw(2, 2, 5, 5)], [1, 2], label=" with scores", num_heads=2, scale=0.3)
fused("Attention", [x, draw(8, 28), draw(28)], [1, 2], label=" of three sizes", num_heads=2, qkv_hidden_sizes=[8, 8, 12])
k, v = draw(2, 6, 8), draw(2, 6, 8)
keys = np.array([[1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0]], np.int32)
fused("MultiHeadAttention", [x, k, v, draw(24)], num_heads=2)
fused("MultiHeadAttention", [x, k, v, None, keys], label=" of some keys", num_heads=2)
fused("MultiHeadAttention", [x, x, x], label=" of keys before", num_heads=2, unidirectional=1)
fused("MultiHeadAttention", [x, draw(2, 2, 6, 4), draw(2, 2, 6, 4)], label=" of heads apart", num_heads=2)
fused("MultiHeadAttention", [x, x, x, None, None, draw(1, 2, 5, 8), draw(2, 2, 3, 4), draw(2, 2, 3, 4)], outputs=3,
      label=" after others", num_heads=2)
for pairs in (0, 1):
    fused("RotaryEmbedding", [draw(2, 5, 16), ids.astype(np.int64), draw(9, 4), draw(9, 4)], interleaved=pairs)
    fused("RotaryEmbedding", [draw(2, 3, 5, 8), number([2]), draw(9, 4), draw(9, 4)], label=" by heads", interleaved=pairs)
fused("RotaryEmbedding", [draw(2, 5, 16), ids.astype(np.int64), draw(9, 2), draw(9, 2)], label=" of a part", num_heads=2,
      rotary_embedding_dim=4)

numbers = [number(each, np.float32 if isinstance(each, float) else np.uint8) for each in (0.02, 120, 0.03, 130, 0.04, 128)]
for kind in ("QLinearAdd", "QLinearMul"):
    fused(kind, [unsigned(3, 4), *numbers[:2], unsigned(4), *numbers[2:]], [1, 2, 4, 5, 6, 7])
fused("QLinearAdd", [signed(3, 4), numbers[0], np.array(3, np.int8), signed(4), numbers[2], np.array(-7, np.int8), numbers[4],
                     np.array(1, np.int8)], [1, 2, 4, 5, 6, 7], label=" of signed ones")
for kind, more in {"QLinearSigmoid": {}, "QLinearLeakyRelu": {"alpha": 0.1}, "QLinearSoftmax": {"axis": -1, "opset": 13}}.items():
    fused(kind, [unsigned(3, 4), *numbers[:2], np.array(1 / 256, np.float32), np.array(0, np.uint8)], [1, 2, 3, 4], **more)
fused("QLinearGlobalAveragePool", [unsigned(2, 3, 4, 4), *numbers[:4]], [1, 2, 3, 4])
fused("QLinearAveragePool", [unsigned(2, 3, 4, 4), *numbers[:4]], [1, 2, 3, 4], kernel_shape=[2, 2], strides=[2, 2])
fused("QLinearConcat", [*numbers[4:], unsigned(2, 3), *numbers[:2], unsigned(2, 2), *numbers[2:4]], [0, 1, 3, 4, 6, 7], axis=1)
column = [signed(5, 4), scale(5), np.zeros(5, np.int8), random.integers(-99, 99, 5).astype(np.int32)]
fused("QGemm", [unsigned(3, 4), *numbers[:2], *column, *numbers[4:]], range(1, 9), transB=1)
fused("QGemm", [unsigned(3, 4), *numbers[:2], *column], range(1, 7), transB=1, label=" to numbers")
fused("MatMulIntegerToFloat", [unsigned(3, 4), signed(4, 5), *numbers[::2][:2], numbers[1], np.array(2, np.int8), draw(5)])
fused("MatMulIntegerToFloat", [unsigned(3, 4), signed(4, 5), numbers[0], scale(5), numbers[1], signed(5)], label=" by columns")
fused("DynamicQuantizeMatMul", [draw(3, 4), signed(4, 5), numbers[0], np.array(2, np.int8), draw(5)], [1, 2, 3, 4])
fused("DynamicQuantizeMatMul", [draw(3, 4), signed(4, 5), scale(5), signed(5)], [1, 2, 3], label=" by columns")
size = {"K": 48, "N": 6, "block_size": 16}
fused("MatMulNBits", [draw(3, 48), unsigned(6, 3, 8), draw(18)], [1, 2], bits=4, **size)
fused("MatMulNBits", [draw(3, 48), unsigned(6, 3, 8), draw(18), unsigned(12)], [1, 2, 3], bits=4, label=" with zeros", **size)
fused("MatMulNBits", [draw(3, 48), unsigned(6, 3, 16), draw(18)], [1, 2], bits=8, label=" of 8", **size)
fused("MatMulNBits", [draw(3, 40), unsigned(6, 3, 8), draw(18), unsigned(12), None, draw(6)], [1, 2, 3, 5], bits=4,
      label=" with a remainder", K=40, N=6, block_size=16)

print(f"{count - failed} of {count} operators equal")
sys.exit(failed > 0)
