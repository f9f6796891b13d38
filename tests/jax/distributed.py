# SPDX-License-Identifier: Apache-2.0
"""distributed.py TENON_RUN [NAME...]: programs of 2 to 8 devices, as JAX partitions them, on a grid of processes.

Each program is what one device runs, which XLA prints as HLO; of pmap, where it makes replicas (as in JAX 0.4), the
StableHLO that JAX exports as well. Its inputs are the shards of that device, and its results have to be the shards of
JAX's result, to the bound of a float32 that was added up in another order.

    pip install jax numpy
    python tests/jax/distributed.py build/gcc/examples/tenon-run
"""

import os

os.environ["XLA_FLAGS"] = (
    os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
)
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import functools
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
    if replicas:
        (folder / "model.mlir").write_text(lowered.as_text())
        models.append("model.mlir")
    leaves = jax.tree.leaves(function(*arguments) if maps_rows else compiled(*arguments))
    words = []
    for i, argument in enumerate(arguments):
        for device, shard in enumerate(shards_of(argument, count)):
            np.save(folder / f"in{i}_{device}.npy", shard)
        words.append(str(folder / f"in{i}_%.npy"))
    used = getattr(compiled._executable, "_kept_var_idx", range(len(words)))
    words = [words[i] for i in sorted(used)]
    for model in models:
        command = [tenon_run, "--grid", f"{count}x1" if replicas else f"1x{count}", "--input-per-process"]
        command += ["--time-limit", "60", "--output", str(folder / "out"), str(folder / model), *words]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return (done.stdout + done.stderr).strip().splitlines()[:2]
        problem = compare(folder, [shards_of(np.asarray(leaf) if maps_rows else leaf, count) for leaf in leaves])
        if problem:
            return [f"{model}: {problem}"]
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
    for name, (function, arguments) in programs():
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
