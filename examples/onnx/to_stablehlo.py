# SPDX-License-Identifier: Apache-2.0
"""python3 to_stablehlo.py model.onnx [FOLDER] [--size batch=1 ...]

Writes FOLDER/model.mlir and, by the names of ONNX, FOLDER/weights.npz. Arguments are the weights, then the inputs in their
order. Sizes that the file leaves open are given by name. Needs the Python packages jax and onnx.
"""
import argparse
import pathlib
import sys
from collections import OrderedDict

try:
    import jax
    import numpy as np
    import onnx
except ImportError as absent:
    sys.exit(f"the Python package {absent.name} is missing: {sys.executable} -m pip install jax onnx")

import operators

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)  # ONNX counts with int64


def input_types(graph, sizes):
    weights = {each.name for each in graph.initializer}
    for each in graph.input:
        kind = each.type.tensor_type
        if each.name in weights:
            continue
        if not each.type.HasField("tensor_type") or not kind.HasField("shape"):
            raise operators.refused(f"input {each.name}: a tensor with a shape is expected")
        names = [d.dim_param or f"{each.name}:{i}" for i, d in enumerate(kind.shape.dim)]
        shape = [d.dim_value if d.HasField("dim_value") else sizes.get(n) for n, d in zip(names, kind.shape.dim)]
        if None in shape:
            name = names[shape.index(None)]
            raise operators.refused(f"input {each.name}: a size is open; --size {name}=1, for example, closes it")
        yield each.name, jax.ShapeDtypeStruct(shape, onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type))


def convert(model, sizes):
    """The text, and the weights by name."""
    inputs, program = OrderedDict(input_types(model.graph, sizes)), operators.program(model)
    weights = program.weights(inputs)
    return jax.jit(program, keep_unused=True).lower(weights, inputs).as_text(debug_info=True), weights


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("model")
    options.add_argument("folder", nargs="?", default=".", type=pathlib.Path)
    options.add_argument("--size", action="append", default=[], metavar="NAME=N")
    given = options.parse_args()
    try:
        sizes = {name: int(n) for name, _, n in (each.rpartition("=") for each in given.size)}
        text, weights = convert(onnx.load(given.model), sizes)
    except Exception as why:
        sys.exit(f"{given.model}: " + " ".join(str(why.args[0] if why.args else why).split()))
    np.savez(given.folder / "weights.npz", **weights)
    (given.folder / "model.mlir").write_text(text)
