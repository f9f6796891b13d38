// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/text/lexer.hpp>

namespace tenon::text::mlir {

struct field_name {
  const char* characters = "";
  int size = 0;
  word_key key = 0;
  word_key short_key = 0;  // of the name that the ops' own notations have for it
  bool required = false;
};

struct short_name {
  keyword field, text;
};
inline constexpr short_name short_names[] = {{"iota_dimension", "dim"},
                                             {"dimension", "dim"},
                                             {"broadcast_dimensions", "dims"},
                                             {"permutation", "dims"},
                                             {"dimensions", "dims"},
                                             {"slice_sizes", "sizes"},
                                             {"broadcast_sizes", "sizes"},
                                             {"edge_padding_low", "low"},
                                             {"edge_padding_high", "high"},
                                             {"interior_padding", "interior"},
                                             {"fft_type", "type"},
                                             {"fft_length", "length"},
                                             {"rng_algorithm", "algorithm"},
                                             {"rng_distribution", "distribution"},
                                             {"einsum_config", "config"},
                                             {"precision_config", "precision"},
                                             {"dimension_numbers", "dim_numbers"},
                                             {"window_strides", "stride"},
                                             {"padding", "pad"},
                                             {"lhs_dilation", "lhs_dilate"},
                                             {"rhs_dilation", "rhs_dilate"},
                                             {"window_reversal", "reverse"}};

// The attributes without which an op means nothing.
inline constexpr key_list<44> required_fields(
    "all_gather_dim batch_group_count broadcast_dimensions broadcast_sizes call_target_name comparison_direction "
    "concat_dimension decomposition dimension dimension_numbers dimensions dot_dimension_numbers edge_padding_high "
    "edge_padding_low einsum_config epsilon exponent_bits feature_group_count feature_index fft_length fft_type "
    "index interior_padding iota_dimension left_side limit_indices mantissa_bits name permutation "
    "ragged_dot_dimension_numbers replica_groups rng_algorithm rng_distribution scatter_dimension "
    "scatter_dimension_numbers slice_sizes split_count split_dimension start_indices strides transpose_a "
    "unit_diagonal value window_dimensions");
constexpr bool is_required(word_key op, word_key field) {
  if (op == key_of("sort")) return false;
  return required_fields.contains(field) || (op == key_of("top_k") && field == key_of("k")) ||
         (op == key_of("triangular_solve") && field == key_of("lower")) ||
         (op == key_of("collective_permute") && field == key_of("source_target_pairs"));
}

template <class Op>
constexpr word_key key_of_op() {
  if constexpr (requires { Op::name; })
    return key_of(std::string_view(Op::name));
  else
    return 0;
}

// Groups of attributes that mean nothing unless each of them is given.
template <class T>
concept needs_all_members = requires { requires T::needs_all_members; };

template <class Op>
struct fields_of {
  static constexpr int count = attribute_count<Op>;

  struct names {
    field_name at[count + 1];
    bool any_required = false;
  };
  // The fields' names as the text has them: without the underscore that keeps a name apart from a C++ word.
  static constexpr names name = [] {
    names result;
    int i = 0;
    Op op{};
    for_each_attribute(op, [&](std::string_view text, const auto&) {
      if (text.back() == '_') text.remove_suffix(1);
      const word_key key = key_of(text);
      result.at[i] = {text.data(), int(text.size()), key, 0, false};
      for (const short_name& known : short_names)
        if (known.field.key == key) result.at[i].short_key = known.text.key;
      // Groups and what they hold are not ops.
      result.at[i].required = needs_all_members<Op> || (key_of_op<Op>() != 0 && is_required(key_of_op<Op>(), key));
      result.any_required = result.any_required || result.at[i].required;
      ++i;
    });
    return result;
  }();
};

// Calls f(name, field) for every field until one answers false.
template <class Op, class Function>
constexpr bool for_fields(Op& op, Function f) {
  int i = 0;
  return visit_attributes(op, [&](std::string_view, auto& field) { return f(fields_of<Op>::name.at[i++], field); });
}

template <class T>
concept group = has_attributes<T>;

}  // namespace tenon::text::mlir
