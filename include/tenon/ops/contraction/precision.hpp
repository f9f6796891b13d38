// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/dtype.hpp>

namespace tenon {

// How exact an accelerator should be. tenon computes at HIGHEST whatever is asked for.
enum class precision { DEFAULT, HIGH, HIGHEST };
template <>
inline constexpr std::string_view core::enumerators<precision>[] = {"DEFAULT", "HIGH", "HIGHEST"};

// One precision per operand, or none.
using precision_list = core::short_list<precision>;

constexpr bool is_default(const precision_list& precisions) {
  for (precision value : precisions)
    if (value != precision::DEFAULT) return false;
  return true;
}
// size(precision_config) = 2, where it is written.
constexpr bool is_complete(const precision_list& precisions) {
  return precisions.empty() || (precisions.size == 2 && precisions.dropped == 0);
}

// https://openxla.org/stablehlo/spec#dot_general
struct dot_algorithm {
  static constexpr bool needs_all_members = true;
  dtype lhs_precision_type = dtype::none;
  dtype rhs_precision_type = dtype::none;
  dtype accumulation_type = dtype::none;
  index_t lhs_component_count = 0;
  index_t rhs_component_count = 0;
  index_t num_primitive_operations = 0;
  bool allow_imprecise_accumulation = false;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("lhs_precision_type", self.lhs_precision_type) &&
           visit("rhs_precision_type", self.rhs_precision_type) && visit("accumulation_type", self.accumulation_type) &&
           visit("lhs_component_count", self.lhs_component_count) &&
           visit("rhs_component_count", self.rhs_component_count) &&
           visit("num_primitive_operations", self.num_primitive_operations) &&
           visit("allow_imprecise_accumulation", self.allow_imprecise_accumulation);
  }

  friend constexpr bool operator==(const dot_algorithm&, const dot_algorithm&) = default;

  constexpr bool empty() const { return *this == dot_algorithm{}; }

  // Whether some hardware computes like that: XLA's list of algorithms.
  constexpr bool is_known() const {
    const auto is_f8 = [](dtype type) { return is_float(type) && num_bits(type) == 8 && type != dtype::f8E8M0FNU; };
    if (is_f8(lhs_precision_type) && is_f8(rhs_precision_type))
      return accumulation_type == dtype::f32 && components(1) && num_primitive_operations == 1;
    if (lhs_precision_type != rhs_precision_type || allow_imprecise_accumulation) return false;
    const bool plain = components(1) && num_primitive_operations == 1;
    switch (lhs_precision_type) {
      case dtype::f16:
        return (accumulation_type == dtype::f16 || accumulation_type == dtype::f32) && plain;
      case dtype::bf16:
        if (accumulation_type == dtype::bf16) return plain;
        return accumulation_type == dtype::f32 &&
               (plain || (num_primitive_operations == 3 && (components(1) || components(2))) ||
                ((num_primitive_operations == 6 || num_primitive_operations == 9) && (components(1) || components(3))));
      case dtype::tf32:
        return accumulation_type == dtype::f32 &&
               (plain || (num_primitive_operations == 3 && (components(1) || components(2))));
      case dtype::f32:
      case dtype::f64:
        return accumulation_type == lhs_precision_type && plain;
      default:
        return false;
    }
  }

 private:
  constexpr bool components(index_t count) const {
    return lhs_component_count == count && rhs_component_count == count;
  }
};

}  // namespace tenon
