// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/format/number.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/text/literal.hpp>

#include <string_view>
#include <vector>

namespace tenon::text::mlir {

// Where a printer writes: whatever takes characters as std::string does.
struct sink {
  void* to;
  void (*append)(void*, const char*, std::size_t);
};

template <class Out>
sink sink_of(Out& out) {
  return {&out, [](void* to, const char* data, std::size_t size) { static_cast<Out*>(to)->append(data, size); }};
}

// Writes the parts that all ops have: names of values, types, literals.
class writer {
 public:
  writer(const graph& program, sink out) : g(program), out_(out) {}

 protected:
  const graph& g;
  sink out_;
  int depth_ = 0;
  int base_value_ = 0, base_node_ = 0;  // where the numbers of the function's values begin
  // Bodies of while, whose arguments have the names of those of the condition.
  struct renaming {
    int region, distance;
  };
  static constexpr int most_renamed = 64;
  renaming renamed_[most_renamed];
  int renamed_count_ = 0;

  void put(std::string_view text) { out_.append(out_.to, text.data(), text.size()); }
  // Calls item(i) for each i, with a comma in between.
  template <class Count, class Item>
  void put_list(Count count, Item item) {
    for (Count i = 0; i < count; ++i) {
      if (i > 0) put(", ");
      item(i);
    }
  }
  void put_number(auto value) {
    char text[number_text_size];
    put({text, std::size_t(write_number(text, text + number_text_size, value) - text)});
  }
  void start_line() {
    put("\n");
    for (int i = 0; i < depth_; ++i) put("  ");
  }
  void put_string(std::string_view text) {
    put("\"");
    for (char c : text) {
      if (c == '"' || c == '\\' || c < ' ' || c > '~') {
        constexpr std::string_view digits = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        put("\\"), put(digits.substr(byte / 16, 1)), put(digits.substr(byte % 16, 1));
      } else {
        put({&c, 1});
      }
    }
    put("\"");
  }
  void put_symbol(std::string_view name) {
    bool plain = !name.empty();
    for (char c : name) plain = plain && (text::detail::is(c, text::detail::word_part) || c == '-');
    put("@");
    if (plain)
      put(name);
    else
      put_string(name);
  }

  void print_value(int value) {
    const graph_value& v = g.values.data[value];
    if (v.node < 0) {
      for (int i = 0; i < renamed_count_; ++i)
        if (renamed_[i].region == v.region) value += renamed_[i].distance;
      put("%arg");
      return put_number(value - base_value_);
    }
    const graph_node& node = g.nodes.data[v.node];
    put("%"), put_number(v.node - base_node_);
    if (node.result_count > 1) put("#"), put_number(v.index);
  }
  void print_values(list<int> values) {
    put_list(values.size, [&](auto i) { print_value(values[i]); });
  }
  void print_operands(const graph_node& node) { print_values(g.operands_of(node)); }
  int operand(const graph_node& node, int i) const { return g.operands.data[node.operands + i]; }
  const tensor_type& type_of_operand(const graph_node& node, int i) const { return g.type_of_value(operand(node, i)); }

  void print_type(const tensor_type& type) {
    switch (type.element) {
      case dtype::token:
        return put("!stablehlo.token");
      case dtype::tuple:
        return print_members("tuple<", type);
      case dtype::future:
        return print_members("!stablehlo.future<", type);
      default:
        break;
    }
    if (type.element == dtype::other && type.members != 0) {
      put("memref<");
      for (const tensor_type& target : g.members_of(type)) print_shape(target);
      return put(">");
    }
    put("tensor<");
    print_shape(type);
    put(">");
  }
  void print_members(std::string_view open, const tensor_type& type) {
    put(open);
    const list<tensor_type> members = g.members_of(type);
    put_list(members.size, [&](auto i) { print_type(members[i]); });
    put(">");
  }
  void print_shape(const tensor_type& type) {
    for (int axis = 0; axis < type.rank(); ++axis) {
      if (type.bounded >> axis & 1)
        put("?");
      else
        put_number(type.dim(axis));
      put("x");
    }
    if (type.is_quantized())
      print_quantized(g.quantization_of(type));
    else if (type.element == dtype::other)
      put("index");
    else
      put(name(type.element));
    if (type.bounded == 0) return;
    put(", #stablehlo.bounds<");
    put_list(type.rank(), [&](auto axis) {
      if (type.bounded >> axis & 1)
        put_number(type.dim(axis));
      else
        put("?");
    });
    put(">");
  }
  void print_quantized(const quantization& q) {
    const int bits = num_bits(q.storage);
    const bool is_signed = is_signed_integer(q.storage);
    const index_t lowest = is_signed ? -(index_t{1} << (bits - 1)) : 0;
    const index_t highest = (index_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    put("!quant.uniform<"), put(name(q.storage));
    if (q.storage_min != lowest || q.storage_max != highest)
      put("<"), put_number(q.storage_min), put(":"), put_number(q.storage_max), put(">");
    put(":"), put(name(q.expressed));
    if (q.per_axis()) put(":"), put_number(q.dimension);
    put(", ");
    if (q.per_axis()) put("{");
    put_list(q.scales.size, [&](auto i) {
      put_number(q.scales[i]);
      if (q.zero_points[i] != 0) put(":"), put_number(q.zero_points[i]);
    });
    if (q.per_axis()) put("}");
    put(">");
  }
  template <class Type>
  void print_type_list(int count, Type type) {
    put_list(count, [&](auto i) { print_type(type(i)); });
  }
  void print_function_type(const graph_node& node) {
    put("(");
    print_type_list(node.operand_count, [&](int i) { return type_of_operand(node, i); });
    put(") -> ");
    print_result_types(node);
  }
  void print_result_types(const graph_node& node) {
    if (node.result_count != 1) put("(");
    print_type_list(node.result_count, [&](int i) { return g.type_of_value(node.results + i); });
    if (node.result_count != 1) put(")");
  }

  void print_literal(literal_id value, const tensor_type& type) {
    put("dense<");
    const graph_literal& literal = g.literals.data[value.id];
    if (literal.where == graph_literal::place::text) {
      put(g.text.substr(std::size_t(literal.first), std::size_t(literal.size)));
    } else if (literal.where == graph_literal::place::resource) {
      // Without the four bytes that say how the others are aligned.
      put("\"0x");
      put(g.text.substr(std::size_t(literal.first) + 11, std::size_t(literal.size) - 11));
    } else if (literal.where == graph_literal::place::hlo_text) {
      std::vector<index_t> elements;
      literal_reader reader(g.text, literal.first, literal.size, type, literal_notation::hlo);
      reader.decode([&](index_t, int, std::uint64_t bits) { elements.push_back(index_t(bits)); });
      print_elements(elements.data(), int(elements.size()), type);
    } else {
      print_elements(g.words.data + literal.first, literal.size, type);
    }
    put(">");
  }
  // One for all, or all in row-major order; a complex one counts as two.
  void print_elements(const index_t* element, int count, const tensor_type& type) {
    const int parts = is_complex(type.element) ? 2 : 1;
    if (count == parts)
      print_element(element, type.element);
    else if (type.size() > 0)
      print_nested(type, 0, element);
  }
  void print_nested(const tensor_type& type, int axis, const index_t*& element) {
    if (axis == type.rank()) return print_element(element, type.element);
    put("[");
    put_list(type.dim(axis), [&](index_t) { print_nested(type, axis + 1, element); });
    put("]");
  }
  void print_element(const index_t*& word, dtype element) {
    if (!is_complex(element)) return print_word(*word++, element);
    put("("), print_word(*word++, real_type(element)), put(", ");
    print_word(*word++, real_type(element)), put(")");
  }
  void print_word(index_t word, dtype element) {
    if (is_boolean(element)) return put(word != 0 ? "true" : "false");
    if (is_integer(element)) {
      return element == dtype::ui64 ? put_number(std::uint64_t(word)) : put_number(word);
    }
    // The bit pattern: exact whatever the value is.
    constexpr std::string_view digits = "0123456789ABCDEF";
    put("0x");
    for (int i = (num_bits(element) + 3) / 4; i-- > 0;) put(digits.substr(std::size_t(word >> (4 * i) & 15), 1));
  }
};

}  // namespace tenon::text::mlir
