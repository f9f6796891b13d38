// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>

#include <string_view>

// The programs of the sweep over element types, ops and sizes. A text is written by the same functions while compiling
// and when the test runs.
namespace lane_cases {

using namespace tenon;

enum class group_of_ops : int { elements, folds, products, moves };

// Ops on tensors of rows x columns elements, or of `columns` elements if `rows` is 0.
struct lane_case {
  group_of_ops ops = group_of_ops::elements;
  dtype type = dtype::f32;
  int rows = 0, columns = 1;

  constexpr int size() const { return rows == 0 ? columns : rows * columns; }
};

// Which ops take a type, and which of its results are exact for the numbers of the sweep.
constexpr bool is_scale(dtype type) { return type == dtype::f8E8M0FNU; }
constexpr bool has_tanh(dtype type) { return (is_float(type) && !is_scale(type)) || is_complex(type); }
constexpr bool has_order(dtype type) { return !is_complex(type); }
constexpr bool returns_from_f32(dtype type) {
  return !is_complex(type) && (is_float(type) || num_bits(type) <= 16) && type != dtype::i1;
}

template <int Capacity>
struct characters {
  char at[Capacity]{};
  int size = 0;

  constexpr characters& operator<<(std::string_view text) {
    for (const char c : text) at[size++] = c;
    return *this;
  }
  constexpr characters& operator<<(int number) {
    if (number >= 10) *this << number / 10;
    at[size++] = char('0' + number % 10);
    return *this;
  }
  constexpr std::string_view view() const { return {at, std::size_t(size)}; }
};

// tensor<3x5xbf16>
struct type_text : characters<40> {
  constexpr type_text(dtype type, int rows, int columns) {
    *this << "tensor<";
    if (rows > 0) *this << rows << "x";
    if (columns > 0) *this << columns << "x";
    *this << name(type) << ">";
  }
};

// Joins cases to the function of a program.
template <int Capacity>
class case_writer {
  characters<Capacity> arguments_, results_, names_, body_;
  int number_ = 0;

 public:
  constexpr void write(const lane_case& c) {
    switch (c.ops) {
      case group_of_ops::elements:
        write_elements(c);
        break;
      case group_of_ops::folds:
        write_folds(c);
        break;
      case group_of_ops::products:
        write_products(c);
        break;
      case group_of_ops::moves:
        write_moves(c);
        break;
    }
    ++number_;
  }
  template <class Text>
  constexpr void finish(Text& text) const {
    text << "func.func @main(" << arguments_.view() << ") -> (" << results_.view() << ") {\n"
         << body_.view() << "  return " << names_.view() << " : " << results_.view() << "\n}\n";
  }

 private:
  constexpr void argument(std::string_view letter, std::string_view type) {
    if (arguments_.size > 0) arguments_ << ", ";
    arguments_ << "%" << letter << number_ << ": " << type;
  }
  constexpr characters<Capacity>& line(std::string_view letters) {
    return body_ << "  %" << letters << number_ << " = ";
  }
  constexpr void result(std::string_view letters, std::string_view type) {
    if (results_.size > 0) results_ << ", ", names_ << ", ";
    results_ << type;
    names_ << "%" << letters << number_;
  }
  constexpr void unary(std::string_view to, std::string_view op, std::string_view from, std::string_view type) {
    line(to) << "stablehlo." << op << " %" << from << number_ << " : " << type << "\n";
  }
  constexpr void binary(std::string_view to, std::string_view op, std::string_view type, std::string_view lhs = "a",
                        std::string_view rhs = "b") {
    line(to) << "stablehlo." << op << " %" << lhs << number_ << ", %" << rhs << number_ << " : " << type << "\n";
  }
  constexpr void convert(std::string_view to, std::string_view from, std::string_view type, std::string_view wanted) {
    line(to) << "stablehlo.convert %" << from << number_ << " : (" << type << ") -> " << wanted << "\n";
  }

  constexpr void write_elements(const lane_case& c) {
    const type_text given(c.type, c.rows, c.columns), single(dtype::f32, c.rows, c.columns),
        truth(dtype::i1, c.rows, c.columns);
    const std::string_view type = given.view();
    argument("a", type), argument("b", type);
    binary("sum", "add", type), result("sum", type);
    binary("product", "multiply", type), result("product", type);
    binary("most", "maximum", type), result("most", type);
    if (c.type != dtype::i1 && !is_scale(c.type)) unary("minus", "negate", "a", type), result("minus", type);
    line("less") << "stablehlo.compare " << (has_order(c.type) ? "LT" : "EQ") << ", %a" << number_ << ", %b" << number_
                 << " : (" << type << ", " << type << ") -> " << truth.view() << "\n";
    line("some") << "stablehlo.select %less" << number_ << ", %sum" << number_ << ", %b" << number_ << " : "
                 << truth.view() << ", " << type << "\n";
    result("less", truth.view()), result("some", type);
    convert("single", "a", type, single.view()), result("single", single.view());
    convert("truth", "a", type, truth.view()), result("truth", truth.view());
    if (returns_from_f32(c.type)) {
      binary("half", "add", single.view(), "single", "single");
      convert("twice", "half", single.view(), type), result("twice", type);
    }
    if (has_tanh(c.type)) unary("curve", "tanh", "a", type), result("curve", type);
  }

  constexpr void fold(std::string_view to, std::string_view op, std::string_view init, int dimension,
                      std::string_view type, std::string_view scalar, std::string_view wanted) {
    line(to) << "stablehlo.reduce(%a" << number_ << " init: %" << init << number_ << ") applies stablehlo." << op
             << " across dimensions = [" << dimension << "] : (" << type << ", " << scalar << ") -> " << wanted << "\n";
    result(to, wanted);
  }
  constexpr void write_folds(const lane_case& c) {
    const type_text given(c.type, c.rows, c.columns), single(c.type, 0, 0), row(c.type, 0, c.rows),
        column(c.type, 0, c.columns);
    const std::string_view scalar = single.view();
    argument("a", given.view());
    line("init") << "stablehlo.constant dense<"
                 << (is_complex(c.type)    ? "(0.0,0.0)"
                     : c.type == dtype::i1 ? "false"
                     : is_scale(c.type)    ? "1.0"
                     : is_float(c.type)    ? "0.0"
                                           : "0")
                 << "> : " << scalar << "\n";
    const int last = c.rows > 0 ? 1 : 0;
    if (!is_scale(c.type)) {
      fold("sum", "add", "init", last, given.view(), scalar, row.view());
      if (last > 0) fold("sums", "add", "init", 0, given.view(), scalar, column.view());
    }
    fold("most", "maximum", "init", last, given.view(), scalar, row.view());
    if (last > 0) fold("all", "maximum", "init", 0, given.view(), scalar, column.view());
  }

  constexpr void write_products(const lane_case& c) {
    const type_text lhs(c.type, c.rows, c.columns),
        rhs(c.type, c.rows > 0 ? c.columns : 0, c.rows > 0 ? c.rows : c.columns), product(c.type, c.rows, c.rows);
    argument("a", lhs.view()), argument("b", rhs.view());
    line("product") << "stablehlo.dot_general %a" << number_ << ", %b" << number_ << ", contracting_dims = ["
                    << (c.rows > 0 ? 1 : 0) << "] x [0] : (" << lhs.view() << ", " << rhs.view() << ") -> "
                    << product.view() << "\n";
    result("product", product.view());
  }

  constexpr void write_moves(const lane_case& c) {
    const type_text given(c.type, c.rows, c.columns), across(c.type, c.columns, c.rows),
        indices(dtype::i32, 0, c.rows > 0 ? c.rows : c.columns), single(c.type, 0, 0), truth(dtype::i1, 0, 0);
    const std::string_view type = given.view(), scalar = single.view();
    argument("a", type), argument("b", type), argument("at", indices.view());
    line("taken")
        << "\"stablehlo.gather\"(%a" << number_ << ", %at" << number_ << ") <{dimension_numbers = #stablehlo.gather<"
        << (c.rows > 0 ? "offset_dims = [1], " : "")
        << "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1";
    if (c.rows > 0) body_ << ", " << c.columns;
    body_ << ">}> : (" << type << ", " << indices.view() << ") -> " << type << "\n";
    result("taken", type);
    if (c.rows > 0) {
      line("turned") << "stablehlo.transpose %a" << number_ << ", dims = [1, 0] : (" << type << ") -> " << across.view()
                     << "\n";
      line("other") << "stablehlo.transpose %b" << number_ << ", dims = [1, 0] : (" << type << ") -> " << across.view()
                    << "\n";
      binary("both", "add", across.view(), "turned", "other");
      result("turned", across.view()), result("both", across.view());
    }
    if (has_order(c.type)) {
      line("sorted") << "\"stablehlo.sort\"(%a" << number_ << ") <{dimension = " << (c.rows > 0 ? 1 : 0)
                     << " : i64, is_stable = true}> ({\n  ^bb0(%x: " << scalar << ", %y: " << scalar
                     << "):\n    %p = stablehlo.compare LT, %x, %y : (" << scalar << ", " << scalar << ") -> "
                     << truth.view() << "\n    stablehlo.return %p : " << truth.view() << "\n  }) : (" << type
                     << ") -> " << type << "\n";
      result("sorted", type);
    }
  }
};

// The text of a program of cases that are known while compiling.
template <int Capacity, int Count>
struct cases_text {
  static constexpr int capacity = Capacity;
  char at[Capacity]{};
  int size = 0;

  constexpr explicit cases_text(const lane_case (&cases)[Count]) {
    characters<Capacity> text;
    case_writer<Capacity> writer;
    for (const lane_case& each : cases) writer.write(each);
    writer.finish(text);
    for (; size < text.size; ++size) at[size] = text.at[size];
  }
};

}  // namespace lane_cases
