// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/graph_builder.hpp>

#include <tenon/text/program_graph.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::ir;

namespace {

using memory = text::parser_memory<64>;

// How many types and tuples are left of these, of which some are equal.
constexpr graph_sizes kept_of(std::initializer_list<tensor_type> types) {
  memory m;
  graph g = m.program.open();
  text::parser_tables state = m.open();
  text::lexer in(std::string_view{});
  text::graph_builder build(in, g, state);
  for (const tensor_type& type : types) {
    tensor_type tuple = type_of(dtype::tuple);
    build.intern_members({&type, 1}, tuple);
    if (!(g.types.data[build.intern(type)] == type)) return {};
  }
  return g.sizes();
}
constexpr tensor_type f32_2 = type_of(dtype::f32, {2}), f32_3 = type_of(dtype::f32, {3});
static_assert(kept_of({f32_2, f32_3, f32_2, f32_3, f32_3}).types == 2);
static_assert(kept_of({f32_2, f32_3, f32_2, f32_3, f32_3}).member_lists == 2);

}  // namespace

TEST_CASE("the numbers of names") {
  constexpr std::string_view text = R"(abc abc a\22b a\nb)";
  memory m;
  m.program.text = text;
  graph g = m.program.open();
  text::parser_tables state = m.open();
  text::lexer in(text);
  text::graph_builder build(in, g, state);
  CHECK(build.intern_text(0, 3) == 0);
  CHECK(build.intern_text(4, 3) == 0);
  CHECK(g.name_of(build.intern_text(8, 5)) == "a\"b");
  CHECK(g.name_of(build.intern_text(14, 4)) == "a\nb");
  CHECK(g.name_of(build.intern_text(8, 5, true)) == R"(a\22b)");
}

TEST_CASE("a name is visible until it is forgotten") {
  constexpr std::string_view text = "a b a";
  memory m;
  m.program.text = text;
  graph g = m.program.open();
  text::parser_tables state = m.open();
  text::lexer in(text);
  text::graph_builder build(in, g, state);
  const text::word a = in.read_word(), b = in.read_word(), again = in.read_word();
  CHECK(build.define(a, 3, 1));
  CHECK(build.define(b, 4, 1));
  CHECK(state.names.data[state.name_slots.at[build.slot_of_name(again)] - 1].value == 3);
  CHECK(!build.define(again, 5, 1));
  CHECK(std::string_view(in.error.label) == "name");
  build.forget_names(1);
  CHECK(state.name_slots.at[build.slot_of_name(b)] == 0);
  CHECK(state.names.data[state.name_slots.at[build.slot_of_name(again)] - 1].value == 3);
}
