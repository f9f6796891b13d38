# SPDX-License-Identifier: Apache-2.0
"""python3 tests/torch.py TENON [NAME ...]: models that PyTorch and ONNX exporters wrote, in ../shared/torch beside the
repository, through the command. Prints for each text whether it is equal, refused or different, and its time.

NAME/model.mlir takes NAME/in????.npy in their order; NAME/torchax and NAME/torchmlir are the same model by another exporter,
whose arguments.txt names the files. NAME/model.onnx is read by the command, if its Python has jax and onnx.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: the Python package numpy is missing (pip install numpy)")
    sys.exit()

SAME = 1e-4  # of the largest


def difference(result, wanted):
    if result.shape != wanted.shape:
        return f"shape {result.shape} for {wanted.shape}"
    if result.dtype.kind != wanted.dtype.kind:
        return f"{result.dtype} for {wanted.dtype}"
    if wanted.dtype.kind in "iub":
        return 0.0 if (result.astype("i8") == wanted.astype("i8")).all() else "other integers"
    if not result.size:
        return 0.0
    apart = np.abs(result.astype("c16") - wanted).max() / max(np.abs(wanted).max(), 1e-30)
    return float(apart) if apart < SAME else f"{apart:.1e} of the largest"


def rows(array):
    flat = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array[None]
    return flat[np.lexsort(np.round(flat.astype("f8"), 3).T)]


def texts(folder):
    for kind in ("", "torchax", "torchmlir"):
        text = folder / kind / "model.mlir"
        if text.exists():
            listed = folder / kind / "arguments.txt"
            files = [folder / each for each in listed.read_text().split()] if kind else sorted(folder.glob("in????.npy"))
            yield kind or "text", text, files
    onnx = folder / "model.onnx"
    if onnx.exists():
        python = os.environ.get("TENON_PYTHON", "python3")
        if subprocess.run([python, "-c", "import jax, onnx"], capture_output=True).returncode:
            print(f"{folder.name}, onnx: skipped: {python} lacks the packages jax and onnx")
            return
        shape = re.search(r"argument \d+: tensor<([\dx]*)x\w+> inputs", subprocess.run(
            [tenon, "inspect", onnx], capture_output=True, text=True).stdout)
        wanted = tuple(int(n) for n in shape.group(1).split("x")) if shape else ()
        yield "onnx", onnx, [each for each in sorted(folder.glob("in????.npy")) if np.load(each).shape == wanted][-1:]


def check(name, kind, model, files, wanted):
    with tempfile.TemporaryDirectory() as work:
        seen = subprocess.run([tenon, "run", model, *files, "--threads", "1", "--repeat", "5", "--output", f"{work}/r.npz"],
                              capture_output=True, text=True)
        if seen.returncode:
            print(f"{name}, {kind}: refused: {seen.stderr.strip()[-150:]}")
            return False
        results = np.load(f"{work}/r.npz")
        pairs = [(results[f"result{i}"], np.load(each)) for i, each in enumerate(wanted[: len(results.files)])]
        apart = [difference(*each) for each in pairs]
        # Scores that round alike are sorted either way.
        for i, (result, value) in enumerate(pairs):
            if not isinstance(apart[i], float) and result.shape == value.shape:
                ordered = difference(rows(result), rows(value))
                if isinstance(ordered, float):
                    print(f"{name}, {kind}: result {i} has rows in another order")
                    apart[i] = ordered
    right = len(results.files) == len(wanted) and all(isinstance(each, float) for each in apart)
    time = re.search(r"median ([\d.e+-]+ \w+)", seen.stdout)
    print(f"{name}, {kind}: {'equal' if right else 'DIFFERENT'}, {f'{max(apart):.1e}' if right else apart}, {time.group(1) if time else ''}")
    return right


tenon = sys.argv[1] if len(sys.argv) > 1 else "tenon"
models = pathlib.Path(__file__).resolve().parents[2] / "shared" / "torch"
if not models.is_dir():
    print(f"skipped: there are no models in {models}")
    sys.exit()
wrong = checked = 0
for folder in sorted(each for each in models.iterdir() if (each / "model.mlir").exists()):
    if sys.argv[2:] and folder.name not in sys.argv[2:]:
        continue
    results = sorted(folder.glob("out*.npy"), key=lambda each: int(each.stem[3:]))
    for each in texts(folder):
        checked += 1
        wrong += not check(folder.name, *each, results)
print(f"{checked} checked, {wrong} wrong")
sys.exit(wrong > 0)
