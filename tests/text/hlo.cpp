// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/hlo.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::text;

namespace {

using small_module = hlo_module<16, 4>;

constexpr small_module parsed(std::string_view text) {
  small_module module;
  parse_hlo(text, module);
  return module;
}

constexpr small_module two_computations = parsed(R"(HloModule test, entry_computation_layout={(f32[4,8]{0,1})->f32[8]}

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add.1 = f32[] add(f32[] %a, f32[] %b)
}

ENTRY main {
  x = f32[4,8]{0,1:T(8,128)} parameter(0)
  zero = f32[] constant(0)
  pair = (f32[4,8]{1,0}, (f32[], s32[2])) custom-call(x, zero), custom_call_target="a,b(", metadata={op_name="x{"}
  ROOT r = f32[8] reduce(x, zero), dimensions={0}, to_apply=%sum
})");
static_assert(two_computations.ok());
static_assert(two_computations.computation_count == 2 && two_computations.instruction_count == 7);
static_assert(two_computations.computations[two_computations.entry].name == "main");
static_assert(two_computations.instructions[two_computations.computations[0].root].name == "add.1");
static_assert(two_computations.shape(3).major_to_minor == ints{1, 0});
static_assert(two_computations.instructions[4].argument == "0");
static_assert(two_computations.instructions[5].is_tuple && two_computations.instructions[5].shape_count == 3);
static_assert(two_computations.shape(5, 2).dimensions == ints{2});
static_assert(two_computations.attribute(5, "custom_call_target") == "\"a,b(\"");
static_assert(two_computations.operand(6, 0) == 3 && two_computations.operand(6, 1) == 4);
static_assert(hlo_integers(two_computations.attribute(6, "dimensions")) == ints{0});

constexpr small_module instructions_alone =
    parsed("p = s32[2,3] parameter(0)\nq = s32[3,2] transpose(p), dimensions={1,0}");
static_assert(instructions_alone.ok() && instructions_alone.computations[0].root == 1);
static_assert(instructions_alone.shape(1).dimensions == ints{3, 2});

static_assert(hlo_slice_of("{[5:21:1], [0:64:2]}").start == ints{5, 0});
static_assert(hlo_slice_of("{[5:21:1], [0:64]}").limit == ints{21, 64});
static_assert(hlo_slice_of("{[5:21], [0:64:2]}").stride == ints{1, 2});
static_assert(hlo_padding_of("1_4_1x-4_8").low == ints{1, -4});
static_assert(hlo_padding_of("1_4_1x-4_8").interior == ints{1, 0});
static_assert(hlo_window_of("{size=3x5 pad=0_1x2_3 lhs_dilate=2x2}").padding.high == ints{1, 3});
static_assert(hlo_window_of("{size=3x5 pad=0_1x2_3 lhs_dilate=2x2}").stride == ints{1, 1});
static_assert(hlo_dimension_labels_of("b01f_i01o->bf01").rhs.spatial == ints{1, 2});
static_assert(hlo_dimension_labels_of("b01f_i01o->bf01").output.second == 1);
static_assert(hlo_dimension_labels_of("b01f_i01o->bf01").rhs.second == 3);

static_assert(!parsed("").ok());
static_assert(!parsed("p = f32[2 parameter(0)").ok());
static_assert(!parsed("q = f32[2] negate(p)").ok());
static_assert(!parsed("p = f32[2,3]{1,1} parameter(0)").ok());
static_assert(!parsed("main {\n p = f32[2] parameter(0)\n").ok());

}  // namespace

TEST_CASE("every cut of a program is read or refused, never read past its end") {
  constexpr std::string_view text =
      "sum {\n a = f32[] parameter(0)\n ROOT b = (f32[2]{0}, s32[]) foo(a, f32[] a), window={size=2x2 pad=0_0x1_1}\n}";
  static small_module module;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    module = small_module{};
    parse_hlo(text.substr(0, length), module);
    CHECK(module.ok() == (length == text.size()));
  }
}
