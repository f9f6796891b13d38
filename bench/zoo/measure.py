#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""measure.py FOLDER [--write] [--iree] [--reuse] [PROGRAM...]

Exports the programs of programs.py to FOLDER, compiles each with tenon, checks its results against JAX, and times it beside XLA
(and IREE) on one core. --write writes docs/performance.md and its chart.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
CORE = int(os.environ.get("CORE", "0"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))
SECONDS = float(os.environ.get("SECONDS", "0.15"))
CXX = os.environ.get("CXX", "g++")
FLAGS = ["-std=c++20", "-O3", "-march=native", "-DNDEBUG"]

os.sched_setaffinity(0, {CORE})

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from programs import PROGRAMS

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def processor_time(run, seconds):
    """Microseconds of processor time of a run."""
    some, spent = 1, 0.0
    while True:
        begin = time.process_time()
        for _ in range(some):
            run()
        spent = time.process_time() - begin
        if spent >= seconds:
            return spent / some * 1e6
        some *= 2


class xla_program:
    """A function called from Python, and called in a loop of XLA's own, where each iteration waits for the one before."""

    def __init__(self, f, arguments):
        self.arguments = jax.tree.map(jnp.asarray, arguments)
        begin = time.process_time()
        self.function = jax.jit(f, keep_unused=True).lower(*self.arguments).compile()
        self.compile_seconds = time.process_time() - begin
        self.results = [np.asarray(each) for each in jax.tree.leaves(self.function(*self.arguments))]

        def loop(count, arguments):
            # Each iteration depends on the one before, or XLA would hoist all but one.
            def body(_, state):
                token, _ = state
                given, token = lax.optimization_barrier((arguments, token))
                results = f(*given)
                first = jnp.real(jax.tree.leaves(results)[0].ravel()[0]).astype(jnp.float32)
                return token * 0.5 + first, results

            start = jax.tree.map(lambda each: jnp.zeros(each.shape, each.dtype), jax.eval_shape(f, *arguments))
            return lax.fori_loop(0, count, body, (jnp.float32(0), start))

        self.loop = jax.jit(loop)
        jax.block_until_ready(self.loop(1, self.arguments))

    def microseconds(self):
        call = processor_time(lambda: jax.block_until_ready(self.function(*self.arguments)), SECONDS)
        turns = max(2, int(20000 / call))
        return min(call, processor_time(lambda: jax.block_until_ready(self.loop(turns, self.arguments)), SECONDS) / turns)


class tenon_program:
    def __init__(self, folder, count, reuse, more_flags=()):
        text, wrapped, self.binary = folder / "model.mlir", folder / "model.mlir.inc", folder / "model"
        self.prefix, self.inputs = folder / "tenon", [folder / f"in{i}.npy" for i in range(count)]
        spent = folder / "compile_seconds"
        if reuse and spent.exists():
            self.compile_seconds = float(spent.read_text())
            return
        subprocess.run(["cmake", f"-DINPUT={text}", f"-DOUTPUT={wrapped}", "-P", ROOT / "cmake/tenon_add_program.cmake"], check=True)
        command = [CXX, *FLAGS, *more_flags, f'-DMODEL="{wrapped}"', f"-I{ROOT / 'include'}", "-isystem", "/usr/include/eigen3", HERE / "driver.cpp", "-o", self.binary]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr[:2000])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.compile_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        spent.write_text(str(self.compile_seconds))

    def microseconds(self):
        done = subprocess.run([self.binary, self.prefix, str(SECONDS), *self.inputs], capture_output=True, text=True, check=True)
        return float(done.stdout)

    def results(self, count):
        return [np.load(f"{self.prefix}{i}.npy") for i in range(count)]


class iree_program:
    def __init__(self, folder, count):
        self.module, self.inputs = folder / "model.vmfb", [f"--input=@{folder / f'in{i}.npy'}" for i in range(count)]
        subprocess.run(["iree-compile", folder / "model.mlir", "--iree-input-type=stablehlo", "--iree-hal-target-device=local",
                        "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3",
                        "-o", self.module], check=True, capture_output=True)  # fmt: skip

    def microseconds(self):
        done = subprocess.run(["iree-benchmark-module", "--device=local-sync", f"--module={self.module}", "--function=main",
                               "--benchmark_format=json", *self.inputs], capture_output=True, text=True, check=True)  # fmt: skip
        found = json.loads(done.stdout)["benchmarks"][0]
        return found["cpu_time"] * {"ns": 1e-3, "us": 1, "ms": 1e3}[found["time_unit"]]


def is_close(found, wanted):
    if found.dtype != wanted.dtype or found.shape != wanted.shape:
        return False
    if wanted.dtype.kind not in "fc":
        return np.mean(found != wanted) <= 1e-3  # what is rounded, or iterated, may fall to either side
    return np.allclose(found, wanted, rtol=2e-3, atol=2e-3 * max(1e-3, float(np.max(np.abs(wanted), initial=0))), equal_nan=True)


def measure(name, folder, with_iree, reuse):
    f, arguments = PROGRAMS[name]()
    folder.mkdir(parents=True, exist_ok=True)
    leaves = [np.asarray(each) for each in jax.tree.leaves(arguments)]
    for i, leaf in enumerate(leaves):
        np.save(folder / f"in{i}.npy", leaf)
    (folder / "model.mlir").write_text(jax.jit(f, keep_unused=True).lower(*arguments).as_text())
    xla, tenon = xla_program(f, arguments), tenon_program(folder, len(leaves), reuse)
    programs = dict(xla=xla, tenon=tenon)
    if with_iree:
        try:
            programs["iree"] = iree_program(folder, len(leaves))
        except subprocess.CalledProcessError:
            pass
    rounds = [{who: each.microseconds() for who, each in programs.items()} for _ in range(ROUNDS)]
    row = {who: statistics.median(r[who] for r in rounds) for who in programs}
    for i, (found, wanted) in enumerate(zip(tenon.results(len(xla.results)), xla.results)):
        if not is_close(found, wanted):
            raise RuntimeError(f"result {i} differs from JAX's")
    row["ratio"] = statistics.median(r["xla"] / r["tenon"] for r in rounds)
    row.update(xla_compiles=xla.compile_seconds, tenon_compiles=tenon.compile_seconds)
    return row


def time_text(us):
    return f"{us / 1000:.3g} ms" if us >= 1000 else f"{us:.3g} us"


def mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def processor_name():
    found = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return found.group(1) if found else platform.machine()


def chart(rows):
    """Bars that begin at 1, to the right where tenon is faster, on a scale of logarithms."""
    width, line, left, one = 760, 20, 190, 430
    height = line * len(rows) + 54
    most = max(2.0, *(max(r["ratio"], 1 / r["ratio"]) for r in rows.values()))
    scale = min((width - one - 60) / math.log(most), (one - left - 50) / math.log(most))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="#fff"/>',
           f'<text x="{one}" y="18" text-anchor="middle" fill="#222">time of XLA / time of tenon, one core (right: tenon is faster)</text>']  # fmt: skip
    for i, (name, row) in enumerate(sorted(rows.items(), key=lambda item: -item[1]["ratio"])):
        y, ratio = 30 + i * line, row["ratio"]
        length = abs(math.log(ratio)) * scale
        x = one if ratio >= 1 else one - length
        out.append(f'<text x="{left - 8}" y="{y + 13}" text-anchor="end" fill="#222">{name.replace("_", " ")}</text>')
        out.append(f'<rect x="{x:.1f}" y="{y + 2}" width="{length:.1f}" height="{line - 5}" fill="{"#2a7f62" if ratio >= 1 else "#c2552d"}"/>')
        beside, anchor = (x + length + 5, "start") if ratio >= 1 else (x - 5, "end")
        out.append(f'<text x="{beside:.1f}" y="{y + 13}" text-anchor="{anchor}" fill="#222">{ratio:.2f}</text>')
    out.append(f'<line x1="{one}" y1="26" x2="{one}" y2="{height - 20}" stroke="#222"/></svg>')
    return "\n".join(out) + "\n"


def page(rows, failed, with_iree):
    ratios = [row["ratio"] for row in rows.values()]
    compiler = subprocess.run([CXX, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    lines = [
        "# Performance", "",
        f"Whole programs as JAX users write them ([programs.py](../bench/zoo/programs.py)), beside XLA{' and IREE' if with_iree else ''}"
        " on one core. Losses are shown as plainly as wins.", "",
        "![Time of XLA divided by the time of tenon, for each program](performance.svg)", "",
        f"Generated by `bench/zoo.sh --write` on {datetime.date.today()}; do not edit. One core of {processor_name()}, which other work may have"
        f" shared; {compiler}, `{' '.join(FLAGS[1:3])}`; JAX {jax.__version__}. Medians of processor time over {ROUNDS} rounds, in each of which"
        " the programs of a row follow each other; results were found equal first. XLA's time is the smaller of a call from Python and of an"
        " iteration of a loop of its own, in which nothing is called. Below 1, in bold below 0.95, tenon is slower.", "",
        f"Over {len(rows)} programs the geometric mean of XLA / tenon is **{mean(ratios):.2f}**; tenon is faster in"
        f" {sum(r >= 1 for r in ratios)} of them, and at least 0.8 times as fast in {sum(r >= 0.8 for r in ratios)}."
        " Rows of single ops: [performance_of_ops.md](performance_of_ops.md).", "",
        "| program | tenon | XLA | XLA / tenon |" + (" IREE | IREE / tenon |" if with_iree else "") + " tenon compiles in | XLA compiles in |",
        "|---|--:|--:|--:|" + ("--:|--:|" if with_iree else "") + "--:|--:|"]  # fmt: skip
    for name, row in sorted(rows.items(), key=lambda item: -item[1]["ratio"]):
        ratio = lambda r: f"{r:.2f}" if r >= 0.95 else f"**{r:.2f}**"
        iree = f" {time_text(row['iree'])} | {ratio(row['iree'] / row['tenon'])} |" if "iree" in row else " | |" if with_iree else ""
        lines.append(f"| {name} | {time_text(row['tenon'])} | {time_text(row['xla'])} | {ratio(row['ratio'])} |{iree}"
                     f" {row['tenon_compiles']:.1f} s | {row['xla_compiles']:.2f} s |")  # fmt: skip
    if failed:
        lines += ["", "Not measured: " + ", ".join(sorted(failed)) + "."]
    return "\n".join(lines) + "\n"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--write", action="store_true")
    options.add_argument("--iree", action="store_true")
    options.add_argument("--reuse", action="store_true", help="times what an earlier run compiled")
    options.add_argument("names", nargs="*", metavar="PROGRAM")
    given = options.parse_args()
    if given.iree and not shutil.which("iree-compile"):
        return print("iree-compile is not there: pip install iree-base-compiler iree-base-runtime") or 1
    rows, failed = {}, []
    for name in given.names or PROGRAMS:
        try:
            rows[name] = measure(name, given.folder.resolve() / name, given.iree, given.reuse)
            print(f"{name:24} tenon {time_text(rows[name]['tenon']):>9}  XLA {time_text(rows[name]['xla']):>9}  {rows[name]['ratio']:.2f}"
                  f"  compiles in {rows[name]['tenon_compiles']:.1f} s", flush=True)  # fmt: skip
        except (RuntimeError, subprocess.CalledProcessError) as error:
            failed.append(name)
            print(f"{name:24} {error}", flush=True)
    if rows:
        print(f"geometric mean of XLA / tenon over {len(rows)} programs: {mean([r['ratio'] for r in rows.values()]):.2f}")
    if given.write and rows:
        (ROOT / "docs/performance.md").write_text(page(rows, failed, given.iree))
        (ROOT / "docs/performance.svg").write_text(chart(rows))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
