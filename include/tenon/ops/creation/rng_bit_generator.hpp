// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/ops/creation/random_bits.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon {

enum class rng_algorithm { DEFAULT, THREE_FRY, PHILOX };
template <>
inline constexpr std::string_view core::enumerators<rng_algorithm>[] = {"DEFAULT", "THREE_FRY", "PHILOX"};

}  // namespace tenon

namespace tenon::ops {

// The bits are those of XLA on a CPU; DEFAULT is PHILOX there.
// https://openxla.org/stablehlo/spec#rng_bit_generator
struct rng_bit_generator {
  static constexpr std::string_view name = "rng_bit_generator";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool moves_bytes = true, generates_bits = true;
  tenon::rng_algorithm rng_algorithm{};

  static constexpr bool attributes(auto& self, auto visit) { return visit("rng_algorithm", self.rng_algorithm); }

  // Results: output_state, output. The type of the output is the written one.
  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    const tensor_type state = operands[0], output = rule.declared[1];
    const index_t size = state.dim(0);
    rule("operands", "the number of operands is the one that the op takes", operands.size == 1);
    rule("rng_bit_generator_i2", "initial_state: 1-dimensional tensor of type ui64",
         state.element == dtype::ui64 && state.rank() == 1 && !state.is_quantized());
    rule("rng_bit_generator_c2",
         "size(initial_state) is 2 if rng_algorithm = THREE_FRY, 2 or 3 if rng_algorithm = PHILOX or DEFAULT",
         size == 2 || (size == 3 && rng_algorithm != tenon::rng_algorithm::THREE_FRY));
    results.push(state);
    if (!rule.declared.empty() && rule.declared.data[0].element != dtype::none)
      rule.result("rng_bit_generator_c1", "type(initial_state) = type(output_state)", state);
    rule("rng_bit_generator_o2", "output: tensor of integer or floating-point type, which is written",
         rule.is(output, kinds::integer | kinds::floating_point));
    results.push(output);
  }

  // Every bit depends on the whole state.
  static constexpr indexing::indexing_map reads(int, int result, list<tensor_type> operands,
                                                list<tensor_type> results) {
    return indexing::whole_map(results[result].shape, operands[0].shape);
  }

  // The state is a key and a counter: [key, counter] for THREE_FRY, [key, low, high] for PHILOX, where `high` is the
  // key if the state has two numbers. Types narrower than 32 bits take the low bits of a word each.
  template <class>
  void evaluate(const evaluation& e) const {
    ui64 state[3];
    read_state(e, state);
    visit(e.result_types.data[1].element, [&]<class T>() {
      if constexpr (dtype_of<T> != dtype::i1 && !is_complex(dtype_of<T>)) {
        if (is_philox())
          fill_by_philox(state, e.result<T>(1), e.result_types.data[1].size());
        else
          fill_by_threefry(state, e.result<T>(1), e.result_types.data[1].shape);
      }
    });
    write_state(e, state);
  }

  constexpr bool is_philox() const { return rng_algorithm != tenon::rng_algorithm::THREE_FRY; }
  static void read_state(const evaluation& e, ui64 (&state)[3]) {
    for (index_t i = 0; i < 3; ++i) state[i] = e.operand<ui64>(0)[i < e.operand_types[0].dim(0) ? i : 0];
  }
  static void write_state(const evaluation& e, const ui64 (&state)[3]) {
    for (index_t i = 0; i < e.operand_types[0].dim(0); ++i) e.result<ui64>(0)[i] = state[i];
  }

 private:
  template <class T>
  static void fill_by_philox(ui64 (&state)[3], T* output, index_t count) {
    constexpr index_t per_block = num_bits(dtype_of<T>) == 64 ? 2 : 4;
    for (index_t first = 0; first < count; first += per_block) {
      const auto [words] = philox(state[0], state[1], state[2]);
      if (++state[1] == 0) ++state[2];
      for (index_t i = 0; i < per_block && first + i < count; ++i)
        output[first + i] = from_bits<T>(per_block == 4 ? words[i] : joined(words[2 * i], words[2 * i + 1]));
    }
  }

  // 64 bits per counter. For narrower types the tensor is cut along one dimension: its even indices take the low words,
  // its odd ones the high words.
  template <class T>
  static void fill_by_threefry(ui64 (&state)[3], T* output, const ints& shape) {
    if constexpr (num_bits(dtype_of<T>) == 64) {
      for (index_t i = 0; i < shape.product(); ++i) {
        const threefry_block block = threefry(state[0], state[1]++);
        output[i] = from_bits<T>(joined(block.words[0], block.words[1]));
      }
    } else {
      const int cut = dimension_to_cut(shape);
      index_t outer = 1, inner = 1;
      for (int i = 0; i < shape.size; ++i) {
        if (i < cut) outer *= shape[i];
        if (i > cut) inner *= shape[i];
      }
      const index_t size = shape.size == 0 ? 1 : shape[cut];
      for (index_t i = 0; i < outer; ++i)
        for (index_t k = 0; k < size; k += 2) {
          T* const low = output + (i * size + k) * inner;
          for (index_t m = 0; m < inner; ++m) {
            const threefry_block block = threefry(state[0], state[1]++);
            low[m] = from_bits<T>(block.words[0]);
            if (k + 1 < size) low[inner + m] = from_bits<T>(block.words[1]);
          }
        }
    }
  }
  // The first of even size, else the first of the largest size.
  static constexpr int dimension_to_cut(const ints& shape) {
    int largest = 0;
    for (int i = 0; i < shape.size; ++i) {
      if (shape[i] % 2 == 0) return i;
      if (shape[i] > shape[largest]) largest = i;
    }
    return largest;
  }
};

}  // namespace tenon::ops

namespace tenon {

// Two results, the next state and random bits as a tensor of T's: rng_bit_generator<ui32, ints{100},
// rng_algorithm::PHILOX>(state). The state is ui64, of 2 elements for THREE_FRY, of 2 or 3 for PHILOX and DEFAULT; T is
// an integer or a float.
template <class T, ints Shape, rng_algorithm Algorithm = rng_algorithm::DEFAULT, operand_like State>
constexpr auto rng_bit_generator(
    State&& initial_state,
    op_check<ops::rng_bit_generator{Algorithm}, result_types<tensor_type{}, type_of(dtype_of<T>, Shape)>, State> = {}) {
  return apply<ops::rng_bit_generator{Algorithm}, result_types<tensor_type{}, type_of(dtype_of<T>, Shape)>>(
      static_cast<State&&>(initial_state));
}

}  // namespace tenon
