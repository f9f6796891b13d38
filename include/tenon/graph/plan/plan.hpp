// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/graph.hpp>

namespace tenon::planning {

// A planned program: a list of steps over buffers in memory. Compiling and reading at run time make the same value, and
// one executor runs it.

// Which code runs a node: chosen by op, element types, and the op that its region consists of, if it is a single one.
struct kernel_key {
  int kind = -1;
  dtype element = dtype::none;
  dtype result = dtype::none;
  int body = -1;

  friend constexpr bool operator==(const kernel_key&, const kernel_key&) = default;
};

// Where a value lies: a distance in bytes from one of the pointers that the executor holds.
struct place {
  static constexpr int arena = 0, constants = 1, first_pointer = 2;
  int base = -1;
  index_t offset = 0;
};

// A row-major access over an index space that reads a tensor: index (i0, i1, ...) reads element
// base + i0 * strides[0] + i1 * strides[1] + ...
struct strided_access {
  ints sizes, strides;
  index_t base = 0;
};

// An index operand of a gather. At each index of the access, x = clamp(value[access], low, high) moves the element that
// is read by x * stride.
struct plan_index {
  int value = -1;
  int access = -1;
  index_t stride = 0, low = 0, high = 0;
};

// A strided access whose positions are moved by index operands.
struct plan_gather {
  static constexpr int most_indices = 16;
  int access = -1;
  int before = -1;  // the gather whose positions this access is read at; -1: the index space in order
  int first_index = 0, index_count = 0;  // in indices
  index_t run = 0;                       // this many neighbours share their indices
};

struct plan_operand {
  enum class source : int { memory, tile } from = source::memory;
  int value = -1;        // memory: which value, read or written from its start on, tile by tile
  index_t offset = 0;    // tile: where its buffer begins in the scratch memory of the step
  int bytes = 0;         // per element; 0: there is one element for all tiles
  bool per_row = false;  // holds one element per row of the group
  bool ranged = false;   // memory: of which one range is kept
};

// An instruction of a fused group, executed for a tile of elements at a time.
struct group_instruction {
  enum class action : int {
    compute,              // element by element
    load,                 // gathers what is not read in order
    fold,                 // each row to one element
    broadcast_along_rows  // one element per row to the row
  } does = action::compute;
  int kernel = -1;  // into kernels: of computations and folds
  int node = -1;
  int first = 0;  // into operands: what it reads, then what it writes
  int operand_count = 0, result_count = 0;
  int access = -1;       // loads: into accesses
  int gather = -1;       // loads: into gathers, unless the access alone decides what is read
  bool once = false;     // its result is the same for every tile
  bool per_row = false;  // works on one element per row
  index_t state = 0;     // folds of rows that take several tiles: where in the scratch memory the running total lies
};

// How a group reads a value that it does not compute.
enum class load_kind : int {
  contiguous,  // in order
  broadcast,   // an element for several indices
  strided,     // with distances between neighbours, or in pieces
  gather       // where indices say, or by positions that are found one after the other
};

// Why a value that a group reads is not computed in it.
enum class not_fused_because : int {
  given,             // it is an argument or a constant
  read_elsewhere,    // another step, or the caller, needs it in memory
  read_differently,  // the group reads it through maps that differ
  computed_again,    // elements would be computed as often as they are read
  own_loops,         // its op is neither elementwise nor moving, nor does it fold rows
  not_affine,        // no affine map leads to what it reads
  other_rows,        // it is folded along other axes, or its rows are of another length
  long_rows,         // a row that is read again is larger than a tile may be
  large_group,       // the group is as large as groups get
  in_place,          // it is computed just before, where the result of the group will lie
  elsewhere,         // it belongs to another region
  index              // it says where something else is read
};

// A value that a group reads: how, and why it is not computed in the group.
struct plan_read {
  int value = -1;
  int access = -1;  // into accesses: over all elements, or over the rows; -1: in order
  int gather = -1;  // into gathers
  load_kind kind = load_kind::contiguous;
  not_fused_because why = not_fused_because::given;
  int uses = 0;  // how many pieces of the group read it
  bool per_row = false;
};

// An op, a fused group, or an op and the group that then works on its result: in place, or on some of it at a time.
struct plan_step {
  int kernel = -1;  // into kernels; -1: a fused group alone; -2: a foreign op
  int node = -1;
  int first = 0, operand_count = 0, result_count = 0;  // values, in `values`
  int first_instruction = 0, instruction_count = 0;
  int first_read = 0, read_count = 0;      // fused groups: in `reads`, for the first operands
  int first_member = 0, member_count = 0;  // fused groups: nodes, in `members`
  index_t count = 0;                       // elements of a fused group, or of an elementwise op
  index_t row = 1;                         // elements that a fold of the group takes together
  index_t tile = 0;  // elements done at a time: a multiple of `row`, unless rows take several tiles
  // A group with an operand that lies transposed is executed in boxes of the index space of `walk`, which writes the
  // result: box_rows indices along transposed_axis by box_row indices along the last axis. -1: the group is executed in
  // order.
  int transposed_axis = -1;
  int walk = -1;  // into accesses
  index_t box_rows = 0, box_row = 0;
  index_t tile_bytes = 0;                // scratch memory of a fused group
  int first_block = 0, block_count = 0;  // in block_references
  index_t op_scratch_bytes = 0;          // of these, what the op asked for
  index_t tile_offset = 0;               // where the buffers of the group begin in the scratch memory
  index_t scratch_bytes = 0;
  place scratch;  // buffers of a fused group, or what the op asked for and the executor notes

  // A step in parts: its first `prefix` axes have `units` indices, of which the last axis is divided into `parts`
  // ranges and the others into single indices; parts = 0: the step is not divided. Operand i shares its first
  // values[first_shared + i] axes with the result.
  int prefix = 0, first_shared = -1;
  index_t parts = 0, units = 1;
  // The steps that compute operands of this one range by range, while it runs: so many. With their own producers they
  // are the `fused_producer_span` steps before this one.
  int fused_producer_count = 0, fused_producer_span = 0;
  bool is_fused_producer = false;  // it runs within a later step only
  index_t range_bytes = 0;         // of its result, or that of its op, of which one range is kept

  // Operand i of the op is read through access values[first_view + i]; -1: in order, as all operands are if first_view
  // is -1.
  int first_view = -1;

  constexpr bool has_op() const { return kernel != -1; }
  constexpr bool has_group() const { return kernel == -1 || instruction_count > 0; }
  // Whether the op gives its result range by range, and the group takes each of them elsewhere.
  constexpr bool has_epilogue() const { return has_op() && has_group() && range_bytes > 0 && parts == 0; }
  constexpr bool has_long_rows() const { return has_group() && tile < row; }
};

struct plan_block {
  int region = -1;
  int first_step = 0, last_step = 0;
  int first_pointer = 0;                 // of its arguments among the executor's pointers
  int first_yield = 0, yield_count = 0;  // in values: what it hands over; one's complement of constants to fill with
  bool places_results = false;           // the pointers to where its results go follow those to its arguments
  bool carries_in_place = false;         // the body of a loop, whose results become its arguments
  index_t arena_bytes = 0;
  index_t base = 0;  // of its part of the arena
};

// A constant that the steps read, and how many of its elements: one is enough where it is the same everywhere and read
// tile by tile.
struct plan_constant {
  int value = -1;
  index_t count = 0;
};

struct plan_sizes {
  int steps = 0, instructions = 0, operands = 0, accesses = 0, values = 0, blocks = 0, block_references = 0,
      kernels = 0, places = 0, constants = 0, reads = 0, members = 0, gathers = 0, indices = 0;
};

// The scalars of a plan, besides its tables.
struct plan_totals {
  index_t arena_bytes = 0;
  index_t constant_bytes = 0;
  int pointer_count = place::first_pointer;
  int main_block = -1;
  int groups = 0;             // fused groups
  index_t pointer_table = 0;  // where in the arena the executor keeps its pointers
};

struct plan : plan_totals {
  table<plan_step> steps;
  table<group_instruction> instructions;
  table<plan_operand> operands;
  table<strided_access> accesses;
  table<int> values;  // of single ops
  table<plan_block> blocks;
  table<int> block_references;
  table<kernel_key> kernels;
  table<place> places;  // per value of the graph
  table<plan_constant> constants;
  table<plan_read> reads;
  table<int> members;  // nodes of the groups, in ascending order
  table<plan_gather> gathers;
  table<plan_index> indices;

  // Whether a fused producer of this step computes the value.
  constexpr bool fuses_producer(const plan_step& step, int value) const {
    const plan_step* producer = &step;
    for (int i = 0; i < step.fused_producer_count; ++i) {
      producer -= 1 + (i > 0 ? producer->fused_producer_span : 0);
      if (values.data[producer->first + producer->operand_count] == value) return true;
    }
    return false;
  }
  constexpr bool overflow() const;
  constexpr plan_sizes sizes() const;
};

using plan_tables =
    table_list<table_entry<&plan::steps, &plan_sizes::steps>,
               table_entry<&plan::instructions, &plan_sizes::instructions>,
               table_entry<&plan::operands, &plan_sizes::operands>, table_entry<&plan::accesses, &plan_sizes::accesses>,
               table_entry<&plan::values, &plan_sizes::values>, table_entry<&plan::blocks, &plan_sizes::blocks>,
               table_entry<&plan::block_references, &plan_sizes::block_references>,
               table_entry<&plan::kernels, &plan_sizes::kernels>, table_entry<&plan::places, &plan_sizes::places>,
               table_entry<&plan::constants, &plan_sizes::constants>, table_entry<&plan::reads, &plan_sizes::reads>,
               table_entry<&plan::members, &plan_sizes::members>, table_entry<&plan::gathers, &plan_sizes::gathers>,
               table_entry<&plan::indices, &plan_sizes::indices>>;

constexpr bool plan::overflow() const { return plan_tables::overflow(*this); }
constexpr plan_sizes plan::sizes() const { return plan_tables::sizes<plan_sizes>(*this); }

// Memory for a plan of at most these sizes, as a constant or on the way to one.
template <plan_sizes Sizes>
struct plan_storage {
  plan_sizes used;

  constexpr plan open() {
    plan p;
    static_cast<plan_totals&>(p) = totals_;
    tables_.open(p, used);
    return p;
  }
  constexpr plan view() const { return const_cast<plan_storage*>(this)->open(); }

  // Takes note of what a plan that was opened over this memory holds by now.
  constexpr void close(const plan& p) {
    used = p.sizes();
    totals_ = p;
  }
  // @post view() reads as p did, if p fits
  constexpr void take(const plan& p) {
    tables_.take(p);
    close(p);
  }

 private:
  plan_totals totals_{.pointer_count = 0};
  stored_tables<plan_tables, Sizes> tables_;
};

}  // namespace tenon::planning
