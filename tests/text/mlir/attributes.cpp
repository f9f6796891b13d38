// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/mlir/attributes.hpp>
#include <tenon/text/program_graph.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;

namespace {

enum class color { RED, GREEN };
struct group {
  ints dims{};
  index_t vector = -1;
  color paint{};

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("dims", self.dims) && visit("vector", self.vector) && visit("paint", self.paint);
  }
};
struct whole_group {
  static constexpr bool needs_all_members = true;
  index_t first = 0;
  ints second{};

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("first", self.first) && visit("second", self.second);
  }
};
struct sample {
  ints list{};
  ints_table table{};
  bool flag = false;
  index_t number = 0;
  double scale = 0;
  dtype element = dtype::none;
  color paint{};
  name_id symbol{};
  opaque_attribute rest{};
  short_list<color> paints{};
  group inner{};
  ints padding{};
  whole_group whole{};

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("list", self.list) && visit("table", self.table) && visit("flag", self.flag) &&
           visit("number", self.number) && visit("scale", self.scale) && visit("element", self.element) &&
           visit("paint", self.paint) && visit("symbol", self.symbol) && visit("rest", self.rest) &&
           visit("paints", self.paints) && visit("inner", self.inner) && visit("padding", self.padding) &&
           visit("whole", self.whole);
  }
};

}  // namespace

template <>
inline constexpr std::string_view tenon::core::enumerators<color>[] = {"RED", "GREEN"};

namespace {

using memory = text::parser_memory<64>;

struct outcome {
  sample op{};
  memory left;
};
// Reads `a = 1, b` as the attributes of a sample.
constexpr outcome read(std::string_view text, bool must_be_known = true, bool own_names = false) {
  outcome result;
  result.left.program.text = text;
  graph g = result.left.program.open();
  text::parser_tables state = result.left.open();
  text::lexer in(text);
  text::graph_builder build(in, g, state);
  text::mlir::type_reader types(build);
  text::mlir::attribute_scanner scanner(types);
  text::mlir::attribute_reader reader(scanner);
  if (scanner.read_dictionary('}', must_be_known)) {
    for (int i = 0; i < state.attributes.size; ++i) state.attributes.data[i].short_name = own_names;
    reader.read_fields(result.op, 0);
  }
  result.left.error = in.error;
  result.left.program.used = g.sizes();
  return result;
}
constexpr std::string_view label_of(std::string_view text, bool must_be_known = true) {
  const outcome o = read(text, must_be_known);
  return o.left.error ? std::string_view(o.left.error.label) : std::string_view{};
}

}  // namespace

TEST_CASE("lists of integers") {
  static_assert(read("list = array<i64: 1, -2>}").op.list == ints{1, -2});
  static_assert(read("list = array<i64>}").op.list.empty());
  static_assert(read("list = array<i1: true, false>}").op.list == ints{1, 0});
  static_assert(read("list = [1, 2]}").op.list == ints{1, 2});
  static_assert(read("list = []}").op.list.empty());
  static_assert(read("list = [1 : i64, 2 : i64]}").op.list == ints{1, 2});
  static_assert(read("list = dense<[1, 2]> : tensor<2xi64>}").op.list == ints{1, 2});
  static_assert(read("list = dense<3> : tensor<2xi64>}").op.list == ints{3, 3});
  static_assert(read("list = dense<> : tensor<0xi64>}").op.list.empty());
  static_assert(read("list = dense<true> : tensor<2xi1>}").op.list == ints{1, 1});
  static_assert(read("list = dense<[0, 1]> : tensor<2xindex>}").op.list == ints{0, 1});
  static_assert(label_of("list = 3}") == "attribute");
  static_assert(label_of("list = [[1, 2]]}") == "attribute");
  static_assert(label_of("list = dense<[[1, 2]]> : tensor<1x2xi64>}") == "attribute");
  static_assert(label_of("list = dense<1.0> : tensor<2xf32>}") == "attribute");
  static_assert(label_of("list = dense<[1, 2]> : tensor<3xi64>}") == "tensor_constant_c2");
  static_assert(label_of("list = dense<0> : tensor<1000000xi64>}") == "too_large");
}

TEST_CASE("tables") {
  static_assert(read("table = dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>}").op.table == ints_table{{1, 2}, {3, 4}});
  static_assert(read("table = [[1, 2], [3, 4], [5, 6]]}").op.table == ints_table{{1, 2}, {3, 4}, {5, 6}});
  static_assert(read("table = dense<2> : tensor<2x3xi64>}").op.table == ints_table{{2, 2, 2}, {2, 2, 2}});
  static_assert(read("table = []}").op.table.empty());
  static_assert(label_of("table = dense<[1, 2]> : tensor<2xi64>}") == "attribute");
  static_assert(label_of("table = dense<[[[1]]]> : tensor<1x1x1xi64>}") == "attribute");
}

TEST_CASE("single values") {
  static_assert(read("flag}").op.flag);
  static_assert(read("flag = true}").op.flag);
  static_assert(read("flag = unit}").op.flag);
  static_assert(!read("flag = false}").op.flag);
  static_assert(read("flag = 1 : i1}").op.flag);
  static_assert(label_of("flag = 1 : i32}") == "attribute");
  static_assert(label_of("flag = 1}") == "attribute");
  static_assert(label_of("flag = 1.0 : f32}") == "attribute");
  static_assert(label_of("flag = []}") == "attribute");
  static_assert(read("number = -7 : i64}").op.number == -7);
  static_assert(read("number = 0x10 : i64}").op.number == 16);
  static_assert(read("scale = 1.001000e-05 : f32}").op.scale == 1.001e-05);
  static_assert(read("scale = 2 : f32}").op.scale == 2);
  static_assert(read("element = tf32}").op.element == dtype::tf32);
  static_assert(label_of("scale = 1.7976931348623157e308 : f64}").empty());
  static_assert(label_of("scale = 1e999 : f64}") == "syntax");
  static_assert(label_of("scale = -1e999 : f64}") == "syntax");
  static_assert(label_of("number}") == "attribute");
  static_assert(label_of("number = 1.5 : f32}") == "attribute");
  static_assert(label_of("number = true}") == "syntax");
  static_assert(label_of("number = 9223372036854775808 : i64}") == "syntax");
  static_assert(label_of("number = x}") == "syntax");
  static_assert(label_of("element = f31}") == "attribute");
}

TEST_CASE("enumerations") {
  static_assert(read("paint = GREEN}").op.paint == color::GREEN);
  static_assert(read("paint = #stablehlo<color GREEN>}").op.paint == color::GREEN);
  static_assert(read("paint = #stablehlo.color<GREEN>}").op.paint == color::GREEN);
  static_assert(read("paint = 1 : i32}").op.paint == color::GREEN);
  static_assert(read("paints = [#stablehlo<color GREEN>, RED]}").op.paints ==
                short_list<color>{color::GREEN, color::RED});
  static_assert(label_of("paint = BLUE}") == "attribute");
  static_assert(label_of("paint = 2 : i32}") == "attribute");
}

TEST_CASE("names and what is kept as it stands") {
  constexpr outcome o = read(R"(symbol = @"a b", rest = {x = [1, "}"], y = dense<1> : tensor<i8>}})");
  CHECK(o.left.program.view().name_of(o.op.symbol.id) == "a b");
  CHECK(o.left.program.view().name_of(o.op.rest.id) == R"({x = [1, "}"], y = dense<1> : tensor<i8>})");
  static_assert(read("symbol = @f.g}").op.symbol.id == 0);
  static_assert(read("symbol = \"\"}").op.symbol.id == 0);
  static_assert(label_of("symbol = [1]}") == "attribute");
  static_assert(label_of("rest = {x = 1, x = 2}}") == "attribute");
  static_assert(label_of("rest = {1}}") == "syntax");
  static_assert(label_of("rest = {x = {y = 1, z = {y, y}}}}") == "attribute");
  static_assert(label_of("rest = {x = {y = 1, z = {y}}, y}}").empty());
}

TEST_CASE("groups, also with their members among the others") {
  constexpr auto is_right = [](const group& g) {
    return g.dims == ints{1, 2} && g.vector == 3 && g.paint == color::GREEN;
  };
  static_assert(is_right(read("inner = #stablehlo.group<dims = [1, 2], vector = 3, paint = GREEN>}").op.inner));
  static_assert(is_right(read("inner = <dims = [1, 2], vector = 3, paint = GREEN,>}").op.inner));
  static_assert(is_right(read("inner = {dims = [1, 2], vector = 3 : i64, paint = GREEN}}").op.inner));
  static_assert(read("dims = [1, 2], vector = 3}").op.inner.vector == 3);
  static_assert(read("inner = #stablehlo.group<>}").op.inner.vector == -1);
  static_assert(label_of("inner = #stablehlo.group<dims = [1], other = 1>}") == "attribute");
  static_assert(label_of("inner = #stablehlo.group<dims = [1] vector = 1>}") == "syntax");
  static_assert(label_of("inner = 3}") == "attribute");
}

TEST_CASE("groups of which every member is needed") {
  constexpr outcome o = read("whole = <second = [2], first = 1>}");
  static_assert(o.op.whole.first == 1 && o.op.whole.second == ints{2});
  static_assert(label_of("number = 3}").empty());
  static_assert(label_of("whole = <first = 1>}") == "attribute");
  static_assert(label_of("whole = <>}") == "attribute");
  static_assert(label_of("whole = <first = 1, second = [2], first = 1>}") == "attribute");
}

TEST_CASE("short names count in an op's own notation only") {
  static_assert(read("pad = [1, 2]}", true, true).op.padding == ints{1, 2});
  static_assert(label_of("pad = [1, 2]}") == "attribute");
}

TEST_CASE("unknown attributes") {
  static_assert(label_of("other = 1}") == "attribute");
  static_assert(label_of("mhlo.other = 1, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>}") == "");
  static_assert(label_of("other = affine_map<(d0) -> (d0)>, more = @a::@b, x = loc(\"y\"), z = i32}", false) == "");
  static_assert(label_of("flag = true, flag = false}") == "attribute");
  static_assert(label_of("flag = true") == "syntax");
  static_assert(label_of("flag = }") == "syntax");
  static_assert(label_of("flag = [1, 2}") == "syntax");
}
