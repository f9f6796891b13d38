// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/plan/group_writer.hpp>

#include <graph/random_program.hpp>
#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace tenon;
using namespace tenon::passes;
using namespace tenon::planning;

namespace {

// A part of the scratch memory of a group, and the piece that wrote it.
struct written {
  index_t begin = 0, end = 0;
  bool once = false;
};

index_t bytes_of(const plan_step& step, const plan_operand& operand) {
  if (operand.bytes == 0) return 1;
  const index_t rows = step.has_long_rows() ? 1 : step.tile / step.row;
  return operand.bytes * (operand.per_row ? rows : step.tile);
}

// Walks the pieces of a group for two tiles: each finds in the scratch memory what was written there for it, and
// nothing of it has been written over.
std::string fault_of(const plan& p, const plan_step& step) {
  std::vector<written> memory;
  for (int tile = 0; tile < 2; ++tile)
    for (int m = step.first_instruction; m < step.first_instruction + step.instruction_count; ++m) {
      const group_instruction& instruction = p.instructions.data[m];
      if (instruction.once && tile > 0) continue;
      const plan_operand* const operands = p.operands.data + instruction.first;
      for (int i = 0; i < instruction.operand_count; ++i) {
        if (operands[i].from != plan_operand::source::tile) continue;
        bool found = false;
        for (const written& each : memory) found = found || each.begin == operands[i].offset;
        if (!found) return "piece " + std::to_string(m) + " reads what nobody wrote";
        if (operands[i].offset + bytes_of(step, operands[i]) > step.tile_bytes) return "a read behind the buffers";
      }
      for (int r = 0; r < instruction.result_count; ++r) {
        const plan_operand& to = operands[instruction.operand_count + r];
        if (to.from != plan_operand::source::tile) continue;
        const written now{to.offset, to.offset + bytes_of(step, to), instruction.once};
        if (now.begin < 0 || now.end > step.tile_bytes) return "a write behind the buffers";
        for (std::size_t k = memory.size(); k-- > 0;) {
          const written& other = memory[k];
          if (other.end <= now.begin || now.end <= other.begin) continue;
          if (other.once && !instruction.once) return "what serves for all tiles is written over";
          memory.erase(memory.begin() + std::ptrdiff_t(k));
        }
        memory.push_back(now);
      }
    }
  return "";
}

struct planned {
  std::string text;
  graph_owner program;
  owned_graph g;
  owned_plan owner;

  explicit planned(std::string_view from)
      : text(from),
        program(read_program(text)),
        g(simplified_program(program.program())),
        owner(tenon::planned_program(g.get())) {}
  static graph_owner accepted(std::string_view text) {
    graph_owner program = read_program(text);
    REQUIRE_MESSAGE(!program.error(), std::string(program.error() ? program.error().sentence : ""));
    return program;
  }
  const tenon::planning::plan& plan() const { return owner.get(); }
  int count(group_instruction::action action) const {
    int found = 0;
    for (const group_instruction& each : plan().instructions) found += each.does == action;
    return found;
  }
};

constexpr const char* softmax = R"(HloModule softmax
  greatest {
    a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT c = f32[] maximum(a, b)
  }
  sum {
    a = f32[] parameter(0)
    b = f32[] parameter(1)
    ROOT c = f32[] add(a, b)
  }
  ENTRY e {
    p = f32[10,100] parameter(0)
    least = f32[] constant(-inf)
    m = f32[10] reduce(p, least), dimensions={1}, to_apply=greatest
    w = f32[10,100] broadcast(m), dimensions={0}
    s = f32[10,100] subtract(p, w)
    x = f32[10,100] exponential(s)
    zero = f32[] constant(0)
    t = f32[10] reduce(x, zero), dimensions={1}, to_apply=sum
    v = f32[10,100] broadcast(t), dimensions={0}
    ROOT r = f32[10,100] divide(x, v)
  })";

}  // namespace

TEST_CASE("pieces of groups find what was computed for them") {
  int groups = 0, tiles = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const planned all(random_programs::generator(40, seed).text());
    for (const plan_step& step : all.plan().steps) {
      if (!step.has_group()) continue;
      ++groups;
      CHECK_MESSAGE(fault_of(all.plan(), step) == "", all.text);
      CHECK(step.tile > 0);
      if (!step.has_long_rows()) CHECK(step.tile % step.row == 0);
      for (int m = step.first_instruction; m < step.first_instruction + step.instruction_count; ++m) {
        const group_instruction& instruction = all.plan().instructions.data[m];
        for (int i = 0; i < instruction.operand_count + instruction.result_count; ++i)
          tiles += all.plan().operands.data[instruction.first + i].from == plan_operand::source::tile;
      }
    }
  }
  CHECK(groups > 500);
  CHECK(tiles > 1000);
}

TEST_CASE("softmax is one group of whole rows") {
  const planned all(softmax);
  REQUIRE(all.plan().steps.size == 1);
  const plan_step& step = all.plan().steps[0];
  CHECK(step.count == 1000);
  CHECK(step.row == 100);
  CHECK(step.tile % 100 == 0);
  CHECK(all.count(group_instruction::action::fold) == 2);
  CHECK(all.count(group_instruction::action::broadcast_along_rows) == 2);
  CHECK(all.count(group_instruction::action::compute) == 3);
  CHECK(all.count(group_instruction::action::load) == 0);
  CHECK(fault_of(all.plan(), step) == "");
}

TEST_CASE("what lies across is read in boxes, and what is small is not") {
  const auto transposed = [](const std::string& size) {
    const std::string type = "tensor<" + size + "x" + size + "xf32>";
    return "func.func @main(%x: " + type + ", %y: " + type + ") -> " + type +
           " {\n %t = stablehlo.transpose %x, dims = [1, 0] : (" + type + ") -> " + type +
           "\n %a = stablehlo.add %t, %y : " + type + "\n return %a : " + type + "\n}";
  };
  const planned large(transposed("1024"));
  REQUIRE(large.plan().steps.size == 1);
  const plan_step& step = large.plan().steps[0];
  REQUIRE(step.transposed_axis == 0);
  CHECK(step.box_rows > 1);
  CHECK(step.box_row > 1);
  CHECK(step.box_rows * step.box_row <= step.tile);
  CHECK(fault_of(large.plan(), step) == "");
  const planned small(transposed("4"));
  REQUIRE(small.plan().steps.size == 1);
  CHECK(small.plan().steps[0].transposed_axis == -1);
  CHECK(fault_of(small.plan(), small.plan().steps[0]) == "");
}

TEST_CASE("what is only turned needs no buffer") {
  const planned all(
      "func.func @main(%x: tensor<200x300xf32>) -> tensor<300x200xf32> {\n %t = stablehlo.transpose %x, dims = [1, 0] "
      ": "
      "(tensor<200x300xf32>) -> tensor<300x200xf32>\n return %t : tensor<300x200xf32>\n}");
  REQUIRE(all.plan().steps.size == 1);
  const plan_step& step = all.plan().steps[0];
  CHECK(step.transposed_axis == 0);
  CHECK(step.tile_bytes == 0);
  CHECK(all.count(group_instruction::action::load) == 1);
  CHECK(fault_of(all.plan(), step) == "");
}
