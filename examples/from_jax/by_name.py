# SPDX-License-Identifier: Apache-2.0
"""Writes a function of JAX as model.mlir, whose arguments have names, and its weights by these names as weights.npz:

    tenon run model.mlir x.npy --weights weights.npz
    tenon build model.mlir --weights weights.npz
"""

import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np


def write(folder, function, weights, *inputs):
    """`function` takes a tree of weights, and inputs."""
    folder = pathlib.Path(folder)
    text = jax.jit(function, keep_unused=True).lower(weights, *inputs).as_text(debug_info=True)
    (folder / "model.mlir").write_text(text)
    leaves = jax.tree_util.tree_leaves_with_path(weights)
    np.savez(folder / "weights.npz", **{jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves})
    for i, each in enumerate(jax.tree.leaves(inputs)):
        np.save(folder / f"x{i}.npy", np.asarray(each))


def network(weights, x):
    for layer in weights["layers"]:
        x = jnp.tanh(x @ layer["weight"] + layer["bias"])
    return x * weights["scale"]


if __name__ == "__main__":
    random = np.random.default_rng(0)
    draw = lambda *shape: random.standard_normal(shape, dtype=np.float32)
    weights = {"layers": [{"weight": draw(4, 4), "bias": draw(4)} for _ in range(2)], "scale": np.float32(2)}
    x = draw(3, 4)
    write(sys.argv[1], network, weights, x)
    np.save(pathlib.Path(sys.argv[1]) / "y.npy", np.asarray(network(weights, x)))
