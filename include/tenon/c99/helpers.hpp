// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace tenon::c99 {

// Functions of C that a program may call, each after those that it calls itself. In "float" and "double" R is the type,
// S the suffix of math.h and X that of names; C is the complex type.
struct helper {
  std::string_view name, text;
  bool of_reals = false;  // one for float, name_f, and one for double, name_d
};

inline constexpr helper all_helpers[] = {
    {"load_bf16",
     "static inline float load_bf16(uint16_t x) {\n"
     "  const uint32_t bits = (uint32_t)x << 16;\n"
     "  float value;\n"
     "  memcpy(&value, &bits, sizeof value);\n"
     "  return value;\n}\n"},
    {"store_bf16",
     "static inline uint16_t store_bf16(float x) {\n"
     "  uint32_t bits;\n"
     "  memcpy(&bits, &x, sizeof bits);\n"
     "  if (x != x) return (uint16_t)((bits >> 16) | 64u);\n"
     "  return (uint16_t)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);\n}\n"},
    {"load_f16",
     "static inline float load_f16(uint16_t x) {\n"
     "  const uint32_t sign = (uint32_t)(x & 0x8000u) << 16, exponent = (x >> 10) & 31u, mantissa = x & 1023u;\n"
     "  uint32_t bits = sign | ((exponent + 112u) << 23) | (mantissa << 13);\n"
     "  float value;\n"
     "  if (exponent == 31u) bits = sign | 0x7f800000u | (mantissa << 13);\n"
     "  memcpy(&value, &bits, sizeof value);\n"
     "  if (exponent == 0u) value = (sign != 0u ? -0x1p-24f : 0x1p-24f) * (float)mantissa;\n"
     "  return value;\n}\n"},
    {"store_f16",
     "static inline uint16_t store_f16(float x) {\n"
     "  uint32_t bits;\n"
     "  memcpy(&bits, &x, sizeof bits);\n"
     "  const uint32_t sign = (bits >> 16) & 0x8000u, size = bits & 0x7fffffffu;\n"
     "  if (size > 0x7f800000u) return (uint16_t)(sign | 0x7e00u);\n"
     "  if (size >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);\n"
     "  if (size < 0x38800000u) return (uint16_t)(sign | (uint32_t)(int32_t)rintf(fabsf(x) * 0x1p24f));\n"
     "  return (uint16_t)(sign | ((size - 0x38000000u + 0xfffu + ((size >> 13) & 1u)) >> 13));\n}\n"},
    {"round_bf16", "static inline float round_bf16(float x) { return load_bf16(store_bf16(x)); }\n"},
    {"round_f16", "static inline float round_f16(float x) { return load_f16(store_f16(x)); }\n"},
    {"narrow",
     "/* Rounded to odd, so that what rounds it again rounds as if it were the first. */\n"
     "static inline float narrow(double x) {\n"
     "  float value = (float)x;\n"
     "  uint32_t bits;\n"
     "  memcpy(&bits, &value, sizeof bits);\n"
     "  if ((double)value != x && x == x && (bits & 1u) == 0u && (bits & 0x7fffffffu) != 0u)\n"
     "    bits += fabs((double)value) > fabs(x) ? 0xffffffffu : 1u;\n"
     "  memcpy(&value, &bits, sizeof value);\n"
     "  return value;\n}\n"},
    {"wide_integer",
     "/* The last bits of a large number as one, so that rounding it twice rounds it once. */\n"
     "static inline double wide_integer(uint64_t x) {\n"
     "  return (double)(x >> 53 == 0u ? x : ((x >> 12) | ((x & 4095u) != 0u)) << 12);\n}\n"},
    {"integer_of",
     "static inline int64_t integer_of(double x, int64_t low, int64_t high) {\n"
     "  if (x != x) return 0;\n"
     "  if (x <= (double)low) return low;\n"
     "  return x >= (double)high ? high : (int64_t)x;\n}\n"},
    {"unsigned_of",
     "static inline uint64_t unsigned_of(double x, uint64_t high) {\n"
     "  if (!(x > 0.0)) return 0;\n"
     "  return x >= (double)high ? high : (uint64_t)x;\n}\n"},
    {"signed_bits",
     "/* The lowest bits as a signed number. */\n"
     "static inline int8_t signed_bits(uint32_t x, int bits) {\n"
     "  const uint32_t sign = 1u << (bits - 1);\n"
     "  return (int8_t)((int32_t)((x & (2u * sign - 1u)) ^ sign) - (int32_t)sign);\n}\n"},
    {"divide_signed",
     "static inline int64_t divide_signed(int64_t x, int64_t y) {\n"
     "  if (y == 0) return -1;\n"
     "  return y == -1 ? (int64_t)(0u - (uint64_t)x) : x / y;\n}\n"},
    {"divide_unsigned",
     "static inline uint64_t divide_unsigned(uint64_t x, uint64_t y) { return y == 0u ? UINT64_MAX : x / y; }\n"},
    {"remainder_signed",
     "static inline int64_t remainder_signed(int64_t x, int64_t y) { return y == 0 ? x : y == -1 ? 0 : x % y; }\n"},
    {"remainder_unsigned",
     "static inline uint64_t remainder_unsigned(uint64_t x, uint64_t y) { return y == 0u ? x : x % y; }\n"},
    {"power_signed",
     "static inline uint64_t power_unsigned(uint64_t x, uint64_t y);\n"
     "static inline int64_t power_signed(int64_t x, int64_t y) {\n"
     "  if (y >= 0) return (int64_t)power_unsigned((uint64_t)x, (uint64_t)y);\n"
     "  return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;\n}\n"},
    {"power_unsigned",
     "static inline uint64_t power_unsigned(uint64_t x, uint64_t y) {\n"
     "  uint64_t result = 1;\n"
     "  for (; y != 0u; y >>= 1, x *= x)\n"
     "    if ((y & 1u) != 0u) result *= x;\n"
     "  return result;\n}\n"},
    {"shift_left",
     "static inline uint64_t shift_left(uint64_t x, uint64_t by, unsigned bits) { return by < bits ? x << by : 0u; "
     "}\n"},
    {"shift_right",
     "static inline uint64_t shift_right(uint64_t x, uint64_t by, unsigned bits) { return by < bits ? x >> by : 0u; "
     "}\n"},
    {"shift_right_signed",
     "static inline int64_t shift_right_signed(int64_t x, uint64_t by, unsigned bits) {\n"
     "  const uint64_t distance = by < bits ? by : bits - 1u;\n"
     "  return x < 0 ? (int64_t)~(~(uint64_t)x >> distance) : (int64_t)((uint64_t)x >> distance);\n}\n"},
    {"count_bits",
     "static inline uint32_t count_bits(uint64_t x) {\n"
     "  uint32_t count = 0;\n"
     "  for (; x != 0u; x &= x - 1u) ++count;\n"
     "  return count;\n}\n"},
    {"leading_zeros",
     "static inline uint32_t leading_zeros(uint64_t x, uint32_t bits) {\n"
     "  for (; x != 0u; x >>= 1) --bits;\n"
     "  return bits;\n}\n"},
    {"mulhi_unsigned",
     "static inline uint64_t mulhi_unsigned(uint64_t x, uint64_t y) {\n"
     "  const uint64_t low = 0xffffffffu, middle = (x >> 32) * (y & low) + (((x & low) * (y & low)) >> 32);\n"
     "  return (x >> 32) * (y >> 32) + (middle >> 32) + (((x & low) * (y >> 32) + (middle & low)) >> 32);\n}\n"},
    {"clamp_index",
     "static inline int64_t clamp_index(int64_t x, int64_t low, int64_t high) {\n"
     "  return x < low ? low : x > high ? high : x;\n}\n"},
    {"index_of", "static inline int64_t index_of(uint64_t x) { return x > INT64_MAX ? INT64_MAX : (int64_t)x; }\n"},
    {"maximum",
     "static inline R maximum_X(R x, R y) {\n"
     "  if (x != x || y != y) return x != x ? x : y;\n"
     "  return x == y ? (signbit(x) ? y : x) : x > y ? x : y;\n}\n",
     true},
    {"minimum",
     "static inline R minimum_X(R x, R y) {\n"
     "  if (x != x || y != y) return x != x ? x : y;\n"
     "  return x == y ? (signbit(x) ? x : y) : x < y ? x : y;\n}\n",
     true},
    {"sign", "static inline R sign_X(R x) { return x > 0 ? 1 : x < 0 ? -1 : x; }\n", true},
    {"order",
     "/* An integer in the total order of floats. */\n"
     "static inline int64_t order_X(R x) {\n"
     "  Int bits;\n"
     "  memcpy(&bits, &x, sizeof bits);\n"
     "  return bits < 0 ? (int64_t)bits ^ IntMax : (int64_t)bits;\n}\n",
     true},
    {"erf_inv",
     "/* The zero of erf(w) - x, by Halley's steps from an approximation. */\n"
     "static inline R erf_inv_X(R x) {\n"
     "  const double size = fabs((double)x), rest = 1.0 - size;\n"
     "  if (!(rest > 0.0)) return rest == 0.0 ? (x < 0 ? -(R)INFINITY : (R)INFINITY) : (R)NAN;\n"
     "  const double log_rest = log(rest * (1.0 + size)), part = 4.330746750799873 + log_rest / 2;\n"
     "  double w = sqrt(sqrt(part * part - log_rest / 0.147) - part);\n"
     "  for (int step = 0; step < 3; ++step) {\n"
     "    const double error = size < 0.5 ? erf(w) - size : rest - erfc(w);\n"
     "    const double newton = error / (1.1283791670955126 * exp(-w * w));\n"
     "    w -= newton / (1.0 + w * newton);\n"
     "  }\n"
     "  return (R)(x < 0 ? -w : w);\n}\n",
     true},
    {"digamma",
     "/* The recurrence up to 10, and the asymptotic series from there. */\n"
     "static inline R digamma_X(R of) {\n"
     "  double x = (double)of, sum = 0.0;\n"
     "  if (x <= 0.0 && x == floor(x)) return (R)NAN;\n"
     "  if (x < 0.0) {\n"
     "    sum = -3.141592653589793 / tan(3.141592653589793 * (x - floor(x)));\n"
     "    x = 1.0 - x;\n"
     "  }\n"
     "  for (; x < 10.0; x += 1.0) sum -= 1.0 / x;\n"
     "  const double y = 1.0 / (x * x);\n"
     "  return (R)(sum + log(x) - 0.5 / x -\n"
     "             y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132)))));\n}\n",
     true},
    {"complex_of", "static inline C complex_of_X(R real, R imag) { const C z = {real, imag}; return z; }\n", true},
    {"add", "static inline C add_X(C a, C b) { return complex_of_X(a.real + b.real, a.imag + b.imag); }\n", true},
    {"subtract", "static inline C subtract_X(C a, C b) { return complex_of_X(a.real - b.real, a.imag - b.imag); }\n",
     true},
    {"multiply",
     "static inline C multiply_X(C a, C b) {\n"
     "  return complex_of_X(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real);\n}\n",
     true},
    {"divide",
     "static inline C divide_X(C a, C b) {\n"
     "  const R size = fabsS(b.real) > fabsS(b.imag) ? fabsS(b.real) : fabsS(b.imag);\n"
     "  const R x = b.real / size, y = b.imag / size, scale = (x * x + y * y) * size;\n"
     "  if (!(size > 0) || isinf(size)) return complex_of_X(a.real / b.real, a.imag / b.real);\n"
     "  return complex_of_X((a.real * x + a.imag * y) / scale, (a.imag * x - a.real * y) / scale);\n}\n",
     true},
    {"exponential",
     "static inline C exponential_X(C z) {\n"
     "  const R size = expS(z.real);\n"
     "  return z.imag == 0 ? complex_of_X(size, z.imag) : complex_of_X(size * cosS(z.imag), size * sinS(z.imag));\n}\n",
     true},
    {"log",
     "static inline C log_X(C z) {\n"
     "  const R x = fabsS(z.real), y = fabsS(z.imag), large = x > y ? x : y, small = x > y ? y : x;\n"
     "  const R part = small / large, angle = atan2S(z.imag, z.real);\n"
     "  if (!(large > 0) || isinf(large)) return complex_of_X(logS(hypotS(x, y)), angle);\n"
     "  if (large > (R)0.5 && large < 2)\n"
     "    return complex_of_X(log1pS((large - 1) * (large + 1) + small * small) / 2, angle);\n"
     "  return complex_of_X(logS(large) + log1pS(part * part) / 2, angle);\n}\n",
     true},
    {"sqrt",
     "static inline C sqrt_X(C z) {\n"
     "  const R root = sqrtS((hypotS(z.real, z.imag) + fabsS(z.real)) / 2);\n"
     "  if (!(root > 0)) return complex_of_X(root, z.imag);\n"
     "  if (!signbit(z.real)) return complex_of_X(root, z.imag / (2 * root));\n"
     "  return complex_of_X(fabsS(z.imag) / (2 * root), copysignS(root, z.imag));\n}\n",
     true},
    {"power",
     "static inline C power_X(C a, C b) {\n"
     "  if (b.real == 0 && b.imag == 0) return complex_of_X(1, 0);\n"
     "  if (a.real == 0 && a.imag == 0) return b.real > 0 ? a : complex_of_X((R)NAN, (R)NAN);\n"
     "  return exponential_X(multiply_X(b, log_X(a)));\n}\n",
     true},
    {"square",
     "static inline C square_X(C z) {\n"
     "  const R part = z.real * z.imag;\n"
     "  if (isfinite(z.real) && fabsS(z.real) == fabsS(z.imag)) return complex_of_X(0, part + part);\n"
     "  return complex_of_X((z.real - z.imag) * (z.real + z.imag), part + part);\n}\n",
     true},
    {"sine",
     "static inline C sine_X(C z) {\n"
     "  return complex_of_X(sinS(z.real) * coshS(z.imag), cosS(z.real) * sinhS(z.imag));\n}\n",
     true},
    {"cosine",
     "static inline C cosine_X(C z) {\n"
     "  return complex_of_X(cosS(z.real) * coshS(z.imag), -sinS(z.real) * sinhS(z.imag));\n}\n",
     true},
    {"tanh",
     "static inline C tanh_X(C z) {\n"
     "  const R t = tanS(z.imag), s = sinhS(z.real), c = coshS(z.real), b = 1 + t * t, down = 1 + b * s * s;\n"
     "  if (fabsS(z.real) > 40) return complex_of_X(copysignS(1, z.real), copysignS(0, z.imag));\n"
     "  return complex_of_X(b * c * s / down, t / down);\n}\n",
     true},
    {"exponential_minus_one",
     "static inline C exponential_minus_one_X(C z) {\n"
     "  const R half = sinS(z.imag / 2);\n"
     "  return complex_of_X(expm1S(z.real) * cosS(z.imag) - 2 * half * half, expS(z.real) * sinS(z.imag));\n}\n",
     true},
    {"less", "static inline bool less_X(C a, C b) { return a.real == b.real ? a.imag < b.imag : a.real < b.real; }\n",
     true},
    {"first_of",
     "/* The smaller of two by real, then imaginary part, or the larger; the first with NaN. */\n"
     "static inline C first_of_X(C a, C b, bool larger) {\n"
     "  if (a.real != a.real || a.imag != a.imag) return a;\n"
     "  if (b.real != b.real || b.imag != b.imag) return b;\n"
     "  return (larger ? less_X(a, b) : less_X(b, a)) ? b : a;\n}\n",
     true},
    {"reduce_precision",
     "static inline R reduce_precision_X(R x, int exponent_bits, int mantissa_bits) {\n"
     "  const Word sign = ~(~(Word)0 >> 1);\n"
     "  Word bits, infinity;\n"
     "  R value = (R)INFINITY;\n"
     "  memcpy(&bits, &x, sizeof bits);\n"
     "  memcpy(&infinity, &value, sizeof infinity);\n"
     "  if (x != x) return mantissa_bits > 0 ? x : value;\n"
     "  if (isinf(x)) return x;\n"
     "  Word size = bits & ~sign;\n"
     "  if (mantissa_bits < Mantissa) {\n"
     "    const int dropped = Mantissa - mantissa_bits;\n"
     "    size = (size + ((Word)1 << (dropped - 1)) - 1 + (size >> dropped & 1)) >> dropped << dropped;\n"
     "  }\n"
     "  const int exponent = (int)(size >> Mantissa) - Bias, limit = (1 << (exponent_bits - 1)) - 1;\n"
     "  if (limit < Bias && exponent > limit) size = infinity;\n"
     "  if (limit < Bias && exponent <= -limit) size = 0;\n"
     "  bits = (bits & sign) | size;\n"
     "  memcpy(&value, &bits, sizeof value);\n"
     "  return value;\n}\n",
     true},
    {"philox",
     "static void philox(uint64_t key, uint64_t low, uint64_t high, uint32_t *out) {\n"
     "  uint32_t a = (uint32_t)low, b = (uint32_t)(low >> 32), c = (uint32_t)high, d = (uint32_t)(high >> 32);\n"
     "  uint32_t key_low = (uint32_t)key, key_high = (uint32_t)(key >> 32);\n"
     "  for (int round = 0; round < 10; ++round) {\n"
     "    const uint64_t x = UINT64_C(0xd2511f53) * a, y = UINT64_C(0xcd9e8d57) * c;\n"
     "    a = (uint32_t)(y >> 32) ^ b ^ key_low, b = (uint32_t)y;\n"
     "    c = (uint32_t)(x >> 32) ^ d ^ key_high, d = (uint32_t)x;\n"
     "    key_low += 0x9e3779b9u, key_high += 0xbb67ae85u;\n"
     "  }\n"
     "  out[0] = a, out[1] = b, out[2] = c, out[3] = d;\n}\n"},
    {"threefry",
     "static void threefry(uint64_t key, uint64_t counter, uint32_t *out) {\n"
     "  static const uint32_t distances[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};\n"
     "  const uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);\n"
     "  const uint32_t keys[3] = {low, high, low ^ high ^ 0x1bd11bdau};\n"
     "  uint32_t x = (uint32_t)counter + keys[0], y = (uint32_t)(counter >> 32) + keys[1];\n"
     "  for (uint32_t group = 0; group < 5; ++group) {\n"
     "    for (int i = 0; i < 4; ++i) {\n"
     "      const uint32_t by = distances[group % 2][i];\n"
     "      x += y;\n"
     "      y = (y << by | y >> (32 - by)) ^ x;\n"
     "    }\n"
     "    x += keys[(group + 1) % 3];\n"
     "    y += keys[(group + 2) % 3] + group + 1;\n"
     "  }\n"
     "  out[0] = x, out[1] = y;\n}\n"},
    {"fourier",
     "/* The transform of n numbers, pairs that lie `step` pairs apart, into `to`; `work` has room for n pairs, and\n"
     "   roots[k * unit] is exp(-2 pi i k / n). By the smallest factor of n. */\n"
     "static void fourier(const double *from, int64_t step, double *to, double *work, int64_t n, const double *roots,\n"
     "                    int64_t unit) {\n"
     "  int64_t factor = 2;\n"
     "  while (factor * factor <= n && n % factor != 0) ++factor;\n"
     "  if (n % factor != 0) factor = n;\n"
     "  const int64_t part = n / factor;\n"
     "  if (n == 1) {\n"
     "    to[0] = from[0], to[1] = from[1];\n"
     "    return;\n"
     "  }\n"
     "  for (int64_t f = 0; f < factor; ++f)\n"
     "    fourier(from + 2 * f * step, step * factor, work + 2 * f * part, to + 2 * f * part, part, roots, unit * "
     "factor);\n"
     "  for (int64_t k = 0; k < n; ++k) {\n"
     "    double real = 0, imag = 0;\n"
     "    for (int64_t f = 0; f < factor; ++f) {\n"
     "      const double *x = work + 2 * (f * part + k % part), *root = roots + 2 * (f * k % n * unit);\n"
     "      real += x[0] * root[0] - x[1] * root[1];\n"
     "      imag += x[0] * root[1] + x[1] * root[0];\n"
     "    }\n"
     "    to[2 * k] = real, to[2 * k + 1] = imag;\n"
     "  }\n}\n"},
};

// The helpers that a program calls.
class helper_set {
 public:
  // "add_cf", or "maximum_d": marks the helper; gives its name.
  std::string call(const std::string& name) {
    add(name);
    return name;
  }
  bool has_complex(bool is_double) const { return complex_[is_double]; }
  void note_complex(bool is_double) { complex_[is_double] = true; }

  std::string text() const {
    std::string all;
    for (const helper& each : all_helpers)
      for (const char* form : {"", "_f", "_d", "_cf", "_cd"})
        if (const std::string name = std::string(each.name) + form; used_.count(name) > 0)
          all += (all.empty() ? "" : "\n") + text_of(each, form);
    return all;
  }

 private:
  std::set<std::string> used_;
  bool complex_[2]{};

  static std::string replaced(std::string text, std::string_view word, const std::string& by) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += by.size())
      if (const char next = at + word.size() < text.size() ? text[at + word.size()] : ' ',
          before = at > 0 ? text[at - 1] : ' ';
          !is_letter(next) && next != '_' && (word == "S" || word == "X" || !is_letter(before)))
        text.replace(at, word.size(), by);
      else
        at += word.size() - by.size();
    return text;
  }
  static std::string text_of(const helper& of, const std::string& form) {
    std::string text(of.text);
    if (form.empty()) return text;
    const bool is_double = form.back() == 'd';
    text = replaced(text, "X", form.substr(1));
    text = replaced(text, "S", is_double ? "" : "f");
    text = replaced(text, "Word", is_double ? "uint64_t" : "uint32_t");
    text = replaced(text, "Mantissa", is_double ? "52" : "23");
    text = replaced(text, "Bias", is_double ? "1023" : "127");
    text = replaced(text, "IntMax", is_double ? "INT64_MAX" : "INT32_MAX");
    text = replaced(text, "Int", is_double ? "int64_t" : "int32_t");
    text = replaced(text, "R", is_double ? "double" : "float");
    return replaced(text, "C", is_double ? "complex_f64" : "complex_f32");
  }

  void add(const std::string& name) {
    if (!used_.insert(name).second) return;
    for (const helper& each : all_helpers)
      for (const char* form : {"", "_f", "_d", "_cf", "_cd"}) {
        if (std::string(each.name) + form != name) continue;
        const std::string text = text_of(each, form);
        for (const helper& other : all_helpers)
          for (const char* of_other : {"", "_f", "_d", "_cf", "_cd"})
            if (const std::string called = std::string(other.name) + of_other;
                called != name && other.of_reals == (of_other[0] != 0) && text.find(called + "(") != text.npos)
              add(called);
      }
  }
};

}  // namespace tenon::c99
