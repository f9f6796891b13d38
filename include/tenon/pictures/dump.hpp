// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/explain.hpp>.
#pragma once

#include <tenon/core/message.hpp>
#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/plan/plan.hpp>

#include <charconv>
#include <string_view>
#include <type_traits>
#include <utility>

#if __STDC_HOSTED__
#include <cstdio>
#endif

// Programs and their plans as text to read, and as a drawing for Graphviz.
namespace tenon {

// Where text goes.
class text_sink {
 public:
  template <class Function>
    requires(std::is_invocable_v<Function&, std::string_view> && !std::is_same_v<Function, const text_sink>)
  text_sink(Function& function)
      : context_(&function), write_([](const void* context, std::string_view part) {
          (*static_cast<Function*>(const_cast<void*>(context)))(part);
        }) {}

  const text_sink& operator<<(std::string_view part) const {
    write_(context_, part);
    return *this;
  }
  template <class T>
    requires std::integral<T> || std::same_as<T, tensor_type>
  const text_sink& operator<<(const T& value) const {
    core::message_text<160> text;
    return *this << (text << value).view();
  }
  const text_sink& operator<<(double number) const {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    return *this << std::string_view(text, std::size_t(end - text));
  }

 private:
  const void* context_;
  void (*write_)(const void*, std::string_view);
};

namespace detail {

template <class T>
void write_attribute(const text_sink& out, const graph& g, const T& value) {
  const auto write_list = [&](int count, auto write_one) {
    out << "[";
    for (int i = 0; i < count; ++i) {
      if (i > 0) out << ", ";
      write_one(i);
    }
    out << "]";
  };
  if constexpr (std::is_same_v<T, ints>) {
    write_list(value.size, [&](int i) { out << value.at[i]; });
  } else if constexpr (std::is_same_v<T, ints_table> || std::is_same_v<T, id_table>) {
    write_list(value.rows, [&](int row) { write_list(value.columns, [&](int column) { out << value(row, column); }); });
  } else if constexpr (is_short_list<T>) {
    write_list(value.size, [&](int i) { write_attribute(out, g, value.at[i]); });
  } else if constexpr (std::is_same_v<T, literal_id>) {
    const graph_literal& literal = g.literals.data[value.id];
    if (literal.where != graph_literal::place::words)
      out << g.text.substr(std::size_t(literal.first), std::size_t(literal.size < 40 ? literal.size : 40))
          << (literal.size > 40 ? "..." : "");
    else
      out << literal.size << " numbers";
  } else if constexpr (std::is_same_v<T, name_id> || std::is_same_v<T, opaque_attribute>) {
    out << g.name_of(value.id);
  } else if constexpr (std::is_same_v<T, bool>) {
    out << (value ? "true" : "false");
  } else if constexpr (std::is_same_v<T, dtype>) {
    out << name(value);
  } else if constexpr (std::is_enum_v<T>) {
    out << enumerators<T>[int(value)];
  } else if constexpr (std::is_floating_point_v<T>) {
    out << double(value);
  } else if constexpr (std::is_integral_v<T>) {
    out << value;
  } else {
    out << "{";
    bool first = true;
    for_each_attribute(value, [&](std::string_view inner_name, const auto& inner) {
      out << (first ? "" : ", ") << inner_name << " = ";
      write_attribute(out, g, inner);
      first = false;
    });
    out << "}";
  }
}

template <class Op>
void write_attributes_of(const text_sink& out, const graph& g, const index_t* words) {
  if constexpr (complete<Op>) {
    const Op op = read_attributes<Op>(words);
    for_each_attribute(op, [&](std::string_view attribute, const auto& value) {
      if constexpr (requires { value == value; }) {
        const Op absent{};
        bool written = false;
        for_each_attribute(absent, [&](std::string_view other, const auto& other_value) {
          if constexpr (std::is_same_v<decltype(other_value), decltype(value)>)
            written = written || (other == attribute && !(other_value == value));
        });
        if (!written) return;
      }
      out << " " << attribute << " = ";
      write_attribute(out, g, value);
    });
  }
}

template <class List>
struct attribute_writers;
template <class... Ops>
struct attribute_writers<op_list<Ops...>> {
  static constexpr void (*at[])(const text_sink&, const graph&, const index_t*) = {&write_attributes_of<Ops>...};
};

// A template, so that the attributes of all ops are looked at only where somebody asks.
template <class Ops>
void write_region(const text_sink& out, const graph& g, int region_id, int depth) {
  const auto indent = [&](int levels) {
    for (int i = 0; i < levels; ++i) out << "  ";
  };
  const graph_region& region = g.regions.data[region_id];
  if (depth > 1 && region.argument_count > 0) {
    indent(depth);
    out << "(";
    for (int a = 0; a < region.argument_count; ++a)
      out << (a > 0 ? ", " : "") << "%" << region.arguments + a << ": " << g.type_of_value(region.arguments + a);
    out << ")\n";
  }
  for (int n = region.first; n < region.last; ++n) {
    const graph_node& node = g.nodes.data[n];
    if (node.region != region_id) continue;
    indent(depth);
    for (int r = 0; r < node.result_count; ++r) out << (r > 0 ? ", " : "") << "%" << node.results + r;
    if (node.result_count > 0) out << " = ";
    out << name_of_kind(node.kind);
    for (int i = 0; i < node.operand_count; ++i) out << (i > 0 ? ", %" : " %") << g.operands_of(node)[i];
    if (node.kind >= 0) attribute_writers<Ops>::at[node.kind](out, g, g.words.data + node.words);
    for (int r = 0; r < node.result_count; ++r) out << (r > 0 ? ", " : " : ") << g.type_of_value(node.results + r);
    for (int inner : g.regions_of(node)) {
      out << " {\n";
      write_region<Ops>(out, g, inner, depth + 1);
      indent(depth);
      out << "}";
    }
    out << "\n";
  }
  indent(depth);
  out << "return";
  const list<int> yields = g.yields_of(region);
  for (int i = 0; i < yields.size; ++i) out << (i > 0 ? ", %" : " %") << yields[i];
  out << "\n";
}

inline void write_place(const text_sink& out, const plan& p, int value) {
  const place& at = p.places.data[value];
  if (at.base == place::arena)
    out << "arena+" << at.offset;
  else if (at.base == place::constants)
    out << "constants+" << at.offset;
  else if (at.base >= place::first_pointer)
    out << "caller";
  else
    out << "nowhere";
}

inline void write_shape(const text_sink& out, const ints& shape) {
  for (int i = 0; i < shape.size; ++i) out << (i > 0 ? "x" : "") << shape[i];
  if (shape.empty()) out << "one element";
}

// The ops of a step; of a group without any that it copies, unless its loads are written.
inline void write_ops(const text_sink& out, const graph& g, const plan& p, const plan_step& step,
                      std::string_view separator, bool with_loads) {
  bool first = true;
  const auto next = [&]() -> const text_sink& { return out << (std::exchange(first, false) ? "" : separator); };
  if (step.has_op()) next() << name_of_kind(g.nodes.data[step.node].kind);
  for (const group_instruction& each : p.instructions.part(step.first_instruction, step.instruction_count))
    if (each.does != group_instruction::action::load)
      next() << name_of_kind(g.nodes.data[each.node].kind);
    else if (with_loads)
      next() << "load %" << p.operands.data[each.first].value;
  if (first) next() << "copy";
}

// Where a drawing finds a value: step `s`, or argument or constant `v`, with its number.
struct drawn_source {
  char letter = 0;
  int number = 0;
};
// Seen through what only renames the value.
inline drawn_source source_of_value(const graph& g, const plan& p, const plan_block& block, int value) {
  for (int hops = 0; hops < g.nodes.size; ++hops) {
    for (int s = block.first_step; s < block.last_step; ++s) {
      const plan_step& step = p.steps.data[s];
      for (int r = 0; r < step.result_count; ++r)
        if (p.values.data[step.first + step.operand_count + r] == value) return {'s', s};
    }
    const int node = g.values.data[value].node;
    if (node < 0) return {'v', value};
    for (const plan_constant& each : p.constants)
      if (each.value == value) return {'v', value};
    if (!tenon::ir::facts_of(g.nodes.data[node].kind).is_view) return {};
    value = g.operands_of(g.nodes.data[node])[g.values.data[value].index];
  }
  return {};
}

}  // namespace detail

// The simplified program, one op a line.
template <class Ops = ops::all>
void write_graph(const ir::graph& g, const text_sink& out) {
  for (const ir::graph_function& function : g.functions) {
    const ir::graph_region& region = g.regions.data[function.region];
    out << "func @" << g.name_of(function.name) << "(";
    for (int a = 0; a < region.argument_count; ++a)
      out << (a > 0 ? ", " : "") << "%" << region.arguments + a << ": " << g.type_of_value(region.arguments + a);
    out << ") {\n";
    detail::write_region<Ops>(out, g, function.region, 1);
    out << "}\n";
  }
}

// Prints the steps in order, with the addresses of their operands and results.
inline void write_plan(const ir::graph& g, const planning::plan& p, const text_sink& out) {
  out << "plan: " << p.steps.size << " steps, " << p.groups << " fused groups, arena " << p.arena_bytes
      << " bytes, constants " << p.constant_bytes << " bytes\n";
  for (int b = 0; b < p.blocks.size; ++b) {
    const planning::plan_block& block = p.blocks.data[b];
    if (b != p.main_block) out << "region " << block.region << ":\n";
    for (int s = block.first_step; s < block.last_step; ++s) {
      const planning::plan_step& step = p.steps.data[s];
      out << "  " << s << ": ";
      detail::write_ops(out, g, p, step, ", ", true);
      if (step.has_group()) {
        out << " fused over ";
        detail::write_shape(out, g.type_of_value(p.values.data[step.first + step.operand_count]).shape);
        if (step.count > step.tile) out << " in tiles of " << step.tile;
      }
      out << ";";
      for (int i = 0; i < step.operand_count; ++i) {
        const int value = p.values.data[step.first + i];
        out << (i > 0 ? ", %" : " reads %") << value << " at ";
        detail::write_place(out, p, value);
      }
      for (int r = 0; r < step.result_count; ++r) {
        const int value = p.values.data[step.first + step.operand_count + r];
        out << (r > 0 ? ", %" : " -> %") << value << " at ";
        detail::write_place(out, p, value);
      }
      if (step.scratch_bytes > 0) out << ", scratch " << step.scratch_bytes << " bytes";
      out << "\n";
    }
  }
}

// The steps of the main function as a graph for `dot -Tsvg`: a box for each step, an edge for each value that one
// writes and another reads.
inline void write_dot(const ir::graph& g, const planning::plan& p, const text_sink& out) {
  const planning::plan_block& block = p.blocks.data[p.main_block];
  const ir::graph_region& region = g.regions.data[block.region];
  out << "digraph program {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n"
         "  edge [fontname=\"monospace\", fontsize=9];\n";
  for (int a = 0; a < region.argument_count; ++a)
    out << "  v" << region.arguments + a << " [shape=ellipse, label=\"argument " << a << "\"];\n";
  for (const planning::plan_constant& each : p.constants)
    out << "  v" << each.value << " [shape=plain, label=\"constant\"];\n";
  for (int s = block.first_step; s < block.last_step; ++s) {
    const planning::plan_step& step = p.steps.data[s];
    out << "  s" << s << " [label=\"";
    detail::write_ops(out, g, p, step, "\\n", false);
    out << "\"" << (step.has_group() ? ", style=\"rounded,filled\", fillcolor=\"#e8f0fe\"" : "") << "];\n";
  }
  // An edge to what is written behind it; none from a value that lives inside of a step only.
  const auto write_edge = [&](int value, std::string_view to, int number) {
    const detail::drawn_source from = detail::source_of_value(g, p, block, value);
    if (from.letter == 0) return;
    out << "  " << std::string_view(&from.letter, 1) << from.number << " -> " << to << number << " [label=\""
        << g.type_of_value(value) << "\"];\n";
  };
  for (int s = block.first_step; s < block.last_step; ++s)
    for (int i = 0; i < p.steps.data[s].operand_count; ++i)
      write_edge(p.values.data[p.steps.data[s].first + i], "s", s);
  const core::list<int> yields = g.yields_of(region);
  for (int i = 0; i < yields.size; ++i) {
    out << "  r" << i << " [shape=ellipse, label=\"result " << i << "\"];\n";
    write_edge(yields[i], "r", i);
  }
  out << "}\n";
}

namespace detail {

// A program, or what it is compiled to.
template <class Program>
struct code_of {
  using type = Program;
};
template <class Program>
  requires requires { typename Program::code; }
struct code_of<Program> {
  using type = typename Program::code;
};

}  // namespace detail

// dump<net>(sink) writes the simplified program and its plan; `net` is a `program`, or `program_for` of a traced
// function.
template <class Program, class Sink>
void dump(Sink&& sink) {
  using code = typename detail::code_of<Program>::type;
  const ir::graph g = code::graph();
  const planning::plan p = code::plan();
  write_graph(g, sink);
  write_plan(g, p, sink);
}
// to_dot<net>(sink) writes the fused program for Graphviz.
template <class Program, class Sink>
void to_dot(Sink&& sink) {
  using code = typename detail::code_of<Program>::type;
  const ir::graph g = code::graph();
  const planning::plan p = code::plan();
  write_dot(g, p, sink);
}

#if __STDC_HOSTED__
template <class Program>
void dump(std::FILE* file = stdout) {
  const auto write = [&](std::string_view part) { std::fwrite(part.data(), 1, part.size(), file); };
  dump<Program>(write);
}
template <class Program>
void to_dot(std::FILE* file = stdout) {
  const auto write = [&](std::string_view part) { std::fwrite(part.data(), 1, part.size(), file); };
  to_dot<Program>(write);
}
#endif

}  // namespace tenon
