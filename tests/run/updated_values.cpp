// SPDX-License-Identifier: Apache-2.0
//
// Ops that begin with an operand and replace parts of it work where that lies, unless somebody still needs it: random
// loops over such ops give what plain loops give.
#include <shared/shared_program.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace tenon;
using namespace tenon::core;
using namespace tenon::planning;
using namespace tenon::kernels;

kernel find(const kernel_key& key) {
  switch (key.kind) {
    case kind_of_op<ops::add>:
      return key.element == dtype::i32 ? kernel(kernel_of<ops::add, dtype::i32, dtype::i32>())
                                       : kernel(kernel_of<ops::add, dtype::f32, dtype::f32>());
    case kind_of_op<ops::negate>:
      return kernel_of<ops::negate, dtype::f32, dtype::f32>();
    case kind_of_op<ops::compare>:
      return kernel_of<ops::compare, dtype::i32, dtype::i1>();
    case kind_of_op<ops::slice>:
      return kernel_of<ops::slice, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::dynamic_update_slice>:
      return kernel_of<ops::dynamic_update_slice, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::scatter>:
      return kernel_of<ops::scatter, dtype::f32, dtype::f32, kind_of_op<ops::add>>();
    case kind_of_op<ops::while_>:
      return kernel_of<ops::while_, dtype::i32, dtype::i32>();
    default:
      return nullptr;
  }
}

constexpr int size = 24, part = 5;
using vector = std::array<float, size>;
const std::string type = "tensor<24xf32>";

// A program in text and, beside it, what it does to values.
class program_writer {
 public:
  explicit program_writer(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}

  struct value {
    std::string name;
    vector elements;
  };

  int below(int bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return int((state_ >> 33) % std::uint64_t(bound));
  }
  const value& any(const std::vector<value>& pool) { return pool[std::size_t(below(int(pool.size())))]; }

  // Some ops on values of a pool, of which the later ones are likelier; `turn` is how often the loop was gone through,
  // and `place` the name of that.
  // Called once for each turn with the same seed, it writes the same text.
  std::string ops(std::vector<value>& pool, int count, int turn, const std::string& place) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      const value x = below(2) == 0 ? pool.back() : any(pool), y = any(pool);
      value made{"%v" + std::to_string(next_++), x.elements};
      const int from = below(size - part + 1);
      switch (below(5)) {
        case 0:
          for (int k = 0; k < size; ++k) made.elements[std::size_t(k)] += y.elements[std::size_t(k)];
          text += made.name + " = stablehlo.add " + x.name + ", " + y.name + " : " + type + "\n";
          break;
        case 1:
          for (float& each : made.elements) each = -each;
          text += made.name + " = stablehlo.negate " + x.name + " : " + type + "\n";
          break;
        case 2: {  // parts are added at twenty places, some of them the same
          for (int k = 0; k < part; ++k) made.elements[std::size_t(k * k % size)] += y.elements[std::size_t(from + k)];
          text += made.name + "p = stablehlo.slice " + y.name + " [" + std::to_string(from) + ":" +
                  std::to_string(from + part) + "] : (" + type + ") -> tensor<5xf32>\n" + made.name +
                  " = \"stablehlo.scatter\"(" + x.name + ", %places, " + made.name +
                  "p) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
                  "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n^bb0(%p: tensor<f32>, %q: "
                  "tensor<f32>):\n%s = stablehlo.add %p, %q : tensor<f32>\nstablehlo.return %s : tensor<f32>\n}) : (" +
                  type + ", tensor<5x1xi32>, tensor<5xf32>) -> " + type + "\n";
          break;
        }
        default: {
          const int start = std::min(turn, size - part);
          for (int k = 0; k < part; ++k) made.elements[std::size_t(start + k)] = y.elements[std::size_t(from + k)];
          text += made.name + "p = stablehlo.slice " + y.name + " [" + std::to_string(from) + ":" +
                  std::to_string(from + part) + "] : (" + type + ") -> tensor<5xf32>\n" + made.name +
                  " = stablehlo.dynamic_update_slice " + x.name + ", " + made.name + "p, " + place + " : (" + type +
                  ", tensor<5xf32>, tensor<i32>) -> " + type + "\n";
        }
      }
      pool.push_back(made);
    }
    return text;
  }

  void number_from(int next) { next_ = next; }

 private:
  std::uint64_t state_;
  int next_ = 0;
};

std::string repeated(const std::string& each, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + each;
  return text;
}

constexpr int carried = 4;

struct random_loop {
  std::string text;
  std::vector<vector> arguments, wanted;

  explicit random_loop(std::uint64_t seed) {
    using value = program_writer::value;
    program_writer writer(seed);
    std::vector<value> outside;
    for (int i = 0; i < 2; ++i) {
      vector elements;
      for (float& each : elements) each = float(writer.below(100));
      arguments.push_back(elements);
      outside.push_back({"%x" + std::to_string(i), elements});
    }
    text = "func.func @main(%x0: " + type + ", %x1: " + type + ") -> (" + repeated(type, carried + 2) + ") {\n" +
           "%zero = stablehlo.constant dense<0> : tensor<i32>\n%one = stablehlo.constant dense<1> : tensor<i32>\n"
           "%end = stablehlo.constant dense<3> : tensor<i32>\n"
           "%places = stablehlo.constant dense<[[0], [1], [4], [9], [16]]> : tensor<5x1xi32>\n";
    text += writer.ops(outside, 1 + writer.below(6), 0, "%zero");
    std::vector<value> now;
    std::string given;
    for (int i = 0; i < carried; ++i) {
      const value from = writer.any(outside);
      given += ", " + from.name;
      now.push_back({"%a" + std::to_string(i), from.elements});
    }
    std::string names, header, body;
    for (int i = 0; i < carried; ++i) {
      names += ", %c" + std::to_string(i) + ": " + type;
      header += ", %a" + std::to_string(i) + ": " + type;
    }
    const program_writer before = writer;
    for (int turn = 0; turn < 3; ++turn) {
      writer = before;
      writer.number_from(100);
      std::vector<value> pool = now;
      if (writer.below(3) == 0) pool.insert(pool.begin(), outside.back());
      body = writer.ops(pool, 1 + writer.below(6), turn, "%turn");
      body += "%next = stablehlo.add %turn, %one : tensor<i32>\nstablehlo.return %next";
      for (int i = 0; i < carried; ++i) {
        const value from = writer.below(4) == 0   ? pool[pool.size() - std::size_t(carried) + std::size_t(i)]
                           : writer.below(3) == 0 ? writer.any(pool)
                                                  : pool.back();
        body += ", " + from.name;
        now[std::size_t(i)].elements = from.elements;
      }
    }
    const std::string types = "tensor<i32>, " + repeated(type, carried);
    text += "%r:" + std::to_string(carried + 1) + " = \"stablehlo.while\"(%zero" + given +
            ") ({\n^bb0(%t: tensor<i32>" + names +
            "):\n%more = stablehlo.compare LT, %t, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" +
            "stablehlo.return %more : tensor<i1>\n}, {\n^bb0(%turn: tensor<i32>" + header + "):\n" + body + " : " +
            types + "\n}) : (" + types + ") -> (" + types + ")\n";
    std::vector<value> after = outside;
    for (int i = 0; i < carried; ++i) after.push_back({"%r#" + std::to_string(i + 1), now[std::size_t(i)].elements});
    writer.number_from(200);
    text += writer.ops(after, writer.below(4), 0, "%zero") + "return ";
    for (int i = 0; i < carried + 2; ++i) {
      const value from = i < carried ? after[outside.size() + std::size_t(i)] : writer.any(after);
      text += (i > 0 ? ", " : "") + (i == carried ? after.back() : from).name;
      wanted.push_back((i == carried ? after.back() : from).elements);
    }
    text += " : " + repeated(type, carried + 2) + "\n}\n";
  }
};

}  // namespace

TEST_CASE("what is updated in place is what nobody else needs") {
  int shared = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const random_loop loop(seed);
    shared_program program(loop.text, &find);
    CAPTURE(seed);
    CAPTURE(loop.text);
    REQUIRE_FALSE(program.error());
    std::vector<vector> results(loop.wanted.size());
    std::vector<const void*> from;
    std::vector<void*> to;
    for (const vector& each : loop.arguments) from.push_back(each.data());
    for (vector& each : results) to.push_back(each.data());
    program(from.data(), to.data());
    CHECK(results == loop.wanted);
    // How many ops found the place of their operand free.
    const plan& p = program.plan();
    for (const plan_step& step : p.steps) {
      if (!step.has_op() || program.program().nodes[step.node].kind == kind_of_op<ops::while_>) continue;
      const place &operand = p.places[p.values[step.first]],
                  &result = p.places[p.values[step.first + step.operand_count]];
      shared += operand.base == result.base && operand.offset == result.offset;
    }
  }
  CHECK(shared > 400);
}
