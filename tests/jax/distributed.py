# SPDX-License-Identifier: Apache-2.0
"""distributed.py TENON_RUN [NAME...]: programs of 2 to 8 devices, as JAX partitions them, on a grid of processes.

Each program is run three times: what one device runs, which XLA prints as HLO, and the StableHLO that JAX exports, both
on the shards of that device, with the shards of JAX's result; and the StableHLO on whole arrays, with whole results; all
to the bound of a float32 that was added up in another order.

    pip install jax numpy
    python tests/jax/distributed.py build/gcc/examples/tenon-run
"""

import os

os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
)
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import functools
import itertools
import pathlib
import subprocess
import sys
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

try:
    shard_map = functools.partial(jax.shard_map, check_vma=False)
except AttributeError:
    from jax.experimental.shard_map import shard_map

    shard_map = functools.partial(shard_map, check_rep=False)

rng = np.random.default_rng(0)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def integers(*shape):
    return rng.integers(-50, 50, shape).astype(np.int32)


def mesh(*sizes):
    count = int(np.prod(sizes))
    return Mesh(np.array(jax.devices()[:count]).reshape(sizes), ("x", "y", "z")[: len(sizes)])


def sharded(grid, takes, gives, *arguments):
    """A function of shards."""

    def wrap(function):
        mapped = shard_map(function, mesh=grid, in_specs=takes, out_specs=gives)
        placed = [jax.device_put(a, NamedSharding(grid, s)) for a, s in zip(arguments, takes)]
        return jax.jit(mapped), placed

    return wrap


def placed(grid, takes, gives, *arguments):
    """A function of whole arrays, which XLA divides."""

    def wrap(function):
        results = jax.tree.map(lambda spec: NamedSharding(grid, spec), gives, is_leaf=lambda s: isinstance(s, P))
        arrays = [jax.device_put(a, NamedSharding(grid, s)) for a, s in zip(arguments, takes)]
        return jax.jit(function, out_shardings=results), arrays

    return wrap


def mapped(*arguments):
    """A function of what one of as many devices as there are rows has."""

    def wrap(function):
        return jax.pmap(function, "x", devices=jax.devices()[: len(arguments[0])]), arguments

    return wrap


def ring(count, step=1):
    return [(i, (i + step) % count) for i in range(count)]


m8, m4, m2, m24, m222 = mesh(8), mesh(4), mesh(2), mesh(2, 4), mesh(2, 2, 2)
X, Y, XY = P("x"), P("y"), P("x", "y")


def programs():
    yield "psum", sharded(m8, (X,), P(), floats(16, 5))(lambda a: lax.psum(a, "x"))
    yield "psum_integers", sharded(m8, (X,), P(), integers(8, 3))(lambda a: lax.psum(a, "x"))
    yield "pmean", sharded(m8, (X,), P(), floats(8, 7))(lambda a: lax.pmean(a, "x"))
    yield "pmax", sharded(m4, (X,), P(), floats(8, 7))(lambda a: lax.pmax(a, "x"))
    yield "pmin", sharded(m4, (X,), P(), floats(8, 7))(lambda a: lax.pmin(a, "x"))
    yield "psum_rows", sharded(m24, (XY,), P(None, "y"), floats(4, 8))(lambda a: lax.psum(a, "x"))
    yield "psum_columns", sharded(m24, (XY,), P("x", None), floats(4, 8))(lambda a: lax.psum(a, "y"))
    yield "psum_both", sharded(m24, (XY,), P(), floats(4, 8))(lambda a: lax.psum(a, ("x", "y")))
    yield "psum_three_axes", sharded(m222, (P("x", "y", "z"),), P("x"), floats(2, 4, 6))(
        lambda a: lax.psum(a, ("y", "z"))
    )
    yield "axis_index", sharded(m8, (X,), X, floats(8, 2))(lambda a: a + lax.axis_index("x"))
    yield "axis_index_two", sharded(m24, (XY,), XY, floats(2, 4))(
        lambda a: a + 10 * lax.axis_index("x") + lax.axis_index("y")
    )
    yield "all_gather", sharded(m8, (X,), P(), floats(16, 3))(lambda a: lax.all_gather(a, "x", tiled=True))
    yield "all_gather_stacked", sharded(m4, (X,), X, floats(8, 3))(lambda a: lax.all_gather(a, "x").sum(0))
    yield "all_gather_columns", sharded(m4, (P(None, "x"),), P(), floats(3, 8))(
        lambda a: lax.all_gather(a, "x", axis=1, tiled=True)
    )
    yield "ppermute", sharded(m8, (X,), X, floats(8, 3))(lambda a: lax.ppermute(a, "x", ring(8)))
    yield "ppermute_back", sharded(m24, (XY,), XY, floats(4, 8))(lambda a: lax.ppermute(a, "y", ring(4, 3)))
    yield "ppermute_part", sharded(m8, (X,), X, floats(8, 3))(lambda a: lax.ppermute(a, "x", [(0, 3), (1, 2)]))
    yield "all_to_all", sharded(m8, (X,), X, floats(64, 3))(
        lambda a: lax.all_to_all(a, "x", split_axis=0, concat_axis=0, tiled=True)
    )
    yield "all_to_all_transposes", sharded(m4, (P("x", None),), P(None, "x"), floats(8, 12))(
        lambda a: lax.all_to_all(a, "x", split_axis=1, concat_axis=0, tiled=True)
    )
    yield "psum_scatter", sharded(m8, (P(None, "x"),), X, floats(16, 8))(
        lambda a: lax.psum_scatter(a, "x", scatter_dimension=0, tiled=True)
    )
    yield "psum_scatter_columns", sharded(m2, (X,), P(None, "x"), floats(4, 6))(
        lambda a: lax.psum_scatter(a, "x", scatter_dimension=1, tiled=True)
    )
    yield "softmax", sharded(m8, (P(None, "x"),), P(None, "x"), floats(4, 16))(
        lambda a: (lambda e: e / lax.psum(e.sum(1, keepdims=True), "x"))(
            jnp.exp(a - lax.pmax(a.max(1, keepdims=True), "x"))
        )
    )
    yield "product_columns", sharded(m8, (P(None, "x"), P("x", None)), P(), floats(6, 16), floats(16, 5))(
        lambda a, b: lax.psum(a @ b, "x")
    )
    yield "ring_product", sharded(m4, (P("x", None), P(None, "x")), P(None, "x"), floats(8, 12), floats(12, 8))(
        ring_product
    )
    yield "halo", sharded(m8, (X,), X, floats(32))(halo)
    yield "loop", sharded(m8, (X,), P(), floats(8, 4))(
        lambda a: lax.fori_loop(0, 5, lambda i, s: lax.psum(a, "x") * 0.1 + s * 0.5, jnp.zeros_like(a))
    )
    yield "while_converges", sharded(m4, (X,), X, floats(8))(
        lambda a: lax.while_loop(lambda s: lax.pmax(jnp.abs(s).max(), "x") > 0.1, lambda s: s * 0.5, a)
    )
    yield "nested_loops", sharded(m24, (XY,), XY, floats(4, 8))(nested)
    yield "scan", sharded(m8, (X,), P(), floats(8, 3))(
        lambda a: lax.scan(lambda c, v: (lax.psum(c + v, "x") * 0.1, c), a[0], jnp.ones((4, 3), jnp.float32))[0]
    )
    yield "gradient", sharded(m8, (P(), P("x", None), X), P(), floats(5), floats(32, 5), floats(32))(
        lambda w, a, b: lax.pmean(jax.grad(lambda w: jnp.mean((a @ w - b) ** 2))(w), "x")
    )
    yield "jit_product", placed(m8, (P("x", None), P()), P("x", None), floats(16, 6), floats(6, 4))(
        lambda a, b: jnp.tanh(a @ b)
    )
    yield "jit_contracted", placed(m24, (P("x", "y"), P("y", None)), P("x", None), floats(4, 8), floats(8, 6))(
        lambda a, b: a @ b
    )
    yield "jit_mean", placed(m8, (X,), P(), floats(16, 6))(lambda a: a.mean(0))
    yield "jit_reshards", placed(m8, (X,), P(None, "x"), floats(8, 16))(lambda a: 2 * a)
    yield "jit_norm", placed(m24, (XY,), XY, floats(4, 8))(
        lambda a: (a - a.mean(1, keepdims=True)) / jnp.sqrt(a.var(1, keepdims=True) + 1e-5)
    )
    yield "jit_two_layers", placed(
        m24, (P("x", None), P(None, "y"), P("y", None)), P("x", None), floats(8, 6), floats(6, 16), floats(16, 4)
    )(lambda a, v, w: jax.nn.relu(a @ v) @ w)


    yield "while_in_while", sharded(m4, (X,), X, floats(8, 2))(while_in_while)
    yield "scan_in_loop", sharded(m24, (XY,), XY, floats(4, 8))(scan_in_loop)
    yield "condition_in_loop", sharded(m8, (X,), X, floats(8, 2))(condition_in_loop)
    yield "pmap_psum", mapped(floats(8, 3))(lambda a: lax.psum(a, "x"))
    yield "pmap_pmean", mapped(floats(4, 3))(lambda a: a - lax.pmean(a, "x"))
    yield "pmap_pmax", mapped(integers(8, 3))(lambda a: lax.pmax(a, "x"))
    yield "pmap_pmin", mapped(floats(2, 3))(lambda a: lax.pmin(a, "x"))
    yield "pmap_axis_index", mapped(floats(8, 3))(lambda a: a + lax.axis_index("x"))
    yield "pmap_all_gather", mapped(floats(8, 3))(lambda a: lax.all_gather(a, "x"))
    yield "pmap_ppermute", mapped(floats(8, 3))(lambda a: lax.ppermute(a, "x", ring(8)))
    yield "pmap_ppermute_part", mapped(floats(8, 3))(lambda a: lax.ppermute(a, "x", [(0, 3), (1, 2)]))
    yield "pmap_all_to_all", mapped(floats(4, 4, 3))(lambda a: lax.all_to_all(a, "x", 0, 1))
    yield "pmap_psum_scatter", mapped(floats(8, 16))(lambda a: lax.psum_scatter(a, "x", tiled=True))
    yield "pmap_groups", mapped(floats(8, 3))(
        lambda a: lax.psum(a, "x", axis_index_groups=[[0, 3, 4, 7], [1, 2, 5, 6]])
    )
    yield "pmap_two_results", mapped(floats(8, 3), integers(8, 2))(
        lambda a, b: (lax.psum(a, "x") * 2, lax.ppermute(b, "x", ring(8, 3)))
    )
    yield "pmap_training", mapped(same(8, floats(6, 3)), floats(8, 5, 6), floats(8, 5, 3))(training_step)
    yield "pmap_loop", mapped(floats(8, 4))(
        lambda a: lax.fori_loop(0, 5, lambda i, s: lax.psum(a, "x") * 0.1 + s * 0.5, jnp.zeros_like(a))
    )
    yield "pmap_nested_loops", mapped(floats(4, 6))(pmap_nested)


def same(count, value):
    return np.broadcast_to(value, (count, *value.shape)).copy()


def training_step(w, a, b):
    gradient = jax.grad(lambda w: jnp.mean((jnp.tanh(a @ w) - b) ** 2))(w)
    return w - 0.1 * lax.pmean(gradient, "x")


def pmap_nested(a):
    def outer(s):
        inner = lax.fori_loop(0, 3, lambda i, t: t * 0.5 + lax.ppermute(t, "x", ring(4)) * 0.25, s[1])
        return s[0] + 1, lax.pmean(inner, "x") + s[1] * 0.5

    return lax.while_loop(lambda s: (s[0] < 6) & (lax.pmax(jnp.abs(s[1]).max(), "x") > 0.01), outer, (0, a))[1]


def while_in_while(a):
    """Each turn of the outer loop halves until all are small, and begins again with less."""

    def inner(s):
        return lax.while_loop(lambda t: lax.pmax(jnp.abs(t).max(), "x") > 0.25, lambda t: t * 0.5, s)

    def turn(s):
        return s[0] * 0.5, inner(s[1]) + lax.psum(s[1], "x") * s[0]

    return lax.while_loop(lambda s: s[0] > 0.05, turn, (jnp.float32(1), a))[1]


def scan_in_loop(a):
    def outer(i, s):
        carry, rows = lax.scan(lambda c, v: (lax.psum(c * v, "y") * 0.1, lax.pmax(c, "x")), s, jnp.ones((3, 1)))
        return carry + rows.sum(0) * 0.1

    return lax.fori_loop(0, 3, outer, a)


def condition_in_loop(a):
    def turn(i, s):
        return lax.cond(i % 2 == 0, lambda t: lax.psum(t, "x") * 0.1, lambda t: lax.ppermute(t, "x", ring(8)), s)

    return lax.fori_loop(0, 5, turn, a)


def ring_product(a, b):
    """Rows of a go round; each device has columns of b."""

    def turn(i, state):
        rows, result = state
        owner = (lax.axis_index("x") - i) % 4
        result = lax.dynamic_update_slice(result, rows @ b, (owner * rows.shape[0], 0))
        return lax.ppermute(rows, "x", ring(4)), result

    return lax.fori_loop(0, 4, turn, (a, jnp.zeros((8, b.shape[1]), jnp.float32)))[1]


def halo(a):
    left = lax.ppermute(a[-1:], "x", ring(8))
    right = lax.ppermute(a[:1], "x", ring(8, -1 % 8))
    whole = jnp.concatenate([left, a, right])
    return (whole[:-2] + whole[1:-1] + whole[2:]) / 3


def nested(a):
    def outer(i, s):
        return lax.psum(lax.fori_loop(0, 3, lambda j, t: t + lax.ppermute(t, "y", ring(4)) * 0.1, s), "x") * 0.4

    return lax.fori_loop(0, 2, outer, a)


def more_programs():
    yield "two_axes_of_a_dimension", sharded(m24, (P(("x", "y")),), P(("y", "x")), floats(16, 3))(
        lambda a: a * 2 + lax.axis_index(("x", "y"))
    )
    yield "gather_two_axes", sharded(m24, (P(("x", "y")),), P(), floats(16, 3))(
        lambda a: lax.all_gather(a, ("x", "y"), tiled=True)
    )
    yield "gather_then_scatter", sharded(m24, (XY,), XY, floats(8, 8))(
        lambda a: lax.psum_scatter(lax.all_gather(a, "y", axis=1, tiled=True), "y", scatter_dimension=1, tiled=True)
    )
    yield "tree", sharded(m8, (X,), (P(), X), floats(8, 6))(
        lambda a: (lambda t: (t["a"] + t["b"][0].sum(1), a + t["b"][1]))(
            lax.psum({"a": a.sum(1), "b": (a * a, jnp.float32(2))}, "x")
        )
    )
    yield "mixed_types", sharded(m4, (X, X), (P(), P()), floats(4, 6), integers(4, 6))(
        lambda a, b: lax.psum((a, b), "x")
    )
    yield "bf16", sharded(m8, (X,), P(), floats(8, 5))(
        lambda a: lax.psum(a.astype(jnp.bfloat16).astype(jnp.float32) * 0.5, "x")
    )
    yield "complex", sharded(m4, (X, X), (P(), P()), floats(4, 5), floats(4, 5))(
        lambda a, b: (lambda z: (z.real, z.imag))(lax.psum(a + 1j * b, "x"))
    )
    yield "pmax_two_axes", sharded(m24, (XY,), P(), integers(4, 8))(lambda a: lax.pmax(a.max(), ("x", "y")))
    yield "argmax_over_devices", sharded(m8, (X,), P(), floats(64))(argmax_over_devices)
    yield "any_and_all", sharded(m8, (X,), (P(), P()), integers(8, 3))(
        lambda a: (lax.pmax((a > 45).astype(jnp.int32), "x"), lax.pmin((a < 49).astype(jnp.int32), "x"))
    )
    yield "all_to_all_stacked", sharded(m4, (X,), X, floats(16, 4, 3))(
        lambda a: lax.all_to_all(a[None, :], "x", split_axis=1, concat_axis=0).reshape(-1, 4, 3)
    )
    yield "all_to_all_rows", sharded(m24, (P("x", None, "y"),), P("x", "y", None), floats(4, 8, 4))(
        lambda a: lax.all_to_all(a, "y", split_axis=1, concat_axis=2, tiled=True)
    )
    yield "experts", sharded(m4, (X, X), X, floats(32, 5), floats(4, 5, 5))(experts)
    yield "psum_scatter_stacked", sharded(m4, (P(None, "x"),), X, floats(4, 12))(
        lambda a: lax.psum_scatter(a, "x", scatter_dimension=0)[None]
    )
    yield "vmap", sharded(m8, (P(None, "x"),), P(), floats(5, 16))(
        lambda a: jax.vmap(lambda row: lax.psum((row * row).sum(), "x"))(a)
    )
    yield "vmap_permutes", sharded(m8, (P(None, "x"),), P(None, "x"), floats(3, 16))(
        lambda a: jax.vmap(lambda row: lax.ppermute(row, "x", ring(8)) + lax.all_gather(row, "x").sum())(a)
    )
    yield "gradient_of_gather", sharded(m4, (X,), X, floats(8, 3))(
        jax.grad(lambda a: jnp.sum(jnp.sin(lax.all_gather(a, "x", tiled=True)) ** 2))
    )
    yield "gradient_of_permute", sharded(m8, (X,), X, floats(8, 3))(
        jax.grad(lambda a: jnp.sum(lax.ppermute(a, "x", ring(8, 3)) * jnp.cos(a)))
    )
    yield "gradient_of_scan", sharded(m4, (X, P()), X, floats(4, 6), floats(6, 6))(
        lambda a, w: jax.grad(
            lambda a: lax.scan(lambda c, _: (jnp.tanh(lax.psum(c @ w, "x") * 0.1 + c), None), a, length=3)[0].sum()
        )(a)
    )
    yield "remat", sharded(m4, (P(), X), P(), floats(6, 6), floats(4, 6))(
        lambda w, a: lax.psum(jax.grad(lambda w: jax.checkpoint(lambda w: jnp.sum(jnp.tanh(a @ w) ** 2))(w))(w), "x")
    )
    yield "two_dimensional_halo", sharded(m24, (XY,), XY, floats(8, 16))(two_dimensional_halo)
    yield "ring_attention", sharded(m4, (X, X, X), X, floats(16, 8), floats(16, 8), floats(16, 8))(ring_attention)
    yield "pipeline", sharded(m4, (P(), X), P(), floats(6, 2, 5), floats(4, 5, 5))(pipeline)
    yield "branches", sharded(m8, (X,), X, integers(8, 3))(
        lambda a: lax.switch(
            lax.pmax(a.max(), "x") % 3,
            [lambda t: lax.psum(t, "x"), lambda t: lax.ppermute(t, "x", ring(8)), lambda t: t * 2],
            a,
        )
    )
    yield "loop_with_gather", sharded(m4, (X,), X, floats(8, 3))(
        lambda a: lax.fori_loop(0, 3, lambda i, s: s * 0.5 + lax.all_gather(s, "x")[(i + 1) % 4], a)
    )
    yield "random_by_index", sharded(m8, (X,), X, floats(8, 4))(
        lambda a: a + jax.random.normal(jax.random.fold_in(jax.random.key(0), lax.axis_index("x")), a.shape)
    )
    yield "batch_norm", sharded(m8, (X,), X, floats(16, 5))(batch_norm)
    yield "power_iteration", sharded(m4, (X, P()), P(), floats(8, 8), floats(8))(power_iteration)
    yield "prefix_sum", sharded(m8, (X,), X, integers(32))(prefix_sum)
    yield "broadcast_from_one", sharded(m8, (X,), P(), floats(8, 3))(
        lambda a: lax.psum(jnp.where(lax.axis_index("x") == 3, a, 0), "x")
    )
    yield "odd_even_sort", sharded(m8, (X,), X, integers(32))(odd_even_sort)
    yield "checked", (
        lambda f: (jax.jit(f), [jax.device_put(floats(4, 8), NamedSharding(m24, XY))])
    )(jax.shard_map(lambda a: lax.psum(jnp.exp(a), "x") * 0.5, mesh=m24, in_specs=XY, out_specs=P(None, "y")))
    if partial := getattr(jax, "shard_map", None):
        yield "partly_manual", placed(m24, (XY,), P(None, "y"), floats(4, 8))(
            partial(lambda a: lax.psum(jnp.sin(a), "x") + lax.axis_index("x") * 0, mesh=m24, in_specs=P("x"),
                    out_specs=P(), axis_names={"x"}, check_vma=False)
        )
        yield "partly_manual_columns", placed(m24, (XY, P("y", None)), P("x", None), floats(4, 8), floats(8, 6))(
            partial(lambda a, b: lax.psum(a @ b, "y"), mesh=m24, in_specs=(P(None, "y"), P("y", None)),
                    out_specs=P(), axis_names={"y"}, check_vma=False)
        )
        yield "manual_in_manual", placed(m24, (XY,), XY, floats(4, 8))(
            partial(lambda a: partial(lambda b: lax.psum(b, "y") + lax.ppermute(b, "x", ring(2)), in_specs=P(None, "y"),
                                      out_specs=P(None, "y"), axis_names={"y"}, check_vma=False)(a) * 2,
                    mesh=m24, in_specs=P("x"), out_specs=P("x"), axis_names={"x"}, check_vma=False)
        )
    yield "manual_between", placed(m8, (X, P(None, "x")), P(None, "x"), floats(16, 8), floats(8, 8))(manual_between)
    yield "two_manual", placed(m24, (XY,), P("y", "x"), floats(8, 8))(two_manual)
    yield "jit_constraint", placed(m24, (XY, XY), X, floats(8, 8), floats(8, 8))(
        lambda a, b: jnp.tanh(lax.with_sharding_constraint(a @ b, NamedSharding(m24, P("y", "x")))) @ b
    )
    yield "jit_convolution", placed(m4, (X, P()), X, floats(8, 6, 6, 2), floats(3, 3, 2, 4))(
        lambda a, k: lax.conv_general_dilated(a, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    )
    yield "jit_spatial_convolution", placed(m4, (P(None, "x"), P()), P(None, "x"), floats(2, 16, 6, 2), floats(3, 3, 2, 4))(
        lambda a, k: lax.conv_general_dilated(a, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    )
    yield "jit_embedding", placed(m8, (P("x", None), P()), P(), floats(16, 4), np.abs(integers(10)) % 16)(
        lambda table, at: table[at]
    )
    yield "jit_sort", placed(m8, (X,), X, integers(32))(jnp.sort)
    yield "jit_cumsum", placed(m8, (X,), X, integers(32))(jnp.cumsum)
    yield "jit_argmax", placed(m8, (P(None, "x"),), P(), floats(3, 32))(lambda a: jnp.argmax(a, 1))
    yield "jit_pad_and_slice", placed(m4, (X,), X, floats(16))(lambda a: jnp.pad(a, (3, 1))[2:18])
    yield "jit_attention", placed(
        m24, (P("x", None, "y"), P("x", None, "y"), P("x", None, "y")), P("x", None, "y"),
        floats(2, 6, 4, 5), floats(2, 6, 4, 5), floats(2, 6, 4, 5),
    )(lambda q, k, v: jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k)), v))
    yield "jit_scan", placed(m8, (P(None, "x"), P()), P(None, "x"), floats(5, 16), floats(16))(
        lambda a, b: lax.scan(lambda c, r: (c * 0.5 + r, c), b, a)[1]
    )
    yield "jit_training", placed(m8, (P(), P(), X, X), (P(), P()), floats(6, 4), floats(4), floats(32, 6), floats(32, 4))(
        lambda w, b, x, y: jax.tree.map(
            lambda p, g: p - 0.1 * g, (w, b), jax.grad(lambda p: jnp.mean((jnp.tanh(x @ p[0] + p[1]) - y) ** 2))((w, b))
        )
    )


def argmax_over_devices(a):
    best = a.max()
    largest = lax.pmax(best, "x")
    place = lax.axis_index("x") * a.shape[0] + jnp.argmax(a)
    return lax.pmin(jnp.where(best == largest, place, 1 << 30), "x")


def experts(tokens, weights):
    """Each device sends a quarter of its tokens to each expert, and gets them back."""
    there = lax.all_to_all(tokens, "x", split_axis=0, concat_axis=0, tiled=True)
    return lax.all_to_all(jax.nn.gelu(there @ weights[0]), "x", split_axis=0, concat_axis=0, tiled=True)


def two_dimensional_halo(a):
    rows = jnp.concatenate([lax.ppermute(a[-1:], "x", ring(2)), a, lax.ppermute(a[:1], "x", ring(2, -1 % 2))])
    left, right = lax.ppermute(rows[:, -1:], "y", ring(4)), lax.ppermute(rows[:, :1], "y", ring(4, 3))
    whole = jnp.concatenate([left, rows, right], 1)
    return whole[:-2, 1:-1] + whole[2:, 1:-1] + whole[1:-1, :-2] + whole[1:-1, 2:] - 4 * a


def ring_attention(q, k, v):
    def turn(state, _):
        k, v, largest, total, result = state
        scores = q @ k.T
        now = jnp.maximum(largest, scores.max(1))
        weights, scale = jnp.exp(scores - now[:, None]), jnp.exp(largest - now)
        result = result * scale[:, None] + weights @ v
        k, v = lax.ppermute((k, v), "x", ring(4))
        return (k, v, now, total * scale + weights.sum(1), result), None

    first = (k, v, jnp.full(q.shape[0], -jnp.inf), jnp.zeros(q.shape[0]), jnp.zeros_like(q))
    _, _, _, total, result = lax.scan(turn, first, length=4)[0]
    return result / total[:, None]


def pipeline(batches, weights):
    """A stage on each device; batch i leaves the last one after i + 4 turns."""
    stage = lax.axis_index("x")

    def turn(held, i):
        entering = batches[jnp.minimum(i, len(batches) - 1)]
        out = jnp.tanh(jnp.where(stage == 0, entering, held) @ weights[0])
        return lax.ppermute(out, "x", ring(4)), out

    outs = lax.scan(turn, jnp.zeros_like(batches[0]), jnp.arange(len(batches) + 3))[1]
    return lax.psum(jnp.where(stage == 3, outs[3:], 0), "x")


def batch_norm(a):
    mean = lax.pmean(a.mean(0), "x")
    variance = lax.pmean(((a - mean) ** 2).mean(0), "x")
    return (a - mean) * lax.rsqrt(variance + 1e-5)


def power_iteration(rows, v):
    def turn(s):
        w = lax.all_gather(rows @ s[1], "x", tiled=True)
        w = w / jnp.sqrt(lax.pmean((w * w).sum(), "x"))
        return s[0] + 1, w, jnp.abs(w - s[1]).max()

    return lax.while_loop(lambda s: (s[0] < 10) & (s[2] > 1e-3), turn, (0, v, jnp.float32(1)))[1]


def prefix_sum(a):
    """Sums of all that stands before, in as many steps as there are bits."""
    own, device = jnp.cumsum(a), lax.axis_index("x")
    before = total = own[-1]
    for step in (1, 2, 4):
        brought = lax.ppermute(before, "x", [(i, i + step) for i in range(8 - step)])
        before = before + jnp.where(device >= step, brought, 0)
    return own + before - total


def odd_even_sort(a):
    device = lax.axis_index("x")

    def exchange(i, s):
        odd = i % 2
        up = [(j, j + 1) for j in range(7)]
        low, high = lax.ppermute(s, "x", up), lax.ppermute(s, "x", [(b, a) for a, b in up])
        takes_low = (device % 2) == odd
        both = jnp.sort(jnp.concatenate([s, jnp.where(takes_low, high, low)]))
        alone = jnp.where(takes_low, device == 7, device == 0)
        return jnp.where(alone, s, jnp.where(takes_low, both[:4], both[4:]))

    return lax.fori_loop(0, 8, exchange, jnp.sort(a))


def manual_between(a, b):
    """Wholes, parts, and wholes again."""
    c = jnp.tanh(a @ b)
    d = shard_map(lambda t: lax.psum(t, "x") * 0.1 + t, mesh=m8, in_specs=(X,), out_specs=X)(c)
    return d - d.mean(0)


def two_manual(a):
    """One result goes on as it is divided, the other as it is not."""
    b, c = shard_map(lambda t: (t * 2, t + 1), mesh=m24, in_specs=(XY,), out_specs=(XY, P("y", "x")))(a)
    d = shard_map(lambda s, t: lax.psum(s, "y") + t, mesh=m24, in_specs=(XY, P("x", None)), out_specs=P("x", None))(
        b, a[:, :2]
    )
    return c[:4, :4].repeat(2, 0).repeat(2, 1)[: d.shape[0]] + d.repeat(4, 1)


def shards_of(array, count):
    """What each device has of it: of an argument of pmap a row."""
    if isinstance(array, np.ndarray):
        return [array[i : i + 1] for i in range(count)]
    shards = {shard.device.id: np.asarray(shard.data) for shard in array.addressable_shards}
    return [shards[i] for i in range(count)]


def run(tenon_run, folder, name, function, arguments):
    lowered = function.lower(*arguments)
    compiled = lowered.compile()
    maps_rows = isinstance(arguments[0], np.ndarray)
    count = len(arguments[0]) if maps_rows else len(arguments[0].sharding.mesh.devices.flat)
    text = compiled.as_text()
    (folder / "model.hlo").write_text(text)
    models = ["model.hlo"]
    replicas = "replica_count=" in text.splitlines()[0]
    (folder / "model.mlir").write_text(lowered.as_text())
    models.append("model.mlir")
    leaves = jax.tree.leaves(function(*arguments) if maps_rows else compiled(*arguments))
    words = []
    for i, argument in enumerate(arguments):
        np.save(folder / f"whole{i}.npy", np.asarray(argument))
        for device, shard in enumerate(shards_of(argument, count)):
            np.save(folder / f"in{i}_{device}.npy", shard)
        words.append(str(folder / f"in{i}_%.npy"))
    used = getattr(compiled._executable, "_kept_var_idx", range(len(words)))
    words = [words[i] for i in sorted(used)]
    parts = [shards_of(np.asarray(leaf) if maps_rows else leaf, count) for leaf in leaves]
    runs = [(model, words, ["--input-per-process"], parts) for model in models]
    if not replicas:
        wholes = [word.replace("in", "whole", 1).replace("_%", "") for word in map(os.path.basename, words)]
        wholes = [str(folder / word) for word in wholes]
        runs.append(("model.mlir", wholes, [], [[np.asarray(leaf)] * count for leaf in leaves]))
    for model, given, options, expected in runs:
        command = [tenon_run, "--grid", f"{count}x1" if replicas else f"1x{count}", *options]
        command += ["--time-limit", "60", "--output", str(folder / "out"), str(folder / model), *given]
        done = subprocess.run(command, capture_output=True, text=True)
        problem = compare(folder, expected) if done.returncode == 0 else (done.stdout + done.stderr).strip()[:300]
        if problem:
            return [f"{model}, {'parts' if options else 'wholes'}: {problem}"]
    return []


def compare(folder, leaves):
    worst = 0.0
    for i, shards in enumerate(leaves):
        for device, theirs in enumerate(shards):
            ours = np.load(folder / f"out{device}_{i}.npy")
            if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
                return f"result {i}: {ours.dtype}{ours.shape}, not {theirs.dtype}{theirs.shape}"
            if theirs.dtype != np.float32 and not np.array_equal(ours, theirs):
                return f"result {i} of device {device} differs"
            scale = max(1.0, float(np.abs(theirs).max(initial=0)))
            worst = max(worst, float(np.abs(ours.astype(np.float64) - theirs).max(initial=0)) / scale)
    return f"differs by {worst:.2g}" if worst > 2e-6 else ""


def main():
    tenon_run, wanted = sys.argv[1], sys.argv[2:]
    failed = count = 0
    for name, (function, arguments) in itertools.chain(programs(), more_programs()):
        if wanted and name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            problem = run(tenon_run, pathlib.Path(folder), name, function, arguments)
            if problem and os.environ.get("KEEP"):
                text = (pathlib.Path(folder) / "model.hlo").read_text()
                pathlib.Path(os.environ["KEEP"], name + ".hlo").write_text(text)
        count += 1
        failed += bool(problem)
        print(f"{name}: {'equal' if not problem else '; '.join(problem)}", flush=True)
    print(f"{count - failed} of {count} equal")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
