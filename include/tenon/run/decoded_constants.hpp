// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/bit_cast.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/plan/plan.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <type_traits>
#include <utility>

namespace tenon::execution {

// Little-endian on every target: element types are stored as the machine stores them.
template <class Byte>
constexpr void store_bits(Byte* to, index_t word, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    const int at = std::endian::native == std::endian::little ? i : bytes - 1 - i;
    to[at] = Byte((std::uint64_t(word) >> (8 * i)) & 0xff);
  }
}

// Limits of constants that are decoded while compiling: elements of each, bytes of all. Larger ones are decoded when
// the program first runs, into static memory.
inline constexpr index_t most_constexpr_elements = 4096, most_constexpr_decimals = 1024, most_constexpr_bytes = 65536;

template <index_t Bytes>
struct constant_bytes {
  alignas(64) unsigned char at[std::size_t(Bytes) + 1]{};
};

// `Program::literals` decodes one.
template <class Program>
struct decoded_constants {
  static constexpr const graph& g = Program::opened_graph;
  static constexpr list<plan_constant> all{Program::opened_plan.constants.data, Program::opened_plan.constants.size};
  static constexpr index_t bytes = Program::opened_plan.constant_bytes;

  static constexpr const tensor_type& type_of(int i) { return g.type_of_value(all.data[i].value); }
  static constexpr index_t bytes_of(int i) { return all.data[i].count * index_t(storage_bytes(type_of(i).element)); }
  static constexpr index_t offset_of(int i) { return Program::opened_plan.places.data[all.data[i].value].offset; }
  static constexpr const graph_literal& literal_of(int i) {
    return g.literals.data[g.words.data[g.nodes.data[g.values.data[all.data[i].value].node].words]];
  }
  // Decimal numbers take far more steps than bytes.
  static constexpr bool decodes_while_compiling() {
    for (int i = 0; i < all.size; ++i)
      if (all.data[i].count >
          (Program::literals::is_decimal(g, literal_of(i)) ? most_constexpr_decimals : most_constexpr_elements))
        return false;
    return bytes <= most_constexpr_bytes;
  }

  // Each constant by a reader of its type alone.
  template <int I>
  static constexpr bool decode(unsigned char* to) {
    constexpr tensor_type type = type_of(I);
    return Program::literals::template decode<real_type(type.element)>(g, literal_of(I), type, all.data[I].count, to);
  }

  // Each in an evaluation of its own, so that none comes near a compiler's limits.
  template <int I>
  static constexpr auto decoded = [] {
    constant_bytes<bytes_of(I)> result;
    if (!decode<I>(result.at)) fail("a constant is not well formed");
    return result;
  }();

  template <int... I>
  static constexpr auto assemble(std::integer_sequence<int, I...>) {
    constant_bytes<bytes> result;
    const unsigned char* const from[] = {decoded<I>.at..., nullptr};
    for (int i = 0; i < int(sizeof...(I)); ++i) {
      const index_t offset = offset_of(i), size = bytes_of(i);
      for (index_t b = 0; b < size; ++b) result.at[offset + b] = from[i][b];
    }
    return result;
  }

  static const void* data() {
    if constexpr (bytes == 0) {
      return nullptr;
    } else if constexpr (requires { Program::literals::constants; } && std::endian::native == std::endian::little) {
      return Program::literals::constants;  // as they lie in memory
    } else if constexpr (decodes_while_compiling()) {
      static constexpr auto written = assemble(std::make_integer_sequence<int, all.size>{});
      return written.at;
    } else {
      static constinit constant_bytes<bytes> written{};
      static constinit std::atomic<int> state{0};  // 1: somebody decodes, 2: done
      for (int seen = state.load(std::memory_order_acquire); seen != 2; seen = state.load(std::memory_order_acquire)) {
        if (seen != 0 || !state.compare_exchange_strong(seen, 1)) continue;
        if (![]<int... I>(std::integer_sequence<int, I...>) {
              return (decode<I>(written.at + offset_of(I)) && ...);
            }(std::make_integer_sequence<int, all.size>{}))
          fail("a constant is not well formed");
        state.store(2, std::memory_order_release);
      }
      return written.at;
    }
  }
};

// The value of a constant, or its first element.
template <class Source, int Value>
inline constexpr auto constant_number = [] {
  constexpr const graph& g = Source::opened_graph;
  using T = element_t<g.type_of_value(Value).element>;
  const graph_literal& literal = g.literals.data[g.words.data[g.nodes.data[g.values.data[Value].node].words]];
  std::array<unsigned char, sizeof(T)> bytes{};
  Source::literals::decode(g, literal, g.type_of_value(Value), 1, bytes.data());
  if constexpr (std::is_same_v<T, bool>)
    return bytes[0] != 0;
  else
    return tenon::core::bit_cast<T>(bytes);
}();

}  // namespace tenon::execution
