// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/run/owned_links.hpp>
#include <tenon/run/program.hpp>

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace tenon::test {
using namespace core;

using namespace ir;
using namespace planning;
using namespace execution;
using namespace kernels;

template <class Code, int... I>
std::vector<kernel> kernels_of(std::integer_sequence<int, I...>) {
  static constexpr plan p = Code::plan();
  return {kernel_of<op_of_kind<p.kernels[I].kind>, p.kernels[I].element, p.kernels[I].result, p.kernels[I].body>()...};
}

template <index_t Bytes>
struct aligned_block {
  alignas(64) unsigned char at[Bytes + 64]{};
};

// Small numbers of either sign, some of them equal.
inline std::vector<std::byte> some_numbers(const tensor_type& type, int seed) {
  std::vector<std::byte> bytes(std::size_t(type.size() * storage_bytes(type.element)));
  if (is_complex(type.element)) {
    tensor_type parts = type;
    parts.element = real_type(type.element);
    parts.shape.push(2);
    return some_numbers(parts, seed);
  }
  visit<dtype::i1, dtype::f32, dtype::f64, dtype::f16, dtype::bf16, dtype::i8, dtype::ui8, dtype::i16, dtype::i32,
        dtype::ui32, dtype::i64>(type.element, [&]<class T>() {
    for (std::size_t k = 0; k < bytes.size() / sizeof(T); ++k) {
      const int number = int(k * 37 + std::size_t(seed) * 11) % 17;
      T element;
      if constexpr (std::is_same_v<T, bool>)
        element = number % 3 == 0;
      else if constexpr (std::is_integral_v<T>)
        element = T(number - 2);
      else
        element = convert_to<T>(f32(number) / 2 - 4);
      std::memcpy(bytes.data() + k * sizeof(T), &element, sizeof element);
    }
    return true;
  });
  return bytes;
}

// Whether a program gives, compiled, to the last bit what plan_executor gives that runs the same plan, wherever
// arguments and results lie.
template <class Net>
bool walked_alike() {
  using code = typename Net::code;
  static constexpr graph g = code::graph();
  static constexpr plan p = code::plan();
  const auto kernels = kernels_of<code>(std::make_integer_sequence<int, p.kernels.size>());
  static aligned_block<p.arena_bytes> arena;
  static aligned_block<p.constant_bytes> constants;
  if (!decode_constants(g, p, constants.at)) return false;
  std::vector<std::vector<std::byte>> arguments, got, wanted;
  std::vector<const void*> from;
  std::vector<void*> to, expected;
  for (int i = 0; i < code::argument_count; ++i) arguments.push_back(some_numbers(code::argument_type(i), i));
  for (int i = 0; i < code::result_count; ++i) {
    const tensor_type type = code::result_type(i);
    got.emplace_back(std::size_t(type.size() * storage_bytes(type.element)), std::byte{0x55});
    wanted.emplace_back(got.back().size(), std::byte{0x66});
  }
  for (auto& each : arguments) from.push_back(each.data());
  for (auto& each : got) to.push_back(each.data());
  for (auto& each : wanted) expected.push_back(each.data());
  code::run(from.data(), to.data());
  const owned_links links(g, p);
  const linked_calls calls = links.calls();
  plan_executor(g, p, calls, kernels.data(), constants.at, arena.at)(from.data(), expected.data());
  if (got != wanted) return false;

  // Wherever arguments and results lie.
  const std::vector<std::vector<std::byte>> moved = arguments;
  std::vector<std::vector<std::byte>> again = wanted;
  for (std::size_t i = 0; i < moved.size(); ++i) from[i] = moved[i].data();
  for (std::size_t i = 0; i < again.size(); ++i) {
    for (std::byte& each : again[i]) each = std::byte{0x77};
    to[i] = again[i].data();
  }
  plan_executor(g, p, calls, kernels.data(), constants.at, arena.at)(from.data(), to.data());
  return again == wanted;
}

}  // namespace tenon::test
