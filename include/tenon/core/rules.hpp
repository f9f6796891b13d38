// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/list.hpp>
#include <tenon/core/tensor_type.hpp>

#include <string_view>

namespace tenon::core {

// The parameters of a quantized element type. Value = (stored - zero_point) * scale, per tensor or along one dimension.
// https://openxla.org/stablehlo/spec#types
struct quantization {
  dtype storage = dtype::none, expressed = dtype::none;
  index_t storage_min = 0, storage_max = 0;
  int dimension = -1;  // -1: one scale for the whole tensor
  list<double> scales;
  list<index_t> zero_points;

  constexpr bool per_axis() const { return dimension >= 0; }
};

// The types of a region's arguments and results.
struct signature {
  list<tensor_type> arguments, results;
  // Where it consists of a single op: which one, its position in ops::all. none: nobody said; mixed: it does not.
  static constexpr int none = -1, mixed = -2;
  int only_op = none;
  bool forwards = true;  // the operands of that op are the region's arguments, in order
};

// Whoever stores a program answers what a type alone does not say.
struct type_details {
  virtual constexpr quantization quantization_of(const tensor_type&) const { return {}; }
  virtual constexpr list<tensor_type> members_of(const tensor_type&) const { return {}; }
  virtual constexpr std::string_view name_of(int) const { return {}; }

 protected:
  constexpr ~type_details() = default;
};

// Passed through an op's `infer`: takes note of the first broken rule, and answers what the rules ask beyond the types
// of the operands. A rule is its label (spec op, then cN for a constraint, iN for an input), the specification's
// formula, and whether it holds. After a broken rule `infer` simply goes on; its result is not used.
class rules {
 public:
  list<tensor_type> declared;     // the types written for the results; empty where they are to be inferred
  list<signature> regions;        // of the op's regions, in order
  list<list<index_t>> constants;  // per operand its value, where it is an integer constant
  const type_details* details = nullptr;

  // How many processes run the program, where that is known.
  bool grid_known = false;
  int num_replicas = 1, num_partitions = 1;

  const char* label = nullptr;
  const char* sentence = nullptr;

  constexpr bool broken() const { return broken_; }
  constexpr void operator()(const char* rule_label, const char* rule_sentence, bool holds) {
    if (!holds && !broken()) {
      broken_ = true;
      label = rule_label;
      sentence = rule_sentence;
    }
  }

  // The declared type of result i must be `inferred`; gives `inferred`.
  constexpr const tensor_type& result(const char* rule_label, const char* rule_sentence, const tensor_type& inferred,
                                      int i = 0) {
    if (i < declared.size) (*this)(rule_label, rule_sentence, declared.data[i] == inferred);
    return inferred;
  }
  constexpr void result_shape(const char* rule_label, const char* rule_sentence, const ints& shape, int i = 0) {
    if (i < declared.size) (*this)(rule_label, rule_sentence, declared.data[i].shape == shape);
  }
  constexpr void result_element(const char* rule_label, const char* rule_sentence, const tensor_type& like, int i = 0) {
    if (i < declared.size && declared.data[i].element != dtype::none)
      (*this)(rule_label, rule_sentence,
              declared.data[i].element == like.element && declared.data[i].quantization == like.quantization);
  }

  constexpr quantization quantization_of(const tensor_type& type) const {
    return details && type.is_quantized() ? details->quantization_of(type) : quantization{};
  }
  constexpr bool is_per_axis_quantized(const tensor_type& type) const { return quantization_of(type).per_axis(); }
  constexpr bool is_per_tensor_quantized(const tensor_type& type) const {
    return type.is_quantized() && !quantization_of(type).per_axis();
  }
  // The expressed type of a quantized type, the element type of any other.
  constexpr dtype baseline(const tensor_type& type) const {
    return type.is_quantized() ? quantization_of(type).expressed : type.element;
  }
  constexpr list<tensor_type> members_of(const tensor_type& type) const {
    return details && type.members != 0 ? details->members_of(type) : list<tensor_type>{};
  }
  constexpr std::string_view name_of(int name) const { return details ? details->name_of(name) : std::string_view{}; }
  constexpr bool is(const tensor_type& type, kinds set) const {
    if (!type.is_tensor()) return false;
    if (type.is_quantized())
      return has(set, is_per_axis_quantized(type) ? kinds::per_axis_quantized : kinds::per_tensor_quantized);
    return has(set, kind_of(type.element));
  }

 private:
  bool broken_ = false;
};

// Types that differ at most in how they are quantized: same expressed or element type, same shape.
constexpr bool same_baseline(const rules& rule, const tensor_type& a, const tensor_type& b) {
  return rule.baseline(a) == rule.baseline(b) && a.shape == b.shape && a.bounded == b.bounded;
}

}  // namespace tenon::core
