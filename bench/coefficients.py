# SPDX-License-Identifier: Apache-2.0
"""Derives the polynomial coefficients of include/tenon/math: python3 bench/coefficients.py (needs mpmath).

Each polynomial minimises the largest weighted error (least squares, reweighted). The coefficients are rounded one after the other,
lowest power first, and the remaining ones fitted again, so that they make good the rounding of the earlier ones.
"""

import sys

from mpmath import mp, mpf, matrix, lu_solve

mp.prec = 300
PRECISION = {"float": 24, "double": 53}


def rounded(value, bits):
    with mp.workprec(bits):
        return +value


def minimax(function, weight, low, high, powers):
    """Coefficients c with function(x) ~ sum c[i] * x**powers[i]: least squares, reweighted towards the largest errors."""
    n = len(powers)
    count = 24 * n
    points = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    rows = [[weight(x) * x**power for power in powers] for x in points]
    right = [weight(x) * function(x) for x in points]
    stress = [mpf(1) / count] * count
    best = None
    for _ in range(30):
        normal, target = matrix(n, n), matrix(n, 1)
        for row, r, s in zip(rows, right, stress):
            for i in range(n):
                target[i] += s * row[i] * r
                for j in range(i, n):
                    normal[i, j] += s * row[i] * row[j]
        for i in range(n):
            for j in range(i):
                normal[i, j] = normal[j, i]
        c = list(lu_solve(normal, target))
        errors = [abs(r - mp.fdot(c, row)) for row, r in zip(rows, right)]
        if best is None or max(errors) < best[0]:
            best = (max(errors), c)
        stress = [s * error for s, error in zip(stress, errors)]
        total = mp.fsum(stress)
        if total == 0:
            break
        stress = [s / total for s in stress]
    return best[1]


def fit(function, weight, low, high, powers, bits, exact=()):
    """Like minimax, with coefficients of `bits` bits; `exact` gives the first ones."""
    fixed = list(exact)
    while len(fixed) < len(powers):
        done = len(fixed)

        def remaining(x):
            return function(x) - sum(ci * x**p for ci, p in zip(fixed, powers))

        fixed.append(rounded(minimax(remaining, weight, mpf(low), mpf(high), powers[done:])[0], bits))
    largest = max(
        abs(weight(x) * (function(x) - sum(ci * x**p for ci, p in zip(fixed, powers))))
        for x in [mpf(low) + (mpf(high) - mpf(low)) * i / 500 for i in range(1, 500)]
    )
    return fixed, largest


def text(value, kind):
    if value == 0:
        return "0.0" + ("f" if kind == "float" else "")
    mantissa, exponent = mp.frexp(value)
    with mp.workprec(300):
        scaled = int(abs(mantissa) * 2 ** (1 + 52))
    digits = f"{scaled & (2**52 - 1):013x}".rstrip("0")
    sign = "-" if value < 0 else ""
    return f"{sign}0x1{'.' + digits if digits else ''}p{int(exponent) - 1}" + ("f" if kind == "float" else "")


def show(name, kind, function, weight, low, high, powers, exact=()):
    if len(sys.argv) > 1 and not name.startswith(sys.argv[1]):
        return
    c, error = fit(function, weight, low, high, powers, PRECISION[kind], exact)
    print(f"{name} {kind}: error 2^{mp.nstr(mp.log(error, 2), 4)}\n  " + ", ".join(text(ci, kind) for ci in c))


def series(coefficient, first, x, terms=120):
    """sum of coefficient(k) * x**(k - first) from k = first on."""
    return mp.fsum(coefficient(k) * x ** (k - first) for k in range(first, first + terms))


def main():
    ln2 = mp.log(2)
    # (e^r - 1 - r) / r^2, relative to e^r - 1 ~ r
    for kind, degree in (("float", 5), ("double", 10)):
        show("exponential", kind, lambda r: series(lambda k: 1 / mp.factorial(k), 2, r), lambda r: max(abs(r), mpf("1e-9")),
             -ln2 / 2 * 1.001, ln2 / 2 * 1.001, list(range(degree + 1)))
    # (log((1 + s) / (1 - s)) - 2s) / s^3 in s^2, relative to 2s
    largest = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2
    for kind, degree in (("float", 2), ("float", 3), ("double", 6)):
        show("log", kind, lambda z: 2 * series(lambda k: mpf(1) / (2 * k + 1), 1, z), lambda z: max(z, mpf("1e-6")),
             mpf(0), largest * 1.001, list(range(degree + 1)))

    small = mpf("1e-9")
    # (sin(r) - r) / r^3 in r^2, relative to r; (cos(r) - 1 + r^2 / 2) / r^4 in r^2, absolute
    square = (mp.pi / 4) ** 2 * mpf("1.001")
    for kind, count in (("float", 3), ("double", 6)):
        show("sine", kind, lambda z: series(lambda k: (-1) ** k / mp.factorial(2 * k + 1), 1, z), lambda z: max(z, small),
             mpf(0), square, list(range(count)))
        show("cosine", kind, lambda z: series(lambda k: (-1) ** k / mp.factorial(2 * k), 2, z), lambda z: max(z * z, small),
             mpf(0), square, list(range(count)))
    # (atan(q) - q) / q^3 in q^2, relative to q
    square = mp.tan(mp.pi / 8) ** 2 * mpf("1.001")
    for kind, count in (("float", 5), ("double", 11)):
        show("arctangent", kind, lambda z: series(lambda k: mpf((-1) ** k) / (2 * k + 1), 1, z), lambda z: max(z, small),
             mpf(0), square, list(range(count)))

    # cube root, relative; only a first guess
    third = mpf(1) / 3
    for kind, count in (("float", 7), ("double", 5)):
        show("cube_root", kind, lambda x: x**third, lambda x: x**-third, mp.sqrt(0.125) * mpf("0.999"), mp.sqrt(8) * mpf("1.001"),
             list(range(count)))

    # (log((1 + s) / (1 - s)) - 2 s - 2 s^3 / 3 - 2 s^5 / 5) / s^7 in s^2, relative to 2 s
    for kind, count in (("float", 2), ("double", 7)):
        show("power", kind, lambda z: 2 * series(lambda k: mpf(1) / (2 * k + 1), 3, z), lambda z: max(z**3 / 2, mpf("1e-15")),
             mpf(0), largest * mpf("1.001"), list(range(count)))


if __name__ == "__main__":
    main()
