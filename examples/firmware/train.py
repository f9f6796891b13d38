# SPDX-License-Identifier: Apache-2.0
"""Writes the models of this folder, which are committed; nothing else needs this script. As for ../digits/train.py:

    JAX_PLATFORMS=cpu /tmp/digits/bin/python train.py

    mlp.mlir           ui8[1,64] -> f32[1,10]: two layers, trained on the images that ../digits was trained on
    mlp.npy            f32[360,10]: what JAX computes for ../digits/images.npy
    digits_i8.mlir     ui8[1,8,8,1] -> f32[1,10]: the network of ../digits/model.mlir with weights and activations in i8
    digits_i8.npy      f32[360,10]: what JAX computes with it
    measured.npy       f32[200]: positions of something that moves, with noise
    states.npy         f32[200,2]: position and speed as a Kalman filter in JAX estimates them
"""

import pathlib
import re
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from sklearn.datasets import load_digits

folder = pathlib.Path(__file__).parent
digits_folder = folder.parent / "digits"
sys.path.insert(0, str(digits_folder))
import train as digits  # noqa: E402


def write_program(name, function, shape, images):
    lowered = jax.jit(function).lower(jax.ShapeDtypeStruct(shape, jnp.uint8))
    module = lowered.compiler_ir("stablehlo")
    (folder / f"{name}.mlir").write_text(module.operation.get_asm(large_elements_limit=None, enable_debug_info=False))
    one = jax.jit(function)
    logits = np.concatenate([np.asarray(one(image.reshape(shape))) for image in images])
    np.save(folder / f"{name}.npy", logits)
    return logits


def train_mlp(random, images, labels):
    weights = [
        (random.standard_normal((64, 32)) * np.sqrt(2 / 64)).astype(np.float32),
        np.zeros(32, np.float32),
        (random.standard_normal((32, 10)) * np.sqrt(2 / 32)).astype(np.float32),
        np.zeros(10, np.float32),
    ]

    def scores(weights, images):
        w0, b0, w1, b1 = weights
        return jax.nn.relu(images.astype(jnp.float32) / 16 @ w0 + b0) @ w1 + b1

    @jax.jit
    def step(weights, mean, square, rate, count, images, labels):
        def loss(weights):
            log_probabilities = jax.nn.log_softmax(scores(weights, images))
            wanted = 0.9 * jax.nn.one_hot(labels, 10) + 0.01
            return -(wanted * log_probabilities).sum(axis=1).mean() + 1e-3 * sum((w**2).sum() for w in weights) / 2

        gradient = jax.grad(loss)(weights)
        mean = [0.9 * m + 0.1 * g for m, g in zip(mean, gradient)]
        square = [0.999 * s + 0.001 * g * g for s, g in zip(square, gradient)]
        scale = jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        return [w - rate * scale * m / (jnp.sqrt(s) + 1e-8) for w, m, s in zip(weights, mean, square)], mean, square

    mean, square = [np.zeros_like(w) for w in weights], [np.zeros_like(w) for w in weights]
    count = 0
    for _ in range(100):
        order = random.permutation(len(images))
        for start in range(0, len(images) - 99, 100):
            chosen = order[start : start + 100]
            count += 1
            rate = np.float32(3e-3 * (1 - count / 1500))
            weights, mean, square = step(
                weights, mean, square, rate, np.float32(count), images[chosen], labels[chosen]
            )
    trained = [np.asarray(w) for w in weights]

    def classify(image):
        return scores(trained, image)

    return classify


def weights_of(text):
    """The constants of a StableHLO text that have dimensions, in order."""
    result = []
    for value, shape in re.findall(r"stablehlo\.constant dense<(.*?)> : tensor<((?:\d+x)+)f32>", text):
        if value.startswith('"0x'):
            numbers = np.frombuffer(bytes.fromhex(value[3:-1]), np.float32)
        else:
            numbers = np.array(re.findall(r"[-+.\deE]+", value), np.float32)
        result.append(numbers.reshape([int(size) for size in shape.split("x")[:-1]]))
    return result


def quantized(seen):
    """Weights in i8, a scale per output; activations in i8, one scale; sums in i32, scaled by integers."""
    kernel_1, bias_1, kernel_2, bias_2, dense, bias = weights_of((digits_folder / "model.mlir").read_text())

    def in_i8(weights):
        scale = np.abs(weights).reshape(-1, weights.shape[-1]).max(axis=0) / 127
        # Weights of an output are neighbours.
        return np.moveaxis(np.round(weights / scale).astype(np.int8), -1, 0).copy(), scale

    # The largest activations of the images that the network was trained on.
    x = jax.nn.relu(digits.convolve(seen.astype(np.float32) / 16, kernel_1, bias_1))
    y = jax.nn.relu(digits.convolve(x, kernel_2, bias_2))
    in_0, in_1, in_2 = 1 / 16, float(x.max()) / 127, float(y.max()) / 127

    kernel_1, scale_1 = in_i8(kernel_1)
    kernel_2, scale_2 = in_i8(kernel_2)
    dense, scale_3 = in_i8(dense)
    scales = [in_0 * scale_1, in_1 * scale_2, in_2 * scale_3]
    biases = [np.round(b / s).astype(np.int32) for b, s in zip((bias_1, bias_2, bias), scales)]
    rescale_3 = scales[2].astype(np.float32)

    def fixed_point(factors):
        """factors = numbers / 2**shift, with numbers of 30 bits."""
        shift = 30 - int(np.frexp(factors.max())[1])
        return np.round(factors.astype(np.float64) * 2.0**shift).astype(np.int32), shift

    def convolve(x, kernel, bias, factors):
        numbers, shift = fixed_point(factors)
        sums = lax.conv_general_dilated(
            x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "OHWI", "NHWC"), preferred_element_type=jnp.int32
        )
        products = (sums + bias).astype(jnp.int64) * jnp.broadcast_to(numbers, sums.shape).astype(jnp.int64)
        products += 1 << (shift - 1)
        return lax.clamp(np.int32(0), (products >> shift).astype(jnp.int32), np.int32(127)).astype(jnp.int8)

    def scores(image):
        x = convolve(image.astype(jnp.int8), kernel_1, biases[0], scales[0] / in_1)
        x = convolve(x, kernel_2, biases[1], scales[1] / in_2)
        x = lax.reduce_window(x, np.int8(-128), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        x = x.reshape(x.shape[0], -1)
        sums = lax.dot_general(x, dense, (((1,), (1,)), ((), ())), preferred_element_type=jnp.int32)
        return (sums + biases[2]).astype(jnp.float32) * rescale_3

    return scores


def write_track(random):
    """A filter for position and speed that sees positions, as in kalman.cpp."""
    dt = np.float32(0.1)
    a = np.array([[1, dt], [0, 1]], np.float32)
    q = np.array([[1e-4, 0], [0, 1e-3]], np.float32)
    h = np.array([[1, 0]], np.float32)
    time = np.arange(200) * 0.1
    measured = (np.sin(time) + 0.1 * random.standard_normal(200)).astype(np.float32)

    @jax.jit
    def step(x, p, z):
        x, p = a @ x, a @ p @ a.T + q
        s = h @ p @ h.T + np.float32(0.01)
        gain = p @ h.T / s
        return x + gain @ (z - h @ x), p - gain @ (h @ p)

    x, p = np.zeros((2, 1), np.float32), np.eye(2, dtype=np.float32)
    states = []
    for z in measured:
        x, p = step(x, p, z)
        states.append(np.asarray(x).reshape(2))
    np.save(folder / "measured.npy", measured)
    np.save(folder / "states.npy", np.array(states, np.float32))


def main():
    images, labels = np.load(digits_folder / "images.npy"), np.load(digits_folder / "labels.npy")
    data = load_digits()
    order = np.random.default_rng(1797).permutation(len(data.images))
    seen = order[digits.HELD_OUT :]
    seen_images, seen_labels = data.images.astype(np.uint8)[seen], data.target.astype(np.int32)[seen]

    random = np.random.default_rng(26)
    mlp = train_mlp(random, seen_images.reshape(-1, 64), seen_labels)
    for name, function, shape in (
        ("mlp", mlp, (1, 64)),
        ("digits_i8", quantized(seen_images[..., None]), (1, 8, 8, 1)),
    ):
        # i64, for products of sums and multipliers.
        with jax.enable_x64(name == "digits_i8"):
            logits = write_program(name, function, shape, images)
        print(f"{name}: {(logits.argmax(axis=1) == labels).sum()} of {len(labels)} held-out images right")
    write_track(random)


if __name__ == "__main__":
    main()
