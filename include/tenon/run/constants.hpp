// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/bit_cast.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/plan/plan.hpp>
#include <tenon/text/literal.hpp>

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

// Writes the first `count` elements of a literal in the machine's own form. False: the text is not well formed.
template <dtype Known = dtype::none>
constexpr bool decode_literal(const graph& g, const graph_literal& literal, const tensor_type& type, index_t count,
                              unsigned char* to) {
  const int parts = is_complex(type.element) ? 2 : 1, bytes = int(storage_bytes(type.element)) / parts;
  const auto fill = [&] {
    for (index_t i = 1; i < count; ++i)
      for (int b = 0; b < parts * bytes; ++b) to[i * parts * bytes + b] = to[b];
  };
  if (count == 0) return true;
  if (literal.where == graph_literal::place::words) {
    const index_t written = literal.size == parts ? 1 : count;
    for (index_t i = 0; i < written; ++i)
      for (int part = 0; part < parts; ++part)
        store_bits(to + (i * parts + part) * bytes, g.words.data[literal.first + i * parts + part], bytes);
    if (written == 1) fill();
    return true;
  }
  text::literal_reader<Known> reader(g.text, literal.first, literal.size, type, text::notation_of(literal));
  const bool well_formed = reader.decode([&](index_t element, int part, std::uint64_t bits) {
    if (element < count) store_bits(to + (element * parts + part) * bytes, index_t(bits), bytes);
  });
  if (well_formed && reader.is_splat()) fill();
  return well_formed;
}

// Writes all constants of a plan, plan::constant_bytes in all.
constexpr bool decode_constants(const graph& g, const plan& p, unsigned char* to) {
  for (const plan_constant& each : p.constants) {
    const graph_node& node = g.nodes.data[g.values.data[each.value].node];
    const graph_literal& literal = g.literals.data[g.words.data[node.words]];
    if (!decode_literal(g, literal, g.type_of_value(each.value), each.count, to + p.places.data[each.value].offset))
      return false;
  }
  return true;
}

// Limits of constants that are decoded while compiling: elements of each, bytes of all. Larger ones are decoded when
// the program first runs, into static memory.
inline constexpr index_t most_constexpr_elements = 4096, most_constexpr_decimals = 1024, most_constexpr_bytes = 65536;

template <index_t Bytes>
struct constant_bytes {
  alignas(64) unsigned char at[std::size_t(Bytes) + 1]{};
};

template <class Program>
struct decoded_constants {
  static constexpr index_t bytes = Program::plan().constant_bytes;

  static constexpr index_t bytes_of(int i) {
    const plan_constant& each = Program::plan().constants[i];
    return each.count * index_t(storage_bytes(Program::graph().type_of_value(each.value).element));
  }
  // Decimal numbers take far more steps than bytes.
  static constexpr index_t most_elements_of(int i) {
    constexpr graph g = Program::graph();
    const graph_node& node = g.nodes.data[g.values.data[Program::plan().constants[i].value].node];
    const graph_literal& literal = g.literals.data[g.words.data[node.words]];
    const bool is_decimal = literal.where != graph_literal::place::words && g.text[std::size_t(literal.first)] != '"';
    return is_decimal ? most_constexpr_decimals : most_constexpr_elements;
  }
  static constexpr bool decodes_while_compiling() {
    for (int i = 0; i < Program::plan().constants.size; ++i)
      if (Program::plan().constants[i].count > most_elements_of(i)) return false;
    return bytes <= most_constexpr_bytes;
  }

  // Each constant by a reader of its type alone.
  template <int I>
  static constexpr bool decode(unsigned char* to) {
    constexpr graph g = Program::graph();
    constexpr plan_constant each = Program::plan().constants[I];
    constexpr tensor_type type = g.type_of_value(each.value);
    const graph_node& node = g.nodes.data[g.values.data[each.value].node];
    return decode_literal<real_type(type.element)>(g, g.literals.data[g.words.data[node.words]], type, each.count, to);
  }
  static constexpr index_t offset_of(int i) {
    return Program::plan().places[Program::plan().constants[i].value].offset;
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
    const unsigned char* const all[] = {decoded<I>.at..., nullptr};
    for (int i = 0; i < int(sizeof...(I)); ++i) {
      const index_t offset = offset_of(i), size = bytes_of(i);
      for (index_t b = 0; b < size; ++b) result.at[offset + b] = all[i][b];
    }
    return result;
  }

  static const void* data() {
    if constexpr (bytes == 0) {
      return nullptr;
    } else if constexpr (decodes_while_compiling()) {
      static constexpr auto all = assemble(std::make_integer_sequence<int, Program::plan().constants.size>{});
      return all.at;
    } else {
      static constinit constant_bytes<bytes> all{};
      static constinit std::atomic<int> state{0};  // 1: somebody decodes, 2: done
      for (int seen = state.load(std::memory_order_acquire); seen != 2; seen = state.load(std::memory_order_acquire)) {
        if (seen != 0 || !state.compare_exchange_strong(seen, 1)) continue;
        if (![]<int... I>(std::integer_sequence<int, I...>) {
              return (decode<I>(all.at + offset_of(I)) && ...);
            }(std::make_integer_sequence<int, Program::plan().constants.size>{}))
          fail("a constant is not well formed");
        state.store(2, std::memory_order_release);
      }
      return all.at;
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
  decode_literal(g, literal, g.type_of_value(Value), 1, bytes.data());
  if constexpr (std::is_same_v<T, bool>)
    return bytes[0] != 0;
  else
    return tenon::core::bit_cast<T>(bytes);
}();

}  // namespace tenon::execution
