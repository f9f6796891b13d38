# SPDX-License-Identifier: Apache-2.0
"""Writes a module of PyTorch as model.mlir, whose arguments have names, and its weights by the names of the state_dict:

    tenon run model.mlir x0.npy --weights weights.npz
    tenon build model.mlir --weights weights.npz

Needs the Python packages torch, torchax and jax. As a program it writes a small network: python3 to_stablehlo.py FOLDER
"""
import pathlib
import sys
from collections import OrderedDict

import jax
import numpy as np
import torch
import torchax
import torchax.export

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)  # or int64 is int32


def write(folder, module, *inputs):
    """The module in evaluation, with its weights as arguments, then the inputs; x0.npy ... hold these, y0.npy ... results."""
    folder = pathlib.Path(folder)
    module.eval()
    with torch.no_grad():
        results = jax.tree.leaves(module(*inputs), is_leaf=lambda each: isinstance(each, torch.Tensor))
        exported = torch.export.export(module, inputs)
    names, state, function = torchax.export.exported_program_to_jax(exported, export_raw=True)
    environment = torchax.default_env()
    weights = OrderedDict(zip(names, environment.t2j_copy(state)))
    given = environment.t2j_copy(inputs)
    # torchax gives wrong results for some modules, and says nothing.
    for i, (value, wanted) in enumerate(zip(jax.tree.leaves(function(list(weights.values()), given)), results)):
        if value.shape != wanted.shape or not np.allclose(value, wanted.numpy(), rtol=1e-3, atol=1e-4, equal_nan=True):
            raise ValueError(f"torchax gives something else than PyTorch as result {i}; torch.onnx.export may not")
    program = jax.jit(lambda weights, x: function(list(weights.values()), x), keep_unused=True).lower(weights, given)
    (folder / "model.mlir").write_text(program.as_text(debug_info=True))
    np.savez(folder / "weights.npz", **{name: np.asarray(value) for name, value in weights.items()})
    for letter, values in (("x", jax.tree.leaves(given)), ("y", results)):
        for i, value in enumerate(values):
            np.save(folder / f"{letter}{i}.npy", np.asarray(value))


if __name__ == "__main__":
    torch.manual_seed(0)
    write(sys.argv[1], torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(), torch.nn.Linear(8, 4)), torch.randn(1, 3, 16, 16))
