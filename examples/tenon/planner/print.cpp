// SPDX-License-Identifier: Apache-2.0

#include "print.hpp"

#include <tenon/graph/owned.hpp>
#include <tenon/planned/tables.hpp>
#include <tenon/run/constants.hpp>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <optional>
#include <type_traits>
#include <vector>

using namespace tenon;
using namespace tenon::detail;
using tenon::ir::graph;
using tenon::planning::plan;

namespace {

class printer {
 public:
  std::string out;

  template <class T, class Rows>
  void array(const char* type, const char* name, const Rows& rows) {
    out += std::string("    static constexpr ") + type + " " + name + "[" + std::to_string(rows.size + 1) + "]{";
    for (int i = 0; i < rows.size; ++i) {
      out += i == 0 ? "" : i % 8 == 0 ? ",\n      " : ",";
      print(static_cast<const T&>(rows.data[i]));
    }
    out += "};\n";
  }
  // Characters that stand for themselves, and all others by their numbers.
  void literal(const char* declared, std::string_view bytes) {
    out += std::string("    ") + declared + "[] = \"";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const auto c = static_cast<unsigned char>(bytes[i]);
      if (i > 0 && i % 4096 == 0) out += "\"\n      \"";
      if (c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '?')
        out += char(c);
      else
        out += '\\', out += char('0' + c / 64), out += char('0' + c / 8 % 8), out += char('0' + c % 8);
    }
    out += "\";\n";
  }

  template <class T>
    requires std::is_integral_v<T>
  void print(T number) {
    if constexpr (std::is_same_v<T, bool>)
      out += number ? "1" : "0";
    else
      out += std::int64_t(number) == INT64_MIN ? "-9223372036854775807-1" : std::to_string(number);
  }
  void print(double number) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%a", number);
    out += digits;
  }
  void print(const ints& all) {
    out += "{";
    for (int i = 0; i < all.size; ++i) out += (i > 0 ? "," : "") + std::to_string(all.at[i]);
    out += "}";
  }
  void print(dtype element) { number_of("d", element); }

  // Each as an aggregate. Names for all members, so that none is forgotten.
  void print(const tensor_type& all) {
    const auto& [element, bounded, quantization, members, shape] = all;
    row(element, bounded, quantization, members, shape);
  }
  void print(const ir::graph_value& all) {
    const auto& [type, node, index, region] = all;
    row(type, node, index, region);
  }
  void print(const ir::graph_node& all) {
    const auto& [kind, operands, operand_count, results, result_count, words, word_count, regions, region_count, region,
                 source] = all;
    row(kind, operands, operand_count, results, result_count, words, word_count, regions, region_count, region, -1);
    (void)source;  // in a text that is not there
  }
  void print(const ir::graph_region& all) {
    const auto& [parent, first, last, arguments, argument_count, yields, yield_count, source] = all;
    row(parent, first, last, arguments, argument_count, yields, yield_count, -1);
    (void)source;
  }
  void print(const ir::graph_function& all) {
    const auto& [name, region, is_public, takes, gives] = all;
    row(name, region, is_public, takes, gives);
  }
  void print(const ir::graph_literal& all) {
    const auto& [where, first, size] = all;
    row(where, first, size);
  }
  void print(ir::graph_literal::place where) { number_of("w", where); }
  void print(const ir::graph_name& all) {
    const auto& [first, size] = all;
    row(first, size);
  }
  void print(const ir::graph_quantization& all) {
    const auto& [storage, expressed, storage_min, storage_max, dimension, first, count] = all;
    row(storage, expressed, storage_min, storage_max, dimension, first, count);
  }
  void print(const ir::graph_members& all) {
    const auto& [first, count] = all;
    row(first, count);
  }

  void print(const planning::kernel_key& all) {
    const auto& [kind, element, result, body] = all;
    row(kind, element, result, body);
  }
  void print(const planning::place& all) {
    const auto& [base, offset] = all;
    row(base, offset);
  }
  void print(const planning::strided_access& all) {
    const auto& [sizes, strides, base] = all;
    row(sizes, strides, base);
  }
  void print(const planning::plan_index& all) {
    const auto& [value, access, stride, low, high] = all;
    row(value, access, stride, low, high);
  }
  void print(const planning::plan_gather& all) {
    const auto& [access, before, first_index, index_count, run] = all;
    row(access, before, first_index, index_count, run);
  }
  void print(planning::plan_operand::source from) { number_of("f", from); }
  void print(const planning::plan_operand& all) {
    const auto& [from, value, offset, bytes, per_row, ranged] = all;
    row(from, value, offset, bytes, per_row, ranged);
  }
  void print(planning::group_instruction::action does) { number_of("a", does); }
  void print(const planning::group_instruction& all) {
    const auto& [does, kernel, node, first, operand_count, result_count, access, gather, once, per_row, state] = all;
    row(does, kernel, node, first, operand_count, result_count, access, gather, once, per_row, state);
  }
  void print(planning::load_kind kind) { number_of("l", kind); }
  void print(planning::not_fused_because why) { number_of("b", why); }
  void print(const planning::plan_read& all) {
    const auto& [value, access, gather, kind, why, uses, per_row] = all;
    row(value, access, gather, kind, why, uses, per_row);
  }
  void print(const planning::plan_step& all) {
    const auto& [kernel, node, first, operand_count, result_count, first_instruction, instruction_count, first_read,
                 read_count, first_member, member_count, count, row_size, tile, transposed_axis, walk, box_rows,
                 box_row, tile_bytes, first_block, block_count, op_scratch_bytes, tile_offset, scratch_bytes, scratch,
                 prefix, first_shared, parts, units, fused_producer_count, fused_producer_span, is_fused_producer,
                 range_bytes, first_view] = all;
    row(kernel, node, first, operand_count, result_count, first_instruction, instruction_count, first_read, read_count,
        first_member, member_count, count, row_size, tile, transposed_axis, walk, box_rows, box_row, tile_bytes,
        first_block, block_count, op_scratch_bytes, tile_offset, scratch_bytes, scratch, prefix, first_shared, parts,
        units, fused_producer_count, fused_producer_span, is_fused_producer, range_bytes, first_view);
  }
  void print(const planning::plan_block& all) {
    const auto& [region, first_step, last_step, first_pointer, first_yield, yield_count, places_results,
                 carries_in_place, arena_bytes, base] = all;
    row(region, first_step, last_step, first_pointer, first_yield, yield_count, places_results, carries_in_place,
        arena_bytes, base);
  }
  void print(const planning::plan_constant& all) {
    const auto& [value, count] = all;
    row(value, count);
  }
  void print(const planning::plan_totals& all) {
    const auto& [arena_bytes, constant_bytes, pointer_count, main_block, groups, pointer_table] = all;
    row(arena_bytes, constant_bytes, pointer_count, main_block, groups, pointer_table);
  }

 private:
  template <class Enum>
  void number_of(const char* type, Enum value) {
    out += std::string(type) + "(" + std::to_string(int(value)) + ")";
  }
  template <class... T>
  void row(const T&... all) {
    const char* before = "{";
    ((out += before, print(all), before = ","), ...);
    out += "}";
  }
};

// Literals, whose elements are words, or lie among the constants of the plan, or behind them.
struct printed_literals {
  std::vector<ir::graph_literal> all;
  std::vector<index_t> words;  // behind those of the graph
  std::string bytes;

  friend bool operator==(const printed_literals& a, const printed_literals& b) {
    const auto same = [](const ir::graph_literal& x, const ir::graph_literal& y) {
      return x.where == y.where && x.first == y.first && x.size == y.size;
    };
    return std::equal(a.all.begin(), a.all.end(), b.all.begin(), b.all.end(), same) && a.words == b.words &&
           a.bytes == b.bytes;
  }
};

// The elements of a literal, the lowest byte of each first.
std::string bytes_of(const graph& g, const ir::graph_literal& literal, const tensor_type& type, index_t count) {
  std::string bytes(std::size_t(count) * std::size_t(storage_bytes(type.element)), '\0');
  if (!execution::text_literals::decode(g, literal, type, count, reinterpret_cast<unsigned char*>(bytes.data())))
    fail("a constant is not well formed");
  const std::size_t each = std::size_t(storage_bytes(type.element)) / (is_complex(type.element) ? 2 : 1);
  for (std::size_t i = 0; std::endian::native == std::endian::big && i < bytes.size(); i += each)
    std::reverse(bytes.begin() + std::ptrdiff_t(i), bytes.begin() + std::ptrdiff_t(i + each));
  return bytes;
}

printed_literals literals_of(const graph& g, const plan& p) {
  printed_literals result;
  result.all.resize(std::size_t(g.literals.size));
  result.bytes.resize(std::size_t(p.constant_bytes));
  std::vector<int> constant_at(std::size_t(g.values.size), -1);
  for (const planning::plan_constant& each : p.constants)
    if (each.count == g.type_of_value(each.value).size())
      constant_at[std::size_t(each.value)] = int(p.places.data[each.value].offset);
  for (const planning::plan_constant& each : p.constants) {
    const ir::graph_literal& literal = g.literals.data[g.words.data[ir::constant_of(g, each.value)->words]];
    const std::string bytes = bytes_of(g, literal, g.type_of_value(each.value), each.count);
    bytes.copy(result.bytes.data() + p.places.data[each.value].offset, bytes.size());
  }
  for (int v = 0; v < g.values.size; ++v) {
    const std::optional<ir::graph_node> constant = ir::constant_of(g, v);
    if (!constant) continue;
    const int number = int(g.words.data[constant->words]);
    const ir::graph_literal& literal = g.literals.data[number];
    const tensor_type& type = g.type_of_value(v);
    ir::graph_literal& printed = result.all[std::size_t(number)];
    if (literal.where == ir::graph_literal::place::words) {
      printed = literal;
      continue;
    }
    const index_t first = g.words.size + index_t(result.words.size());
    std::vector<index_t> integers;
    if (ir::is_splat(g, literal, type)) {
      // One element for all.
      const std::string bytes = bytes_of(g, literal, type, type.size() > 0 ? 1 : 0);
      const int parts = is_complex(type.element) ? 2 : 1, each = int(storage_bytes(type.element)) / parts;
      for (int part = 0; part < parts; ++part)
        result.words.push_back(
            bytes.empty() ? 0 : execution::word_of_bytes({bytes.data() + part * each, std::size_t(each)}));
      printed = {ir::graph_literal::place::words, int(first), parts};
    } else if (is_integer(type.element) && type.size() > 1 && ir::read_integers(g, literal, type, integers)) {
      // What a compiler reads of a text while it compiles.
      result.words.insert(result.words.end(), integers.begin(), integers.end());
      printed = {ir::graph_literal::place::words, int(first), int(integers.size())};
    } else if (constant_at[std::size_t(v)] >= 0) {
      printed = {ir::graph_literal::place::bytes, constant_at[std::size_t(v)], 0};
    } else if (printed.where != ir::graph_literal::place::bytes) {
      printed = {ir::graph_literal::place::bytes, int(result.bytes.size()), 0};
      result.bytes += bytes_of(g, literal, type, type.size());
    }
  }
  return result;
}

// Where the rows of a table are found, for array().
template <class T>
table<const T> over(const std::vector<T>& all) {
  return {all.data(), int(all.size()), int(all.size())};
}

void print_graph(printer& to, const graph& g, const std::vector<index_t>& more_words) {
  std::vector<index_t> words(g.words.begin(), g.words.end());
  words.insert(words.end(), more_words.begin(), more_words.end());
  to.array<ir::graph_node>("::tenon::ir::graph_node", "nodes", g.nodes);
  to.array<ir::graph_value>("::tenon::ir::graph_value", "values", g.values);
  to.array<int>("int", "operands", g.operands);
  to.array<index_t>("::tenon::index_t", "words", over(words));
  to.array<tensor_type>("::tenon::tensor_type", "types", g.types);
  to.array<ir::graph_region>("::tenon::ir::graph_region", "regions", g.regions);
  to.array<int>("int", "region_references", g.region_references);
  to.array<ir::graph_function>("::tenon::ir::graph_function", "functions", g.functions);
  to.array<ir::graph_name>("::tenon::ir::graph_name", "names", g.names);
  to.literal("static constexpr char characters", {g.characters.data, std::size_t(g.characters.size)});
  to.array<ir::graph_quantization>("::tenon::ir::graph_quantization", "quantizations", g.quantizations);
  to.array<double>("double", "scales", g.scales);
  to.array<index_t>("::tenon::index_t", "zero_points", g.zero_points);
  to.array<ir::graph_members>("::tenon::ir::graph_members", "member_lists", g.member_lists);
  to.array<tensor_type>("::tenon::tensor_type", "member_types", g.member_types);
}

void print_plan(printer& to, const plan& p) {
  to.out += "    static constexpr ::tenon::planning::plan_totals totals";
  to.print(static_cast<const planning::plan_totals&>(p));
  to.out += ";\n";
  to.array<planning::plan_step>("::tenon::planning::plan_step", "steps", p.steps);
  to.array<planning::group_instruction>("::tenon::planning::group_instruction", "instructions", p.instructions);
  to.array<planning::plan_operand>("::tenon::planning::plan_operand", "operands", p.operands);
  to.array<planning::strided_access>("::tenon::planning::strided_access", "accesses", p.accesses);
  to.array<int>("int", "values", p.values);
  to.array<planning::plan_block>("::tenon::planning::plan_block", "blocks", p.blocks);
  to.array<int>("int", "block_references", p.block_references);
  to.array<planning::kernel_key>("::tenon::planning::kernel_key", "kernels", p.kernels);
  to.array<planning::place>("::tenon::planning::place", "places", p.places);
  to.array<planning::plan_constant>("::tenon::planning::plan_constant", "constants", p.constants);
  to.array<planning::plan_read>("::tenon::planning::plan_read", "reads", p.reads);
  to.array<int>("int", "members", p.members);
  to.array<planning::plan_gather>("::tenon::planning::plan_gather", "gathers", p.gathers);
  to.array<planning::plan_index>("::tenon::planning::plan_index", "indices", p.indices);
}

}  // namespace

bool print_planned(const graph& source, const ir::graph_function& function, const graph& simplified,
                   const int (&applied)[passes::all_rewrites::size], std::string& to) {
  // All machines that tenon knows, by the two things that a plan depends on.
  constexpr int pointer_sizes[] = {8, 4};
  std::optional<printed_literals> literals;
  std::string plans;
  for (const int bytes : pointer_sizes) {
    plans += std::string(bytes == 8 ? "#if" : "#elif") + " __SIZEOF_POINTER__ == " + std::to_string(bytes) + "\n";
    std::string first;
    for (const bool in_place : {false, true}) {
      core::machine_of_plans = {bytes, in_place};
      const passes::owned_plan planned(simplified);
      const plan& p = planned.get();
      if (p.main_block < 0) return false;
      printer body;
      print_plan(body, p);
      const printed_literals needed = literals_of(simplified, p);
      if (!literals) literals = needed;
      if (!(needed == *literals)) fail("its constants differ from machine to machine");
      if (in_place && body.out == first) {
        plans += "    using in_place = widened;\n";
      } else {
        plans += in_place ? "    struct in_place {\n" : "    struct widened {\n";
        plans += body.out + "    };\n";
      }
      first = body.out;
    }
  }
  plans += "#else\n#error \"tenon: the program was planned for machines with pointers of 32 or 64 bits\"\n#endif\n";
  core::machine_of_plans = {};

  printer body;
  body.out =
      "// Printed by tenon-plan: a planned program, for <tenon/planned_programs.hpp>.\n"
      "std::string_view(\"no text is left of a program that was planned ahead, for gradients or other derivations of "
      "it\");\n"
      "  struct planned_ahead {\n"
      "    static_assert(::tenon::execution::stamp_of_tables() == " +
      std::to_string(execution::stamp_of_tables()) +
      "u,\n"
      "                  \"tenon: the program was planned by another version of tenon: plan it again\");\n"
      "    using d = ::tenon::dtype;\n"
      "    using w = ::tenon::ir::graph_literal::place;\n"
      "    using f = ::tenon::planning::plan_operand::source;\n"
      "    using a = ::tenon::planning::group_instruction::action;\n"
      "    using l = ::tenon::planning::load_kind;\n"
      "    using b = ::tenon::planning::not_fused_because;\n";
  const ir::graph_region& region = source.regions.data[function.region];
  std::vector<tensor_type> signature;
  const auto add = [&](int value) {
    const tensor_type& type = source.type_of_value(value);
    signature.push_back(type.with_element(type.element));
  };
  for (int i = 0; i < region.argument_count; ++i) add(region.arguments + i);
  for (const int value : source.yields_of(region)) add(value);
  body.out += "    static constexpr int argument_count = " + std::to_string(region.argument_count) +
              ", result_count = " + std::to_string(region.yield_count) + ";\n";
  body.array<tensor_type>("::tenon::tensor_type", "signature", over(signature));
  body.out += "    static constexpr int applied[" + std::to_string(passes::all_rewrites::size) + "]{";
  for (const int count : applied) body.out += std::to_string(count) + ",";
  body.out += "};\n";
  print_graph(body, simplified, literals->words);
  body.array<ir::graph_literal>("::tenon::ir::graph_literal", "literals", over(literals->all));
  body.literal("alignas(64) static constexpr char bytes", literals->bytes);
  to = body.out + plans + "  };\n  static constexpr bool is_planned = true\n";
  return true;
}
