// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/graph.hpp>
#include <tenon/text/lexer.hpp>

namespace tenon::text {

// Slots of open addressing: a key leads to an entry of some other list. 0 is free, i + 1 is entry i. At most half of
// the slots are taken.
struct slots {
  int* at = nullptr;
  int count = 0;  // a power of two

  static constexpr unsigned start(word_key key) { return unsigned((key * 0x9E3779B97F4A7C15u) >> 32); }

  // The slot whose entry answers `equal`, or the free one where it belongs.
  template <class Equal>
  constexpr int find(word_key key, Equal equal) const {
    const unsigned mask = unsigned(count) - 1;
    unsigned slot = start(key) & mask;
    while (at[slot] != 0 && !equal(at[slot] - 1)) slot = (slot + 1) & mask;
    return int(slot);
  }
};

// How many regions an op may have, and how deep they may be nested.
inline constexpr int most_regions = 64, most_frames = 64;

// The name of a value, or of the results of a node.
struct value_name {
  word text;
  int value = 0, count = 0;
  int slot = 0;
};

struct type_text {
  word text;
  int type = 0;
};

// `#name = ...`, `!name = ...` or `sdy.mesh @name = ...`.
struct alias {
  enum class what : int { attribute, type, mesh } kind = what::attribute;
  word text;
  int position = 0;
};

struct function_signature {
  int name = -1;
  int arguments = 0, argument_count = 0;  // in signature_types
  int results = 0, result_count = 0;
  int source = 0;
};

// A name that the module must define, or, in HLO text, the number of a parameter.
struct symbol_use {
  int name = 0;
  int position = 0;
  word text;
};

// A construct that is being read: a module, a function, or an op whose regions precede its types.
struct frame {
  enum class what : int {
    module,
    function,
    generic_op,
    while_condition,
    while_body,
    reducer,
    scan,
    manual_computation  // whose ops stand in the region around it
  } kind = what::module;
  int begin = 0;          // where the op starts
  int resume = 0;         // where to go on after its last region
  int region = -1;        // the region that is open, or -1
  int regions_done = 0;   // how many have been read
  int names = 0;          // how many names are visible outside
  bool opening = false;   // another region begins at `resume`
  bool labelled = false;  // the block of the region has a label
  bool finished = false;  // the region has handed over its values
  bool generic = false;   // a module or function in the form of any op

  // Whether the label of the region says its arguments.
  constexpr bool has_labelled_arguments() const {
    return kind == what::generic_op || kind == what::scan || (kind == what::function && generic);
  }
};

// An attribute as it stands in the text.
struct attribute_entry {
  // `part` is one component of a list of slices, `name` stands alone.
  enum class form : int { value, part, name } kind = form::value;
  word name;
  int position = 0;
  int part = 0;
  bool must_be_known = false;
  bool short_name = false;  // may be the shorter name of the op's own notation
  bool used = false;
};

// The parts of an op that have been read.
struct op_parts {
  int begin = 0;  // of the statement
  int name = 0;   // position of the op's name
  int kind = -1;
  bool of_chlo = false;  // by the name that the text has for it
  int inputs = -1;       // of the operands, in the own notation of scan
  int operands = 0, operand_count = 0;
  int results = 0, result_count = 0;
  int attributes = 0;
  int regions = 0, region_count = 0;  // in open_regions
  int words = 0;
  int foreign = 0, foreign_size = 0;  // the attributes of a foreign op
};

// The axes of a mesh that divide a tensor, along each dimension the slowest first: a process has part
// process / stride % size.
struct mesh_digit {
  int dimension = 0, stride = 1, size = 1;
  friend constexpr bool operator==(const mesh_digit&, const mesh_digit&) = default;
};
struct division {
  static constexpr int most_digits = 6;
  mesh_digit digits[most_digits]{};
  int count = 0;
  int processes = 1;
  friend constexpr bool operator==(const division&, const division&) = default;

  constexpr int parts_along(int dimension) const {
    int parts = 1;
    for (int i = 0; i < count; ++i)
      if (digits[i].dimension == dimension) parts *= digits[i].size;
    return parts;
  }
  constexpr bool divides(const tensor_type& whole, const tensor_type& part) const {
    tensor_type type = part;
    for (int i = 0; i < count; ++i) {
      const int dimension = digits[i].dimension;
      if (dimension >= part.rank()) return false;
      type.shape.set(dimension, type.dim(dimension) * digits[i].size);
    }
    return type == whole;
  }
};

// A value of which each process has a part. It stands for the whole in the text, and gets a node where that is needed.
struct divided_value {
  int value = 0;   // -1 - i: result i of the function of this region, which gives parts
  int part = 0;    // what the process has; of such a result where its sharding stands, or -1
  int whole = -1;  // put together in this region already
  int region = -1;
  bool is_known = true;  // `how` it is divided
  division how;
};

// Everything the parser remembers between two ops, apart from the graph.
struct parser_tables {
  table<value_name> names;
  slots name_slots;
  table<type_text> type_texts;
  slots type_text_slots, type_slots, string_slots;
  table<alias> aliases;
  table<frame> frames;
  table<int> open_regions;
  table<function_signature> signatures;
  table<int> signature_types;
  table<int> calls;
  // Per name of the graph its signature, or not_defined.
  table<int> function_of_name;
  static constexpr int not_defined = -1;
  table<symbol_use> symbols;
  table<divided_value> divided;
  // Of the op that is being read.
  table<attribute_entry> attributes;
  table<tensor_type> types;
  table<index_t> constants;
  // As the options of reading say.
  bool open_sizes = false, in_parts = false;
  list<ints> part_shapes = {};

  static constexpr int count = 14;
  constexpr void for_each(auto f) {
    f(names), f(type_texts), f(aliases), f(frames), f(open_regions), f(signatures), f(signature_types), f(calls);
    f(function_of_name), f(symbols), f(divided), f(attributes), f(types), f(constants);
  }
  constexpr bool overflow() const {
    return names.overflow || type_texts.overflow || aliases.overflow || frames.overflow || open_regions.overflow ||
           signatures.overflow || signature_types.overflow || calls.overflow || function_of_name.overflow ||
           symbols.overflow || divided.overflow || attributes.overflow || types.overflow || constants.overflow;
  }
};

}  // namespace tenon::text
