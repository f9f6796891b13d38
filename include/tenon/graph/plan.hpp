// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/graph.hpp>

namespace tenon {

// What is left of a program when everything is decided: a list of steps over places in memory. The same value is made
// while compiling and at run time, and one executor walks it.

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

// A row-major walk over the index space of a fused group that reads another tensor: neighbours along dimension i lie
// strides[i] elements apart.
struct strided_access {
  ints sizes, strides;
  index_t base = 0;
};

// An element of `value` at the position that the access gives, kept between `low` and `high`, that moves what is read
// by `stride` elements each.
struct plan_index {
  int value = -1;
  int access = -1;
  index_t stride = 0, low = 0, high = 0;
};

// What a walk is taken of, and what moves its positions.
struct plan_gather {
  static constexpr int most_indices = 16;
  int access = -1;
  int before = -1;  // another one, which gives the positions at which this one is taken; -1: the index space in order
  int first_index = 0, index_count = 0;  // in indices
  index_t run = 0;                       // neighbours that the same indices belong to
};

struct plan_operand {
  enum class source : int { memory, tile } from = source::memory;
  int value = -1;        // memory: which value, read or written from its start on, tile by tile
  index_t offset = 0;    // tile: where its buffer begins in the scratch memory of the step
  int bytes = 0;         // per element; 0: there is one element for all tiles
  bool per_row = false;  // holds one element per row of the group
  bool ranged = false;   // memory: of which one range is kept
};

// One piece of a fused group, done for a tile of elements at a time.
struct plan_micro {
  enum class action : int {
    compute,  // element by element
    load,     // gathers what is not read in order
    fold,     // each row to one element
    spread    // one element per row to the row
  } does = action::compute;
  int kernel = -1;  // into kernels: of computations and folds
  int node = -1;
  int first = 0;  // into operands: what it reads, then what it writes
  int operand_count = 0, result_count = 0;
  int access = -1;       // loads: into accesses
  int gather = -1;       // loads: into gathers, unless the access alone decides what is read
  bool once = false;     // gives the same for every tile
  bool per_row = false;  // works on one element per row
  index_t state = 0;     // folds of rows that take several tiles: where in the scratch memory it keeps what it has
};

// How a group reads a value that it does not compute.
enum class load_kind : int {
  contiguous,  // in order
  broadcast,   // an element for several indices
  strided,     // with distances between neighbours, or in pieces
  gather       // where indices say, or by positions that are found one after the other
};

// Why a value that a group reads is not computed in it.
enum class apart : int {
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

// What is known of a value that a group reads, for those who ask why.
struct plan_read {
  int value = -1;
  int access = -1;  // into accesses: over all elements, or over the rows; -1: in order
  int gather = -1;  // into gathers
  load_kind kind = load_kind::contiguous;
  apart why = apart::given;
  int uses = 0;  // how many pieces of the group read it
  bool per_row = false;
};

// An op, a fused group, or an op and the group that then works on its result, in place.
struct plan_step {
  int kernel = -1;  // into kernels; -1: a fused group alone; -2: a foreign op
  int node = -1;
  int first = 0, operand_count = 0, result_count = 0;  // values, in `values`
  int first_micro = 0, micro_count = 0;
  int first_read = 0, read_count = 0;      // fused groups: in `reads`, for the first operands
  int first_member = 0, member_count = 0;  // fused groups: nodes, in `members`
  index_t count = 0;                       // elements of a fused group, or of an elementwise op
  index_t row = 1;                         // elements that a fold of the group takes together
  index_t tile = 0;  // elements done at a time: a multiple of `row`, unless rows take several tiles
  // A group that reads something across is done in boxes of the index space: their dimensions are those of the walk
  // that writes the result, `across` one of them and the last one. -1: in order.
  int across = -1;
  int walk = -1;                         // into accesses
  index_t box_rows = 0, box_row = 0;     // along `across`, and along the last dimension
  index_t tile_bytes = 0;                // scratch memory of a fused group
  int first_block = 0, block_count = 0;  // in block_references
  index_t op_scratch_bytes = 0;          // of these, what the op asked for
  index_t tile_offset = 0;               // where the buffers of the group begin in the scratch memory
  index_t scratch_bytes = 0;
  place scratch;  // buffers of a fused group, or what the op asked for and the executor notes

  // A step that is done range by range of its first `prefix` dimensions, which have `units` indices: the last of them
  // in `parts`, the others index by index. So many dimensions as `values` has from `first_shared` on are shared by the
  // operands of the op.
  int prefix = 0, first_shared = -1;
  index_t parts = 0, units = 1;
  // The steps that compute its operands range by range: so many, and so many steps with theirs, just before it.
  int feeder_count = 0, feeder_span = 0;
  bool feeds = false;       // such a step, which is not done otherwise
  index_t range_bytes = 0;  // of its result, of which one range is kept

  // Operands of the op that are not read in order: `values` has an access for each from here on, or -1. -1: there are
  // none.
  int first_view = -1;

  constexpr bool has_op() const { return kernel != -1; }
  constexpr bool has_group() const { return kernel == -1 || micro_count > 0; }
  constexpr bool has_long_rows() const { return has_group() && tile < row; }
};

struct plan_block {
  int region = -1;
  int first_step = 0, last_step = 0;
  int first_pointer = 0;                 // of its arguments among the executor's pointers
  int first_yield = 0, yield_count = 0;  // in values: what it hands over; one's complement of constants to fill with
  bool places_results = false;           // the pointers to where its results go follow those to its arguments
  bool takes_turns = false;              // the body of a loop, whose results become its arguments
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
  int steps = 0, micros = 0, operands = 0, accesses = 0, values = 0, blocks = 0, block_references = 0, kernels = 0,
      places = 0, constants = 0, reads = 0, members = 0, gathers = 0, indices = 0;
};

// What a plan says beside its tables.
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
  table<plan_micro> micros;
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

  // Whether the value is computed range by range within this step.
  constexpr bool is_fed(const plan_step& step, int value) const {
    const plan_step* feeder = &step;
    for (int i = 0; i < step.feeder_count; ++i) {
      feeder -= 1 + (i > 0 ? feeder->feeder_span : 0);
      if (values.data[feeder->first + feeder->operand_count] == value) return true;
    }
    return false;
  }
  constexpr bool overflow() const;
  constexpr plan_sizes sizes() const;
};

using plan_tables =
    table_list<table_entry<&plan::steps, &plan_sizes::steps>, table_entry<&plan::micros, &plan_sizes::micros>,
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
  detail::stored_tables<plan_tables, Sizes> tables_;
};

}  // namespace tenon
