// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/lanes.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/plan/access.hpp>
#include <tenon/kernels/lanes/lane_program.hpp>

#include <bit>

namespace tenon::kernels {

// A fused group as one loop nest, without buffers between its ops: for groups that are known while compiling, of few
// ops. The vectors of all values have the lane count of the widest elements, and booleans are masks over these.
// Other groups are done tile by tile. Both apply the same vector form of each op to each element.
//
// Where rows are folded, each row is passed over several times: what is computed of a fold waits for its pass, and what
// a later pass reads again is kept for the row.
struct loop_nest {
  static constexpr int most_nodes = 24, most_inputs = 24;

  struct input {
    place at;
    dtype element = dtype::none;
    index_t base = 0;
    ints strides;  // along the dimensions of the nest
    bool per_row = false;
    bool ranged = false;  // one range of it is there
    index_t block = -1;  // where in the scratch memory lies what is copied there first: of what is read across, a block
    int constant = -1;   // the value that it is, if that is one number, which the program says
    ints spread;         // of joined rows, one: its strides along their dimensions
    // Read where indices say, which are the inputs from `first_index` on: each element by itself if they differ along a
    // row, or are read at distances for which there is no load.
    int first_index = 0, index_count = 0;
    index_t run = 0;  // of neighbours for which they are the same
    bool by_element = false;
    // An index operand: clamp(element, low, high) * moves is added to the address.
    index_t moves = 0, low = 0, high = 0;
    constexpr bool is_index() const { return moves != 0; }
    // Whether rows have other elements than those before them.
    constexpr bool changes() const {
      for (int d = 0; d + 1 < strides.size; ++d)
        if (strides.at[d] != 0) return true;
      return false;
    }
  };
  struct node : lane_node {
    bool folds = false, per_row = false;
    int pass = 0;       // in which it is computed, or folds; of one element per row: before which
    index_t kept = -1;  // where in the scratch memory its elements of a row are kept for later passes
    place init;         // of folds
    // Of another result of the group: its value and its address.
    int value = -1;
    place stored;
  };

  bool fits = false;
  bool has_rows = false;        // something is folded or spread along the last dimension
  dtype element = dtype::none;  // of the widest lanes; ui8 if there are only booleans
  ints sizes;
  input inputs[most_inputs]{};
  int input_count = 0;
  node nodes[most_nodes]{};  // the last one gives the result; if there is none, it is a copy of input 0
  int node_count = 0;
  int pass_count = 1;
  place result;
  bool ranged_result = false;
  // Neighbours along a row of some input lie farther apart than loads of vectors reach.
  bool has_wide_strides = false;
  // Where something is read across, it is done in boxes along this dimension and the last one, and these block by
  // block.
  int transposed_axis = -1;
  index_t box_rows = 0, box_row = 0, block_rows = 0;
  // Rows that are joined to one, for vectors to be long enough: the dimensions of that.
  static constexpr bool joins_rows = HWY_TARGET != HWY_SCALAR;
  ints joined;

  // Rows that are shorter than four vectors are taken at once, at most as many as vectors of this or a narrower target
  // have lanes; those shorter than a vector fill the lanes of one that is no wider than it must be.
  static constexpr index_t most_rows_together(dtype element) { return 64 / index_t(storage_bytes(element)); }
  constexpr index_t rows_together() const {
    const index_t most = most_rows_together(element), rows = count() / row(), fewest = most > 16 ? most / 4 : 1;
    if (row() >= 4 * most) return 1;
    const index_t all = has_short_rows() ? index_t(std::bit_ceil(std::size_t(rows < fewest ? fewest : rows))) : rows;
    return all < most ? all : most;
  }
  // Shorter than some vectors, and not alone.
  constexpr bool has_short_rows() const { return sizes.size > 1 && row() < most_rows_together(element); }
  constexpr index_t count() const { return sizes.product(); }
  constexpr index_t row() const { return sizes.empty() ? 1 : sizes.at[sizes.size - 1]; }
  constexpr bool reads_by_index() const {
    for (int i = 0; i < input_count; ++i)
      if (inputs[i].index_count > 0) return true;
    return false;
  }
  constexpr bool gives_rows(int operand) const {
    return operand < 0 ? inputs[~operand].per_row : nodes[operand].per_row || nodes[operand].folds;
  }
  // The first pass in which there is such an operand.
  constexpr int ready_for(int operand) const {
    return operand < 0 ? 0 : nodes[operand].pass + (nodes[operand].folds ? 1 : 0);
  }
};

// Cuts the index space of a group so that each of its accesses has one stride along each dimension.
class nest_builder {
 public:
  constexpr nest_builder(const graph& g, const plan& p, const plan_step& step) : g_(g), p_(p), step_(step) {}

  constexpr loop_nest build() {
    nest_.fits = step_.count > 0 && step_.instruction_count > 0 && add_pieces() && cut() && cut_into_boxes();
    if (nest_.node_count > 0)
      nest_.fits = nest_.fits && join_rows() && divide_passes() && loads_fit() &&
                   (!step_.has_op() || step_.has_epilogue() || works_in_place()) && keep_short_rows();
    return nest_;
  }

 private:
  const graph& g_;
  const plan& p_;
  const plan_step& step_;
  loop_nest nest_;
  strided_access accesses_[loop_nest::most_inputs]{};
  index_t scratch_ = 0;  // bytes that are used of what the tiles would have

  constexpr int add_input(int value, const strided_access& access, bool per_row) {
    if (nest_.input_count == loop_nest::most_inputs) return -1;
    accesses_[nest_.input_count] = access;
    loop_nest::input& added = nest_.inputs[nest_.input_count];
    added.at = p_.places[value];
    added.element = g_.type_of_value(value).element;
    added.base = access.base;
    added.per_row = per_row;
    if (is_integer(added.element) && is_splat_constant(g_, value)) added.constant = value;
    return nest_.input_count++;
  }
  // An operand that is read where indices say; -1 if there is no such loop.
  constexpr int add_gathered(int value, const strided_access& access, const plan_gather& gather) {
    if (gather.before >= 0) return -1;
    const int input = add_input(value, access, false);
    if (input < 0) return -1;
    for (int i = gather.first_index; i < gather.first_index + gather.index_count; ++i) {
      const plan_index& index = p_.indices[i];
      if (index.stride == 0) continue;
      const int added = add_input(index.value, p_.accesses[index.access], false);
      if (added < 0) return -1;
      nest_.inputs[added].moves = index.stride, nest_.inputs[added].low = index.low,
      nest_.inputs[added].high = index.high;
    }
    nest_.inputs[input].first_index = input + 1;
    nest_.inputs[input].index_count = nest_.input_count - input - 1;
    nest_.inputs[input].run = gather.run;
    return input;
  }

  constexpr bool add_pieces() {
    if (step_.instruction_count > loop_nest::most_nodes + loop_nest::most_inputs) return false;
    for (int m = 0; m < step_.instruction_count; ++m)
      if (!add_piece(p_.instructions[step_.first_instruction + m])) return false;
    // Booleans alone are masks over bytes.
    if (nest_.element == dtype::none) nest_.element = dtype::ui8;
    return true;
  }
  constexpr bool add_piece(const group_instruction& instruction) {
    using action = group_instruction::action;
    const plan_operand& target = p_.operands[instruction.first + instruction.operand_count];
    const bool to_tile = target.from == plan_operand::source::tile, has_rows = step_.row > 1;
    int made = 0;
    if (instruction.does == action::load) {
      const int value = p_.operands[instruction.first].value;
      const strided_access& access = p_.accesses[instruction.access];
      const bool per_row = instruction.per_row && has_rows, is_copy = step_.instruction_count == 1 && !step_.has_op();
      if ((!to_tile && !is_copy) || (instruction.gather >= 0 && per_row)) return false;
      const int input = instruction.gather >= 0 ? add_gathered(value, access, p_.gathers[instruction.gather])
                                                : add_input(value, access, per_row);
      if (input < 0) return false;
      made = ~input;
      if (!to_tile) widen(unsigned_type(storage_bytes(nest_.inputs[input].element)));
    } else if (instruction.does == action::broadcast_along_rows) {
      nest_.has_rows = has_rows;
      if (!to_tile || !find_operand(instruction, 0, made)) return false;
    } else if (instruction.does == action::compute || instruction.does == action::fold) {
      if (nest_.node_count == loop_nest::most_nodes || instruction.operand_count > lane_node::most_operands)
        return false;
      loop_nest::node& node = nest_.nodes[nest_.node_count];
      node.key = p_.kernels[instruction.kernel];
      node.words = g_.nodes[instruction.node].words;
      node.folds = instruction.does == action::fold && has_rows;
      node.per_row = instruction.per_row && has_rows;
      node.operand_count = instruction.does == action::fold ? 1 : instruction.operand_count;
      if (node.folds) {
        nest_.has_rows = true;
        node.init = p_.places[p_.operands[instruction.first + 1].value];
      }
      widen(node.key.element), widen(node.key.result);
      for (int i = 0; i < node.operand_count; ++i)
        if (!find_operand(instruction, i, node.operands[i])) return false;
      // One element is combined with where its fold starts from.
      if (instruction.does == action::fold && !has_rows) {
        node.key = {node.key.body, node.key.element, node.key.result};
        node.operands[node.operand_count++] = node.operands[0];
        node.operands[0] = ~add_input(p_.operands[instruction.first + 1].value, {}, false);
        if (node.operands[0] >= 0 || node.key.kind < 0 || node.key.element != node.key.result) return false;
      }
      made = nest_.node_count++;
    } else {
      return false;
    }
    if (to_tile) {
      made_at(target.offset) = made;
    } else if (target.value == p_.values[step_.first + step_.operand_count]) {
      nest_.result = p_.places[target.value];
      nest_.ranged_result = target.ranged;
    } else if (made < 0) {
      return false;
    } else {
      nest_.nodes[made].value = target.value;
      nest_.nodes[made].stored = p_.places[target.value];
    }
    return true;
  }

  constexpr void widen(dtype element) {
    const dtype lane = lane_type(element);
    if (lane != dtype::i1 && (nest_.element == dtype::none || num_bits(lane) > num_bits(nest_.element)))
      nest_.element = lane;
  }

  constexpr bool find_operand(const group_instruction& instruction, int i, int& found) {
    const plan_operand& operand = p_.operands[instruction.first + i];
    if (operand.from == plan_operand::source::tile) {
      found = made_at(operand.offset);
      return true;
    }
    for (int n = 0; n < nest_.node_count; ++n)
      if (nest_.nodes[n].value == operand.value) return found = n, true;
    const int input = find_input(operand);
    found = ~input;
    return input >= 0;
  }
  // An operand that is read in order.
  constexpr int find_input(const plan_operand& operand) {
    const int value = operand.value;
    const bool per_row = operand.per_row && step_.row > 1;
    const index_t count = per_row ? step_.count / step_.row : step_.count;
    const strided_access in_order = count == 1 ? strided_access{} : strided_access{ints{count}, ints{1}, 0};
    for (int i = 0; i < nest_.input_count; ++i)
      if (nest_.inputs[i].at.base == p_.places[value].base && nest_.inputs[i].at.offset == p_.places[value].offset &&
          nest_.inputs[i].per_row == per_row && nest_.inputs[i].ranged == operand.ranged &&
          !nest_.inputs[i].is_index() && nest_.inputs[i].index_count == 0 && accesses_[i].base == 0 &&
          accesses_[i].sizes == in_order.sizes && accesses_[i].strides == in_order.strides)
        return i;
    const int added = add_input(value, in_order, per_row);
    if (added >= 0) nest_.inputs[added].ranged = operand.ranged;
    return added;
  }

  constexpr bool cut() {
    common_walk walk(step_.count);
    const index_t unit = step_.count / step_.units;
    bool fits = walk.add(unit) && (!nest_.has_rows || walk.add(step_.row));
    for (int i = 0; i < nest_.input_count; ++i)
      fits = fits && walk.cut(accesses_[i], nest_.inputs[i].per_row ? step_.row : 1);
    if (!fits || !walk.close()) return false;
    nest_.sizes = walk.sizes();
    for (int i = 0; i < nest_.input_count; ++i) {
      loop_nest::input& each = nest_.inputs[i];
      each.strides = nest_.sizes;
      index_t elements = 1;
      for (int d = nest_.sizes.size - 1; d >= 0; elements *= nest_.sizes.at[d--])
        each.strides.at[d] = !each.per_row          ? stride_at(accesses_[i], elements)
                             : elements < step_.row ? 0
                                                    : stride_at(accesses_[i], elements / step_.row);
    }
    int outer = nest_.sizes.size - 1;
    for (index_t row = nest_.row(); nest_.has_rows && row < step_.row; row *= nest_.sizes.at[outer]) --outer;
    if (outer + 1 < nest_.sizes.size) join(outer, 1);
    // Ranges of a step in parts begin where rows do.
    return nest_.sizes.size <= 1 || unit % nest_.row() == 0;
  }

  // Short rows of a nest without folds are joined to longer ones, as far as these divide the dimensions around them. An
  // input that such a row does not read at one distance is spread in the scratch memory first.
  constexpr bool join_rows() {
    if (!loop_nest::joins_rows || nest_.has_rows || step_.transposed_axis >= 0 || nest_.reads_by_index()) return true;
    const index_t vector = loop_nest::most_rows_together(nest_.element);
    if (nest_.sizes.size < 2 || nest_.row() >= 4 * vector) return true;
    const loop_nest apart = nest_;
    const index_t scratch = scratch_;
    // The dimensions from `outer` on are joined, of the first of them so many parts.
    int outer = nest_.sizes.size;
    index_t row = 1, parts = 1;
    while (outer > 0 && parts == 1) {
      const index_t size = nest_.sizes.at[outer - 1], part = largest_part(size, row);
      if (part == 1) break;
      --outer, row *= part, parts = size / part;
    }
    const bool is_whole = outer == 0 && parts == 1;
    if (row <= nest_.row() || (row < vector && !is_whole)) return true;
    join(outer, parts);
    for (int i = 0; i < nest_.input_count; ++i) {
      // Where rows fill vectors, or several side by side do, it is spread only if that is done once for many rows.
      const bool is_for_many = !nest_.inputs[i].changes() && nest_.count() >= least_joined_ * row;
      if (!nest_.inputs[i].spread.empty() && !is_for_many &&
          (apart.row() >= vector || apart.sizes.at[apart.sizes.size - 2] >= vector))
        scratch_ = step_.tile_bytes + 1;
    }
    if (scratch_ > step_.tile_bytes) nest_ = apart, scratch_ = scratch;
    return true;
  }
  // Joins the dimensions from `outer` on, the first of them in `parts` parts.
  constexpr void join(int outer, index_t parts) {
    const ints sizes = nest_.sizes;
    const auto joined = [&](const ints& each, index_t first, index_t last) {
      ints result;
      for (int d = 0; d < outer; ++d) result.push(each.at[d]);
      if (parts > 1) result.push(first);
      result.push(last);
      return result;
    };
    const index_t part = sizes.at[outer] / parts;
    nest_.joined = {part};
    for (int d = outer + 1; d < sizes.size; ++d) nest_.joined.push(sizes.at[d]);
    nest_.sizes = joined(sizes, parts, nest_.joined.product());
    const index_t rows = nest_.has_rows ? nest_.rows_together() : 1;
    for (int i = 0; i < nest_.input_count; ++i) {
      loop_nest::input& each = nest_.inputs[i];
      ints strides;
      for (int d = outer; d < sizes.size; ++d) strides.push(each.strides.at[d]);
      each.strides = joined(each.strides, part * strides.at[0], strides.at[strides.size - 1]);
      bool is_spread = false;
      for (int d = 1; d < strides.size; ++d)
        is_spread = is_spread || strides.at[d - 1] != strides.at[d] * nest_.joined.at[d];
      if (!is_spread) continue;
      each.spread = strides, each.block = scratch_;
      scratch_ += rounded_up(rows * nest_.row() * index_t(storage_bytes(each.element)));
    }
  }
  // The largest part of a dimension for a row of `row` elements without it.
  constexpr index_t largest_part(index_t size, index_t row) const {
    const index_t unit = step_.count / step_.units, wanted = nest_.count() / least_joined_;
    const index_t most = wanted < shortest_joined_  ? shortest_joined_
                         : wanted < longest_joined_ ? wanted
                                                    : longest_joined_;
    index_t part = size < most / row ? size : most / row;
    while (part > 1 && (size % part != 0 || unit % (part * row) != 0)) --part;
    return part < 1 ? 1 : part;
  }

  constexpr bool cut_into_boxes() {
    if (step_.transposed_axis < 0) return true;
    if (nest_.reads_by_index() || !(nest_.sizes == p_.accesses[step_.walk].sizes)) return false;
    nest_.transposed_axis = step_.transposed_axis;
    // Down the rows of a line of the cache, for as long as processors need to see where what is read across leads.
    const index_t side = line_bytes_ / index_t(storage_bytes(nest_.element));
    const auto most = [&](int d, index_t length) { return nest_.sizes.at[d] < length ? nest_.sizes.at[d] : length; };
    nest_.box_rows = most(nest_.transposed_axis, lines_across_ * side);
    nest_.block_rows = most(nest_.transposed_axis, side);
    nest_.box_row = most(nest_.sizes.size - 1, side);
    return true;
  }

  // Whether each input is read in order, in reverse, in short strides, repeated, or across.
  constexpr bool loads_fit() {
    const int last = nest_.sizes.size - 1;
    if (nest_.reads_by_index() && nest_.has_rows) return false;
    for (int i = 0; i < nest_.input_count && last >= 0; ++i) {
      loop_nest::input& each = nest_.inputs[i];
      if (!each.spread.empty()) continue;
      const index_t stride = each.strides.at[last];
      const bool fills_vectors = each.element != dtype::i1 && is_plain_number(each.element) &&
                                 storage_bytes(each.element) == storage_bytes(nest_.element);
      each.by_element = each.index_count > 0 && indices_differ(each);
      if (each.is_index() || each.by_element) continue;
      if (stride == 0 || stride == 1) continue;
      if (fills_vectors && stride >= -1 && stride <= most_stride_) continue;
      each.by_element = each.index_count > 0;
      if (each.by_element) continue;
      if (nest_.transposed_axis < 0 && nest_.has_short_rows()) {
        nest_.has_wide_strides = true;
        continue;
      }
      if (nest_.transposed_axis < 0 || each.strides.at[nest_.transposed_axis] != 1) return false;
      each.block = scratch_;
      scratch_ += rounded_up(nest_.block_rows * nest_.box_row * index_t(storage_bytes(each.element)));
    }
    return scratch_ <= step_.tile_bytes;
  }

  // Along a row.
  constexpr bool indices_differ(const loop_nest::input& gathered) const {
    for (int i = 0; i < gathered.index_count; ++i) {
      const ints& strides = nest_.inputs[gathered.first_index + i].strides;
      if (strides.at[strides.size - 1] != 0) return true;
    }
    return false;
  }

  // Behind an op, whose result lies where that of the group will: elements are read before they are written, not after.
  constexpr bool works_in_place() const {
    const int root = nest_.node_count - 1;
    if (nest_.gives_rows(root) || nest_.nodes[root].pass + 1 < nest_.pass_count || nest_.transposed_axis >= 0)
      return false;
    for (int i = 0; i < nest_.input_count; ++i) {
      const loop_nest::input& each = nest_.inputs[i];
      if (each.at.base != nest_.result.base || each.at.offset != nest_.result.offset) continue;
      if (each.base != 0 || each.index_count > 0 || each.is_index() || !each.spread.empty() ||
          !(each.strides == strides_of(nest_.sizes)))
        return false;
    }
    return true;
  }

  // Elements of a pass that a later one reads are kept.
  constexpr bool divide_passes() {
    for (int n = 0; n < nest_.node_count; ++n) {
      loop_nest::node& node = nest_.nodes[n];
      for (int i = 0; i < node.operand_count; ++i)
        if (const int pass = nest_.ready_for(node.operands[i]); pass > node.pass) node.pass = pass;
      const int done = node.pass + (node.folds || !node.per_row ? 1 : 0);
      if (done > nest_.pass_count) nest_.pass_count = done;
    }
    for (int n = 0; n < nest_.node_count; ++n)
      for (int i = 0; i < nest_.nodes[n].operand_count; ++i)
        if (const int operand = nest_.nodes[n].operands[i];
            operand >= 0 && !nest_.gives_rows(operand) && nest_.nodes[operand].pass < nest_.nodes[n].pass)
          keep(nest_.nodes[operand]);
    return true;
  }
  // Rows that lie side by side in vectors are turned when they are written.
  constexpr bool keep_short_rows() {
    if (!nest_.has_short_rows() || nest_.transposed_axis >= 0) return true;
    for (int n = 0; n < nest_.node_count; ++n)
      if (!nest_.gives_rows(n) && (nest_.nodes[n].value >= 0 || n == nest_.node_count - 1)) keep(nest_.nodes[n]);
    return scratch_ <= step_.tile_bytes;
  }
  constexpr void keep(loop_nest::node& node) {
    if (node.kept >= 0) return;
    node.kept = scratch_;
    scratch_ += rounded_up(nest_.rows_together() * nest_.row() * index_t(storage_bytes(node.key.result)));
  }
  static constexpr index_t line_bytes_ = 64, lines_across_ = 16;
  // Elements of joined rows, and how many there should be.
  static constexpr index_t shortest_joined_ = 64, longest_joined_ = 1024, least_joined_ = 4;
  static constexpr index_t rounded_up(index_t bytes) { return (bytes + line_bytes_ - 1) / line_bytes_ * line_bytes_; }

  // The longest stride that loads and shuffles serve.
  static constexpr index_t most_stride_ = 4;
  static constexpr int most_buffers_ = loop_nest::most_nodes + loop_nest::most_inputs;
  index_t buffers_[most_buffers_]{};  // where they begin, in no order
  int made_[most_buffers_]{};         // what lies in them: a node, or one's complement of an input
  int buffer_count_ = 0;

  constexpr int& made_at(index_t offset) {
    int at = 0;
    while (at < buffer_count_ && buffers_[at] != offset) ++at;
    if (at == buffer_count_) buffers_[buffer_count_++] = offset;
    return made_[at];
  }
};

constexpr loop_nest nest_of(const graph& g, const plan& p, const plan_step& step) {
  return nest_builder(g, p, step).build();
}

}  // namespace tenon::kernels
