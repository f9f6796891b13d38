// SPDX-License-Identifier: Apache-2.0

// Control flow, tokens, and collectives of a process that runs by itself, on 64 K elements: beside what the program
// does written out as a loop, or a copy.

#include "programs.hpp"

#include <cstring>

using namespace bench;

namespace {

constexpr index_t size = 65536;
const std::string type = "tensor<65536xf32>";

void copy(f32* to, const f32* x) { std::memcpy(to, x, size * sizeof(f32)); }
void twice(f32* to, const f32* x) {
  for (index_t i = 0; i < size; ++i) to[i] = x[i] + x[i];
}

template <class Plain>
void program(const std::string& name, const std::string& ops, Plain plain) {
  compare_program<f32>(name, result_of<f32>({size}), ops, 0, std::tuple{argument<f32>({size})}, way{"plain", plain});
}

void branches_and_loops() {
  program(
      "while, 16 additions",
      "%z = stablehlo.constant dense<0> : tensor<i32>\n%q:2 = \"stablehlo.while\"(%z, %a) ({\n^bb0(%i: tensor<i32>, "
      "%x: " +
          type +
          "):\n%n = stablehlo.constant dense<16> : tensor<i32>\n%p = stablehlo.compare LT, %i, %n : (tensor<i32>, "
          "tensor<i32>) -> tensor<i1>\nstablehlo.return %p : tensor<i1>\n}, {\n^bb0(%i: tensor<i32>, %x: " +
          type +
          "):\n%o = stablehlo.constant dense<1> : tensor<i32>\n%j = stablehlo.add %i, %o : tensor<i32>\n%y = "
          "stablehlo.add %x, %x : " +
          type + "\nstablehlo.return %j, %y : tensor<i32>, " + type + "\n}) : (tensor<i32>, " + type +
          ") -> (tensor<i32>, " + type + ")\n%r = stablehlo.reshape %q#1 : (" + type + ") -> " + type,
      [](f32* to, const f32* x) {
        std::memcpy(to, x, size * sizeof(f32));
        for (int step = 0; step < 16; ++step) {
          for (index_t i = 0; i < size; ++i) to[i] = to[i] + to[i];
          benchmark::ClobberMemory();
        }
      });
  using counting = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<i32>) -> tensor<i32> {
      %r = "stablehlo.while"(%a) ({
      ^bb0(%i: tensor<i32>):
        %n = stablehlo.constant dense<1000> : tensor<i32>
        %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>):
        %o = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %o : tensor<i32>
        stablehlo.return %j : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      return %r : tensor<i32>
    })");
  compare_compiled<counting::code, i32>("while, 1000 steps of a scalar", 1, 0, std::tuple{argument<i32>(ints{}, 0, 0)},
                                        way{"plain", [](i32* to, const i32* from) {
                                              i32 i = *from;
                                              while (i < 1000) ++i;
                                              *to = i;
                                            }});
  using mixing = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<f32>) -> tensor<f32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = "stablehlo.while"(%zero, %a) ({
      ^bb0(%i: tensor<i32>, %x: tensor<f32>):
        %n = stablehlo.constant dense<1000> : tensor<i32>
        %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %x: tensor<f32>):
        %o = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %o : tensor<i32>
        %c = stablehlo.constant dense<1.5> : tensor<f32>
        %y = stablehlo.subtract %c, %x : tensor<f32>
        %z = stablehlo.multiply %x, %y : tensor<f32>
        stablehlo.return %j, %z : tensor<i32>, tensor<f32>
      }) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>)
      return %r#1 : tensor<f32>
    })");
  compare_compiled<mixing::code, f32>("while, 1000 steps of two scalars", 1, 1e-6,
                                      std::tuple{argument<f32>(ints{}, 0.5, 0.5)},
                                      way{"plain", [](f32* to, const f32* from) {
                                            f32 x = *from;
                                            for (i32 i = 0; i < 1000; ++i) x = x * (1.5f - x);
                                            *to = x;
                                          }});
  const std::string add = "%x = stablehlo.add %a, %a : " + type + "\nstablehlo.return %x : " + type + "\n";
  const std::string same = "stablehlo.return %a : " + type + "\n";
  program("if",
          "%p = stablehlo.constant dense<true> : tensor<i1>\n%r = \"stablehlo.if\"(%p) ({" + add + "}, {" + same +
              "}) : (tensor<i1>) -> " + type,
          twice);
  program("case",
          "%i = stablehlo.constant dense<1> : tensor<i32>\n%r = \"stablehlo.case\"(%i) ({" + same + "}, {" + add +
              "}) : (tensor<i32>) -> " + type,
          twice);
  program("map",
          "%r = \"stablehlo.map\"(%a) ({\n^bb0(%x: tensor<f32>):\n%y = stablehlo.add %x, %x : "
          "tensor<f32>\nstablehlo.return %y : tensor<f32>\n}) {dimensions = array<i64: 0>} : (" +
              type + ") -> " + type,
          twice);
  program("optimization_barrier",
          "%x = stablehlo.add %a, %a : " + type + "\n%r = stablehlo.optimization_barrier %x : " + type, twice);
  program("tuple and get_tuple_element",
          "%t = stablehlo.tuple %a, %a : tuple<" + type + ", " + type +
              ">\n%r = stablehlo.get_tuple_element %t[1] : (tuple<" + type + ", " + type + ">) -> " + type,
          copy);
  program("after_all and create_token",
          "%t = \"stablehlo.create_token\"() : () -> !stablehlo.token\n%u = \"stablehlo.after_all\"(%t, %t) : "
          "(!stablehlo.token, !stablehlo.token) -> !stablehlo.token\n%r = stablehlo.add %a, %a : " +
              type,
          twice);
}

void collectives() {
  const std::string group = "replica_groups = dense<0> : tensor<1x1xi64>";
  const std::string types = " : (" + type + ") -> " + type;
  const std::string sum =
      "({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n%z = stablehlo.add %x, %y : tensor<f32>\nstablehlo.return %z : "
      "tensor<f32>\n}) ";
  program("all_gather", "%r = \"stablehlo.all_gather\"(%a) {all_gather_dim = 0 : i64, " + group + "}" + types, copy);
  program("all_reduce", "%r = \"stablehlo.all_reduce\"(%a) " + sum + "{" + group + "}" + types, copy);
  program("reduce_scatter",
          "%r = \"stablehlo.reduce_scatter\"(%a) " + sum + "{scatter_dimension = 0 : i64, " + group + "}" + types,
          copy);
  program("all_to_all",
          "%r = \"stablehlo.all_to_all\"(%a) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : "
          "i64, " +
              group + "}" + types,
          copy);
  program("collective_permute",
          "%r = \"stablehlo.collective_permute\"(%a) {source_target_pairs = dense<0> : tensor<1x2xi64>}" + types, copy);
  program("collective_broadcast", "%r = \"stablehlo.collective_broadcast\"(%a) {" + group + "}" + types, copy);
  program("cross_replica_sum", "%r = \"stablehlo.cross-replica-sum\"(%a) {" + group + "}" + types, copy);
  program("async_start and async_done",
          "%f = \"stablehlo.async_start\"(%a) ({\n^bb0(%x: " + type +
              "):\n%y = \"stablehlo.all_gather\"(%x) "
              "{all_gather_dim = 0 : i64, " +
              group + "}" + types + "\nstablehlo.return %y : " + type + "\n}) : (" + type + ") -> !stablehlo.future<" +
              type + ">\n%r = \"stablehlo.async_done\"(%f) : (!stablehlo.future<" + type + ">) -> " + type,
          copy);
  using places = TENON_PROGRAM(R"(
    func.func @main() -> tensor<ui32> {
      %p = stablehlo.partition_id : tensor<ui32>
      %q = stablehlo.replica_id : tensor<ui32>
      %r = stablehlo.add %p, %q : tensor<ui32>
      return %r : tensor<ui32>
    })");
  compare_compiled<places::code, ui32>("partition_id and replica_id", 1, 0, std::tuple{argument<ui32>({1})},
                                       way{"plain", [](ui32* to, const ui32*) {
                                             benchmark::DoNotOptimize(to);
                                             *to = 0;
                                           }});
}

// What a call costs: a few elements, in programs that are known while compiling and in one that is read.
template <int Size>
void add_loop(f32* to, const f32* x, const f32* y) {
  for (int i = 0; i < Size; ++i) to[i] = x[i] + y[i];
}
void small_programs() {
  const auto four = way{"plain", add_loop<4>};
  using few = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
      %r = stablehlo.add %a, %b : tensor<4xf32>
      return %r : tensor<4xf32>
    })");
  compare_compiled<few::code, f32>("add 4 elements", 4, 0, std::tuple{argument<f32>({4}), argument<f32>({4})}, four);
  using more = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
      %r = stablehlo.add %a, %b : tensor<64xf32>
      return %r : tensor<64xf32>
    })");
  compare_compiled<more::code, f32>("add 64 elements", 64, 0, std::tuple{argument<f32>({64}), argument<f32>({64})},
                                    way{"plain", add_loop<64>});
  using small_product = TENON_PROGRAM(R"(
    func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %r = stablehlo.dot %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      return %r : tensor<4x4xf32>
    })");
  compare_compiled<small_product::code, f32>("dot 4x4", 16, 1e-6,
                                             std::tuple{argument<f32>({4, 4}), argument<f32>({4, 4})},
                                             way{"plain", [](f32* to, const f32* x, const f32* y) {
                                                   for (int i = 0; i < 4; ++i)
                                                     for (int j = 0; j < 4; ++j) {
                                                       f32 sum = 0;
                                                       for (int k = 0; k < 4; ++k) sum += x[i * 4 + k] * y[k * 4 + j];
                                                       to[i * 4 + j] = sum;
                                                     }
                                                 }});
  compare_program<f32>("add 4 elements, read at run time", result_of<f32>({4}),
                       "%r = stablehlo.add %a, %b : tensor<4xf32>", 0,
                       std::tuple{argument<f32>({4}), argument<f32>({4})}, four);
}

[[maybe_unused]] const bool registered = (branches_and_loops(), collectives(), small_programs(), true);

}  // namespace
