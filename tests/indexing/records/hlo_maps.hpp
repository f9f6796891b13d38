// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo_text.hpp"
#include "record.hpp"

#include <tenon/indexing/located.hpp>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>

// Maps of HLO instructions, fusions and clusters, found from the program text.
namespace records {

namespace indexing = tenon::indexing;
using tenon::ints;
using module = text::hlo_module<>;

using runtime_source = indexing::runtime_value<map>;  // of an instruction
using located_map = indexing::located_map<map>;
using map_set = std::vector<located_map>;

inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

inline bool is_elementwise(std::string_view opcode) {
  return is_one_of(opcode, {"abs",
                            "add",
                            "and",
                            "atan2",
                            "bitcast-convert",
                            "cbrt",
                            "ceil",
                            "clamp",
                            "compare",
                            "complex",
                            "convert",
                            "copy",
                            "cosine",
                            "count-leading-zeros",
                            "divide",
                            "erf",
                            "exponential",
                            "exponential-minus-one",
                            "floor",
                            "imag",
                            "is-finite",
                            "log",
                            "log-plus-one",
                            "logistic",
                            "map",
                            "maximum",
                            "minimum",
                            "multiply",
                            "negate",
                            "not",
                            "optimization-barrier",
                            "or",
                            "popcnt",
                            "power",
                            "real",
                            "reduce-precision",
                            "remainder",
                            "round-nearest-afz",
                            "round-nearest-even",
                            "rsqrt",
                            "select",
                            "shift-left",
                            "shift-right-arithmetic",
                            "shift-right-logical",
                            "sign",
                            "sine",
                            "sqrt",
                            "stochastic-convert",
                            "subtract",
                            "tan",
                            "tanh",
                            "xor",
                            "all-reduce"});
}

class analysis {
 public:
  explicit analysis(const module& program) : program_(program) {}

  const ints& dimensions(int instruction, int leaf = 0) const { return program_.shape(instruction, leaf).dimensions; }
  std::string_view opcode(int instruction) const { return program_.instructions[instruction].opcode; }
  int operand_count(int instruction) const { return program_.instructions[instruction].operand_count; }

  // Elements of operand k that one element of output j of an instruction needs.
  map_set output_to_input(int id, int j, int k) const {
    if (opcode(id) == "fusion") {
      const std::vector<map_set> all = fusion_maps(id, j);
      return k < static_cast<int>(all.size()) ? all[static_cast<std::size_t>(k)] : map_set{};
    }
    map_set result;
    if (opcode(id) == "tuple") {
      if (const int leaf = leaf_of_tuple_operand(id, j, k); leaf >= 0)
        result.push_back({indexing::identity_map<map>(dimensions(id, j)), {}});
      return result;
    }
    result.push_back(direct_map(id, j, k));
    return result;
  }

  // Elements of output j that one element of operand k takes part in.
  map input_to_output(int id, int k, int j) const {
    const std::string_view op = opcode(id);
    const int operand = program_.operand(id, k);
    const ints& from = dimensions(operand);
    const ints& to = dimensions(id, j);
    const auto attribute = [&](std::string_view name) { return program_.attribute(id, name); };
    const ints axes = text::hlo_integers(attribute("dimensions"));
    if (is_elementwise(op))
      return from == to ? indexing::identity_map<map>(to)
                        : (from.empty() ? indexing::scalar_output_map<map>(to) : indexing::unknown_map<map>());
    if (op == "bitcast")
      return indexing::bitcast_map<map>(from, program_.shape(operand).major_to_minor, to,
                                        program_.shape(id).major_to_minor);
    if (op == "broadcast") return indexing::broadcast_in_dim_output_map<map>(to, from, axes);
    if (op == "concatenate") {
      std::int64_t offset = 0;
      for (int i = 0; i < k; ++i) offset += dimensions(program_.operand(id, i))[axes[0]];
      return indexing::concatenate_output_map<map>(from, axes[0], offset);
    }
    if (op == "dot") {
      if (k == 0)
        return indexing::dot_general_lhs_output_map<map>(to, from, text::hlo_integers(attribute("lhs_batch_dims")),
                                                         text::hlo_integers(attribute("lhs_contracting_dims")));
      return indexing::dot_general_rhs_output_map<map>(to, from, text::hlo_integers(attribute("rhs_batch_dims")),
                                                       text::hlo_integers(attribute("rhs_contracting_dims")));
    }
    if (op == "pad" && k == 0) {
      const text::hlo_padding padding = text::hlo_padding_of(attribute("padding"));
      return indexing::pad_output_map<map>(to, from, padding.low, padding.interior);
    }
    if (op == "reduce")
      return k < operand_count(id) / 2 ? indexing::reduce_output_map<map>(from, axes)
                                       : indexing::scalar_output_map<map>(to);
    if (op == "reshape") return indexing::reshape_map<map>(from, to);
    if (op == "reverse") return indexing::reverse_map<map>(to, axes);
    if (op == "slice") {
      const text::hlo_slice slice = text::hlo_slice_of(attribute("slice"));
      return indexing::slice_output_map<map>(to, slice.start, slice.stride);
    }
    if (op == "transpose") return indexing::transpose_output_map<map>(from, axes);
    return indexing::unknown_map<map>();
  }

  // Positions in the group of the processes whose operand k output j of a collective is made of.
  map replicas(int id, int j, int k) const {
    const ints& result = dimensions(id, j);
    const ints axes = text::hlo_integers(program_.attribute(id, "dimensions"));
    if (opcode(id) == "all-gather")
      return indexing::all_gather_replica_map<map>(result, dimensions(program_.operand(id, k)), axes[0]);
    return indexing::unknown_map<map>();
  }

  // From elements of `target` to those of every instruction that it stands on within the cluster, and to those that the
  // cluster reads.
  std::map<int, map_set> grouped(int target, const std::set<int>& cluster) const {
    std::vector<int> order;
    std::set<int> seen;
    visit(target, cluster, seen, order);
    std::map<int, map_set> reached;
    reached[target].push_back({indexing::identity_map<map>(dimensions(target)), {}});
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      if (cluster.count(*at) == 0) continue;
      for (int k = 0; k < operand_count(*at); ++k)
        for (const located_map& consumer : map_set(reached[*at]))
          for (const located_map& producer : output_to_input(*at, 0, k)) {
            located_map composed = compose(consumer, producer);
            simplify_and_prune(composed);
            add_unique(reached[resolved(program_.operand(*at, k), cluster)], composed);
          }
    }
    return reached;
  }

  // The instruction that computes the value: operands in place of parameters of fusions of the cluster, roots in place
  // of fusions.
  int resolved(int id, const std::set<int>& cluster) const {
    while (true) {
      if (opcode(id) == "fusion" && cluster.count(id) > 0) {
        id = root_of(id);
      } else if (opcode(id) == "parameter") {
        const int fusion = fusion_calling(program_.instructions[id].computation, cluster);
        if (fusion < 0) return id;
        const std::int64_t number = text::hlo_integer(program_.instructions[id].argument, 0);
        if (number < 0 || number >= operand_count(fusion)) return id;
        id = program_.operand(fusion, static_cast<int>(number));
      } else {
        return id;
      }
    }
  }

  int root_of(int fusion) const {
    const int called = called_computation(fusion);
    return called < 0 ? fusion : program_.computations[called].root;
  }
  int called_computation(int fusion) const {
    std::string_view name = program_.attribute(fusion, "calls");
    if (!name.empty() && name[0] == '%') name.remove_prefix(1);
    return program_.find_computation(name);
  }

 private:
  int fusion_calling(int computation, const std::set<int>& cluster) const {
    for (const int id : cluster)
      if (opcode(id) == "fusion" && called_computation(id) == computation) return id;
    return -1;
  }

  void visit(int id, const std::set<int>& cluster, std::set<int>& seen, std::vector<int>& order) const {
    if (!seen.insert(id).second) return;
    if (cluster.count(id) > 0)
      for (int k = 0; k < operand_count(id); ++k)
        visit(resolved(program_.operand(id, k), cluster), cluster, seen, order);
    order.push_back(id);
  }

  // Which output of operand k is leaf j of a tuple; -1 if none.
  int leaf_of_tuple_operand(int tuple, int j, int k) const {
    for (int i = 0; i < operand_count(tuple); ++i) {
      const int leaves = program_.instructions[program_.operand(tuple, i)].shape_count;
      if (i == k) return j < leaves ? j : -1;
      j -= leaves;
      if (j < 0) return -1;
    }
    return -1;
  }

  located_map direct_map(int id, int j, int k) const {
    const std::string_view op = opcode(id);
    const int operand = program_.operand(id, k);
    const ints& result = dimensions(id, j);
    const ints& from = dimensions(operand);
    const auto attribute = [&](std::string_view name) { return program_.attribute(id, name); };
    const ints axes = text::hlo_integers(attribute("dimensions"));
    const auto plain = [](const map& value) { return located_map{value, {}}; };

    if (is_elementwise(op)) {
      if (op == "bitcast-convert" && from != result) return plain(indexing::unknown_map<map>());
      return plain(from == result ? indexing::identity_map<map>(result)
                                  : (from.empty() ? indexing::scalar_map<map>(result) : indexing::unknown_map<map>()));
    }
    if (op == "all-gather") return plain(indexing::all_gather_map<map>(result, from, axes[0]));
    if (op == "bitcast")
      return plain(indexing::bitcast_map<map>(result, program_.shape(id).major_to_minor, from,
                                              program_.shape(operand).major_to_minor));
    if (op == "broadcast") return plain(indexing::broadcast_in_dim_map<map>(result, from, axes));
    if (op == "concatenate") {
      std::int64_t offset = 0;
      for (int i = 0; i < k; ++i) offset += dimensions(program_.operand(id, i))[axes[0]];
      return plain(indexing::concatenate_map<map>(result, axes[0], offset, from[axes[0]]));
    }
    if (op == "convolution") return plain(convolution_map(id, k));
    if (op == "dot" || op == "scaled-dot") return plain(dot_map(id, k));
    if (op == "dynamic-slice" || op == "dynamic-update-slice") return dynamic_map(id, k);
    if (op == "gather") return gather_map(id, k);
    if (op == "get-tuple-element") return plain(indexing::identity_map<map>(result));
    if (op == "pad") {
      if (k > 0) return plain(indexing::scalar_map<map>(result));
      const text::hlo_padding padding = text::hlo_padding_of(attribute("padding"));
      return plain(indexing::pad_map<map>(result, from, padding.low, padding.interior));
    }
    if (op == "reduce")
      return plain(k < operand_count(id) / 2 ? indexing::reduce_map<map>(result, from, axes)
                                             : indexing::scalar_map<map>(result));
    if (op == "reduce-window") {
      if (k >= operand_count(id) / 2) return plain(indexing::scalar_map<map>(result));
      const text::hlo_window window = text::hlo_window_of(attribute("window"));
      return plain(indexing::reduce_window_map<map>(result, from, window.size, window.stride, window.lhs_dilation,
                                                    window.rhs_dilation, window.padding.low));
    }
    if (op == "reshape") return plain(indexing::reshape_map<map>(result, from));
    if (op == "reverse") return plain(indexing::reverse_map<map>(result, axes));
    if (op == "slice") {
      const text::hlo_slice slice = text::hlo_slice_of(attribute("slice"));
      return plain(indexing::slice_map<map>(result, slice.start, slice.stride));
    }
    if (op == "transpose") return plain(indexing::transpose_map<map>(result, axes));
    return plain(indexing::unknown_map<map>());
  }

  map dot_map(int id, int k) const {
    const ints& result = dimensions(id);
    const bool is_lhs = k % 2 == 0;
    const int operand = program_.operand(id, k % 2);
    const std::string side = is_lhs ? "lhs" : "rhs";
    const ints batching = text::hlo_integers(program_.attribute(id, side + "_batch_dims"));
    const ints contracting = text::hlo_integers(program_.attribute(id, side + "_contracting_dims"));
    const ints& full = dimensions(operand);
    const map base = is_lhs ? indexing::dot_general_lhs_map<map>(result, full, batching, contracting)
                            : indexing::dot_general_rhs_map<map>(result, full, batching, contracting);
    if (k < 2) return base;
    // One scale for a block of elements.
    const ints& scale = dimensions(program_.operand(id, k));
    if (scale.empty()) return indexing::scalar_map<map>(result);
    map blocks = indexing::map_over<map>(full);
    for (int i = 0; i < full.size; ++i)
      blocks.add_result(scale[i] > 0 ? floordiv(blocks.dimension(i), full[i] / scale[i]) : blocks.constant(0));
    map composed = indexing::compose(base, blocks);
    indexing::simplify(composed);
    return composed;
  }

  map convolution_map(int id, int k) const {
    const text::hlo_window window = text::hlo_window_of(program_.attribute(id, "window"));
    const auto labels = text::hlo_dimension_labels_of(program_.attribute(id, "dim_labels"));
    indexing::convolution_numbers numbers;
    numbers.window_strides = window.stride;
    numbers.padding_low = window.padding.low;
    numbers.lhs_dilation = window.lhs_dilation;
    numbers.rhs_dilation = window.rhs_dilation;
    numbers.reversed_windows = window.reversal;
    numbers.input_batch_dimension = labels.lhs.first;
    numbers.input_feature_dimension = labels.lhs.second;
    numbers.input_spatial_dimensions = labels.lhs.spatial;
    numbers.kernel_input_feature_dimension = labels.rhs.first;
    numbers.kernel_output_feature_dimension = labels.rhs.second;
    numbers.kernel_spatial_dimensions = labels.rhs.spatial;
    numbers.output_batch_dimension = labels.output.first;
    numbers.output_feature_dimension = labels.output.second;
    numbers.output_spatial_dimensions = labels.output.spatial;
    numbers.feature_group_count = text::hlo_integer(program_.attribute(id, "feature_group_count"), 1);
    numbers.batch_group_count = text::hlo_integer(program_.attribute(id, "batch_group_count"), 1);
    const ints& rhs = dimensions(program_.operand(id, 1));
    if (k == 1) return indexing::convolution_rhs_map<map>(dimensions(id), rhs, numbers);
    return indexing::convolution_lhs_map<map>(dimensions(id), dimensions(program_.operand(id, 0)), rhs, numbers);
  }

  located_map dynamic_map(int id, int k) const {
    const ints& result = dimensions(id);
    const bool is_update = opcode(id) == "dynamic-update-slice";
    const int first_index = is_update ? 2 : 1;
    if (k >= first_index) return {indexing::scalar_map<map>(result), {}};
    if (is_update && k == 0) return {indexing::identity_map<map>(result), {}};
    const ints& operand = dimensions(program_.operand(id, k));
    located_map made{is_update ? indexing::dynamic_update_slice_map<map>(result, operand)
                               : indexing::dynamic_slice_map<map>(result, operand),
                     {}};
    for (int i = 0; i < result.size; ++i)
      made.sources.push_back({program_.operand(id, first_index + i), indexing::scalar_map<map>(result)});
    return made;
  }

  located_map gather_map(int id, int k) const {
    const auto list = [&](std::string_view name) { return text::hlo_integers(program_.attribute(id, name)); };
    const ints& result = dimensions(id);
    const int indices = program_.operand(id, 1);
    indexing::gather_numbers numbers;
    numbers.offset_dims = list("offset_dims");
    numbers.collapsed_slice_dims = list("collapsed_slice_dims");
    numbers.operand_batching_dims = list("operand_batching_dims");
    numbers.start_indices_batching_dims = list("start_indices_batching_dims");
    numbers.start_index_map = list("start_index_map");
    numbers.index_vector_dim = text::hlo_integer(program_.attribute(id, "index_vector_dim"), 0);
    numbers.slice_sizes = list("slice_sizes");
    if (k == 1) return {indexing::gather_indices_map<map>(result, dimensions(indices), numbers), {}};
    located_map made{indexing::gather_operand_map<map>(result, dimensions(program_.operand(id, 0)), numbers), {}};
    for (int i = 0; i < numbers.start_index_map.size; ++i)
      made.sources.push_back({indices, indexing::gather_indices_map<map>(result, dimensions(indices), numbers, i)});
    return made;
  }

  // A runtime variable that a scalar constant gives has one value.
  void fix_constants(located_map& one) const {
    for (std::size_t i = 0; i < one.sources.size(); ++i) {
      const int id = one.sources[i].producer;
      if (opcode(id) != "constant" || !dimensions(id).empty()) continue;
      const std::vector<std::int64_t> value = integers_in(std::string(program_.instructions[id].argument));
      indexing::interval& bounds = one.value.runtime_bounds[i];
      if (value.size() == 1 && !bounds.is_empty())
        bounds = indexing::point(std::clamp(value[0], bounds.lower, bounds.upper));
    }
  }

  // The maps of every operand of a fusion, by composition from the root of its computation.
  std::vector<map_set> fusion_maps(int fusion, int j) const {
    std::vector<map_set> result(static_cast<std::size_t>(operand_count(fusion)));
    const int called = called_computation(fusion);
    if (called < 0) {
      for (map_set& set : result) set.push_back({indexing::unknown_map<map>(), {}});
      return result;
    }
    const text::hlo_computation& inside = program_.computations[called];
    // Values are outputs of instructions.
    std::map<std::pair<int, int>, map_set> reached;
    reached[{inside.root, j}].push_back({indexing::identity_map<map>(dimensions(inside.root, j)), {}});
    for (int id = inside.root; id >= inside.first; --id)
      for (int output = 0; output < program_.instructions[id].shape_count; ++output) {
        const auto found = reached.find({id, output});
        if (found == reached.end()) continue;
        const map_set consumers = found->second;
        if (opcode(id) == "parameter") {
          const std::int64_t number = text::hlo_integer(program_.instructions[id].argument, -1);
          if (number < 0 || number >= operand_count(fusion)) continue;
          for (const located_map& one : consumers) add_unique(result[static_cast<std::size_t>(number)], one);
          continue;
        }
        for (int k = 0; k < operand_count(id); ++k) {
          int operand_output = 0;
          if (opcode(id) == "tuple") operand_output = leaf_of_tuple_operand(id, output, k);
          if (opcode(id) == "get-tuple-element")
            operand_output = static_cast<int>(text::hlo_integer(program_.attribute(id, "index"), 0));
          if (operand_output < 0) continue;
          for (const located_map& consumer : consumers)
            for (const located_map& producer : output_to_input(id, output, k)) {
              located_map composed = compose(consumer, producer);
              fix_constants(composed);
              simplify_and_prune(composed);
              add_unique(reached[{program_.operand(id, k), operand_output}], composed);
            }
        }
      }
    return result;
  }

  const module& program_;
};

}  // namespace records
