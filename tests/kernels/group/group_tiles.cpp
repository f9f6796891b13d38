// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/group/group_tiles.hpp>

#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>
#include <tenon/kernels/table.hpp>
#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/multiply.hpp>
#include <tenon/ops/reduction/reduce.hpp>
#include <tenon/run/constants.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::passes;
using namespace tenon::planning;
using namespace tenon::execution;
using namespace tenon::kernels;

namespace {

kernel find(const kernel_key& key) {
  switch (key.kind) {
    case kind_of_op<ops::add>:
      return kernel_of<ops::add, dtype::f32, dtype::f32>();
    case kind_of_op<ops::multiply>:
      return kernel_of<ops::multiply, dtype::f32, dtype::f32>();
    case kind_of_op<ops::reduce>:
      return kernel_of<ops::reduce, dtype::f32, dtype::f32, kind_of_op<ops::add>>();
    default:
      return nullptr;
  }
}

// A program of one group on f32, whose function takes %x and %y, of one shape each, and gives %r.
class one_group {
 public:
  one_group(const std::string& x, const std::string& y, const std::string& ops, const std::string& r)
      : text_("func.func @main(%x: tensor<" + x + "xf32>, %y: tensor<" + y + "xf32>) -> tensor<" + r +
              "xf32> {\n%zero = stablehlo.constant dense<0.0> : tensor<f32>\n" + ops + "\nreturn %r : tensor<" + r +
              "xf32>\n}"),
        source_(read_program(text_)),
        graph_(simplified_program(source_.program())),
        plan_(tenon::planned_program(graph_.get())) {
    REQUIRE(!source_.error());
    REQUIRE(p().steps.size == 1);
    REQUIRE((step().has_group() && !step().has_op()));
    for (const kernel_key& key : p().kernels) kernels_.push_back(find(key));
    arena_.resize(std::size_t(p().arena_bytes) / sizeof(block) + 1);
    pointers_.resize(16);
    pointers_[place::arena] = arena_.data();
    constants_.resize(std::size_t(p().constant_bytes) / sizeof(block) + 1);
    REQUIRE(decode_constants(g(), p(), constants_.data()->bytes));
    pointers_[place::constants] = constants_.data();
    const plan_block& main = p().blocks.data[p().main_block];
    for (int a = 0; a < 2; ++a) {
      std::vector<float>& argument = arguments_[a];
      argument.resize(std::size_t(g().type_of_value(g().regions.data[main.region].arguments + a).size()));
      for (std::size_t k = 0; k < argument.size(); ++k) argument[k] = float(int(k * 37 + std::size_t(a) * 11) % 17) - 4;
      pointers_[std::size_t(main.first_pointer + a)] = argument.data();
    }
    result_.resize(std::size_t(g().type_of_value(g().yields_of(g().regions.data[main.region])[0]).size()));
    pointers_[std::size_t(main.first_pointer + 2)] = result_.data();
    REQUIRE(main.places_results);
  }

  const graph& g() const { return graph_.get(); }
  const plan& p() const { return plan_.get(); }
  const plan_step& step() const { return p().steps.data[0]; }
  float x(index_t i) const { return arguments_[0][std::size_t(i)]; }
  float y(index_t i) const { return arguments_[1][std::size_t(i)]; }

  // What the result is after `run(tiles, buffers)`; -99 where nothing was written.
  std::vector<float> after(const std::function<void(const group_tiles&, char*)>& run) {
    for (float& each : result_) each = -99;
    const group_tiles tiles(g(), p(), kernels_.data(), pointers_.data());
    run(tiles, tiles.address(step().scratch) + step().tile_offset);
    return result_;
  }

 private:
  struct alignas(64) block {
    unsigned char bytes[64];
  };

  std::string text_;
  graph_owner source_;
  owned_graph graph_;
  owned_plan plan_;
  std::vector<kernel> kernels_;
  std::vector<block> arena_, constants_;
  std::vector<void*> pointers_;
  std::vector<float> arguments_[2], result_;
};

std::vector<float> counted(index_t size, const std::function<float(index_t)>& element) {
  std::vector<float> result;
  for (index_t i = 0; i < size; ++i) result.push_back(element(i));
  return result;
}

}  // namespace

TEST_CASE("tiles compute the elements of their range, and no others") {
  one_group group("10000", "10000",
                  "%s = stablehlo.add %x, %y : tensor<10000xf32>\n%r = stablehlo.multiply %s, %x : tensor<10000xf32>",
                  "10000");
  CHECK(group.step().tile < 10000);
  const auto element = [&](index_t i) { return (group.x(i) + group.y(i)) * group.x(i); };
  const std::vector<float> all = counted(10000, element);
  CHECK(group.after([&](const group_tiles& tiles, char* buffers) {
    tiles.run_tiles(group.step(), 0, 10000, 0, buffers);
  }) == all);
  for (const index_t begin : {index_t(0), index_t(1), index_t(4096), index_t(5000)})
    for (const index_t end : {begin, begin + 1, begin + 4097, index_t(10000)}) {
      const std::vector<float> part =
          counted(10000, [&](index_t i) { return begin <= i && i < end ? element(i) : -99; });
      CHECK(group.after([&](const group_tiles& tiles, char* buffers) {
        tiles.run_tiles(group.step(), begin, end, 0, buffers);
      }) == part);
    }
}

TEST_CASE("one op on few elements needs no tiles") {
  one_group group("77", "77", "%r = stablehlo.add %x, %y : tensor<77xf32>", "77");
  REQUIRE(group.step().instruction_count == 1);
  const std::vector<float> all = counted(77, [&](index_t i) { return group.x(i) + group.y(i); });
  CHECK(group.after([&](const group_tiles& tiles, char*) {
    tiles.compute_all(group.step(), group.p().instructions.data[group.step().first_instruction]);
  }) == all);
}

// Rows of so many elements, of small integers, so that the order of summation does not matter.
void check_rows(index_t rows, index_t columns, bool are_long) {
  CAPTURE(columns);
  const std::string shape = std::to_string(rows) + "x" + std::to_string(columns), line = std::to_string(rows);
  one_group group(shape, line,
                  "%p = stablehlo.multiply %x, %x : tensor<" + shape +
                      "xf32>\n%f = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1] : "
                      "(tensor<" +
                      shape + "xf32>, tensor<f32>) -> tensor<" + line + "xf32>\n%r = stablehlo.add %f, %y : tensor<" +
                      line + "xf32>",
                  line);
  REQUIRE(group.step().row == columns);
  CHECK(group.step().has_long_rows() == are_long);
  const auto row = [&](index_t r) {
    float sum = 0;
    for (index_t c = 0; c < columns; ++c) sum += group.x(r * columns + c) * group.x(r * columns + c);
    return sum + group.y(r);
  };
  CHECK(group.after([&](const group_tiles& tiles, char* buffers) {
    tiles.run_tiles(group.step(), 0, rows * columns, 0, buffers);
  }) == counted(rows, row));
  CHECK(group.after([&](const group_tiles& tiles, char* buffers) {
    tiles.run_tiles(group.step(), columns, 2 * columns, 0, buffers);
  }) == counted(rows, [&](index_t r) { return r == 1 ? row(r) : -99; }));
}

TEST_CASE("rows are folded in tiles of several rows, and long ones in several tiles") {
  check_rows(3000, 7, false);
  check_rows(40, 300, false);
  check_rows(3, 20011, true);
}

TEST_CASE("what is read across is done in boxes, in any order") {
  one_group group("130x70", "70x130",
                  "%t = stablehlo.transpose %x, dims = [1, 0] : (tensor<130x70xf32>) -> tensor<70x130xf32>\n"
                  "%s = stablehlo.add %t, %y : tensor<70x130xf32>\n%r = stablehlo.multiply %s, %y : tensor<70x130xf32>",
                  "70x130");
  REQUIRE(group.step().transposed_axis >= 0);
  const std::vector<float> all =
      counted(9100, [&](index_t i) { return (group.x(i % 130 * 70 + i / 130) + group.y(i)) * group.y(i); });
  index_t boxes = 0;
  CHECK(group.after([&](const group_tiles& tiles, char* buffers) {
    boxes = tiles.box_count(group.step());
    tiles.run_boxes(group.step(), 0, boxes, buffers);
  }) == all);
  CHECK(boxes > 1);
  CHECK(group.after([&](const group_tiles& tiles, char* buffers) {
    for (index_t b = boxes; b-- > 0;) tiles.run_boxes(group.step(), b, b + 1, buffers);
  }) == all);
  CHECK(group.after(
            [&](const group_tiles& tiles, char* buffers) { tiles.run_boxes(group.step(), 1, boxes, buffers); }) != all);
}
