// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/message.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/passes/bounded/sizes.hpp>
#include <tenon/graph/passes/neutral_bits.hpp>

namespace tenon::passes {

// Regions in the target. Those of loops are told the sizes of what they are given, others which elements count.
class sized_regions : public size_keeper {
 public:
  using size_keeper::size_keeper;

  // Whether the region of the node is told, on either side, whether the element counts: an argument more.
  constexpr bool marks_elements(const graph_node& node);

  // Opens a region in the target, after those that it stands in. A body of a loop is told the sizes of what it is
  // given, one after the other behind that, and so is the program; others may be told which elements count.
  constexpr bool open(int region) {
    if (memory_.regions.data[region] >= 0) return true;
    const graph_region& source = from_.regions.data[region];
    if (source.parent >= 0 && !open(source.parent)) return false;
    if (!has_room(source.argument_count + source.yield_count)) return false;
    const int owner = memory_.owners.data[region];
    const int parent = source.parent >= 0 ? memory_.regions.data[source.parent] : -1;
    graph_region target = begin_region(to_, parent, source.source);
    const int id = to_.regions.size;
    memory_.regions.data[region] = id;
    int count = 0;
    const auto push = [&](int type) { to_.values.push({type, -1, count++, id}); };
    const op_facts& facts = tenon::ir::facts_of(owner < 0 ? -1 : from_.nodes.data[owner].kind);
    const bool selects = facts.selects_in_windows;
    const bool marks = owner >= 0 && marks_elements(from_.nodes.data[owner]) &&
                       (!selects || from_.regions_of(from_.nodes.data[owner]).data[0] == region);
    const bool pairs = marks && facts.sorts;
    const int scanned = marks && facts.scans ? int(scan_of(from_.nodes.data[owner]).operand_segment_sizes[0]) : -1;
    const auto mark = [&] {
      if (selects) push(to_.intern_type(scalar_type));
      push(to_.intern_type(
          type_of(dtype::i1, scanned < 0 ? ints{} : ints::filled(int(scan_of(from_.nodes.data[owner]).dimension), 1))));
    };
    for (int a = 0; a < source.argument_count; ++a) {
      if (scanned >= 0 ? a == scanned : marks && !pairs && 2 * a == source.argument_count) mark();
      memory_.values.data[source.arguments + a] = to_.values.size;
      push(from_.values.data[source.arguments + a].type);
    }
    if (scanned >= 0 ? scanned == source.argument_count : marks) mark();
    if (pairs) mark();
    const bool sized = owner < 0 || facts.carries_in_place;
    for (int a = 0; a < source.argument_count && sized; ++a)
      for (int d = 0; d < from_.type_of_value(source.arguments + a).rank(); ++d)
        if (from_.type_of_value(source.arguments + a).is_bounded(d)) {
          code_of_value(source.arguments + a, d) = to_.values.size;
          push(to_.intern_type(scalar_type));
        }
    target.argument_count = count;
    to_.regions.push(target);
    if (owner < 0) check_arguments(source, id);
    return !to_.overflow();
  }
  // Hands over the values of a region, and behind them the sizes of those whose types (of the source) have bounds.
  constexpr void close(int region, list<int> types) {
    const graph_region& source = from_.regions.data[region];
    operand_list all;
    const list<int> yields = from_.yields_of(source);
    for (int value : yields) all.push(memory_.values.data[value]);
    for (int i = 0; i < types.size && i < yields.size; ++i) {
      const tensor_type& type = from_.types.data[types.data[i]];
      for (int d = 0; d < type.rank(); ++d) {
        const int code = code_of_value(yields.data[i], d);
        if (type.is_bounded(d))
          all.push(value_of(extent_of(canonical(code), type.dim(d))));
        else
          exactly(canonical(code), d, type.dim(d));
      }
    }
    finish(region, all);
  }
  // Opens and closes what has not been opened or closed of the regions of the op at hand.
  constexpr void close_regions() {
    const op_facts& facts = tenon::ir::facts_of(node_.kind);
    const int outside = region_;
    const list<int> regions = from_.regions_of(node_);
    int types[operand_list::most];
    int count = 0;
    for (int r = 0; r < node_.result_count && count < operand_list::most; ++r)
      types[count++] = from_.values.data[node_.results + r].type;
    for (int i = 0; i < regions.size; ++i) {
      const int region = regions.data[i];
      if (!open(region)) return;
      region_ = memory_.regions.data[region];
      const bool is_condition = facts.carries_in_place && i == 0;
      if (!marks_elements(node_) || (facts.selects_in_windows && i > 0))
        close(region, facts.runs_on_values && !is_condition ? list<int>{types, count} : list<int>{});
      else if (facts.selects_in_windows)
        close_selecting(region);
      else if (facts.scans)
        close_scanning(region);
      else if (facts.sorts)
        close_comparing(region);
      else
        close_combining(region);
    }
    region_ = outside;
  }

 private:
  // Whether an op would combine elements with padding.
  struct marking {
    sized_regions& regions;
    const graph_node& node;

    constexpr list<int> operands() const { return regions.from_.operands_of(node); }
    constexpr const tensor_type& type_of(int i) const { return regions.from_.type_of_value(operands().data[i]); }
    constexpr bool is_dynamic(int i, int dimension) const {
      return regions.canonical(regions.code_of_value(operands().data[i], dimension)) >= 0;
    }

    constexpr bool otherwise() const { return false; }
    constexpr bool operator()(const ops::reduce& op) const {
      bool dynamic = false;
      for (int i = 0; i < node.operand_count / 2; ++i)
        for (index_t d : op.dimensions) dynamic = dynamic || is_dynamic(i, int(d));
      index_t bits = 0;
      return dynamic && !neutral_bits(facts_of_body(regions.from_, node).neutral, type_of(0).element, bits);
    }
    constexpr bool operator()(const ops::sort& op) const {
      const int along = int(op.dimension < 0 ? op.dimension + type_of(0).rank() : op.dimension);
      for (int i = 0; i < node.operand_count; ++i)
        if (is_dynamic(i, along)) return true;
      return false;
    }
    constexpr bool operator()(const ops::scan& op) const {
      for (int i = 0; i < int(op.operand_segment_sizes[0]); ++i)
        if (is_dynamic(i, int(op.dimension))) return true;
      return false;
    }
    constexpr bool operator()(const ops::select_and_scatter& op) const {
      for (int d = 0; d < type_of(0).rank(); ++d)
        if (is_dynamic(0, d) && !is_single(op.window().axis(type_of(0).shape, d))) return true;
      return false;
    }
    constexpr bool operator()(const ops::scatter&) const {
      for (int i = node.operand_count / 2; i < node.operand_count; ++i)
        for (int d = 0; d < type_of(i).rank(); ++d)
          if (is_dynamic(i, d)) return true;
      return false;
    }
  };

  constexpr ops::scan scan_of(const graph_node& node) const {
    return read_attributes<ops::scan>(from_.words.data + node.words);
  }
  constexpr void check_arguments(const graph_region& source, int target) {
    region_ = target;
    node_ = {};
    for (int a = 0; a < source.argument_count; ++a) {
      const tensor_type& type = from_.type_of_value(source.arguments + a);
      message_text<24> name;
      name << "argument " << a;
      for (int d = 0; d < type.rank(); ++d) {
        if (!type.is_bounded(d)) continue;
        int& code = code_of_value(source.arguments + a, d);
        if (type.dim(d) > INT32_MAX) {
          refusal_ = {"the bound is larger than the largest number of type i32", -1, d, source.source};
          return;
        }
        code = check(size_relation::AT_MOST, d, {code, 0}, {-1, type.dim(d)}, name.view());
      }
    }
  }

  constexpr void finish(int region, list<int> yields) { close_region(to_, memory_.regions.data[region], yields); }

  // A body that combines elements: what does not count leaves the other side as it is.
  constexpr void close_combining(int region) {
    const graph_region& source = from_.regions.data[region];
    const graph_region target = to_.regions.data[memory_.regions.data[region]];
    const int n = source.argument_count / 2, first = target.arguments, second = first + n + 1;
    const int counts_first = first + n, counts_second = second + n;
    const int both_count = both(ops::and_{}, counts_first, counts_second);
    operand_list all;
    for (int i = 0; i < n; ++i) {
      const int combined = memory_.values.data[from_.yields_of(source).data[i]];
      const dtype element = type_of_target(combined).element;
      const int one = choose(counts_first, convert(first + i, element), convert(second + i, element));
      all.push(choose(both_count, combined, one));
    }
    all.push(both(ops::or_{}, counts_first, counts_second));
    finish(region, all);
  }
  // Where one of two elements does not count, it comes behind the other.
  constexpr void close_comparing(int region) {
    const graph_region& source = from_.regions.data[region];
    const graph_region target = to_.regions.data[memory_.regions.data[region]];
    const int a = target.arguments + source.argument_count, b = a + 1;
    const int before = memory_.values.data[from_.yields_of(source).data[0]];
    const int b_does_not = add(ops::not_{}, {b}, type_of(dtype::i1));
    const int first = both(ops::and_{}, a, both(ops::or_{}, b_does_not, before));
    finish(region, {&first, 1});
  }

  // An iteration that does not count leaves the carries as they are.
  constexpr void close_scanning(int region) {
    const list<int> yields = from_.yields_of(from_.regions.data[region]);
    const ops::scan op = scan_of(node_);
    const int mark = to_.regions.data[memory_.regions.data[region]].arguments + int(op.operand_segment_sizes[0]);
    const int counts = reshape(mark, {}), outputs = int(op.result_segment_sizes[0]);
    operand_list all;
    for (int i = 0; i < yields.size; ++i) {
      const int value = memory_.values.data[yields.data[i]];
      all.push(i < outputs ? value : choose(counts, value, mark + 1 + i - outputs));
    }
    finish(region, all);
  }
  // Of two elements with their positions: the one that counts, or that the body prefers.
  constexpr void close_selecting(int region) {
    const int a = to_.regions.data[memory_.regions.data[region]].arguments, b = a + 3;
    const int preferred = memory_.values.data[from_.yields_of(from_.regions.data[region]).data[0]];
    const int b_does_not = add(ops::not_{}, {b + 2}, type_of(dtype::i1));
    const int first = both(ops::and_{}, a + 2, both(ops::or_{}, b_does_not, preferred));
    const int all[] = {choose(first, a, b), choose(first, a + 1, b + 1), both(ops::or_{}, a + 2, b + 2)};
    finish(region, {all, 3});
  }
};

// Behind the class: Clang evaluates no function of a template whose body it has yet to read.
constexpr bool sized_regions::marks_elements(const graph_node& node) {
  marking all{*this, node};
  return visit_op(node.kind, from_.words.data + node.words, all);
}

// Ops that run their regions.
class sized_control : public size_keeper {
 public:
  using size_keeper::size_keeper;

  constexpr bool rewrite(const ops::while_&) {
    operand_list values = collected();
    for (int i = 0; i < node_.operand_count; ++i)
      for (int d = 0; d < operand_type(i).rank(); ++d)
        if (operand_type(i).is_bounded(d)) values.push(value_of(size(i, d)));
    return write_with_sizes(values);
  }
  constexpr bool rewrite(const ops::if_&) { return write_with_sizes(collected()); }
  constexpr bool rewrite(const ops::case_&) { return write_with_sizes(collected()); }

 private:
  // Writes the op again; the sizes of its results follow them.
  constexpr bool write_with_sizes(const operand_list& values) {
    int sizes = 0;
    for (int r = 0; r < node_.result_count; ++r) sizes += bounded_dimensions(result_type(r));
    if (values.count >= operand_list::most || sizes > 256) return refuse(-1, too_many);
    tensor_type more[256];
    for (int i = 0; i < sizes; ++i) more[i] = scalar_type;
    const int results = write_again(values, {more, sizes});
    int next = results + node_.result_count;
    for (int r = 0; r < node_.result_count; ++r) {
      memory_.values.data[node_.results + r] = results + r;
      for (int d = 0; d < result_type(r).rank(); ++d)
        if (result_type(r).is_bounded(d)) code_of_value(node_.results + r, d) = next++;
    }
    return true;
  }
};

}  // namespace tenon::passes
