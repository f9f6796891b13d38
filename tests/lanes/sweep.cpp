// SPDX-License-Identifier: Apache-2.0
//
// sweep LIBRARY FEATURE...
//
// Runs the programs of a target, which is a library: compiled ones, expressions, and, for all sizes up to two vectors
// and one element, those that are read. Each result is compared with what a loop over single elements gives. A machine
// without one of the features skips the target.
#include <lanes/sweep.hpp>

#include <shared/shared_program.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace lane_cases;
using bytes = std::vector<std::byte>;

// An element of any type: floats and the parts of complex numbers as they are, integers and booleans as `whole`, which
// wraps around.
struct number {
  double real = 0, imag = 0;
  std::int64_t whole = 0;
};

bool is_whole(dtype type) { return is_integer(type) || type == dtype::i1; }

template <class T>
number decoded(const T& element) {
  if constexpr (is_complex(dtype_of<T>))
    return {double(element.real), double(element.imag), 0};
  else if constexpr (is_float(dtype_of<T>))
    return {convert_to<double>(element), 0, 0};
  else
    return {0, 0, std::int64_t(element)};
}
template <class T>
T encoded(const number& n) {
  if constexpr (is_complex(dtype_of<T>))
    return {decltype(T::real)(n.real), decltype(T::real)(n.imag)};
  else if constexpr (dtype_of<T> == dtype::i1)
    return n.whole != 0;
  else if constexpr (is_float(dtype_of<T>))
    return convert_to<T>(n.real);
  else
    return T(n.whole);
}

// Elements of one tensor.
struct elements {
  dtype type;
  std::vector<number> at;

  bytes stored() const {
    bytes result(at.size() * std::size_t(storage_bytes(type)));
    visit(type, [&]<class T>() {
      for (std::size_t i = 0; i < at.size(); ++i) {
        const T element = encoded<T>(at[i]);
        std::memcpy(&result[i * sizeof(T)], &element, sizeof(T));
      }
    });
    return result;
  }
  // Rounded, or wrapped around, to the type.
  static elements of(dtype type, std::vector<number> at) {
    visit(type, [&]<class T>() {
      for (number& each : at) each = decoded(encoded<T>(each));
    });
    return {type, std::move(at)};
  }
};

std::uint64_t mixed(std::uint64_t seed) {
  seed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9u;
  seed = (seed ^ (seed >> 27)) * 0x94D049BB133111EBu;
  return seed ^ (seed >> 31);
}

// Integers of all sizes; floats whose sums and products are exact, or, in types of few bits, rounded once. Of those
// that are summed up many are zero, so that the order does not matter.
elements some_elements(dtype type, int count, std::uint64_t seed, bool summed) {
  constexpr double values[] = {0, 0.5, -0.5, 1, -1, 1.5, -1.5, 2, -2, 3, -3};
  std::vector<number> at(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const std::uint64_t bits = mixed(seed * 1000 + std::uint64_t(i) + 1);
    number& n = at[std::size_t(i)];
    if (is_whole(type)) {
      n.whole = std::int64_t(bits >> (bits % 7 * 8));
      if (type == dtype::i1) n.whole = std::int64_t(bits >> 5 & 1);
    } else if (is_scale(type)) {
      n.real = std::ldexp(1.0, int(bits % 5) - 2);
    } else if (summed && is_float(type) && num_bits(type) <= 8) {
      n.real = i % std::max(1, count / 2) == int(seed % 3) % std::max(1, count / 2) ? (bits & 1 ? 1 : -1) : 0;
    } else {
      n.real = values[bits % 11];
      n.imag = is_complex(type) ? values[bits / 11 % 11] : 0;
    }
  }
  return elements::of(type, std::move(at));
}

bool less(const elements& x, std::size_t i, const elements& y, std::size_t k) {
  const number &a = x.at[i], &b = y.at[k];
  if (!is_whole(x.type)) return a.real < b.real || (a.real == b.real && a.imag < b.imag);
  return is_signed_integer(x.type) ? a.whole < b.whole : std::uint64_t(a.whole) < std::uint64_t(b.whole);
}
number sum(dtype type, const number& a, const number& b) {
  if (type == dtype::i1) return {0, 0, a.whole | b.whole};
  return {a.real + b.real, a.imag + b.imag, std::int64_t(std::uint64_t(a.whole) + std::uint64_t(b.whole))};
}
number product(dtype type, const number& a, const number& b) {
  if (type == dtype::i1) return {0, 0, a.whole & b.whole};
  return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real,
          std::int64_t(std::uint64_t(a.whole) * std::uint64_t(b.whole))};
}
number tanh_of(dtype type, const number& a) {
  if (!is_complex(type)) return {std::tanh(a.real), 0, 0};
  const long double x = 2 * a.real, y = 2 * a.imag, divisor = std::cosh(x) + std::cos(y);
  return {double(std::sinh(x) / divisor), double(std::sin(y) / divisor), 0};
}

// Arguments of a case, and its results in the order of case_writer.
struct example {
  std::vector<elements> arguments, results;
  int tanh = -1;  // which result may be off by its last bit

  template <class F>
  void give(dtype type, std::size_t count, F f) {
    std::vector<number> at(count);
    for (std::size_t i = 0; i < count; ++i) at[i] = f(i);
    results.push_back(elements::of(type, std::move(at)));
  }
};

void make_elements(const lane_case& c, example& e) {
  const elements &a = e.arguments[0], &b = e.arguments[1];
  const std::size_t count = a.at.size();
  const dtype type = c.type;
  const auto compared = [&](std::size_t i) {
    return has_order(type) ? less(a, i, b, i) : a.at[i].real == b.at[i].real && a.at[i].imag == b.at[i].imag;
  };
  e.give(type, count, [&](std::size_t i) { return sum(type, a.at[i], b.at[i]); });
  e.give(type, count, [&](std::size_t i) { return product(type, a.at[i], b.at[i]); });
  e.give(type, count, [&](std::size_t i) { return less(a, i, b, i) ? b.at[i] : a.at[i]; });
  if (type != dtype::i1 && !is_scale(type))
    e.give(type, count, [&](std::size_t i) {
      const number& n = a.at[i];
      return number{-n.real, is_complex(type) ? -n.imag : 0, std::int64_t(-std::uint64_t(n.whole))};
    });
  e.give(dtype::i1, count, [&](std::size_t i) { return number{0, 0, compared(i)}; });
  e.give(type, count, [&](std::size_t i) { return compared(i) ? sum(type, a.at[i], b.at[i]) : b.at[i]; });
  const auto single = [&](std::size_t i) {
    const number& n = a.at[i];
    if (!is_whole(type)) return double(float(n.real));
    return is_unsigned_integer(type) ? double(float(std::uint64_t(n.whole))) : double(float(n.whole));
  };
  e.give(dtype::f32, count, [&](std::size_t i) { return number{single(i), 0, 0}; });
  e.give(dtype::i1, count, [&](std::size_t i) {
    const number& n = a.at[i];
    return number{0, 0, n.whole != 0 || n.real != 0};
  });
  if (returns_from_f32(type)) {
    std::vector<number> at(count);
    for (std::size_t i = 0; i < count; ++i) {
      const float twice = float(single(i)) + float(single(i));
      visit(type, [&]<class T>() {
        if constexpr (!is_complex(dtype_of<T>)) at[i] = decoded(convert_to<T>(twice));
      });
    }
    e.results.push_back({type, std::move(at)});
  }
  if (has_tanh(type)) {
    e.tanh = int(e.results.size());
    e.give(type, count, [&](std::size_t i) { return tanh_of(type, a.at[i]); });
  }
}

void make_folds(const lane_case& c, example& e) {
  const elements& a = e.arguments[0];
  const std::size_t rows = std::size_t(c.rows > 0 ? c.rows : 1), columns = std::size_t(c.columns);
  // Over the elements of each row, or of each column.
  const auto fold = [&](bool along_rows, bool adds) {
    e.give(c.type, along_rows ? rows : columns, [&](std::size_t i) {
      elements total{c.type, {number{is_scale(c.type) ? 1.0 : 0.0, 0, 0}}};
      for (std::size_t k = 0; k < (along_rows ? columns : rows); ++k) {
        const std::size_t at = along_rows ? i * columns + k : k * columns + i;
        if (adds)
          total = elements::of(c.type, {sum(c.type, total.at[0], a.at[at])});
        else if (less(total, 0, a, at))
          total.at[0] = a.at[at];
      }
      return total.at[0];
    });
  };
  if (!is_scale(c.type)) {
    fold(true, true);
    if (c.rows > 0) fold(false, true);
  }
  fold(true, false);
  if (c.rows > 0) fold(false, false);
}

void make_products(const lane_case& c, example& e) {
  const std::size_t rows = std::size_t(c.rows > 0 ? c.rows : 1), columns = std::size_t(c.columns);
  e.give(c.type, rows * rows, [&](std::size_t i) {
    number total;
    for (std::size_t k = 0; k < columns; ++k)
      total = sum(c.type, total,
                  product(c.type, e.arguments[0].at[i / rows * columns + k], e.arguments[1].at[k * rows + i % rows]));
    return total;
  });
}

void make_moves(const lane_case& c, example& e) {
  const elements &a = e.arguments[0], &b = e.arguments[1], &indices = e.arguments[2];
  const std::size_t rows = std::size_t(c.rows), columns = std::size_t(c.columns), count = a.at.size();
  const std::size_t part = rows > 0 ? columns : 1;
  e.give(c.type, count, [&](std::size_t i) { return a.at[std::size_t(indices.at[i / part].whole) * part + i % part]; });
  if (rows > 0) {
    const auto from = [&](std::size_t i) { return i % rows * columns + i / rows; };
    e.give(c.type, count, [&](std::size_t i) { return a.at[from(i)]; });
    e.give(c.type, count, [&](std::size_t i) { return sum(c.type, a.at[from(i)], b.at[from(i)]); });
  }
  if (has_order(c.type)) {
    elements sorted = a;
    for (std::size_t first = 0; first < count; first += columns)
      std::sort(sorted.at.begin() + std::ptrdiff_t(first), sorted.at.begin() + std::ptrdiff_t(first + columns),
                [&](const number& x, const number& y) { return less({c.type, {x}}, 0, {c.type, {y}}, 0); });
    e.results.push_back(std::move(sorted));
  }
}

example make_example(const lane_case& c, std::uint64_t seed) {
  example e;
  const bool summed = c.ops == group_of_ops::folds || c.ops == group_of_ops::products;
  e.arguments.push_back(some_elements(c.type, c.size(), seed, summed));
  if (c.ops != group_of_ops::folds) e.arguments.push_back(some_elements(c.type, c.size(), seed + 1, summed));
  if (c.ops == group_of_ops::moves) {
    const int count = c.rows > 0 ? c.rows : c.columns;
    elements indices{dtype::i32, {}};
    for (int i = 0; i < count; ++i)
      indices.at.push_back({0, 0, std::int64_t(mixed(seed + std::uint64_t(i)) % unsigned(count))});
    e.arguments.push_back(std::move(indices));
  }
  switch (c.ops) {
    case group_of_ops::elements:
      make_elements(c, e);
      break;
    case group_of_ops::folds:
      make_folds(c, e);
      break;
    case group_of_ops::products:
      make_products(c, e);
      break;
    case group_of_ops::moves:
      make_moves(c, e);
      break;
  }
  return e;
}

// Whether an element is the wanted one: any NaN for a NaN; of a curve, a neighbour too.
bool matches(dtype type, const std::byte* got, const std::byte* wanted, bool near) {
  if (std::memcmp(got, wanted, std::size_t(storage_bytes(type))) == 0) return true;
  bool same = false;
  visit(type, [&]<class T>() {
    if constexpr (is_float(dtype_of<T>) || is_complex(dtype_of<T>)) {
      T x, y;
      std::memcpy(&x, got, sizeof(T)), std::memcpy(&y, wanted, sizeof(T));
      const number a = decoded(x), b = decoded(y);
      int bits = 0;
      if constexpr (is_complex(dtype_of<T>))
        bits = sizeof(T) == 8 ? 20 : 49;
      else
        bits = tenon::core::format_of(dtype_of<T>).mantissa_bits;
      const auto close = [&](double p, double q) {
        return (std::isnan(p) && std::isnan(q)) || (near && std::abs(p - q) <= std::ldexp(std::abs(q), -bits) * 1.001);
      };
      same = (a.real == b.real && !near) || close(a.real, b.real);
      if constexpr (is_complex(dtype_of<T>)) same = same && ((a.imag == b.imag) || close(a.imag, b.imag));
      if (!is_complex(dtype_of<T>) && !near && !std::isnan(a.real)) same = false;
    }
  });
  return same;
}

int checked = 0, failures = 0;
swept_target target;

const char* name_of(group_of_ops ops) {
  switch (ops) {
    case group_of_ops::elements:
      return "elements";
    case group_of_ops::folds:
      return "folds";
    case group_of_ops::products:
      return "products";
    default:
      return "moves";
  }
}

std::string shown(dtype type, const std::byte* at) {
  std::string result;
  visit(type, [&]<class T>() {
    T element;
    std::memcpy(&element, at, sizeof(T));
    const number n = decoded(element);
    result = is_whole(type) ? std::to_string(n.whole) : std::to_string(n.real);
    if (is_complex(type)) result += " " + std::to_string(n.imag) + "i";
  });
  return result;
}

// Runs on arguments and results that end where their memory does and begin `off` elements after a line of the cache.
void check(const char* form, const lane_case* cases, int count, int off, auto run) {
  std::vector<example> examples;
  std::vector<bytes> given, got;
  std::vector<const void*> from;
  std::vector<void*> to;
  const auto start = [&](bytes& memory, dtype type) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.data() + (64 - address % 64) % 64 + std::size_t(off * storage_bytes(type));
  };
  constexpr std::size_t guarded = 256;
  for (int i = 0; i < count; ++i) examples.push_back(make_example(cases[i], std::uint64_t(i + 7 * off)));
  for (const example& e : examples) {
    for (const elements& each : e.arguments) {
      const bytes stored = each.stored();
      given.emplace_back(stored.size() + guarded, std::byte{0x5A});
      std::byte* const at = start(given.back(), each.type);
      std::copy(stored.begin(), stored.end(), at);
      from.push_back(at);
    }
    for (const elements& each : e.results) {
      got.emplace_back(each.at.size() * std::size_t(storage_bytes(each.type)) + guarded, std::byte{0x5A});
      to.push_back(start(got.back(), each.type));
    }
  }
  run(from.data(), to.data());
  std::size_t at = 0;
  for (int i = 0; i < count; ++i)
    for (std::size_t r = 0; r < examples[std::size_t(i)].results.size(); ++r, ++at) {
      const example& e = examples[std::size_t(i)];
      const elements& wanted = e.results[r];
      const bytes stored = wanted.stored();
      const std::byte* const begin = static_cast<const std::byte*>(to[at]);
      const std::size_t size = std::size_t(storage_bytes(wanted.type));
      ++checked;
      const auto complain = [&](const char* problem, const std::string& detail) {
        if (++failures <= 40)
          std::printf("%s: %s, %s of %.*s, %d x %d, result %d: %s%s\n", target.name, form, name_of(cases[i].ops),
                      int(name(cases[i].type).size()), name(cases[i].type).data(), cases[i].rows, cases[i].columns,
                      int(r), problem, detail.c_str());
      };
      for (std::size_t k = 0; k < wanted.at.size(); ++k)
        if (!matches(wanted.type, begin + k * size, &stored[k * size], int(r) == e.tanh)) {
          complain("element ", std::to_string(k) + " is " + shown(wanted.type, begin + k * size) + ", not " +
                                   shown(wanted.type, &stored[k * size]));
          break;
        }
      const std::byte* const end = got[at].data() + got[at].size();
      for (const std::byte* p = got[at].data(); p < end; ++p)
        if ((p < begin || begin + stored.size() <= p) && *p != std::byte{0x5A}) {
          complain("writes outside of it", "");
          break;
        }
    }
}

// One program of several cases, read.
void check_read(const std::vector<lane_case>& cases) {
  case_writer<1 << 17> writer;
  std::string text;
  for (const lane_case& each : cases) writer.write(each);
  struct {
    std::string& text;
    auto& operator<<(std::string_view more) { return text += more, *this; }
  } out{text};
  writer.finish(out);
  tenon::shared_program program(text, target.find);
  if (program.error()) {
    ++failures;
    std::printf("%s: not read: %s %s\n%s\n", target.name, program.error().label, program.error().sentence,
                text.c_str());
    return;
  }
  for (int off = 0; off < 2; ++off)
    check("read", cases.data(), int(cases.size()), off,
          [&](const void* const* from, void* const* to) { program(from, to); });
}

constexpr dtype types[] = {dtype::i1,       dtype::i2,          dtype::i4,
                           dtype::i8,       dtype::i16,         dtype::i32,
                           dtype::i64,      dtype::ui2,         dtype::ui4,
                           dtype::ui8,      dtype::ui16,        dtype::ui32,
                           dtype::ui64,     dtype::f4E2M1FN,    dtype::f6E2M3FN,
                           dtype::f6E3M2FN, dtype::f8E3M4,      dtype::f8E4M3,
                           dtype::f8E4M3FN, dtype::f8E4M3FNUZ,  dtype::f8E4M3B11FNUZ,
                           dtype::f8E5M2,   dtype::f8E5M2FNUZ,  dtype::f8E8M0FNU,
                           dtype::bf16,     dtype::f16,         dtype::f32,
                           dtype::f64,      dtype::complex_f32, dtype::complex_f64};

void check_read(dtype type) {
  // Lanes of narrow floats are of f32.
  const bool narrow = is_float(type) && num_bits(type) < 32;
  const int lanes = target.vector_bytes / (narrow             ? 4
                                           : is_complex(type) ? storage_bytes(type) / 2
                                                              : storage_bytes(type));
  const bool has_products = type != dtype::i1 && !is_scale(type);
  std::vector<lane_case> cases;
  const auto add = [&](int rows, int columns) {
    cases.push_back({group_of_ops::elements, type, rows, columns});
    cases.push_back({group_of_ops::folds, type, rows, columns});
    cases.push_back({group_of_ops::moves, type, rows, columns});
    if (has_products) cases.push_back({group_of_ops::products, type, rows, columns});
    if (cases.size() > 30) check_read(cases), cases.clear();
  };
  for (int size = 1; size <= 2 * lanes + 1; ++size) add(0, size);
  for (const int rows : {1, 2, 3, 5, lanes, lanes + 1})
    for (const int columns : {1, 2, 3, 4, 7, lanes - 1, lanes + 1})
      if (columns > 0) add(rows, columns);
  if (!cases.empty()) check_read(cases);
}

// The features of the processor that Linux shows.
std::string features_of_machine() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags")) return line + " ";
  return "";
}

}  // namespace

int main(int count, char** words) {
  const std::string features = features_of_machine();
  for (int i = 2; i < count; ++i)
    if (features.find(" " + std::string(words[i]) + " ") == std::string::npos) {
      std::printf("skipped: this machine does not say that it has %s\n", words[i]);
      return 0;
    }
  void* const library = count > 1 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  const auto open = library == nullptr ? nullptr : reinterpret_cast<open_target>(dlsym(library, "open_swept_target"));
  if (open == nullptr) {
    std::printf("no target: %s\n", count > 1 ? dlerror() : "sweep LIBRARY FEATURE...");
    return 1;
  }
  open(target);
  for (const compiled_list& list : target.compiled)
    for (int i = 0; i < list.size; ++i)
      for (int off = 0; off < 2; ++off) check(list.at[i].form, list.at[i].cases, list.at[i].count, off, list.at[i].run);
  const int compiled = checked;
  for (const dtype type : types) check_read(type);
  std::printf("%s: %d results of compiled code, %d of programs that are read, %d wrong\n", target.name, compiled,
              checked - compiled, failures);
  return failures != 0;
}
