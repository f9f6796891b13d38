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


def interpolate(name, function, low, high, degree, center=0):
    """Shows the polynomial in x - center through the function at the Chebyshev points of low ... high, in f64."""
    if len(sys.argv) > 1 and not name.startswith(sys.argv[1]):
        return
    low, high = mpf(low), mpf(high)
    n = degree + 1
    points = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    differences = [function(x) for x in points]
    for j in range(1, n):
        for i in range(n - 1, j - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / (points[i] - points[i - j])
    c = [mpf(0)]
    for x, difference in zip(reversed(points), reversed(differences)):
        shifted = [mpf(0)] + c
        for k, ck in enumerate(c):
            shifted[k] -= ck * (x - center)
        shifted[0] += difference
        c = shifted
    c = [rounded(ck, 53) for ck in c[:n]]
    at = [low + (high - low) * (i + mpf(1) / 3) / 400 for i in range(400)]
    error = max(abs(mp.polyval(c[::-1], x - center) / function(x) - 1) for x in at)
    print(f"{name}: error 2^{mp.nstr(mp.log(error, 2), 4)}\n  " + ", ".join(text(ck, "double") for ck in c))


def in_square(function, skipped=0):
    """function(x) / x in z = x^2, and that less `skipped`, divided by z."""

    def value(z):
        x = mp.sqrt(max(z, mpf("1e-30")))
        return function(x) / x if skipped == 0 else (function(x) / x - skipped) / (x * x)

    return value


def inverse_error(w):
    """erf_inv(x) / x in w = -log(1 - x^2)."""
    if w < mpf("1e-40"):
        return mp.sqrt(mp.pi) / 2
    x = mp.sqrt(-mp.expm1(-w))
    rest = 1 - x if w < 1 else mp.exp(-w) / (1 + x)
    y = mp.sqrt(w) * mpf("0.9") if w < 5 else mp.sqrt(w - mp.log(mp.sqrt(mp.pi * w)))
    for _ in range(12):
        y += mp.log(mp.erfc(y) / rest) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y) * mp.erfc(y)
    return y / x


def through_points():
    """What is computed in f64: for f32, with 30 to 40 bits, and for f64."""
    half = mp.log(2) / 2 * mpf("1.001")
    interpolate("short_exponential", mp.exp, -half, half, 7)
    interpolate("short_logarithm", lambda f: mp.log1p(f) / f, mp.sqrt(mpf(1) / 2) - 1, mp.sqrt(mpf(2)) - 1, 11)
    interpolate("power_logarithm", lambda f: mp.log1p(f) / f, mp.sqrt(mpf(1) / 2) - 1, mp.sqrt(mpf(2)) - 1, 14)
    interpolate("short_sine", in_square(mp.sin), 0, "0.6175", 4)
    interpolate("short_cosine", lambda z: mp.cos(mp.sqrt(z)), 0, "0.6175", 5)
    interpolate("short_angle", in_square(mp.atan), 0, 1, 12)
    interpolate("erf", in_square(mp.erf), 0, "15.4", 19)
    scaled = lambda t: mp.exp((3 * (1 + t) / (1 - t)) ** 2) * mp.erfc(3 * (1 + t) / (1 - t))
    interpolate("erfc for f32", scaled, -1, mpf("7.5") / mpf("13.5"), 12)
    interpolate("erfc", lambda t: scaled(t) * (1 + 6 * (1 + t) / (1 - t)), -1, mpf(25) / 31, 22)
    interpolate("erf_inv near, for f32", inverse_error, 0, 6, 12, 3)
    interpolate("erf_inv far, for f32", lambda s: inverse_error(s * s), "2.449", "4.05", 11, mpf("3.25"))
    interpolate("erf_inv near", inverse_error, 0, "6.25", 24, mpf("3.125"))
    interpolate("erf_inv far, closer", lambda s: inverse_error(s * s), "2.5", 4, 20, mpf("3.25"))
    interpolate("erf_inv far, farther", lambda s: inverse_error(s * s), 4, "6.02", 19, 5)
    interpolate("cosh for f32", lambda z: mp.cosh(mp.sqrt(z)), 0, "0.1204", 3)
    interpolate("sinh for f32", in_square(mp.sinh), 0, "0.1204", 3)
    interpolate("cosh", in_square(lambda x: x * mp.cosh(x), 1), 0, "0.1204", 5)
    interpolate("sinh", in_square(mp.sinh, 1), 0, "0.1204", 5)
    interpolate("asin for f32", in_square(mp.asin), 0, "0.2501", 8)
    interpolate("asinh for f32", in_square(mp.asinh), 0, "0.25", 7)
    interpolate("atanh for f32", in_square(mp.atanh), 0, "0.2501", 8)
    interpolate("asin", in_square(mp.asin, 1), 0, "0.2501", 12)
    interpolate("asinh", in_square(mp.asinh, 1), 0, "0.2501", 12)
    slope = mp.digamma(mpf(2))
    interpolate("lgamma", lambda v: (mp.loggamma(2 + v) / v - slope) / v, "-0.76", "0.5", 20)
    stirling = lambda x: mp.loggamma(x) - (x - mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2
    interpolate("Stirling", lambda w: stirling(1 / mp.sqrt(w)) / mp.sqrt(w), "1e-12", 1 / mpf("3.5") ** 2, 10)
    zero = mp.findroot(mp.digamma, mpf("1.46"))
    interpolate("digamma", lambda z: mp.digamma(z) / (z - zero), 1, "2.25", 24, mpf("1.625"))
    beyond = lambda x: (mp.log(x) - 1 / (2 * x) - mp.digamma(x)) * x * x
    interpolate("digamma beyond", lambda w: beyond(1 / mp.sqrt(w)), "1e-12", 1 / mpf("3.25") ** 2, 12)
    interpolate("bessel_i1e", in_square(lambda x: mp.besseli(1, x)), 0, 64, 15)
    scaled_bessel = lambda t: mp.sqrt(1 / t) * mp.exp(-1 / t) * mp.besseli(1, 1 / t)
    interpolate("bessel_i1e beyond", scaled_bessel, "1e-6", "0.125", 22, mpf("0.0625"))


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
    show("sine", "double", lambda z: series(lambda k: (-1) ** k / mp.factorial(2 * k + 1), 1, z), lambda z: max(z, small),
         mpf(0), square, list(range(6)))
    show("cosine", "double", lambda z: series(lambda k: (-1) ** k / mp.factorial(2 * k), 2, z), lambda z: max(z * z, small),
         mpf(0), square, list(range(6)))
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
    through_points()
