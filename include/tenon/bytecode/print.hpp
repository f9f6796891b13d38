// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/loaded_programs.hpp>.
#pragma once

#include <tenon/bytecode/values.hpp>
#include <tenon/core/fail.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

namespace bytecode {

// Writes the ops of a portable artifact as StableHLO text.
class printer {
 public:
  explicit printer(const module_reader& from) : from_(from), values_(from) {}

  // Says what is wrong, or nothing.
  std::string print(std::string& to) {
    stream in(from_.ops);
    block(in, to, 0, false);
    if (values_.problem != nullptr) return values_.problem;
    if (problem_.empty() && in.failed()) return "the MLIR bytecode is not well formed";
    return problem_;
  }

 private:
  using attributes = std::map<std::string, attribute>;
  const module_reader& from_;
  value_reader values_;
  std::vector<std::string> names_, types_of_names_;  // of values, in the innermost isolated region and around it
  int next_name_ = 0;
  std::string problem_;

  bool is_bad(const stream& in) const { return in.failed() || !problem_.empty() || values_.problem != nullptr; }
  void fail(const std::string& sentence) {
    if (problem_.empty()) problem_ = sentence;
  }

  // The ops of a block behind its arguments, which `header` puts in front.
  void block(stream& in, std::string& to, int depth, bool in_function, std::size_t first_value = 0,
             std::vector<std::string>* arguments = nullptr) {
    if (depth > 200) return fail("regions are nested too deeply");
    const std::uint64_t encoding = in.number();
    std::size_t next = first_value;
    if ((encoding & 1) != 0) {
      for (std::uint64_t count = in.count(); count > 0 && !is_bad(in); --count) {
        std::uint64_t type = in.number(), location = UINT64_MAX;
        if (from_.version < 4)
          location = in.number();
        else if ((type & 1) != 0)
          location = in.number();
        if (from_.version >= 4) type >>= 1;
        std::string name = "%v" + std::to_string(next_name_++);
        if (arguments != nullptr) {
          std::string argument = name + ": " + values_.type(type);
          if (const std::string known = values_.name_of_location(location); in_function && !known.empty())
            argument += " loc(" + quoted(known) + ")";
          arguments->push_back(argument);
        }
        define(next++, name, values_.type(type));
      }
      if (from_.version >= 3 && in.byte() != 0) return fail("an order of uses in the MLIR bytecode is not read");
    }
    for (std::uint64_t count = encoding >> 1; count > 0 && !is_bad(in); --count) op(in, to, depth, in_function, next);
  }
  void define(std::size_t value, const std::string& name, const std::string& type) {
    if (value >= names_.size()) return fail("the MLIR bytecode defines more values than it says");
    names_[value] = name, types_of_names_[value] = type;
  }

  struct region_text {
    std::vector<std::string> arguments;
    std::string body;
  };
  region_text region(stream& in, int depth, bool in_function) {
    region_text result;
    const std::uint64_t blocks = in.number();
    if (blocks == 0) return result;
    if (blocks > 1) return fail("regions of several blocks are no StableHLO"), result;
    const std::uint64_t count = in.number();
    if (count > from_.ops.size()) return fail("the MLIR bytecode is not well formed"), result;
    const std::size_t first = names_.size();
    names_.resize(first + std::size_t(count)), types_of_names_.resize(first + std::size_t(count));
    block(in, result.body, depth + 1, in_function, first, &result.arguments);
    names_.resize(first), types_of_names_.resize(first);
    return result;
  }
  // Values of an isolated region are numbered from 0.
  region_text isolated_region(stream& in, int depth, bool in_function) {
    std::vector<std::string> names, types;
    names.swap(names_), types.swap(types_of_names_);
    region_text result = region(in, depth, in_function);
    names.swap(names_), types.swap(types_of_names_);
    return result;
  }

  void op(stream& in, std::string& to, int depth, bool in_function, std::size_t& next_value) {
    constexpr unsigned has_attributes = 1, has_results = 2, has_operands = 4, has_successors = 8, has_regions = 16,
                       has_orders = 32, has_properties = 64;
    const std::uint64_t which = in.number();
    const unsigned mask = in.byte();
    in.number();  // the location
    if (which >= from_.op_names.size()) return fail("the MLIR bytecode is not well formed");
    const std::string& full_name = from_.op_names[std::size_t(which)];
    attributes given;
    if ((mask & has_attributes) != 0) {
      const attribute all = values_.read(in.number());
      for (std::size_t i = 0; i < all.names.size(); ++i) given[all.names[i]] = all.members[i];
    }
    if ((mask & has_properties) != 0) properties(full_name, in.number(), given);
    std::vector<std::string> results, operands;
    std::string operand_list;
    if ((mask & has_results) != 0)
      for (std::uint64_t count = in.count(); count > 0 && !is_bad(in); --count)
        results.push_back(values_.type(in.number()));
    if ((mask & has_operands) != 0)
      for (std::uint64_t count = in.count(); count > 0 && !is_bad(in); --count) {
        const std::uint64_t value = in.number();
        if (value >= names_.size() || names_[std::size_t(value)].empty())
          return fail("a value is used before it is there");
        operand_list += (operands.empty() ? "" : ", ") + names_[std::size_t(value)];
        operands.push_back(types_of_names_[std::size_t(value)]);
      }
    if ((mask & (has_successors | has_orders)) != 0)
      return fail(full_name + ": branches and orders of uses are not read");
    const std::string result_name = "%v" + std::to_string(next_name_++);
    for (std::size_t i = 0; i < results.size(); ++i)
      define(next_value++, results.size() == 1 ? result_name : result_name + "#" + std::to_string(i), results[i]);

    const bool is_module = full_name == "builtin.module", is_function = full_name == "vhlo.func_v1";
    std::vector<region_text> regions;
    if ((mask & has_regions) != 0) {
      const std::uint64_t encoding = in.number();
      const bool is_isolated = (encoding & 1) != 0, in_section = is_isolated && from_.version >= 2;
      stream own = in_section ? stream(module_reader::read_section(in).content) : stream();
      stream& from = in_section ? own : in;
      for (std::uint64_t count = encoding >> 1; count > 0 && !is_bad(from); --count)
        regions.push_back(is_isolated ? isolated_region(from, depth, is_function) : region(from, depth, is_function));
      if (from.failed()) return fail("the MLIR bytecode is not well formed");
    }
    if (is_bad(in)) return;
    if (is_module) {
      for (const region_text& each : regions) to += each.body;
      return;
    }
    if (is_function) return function(given, regions, to);

    std::string name = full_name.substr(full_name.find('.') + 1);
    if (full_name.rfind("vhlo.", 0) != 0) return fail(full_name + ": no op of a portable artifact of StableHLO");
    name.resize(name.rfind("_v") == name.npos ? name.size() : name.rfind("_v"));
    to.append(std::size_t(2 * (depth > 0 ? depth : 0)), ' ');
    if (!results.empty()) to += result_name + (results.size() > 1 ? ":" + std::to_string(results.size()) : "") + " = ";
    if (name == "constant" && results.size() == 1) {
      to += "stablehlo.constant dense" + given["value"].elements + " : " + results[0] + "\n";
    } else if (name == "call" && given["callee"].exists()) {
      to += "func.call @" + bare(given["callee"].text) + "(" + operand_list + ") : (" + joined(operands) + ") -> (" +
            joined(results) + ")\n";
    } else if (name == "return" && in_function) {
      to += "return" + (operands.empty() ? "" : " " + operand_list + " : " + joined(operands)) + "\n";
    } else {
      to += "\"stablehlo." + name + "\"(" + operand_list + ")" + dictionary(name, given);
      if (!regions.empty()) {
        to += " (";
        for (std::size_t i = 0; i < regions.size(); ++i) {
          to += i == 0 ? "{\n" : ", {\n";
          if (!regions[i].arguments.empty()) to += "^bb0(" + joined(regions[i].arguments) + "):\n";
          to += regions[i].body + "}";
        }
        to += ")";
      }
      to +=
          " : (" + joined(operands) + ") -> " + (results.size() == 1 ? results[0] : "(" + joined(results) + ")") + "\n";
    }
  }
  static std::string joined(const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& each : all) text += (text.empty() ? "" : ", ") + each;
    return text;
  }
  void function(attributes& given, const std::vector<region_text>& regions, std::string& to) {
    if (regions.size() != 1) return fail("a function has no body");
    const std::string type = given["function_type"].text;
    const std::size_t arrow = type.rfind(") -> (");
    if (arrow == type.npos) return fail("a function has no type");
    std::string results = type.substr(arrow + 6, type.size() - arrow - 7);
    // {jax.result_info = "result['y']"} for each.
    const attribute& notes = given["res_attrs"];
    std::vector<std::string> each = split(results);
    for (std::size_t i = 0; i < each.size() && i < notes.members.size(); ++i) {
      const attribute& note = notes.members[i];
      for (std::size_t k = 0; k < note.names.size(); ++k)
        if (note.names[k] == "jax.result_info") each[i] += " {jax.result_info = " + quoted(note.members[k].text) + "}";
    }
    const bool is_private = given["sym_visibility"].text == "private";
    to += std::string("func.func ") + (is_private ? "private " : "public ") + "@" + bare(given["sym_name"].text) + "(" +
          joined(regions[0].arguments) + ") -> (" + joined(each) + ") {\n" + regions[0].body + "}\n";
  }
  // Types in a list, at the commas outside of brackets.
  static std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> result;
    int depth = 0;
    std::string next;
    for (const char c : list) {
      depth += (c == '<' || c == '(' || c == '{') - (c == '>' || c == ')' || c == '}');
      if (c == ',' && depth == 0) {
        result.push_back(std::exchange(next, {}));
      } else if (c != ' ' || !next.empty()) {
        next += c;
      }
    }
    if (!next.empty()) result.push_back(next);
    return result;
  }

  // The names of the properties of ops, in order.
  static std::string_view names_of_properties(std::string_view op) {
    static constexpr struct {
      std::string_view ops, names;
    } all[] = {
        {"all_gather_v1 all_gather_v2", "all_gather_dim channel_id replica_groups use_global_device_ids"},
        {"all_reduce_v1 all_reduce_v2", "channel_id replica_groups use_global_device_ids"},
        {"all_to_all_v1 all_to_all_v2", "channel_id concat_dimension replica_groups split_count split_dimension"},
        {"batch_norm_grad_v1 batch_norm_inference_v1 batch_norm_training_v1", "epsilon feature_index"},
        {"broadcast_in_dim_v1", "broadcast_dimensions"},
        {"broadcast_v1", "broadcast_sizes"},
        {"call_v1", "callee"},
        {"cbrt_v2 cosine_v2 exponential_minus_one_v2 exponential_v2 log_plus_one_v2 log_v2 logistic_v2 rsqrt_v2 "
         "sine_v2 sqrt_v2 tan_v2 tanh_v2",
         "result_accuracy"},
        {"cholesky_v1", "lower"},
        {"collective_broadcast_v1", "channel_id replica_groups"},
        {"collective_broadcast_v2", "channel_id has_dynamic_root replica_groups"},
        {"collective_permute_v1", "channel_id source_target_pairs"},
        {"collective_reduce_v1", "channel_id has_dynamic_root replica_groups use_global_device_ids"},
        {"compare_v1", "compare_type comparison_direction"},
        {"composite_v1 composite_v2", "composite_attributes decomposition name version"},
        {"concatenate_v1 get_dimension_size_v1 set_dimension_size_v1", "dimension"},
        {"constant_v1", "value"},
        {"convolution_v1 dynamic_conv_v1",
         "batch_group_count feature_group_count input_batch_dimension input_feature_dimension input_spatial_dimensions "
         "kernel_input_feature_dimension kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation "
         "output_batch_dimension output_feature_dimension output_spatial_dimensions padding precision_config "
         "rhs_dilation window_reversal window_strides"},
        {"cross-replica-sum_v1", "replica_groups"},
        {"custom_call_v1",
         "api_version backend_config call_target_name called_computations has_side_effect operand_layouts "
         "output_operand_aliases result_layouts"},
        {"custom_call_v2",
         "api_version backend_config call_target_name called_computations has_side_effect operand_layouts "
         "output_operand_aliases result_layouts result_tilings"},
        {"dot_general_v1",
         "lhs_batching_dimensions lhs_contracting_dimensions precision_config rhs_batching_dimensions "
         "rhs_contracting_dimensions"},
        {"dot_general_v2",
         "accumulation_type allow_imprecise_accumulation lhs_batching_dimensions lhs_component_count "
         "lhs_contracting_dimensions lhs_precision_type num_primitive_operations precision_config "
         "rhs_batching_dimensions rhs_component_count rhs_contracting_dimensions rhs_precision_type"},
        {"dot_v1", "precision_config"},
        {"dynamic_broadcast_in_dim_v1",
         "broadcast_dimensions known_expanding_dimensions known_nonexpanding_dimensions"},
        {"dynamic_conv_v2",
         "batch_group_count feature_group_count input_batch_dimension input_feature_dimension input_spatial_dimensions "
         "kernel_input_feature_dimension kernel_output_feature_dimension kernel_spatial_dimensions lhs_dilation "
         "output_batch_dimension output_feature_dimension output_spatial_dimensions precision_config rhs_dilation "
         "window_reversal window_strides"},
        {"dynamic_gather_v1", "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims start_index_map"},
        {"dynamic_gather_v2",
         "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims start_index_map "
         "start_indices_batching_dims"},
        {"dynamic_iota_v1 iota_v1", "iota_dimension"},
        {"dynamic_slice_v1", "slice_sizes"},
        {"einsum_v1 unary_einsum_v1", "einsum_config"},
        {"fft_v1", "fft_length fft_type"},
        {"func_v1", "arg_attrs function_type res_attrs sym_name sym_visibility"},
        {"gather_v1",
         "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims slice_sizes start_index_map"},
        {"gather_v2",
         "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims slice_sizes "
         "start_index_map start_indices_batching_dims"},
        {"get_tuple_element_v1", "index"},
        {"infeed_v1", "infeed_config layout"},
        {"map_v1 reduce_v1 reverse_v1", "dimensions"},
        {"outfeed_v1", "outfeed_config"},
        {"pad_v1", "edge_padding_high edge_padding_low interior_padding"},
        {"recv_v1 send_v1", "channel_id channel_type is_host_transfer"},
        {"recv_v2 send_v2", "channel_id channel_type is_host_transfer source_target_pairs"},
        {"reduce_precision_v1", "exponent_bits mantissa_bits"},
        {"reduce_scatter_v1", "channel_id replica_groups scatter_dimension use_global_device_ids"},
        {"reduce_window_v1", "base_dilations padding window_dilations window_dimensions window_strides"},
        {"rng_bit_generator_v1", "rng_algorithm"},
        {"rng_v1", "rng_distribution"},
        {"scatter_v1",
         "index_vector_dim indices_are_sorted inserted_window_dims scatter_dims_to_operand_dims unique_indices "
         "update_window_dims"},
        {"scatter_v2",
         "index_vector_dim indices_are_sorted input_batching_dims inserted_window_dims scatter_dims_to_operand_dims "
         "scatter_indices_batching_dims unique_indices update_window_dims"},
        {"select_and_scatter_v1", "padding window_dimensions window_strides"},
        {"slice_v1", "limit_indices start_indices strides"},
        {"sort_v1", "dimension is_stable"},
        {"torch_index_select_v1", "batch_dims dim"},
        {"transpose_v1", "permutation"},
        {"triangular_solve_v1", "left_side lower transpose_a unit_diagonal"}};
    for (const auto& each : all)
      for (std::size_t first = 0, end = 0; first < each.ops.size(); first = end + 1) {
        end = std::min(each.ops.find(' ', first), each.ops.size());
        if (each.ops.substr(first, end - first) == op) return each.names;
      }
    return {};
  }
  void properties(const std::string& op, std::uint64_t index, attributes& to) {
    if (index >= from_.properties.size()) return fail("the MLIR bytecode is not well formed");
    if (op.rfind("vhlo.", 0) != 0) return;
    stream in(from_.properties[std::size_t(index)]);
    std::string_view names = names_of_properties(std::string_view(op).substr(5));
    while (!names.empty()) {
      const std::size_t end = std::min(names.find(' '), names.size());
      to[std::string(names.substr(0, end))] = values_.read(in.number());
      names.remove_prefix(std::min(end + 1, names.size()));
    }
    if (in.failed() || !in.is_done()) fail(op + ": a version of the op that is not known");
  }

  // Attributes that StableHLO has as one: "lhs_batching_dimensions = [0], ..."
  static std::string taken(attributes& from, std::initializer_list<const char*> names, const char* short_ends = "") {
    std::string text;
    for (const char* const name : names) {
      const auto found = from.find(name);
      if (found == from.end()) continue;
      const attribute& of = found->second;
      std::string numbers;
      for (const std::int64_t each : of.numbers) numbers += (numbers.empty() ? "" : ", ") + std::to_string(each);
      text += (text.empty() ? "" : ", ") + std::string(name) + short_ends + " = " +
              (of.is == attribute::kind::tensor   ? "[" + numbers + "]"
               : of.is == attribute::kind::number ? numbers
                                                  : of.text);
      from.erase(found);
    }
    return text;
  }
  std::string dictionary(const std::string& op, attributes& given) {
    std::string text;
    const auto add = [&](const std::string& name, const std::string& value) {
      text += (text.empty() ? "" : ", ") + bare(name) + " = " + value;
    };
    if (op == "dot_general") {
      add("dot_dimension_numbers", "#stablehlo.dot<" +
                                       taken(given, {"lhs_batching_dimensions", "rhs_batching_dimensions",
                                                     "lhs_contracting_dimensions", "rhs_contracting_dimensions"}) +
                                       ">");
      const bool has_algorithm = given["accumulation_type"].exists();
      const std::string algorithm =
          taken(given, {"lhs_precision_type", "rhs_precision_type", "accumulation_type", "lhs_component_count",
                        "rhs_component_count", "num_primitive_operations", "allow_imprecise_accumulation"});
      if (has_algorithm) add("algorithm", "#stablehlo.dot_algorithm<" + algorithm + ">");
    } else if (op == "convolution" || op == "dynamic_conv") {
      add("dimension_numbers", "#stablehlo.conv<" + side(given, "input", "b", "batch", "f", "feature") + "x" +
                                   side(given, "kernel", "i", "input_feature", "o", "output_feature") + "->" +
                                   side(given, "output", "b", "batch", "f", "feature") + ">");
    } else if (op == "gather" || op == "dynamic_gather") {
      add("dimension_numbers",
          "#stablehlo.gather<" +
              taken(given, {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                            "start_indices_batching_dims", "start_index_map", "index_vector_dim"}) +
              ">");
    } else if (op == "scatter") {
      add("scatter_dimension_numbers",
          "#stablehlo.scatter<" +
              taken(given, {"update_window_dims", "inserted_window_dims", "input_batching_dims",
                            "scatter_indices_batching_dims", "scatter_dims_to_operand_dims", "index_vector_dim"}) +
              ">");
    }
    if (const auto found = given.find("channel_id"); found != given.end()) {
      const std::int64_t handle = found->second.numbers.empty() ? 0 : found->second.numbers[0];
      const attribute& type = given["channel_type"];
      const std::int64_t kind = type.numbers.empty() ? 1 : type.numbers[0];
      if (handle != 0 || type.exists())
        add("channel_handle",
            "#stablehlo.channel_handle<handle = " + std::to_string(handle) + ", type = " + std::to_string(kind) + ">");
      given.erase("channel_id"), given.erase("channel_type");
    }
    if (const auto found = given.find("use_global_device_ids"); found != given.end()) {
      if (found->second.text == "true") add("use_global_device_ids", "unit");
      given.erase(found);
    }
    for (const auto& [name, value] : given) {
      const bool is_empty_list = value.is == attribute::kind::array && value.members.empty();
      if (!value.exists() || value.is == attribute::kind::other || is_empty_list) continue;
      const bool is_layout = name == "operand_layouts" || name == "result_layouts";
      add(name, is_layout                                     ? layouts(value)
                : name == "decomposition" || name == "callee" ? "@" + bare(value.text)
                                                              : value_reader::to_text(value));
    }
    return text.empty() ? "" : " <{" + text + "}>";
  }
  static std::string layouts(const attribute& of) {
    std::string text;
    for (const attribute& each : of.members)
      text += (text.empty() ? "" : ", ") + ("dense" + each.elements) + " : " + each.type_text;
    return "[" + text + "]";
  }
  // "[b, 0, 1, f]"
  std::string side(attributes& given, const std::string& of, const std::string& first, const std::string& first_name,
                   const std::string& second, const std::string& second_name) {
    const std::vector<std::int64_t> spatial = given[of + "_spatial_dimensions"].numbers;
    std::vector<std::string> letters(spatial.size() + 2);
    const auto put = [&](std::int64_t at, const std::string& letter) {
      if (at < 0 || at >= std::int64_t(letters.size()))
        return fail("dimension numbers of a convolution are not well formed");
      letters[std::size_t(at)] = letter;
    };
    const auto one = [&](const std::string& name) {
      const std::vector<std::int64_t>& numbers = given[of + "_" + name + "_dimension"].numbers;
      return numbers.size() == 1 ? numbers[0] : -1;
    };
    put(one(first_name), first), put(one(second_name), second);
    for (std::size_t i = 0; i < spatial.size(); ++i) put(spatial[i], std::to_string(i));
    for (const std::string& name :
         {of + "_spatial_dimensions", of + "_" + first_name + "_dimension", of + "_" + second_name + "_dimension"})
      given.erase(name);
    return "[" + joined(letters) + "]";
  }
};

}  // namespace bytecode

// Whether a file holds MLIR's bytecode: a portable artifact of StableHLO, or what jax.export(...).serialize() puts
// around one. Gives where that begins, else npos.
inline std::size_t find_bytecode(std::string_view file) {
  const std::size_t at = file.find("ML\xefR");
  return at == 0 || (at != file.npos && at % 4 == 0 && at < 65536) ? at : file.npos;
}

// The StableHLO text of a portable artifact, as jax.export(...).serialize() and torch_xla write them. What cannot be
// read is a failure. https://openxla.org/stablehlo/vhlo
inline std::string text_of_bytecode(std::string_view file) {
  const std::size_t begin = find_bytecode(file);
  if (begin == file.npos) fail("the file is no MLIR bytecode");
  std::string_view artifact = file.substr(begin);
  if (begin >= 4) {  // a vector of a flatbuffer
    std::size_t size = 0;
    for (std::size_t i = 1; i <= 4; ++i) size = size << 8 | static_cast<unsigned char>(file[begin - i]);
    if (size > artifact.size()) fail("the file ends before the MLIR bytecode in it does");
    artifact = artifact.substr(0, size);
  }
  bytecode::module_reader reader;
  const std::span<const char> characters(artifact.data(), artifact.size());
  if (const char* const problem = reader.read(std::as_bytes(characters))) fail(problem);
  std::string text;
  if (const std::string problem = bytecode::printer(reader).print(text); !problem.empty()) fail(problem);
  return text;
}

}  // namespace tenon
