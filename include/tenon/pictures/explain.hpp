// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/explain.hpp>.
#pragma once

#include <tenon/graph/passes/rewrites.hpp>
#include <tenon/indexing/text.hpp>
#include <tenon/pictures/dump.hpp>
#include <tenon/pictures/traffic.hpp>

// The decisions of the fuser, for people: which ops share a loop nest, through which maps it reads, and why what stands
// beside it does not belong to it.
namespace tenon::planning {

// How an operand is read, and why what computes it stands apart, as text.
constexpr std::string_view text_of(load_kind kind) {
  constexpr std::string_view texts[] = {"contiguous", "broadcast", "strided", "gather"};
  return texts[int(kind)];
}
constexpr std::string_view text_of(not_fused_because why) {
  constexpr std::string_view texts[] = {"given",
                                        "another step or the caller reads it too",
                                        "the group reads it through maps that differ",
                                        "each element is read several times, and would be computed as often",
                                        "its op has loops of its own",
                                        "no affine map leads to what it reads",
                                        "its rows are not those of the group",
                                        "its rows are too long to be kept",
                                        "the group is as large as groups get",
                                        "in place",
                                        "it belongs to another region",
                                        "it says where something else is read"};
  static_assert(std::size(texts) == std::size_t(not_fused_because::index) + 1);
  return texts[int(why)];
}

}  // namespace tenon::planning

namespace tenon {

namespace detail {

inline void write_map(const text_sink& out, const indexing::indexing_map& map) {
  const auto text = indexing::print(map);
  std::string_view line = text.view();
  if (const std::size_t end = line.find('\n'); end != line.npos) line = line.substr(0, end);
  out << line;
}

inline void write_member(const text_sink& out, const graph& g, const plan& p, const plan_step& step, int node_id) {
  const graph_node& node = g.nodes.data[node_id];
  out << "    %" << node.results << " = " << name_of_kind(node.kind);
  const list<int> operands = g.operands_of(node);
  for (int i = 0; i < operands.size; ++i) out << (i > 0 ? ", %" : " %") << operands.data[i];
  const group_instruction* instruction = nullptr;
  for (int m = step.first_instruction; m < step.first_instruction + step.instruction_count; ++m)
    if (p.instructions.data[m].node == node_id) instruction = &p.instructions.data[m];
  if (instruction == nullptr) {
    out << ": a map, ";
    const tensor_type types[] = {g.type_of_value(operands.data[0])};
    write_map(out, tenon::ir::op_tables::reads[node.kind](g.words.data + node.words, 0, {types, 1},
                                                          g.type_of_value(node.results)));
  } else if (instruction->does == group_instruction::action::fold) {
    out << ": folds each row";
  } else if (instruction->does == group_instruction::action::broadcast_along_rows) {
    out << ": spread along each row";
  } else if (instruction->per_row) {
    out << ": once per row";
  }
  out << "\n";
}

// The sum of what the dimensions of a walk contribute.
inline void write_position(const text_sink& out, const strided_access& access) {
  bool first = true;
  for (int d = 0; d < access.sizes.size; ++d) {
    const index_t stride = access.strides.at[d];
    if (stride == 0) continue;
    if (!first) out << " + ";
    first = false;
    out << "i" << d;
    if (stride != 1) out << " * " << stride;
  }
  if (access.base != 0 || first) out << (first ? "" : " + ") << access.base;
}
inline void write_dimensions(const text_sink& out, const strided_access& access) {
  out << "(";
  for (int d = 0; d < access.sizes.size; ++d) out << (d > 0 ? ", i" : "i") << d;
  out << ") -> ";
}
// The position of what is read, over the iterated dimensions.
inline void write_access(const text_sink& out, const plan& p, const strided_access& access, int gather) {
  write_dimensions(out, access);
  write_position(out, access);
  if (gather >= 0) {
    const plan_gather& moved = p.gathers.data[gather];
    for (int i = 0; i < moved.index_count; ++i) {
      const plan_index& index = p.indices.data[moved.first_index + i];
      out << " + %" << index.value << "[";
      write_dimensions(out, p.accesses.data[index.access]);
      write_position(out, p.accesses.data[index.access]);
      out << "] * " << index.stride;
    }
  }
  for (int d = 0; d < access.sizes.size; ++d) out << ", i" << d << " < " << access.sizes.at[d];
  if (gather >= 0 && p.gathers.data[gather].before >= 0) {
    const int before = p.gathers.data[gather].before;
    out << ", of the positions ";
    write_access(out, p, p.accesses.data[p.gathers.data[before].access], before);
  }
}

inline void write_origin(const text_sink& out, const graph& g, int value, not_fused_because why) {
  const graph_value& from = g.values.data[value];
  if (from.node < 0) {
    out << "argument " << from.index;
  } else if (why == not_fused_because::given || why == not_fused_because::in_place || why == not_fused_because::index) {
    out << name_of_kind(g.nodes.data[from.node].kind);
  } else {
    out << "not fused with " << name_of_kind(g.nodes.data[from.node].kind) << ": " << text_of(why);
  }
}

inline void write_group(const text_sink& out, const graph& g, const plan& p, const plan_step& step) {
  out << "a group of " << step.member_count << (step.member_count == 1 ? " op" : " ops") << " over ";
  if (step.row > 1)
    out << step.count / step.row << " rows of " << step.row << " elements, ";
  else
    out << step.count << " elements in order, ";
  if (step.transposed_axis >= 0)
    out << "in boxes of " << step.box_rows << " times " << step.box_row;
  else if (step.has_long_rows())
    out << "each row in tiles of " << step.tile;
  else if (step.row > 1)
    out << step.tile / step.row << " at a time";
  else
    out << step.tile << " at a time";
  out << ", vectors along the innermost axis";
  if (step.tile_bytes > 0) out << ", " << step.tile_bytes << " bytes of buffers";
  out << "\n";
  for (int m = 0; m < step.member_count; ++m) write_member(out, g, p, step, p.members.data[step.first_member + m]);
  for (int i = 0; i < step.read_count; ++i) {
    const plan_read& read = p.reads.data[step.first_read + i];
    if (read.why == not_fused_because::in_place) continue;
    out << "  reads %" << read.value << " " << g.type_of_value(read.value) << ": " << text_of(read.kind);
    if (read.access >= 0) {
      out << ", ";
      write_access(out, p, p.accesses.data[read.access], read.gather);
    }
    if (read.per_row) out << ", once per row";
    if (read.uses > 1) out << ", for " << read.uses << " ops";
    out << "; ";
    write_origin(out, g, read.value, read.why);
    out << "\n";
  }
}

inline void write_op(const text_sink& out, const graph& g, const plan& p, const plan_step& step) {
  const graph_node& node = g.nodes.data[step.node];
  out << name_of_kind(node.kind) << (step.has_group() ? "\n" : ", by itself\n");
  for (int i = step.read_count; i < step.operand_count; ++i) {
    const int value = p.values.data[step.first + i];
    out << "  reads %" << value << " " << g.type_of_value(value);
    if (const int view = step.first_view >= 0 ? p.values.data[step.first_view + i - step.read_count] : -1; view >= 0) {
      out << ": strided, ";
      write_access(out, p, p.accesses.data[view], -1);
    }
    out << "; ";
    if (p.fuses_producer(step, value))
      out << "computed part by part, just before it is read";
    else
      write_origin(out, g, value, not_fused_because::given);
    out << "\n";
  }
}

// Over which dimensions a step is divided.
inline void write_division(const text_sink& out, const graph& g, const plan_step& step) {
  const ints& shape = g.type_of_value(g.nodes.data[step.node].results).shape;
  out << "in " << step.parts * (step.units / shape.at[step.prefix - 1]) << " parts along ";
  for (int d = 0; d < step.prefix; ++d) out << (d > 0 ? ", d" : "d") << d;
  out << (step.has_group() ? ", each followed by its group" : "") << "\n";
}

}  // namespace detail

// Per step: the ops of a group and their maps, how each operand is read, why its op stands apart, and the bytes that
// move through memory.
inline void explain(const ir::graph& g, const planning::plan& p, const text_sink& out) {
  out << p.steps.size << (p.steps.size == 1 ? " step, " : " steps, ") << p.groups << " of them fused groups; "
      << planning::bytes_moved(g, p) << " bytes through memory, at least " << planning::minimum_bytes(g, p) << "\n";
  for (int b = 0; b < p.blocks.size; ++b) {
    const planning::plan_block& block = p.blocks.data[b];
    if (b != p.main_block && block.first_step < block.last_step) out << "region " << block.region << "\n";
    for (int s = block.first_step; s < block.last_step; ++s) {
      const planning::plan_step& step = p.steps.data[s];
      out << s << ": ";
      if (step.is_fused_producer) out << "part by part for the next step: ";
      if (step.has_op()) detail::write_op(out, g, p, step);
      if (step.has_op() && step.parts > 0) {
        out << "  ";
        detail::write_division(out, g, step);
      }
      if (step.has_op() && step.has_group()) out << (step.has_epilogue() ? "  some at a time: " : "  in place: ");
      if (step.has_group()) detail::write_group(out, g, p, step);
      for (int r = 0; r < step.result_count; ++r) {
        const int value = p.values.data[step.first + step.operand_count + r];
        out << "  writes %" << value << " " << g.type_of_value(value) << "\n";
      }
      out << "  " << planning::bytes_moved(g, p, step) << " bytes through memory\n";
    }
  }
}

// Which rewrites of graph/passes/rewrites.hpp were applied, and how often: "rewrites: known_number 3, split_fold 1".
inline void explain_rewrites(const int (&applied)[passes::all_rewrites::size], const text_sink& out) {
  const char* before = "rewrites: ";
  for (int i = 0; i < passes::all_rewrites::size; ++i)
    if (applied[i] > 0) out << before << passes::all_rewrites::names[i] << " " << applied[i], before = ", ";
  out << (before[0] == ',' ? "\n" : "no rewrites\n");
}

// explain<net>(sink): `net` is a `program`, or `program_for` of a traced function.
template <class Program, class Sink>
void explain(Sink&& sink) {
  using code = typename detail::code_of<Program>::type;
  explain_rewrites(code::applied_rewrites(), sink);
  explain(code::graph(), code::plan(), sink);
  if (const int step = code::first_kept(); step >= 0)
    text_sink(sink) << "keeps tables because of step " << step << "\n";
}
#if __STDC_HOSTED__
template <class Program>
void explain(std::FILE* file = stdout) {
  explain<Program>([&](std::string_view part) { std::fwrite(part.data(), 1, part.size(), file); });
}
#endif

}  // namespace tenon
