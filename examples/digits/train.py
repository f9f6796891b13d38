# SPDX-License-Identifier: Apache-2.0
"""Trains the digit classifier and writes the files of this folder, which are committed; nothing else needs this script.

    python3 -m venv /tmp/digits && /tmp/digits/bin/pip install jax==0.10.2 jaxlib==0.10.2 scikit-learn==1.9.1
    JAX_PLATFORMS=cpu /tmp/digits/bin/python train.py

The data are the 1,797 images of the UCI optical digits that scikit-learn ships: 8 x 8 pixels, each 0 to 16. A fixed
shuffle holds 360 of them out; the network never sees those. What is written:

    model.mlir     StableHLO text of one image's way to its ten scores, ui8[1,8,8,1] -> f32[1,10], weights included
    model_40.mlir  the same for 40 images at once
    images.npy     ui8[360,8,8,1]: the held-out images
    labels.npy     i32[360]: what their writers meant
    logits.npy     f32[360,10]: the scores that JAX computes for them, one image at a time
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from sklearn.datasets import load_digits

HELD_OUT = 360
EPOCHS = 60
BATCH = 100
RATE = 3e-3
DECAY = 1e-3
DOUBT = 0.1

jax.config.update("jax_default_matmul_precision", "highest")


def convolve(x, kernel, bias):
    return lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + bias


def scores(weights, images):
    """The ten scores of each image; the largest names the digit."""
    kernel_1, bias_1, kernel_2, bias_2, dense, bias = weights
    x = images.astype(jnp.float32) / 16
    x = jax.nn.relu(convolve(x, kernel_1, bias_1))
    x = jax.nn.relu(convolve(x, kernel_2, bias_2))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.reshape(x.shape[0], -1) @ dense + bias


def initial_weights(random):
    def normal(*shape):
        return (random.standard_normal(shape) * np.sqrt(2 / np.prod(shape[:-1]))).astype(np.float32)

    def zeros(size):
        return np.zeros(size, np.float32)

    return [normal(3, 3, 1, 8), zeros(8), normal(3, 3, 8, 16), zeros(16), normal(4 * 4 * 16, 10), zeros(10)]


def loss(weights, images, labels):
    log_probabilities = jax.nn.log_softmax(scores(weights, images))
    # A little doubt about each label keeps the scores small, so that their rounding errors are small as well.
    wanted = (1 - DOUBT) * jax.nn.one_hot(labels, 10) + DOUBT / 10
    fit = -(wanted * log_probabilities).sum(axis=1).mean()
    return fit + DECAY * sum((w**2).sum() for w in weights) / 2


@jax.jit
def step(weights, mean, square, rate, count, images, labels):
    """One step of Adam."""
    gradient = jax.grad(loss)(weights, images, labels)
    mean = [0.9 * m + 0.1 * g for m, g in zip(mean, gradient)]
    square = [0.999 * s + 0.001 * g * g for s, g in zip(square, gradient)]
    scale = jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    weights = [w - rate * scale * m / (jnp.sqrt(s) + 1e-8) for w, m, s in zip(weights, mean, square)]
    return weights, mean, square


def train(random, images, labels):
    weights = initial_weights(random)
    mean = [np.zeros_like(w) for w in weights]
    square = [np.zeros_like(w) for w in weights]
    count = 0
    steps = EPOCHS * (len(images) // BATCH)
    for _ in range(EPOCHS):
        order = random.permutation(len(images))
        for start in range(0, len(images) - BATCH + 1, BATCH):
            chosen = order[start : start + BATCH]
            rate = RATE * 0.5 * (1 + np.cos(np.pi * count / steps))
            count += 1
            weights, mean, square = step(
                weights, mean, square, np.float32(rate), np.float32(count), images[chosen], labels[chosen]
            )
    return [np.asarray(w) for w in weights]


def stablehlo_text(function, name, batch):
    function.__name__ = name
    lowered = jax.jit(function).lower(jax.ShapeDtypeStruct((batch, 8, 8, 1), jnp.uint8))
    module = lowered.compiler_ir("stablehlo")
    return module.operation.get_asm(large_elements_limit=None, enable_debug_info=False)


def main():
    folder = pathlib.Path(__file__).parent
    random = np.random.default_rng(1797)
    digits = load_digits()
    images = digits.images.astype(np.uint8)[..., None]
    labels = digits.target.astype(np.int32)
    order = random.permutation(len(images))
    held_out, seen = order[:HELD_OUT], order[HELD_OUT:]

    weights = train(random, images[seen], labels[seen])

    def classify(images):
        return scores(weights, images)

    (folder / "model.mlir").write_text(stablehlo_text(classify, "classify", 1))
    (folder / "model_40.mlir").write_text(stablehlo_text(classify, "classify", 40))

    one = jax.jit(classify)
    logits = np.concatenate([np.asarray(one(images[i : i + 1])) for i in held_out])
    np.save(folder / "images.npy", images[held_out])
    np.save(folder / "labels.npy", labels[held_out])
    np.save(folder / "logits.npy", logits)
    right = (logits.argmax(axis=1) == labels[held_out]).sum()
    print(f"{right} of {HELD_OUT} held-out images right: {100 * right / HELD_OUT:.2f} %")
    print(f"{sum(w.size for w in weights)} weights, jax {jax.__version__}")


if __name__ == "__main__":
    main()
