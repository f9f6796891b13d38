// SPDX-License-Identifier: Apache-2.0
//
// Programs as C: each text becomes a function, which gcc compiles without a warning, and which gives what the program
// gives when it is read.
#include <tenon/c99/emit.hpp>
#include <tenon/kernels/all.hpp>

#include <doctest/doctest.h>
#include <shared/shared_program.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace tenon;

using bytes = std::vector<unsigned char>;

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

c99::c_text emitted(const loaded_program& program) {
  c99::c_names names{"model", {}, {}, "a test"};
  for (int i = 0; i < program.argument_count(); ++i) names.arguments.push_back("x" + std::to_string(i));
  for (int i = 0; i < program.result_count(); ++i) names.results.push_back("y" + std::to_string(i));
  return c99::emit_c(program, names);
}

// A function of C in a library of its own.
class c_library {
 public:
  explicit c_library(std::string text, int arguments, int results) {
    text +=
        "\nvoid call(const void *const *x, void *const *y, void *arena);\n"
        "void call(const void *const *x, void *const *y, void *arena) {\n  (void)x, (void)y;\n  model(";
    for (int i = 0; i < arguments; ++i) text += "x[" + std::to_string(i) + "], ";
    for (int i = 0; i < results; ++i) text += "y[" + std::to_string(i) + "], ";
    text += "arena);\n}\n";
    static int count = 0;
    const std::string name = std::filesystem::temp_directory_path() /
                             ("tenon_c99_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::ofstream(name + ".c") << text;
    const std::string command =
        "gcc -std=c99 -O2 -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Werror -shared -fPIC " + name +
        ".c -o " + name + ".so -lm >" + name + ".log 2>&1";
    const int code = std::system(command.c_str());
    REQUIRE_MESSAGE(code == 0, read_file(name + ".log").substr(0, 3000));
    handle_ = dlopen((name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(handle_ != nullptr, dlerror());
    for (const char* end : {".c", ".so", ".log"}) std::filesystem::remove(name + end);
  }
  c_library(const c_library&) = delete;
  ~c_library() { dlclose(handle_); }

  void operator()(const void* const* arguments, void* const* results, void* arena) const {
    using function = void (*)(const void* const*, void* const*, void*);
    reinterpret_cast<function>(dlsym(handle_, "call"))(arguments, results, arena);
  }

 private:
  void* handle_ = nullptr;
};

// Numbers of all kinds: small ones, and, if `odd`, limits, infinities and NaN among them.
bytes argument_of(const tensor_type& type, std::uint32_t& state, bool odd) {
  const auto next = [&] { return state = state * 1664525u + 1013904223u, state >> 8; };
  bytes result(std::size_t(byte_size(type)) + 16);
  for (index_t i = 0; i < type.size(); ++i)
    visit(type.element, [&]<class T>() {
      T value{};
      const std::uint32_t kind = next() % 16;
      const double number = double(next() % 4001) / 1000 - 2;
      if constexpr (is_complex(dtype_of<T>)) {
        value = convert_to<T>(number);
        value.imag = decltype(value.imag)(double(next() % 4001) / 1000 - 2);
      } else if constexpr (is_float(dtype_of<T>)) {
        constexpr double limits[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e30, -3e9, 0.5, -2.5, 1e-42, 65520, 300};
        value = convert_to<T>(odd && kind < 12 ? limits[kind] : number);
      } else if constexpr (is_boolean(dtype_of<T>)) {
        value = next() % 2 == 0;
      } else {
        const std::int64_t limits[] = {INT64_MIN, INT64_MAX, -1, 0, 1, INT32_MIN, INT32_MAX, 255, 31, 32};
        value = convert_to<T>(odd && kind < 10 ? limits[kind] : std::int64_t(next() % 10));
      }
      std::memcpy(result.data() + std::size_t(i) * sizeof(T), &value, sizeof(T));
    });
  return result;
}

// The distance of two elements as a part of `largest`; the same bits, or both NaN, have none.
double distance(dtype element, const unsigned char* a, const unsigned char* b, double largest) {
  return visit(element, [&]<class T>() -> double {
    T x, y;
    std::memcpy(&x, a, sizeof(T)), std::memcpy(&y, b, sizeof(T));
    if (std::memcmp(a, b, sizeof(T)) == 0) return 0;
    const auto of = [&](double p, double q) {
      return p == q || (std::isnan(p) && std::isnan(q)) ? 0 : std::abs(p - q) / largest;
    };
    if constexpr (is_complex(dtype_of<T>))
      return std::max(of(double(x.real), double(y.real)), of(double(x.imag), double(y.imag)));
    else if constexpr (is_float(dtype_of<T>))
      return of(convert_to<double>(x), convert_to<double>(y));
    else
      return INFINITY;
  });
}

void compare(std::string_view text, bool odd, double tolerance) {
  shared_program program(text, &find_any_kernel);
  REQUIRE_MESSAGE(!program.error(), program.error().label, ": ", program.error().sentence);
  const c99::c_text written = emitted(program);
  REQUIRE_MESSAGE(!written.refused, written.refused.op, " ", written.refused.sentence);
  INFO(written.text.substr(0, 20000));
  const c_library library(written.text, program.argument_count(), program.result_count());
  const std::size_t at = written.text.find("arena_bytes ");
  bytes arena(std::size_t(std::atoll(written.text.c_str() + at + 12)) + 64);
  void* const aligned = arena.data() + (64 - reinterpret_cast<std::uintptr_t>(arena.data()) % 64) % 64;
  std::uint32_t state = 7;
  for (int run = 0; run < 2; ++run) {
    std::vector<bytes> arguments, given, wanted;
    std::vector<const void*> inputs(1);
    std::vector<void*> outputs(1), expected(1);
    inputs.clear(), outputs.clear(), expected.clear();
    for (int i = 0; i < program.argument_count(); ++i)
      arguments.push_back(argument_of(program.argument_type(i), state, odd));
    for (int i = 0; i < program.result_count(); ++i) {
      given.emplace_back(std::size_t(byte_size(program.result_type(i))) + 16);
      wanted.push_back(given.back());
    }
    for (const bytes& each : arguments) inputs.push_back(each.data());
    for (bytes& each : given) outputs.push_back(each.data());
    for (bytes& each : wanted) expected.push_back(each.data());
    program(inputs.data(), expected.data());
    library(inputs.data(), outputs.data(), aligned);
    for (int i = 0; i < program.result_count(); ++i) {
      CAPTURE(i);
      const tensor_type& type = program.result_type(i);
      const auto step = std::size_t(storage_bytes(type.element));
      double largest = 1e-30, worst = 0;
      for (std::size_t k = 0; k < std::size_t(type.size()); ++k)
        visit(type.element, [&]<class T>() {
          if constexpr (is_float(dtype_of<T>)) {
            T x;
            std::memcpy(&x, wanted[std::size_t(i)].data() + k * step, sizeof(T));
            if (const double size = std::abs(convert_to<double>(x)); std::isfinite(size))
              largest = std::max(largest, size);
          } else if constexpr (is_complex(dtype_of<T>)) {
            largest = std::max(largest, 1.0);
          }
        });
      for (std::size_t k = 0; k < std::size_t(type.size()); ++k)
        worst = std::max(worst, distance(type.element, given[std::size_t(i)].data() + k * step,
                                         wanted[std::size_t(i)].data() + k * step, largest));
      CHECK(worst <= tolerance);
    }
  }
}

struct text_of_test {
  const char* name;
  bool odd;          // limits, infinities and NaN are among the arguments
  double tolerance;  // 0: bit for bit
  const char* text;
};

const text_of_test texts[] = {
#include "texts.inc"
};

}  // namespace

TEST_CASE("a program in C gives what it gives when it is read") {
  if (std::system("gcc --version >/dev/null 2>&1") != 0) {
    std::cout << "skipped: there is no gcc\n";
    return;
  }
  for (const text_of_test& each : texts) SUBCASE(each.name) {
      compare(each.text, each.odd, each.tolerance);
    }
}

TEST_CASE("third-party programs in C give what they give when they are read") {
  const std::string folders[] = {"gradients/problems", "torch/texts"};
  int count = 0;
  for (const std::string& folder : folders) {
    const std::filesystem::path path = std::filesystem::path(TENON_SOURCE_FOLDER "/../shared") / folder;
    if (!std::filesystem::exists(path) || std::system("gcc --version >/dev/null 2>&1") != 0) {
      std::cout << "skipped: " << path << " or gcc is not there\n";
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().extension() != ".mlir") continue;
      CAPTURE(entry.path());
      const std::string text = read_file(entry.path());
      if (text.find("custom_call") != text.npos) continue;
      compare(text, false, 2e-5);
      ++count;
    }
  }
  std::cout << count << " programs of ../shared\n";
}

TEST_CASE("what has no form in C is refused as a whole") {
  const struct {
    const char *text, *op, *sentence;
  } refused[] = {
      {R"(func.func @main(%x: tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN> {
            return %x : tensor<4xf8E4M3FN>
          })",
       "the function", "no type for"},
      {R"(func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
            %0 = chlo.zeta %x, %y : tensor<f32>, tensor<f32> -> tensor<f32>
            return %0 : tensor<f32>
          })",
       "zeta", "no form in C"},
      {R"(func.func @main(%x: tensor<f32>) -> tensor<3xf32> {
            %c = stablehlo.constant dense<3> : tensor<1xi64>
            %0 = "stablehlo.rng"(%x, %x, %c) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
            return %0 : tensor<3xf32>
          })",
       "rng", "no form in C"},
  };
  for (const auto& each : refused) {
    shared_program program(each.text, &find_any_kernel);
    REQUIRE_MESSAGE(!program.error(), program.error().label, ": ", program.error().sentence);
    const c99::c_text written = emitted(program);
    CHECK(written.text.empty());
    CHECK(written.refused.op == each.op);
    CHECK_MESSAGE(written.refused.sentence.find(each.sentence) != std::string::npos, written.refused.sentence);
  }
}
