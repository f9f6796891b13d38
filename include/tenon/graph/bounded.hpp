// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/bounded/exchange.hpp>

namespace tenon {

// Programs with dimensions whose sizes are known at run time only, below a bound: rewritten to static shapes of the
// bounds' sizes, in which every size is a number of its own, and what lies behind it is padding that nobody looks at.
// docs/architecture.md says how.

// Whether the pass has anything to do.
constexpr bool has_bounded_dimensions(const graph& g) {
  for (const tensor_type& type : g.types)
    if (type.bounded != 0) return true;
  return false;
}

// How many bounded dimensions these values have: so many sizes follow the arguments of a program, and its results.
constexpr int bounded_dimensions(const tensor_type& type) {
  int count = 0;
  for (int d = 0; d < type.rank(); ++d) count += type.is_bounded(d) ? 1 : 0;
  return count;
}

namespace detail {

class bounded_rewriter : public sized_exchange {
 public:
  using sized_exchange::sized_exchange;

  // Writes the function, from which all calls have been removed, to the target. Its arguments and results are followed
  // by their sizes, of type i64. False: it has no static form, or the target has no room.
  // @post no value of the target has a bounded dimension
  constexpr bool run(const graph_function& function) {
    begin();
    if (!open(function.region)) return false;
    for (int n = 0; n < from_.nodes.size && !refusal_ && !to_.overflow(); ++n)
      if (encloses_in_source(function.region, from_.nodes.data[n].region)) rewrite(n);
    if (refusal_ || to_.overflow()) return false;
    const graph_region& body = from_.regions.data[function.region];
    if (!has_room(body.yield_count)) return false;
    region_ = memory_.regions.data[function.region];
    int types[operand_list::most];
    if (body.yield_count > operand_list::most) return false;
    for (int i = 0; i < body.yield_count; ++i) types[i] = from_.values.data[from_.yields_of(body).data[i]].type;
    close(function.region, {types, body.yield_count});
    to_.functions.push({function.name, region_, true});
    return !refusal_ && !to_.overflow();
  }

 private:
  constexpr void begin() {
    const auto keep = [](const auto& source, auto& target) {
      for (const auto& each : source) target.push(each);
    };
    keep(from_.words, to_.words), keep(from_.literals, to_.literals), keep(from_.names, to_.names);
    keep(from_.characters, to_.characters), keep(from_.quantizations, to_.quantizations);
    keep(from_.scales, to_.scales), keep(from_.zero_points, to_.zero_points);
    keep(from_.member_lists, to_.member_lists), keep(from_.member_types, to_.member_types);
    for (tensor_type type : from_.types) {
      type.bounded = 0;
      to_.types.push(type);
    }
    to_.text = from_.text;
    for (int i = 0; i < from_.values.size * max_rank; ++i) memory_.sizes.data[i] = dimension_size::full;
    for (int i = 0; i < from_.regions.size; ++i) memory_.regions.data[i] = memory_.owners.data[i] = -1;
    for (int n = 0; n < from_.nodes.size; ++n)
      for (int region : from_.regions_of(from_.nodes.data[n])) memory_.owners.data[region] = n;
  }
  constexpr bool encloses_in_source(int outer, int inner) const {
    while (inner >= 0 && inner != outer) inner = from_.regions.data[inner].parent;
    return inner == outer;
  }

  constexpr void at_node(int n) {
    node_ = from_.nodes.data[n];
    source_ = node_.source;
    kind_ = node_.kind;
  }

  // Whether the target has room for what stands for one op with so many operands and results. Asked beforehand, so that
  // nobody reads what did not fit.
  constexpr bool has_room(int values) {
    const int nodes = 512 + 16 * values;
    const auto lacks = [](const auto& to, int count) { return to.capacity - to.size < count; };
    if (lacks(to_.nodes, nodes) || lacks(to_.values, 2 * nodes) || lacks(to_.operands, 3 * nodes) ||
        lacks(to_.words, 6 * nodes) || lacks(to_.types, nodes) || lacks(to_.literals, nodes) || lacks(to_.names, 16) ||
        lacks(to_.characters, 256) || lacks(to_.regions, 4) || lacks(to_.region_references, 4))
      to_.nodes.overflow = true;
    return !to_.overflow();
  }

  // ---------- regions

  static constexpr bool carries_sizes(int kind) { return kind == kind_of_op<ops::while_>; }

  // Opens a region in the target, after those that it stands in. A body of a loop is told the sizes of what it is
  // given, one after the other behind that, and so is the program; others may be told which elements count.
  constexpr bool open(int region) {
    if (memory_.regions.data[region] >= 0) return true;
    const graph_region& source = from_.regions.data[region];
    if (source.parent >= 0 && !open(source.parent)) return false;
    if (!has_room(source.argument_count + source.yield_count)) return false;
    const int owner = memory_.owners.data[region];
    graph_region target;
    target.parent = source.parent >= 0 ? memory_.regions.data[source.parent] : -1;
    target.first = target.last = to_.nodes.size;
    target.arguments = to_.values.size;
    target.source = source.source;
    const int id = to_.regions.size;
    memory_.regions.data[region] = id;
    int count = 0;
    const auto push = [&](int type) { to_.values.push({type, -1, count++, id}); };
    const bool selects = owner >= 0 && from_.nodes.data[owner].kind == kind_of_op<ops::select_and_scatter>;
    const bool marks = owner >= 0 && marks_elements(from_.nodes.data[owner]) &&
                       (!selects || from_.regions_of(from_.nodes.data[owner]).data[0] == region);
    const bool pairs = marks && from_.nodes.data[owner].kind == kind_of_op<ops::sort>;
    const int turned = marks && from_.nodes.data[owner].kind == kind_of_op<ops::scan> ? scanned_inputs(owner) : -1;
    const auto mark = [&] {
      if (selects) push(to_.intern_type(scalar_type));
      push(to_.intern_type(type_of(dtype::i1, turned < 0 ? ints{} : ints::filled(scanned_dimension(owner), 1))));
    };
    for (int a = 0; a < source.argument_count; ++a) {
      if (turned >= 0 ? a == turned : marks && !pairs && 2 * a == source.argument_count) mark();
      memory_.values.data[source.arguments + a] = to_.values.size;
      push(from_.values.data[source.arguments + a].type);
    }
    if (turned >= 0 ? turned == source.argument_count : marks) mark();
    if (pairs) mark();
    const bool sized = owner < 0 || carries_sizes(from_.nodes.data[owner].kind);
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
  constexpr int scanned_inputs(int node) const {
    return int(read_attributes<ops::scan>(from_.words.data + from_.nodes.data[node].words).operand_segment_sizes[0]);
  }
  constexpr int scanned_dimension(int node) const {
    return int(read_attributes<ops::scan>(from_.words.data + from_.nodes.data[node].words).dimension);
  }
  constexpr void check_arguments(const graph_region& source, int target) {
    region_ = target;
    source_ = -1;
    for (int a = 0; a < source.argument_count; ++a) {
      const tensor_type& type = from_.type_of_value(source.arguments + a);
      char name[] = "argument 0000";
      int length = 9;
      if (a >= 1000) name[length++] = char('0' + a / 1000 % 10);
      if (a >= 100) name[length++] = char('0' + a / 100 % 10);
      if (a >= 10) name[length++] = char('0' + a / 10 % 10);
      name[length++] = char('0' + a % 10);
      for (int d = 0; d < type.rank(); ++d) {
        if (!type.is_bounded(d)) continue;
        int& code = code_of_value(source.arguments + a, d);
        if (type.dim(d) > INT32_MAX) {
          refusal_ = {"the bound is larger than the largest number of type i32", -1, d, source.source};
          return;
        }
        code = check(size_relation::AT_MOST, d, {code, 0}, {-1, type.dim(d)}, {name, std::size_t(length)});
      }
    }
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
  constexpr void finish(int region, list<int> yields) {
    graph_region& target = to_.regions.data[memory_.regions.data[region]];
    target.last = to_.nodes.size;
    target.yields = to_.operands.size;
    target.yield_count = yields.size;
    for (int value : yields) to_.operands.push(value);
  }

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
    operand_list all;
    all.push(both(ops::and_{}, a, both(ops::or_{}, b_does_not, before)));
    finish(region, all);
  }

  // A turn that does not count leaves the carries as they are.
  constexpr void close_scanning(int region) {
    const list<int> yields = from_.yields_of(from_.regions.data[region]);
    const ops::scan op = attributes<ops::scan>();
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
    operand_list all;
    for (int i = 0; i < 2; ++i) all.push(choose(first, a + i, b + i));
    all.push(both(ops::or_{}, a + 2, b + 2));
    finish(region, all);
  }

  constexpr void close_regions() {
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
      if (node_.kind == kind_of_op<ops::select_and_scatter>)
        i == 0 && marks_elements(node_) ? close_selecting(region) : close(region, {});
      else if (node_.kind == kind_of_op<ops::scan> && marks_elements(node_))
        close_scanning(region);
      else if (marks_elements(node_))
        node_.kind == kind_of_op<ops::sort> ? close_comparing(region) : close_combining(region);
      else if (node_.kind == kind_of_op<ops::while_> && i == 0)
        close(region, {});
      else if (node_.kind == kind_of_op<ops::while_> || node_.kind == kind_of_op<ops::if_> ||
               node_.kind == kind_of_op<ops::case_>)
        close(region, {types, count});
      else
        close(region, {});
    }
    region_ = outside;
  }

  constexpr bool size_control() {
    operand_list values;
    int sizes = 0;
    if (node_.kind == kind_of_op<ops::while_>) {
      collect(values);
      for (int i = 0; i < node_.operand_count; ++i)
        for (int d = 0; d < operand_type(i).rank(); ++d)
          if (operand_type(i).is_bounded(d)) values.push(value_of(size(i, d)));
    } else {
      collect(values);
    }
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
  static constexpr const char* too_many = "the op has too many operands or results";

  // ---------- the op at hand

  constexpr void rewrite(int n) {
    if (!open(from_.nodes.data[n].region)) return;
    at_node(n);
    if (!has_room(node_.operand_count + node_.result_count)) return;
    region_ = memory_.regions.data[node_.region];
    if (node_.region_count > 0) close_regions();
    if (refusal_ || to_.overflow()) return;
    bool bounded = false;
    for (int i = 0; i < node_.operand_count; ++i) bounded = bounded || operand_type(i).bounded != 0;
    for (int r = 0; r < node_.result_count; ++r) bounded = bounded || result_type(r).bounded != 0;
    if (bounded && node_.operand_count > operand_list::most / 2) {
      refuse(-1, too_many);
    } else if (bounded) {
      if (!rewrite_bounded()) refuse(-1);
    } else {
      copy();
    }
  }

  constexpr void copy() {
    graph_node node = node_;
    node.operands = to_.operands.size;
    for (int i = 0; i < node_.operand_count; ++i) to_.operands.push(operand(i));
    node.regions = to_.region_references.size;
    for (int region : from_.regions_of(node_)) to_.region_references.push(memory_.regions.data[region]);
    node.region = region_;
    node.results = to_.values.size;
    for (int r = 0; r < node_.result_count; ++r) {
      memory_.values.data[node_.results + r] = to_.values.size;
      to_.values.push({from_.values.data[node_.results + r].type, to_.nodes.size, r, region_});
    }
    to_.nodes.push(node);
  }

  template <class Op>
  constexpr Op attributes() const {
    return read_attributes<Op>(from_.words.data + node_.words);
  }

  constexpr bool rewrite_bounded() {
    const op_facts facts = tenon::facts_of(node_.kind);
    if (facts.elementwise) return size_elementwise();
    switch (node_.kind) {
      case kind_of_op<ops::map>:
      case kind_of_op<ops::uniform_quantize>:
      case kind_of_op<ops::uniform_dequantize>:
        return size_elementwise();
      case kind_of_op<ops::optimization_barrier>:
        return size_pairwise();
      case kind_of_op<ops::constant>:
      case kind_of_op<ops::iota>:
      case kind_of_op<ops::rng_bit_generator>:
        return size_creation();
      case kind_of_op<ops::get_dimension_size>:
        return size_get_dimension_size(attributes<ops::get_dimension_size>());
      case kind_of_op<ops::set_dimension_size>:
        return size_set_dimension_size(attributes<ops::set_dimension_size>());
      case kind_of_op<ops::transpose>:
        return size_transpose(attributes<ops::transpose>());
      case kind_of_op<ops::reshape>:
        return size_reshape();
      case kind_of_op<ops::dynamic_reshape>:
        return size_dynamic_reshape();
      case kind_of_op<ops::broadcast>: {
        const int before = attributes<ops::broadcast>().broadcast_sizes.size;
        ints axes;
        for (int k = 0; k < operand_type(0).rank(); ++k) axes.push(before + k);
        return size_broadcast(axes);
      }
      case kind_of_op<ops::broadcast_in_dim>:
        return size_broadcast(attributes<ops::broadcast_in_dim>().broadcast_dimensions);
      case kind_of_op<ops::dynamic_broadcast_in_dim>:
        return size_dynamic_broadcast(attributes<ops::dynamic_broadcast_in_dim>());
      case kind_of_op<ops::dynamic_iota>:
        return size_dynamic_iota(attributes<ops::dynamic_iota>());
      case kind_of_op<ops::bitcast_convert>:
        return size_bitcast_convert();
      case kind_of_op<ops::slice>:
        return size_slice(attributes<ops::slice>());
      case kind_of_op<ops::pad>:
        return size_pad(attributes<ops::pad>());
      case kind_of_op<ops::dynamic_pad>:
        return size_dynamic_pad();
      case kind_of_op<ops::reverse>:
        return size_reverse(attributes<ops::reverse>());
      case kind_of_op<ops::concatenate>:
        return size_concatenate(attributes<ops::concatenate>());
      default:
        return rewrite_mixing();
    }
  }
  constexpr bool rewrite_mixing() {
    switch (node_.kind) {
      case kind_of_op<ops::reduce>:
        return size_reduce(attributes<ops::reduce>());
      case kind_of_op<ops::reduce_window>:
        return size_reduce_window(attributes<ops::reduce_window>());
      case kind_of_op<ops::select_and_scatter>:
        return size_select_and_scatter(attributes<ops::select_and_scatter>());
      case kind_of_op<ops::sort>:
        return size_sort(attributes<ops::sort>());
      case kind_of_op<ops::top_k>:
        return size_top_k(attributes<ops::top_k>());
      case kind_of_op<ops::scan>:
        return size_scan(attributes<ops::scan>());
      case kind_of_op<ops::ragged_dot>:
        return size_ragged_dot(attributes<ops::ragged_dot>());
      case kind_of_op<ops::dot>:
        return size_dot();
      case kind_of_op<ops::dot_general>: {
        const dot_dimension_numbers numbers = attributes<ops::dot_general>().dot_dimension_numbers;
        return size_product(numbers.lhs_batching_dimensions, numbers.rhs_batching_dimensions,
                            numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions);
      }
      case kind_of_op<ops::convolution>:
        return size_convolution(attributes<ops::convolution>());
      case kind_of_op<ops::dynamic_conv>:
        return size_dynamic_conv(attributes<ops::dynamic_conv>());
      case kind_of_op<ops::cholesky>:
        return size_cholesky();
      case kind_of_op<ops::triangular_solve>:
        return size_triangular_solve(attributes<ops::triangular_solve>());
      case kind_of_op<ops::fft>:
        return size_fft(attributes<ops::fft>());
      case kind_of_op<ops::einsum>:
        return size_einsum(attributes<ops::einsum>().einsum_config);
      case kind_of_op<ops::unary_einsum>:
        return size_einsum(attributes<ops::unary_einsum>().einsum_config);
      case kind_of_op<ops::batch_norm_inference>:
        return size_batch_norm_inference(attributes<ops::batch_norm_inference>());
      case kind_of_op<ops::batch_norm_training>:
        return size_batch_norm_training(attributes<ops::batch_norm_training>());
      case kind_of_op<ops::batch_norm_grad>:
        return size_batch_norm_grad(attributes<ops::batch_norm_grad>());
      case kind_of_op<ops::gather>:
        return size_gather(attributes<ops::gather>());
      case kind_of_op<ops::dynamic_gather>:
        return size_dynamic_gather(attributes<ops::dynamic_gather>());
      case kind_of_op<ops::scatter>:
        return size_scatter(attributes<ops::scatter>());
      case kind_of_op<ops::dynamic_slice>:
        return size_dynamic_slice(attributes<ops::dynamic_slice>());
      case kind_of_op<ops::dynamic_update_slice>:
        return size_dynamic_update_slice();
      case kind_of_op<ops::real_dynamic_slice>:
        return size_real_dynamic_slice();
      case kind_of_op<ops::while_>:
      case kind_of_op<ops::if_>:
      case kind_of_op<ops::case_>:
        return size_control();
      default:
        return rewrite_exchange();
    }
  }
  constexpr bool rewrite_exchange() {
    switch (node_.kind) {
      case kind_of_op<ops::all_reduce>:
        return size_all_reduce(attributes<ops::all_reduce>());
      case kind_of_op<ops::cross_replica_sum>:
        return size_all_reduce({attributes<ops::cross_replica_sum>().replica_groups});
      case kind_of_op<ops::reduce_scatter>:
        return size_reduce_scatter(attributes<ops::reduce_scatter>());
      case kind_of_op<ops::all_gather>:
        return size_all_gather(attributes<ops::all_gather>());
      case kind_of_op<ops::all_to_all>:
        return size_all_to_all(attributes<ops::all_to_all>());
      case kind_of_op<ops::collective_permute>:
        return size_collective_permute(attributes<ops::collective_permute>());
      case kind_of_op<ops::collective_broadcast>:
        return size_collective_broadcast(attributes<ops::collective_broadcast>());
      case kind_of_op<ops::collective_reduce>:
        return size_collective_reduce(attributes<ops::collective_reduce>());
      default:
        return size_unknown();
    }
  }

  // What others compute gets and gives tensors at their bounds.
  constexpr bool size_unknown() {
    const bool foreign = node_.kind < 0 || node_.kind == kind_of_op<ops::custom_call>;
    for (int i = 0; i < node_.operand_count; ++i)
      for (int d = 0; d < operand_type(i).rank(); ++d) {
        if (is_dynamic(i, d) && !foreign) return refuse(d);
        exactly(code(i, d), d, operand_type(i).dim(d));
      }
    const int results = write_again();
    for (int r = 0; r < node_.result_count; ++r) give_full(r, results + r);
    return true;
  }
};

}  // namespace detail

// Writes a function of a graph without calls to `to`, with static shapes. False: there is no such form, and `refusal`
// says why, or one of the tables had no room.
constexpr bool give_static_shapes(const graph& from, graph& to, const graph_function& function,
                                  const detail::bounded_memory& memory, bounded_refusal& refusal) {
  detail::bounded_rewriter pass(from, to, memory);
  const bool done = pass.run(function);
  refusal = pass.refusal();
  return done;
}

// Memory that the static form of a program takes, at a guess: `effort` 1, and more where that was too little.
constexpr graph_sizes sizes_with_static_shapes(const graph& g, int effort) {
  graph_sizes sizes = g.sizes();
  int bounded = 4;
  for (const graph_node& node : g.nodes) {
    bool any = false;
    for (int value : g.operands_of(node)) any = any || g.type_of_value(value).bounded != 0;
    for (int r = 0; r < node.result_count; ++r) any = any || g.type_of_value(node.results + r).bounded != 0;
    bounded += any ? 1 : 0;
  }
  const int more = 1024 + 12 * effort * bounded;
  sizes.nodes += more, sizes.values += 2 * more, sizes.operands += 3 * more, sizes.words += 6 * more;
  sizes.types += more, sizes.literals += more, sizes.names += 64 * effort, sizes.characters += 1024 * effort;
  sizes.regions += 4 * effort * bounded, sizes.region_references += 4 * effort * bounded;
  sizes.functions = 1;
  return sizes;
}

}  // namespace tenon
