// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/custom_call.hpp>

#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

#include <string>

namespace tenon::test {
using namespace core;

namespace {

using op = ops::custom_call;
// name 0: the target, name 1: the backend_config
using program = one_list_of_members<type_array<f32_2x3, i32_scalar>>;
constexpr tensor_type index_list{dtype::other, 0, 0, 0, {3}};
constexpr program plain{"foo"}, dictionary{"foo", "{a = 1}"}, text{"foo", "\"a=1\""};

constexpr std::string_view broken(const op& self, std::initializer_list<tensor_type> operands,
                                  std::initializer_list<tensor_type> declared, const type_details& details = plain) {
  return broken_by(self, operands, declared, {}, &details);
}

static_assert(result_type(op{{0}}, {f32_2x3, token}, {i32_scalar, token}, {}, &plain) == i32_scalar);
static_assert(broken(op{{0}}, {}, {}).empty());

constexpr op configured(std::int32_t api_version) {
  return {.call_target_name = {0}, .backend_config = {1}, .api_version = api_version};
}
static_assert(broken(configured(4), {}, {}, dictionary).empty());
static_assert(broken(configured(3), {}, {}, text).empty());
static_assert(broken(configured(1), {}, {}, text).empty());
static_assert(broken(configured(4), {}, {}, text) == "custom_call_i4");
static_assert(broken(configured(3), {}, {}, dictionary) == "custom_call_i4");
static_assert(broken(configured(5), {}, {}, text) == "custom_call_i5");
static_assert(broken(configured(-1), {}, {}, text) == "custom_call_i5");

constexpr op laid_out(const short_list<ints>& operands, const short_list<ints>& results) {
  return {.call_target_name = {0}, .operand_layouts = operands, .result_layouts = results};
}
static_assert(broken(laid_out({{1, 0}, {}}, {{0, 1}, {}}), {f32_2x3, token}, {f32_2x3, token}).empty());
static_assert(broken(laid_out({{1, 0}}, {{0, 1}, {}}), {f32_2x3}, {tuple_type}).empty());
static_assert(broken(laid_out({{1, 0}}, {{0, 1}}), {f32_2x3, token}, {f32_2x3}) == "custom_call_layouts");
static_assert(broken(laid_out({{1, 0}}, {{0, 1}}), {f32_2x3}, {tuple_type}) == "custom_call_layouts");
static_assert(broken(laid_out({{}}, {{0, 1}}), {tuple_type}, {f32_2x3}) == "custom_call_layouts");
static_assert(broken(laid_out({{0, 1, 2}}, {}), {f32_2x3}, {}) == "custom_call_layouts");
static_assert(broken(laid_out({{0, 0}}, {}), {f32_2x3}, {}) == "custom_call_layouts");
static_assert(broken(laid_out({{1, 2}}, {}), {f32_2x3}, {}) == "custom_call_layouts");

constexpr op aliased(const short_list<output_operand_alias>& aliases) {
  return {.call_target_name = {0}, .output_operand_aliases = aliases};
}
static_assert(broken(aliased({{{0}, 0, {0}}}), {tuple_type}, {tuple_type}).empty());
static_assert(broken(aliased({{{}, 1, {0}}}), {f32_2x3, tuple_type}, {f32_2x3}).empty());
static_assert(broken(aliased({{{1}, 0, {}}}), {i32_scalar}, {f32_2x3, i32_scalar}).empty());
static_assert(broken(aliased({{{0}, 2, {0}}}), {tuple_type}, {tuple_type}) == "custom_call_i7");
static_assert(broken(aliased({{{0}, -1, {0}}}), {tuple_type}, {tuple_type}) == "custom_call_i7");
static_assert(broken(aliased({{{0}, 0, {2}}}), {tuple_type}, {tuple_type}) == "custom_call_i7");
static_assert(broken(aliased({{{2}, 0, {0}}}), {tuple_type}, {tuple_type}) == "custom_call_i7");
static_assert(broken(aliased({{{2}, 0, {}}}), {f32_2x3}, {f32_2x3, f32_2x3}) == "custom_call_i7");
static_assert(broken(aliased({{{}, 0, {}}}), {f32_2x3}, {f32_2x3, f32_2x3}) == "custom_call_i7");
static_assert(broken(aliased({{{0}, 0, {1}}}), {tuple_type}, {tuple_type}) == "custom_call_i7");

// buffer_type refers to f32_2x3.
using buffers = one_list_of_members<type_array<f32_2x3>>;
constexpr buffers update{"foo"}, create{"CreateBuffer"}, pin{"Pin"}, unpin{"Unpin"};
static_assert(broken(aliased({{{}, 0, {}}}), {buffer_type}, {buffer_type}, update).empty());
static_assert(broken(aliased({{{1}, 1, {}}, {{0}, 0, {}}}), {buffer_type, buffer_type}, {buffer_type, buffer_type},
                     update)
                  .empty());
static_assert(broken(aliased({}), {buffer_type}, {f32_2x3}, update).empty());
static_assert(broken(aliased({}), {}, {index_list}, update).empty());
static_assert(broken(aliased({{{}, 0, {}}}), {f32_2x3}, {buffer_type}, update) == "custom_call_i7");
static_assert(broken(aliased({{{0}, 0, {}}, {{1}, 0, {}}}), {buffer_type}, {buffer_type, buffer_type}, update) ==
              "custom_call_i7");
static_assert(broken(aliased({}), {buffer_type}, {buffer_type}, update) == "custom_call_i7");
static_assert(broken(aliased({{{0}, 0, {}}}), {buffer_type}, {buffer_type, buffer_type}, update) == "custom_call_i7");
static_assert(broken(aliased({{{}, 0, {}}, {{}, 1, {}}}), {buffer_type, buffer_type}, {buffer_type}, update) ==
              "custom_call_i7");

static_assert(broken(op{{0}}, {}, {buffer_type}, create).empty());
static_assert(broken(op{{0}}, {f32_2x3}, {buffer_type}, pin).empty());
static_assert(broken(op{{0}}, {buffer_type}, {f32_2x3}, unpin).empty());
static_assert(broken(op{{0}}, {f32_2x3}, {buffer_type}, create) == "custom_call_buffers");
static_assert(broken(op{{0}}, {}, {f32_2x3}, create) == "custom_call_buffers");
static_assert(broken(op{{0}}, {}, {buffer_type, buffer_type}, create) == "custom_call_buffers");
static_assert(broken(op{{0}}, {f32_2x3}, {f32_2x3}, pin) == "custom_call_buffers");
static_assert(broken(op{{0}}, {buffer_type}, {buffer_type}, pin) == "custom_call_buffers");
static_assert(broken(op{{0}}, {i32_scalar}, {buffer_type}, pin) == "custom_call_buffers");
static_assert(broken(op{{0}}, {f32_2x3, f32_2x3}, {buffer_type}, pin) == "custom_call_buffers");
static_assert(broken(op{{0}}, {buffer_type}, {buffer_type}, unpin) == "custom_call_buffers");
static_assert(broken(op{{0}}, {f32_2x3}, {f32_2x3}, unpin) == "custom_call_buffers");
static_assert(broken(op{{0}}, {buffer_type}, {i32_scalar}, unpin) == "custom_call_buffers");
static_assert(broken(op{{0}}, {buffer_type}, {f32_2x3, f32_2x3}, unpin) == "custom_call_buffers");

TEST_CASE("the attributes survive as words") {
  const op self{{1}, true, {2}, 4, {{3}, {4}}, {{1, 0}, {}}, {{0}}, {{{0}, 1, {2, 3}}}};
  index_t memory[64];
  table<index_t> words{memory, 0, 64};
  write_attributes(words, self);
  const op read = read_attributes<op>(memory);
  CHECK(read.call_target_name == self.call_target_name);
  CHECK(read.has_side_effect);
  CHECK(read.backend_config == self.backend_config);
  CHECK(read.api_version == 4);
  CHECK(read.called_computations == self.called_computations);
  CHECK(read.operand_layouts == self.operand_layouts);
  CHECK(read.result_layouts == self.result_layouts);
  CHECK(read.output_operand_aliases == self.output_operand_aliases);
}

TEST_CASE("nobody runs it") {
  std::string message;
  try {
    evaluate<ui8>(op{{0}}, {}, {i32_scalar}, {nullptr, {}, &plain});
  } catch (const error& failure) {
    message = failure.what();
  }
  CHECK(message == "custom_call: nobody runs foo");
}

TEST_CASE("somebody runs it") {
  static int runs = 0;
  {
    const custom_call_target outer("foo", [](const evaluation&) { runs += 1; });
    const custom_call_target other("bar", [](const evaluation&) { runs += 100; });
    evaluate<ui8>(op{{0}}, {}, {i32_scalar}, {nullptr, {}, &plain});
    CHECK(runs == 1);
    {
      const custom_call_target inner("foo", [](const evaluation&) { runs += 10; });
      evaluate<ui8>(op{{0}}, {}, {i32_scalar}, {nullptr, {}, &plain});
      CHECK(runs == 11);
    }
    evaluate<ui8>(op{{0}}, {}, {i32_scalar}, {nullptr, {}, &plain});
    CHECK(runs == 12);
  }
  CHECK((custom_call_target::find("foo") == nullptr));
}

}  // namespace
}  // namespace tenon::test
