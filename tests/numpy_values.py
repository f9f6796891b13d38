# SPDX-License-Identifier: Apache-2.0
#
# Computes the expressions of NumPy in tests/numpy/values.cpp: each has the values written there and a type of this
# kind, or gives what "differs" says.
import math
import pathlib
import re
import sys
import warnings

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy")
    sys.exit(0)

warnings.simplefilter("ignore")
names = {
    "np": np,
    "b": np.array([1, 0, 1, 1], bool),
    "u": np.array([250, 7, 0, 255], np.uint8),
    "i": np.array([-7, 7, -1, 0], np.int32),
    "d": np.array([2, -2, 3, 5], np.int32),
    "f": np.array([3, np.nan, -1, np.inf], np.float32),
    "h": np.array([60000] * 4, np.float16),
    "positions": np.array([-1, -4, 1], np.int8),
    "m": np.array([[2, -2], [1, 1]], np.float32),
    "definite": np.array([[4, -2], [-2, 5]], np.float32),
    "indefinite": np.array([[1, 2], [2, 1]], np.float32),
    "singular": np.array([[1, 2], [2, 4]], np.float32),
    "broken": np.array([[np.nan, 0], [0, 1]], np.float32),
}


def numbers(text):
    return [float(each) for each in text.replace("infinity", "inf").replace("no_number", "nan").split(",")]


def same(some, others):
    return len(some) == len(others) and all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(some, others))


wrong = rows = 0
source = pathlib.Path(__file__).parent / "numpy" / "values.cpp"
row = r"CHECK\(\s*gives<(\w+)>\((?:(?!CHECK).)*?\{([^{}]*)\}\)\);\s*// ([^\n]*?)(?: differs: ([^\n]*))?\n"
for each in re.finditer(row, source.read_text(), re.DOTALL):
    rows += 1
    element, values, expression, other = each.groups()
    try:
        result = np.asarray(eval(expression, names))
        found, kind = [float(each) for each in result.flatten()], result.dtype.kind
    except (IndexError, ValueError) as error:
        found, kind = type(error).__name__, None
    if other is None:
        holds = kind == {"b": "b", "i": "i", "u": "u", "f": "f"}[element[0]] and same(found, numbers(values))
    else:
        holds = found == other if kind is None else same(found, numbers(other)) and not same(found, numbers(values))
    if not holds:
        wrong += 1
        print(f"{expression}: NumPy {np.__version__} gives {found}, a type of kind {kind}")
print(f"{rows} rows, {wrong} not as NumPy has it")
sys.exit(wrong > 0 or rows < 60)
