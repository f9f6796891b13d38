// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gradients/differentiated.hpp>
#include <gradients/kernels.hpp>
#include <shared/print_program.hpp>
#include <shared/shared_program.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

// Gradients of programs of f64 and complex_f64 beside central differences, and forward beside reverse mode.
namespace tenon::gradients {

// The bytes of an argument or a result; numbers are read and written as doubles, a complex one as two.
struct array {
  tensor_type type;
  std::vector<double> numbers;
  std::vector<std::int32_t> integers;

  array() = default;
  explicit array(const tensor_type& of) : type(of) {
    const std::size_t size = std::size_t(of.size());
    if (is_float(of.element) || is_complex(of.element))
      numbers.resize(is_complex(of.element) ? 2 * size : size);
    else
      integers.resize(2 * size);
  }
  bool is_differentiable() const { return is_float(type.element) || is_complex(type.element); }
  void* data() { return is_differentiable() ? static_cast<void*>(numbers.data()) : integers.data(); }
};

inline std::vector<array> run(shared_program& program, std::vector<array>& arguments) {
  REQUIRE(int(arguments.size()) == program.argument_count());
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (int i = 0; i < program.argument_count(); ++i) {
    REQUIRE(arguments[std::size_t(i)].type == program.argument_type(i));
    inputs.push_back(arguments[std::size_t(i)].data());
  }
  std::vector<array> results;
  for (int i = 0; i < program.result_count(); ++i) results.emplace_back(program.result_type(i));
  for (array& each : results) outputs.push_back(each.data());
  program(inputs.data(), outputs.data());
  return results;
}

// Where programs are looked at.
struct points {
  double low = -1, high = 1;
  std::vector<std::vector<std::int32_t>> integers = {};  // of the arguments that have them, in order
  int orders = 2;                                        // of derivatives that are looked at
  double tolerance = 1e-6;
  std::vector<double> near = {};  // in place of random numbers: the first argument, at one point
};

// The sum of ct * y; of complex numbers its real part.
inline double product(const array& ct, const array& y) {
  double sum = 0;
  const bool complex = is_complex(y.type.element);
  for (std::size_t i = 0; i < y.numbers.size(); ++i)
    sum += (complex && i % 2 == 1 ? -1 : 1) * ct.numbers[i] * y.numbers[i];
  return sum;
}

inline shared_program load(std::string_view text) {
  shared_program program(text, &find_wide_kernel);
  const load_error& error = program.error();
  REQUIRE_MESSAGE(!error, std::string(text), "\n", error.label, ": ", error.sentence, " line ", error.line, ", op ",
                  std::string(ir::name_of_kind(error.kind)));
  return program;
}
inline std::string derivative_text(std::string_view text, const std::vector<int>& by, derivative which) {
  refusal why;
  const ir::growing_graph made = derivative_of_text(text, {by.data(), int(by.size())}, which, why);
  REQUIRE_MESSAGE(!why.label, std::string(text), "\n", why.label, ": ", why.sentence);
  return print_program(made.get());
}

inline void check_gradient(const std::string& text, const points& at = {}, std::vector<int> by = {}) {
  CAPTURE(text);
  shared_program program = load(text);
  if (by.empty())
    for (int i = 0; i < program.argument_count(); ++i)
      if (array(program.argument_type(i)).is_differentiable()) by.push_back(i);
  const std::string forward = derivative_text(text, by, derivative::pushforward),
                    backward = derivative_text(text, by, derivative::pullback);
  CAPTURE(forward);
  CAPTURE(backward);
  shared_program push = load(forward), pull = load(backward);
  std::minstd_rand numbers(unsigned(text.size()));
  const auto random = [&](double low, double high) {
    return low + (high - low) * double(numbers()) / double(numbers.max());
  };
  for (int point = 0; point < (at.near.empty() ? 3 : 1); ++point) {
    CAPTURE(point);
    std::vector<array> x, dx;
    std::size_t whole = 0;
    for (int i = 0; i < program.argument_count(); ++i) {
      x.emplace_back(program.argument_type(i));
      array& each = x.back();
      for (double& number : each.numbers) number = random(at.low, at.high);
      if (i == 0 && !at.near.empty())
        for (std::size_t k = 0; k < each.numbers.size(); ++k) each.numbers[k] = at.near[k % at.near.size()];
      if (!each.is_differentiable()) {
        REQUIRE(whole < at.integers.size());
        const std::vector<std::int32_t>& given = at.integers[whole++];
        const tensor_type& type = each.type;
        for (std::size_t k = 0; k < std::size_t(type.size()); ++k) {
          const std::int32_t value = given[k % given.size()];
          if (storage_bytes(type.element) == 8) {
            const std::int64_t wide = value;
            std::memcpy(&each.integers[2 * k], &wide, 8);
          } else if (storage_bytes(type.element) == 1) {
            reinterpret_cast<signed char*>(each.integers.data())[k] = static_cast<signed char>(value);
          } else {
            each.integers[k] = value;
          }
        }
      }
    }
    std::vector<array> with_tangents = x, with_cotangents = x;
    for (int i : by) {
      dx.emplace_back(x[std::size_t(i)].type);
      for (double& number : dx.back().numbers) number = random(-1, 1);
      with_tangents.push_back(dx.back());
    }
    std::vector<array> y = run(program, x);
    const std::vector<array> pushed = run(push, with_tangents);
    // Central differences.
    const double step = 1e-6;
    const auto moved = [&](double distance) {
      std::vector<array> there = x;
      for (std::size_t k = 0; k < by.size(); ++k)
        for (std::size_t n = 0; n < dx[k].numbers.size(); ++n)
          there[std::size_t(by[k])].numbers[n] += distance * dx[k].numbers[n];
      return run(program, there);
    };
    const std::vector<array> above = moved(step), below = moved(-step);
    std::size_t tangent = y.size();
    double pushed_product = 0;
    for (std::size_t r = 0; r < y.size(); ++r) {
      if (!y[r].is_differentiable()) continue;
      const array& dy = pushed[tangent++];
      array ct(y[r].type);
      for (double& number : ct.numbers) number = random(-1, 1);
      pushed_product += product(ct, dy);
      with_cotangents.push_back(ct);
      for (std::size_t n = 0; n < dy.numbers.size(); ++n) {
        const double expected = (above[r].numbers[n] - below[r].numbers[n]) / (2 * step);
        CHECK(std::abs(dy.numbers[n] - expected) <= at.tolerance * (1 + std::abs(expected)));
      }
    }
    const std::vector<array> pulled = run(pull, with_cotangents);
    double pulled_product = 0;
    for (std::size_t k = 0; k < by.size(); ++k) pulled_product += product(pulled[y.size() + k], dx[k]);
    CHECK(std::abs(pulled_product - pushed_product) <= 1e-9 * (1 + std::abs(pushed_product)));
  }
  if (at.orders > 1 && at.near.empty()) {
    points again = at;
    --again.orders, again.tolerance *= 10;
    check_gradient(forward, again), check_gradient(backward, again);
  }
}

// A function of tensors of these types whose body is given, with results %y0 ... of these types.
inline std::string function(const std::vector<std::string>& takes, const std::string& body,
                            const std::vector<std::string>& gives) {
  std::string text = "func.func @main(", names, types;
  for (std::size_t i = 0; i < takes.size(); ++i)
    text += (i > 0 ? ", %" : "%") + std::string(1, char('a' + i)) + ": tensor<" + takes[i] + ">";
  for (std::size_t i = 0; i < gives.size(); ++i) {
    names += (i > 0 ? ", %y" : "%y") + std::to_string(i);
    types += (i > 0 ? ", tensor<" : "tensor<") + gives[i] + ">";
  }
  return text + ") -> (" + types + ") {\n" + body + "\n  return " + names + " : " + types + "\n}\n";
}

}  // namespace tenon::gradients
