# SPDX-License-Identifier: Apache-2.0
"""Whole programs as JAX users write them, of the kinds that tenon is brought: each gives a function and its arguments."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

random = np.random.default_rng(7)
PROGRAMS = {}


def program(make):
    PROGRAMS[make.__name__] = make
    return make


def normal(*shape, scale=1.0):
    return (scale * random.standard_normal(shape)).astype(np.float32)


def uniform(low, high, *shape):
    return random.uniform(low, high, shape).astype(np.float32)


def layers(*sizes):
    return [(normal(m, n, scale=m**-0.5), np.zeros(n, np.float32)) for m, n in zip(sizes, sizes[1:])]


def perceptron(parameters, x):
    for w, b in parameters[:-1]:
        x = nn.gelu(x @ w + b)
    w, b = parameters[-1]
    return x @ w + b


def cross_entropy(parameters, x, labels):
    return -jnp.mean(jnp.take_along_axis(nn.log_softmax(perceptron(parameters, x)), labels[:, None], 1))


@program
def classifier():
    return perceptron, (layers(784, 256, 128, 10), normal(32, 784))


@program
def training_step_sgd():
    def step(parameters, x, labels):
        loss, gradient = jax.value_and_grad(cross_entropy)(parameters, x, labels)
        return loss, jax.tree.map(lambda p, g: p - 0.1 * g, parameters, gradient)

    return step, (layers(128, 96, 10), normal(48, 128), random.integers(0, 10, 48).astype(np.int32))


@program
def training_step_momentum():
    def step(parameters, velocity, x, y):
        def loss(parameters):
            return jnp.mean((perceptron(parameters, x) - y) ** 2)

        gradient = jax.grad(loss)(parameters)
        norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(gradient)))
        gradient = jax.tree.map(lambda g: g * jnp.minimum(1.0, 1.0 / norm), gradient)
        velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, gradient)
        return jax.tree.map(lambda p, v: p - 0.01 * v, parameters, velocity), velocity

    parameters = layers(64, 192, 64, 3)
    return step, (parameters, jax.tree.map(lambda p: 0.1 * np.ones_like(p), parameters), normal(40, 64), normal(40, 3))


@program
def small_convnet():
    def f(k1, k2, w, x):
        def conv(x, k, stride):
            return lax.conv_general_dilated(x, k, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

        x = nn.relu(conv(x, k1, 1))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        x = nn.relu(conv(x, k2, 2))
        return nn.softmax(jnp.mean(x, (1, 2)) @ w)

    return f, (normal(5, 5, 3, 24, scale=0.1), normal(3, 3, 24, 48, scale=0.07), normal(48, 10, scale=0.2), normal(4, 32, 32, 3))


@program
def upsampling():
    def f(k, x):
        return nn.sigmoid(lax.conv_transpose(x, k, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))

    return f, (normal(4, 4, 32, 16, scale=0.05), normal(2, 16, 16, 32))


@program
def attention():
    def f(x, q, k, v, o):
        heads = lambda w: (x @ w).reshape(x.shape[0], 4, -1).transpose(1, 0, 2)
        scores = heads(q) @ heads(k).swapaxes(1, 2) / jnp.sqrt(24.0)
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[1:], bool)), scores, -1e9)
        y = (nn.softmax(scores) @ heads(v)).transpose(1, 0, 2).reshape(x.shape[0], -1) @ o
        z = x + y
        return (z - z.mean(-1, keepdims=True)) * lax.rsqrt(z.var(-1, keepdims=True) + 1e-5)

    return f, (normal(80, 96), *(normal(96, 96, scale=0.1) for _ in range(4)))


@program
def recurrent_network():
    def f(wx, wh, b, xs):
        def step(state, x):
            hidden, cell = state
            i, g, f, o = jnp.split(x @ wx + hidden @ wh + b, 4)
            cell = nn.sigmoid(f) * cell + nn.sigmoid(i) * jnp.tanh(g)
            hidden = nn.sigmoid(o) * jnp.tanh(cell)
            return (hidden, cell), hidden

        zero = jnp.zeros(48)
        return lax.scan(step, (zero, zero), xs)[1]

    return f, (normal(24, 192, scale=0.2), normal(48, 192, scale=0.15), np.zeros(192, np.float32), normal(40, 24))


@program
def pendulum():
    def f(state):
        def rate(s):
            a, b, u, v = s
            d = a - b
            m = 2 - jnp.cos(d) ** 2
            return jnp.stack([u, v, (jnp.sin(b) * jnp.cos(d) - 2 * jnp.sin(a) - jnp.sin(d) * (v * v + u * u * jnp.cos(d))) / m,
                              (2 * (jnp.sin(a) * jnp.cos(d) - jnp.sin(b)) + jnp.sin(d) * (2 * u * u + v * v * jnp.cos(d))) / m])

        def step(s, _):
            middle = s + 0.005 * rate(s)
            s = s + 0.01 * rate(middle)
            return s, s[:2]

        return lax.scan(step, state, None, length=200)

    return f, (np.array([1.5, 1.0, 0, 0], np.float32),)


@program
def tracking_filter():
    def f(measured):
        transition = jnp.eye(4) + 0.1 * jnp.eye(4, k=2)
        sensor = jnp.eye(2, 4)

        def step(state, z):
            x, p = state
            x, p = transition @ x, transition @ p @ transition.T + 0.01 * jnp.eye(4)
            s = sensor @ p @ sensor.T + 0.1 * jnp.eye(2)
            det = s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0]
            inverse = jnp.array([[s[1, 1], -s[0, 1]], [-s[1, 0], s[0, 0]]]) / det
            gain = p @ sensor.T @ inverse
            x = x + gain @ (z - sensor @ x)
            return (x, p - gain @ sensor @ p), x

        return lax.scan(step, (jnp.zeros(4), jnp.eye(4)), measured)[1]

    return f, (normal(120, 2),)


@program
def bisection():
    def f(target):
        def body(s):
            low, high, n = s
            middle = (low + high) / 2
            below = middle**3 + middle < target
            return jnp.where(below, middle, low), jnp.where(below, high, middle), n + 1

        low, high, n = lax.while_loop(lambda s: (s[2] < 40) & jnp.any(s[1] - s[0] > 1e-5), body,
                                      (jnp.zeros_like(target), jnp.full_like(target, 10.0), 0))
        return (low + high) / 2, n

    return f, (uniform(0, 900, 2000),)


@program
def wave_equation():
    def f(u, v):
        def step(_, s):
            u, v = s
            padded = jnp.pad(u, 1)
            laplacian = padded[2:, 1:-1] + padded[:-2, 1:-1] + padded[1:-1, 2:] + padded[1:-1, :-2] - 4 * u
            v = v + 0.2 * laplacian
            return u + v, v

        return lax.fori_loop(0, 40, step, (u, v))

    return f, (normal(96, 112), np.zeros((96, 112), np.float32))


@program
def julia_set():
    def f(z):
        def body(s):
            z, n = s
            inside = jnp.abs(z) < 2
            return jnp.where(inside, z * z + (-0.7 + 0.27j), z), n + inside

        return lax.fori_loop(0, 30, lambda _, s: body(s), (z, jnp.zeros(z.shape, jnp.int32)))[1]

    grid = np.linspace(-1.5, 1.5, 80)
    return f, ((grid[None, :] + 1j * grid[:, None]).astype(np.complex64),)


@program
def particles():
    def f(x):
        difference = x[:, None] - x[None]
        square = jnp.sum(difference**2, -1) + 0.01
        return jnp.sum(difference * (1 / square**2 - 0.5 / square)[..., None], 1)

    return f, (normal(200, 3),)


@program
def nearest_centres():
    def f(x, centres):
        distance = jnp.sum(x**2, 1)[:, None] - 2 * x @ centres.T + jnp.sum(centres**2, 1)
        nearest = jnp.argmin(distance, 1)
        total = jax.ops.segment_sum(x, nearest, 12)
        return total / jnp.maximum(jnp.bincount(nearest, length=12), 1)[:, None], nearest

    return f, (normal(1500, 20), normal(12, 20))


@program
def option_prices():
    def f(spot, strike, time, volatility):
        def price(spot, strike, time, volatility):
            d = (jnp.log(spot / strike) + (0.01 + volatility**2 / 2) * time) / (volatility * jnp.sqrt(time))
            cdf = lambda x: 0.5 * (1 + lax.erf(x * 2**-0.5))
            return spot * cdf(d) - strike * jnp.exp(-0.01 * time) * cdf(d - volatility * jnp.sqrt(time))

        return jax.vmap(jax.value_and_grad(price))(spot, strike, time, volatility)

    return f, (uniform(60, 140, 8000), uniform(60, 140, 8000), uniform(0.2, 2, 8000), uniform(0.1, 0.4, 8000))


@program
def moving_statistics():
    def f(x):
        mean = jnp.convolve(x, jnp.ones(31) / 31, mode="same")
        return mean, jnp.cumsum(x) / jnp.arange(1, x.size + 1), lax.cummax(x), lax.cumlogsumexp(x[:512])

    return f, (normal(4000),)


@program
def spectrum():
    def f(signal):
        window = 0.5 - 0.5 * jnp.cos(2 * jnp.pi * jnp.arange(256) / 256)
        frames = signal[jnp.arange(0, signal.size - 255, 64)[:, None] + jnp.arange(256)]
        return jnp.log1p(jnp.abs(jnp.fft.rfft(frames * window)) ** 2)

    return f, (normal(8192),)


@program
def grey_image():
    def f(image):
        grey = image.astype(jnp.float32) @ jnp.array([0.299, 0.587, 0.114])
        dx, dy = grey[1:-1, 2:] - grey[1:-1, :-2], grey[2:, 1:-1] - grey[:-2, 1:-1]
        edge = jnp.sqrt(dx * dx + dy * dy)
        levels = jnp.zeros(32, jnp.int32).at[(grey / 8).astype(jnp.int32)].add(1)
        return jnp.clip(edge, 0, 255).astype(jnp.uint8), levels

    return f, (random.integers(0, 256, (120, 160, 3)).astype(np.uint8),)


@program
def interpolated_table():
    def f(x, at, table):
        return jnp.interp(x, at, table), jnp.searchsorted(at, x), jnp.argsort(x)[:10], jnp.median(x)

    return f, (uniform(0, 1, 3000), np.linspace(0, 1, 50).astype(np.float32), normal(50))


@program
def samples():
    def f(seed):
        keys = jax.random.split(jax.random.PRNGKey(seed), 3)
        return (jax.random.normal(keys[0], (6000,)), jax.random.randint(keys[1], (3000,), 0, 100),
                jax.random.bernoulli(keys[2], 0.3, (5000,)))

    return f, (np.uint32(11),)


@program
def hashes():
    def f(x):
        x = (x ^ (x >> 16)) * jnp.uint32(0x45D9F3B)
        x = (x ^ (x >> 15)) * jnp.uint32(0x2C1B3C6D)
        return x % 1009, (x // 7) % 13, lax.population_count(x)

    return f, (random.integers(0, 2**32, 10000, dtype=np.uint32),)


@program
def byte_product():
    def f(x, w, scale):
        y = lax.dot_general(x, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
        return jnp.clip(jnp.round(y * scale), -128, 127).astype(jnp.int8)

    return f, (random.integers(-128, 128, (96, 256)).astype(np.int8), random.integers(-128, 128, (256, 128)).astype(np.int8), np.float32(1e-3))
