#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# from_tflite.sh TENON-RUN: models of TensorFlow Lite through examples/firmware/from_tflite.py, with weights as constants
# and as arguments: results are within one step of the quantization of those that TensorFlow Lite gave.
set -euo pipefail
run=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
models=$root/../shared/tiny
if [ ! -d "$models" ]; then
  echo "skipped: there are no models in $models"
  exit 0
fi
if ! python3 -c 'import numpy, tflite' 2>/dev/null; then
  echo "skipped: the Python packages numpy and tflite are missing (pip install numpy tflite)"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$run" "$root/examples/firmware/from_tflite.py" "$models" "$work" <<'CODE'
import pathlib, re, subprocess, sys
import numpy as np

run, importer, models, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
for model in sorted(models.glob("*.tflite")):
    inputs, outputs = (np.load(model.with_suffix(f".{kind}.npy")) for kind in ("inputs", "outputs"))
    for weights in ([], ["--weights", work / "weights.npz"]):
        text = work / "model.mlir"
        subprocess.run([sys.executable, importer, model, text, *weights], check=True)
        shape = [int(n) for n in re.search(r"tensor<((?:\d+x)+)!quant\.uniform", text.read_text()).group(1)[:-1].split("x")]
        worst, classes = 0, 0
        cases = range(len(inputs)) if not weights else range(1)
        for i in cases:
            np.save(work / "input.npy", inputs[i].reshape(shape))
            subprocess.run([run, text, work / "input.npy", *weights[1:], "--output", work / "result"], check=True,
                           stdout=subprocess.DEVNULL)
            result = np.load(work / "result0.npy").reshape(-1)
            assert result.dtype == outputs.dtype, result.dtype
            expected = outputs[i].reshape(-1)
            worst = max(worst, int(np.abs(result.astype(int) - expected.astype(int)).max()))
            classes += int(result.argmax() == expected.argmax())
        print(f"{model.stem}: {classes} of {len(cases)} classes, {worst} steps apart at most")
        if worst > 1 or classes != len(cases):
            sys.exit(1)
CODE
