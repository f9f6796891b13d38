// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/ops/op.hpp>

namespace tenon {

// Part `output_tuple_indices` of the results lies where part `operand_tuple_indices` of operand `operand_index` does.
struct output_operand_alias {
  static constexpr bool needs_all_members = true;
  ints output_tuple_indices{};
  index_t operand_index = 0;
  ints operand_tuple_indices{};

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("output_tuple_indices", self.output_tuple_indices) && visit("operand_index", self.operand_index) &&
           visit("operand_tuple_indices", self.operand_tuple_indices);
  }

  friend constexpr bool operator==(const output_operand_alias&, const output_operand_alias&) = default;
};

// Runs the custom calls of one name, for as long as it lives. The function gets operands and results as ops do. Meant
// to be made before programs run: making one while another thread runs a program is a race.
class custom_call_target {
 public:
  custom_call_target(std::string_view name, core::kernel run) : name_(name), run_(run), next_(first()) {
    first() = this;
  }
  custom_call_target(const custom_call_target&) = delete;
  custom_call_target& operator=(const custom_call_target&) = delete;
  ~custom_call_target() {
    custom_call_target** link = &first();
    while (*link != this) link = &(*link)->next_;
    *link = next_;
  }

  // The function for this name, or null. The latest one counts.
  static core::kernel find(std::string_view name) {
    for (const custom_call_target* each = first(); each != nullptr; each = each->next_)
      if (detail::same_text(each->name_, name)) return each->run_;
    return nullptr;
  }

 private:
  std::string_view name_;
  core::kernel run_;
  custom_call_target* next_;

  static custom_call_target*& first() {
    static constinit custom_call_target* head = nullptr;
    return head;
  }
};

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#custom_call
struct custom_call {
  static constexpr std::string_view name = "custom_call";
  static constexpr op_notation notation = op_notation::custom_call;
  static constexpr std::string_view no_maps = "nobody says what it computes";
  static constexpr int typed_api_version = 4;  // where backend_config is a dictionary
  static constexpr bool moves_bytes = true, runs_for_effect = true, is_impure = true, runs_targets = true;
  name_id call_target_name{};
  bool has_side_effect = false;
  opaque_attribute backend_config{};
  std::int32_t api_version = 1;
  short_list<name_id> called_computations{};
  short_list<ints> operand_layouts{}, result_layouts{};  // minor to major
  short_list<output_operand_alias> output_operand_aliases{};
  ints indices_of_shape_operands{};  // of the operands that JAX adds where the shapes of results are open

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("call_target_name", self.call_target_name) && visit("has_side_effect", self.has_side_effect) &&
           visit("backend_config", self.backend_config) && visit("api_version", self.api_version) &&
           visit("called_computations", self.called_computations) && visit("operand_layouts", self.operand_layouts) &&
           visit("result_layouts", self.result_layouts) &&
           visit("output_operand_aliases", self.output_operand_aliases) &&
           visit("indices_of_shape_operands", self.indices_of_shape_operands);
  }

  constexpr void infer(rules& rule, list<tensor_type> inputs, table<tensor_type>& results) const {
    rule("custom_call_i5", "api_version: 0 to 4", 0 <= api_version && api_version <= typed_api_version);
    check_backend_config(rule);
    check_layouts(rule, inputs);
    check_aliases(rule, inputs);
    check_buffers(rule, inputs);
    for (const tensor_type& result : rule.declared) results.push(result);
  }

  // Runs the function that a custom_call_target has for the name.
  template <class>
  void evaluate(const evaluation& e) const {
    const std::string_view target = e.details != nullptr ? e.details->name_of(call_target_name.id) : "";
    const kernel run = custom_call_target::find(target);
    if (run == nullptr) fail("custom_call: nobody runs ", target);
    run(e);
  }

 private:
  constexpr void check_backend_config(rules& rule) const {
    const std::string_view written = rule.name_of(backend_config.id);
    rule("custom_call_i4", "backend_config: a dictionary for api_version 4, a string for the others",
         written.empty() || (written[0] == '{') == (api_version == typed_api_version));
  }

  constexpr void check_layouts(rules& rule, list<tensor_type> inputs) const {
    if (operand_layouts.empty() && result_layouts.empty()) return;
    check_layouts(rule, operand_layouts, inputs);
    const tensor_type first = rule.declared[0];
    check_layouts(rule, result_layouts,
                  rule.declared.size == 1 && first.element == dtype::tuple ? rule.members_of(first) : rule.declared);
  }
  static constexpr void check_layouts(rules& rule, const short_list<ints>& layouts, list<tensor_type> types) {
    rule("custom_call_layouts", "operand_layouts and result_layouts: one for each operand and result",
         layouts.size + layouts.dropped == types.size);
    for (int i = 0; i < layouts.size; ++i) {
      rule("custom_call_layouts", "tuples have no layout", types[i].element != dtype::tuple);
      rule("custom_call_layouts", "each layout is a permutation of the dimensions",
           layouts.at[i].size == types[i].rank() && layouts.at[i].unique() && layouts.at[i].within(0, types[i].rank()));
    }
  }

  constexpr void check_aliases(rules& rule, list<tensor_type> inputs) const {
    for (int i = 0; i < output_operand_aliases.size; ++i) {
      const output_operand_alias& alias = output_operand_aliases.at[i];
      rule("custom_call_i7", "0 <= operand_index < size(inputs)",
           0 <= alias.operand_index && alias.operand_index < inputs.size);
      // Several results count as one tuple of them.
      const bool several = rule.declared.size > 1;
      const int which = several ? int(alias.output_tuple_indices[0]) : 0;
      tensor_type output = rule.declared[which], operand = inputs[int(alias.operand_index)];
      const bool found =
          (!several || (!alias.output_tuple_indices.empty() && 0 <= which && which < rule.declared.size)) &&
          step_into(rule, output, alias.output_tuple_indices, several ? 1 : 0) &&
          step_into(rule, operand, alias.operand_tuple_indices, 0);
      rule("custom_call_i7", "output_tuple_indices and operand_tuple_indices lead to a part", found);
      rule("custom_call_i7", "the parts of operand and result have the same type", !found || output == operand);
      for (int j = 0; j < i; ++j)
        rule("custom_call_i7", "no buffer is named twice",
             !is_buffer(rule, operand) || output_operand_aliases.at[j].operand_index != alias.operand_index ||
                 !(output_operand_aliases.at[j].operand_tuple_indices == alias.operand_tuple_indices));
    }
  }
  static constexpr bool step_into(const rules& rule, tensor_type& type, const ints& indices, int first) {
    for (int i = first; i < indices.size; ++i) {
      const list<tensor_type> members = rule.members_of(type);
      if (indices[i] < 0 || indices[i] >= members.size) return false;
      type = members[int(indices[i])];
    }
    return true;
  }

  // The referent of a buffer is its only member.
  static constexpr bool is_buffer(const rules& rule, const tensor_type& type) {
    return type.element == dtype::other && rule.members_of(type).size == 1;
  }
  static constexpr bool refers_to(const rules& rule, const tensor_type& buffer, const tensor_type& tensor) {
    return is_buffer(rule, buffer) && tensor.is_tensor() && rule.members_of(buffer)[0] == tensor;
  }

  constexpr void check_buffers(rules& rule, list<tensor_type> inputs) const {
    const std::string_view target = rule.name_of(call_target_name.id);
    const tensor_type result = rule.declared[0], input = inputs[0];
    const bool one_result = rule.declared.size == 1, one_each = inputs.size == 1 && one_result;
    if (target == "CreateBuffer") {
      rule("custom_call_buffers", "CreateBuffer: () -> buffer",
           inputs.empty() && one_result && is_buffer(rule, result));
    } else if (target == "Pin") {
      rule("custom_call_buffers", "Pin: tensor -> buffer of its type", one_each && refers_to(rule, result, input));
    } else if (target == "Unpin") {
      rule("custom_call_buffers", "Unpin: buffer -> tensor of its type", one_each && refers_to(rule, input, result));
    } else {
      // Several results count as one tuple of them.
      for (int i = 0; i < rule.declared.size; ++i)
        check_buffer_results(rule, rule.declared[i], one_result ? ints{} : ints{i});
    }
  }
  constexpr void check_buffer_results(rules& rule, const tensor_type& part, const ints& indices) const {
    if (is_buffer(rule, part)) {
      int aliases = 0;
      for (const output_operand_alias& alias : output_operand_aliases) aliases += alias.output_tuple_indices == indices;
      rule("custom_call_i7", "each buffer among the results is that of one operand", aliases == 1);
    } else if (part.element == dtype::tuple) {
      const list<tensor_type> members = rule.members_of(part);
      for (int i = 0; i < members.size; ++i) {
        ints inner = indices;
        inner.push(i);
        check_buffer_results(rule, members[i], inner);
      }
    }
  }
};

}  // namespace tenon::ops
