// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/build.hpp>
#include <tenon/graph/ir/facts.hpp>

namespace tenon::passes {

// Appends what a rewrite consists of to a region of a graph; each member gives the value of its result.
struct node_writer {
  graph& to;
  int region = -1;
  int source = -1;  // where the op that is replaced stands in the text

  template <op Op>
  constexpr int append(const Op& self, list<int> operands, const tensor_type& type) const {
    return result_of(append_unchecked(to, self, {operands, {}, {}, region, source}, {&type, 1}));
  }
  // Of a kind of op without attributes.
  constexpr int append(int kind, list<int> operands, const tensor_type& type) const {
    return result_of(append_unchecked(to, kind, {}, {operands, {}, {}, region, source}, {&type, 1}));
  }
  template <op Op>
  constexpr int append_unary(const Op& self, int operand, const tensor_type& type) const {
    return append(self, {&operand, 1}, type);
  }

  constexpr int append_reshaped(int value, const tensor_type& type) const {
    return to.type_of_value(value) == type ? value : append_unary(ops::reshape{}, value, type);
  }

  // A number of these bits, of a type that has no parts.
  constexpr int append_constant(index_t bits, const tensor_type& type) const {
    return append_constant({&bits, 1}, type);
  }
  constexpr int append_constant(list<index_t> words, const tensor_type& type) const {
    return append(ops::constant{{push_literal(to, words)}}, {}, type);
  }

  // The operand folded by an op, or one of this kind, from the value `initial` on, to elements of `type`.
  constexpr int append_fold(const auto& body_op, int operand, int initial, const ints& axes,
                            const tensor_type& type) const {
    const tensor_type scalar = type.with_shape({}), arguments[] = {scalar, scalar};
    const int body = open_region(to, region, {arguments, 2}, source);
    const int first = to.regions.data[body].arguments, both[] = {first, first + 1};
    const int combined = node_writer{to, body, source}.append(body_op, {both, 2}, scalar);
    close_region(to, body, {&combined, 1});
    const int operands[] = {operand, initial};
    return result_of(
        append_unchecked(to, ops::reduce{axes}, {{operands, 2}, {&body, 1}, {}, region, source}, {&type, 1}));
  }

 private:
  constexpr int result_of(int node) const { return to.nodes.data[node].results; }
};

}  // namespace tenon::passes
