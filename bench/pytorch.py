# SPDX-License-Identifier: Apache-2.0
"""python3 bench/pytorch.py TENON FOLDER [--write] [--build-only | --reuse]: objects of `tenon build` beside PyTorch, onnxruntime and XLA.

Builds libraries in FOLDER unless they are there: of the models in ../shared/torch beside the repository, which exporters wrote
(their modules are not at hand, so PyTorch cannot run them), and of the modules below by way of ONNX. One thread; medians.
--write writes docs/pytorch_performance.md. Needs numpy, jax and onnx; torch, onnxscript and onnxruntime for their columns.
"""
import argparse
import ctypes
import datetime
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

os.environ.update(JAX_PLATFORMS="cpu", OMP_NUM_THREADS="1", TORCHINDUCTOR_COMPILE_THREADS="1", TF_CPP_MIN_LOG_LEVEL="3",
                  XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
import jax
import numpy as np
import onnx

jax.config.update("jax_enable_x64", True)
root = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(root / "examples" / "onnx"))
import to_stablehlo

try:
    import onnxruntime
except ImportError:
    onnxruntime = None
try:
    import torch
except ImportError:
    torch = None

kinds_of_numpy = {"i32": np.int32, "i64": np.int64, "f64": np.float64, "i8": np.int8, "ui8": np.uint8, "i1": np.bool_}
left_out = []
COLUMNS = ["tenon", "PyTorch", "torch.compile", "onnxruntime", "XLA"]


def modules():
    """Modules and inputs by name."""
    nn = torch.nn
    torch.manual_seed(0)
    torch.backends.mha.set_fastpath_enabled(False)
    conv = lambda i, o, stride=1, groups=1: nn.Sequential(
        nn.Conv2d(i, o, 3, stride, 1, groups=groups, bias=False), nn.BatchNorm2d(o), nn.ReLU())
    yield "mlp", nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, 10)), torch.randn(8, 64)
    yield "cnn", nn.Sequential(conv(3, 16, 2), conv(16, 32), nn.MaxPool2d(2), conv(32, 32, 1, 32), nn.Conv2d(32, 64, 1),
                               nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)), torch.randn(1, 3, 64, 64)
    yield "transformer", nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, activation="gelu"), 2,
                                               enable_nested_tensor=False), torch.randn(1, 32, 64)


def median(call):
    """Milliseconds."""
    times, begin = [], time.perf_counter()
    while len(times) < 15 or (time.perf_counter() - begin < 0.4 and len(times) < 500):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times[5:]) * 1e3


def build(tenon, model, base):
    if tenon and not base.with_name(f"lib{base.name}.so").exists():
        done = subprocess.run([tenon, "build", model, "-o", base, "--library", "--python", sys.executable],
                              capture_output=True, text=True)
        if done.returncode:
            print(base.name, done.stderr.strip()[-200:])


def time_built(base, arguments, results):
    path = base.with_name(f"lib{base.name}.so")
    if not path.exists():
        return None
    library = ctypes.CDLL(str(path.resolve()))
    header = base.with_suffix(".h").read_text()
    size = int(re.search(r"_arena_bytes = (\d+)", header).group(1))
    memory = np.zeros(size + 64, np.uint8)
    given = [np.ascontiguousarray(each) for each in arguments]
    kinds = re.findall(r"^ \*   \w+: tensor<(?:\d+x)*(\w+)>", header[header.index(" * Results") :], re.M)
    made = [np.zeros(each.shape, kinds_of_numpy.get(kind, np.float32)) for kind, each in zip(kinds, results)]
    pointers = [ctypes.c_void_p(each.ctypes.data) for each in [*given, *made]]
    pointers.append(ctypes.c_void_p(memory.ctypes.data + -memory.ctypes.data % 64))
    call = library[base.name]
    if call(*pointers) != 0:
        return None
    for one, other in zip(made, results):
        if not np.allclose(np.sort(one.reshape(-1)), np.sort(other.reshape(-1)), rtol=1e-2, atol=1e-3):
            return "different"
    return median(lambda: call(*pointers))


def time_xla(text, arguments):
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir
    import jax.extend.backend
    backend = jax.extend.backend.get_backend()
    with mlir.make_ir_context():
        program = backend.compile_and_load(ir.Module.parse(text), xla_client.DeviceList(tuple(backend.local_devices()[:1])),
                                           xla_client.CompileOptions())
    given = [jax.device_put(each) for each in arguments]
    return median(lambda: jax.block_until_ready(program.execute(given)))


def time_onnxruntime(path, inputs):
    """And the results."""
    how = onnxruntime.SessionOptions()
    how.intra_op_num_threads = how.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), how, providers=["CPUExecutionProvider"])
    given = dict(zip([each.name for each in session.get_inputs()], inputs))
    return median(lambda: session.run(None, given)), session.run(None, given)


def measure(what, function):
    try:
        return function()
    except Exception as why:  # a column that cannot be had
        print(what, type(why).__name__, str(why)[:150])
        return None


def rows(tenon, folder, build_only):
    models = root.parent / "shared" / "torch"
    for each in sorted(models.glob("*/model.mlir") if models.is_dir() else []):
        here, name = each.parent, each.parent.name
        row, results = dict.fromkeys(COLUMNS), [np.load(f) for f in sorted(here.glob("out*.npy"), key=lambda f: int(f.stem[3:]))]
        files, text = sorted(here.glob("in????.npy")), each
        if (here / "torchax").is_dir():
            text, files = here / "torchax" / "model.mlir", [here / f for f in (here / "torchax" / "arguments.txt").read_text().split()]
        arguments, inputs, model = [np.load(f) for f in files], None, text
        if (here / "model.onnx").exists():
            model = here / "model.onnx"
            sizes = tuple(d.dim_value for d in onnx.load(model).graph.input[0].type.tensor_type.shape.dim)
            inputs = [a for a in arguments if a.shape == sizes][-1:]
        build(tenon, model, folder / name)
        if not (folder / f"lib{name}.so").exists():
            left_out.append(name)
        if build_only or name in left_out:
            continue
        row["tenon"] = time_built(folder / name, inputs or arguments, results)
        row["XLA"] = measure(name, lambda: time_xla(text.read_text(), arguments))
        if inputs and onnxruntime:
            row["onnxruntime"] = time_onnxruntime(model, inputs)[0]
        yield name, row
    for name, module, x in modules() if torch else []:
        row, path = dict.fromkeys(COLUMNS), folder / f"own_{name}.onnx"
        module.eval()
        if not path.exists():
            torch.onnx.export(module, (x,), str(path), dynamo=True, external_data=False, verbose=False, report=False)
        build(tenon, path, folder / f"own_{name}")
        if not (folder / f"libown_{name}.so").exists():
            left_out.append(name)
        if build_only or name in left_out:
            continue
        torch.set_num_threads(1)
        with torch.inference_mode():
            results = [module(x).numpy()]
            row["PyTorch"] = median(lambda: module(x))
            compiled = torch.compile(module)
            row["torch.compile"] = measure(name, lambda: (compiled(x), median(lambda: compiled(x)))[1])
        row["tenon"] = time_built(folder / f"own_{name}", [x.numpy()], results)
        if onnxruntime:
            row["onnxruntime"] = time_onnxruntime(path, [x.numpy()])[0]
        text, weights = to_stablehlo.convert(onnx.load(path), {})
        row["XLA"] = measure(name, lambda: time_xla(text, [*weights.values(), x.numpy()]))
        yield f"{name} (module)", row


def shown(value, best):
    return "-" if value is None else value if isinstance(value, str) else f"**{value:.3f}**" if value == best else f"{value:.3f}"


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("tenon")
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--write", action="store_true")
    options.add_argument("--build-only", action="store_true")
    options.add_argument("--reuse", action="store_true", help="build nothing: what is not there is not timed")
    how = options.parse_args()
    lines, load = [], os.getloadavg()[0]
    for name, row in rows(None if how.reuse else how.tenon, how.folder, how.build_only):
        numbers = [each for each in row.values() if isinstance(each, float)]
        lines.append(f"| {name} | " + " | ".join(shown(row[each], min(numbers, default=0)) for each in COLUMNS) + " |")
        print(lines[-1], flush=True)
    processor = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "unknown")
    versions = [f"JAX {jax.__version__}"] + [f"{m.__name__} {m.__version__}" for m in (torch, onnxruntime) if m]
    page = f"""# PyTorch models, beside PyTorch

Generated by `python3 bench/pytorch.py TENON FOLDER --write` on {datetime.date.today()}; do not edit. One core of {processor}, load
{load:.1f} when it began; {', '.join(versions)}. Milliseconds, one thread, medians; the fastest is bold, tenon or not. tenon is a
library of `tenon build` with its usual flags, called from Python; results were compared first.

| model | {' | '.join(COLUMNS)} |
|---|{'--:|' * len(COLUMNS)}
""" + "\n".join(lines) + f"""

- The first models are texts that exporters wrote (by torchax where there is one), with weights as arguments in tenon and XLA; the
  modules of PyTorch that they came from are not at hand, so PyTorch, torch.compile and, without an `.onnx` file, onnxruntime
  could not be had for them.
- Those marked *module* are `modules` in `bench/pytorch.py`, by the [second way](pytorch.md), ONNX; weights are constants for tenon
  and onnxruntime, arguments for XLA.
- Where the load is above 1, other work shared the core and the caches: such times are rough, and ratios better than they.
- Not built, and left out: {', '.join(left_out) or 'none'}.
"""
    if how.write and not how.build_only:
        (root / "docs" / "pytorch_performance.md").write_text(page)
