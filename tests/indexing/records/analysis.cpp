// SPDX-License-Identifier: Apache-2.0
//
// Maps of HLO instructions, fusions and clusters, found from the program text.
#include "compare.hpp"

#include <tenon/text/hlo.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string_view>

namespace records {

namespace indexing = tenon::indexing;
namespace text = tenon::text;
using indexing::interval;
using tenon::ints;
using module = text::hlo_module<>;

namespace {

// Where the value of a runtime variable is: an element of an instruction, as a map over the dimensions and range
// variables of the map that has the runtime variable.
struct runtime_source {
  int instruction = -1;
  map element{};
};

struct located_map {
  map value{};
  std::vector<runtime_source> sources;
};
using map_set = std::vector<located_map>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_elementwise(std::string_view opcode) {
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

map append_ranges_in_front(const map& to, const map& from) {
  // Composition puts the range variables of the producer in front.
  map producer = indexing::map_over<map>({});
  for (int i = 0; i < to.result_count; ++i) producer.add_dimension(indexing::all_integers);
  for (int i = 0; i < from.range_count; ++i) producer.add_range(from.range_bounds[i]);
  for (int i = 0; i < to.result_count; ++i) producer.add_result(producer.dimension(i));
  return indexing::compose(to, producer);
}

located_map compose(const located_map& consumer, const located_map& producer) {
  located_map result{indexing::compose(consumer.value, producer.value), {}};
  if (!result.value.is_defined()) return result;
  for (const runtime_source& source : producer.sources)
    result.sources.push_back({source.instruction, indexing::compose(consumer.value, source.element)});
  for (const runtime_source& source : consumer.sources)
    result.sources.push_back({source.instruction, append_ranges_in_front(source.element, producer.value)});
  return result;
}

// Drops a range or runtime variable that no result uses.
void drop_symbol(map& from, indexing::operation op, int variable) {
  if (indexing::used_variables(from).at(op, variable)) return;
  for (int i = variable; i + 1 < from.count(op); ++i) from.bounds(op)[i] = from.bounds(op)[i + 1];
  --(op == indexing::operation::range ? from.range_count : from.runtime_count);
  for (int i = 0; i < from.node_count; ++i)
    if (from.nodes[i].op == op && from.nodes[i].value > variable) --from.nodes[i].value;
}

void simplify_and_prune(located_map& one) {
  indexing::simplify(one.value);
  if (!one.value.is_defined()) {
    one.sources.clear();
    return;
  }
  const auto removed = indexing::remove_unused_symbols(one.value);
  std::vector<runtime_source> left;
  for (std::size_t k = 0; k < one.sources.size(); ++k)
    if (!removed.runtimes[k]) left.push_back(one.sources[k]);
  one.sources = left;
  for (runtime_source& source : one.sources) {
    indexing::simplify(source.element);
    for (int i = map::symbol_capacity - 1; i >= 0; --i)
      if (removed.ranges[i]) drop_symbol(source.element, indexing::operation::range, i);
    for (int i = source.element.runtime_count - 1; i >= 0; --i)
      drop_symbol(source.element, indexing::operation::runtime, i);
  }
}

void add_unique(map_set& to, const located_map& one) {
  for (const located_map& other : to)
    if (other.value == one.value) {
      bool same = other.sources.size() == one.sources.size();
      for (std::size_t i = 0; same && i < one.sources.size(); ++i)
        same = other.sources[i].instruction == one.sources[i].instruction &&
               other.sources[i].element == one.sources[i].element;
      if (same) return;
    }
  to.push_back(one);
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
      const int id = one.sources[i].instruction;
      if (opcode(id) != "constant" || !dimensions(id).empty()) continue;
      const std::vector<std::int64_t> value = integers_in(std::string(program_.instructions[id].argument));
      interval& bounds = one.value.runtime_bounds[i];
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

struct expected_map {
  map value{};
  std::string error;
  std::vector<std::pair<std::string, map>> sources;  // names of instructions
};

// A set of maps: each begins with a line with an arrow, or is a word; `runtime rtN = X:` and lines indented further
// give the map of a runtime variable.
std::vector<expected_map> read_map_set(const std::string& given) {
  std::vector<std::string> blocks;
  for (const std::string& line : lines_of(given)) {
    const bool is_nested = starts_with(line, " ");
    const bool is_word = is_one_of(line, {"KNOWN EMPTY", "UNKNOWN", "UNDEFINED"});
    if (!is_nested && (is_word || line.find("->") != std::string::npos)) blocks.emplace_back();
    if (!blocks.empty()) blocks.back() += line + "\n";
  }
  std::vector<expected_map> result;
  for (const std::string& block : blocks) {
    expected_map made;
    std::string main;
    std::vector<std::pair<std::string, std::string>> nested;
    for (const std::string& line : lines_of(block)) {
      if (starts_with(line, "runtime ")) {
        const std::size_t equals = line.find('=');
        nested.emplace_back(trimmed(line.substr(equals + 1, line.rfind(':') - equals - 1)), "");
      } else if (starts_with(line, " ") && !nested.empty()) {
        nested.back().second += trimmed(line) + "\n";
      } else {
        main += line + "\n";
      }
    }
    const auto parsed = indexing::parse<map>(main);
    made.value = parsed.map;
    made.error = std::string(parsed.error);
    for (const auto& one : nested) {
      const auto source = indexing::parse<map>(one.second);
      if (made.error.empty()) made.error = std::string(source.error);
      made.sources.emplace_back(one.first, source.map);
    }
    result.push_back(made);
  }
  return result;
}

std::string source_difference(const module& program, const expected_map& expected, const located_map& actual) {
  if (expected.sources.empty()) return {};
  if (expected.sources.size() != actual.sources.size()) return "numbers of runtime variables differ";
  for (std::size_t i = 0; i < expected.sources.size(); ++i) {
    const std::string name(program.instructions[actual.sources[i].instruction].name);
    if (name != expected.sources[i].first) return "runtime variable " + std::to_string(i) + " comes from " + name;
    if (const std::string found = difference(expected.sources[i].second, actual.sources[i].element); !found.empty())
      return "runtime variable " + std::to_string(i) + ": " + found;
  }
  return {};
}

// Both are sets: every expected map pairs with one actual map.
std::string set_difference(const module& program, const std::string& expected_text, const map_set& actual,
                           bool is_quirk) {
  const std::vector<expected_map> expected = read_map_set(expected_text);
  if (expected.size() != actual.size()) {
    std::string found = std::to_string(expected.size()) + " maps expected, found " + std::to_string(actual.size());
    for (const located_map& one : actual) found += " " + text_of(one.value);
    return found;
  }
  std::vector<bool> taken(actual.size());
  for (const expected_map& one : expected) {
    if (!one.error.empty()) return one.error;
    std::string reason;
    bool matched = false;
    for (std::size_t i = 0; i < actual.size() && !matched; ++i) {
      if (taken[i]) continue;
      reason = difference(one.value, actual[i].value);
      if (reason.empty() && length_of_results(actual[i].value) > length_of_results(one.value))
        reason = "longer than expected: " + text_of(actual[i].value);
      if (reason.empty()) reason = source_difference(program, one, actual[i]);
      // What is recorded may be loose: then a map that reads a part of it is as good.
      if (!reason.empty() && is_quirk && excess(one.value, actual[i].value).empty()) reason.clear();
      matched = reason.empty();
      taken[i] = matched;
    }
    if (!matched) return reason.empty() ? "no such map" : reason;
  }
  return {};
}

map physical(const map& logical, const text::hlo_shape& from, const text::hlo_shape& to) {
  const map enter = indexing::transpose_map<map>(from.dimensions.select(from.major_to_minor), from.major_to_minor);
  const map leave = indexing::transpose_output_map<map>(to.dimensions, to.major_to_minor);
  map result = indexing::compose(indexing::compose(enter, logical), leave);
  indexing::simplify(result);
  return result;
}

std::vector<std::string> words_of(const std::string& given) { return split(given, " "); }

std::string either_expected(const record& given, const std::string& key, const std::string& value,
                            const module& program, const map_set& actual) {
  std::string found = set_difference(program, value, actual, given.has("quirk") && !given.has("exact"));
  for (const char* const other : {"exact", "also_accepted"}) {
    for (const std::string& name : {std::string(other), std::string(other) + " " + key})
      if (!found.empty() && given.has(name) && set_difference(program, given[name], actual, false).empty())
        found.clear();
  }
  return found;
}

}  // namespace

outcome run_analysis(const record& given) {
  const std::string program_text = given["hlo"];
  const auto program = std::make_unique<module>();
  text::parse_hlo(program_text, *program);
  if (!program->ok())
    return unsupported("hlo: " + std::string(program->error.message) + " at " +
                       std::to_string(program->error.position));
  const analysis maps(*program);
  const text::hlo_computation& entry = program->computations[program->entry];
  const int root = entry.root;
  const bool is_physical = given["layout"] == "physical";
  const bool is_fusion = maps.opcode(root) == "fusion";
  int checks = 0;

  // The cluster: listed instructions, and everything inside of listed fusions.
  const auto find_anywhere = [&](const std::string& name) {
    for (int c = program->computation_count - 1; c >= 0; --c) {
      // The entry first, then the others.
      const int at = c == program->computation_count - 1 ? program->entry : (c >= program->entry ? c + 1 : c);
      if (const int id = program->find(at, name); id >= 0) return id;
    }
    return -1;
  };
  std::set<int> cluster;
  std::map<int, map_set> groups;
  int target = -1;
  if (given.has("target")) {
    target = find_anywhere(given["target"]);
    if (target < 0) return unsupported("no target " + given["target"]);
    std::string listed = given["cluster"].substr(0, given["cluster"].find(';'));
    for (std::string name : split(listed, ",")) {
      name = name.substr(0, name.find(' '));
      const int id = find_anywhere(name);
      if (id < 0) return unsupported("no instruction " + name + " of the cluster");
      cluster.insert(id);
    }
    if (cluster.empty())
      for (int i = entry.first; i < entry.first + entry.count; ++i) cluster.insert(i);
    for (bool again = true; again;) {
      again = false;
      for (const int id : std::set<int>(cluster)) {
        if (maps.opcode(id) != "fusion" || maps.called_computation(id) < 0) continue;
        const text::hlo_computation& inside = program->computations[maps.called_computation(id)];
        for (int i = inside.first; i < inside.first + inside.count; ++i) again = cluster.insert(i).second || again;
      }
    }
    target = maps.resolved(target, cluster);
    groups = maps.grouped(target, cluster);
  }

  for (const auto& [key, value] : given.fields) {
    const std::vector<std::string> words = words_of(key);
    const std::vector<std::int64_t> numbers = integers_in(key);
    map_set actual;
    if (words[0] == "output_to_input" || words[0] == "input_to_output") {
      ++checks;
      if (value == "NONE") {
        if (numbers.empty() && maps.operand_count(root) > 0) return failure(key + ": there are operands");
        if (!numbers.empty() && numbers[0] < maps.operand_count(root))
          return failure(key + ": there is such an operand");
        continue;
      }
      const int operand = numbers.empty() ? 0 : static_cast<int>(numbers[0]);
      const int output = numbers.size() > 1 ? static_cast<int>(numbers[1]) : 0;
      if (operand >= maps.operand_count(root) || output >= program->instructions[root].shape_count)
        return failure(key + ": no such operand or output");
      const text::hlo_shape& output_shape = program->shape(root, output);
      const text::hlo_shape& operand_shape = program->shape(program->operand(root, operand));
      if (words[0] == "output_to_input") {
        actual = maps.output_to_input(root, output, operand);
        for (located_map& one : actual) {
          if (is_physical) one.value = physical(one.value, output_shape, operand_shape);
          if (!is_fusion) indexing::simplify(one.value);
        }
      } else {
        actual.push_back({maps.input_to_output(root, operand, output), {}});
        if (is_physical) actual[0].value = physical(actual[0].value, operand_shape, output_shape);
        indexing::simplify(actual[0].value);
      }
    } else if (words[0] == "grouped" || words[0] == "by_producer") {
      ++checks;
      if (words.size() != 2) return unsupported(key);
      const std::string& name = words[1];
      // A name of the cluster may stand for what it resolves to.
      for (const auto& [id, set] : groups)
        if (program->instructions[id].name == name) actual = set;
      for (int id = 0; id < program->instruction_count && actual.empty(); ++id)
        if (program->instructions[id].name == name)
          if (const auto found = groups.find(maps.resolved(id, cluster)); found != groups.end()) actual = found->second;
    } else if (words[0] == "epilogue" && words.size() == 4) {
      ++checks;
      const int from = find_anywhere(words[1]);
      const int to = find_anywhere(words[3]);
      if (from < 0 || to < 0) return unsupported(key);
      std::map<int, map_set> reached;
      reached[from].push_back({indexing::identity_map<map>(maps.dimensions(from)), {}});
      for (int id = from + 1; id <= to; ++id)
        for (int k = 0; k < maps.operand_count(id); ++k)
          for (const located_map& one : map_set(reached[program->operand(id, k)])) {
            located_map composed = compose(one, {maps.input_to_output(id, k, 0), {}});
            simplify_and_prune(composed);
            add_unique(reached[id], composed);
          }
      actual = reached[to];
    } else {
      continue;
    }
    if (const std::string found = either_expected(given, key, value, *program, actual); !found.empty())
      return failure(key + ": " + found);
  }
  return checks > 0 ? outcome{} : unsupported("nothing to check");
}

}  // namespace records
