// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/distributed/simulated.hpp>
#include <tenon/kernels/all.hpp>
#include <tenon/xla/xla_builder.hpp>

#include <shared/shared_program.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace tenon::test {
using namespace core;

using namespace tenon::xla;
using Literals = std::vector<Literal>;

// Elements in memory as words, and back.
inline std::vector<unsigned char> bytes_of(const Literal& literal) {
  std::vector<unsigned char> bytes(std::size_t(byte_size(literal.type)) + 16);
  visit(literal.type.element, [&]<class T>() {
    T* const to = reinterpret_cast<T*>(bytes.data());
    for (index_t i = 0; i < literal.type.size(); ++i) {
      if constexpr (requires { T{}.imag; })
        to[i] = {from_bits<decltype(T{}.real)>(ui64(literal.words[std::size_t(2 * i)])),
                 from_bits<decltype(T{}.real)>(ui64(literal.words[std::size_t(2 * i + 1)]))};
      else
        to[i] = from_bits<T>(ui64(literal.words[std::size_t(i)]));
    }
  });
  return bytes;
}
inline Literal literal_of(const tensor_type& type, const unsigned char* bytes) {
  Literal result{type, {}};
  visit(type.element, [&]<class T>() {
    for (index_t i = 0; i < type.size(); ++i) result.push(reinterpret_cast<const T*>(bytes)[i]);
  });
  return result;
}
inline std::string text_of(const Literal& literal) {
  core::message_text<160> type;
  std::string text = std::string((type << literal.type).view()) + " {";
  const std::vector<unsigned char> bytes = bytes_of(literal);
  visit(literal.type.element, [&]<class T>() {
    for (index_t i = 0; i < literal.type.size(); ++i) {
      const T& each = reinterpret_cast<const T*>(bytes.data())[i];
      if constexpr (requires { each.imag; })
        text += std::to_string(double(each.real)) + "+" + std::to_string(double(each.imag)) + "i, ";
      else
        text += std::to_string(convert_to<f64>(each)) + ", ";
    }
  });
  return text + "}";
}

// What the program gives for these arguments; tokens are left out.
inline Literals run(shared_program& program, const Literals& arguments = {}, process_context* process = nullptr) {
  std::vector<std::vector<unsigned char>> in, out;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (const Literal& each : arguments) in.push_back(bytes_of(each));
  for (const auto& each : in) inputs.push_back(each.data());
  for (int i = 0; i < program.result_count(); ++i)
    out.emplace_back(std::size_t(program.result_type(i).is_tensor() ? byte_size(program.result_type(i)) : 0) + 64);
  for (auto& each : out) outputs.push_back(each.data());
  inputs.push_back(nullptr), outputs.push_back(nullptr);
  run_options options;
  options.process = process;
  program(inputs.data(), outputs.data(), options);
  Literals results;
  for (int i = 0; i < program.result_count(); ++i)
    if (program.result_type(i).is_tensor())
      results.push_back(literal_of(program.result_type(i), out[std::size_t(i)].data()));
  return results;
}
inline Literals run(const XlaComputation& computation, const Literals& arguments = {},
                    process_context* process = nullptr) {
  if (!computation.ok()) FAIL(computation.label << ": " << computation.sentence);
  shared_program program(computation.program(), &find_any_kernel);
  if (!program) FAIL(std::string(program.error().sentence));
  return run(program, arguments, process);
}
// Of each process of a grid, by itself.
template <class Arguments>
std::vector<Literals> run_on(const process_grid& grid, const XlaComputation& computation, const Arguments& arguments,
                             host_streams* streams = nullptr) {
  std::vector<Literals> all(std::size_t(grid.size()));
  simulated_grid(grid, streams).run([&](process_context& process) {
    const std::size_t at = std::size_t(flat_id(grid, process.id()));
    all[at] = run(computation, arguments(int(at)), &process);
  });
  return all;
}

inline bool same(const Literals& a, const Literals& b) {
  bool equal = a.size() == b.size();
  for (std::size_t i = 0; equal && i < a.size(); ++i) equal = a[i].type == b[i].type && a[i].words == b[i].words;
  if (!equal) {
    for (const Literal& each : a) MESSAGE("is " << text_of(each));
    for (const Literal& each : b) MESSAGE("to be " << text_of(each));
  }
  return equal;
}
// Whether the builder's last value is this.
inline bool gives(XlaBuilder& builder, const Literals& expected, const Literals& arguments = {}) {
  return same(run(builder.Build(), arguments), expected);
}
inline std::string refusal(XlaBuilder& builder) {
  const XlaComputation made = builder.Build();
  return made.ok() ? "" : made.label;
}

template <class T>
Literal R0(T value) {
  return LiteralUtil::CreateR0<T>(value);
}
template <class T>
Literal R1(Span<T> values) {
  return LiteralUtil::CreateR1<T>(values);
}
template <class T>
Literal R2(LiteralUtil::Values<LiteralUtil::Values<T>> values) {
  return LiteralUtil::CreateR2<T>(values);
}
template <class T>
Literal R3(LiteralUtil::Values<LiteralUtil::Values<LiteralUtil::Values<T>>> values) {
  return LiteralUtil::CreateR3<T>(values);
}

// Of two scalars.
template <class Function>
XlaComputation scalar_computation(PrimitiveType type, Function f) {
  XlaBuilder b("scalar");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(type, {}), "x");
  const XlaOp y = Parameter(&b, 1, ShapeUtil::MakeShape(type, {}), "y");
  f(x, y);
  return b.Build().value();
}

}  // namespace tenon::test
