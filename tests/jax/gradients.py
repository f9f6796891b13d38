#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gradients.py TENON_RUN [--programs FILE.py] [--page PAGE.md] [--keep FOLDER] [--only WORD] [--text]

Differentiates programs as a JAX user writes them: those of tests/jax/one_liners.py and bench/zoo, and of files whose
PROGRAMS say how each is made. The loss is a weighted sum of the results that are floats. JAX exports the text of the loss;
`tenon-run --grad` gives its value and gradients by all arguments that are floats, which are compared with JAX's. --text also
runs the text that --emit-grad prints, in XLA. Needs the packages jax, jaxlib, ml_dtypes and numpy. Exit code 1 where fewer
than 95 % of the programs that JAX can differentiate agree.
"""

import argparse
import datetime
import importlib.util
import pathlib
import signal
import subprocess
import sys
import tempfile

import one_liners  # Sets what JAX reads when it is imported.

import jax
import jax.numpy as jnp
import numpy as np
from jax.dtypes import issubdtype

BENCH = pathlib.Path(__file__).parents[2] / "bench" / "zoo" / "programs.py"


def is_real(value):
    return issubdtype(np.asarray(value).dtype, np.floating)


def loss_of(function):
    """A weighted sum of all floats that a function gives."""

    def loss(*values):
        total = jnp.float32(0)
        for leaf in map(jnp.asarray, jax.tree.leaves(function(*values))):
            if issubdtype(leaf.dtype, np.inexact):
                parts = [jnp.real(leaf), jnp.imag(leaf)] if issubdtype(leaf.dtype, np.complexfloating) else [leaf]
                for part in parts:
                    weights = jnp.cos(jnp.arange(part.size, dtype=jnp.float32)).reshape(part.shape)
                    total = total + jnp.sum(part.astype(jnp.float64 if part.dtype == np.float64 else jnp.float32) * weights)
        return total

    return loss


class cannot(Exception):
    """What JAX itself cannot differentiate."""


def module_of(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def programs(files):
    """Group, name, and what gives a function and its arguments."""
    for group, lines in one_liners.PROGRAMS.items():
        if group in ("shardings", "symbolic shapes"):
            continue
        for line in filter(None, map(str.strip, lines.splitlines())):
            each = one_liners.program(group, line)
            yield group, each.line, lambda each=each: (each.function, [one_liners.INPUTS[name] for name in each.arguments])
    for path in files:
        module = module_of(path)
        for name, made in module.PROGRAMS.items():
            # An entry is what makes a program, or says so and which numbers it wants.
            make = made["make"] if isinstance(made, dict) else made
            wide = isinstance(made, dict) and made.get("x64", False)

            def build(make=make, wide=wide):
                jax.config.update("jax_enable_x64", wide)
                return make()

            yield f"whole programs: {path.parent.name}", name, build


def export(build):
    """The text of the loss, its arguments, which of them are differentiated by, and what JAX computes."""
    try:
        function, given = build()
        leaves, tree = jax.tree.flatten(given)
        leaves = [jnp.asarray(leaf) for leaf in leaves]
        by = [i for i, leaf in enumerate(leaves) if is_real(leaf)]
        if not by:
            raise cannot("no argument is a float")
        loss = loss_of(lambda *values: function(*jax.tree.unflatten(tree, values)))
        jitted = jax.jit(loss, keep_unused=True)
        text = jitted.lower(*leaves).as_text()
        if jax.eval_shape(loss, *leaves).shape != () or "dense<0.0" in text and text.count("stablehlo.") <= 2:
            raise cannot("no result is a float")
        value, gradients = jax.jit(jax.value_and_grad(loss, by))(*leaves)
        return text, leaves, by, [value, *gradients]
    except cannot:
        raise
    except Exception as error:
        raise cannot(f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}") from error


def difference(got, want, least):
    message = one_liners.difference(got, want)
    if not message.startswith("differs by"):
        return message
    # Sums of many terms in other orders: beside the norm.
    wide = np.float64
    most = np.max(np.abs(got.astype(wide) - want.astype(wide)))
    scale = max(np.max(np.abs(want.astype(wide)), initial=0), 1.0)
    tolerance = max(2e-4 if want.dtype.itemsize == 4 else 1e-10, one_liners.TOLERANCE[str(want.dtype)], least)
    return message if most > tolerance * scale else ""


def in_xla(text, values):
    from jax._src import xla_bridge
    from jax._src.lib import xla_client

    backend = xla_bridge.get_backend("cpu")
    devices = xla_client.DeviceList(tuple(backend.local_devices()[:1]))
    compiled = backend.compile_and_load(text, devices, xla_client.CompileOptions())
    return [np.asarray(result) for result in compiled.execute([jax.device_put(value) for value in values])]


def compare(got, want, what, least):
    for place, (found, wanted) in enumerate(zip(got, want, strict=True)):
        if message := difference(found, np.asarray(wanted), least):
            return f"{what} {place}: {message}" if place else f"{what}, value: {message}"
    return ""


def run(tenon_run, name, build, folder, with_text):
    text, values, by, wanted = export(build)
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / "model.mlir"
    model.write_text(f"// {name}\n{text}")
    files = [folder / f"in{i}.npy" for i in range(len(values))]
    for path, value in zip(files, values):
        np.save(path, value)
    least = max(one_liners.TOLERANCE.get(str(values[i].dtype), 5e-5) for i in by)
    if any(value.dtype == np.float64 for value in values):
        least = 0
    by_words = ",".join(map(str, by))
    for path in folder.glob("result*.npy"):
        path.unlink()
    words = [tenon_run, "--grad", by_words, "--output", folder / "result", model, *files]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=100)
        if done.returncode != 0:
            return (done.stderr.strip() or str(done.returncode)).replace(f"{folder}/", "")
        got = [np.load(folder / f"result{i}.npy") for i in range(len(by) + 1)]
        if message := compare(got, wanted, "gradient", least):
            return message
        # XLA calls back into Python by an address that only JAX can give.
        if with_text and "callback" not in text:
            printed = subprocess.run([tenon_run, "--grad", by_words, "--emit-grad", model], capture_output=True, text=True, timeout=100)
            try:
                return compare(in_xla(printed.stdout, values), wanted, "printed text in XLA, gradient", least)
            except Exception as error:
                return f"printed text: {str(error).splitlines()[0]}"
    except subprocess.TimeoutExpired:
        return "did not end within 100 s"
    return ""


def page_of(results, left_out, command):
    groups = {}
    for group, name, message in results:
        groups.setdefault(group, []).append((name, message))
    passed = sum(not message for _, _, message in results)
    lines = [
        "# Gradients beside JAX",
        "",
        f"Gradients of {passed} of {len(results)} programs agree with those of JAX {jax.__version__} on a CPU, by all arguments that",
        "are floats: the loss is a weighted sum of the results, `tenon-run --grad` differentiates its text, and all elements are",
        f"compared. {left_out} more programs have no float to differentiate by, or JAX cannot differentiate them.",
        f"Written by `{command}`, {datetime.date.today()}.",
        "",
        "| programs | differentiated | agree |",
        "|---|--:|--:|",
    ]
    for group, members in groups.items():
        lines.append(f"| {group} | {len(members)} | {sum(not message for _, message in members)} |")
    if passed < len(results):
        lines += [
            "",
            "Others: a text has lost the rules that JAX has for functions (`stop_gradient`, `ldexp`, `expi`, `hyp1f1`), and `cholesky`",
            "of a matrix that is not made symmetric first is differentiated by the triangle that is read. In `resnet_block` an activation is",
            "within rounding of 0, where `relu` has another slope; in f64 it agrees to 3e-8.",
            "",
            "| program | result |",
            "|---|---|",
        ]
        for _, name, message in results:
            if message:
                cells = name.replace("|", "\\|"), message.splitlines()[0].replace("|", "\\|")
                lines.append(f"| `{cells[0]}` | {cells[1]} |")
    return "\n".join(lines) + "\n"


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("tenon_run", type=pathlib.Path)
    words.add_argument("--programs", type=pathlib.Path, action="append", default=[])
    words.add_argument("--page", type=pathlib.Path)
    words.add_argument("--keep", type=pathlib.Path)
    words.add_argument("--only", default="")
    words.add_argument("--text", action="store_true")
    words.add_argument("--seconds", type=int, default=120, help="for JAX to export one program")
    chosen = words.parse_args()
    temporary = tempfile.TemporaryDirectory()
    folder = chosen.keep or pathlib.Path(temporary.name)

    def too_long(*_):
        raise cannot("JAX took too long")

    signal.signal(signal.SIGALRM, too_long)
    results, left_out = [], 0
    for number, (group, name, build) in enumerate(programs([BENCH, *chosen.programs])):
        if chosen.only not in group and chosen.only not in name:
            continue
        try:
            signal.alarm(chosen.seconds)
            message = run(chosen.tenon_run.absolute(), name, build, folder / str(number), chosen.text)
            results.append((group, name, message))
            if message:
                print(f"{number}: {name}\n    {message}", flush=True)
        except cannot as error:
            left_out += 1
            print(f"{number}: {name}: left out: {error}", flush=True)
        finally:
            signal.alarm(0)
    passed = sum(not message for _, _, message in results)
    print(f"{passed} passed, {len(results) - passed} failed, {left_out} left out")
    if chosen.page:
        files = " ".join(f"--programs {path.name}" for path in chosen.programs)
        chosen.page.write_text(page_of(results, left_out, f"tests/jax/gradients.py tenon-run {files}".strip()))
    return 0 if passed >= 0.95 * len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
