# SPDX-License-Identifier: Apache-2.0
"""Writes a model and its weights for main.cpp. Needs the Python packages jax and numpy."""

import jax
import jax.numpy as jnp
import numpy as np


def model(x, weights):
    return jax.nn.softmax(jnp.tanh(x @ weights))


x = np.array([[1, 2, 3, 4], [4, 3, 2, 1]], np.float32)
weights = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)

open("model.mlir", "w").write(jax.jit(model).lower(x, weights).as_text())
np.save("weights.npy", weights)
print(model(x, weights))
