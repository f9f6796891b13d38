# SPDX-License-Identifier: Apache-2.0
"""Writes the training steps of this folder, which are committed; nothing else needs this script.

    python3 -m venv /tmp/training && /tmp/training/bin/pip install jax==0.10.2 jaxlib==0.10.2
    JAX_PLATFORMS=cpu /tmp/training/bin/python export.py

    step_1.hlo  one step of the digit classifier on 120 images, on one device
    step_4.hlo  what each of four devices does: a step on 30 images, with the mean of all gradients

Both take six weights, six momenta, images ui8[n,8,8,1] and labels i32[n], and give new weights, momenta and the loss.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P
from jaxlib._hlo import HloPrintOptions

BATCH = 120
RATE = 0.05
SHAPES = [(3, 3, 1, 8), (8,), (3, 3, 8, 16), (16,), (256, 10), (10,)]


def convolve(x, kernel, bias):
    return lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + bias


def loss(weights, images, labels):
    kernel_1, bias_1, kernel_2, bias_2, dense, bias = weights
    x = images.astype(jnp.float32) / 16
    x = jax.nn.relu(convolve(x, kernel_1, bias_1))
    x = jax.nn.relu(convolve(x, kernel_2, bias_2))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    scores = x.reshape(x.shape[0], -1) @ dense + bias
    return -(jax.nn.one_hot(labels, 10) * jax.nn.log_softmax(scores)).sum(axis=1).mean()


def step(weights, momenta, images, labels, axis=None):
    value, gradient = jax.value_and_grad(loss)(weights, images, labels)
    if axis is not None:
        value, gradient = lax.pmean((value, gradient), axis)
    momenta = [0.9 * m + g for m, g in zip(momenta, gradient)]
    return [w - RATE * m for w, m in zip(weights, momenta)], momenta, value


def hlo_text(function, count):
    weights = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in SHAPES]
    images = jax.ShapeDtypeStruct((BATCH, 8, 8, 1), jnp.uint8)
    labels = jax.ShapeDtypeStruct((BATCH,), jnp.int32)
    compiled = jax.jit(function).lower(weights, weights, images, labels).compile()
    options = HloPrintOptions.short_parsable()
    options.print_large_constants = True
    options.print_metadata = False
    text = compiled.runtime_executable().hlo_modules()[0].to_string(options)
    assert (" all-reduce(" in text) == (count > 1)
    return text + "\n"


def main():
    folder = pathlib.Path(__file__).parent
    mesh = Mesh(np.array(jax.devices()), ("x",))
    together = jax.shard_map(
        lambda w, m, i, l: step(w, m, i, l, "x"),
        mesh=mesh,
        in_specs=(P(), P(), P("x"), P("x")),
        out_specs=P(),
        check_vma=False,  # gradients are those of each device, until pmean
    )
    (folder / "step_1.hlo").write_text(hlo_text(step, 1))
    (folder / "step_4.hlo").write_text(hlo_text(together, 4))


if __name__ == "__main__":
    main()
