# SPDX-License-Identifier: Apache-2.0
"""onnx_models.py TENON COMPILER: models of ONNX through the command, in the current folder; results are those of
onnxruntime, or of the reference that comes with ONNX where that is not installed."""
import ctypes
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

TENON, COMPILER = sys.argv[1:3]
random = np.random.default_rng(0)
failed = 0


def draw(*shape):
    return random.standard_normal(shape, dtype=np.float32)


def model(name, nodes, inputs, outputs, weights, version=20):
    """`inputs` are shapes by name, whose sizes may be names."""
    def info(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph([helper.make_node(*each[:3], **(each[3] if len(each) > 3 else {})) for each in nodes], name,
                              [info(*each) for each in inputs.items()], [info(each, None) for each in outputs],
                              [numpy_helper.from_array(value, each) for each, value in weights.items()])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=9)
    onnx.save(proto, f"{name}.onnx")
    return proto


def expected(proto, given):
    if onnxruntime is not None:
        return onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, given)
    from onnx.reference import ReferenceEvaluator
    return ReferenceEvaluator(proto).run(None, given)


def tenon(*words):
    return subprocess.run([TENON, *words], capture_output=True, text=True)


def check(what, right):
    global failed
    failed += not right
    print(what, "equal" if right else "DIFFERENT")


def refused(words, pattern):
    global failed
    seen = tenon(*words)
    if seen.returncode != 1 or pattern not in seen.stderr or seen.stderr.count("\n") != 1:
        failed += 1
        print(" ".join(words), seen.returncode, seen.stderr)


def runs(proto, given, *options):
    name = proto.graph.name
    for i, value in enumerate(given.values()):
        np.save(f"x{i}.npy", value)
    seen = tenon("run", f"{name}.onnx", *(f"x{i}.npy" for i in range(len(given))), "--output", "results.npz", *options)
    wanted = expected(proto, given)
    results = np.load("results.npz") if seen.returncode == 0 else {}
    if seen.returncode != 0:
        print(seen.stderr)
    check(name, len(results) == len(wanted) and all(
        results[f"result{i}"].dtype == each.dtype and results[f"result{i}"].shape == each.shape
        and np.allclose(results[f"result{i}"], each, rtol=1e-4, atol=1e-5) for i, each in enumerate(wanted)))


# Weights whose names are as ONNX writes them, and numbers of arguments among them.
mlp = model("mlp", [("Gemm", ["x", "arg1", "/b.0"], ["h"], {"transB": 1}), ("Tanh", ["h"], ["t"]),
                    ("MatMul", ["t", "arg0"], ["p"]), ("Softmax", ["p"], ["y"])],
            {"x": ["batch", 6]}, ["y"], {"/b.0": draw(8), "arg1": draw(8, 6), "arg0": draw(8, 8)})
x = draw(3, 6)
refused(["inspect", "mlp.onnx"], "mlp.onnx: input x: a size is open; --size batch=1, for example, closes it")
refused(["build", "mlp.onnx", "--size", "rows=3"], "--size batch=1, for example")
refused(["build", "mlp.onnx", "--size", "batch=many"], "many")
runs(mlp, {"x": x}, "--size", "batch=3")
built = tenon("build", "mlp.onnx", "--size", "batch=3", "--library", "--compiler", COMPILER, "--flags", "-O1")
if built.returncode != 0:
    print(built.stderr)
    failed += 1
else:
    library, y = ctypes.CDLL("./libmlp.so"), np.zeros((3, 8), np.float32)
    count = int(re.search(r"mlp_arena_bytes = (\d+)", open("mlp.h").read()).group(1))
    memory = np.zeros(count + 64, np.uint8)
    arena = memory.ctypes.data + -memory.ctypes.data % 64
    pointers = [ctypes.c_void_p(each) for each in (x.ctypes.data, y.ctypes.data, arena)]
    check("mlp, built", library.mlp(*pointers) == 0 and np.allclose(y, expected(mlp, {"x": x})[0], rtol=1e-4, atol=1e-5))

runs(model("cnn", [
    ("Conv", ["x", "c"], ["h"], {"pads": [1, 1, 1, 1], "strides": [2, 2]}),
    ("BatchNormalization", ["h", "scale", "bias", "mean", "variance"], ["n"]), ("Relu", ["n"], ["r"]),
    ("MaxPool", ["r"], ["m"], {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    ("AveragePool", ["m"], ["a"], {"kernel_shape": [2, 2], "pads": [1, 1, 0, 0]}),
    ("GlobalAveragePool", ["a"], ["g"]), ("Flatten", ["g"], ["f"]), ("Gemm", ["f", "w"], ["y"])],
    {"x": [2, 3, 17, 17]}, ["y", "m"], {"c": draw(8, 3, 3, 3), "scale": draw(8), "bias": draw(8), "mean": draw(8),
                                        "variance": draw(8) ** 2 + 1, "w": draw(8, 5)}), {"x": draw(2, 3, 17, 17)})

# Shapes that are computed from shapes, as exporters write them.
runs(model("transformer", [
    ("LayerNormalization", ["x", "n"], ["l"]), ("MatMul", ["l", "qkv"], ["all"]), ("Shape", ["x"], ["s"]),
    ("Slice", ["s", "zero", "two"], ["front"]), ("Concat", ["front", "heads"], ["shape"], {"axis": 0}),
    ("Reshape", ["all", "shape"], ["r"]), ("Split", ["r"], ["q", "k", "v"], {"axis": 2, "num_outputs": 3}),
    *[step for each in "qkv" for step in (("Squeeze", [each, "two"], [each + "s"]),
                                          ("Transpose", [each + "s"], [each + "t"], {"perm": [0, 2, 1, 3]}))],
    ("Einsum", ["qt", "kt"], ["scores"], {"equation": "bhid,bhjd->bhij"}), ("Div", ["scores", "root"], ["d"]),
    ("Trilu", ["ones"], ["mask"], {"upper": 0}), ("Cast", ["mask"], ["m"], {"to": TensorProto.BOOL}),
    ("Where", ["m", "d", "low"], ["masked"]), ("Softmax", ["masked"], ["p"]), ("MatMul", ["p", "vt"], ["o"]),
    ("Transpose", ["o"], ["ot"], {"perm": [0, 2, 1, 3]}), ("Reshape", ["ot", "s"], ["back"]),
    ("Add", ["x", "back"], ["x1"]), ("MatMul", ["x1", "up"], ["u"]), ("Gelu", ["u"], ["g"]),
    ("MatMul", ["g", "down"], ["e"]), ("Add", ["x1", "e"], ["y"])],
    {"x": [2, 5, 16]}, ["y"],
    {"n": draw(16), "qkv": draw(16, 48), "zero": np.array([0]), "two": np.array([2]), "heads": np.array([3, 4, 4]),
     "root": np.float32(2), "ones": np.ones((5, 5), np.float32), "low": np.float32(-1e9), "up": draw(16, 32),
     "down": draw(32, 16)}), {"x": draw(2, 5, 16)})

model("unknown", [("NonMaxSuppression", ["x", "y"], ["z"])], {"x": [1, 4, 4], "y": [1, 2, 4]}, ["z"], {})
refused(["build", "unknown.onnx"], "unknown.onnx: node z (NonMaxSuppression): the operator is not supported")
model("by_values", [("Cast", ["x"], ["s"], {"to": TensorProto.INT64}), ("Reshape", ["y", "s"], ["z"])],
      {"x": [2], "y": [6]}, ["z"], {})
refused(["build", "by_values.onnx"], "input 1, s, decides shapes and depends on inputs of the model")
sys.exit(failed > 0)
