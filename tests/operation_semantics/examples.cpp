// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

// The numeric examples of XLA's pages of operations, each under the name of its section and the pages that have it:
// "current", https://openxla.org/xla/operation_semantics, and those of 2019 (XlaBuilder) and 2017 (ComputationBuilder).
namespace tenon::test {
using namespace core;

namespace {

XlaOp example_v(XlaBuilder& b) {
  return ConstantR3<float>(&b, {{{10, 11, 12}, {15, 16, 17}},
                                {{20, 21, 22}, {25, 26, 27}},
                                {{30, 31, 32}, {35, 36, 37}},
                                {{40, 41, 42}, {45, 46, 47}}});
}
XlaOp example_a(XlaBuilder& b) { return ConstantR1<float>(&b, {0.0, 1.0, 2.0, 3.0, 4.0}); }
XlaOp example_b(XlaBuilder& b) {
  return ConstantR2<float>(&b, {{0.0, 1.0, 2.0}, {3.0, 4.0, 5.0}, {6.0, 7.0, 8.0}, {9.0, 10.0, 11.0}});
}

constexpr process_grid two{2, 1};
Literals of_two(int replica) { return {replica == 0 ? R1<float>({1.0, 2.5}) : R1<float>({3.0, 5.25})}; }

TEST_CASE("AllGather (current): two replicas") {
  XlaBuilder b("all_gather");
  AllGather(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2}), "x"), 0, 2);
  const auto all = run_on(two, b.Build(), of_two);
  for (const Literals& each : all) CHECK(same(each, {R1<float>({1.0, 2.5, 3.0, 5.25})}));
}
TEST_CASE("AllReduce (current): the sum over two replicas, of an array and of a tuple") {
  XlaBuilder b("all_reduce"), of_tuple("all_reduce");
  const XlaComputation add = scalar_computation(F32, Add);
  AllReduce(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2}), "x"), add);
  for (const Literals& each : run_on(two, b.Build(), of_two)) CHECK(same(each, {R1<float>({4.0, 7.75})}));
  const auto x = Parameter(&of_tuple, 0, ShapeUtil::MakeShape(F32, {2}), "x");
  AllReduce(Tuple(&of_tuple, {x, Neg(x)}), add);
  for (const Literals& each : run_on(two, of_tuple.Build(), of_two))
    CHECK(same(each, {R1<float>({4.0, 7.75}), R1<float>({-4.0, -7.75})}));
}
TEST_CASE("CrossReplicaSum (2019, 2017): two replicas") {
  XlaBuilder b("cross_replica_sum");
  CrossReplicaSum(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2}), "x"));
  for (const Literals& each : run_on(two, b.Build(), of_two)) CHECK(same(each, {R1<float>({4.0, 7.75})}));
}
TEST_CASE("ReduceScatter (current): two replicas") {
  XlaBuilder b("reduce_scatter");
  ReduceScatter(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2}), "x"), scalar_computation(F32, Add), 0, 2);
  const auto all = run_on(two, b.Build(), [](int replica) {
    return Literals{replica == 0 ? R1<float>({1.0, 2.25}) : R1<float>({3.0, 5.25})};
  });
  CHECK(same(all[0], {R1<float>({4.0})}));
  CHECK(same(all[1], {R1<float>({7.5})}));
}
TEST_CASE("ReduceScatter (current): replica_groups as global ids of two replicas and four partitions") {
  XlaBuilder b("groups");
  ReduceScatter(ConvertElementType(PartitionId(&b), F32) + Iota(&b, F32, 4), ops::add{}, 0, 4,
                {{0, 1, 4, 5}, {2, 3, 6, 7}}, 1, std::nullopt, true);
  const auto all = run_on(process_grid{2, 4}, b.Build(), [](int) { return Literals{}; });
  // group[0] = (0, 0), (0, 1), (1, 0), (1, 1) and group[1] = (0, 2), (0, 3), (1, 2), (1, 3), as (replica, partition).
  const float sums[] = {2 + 0, 2 + 4, 10 + 0, 10 + 4, 2 + 8, 2 + 12, 10 + 8, 10 + 12};
  for (std::size_t i = 0; i < 8; ++i) CHECK(same(all[i], {R1<float>({sums[i]})}));
}
TEST_CASE("AllToAll (current, 2019): example 1") {
  XlaBuilder b("alltoall");
  auto x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {4, 16}), "x");
  AllToAll(x,
           /*split_dimension=*/1,
           /*concat_dimension=*/0,
           /*split_count=*/4);
  const auto element = [](int core, index_t row, index_t column) { return float(1000 * core + 16 * row + column); };
  const auto all = run_on(process_grid{4, 1}, b.Build(), [&](int core) {
    Literal whole{type_of(F32, {4, 16}), {}};
    for (index_t i = 0; i < 64; ++i) whole.push(element(core, i / 16, i % 16));
    return Literals{whole};
  });
  for (int core = 0; core < 4; ++core) {
    Literal blocks{type_of(F32, {16, 4}), {}};
    for (index_t i = 0; i < 64; ++i) blocks.push(element(int(i / 16), i / 4 % 4, 4 * core + i % 4));
    CHECK(same(all[std::size_t(core)], {blocks}));
  }
}
TEST_CASE("AllToAll (current): example 2") {
  XlaBuilder b("alltoall");
  AllToAll(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2, 4}), "x"), 1, 0, 2);
  const auto all = run_on(two, b.Build(), [](int replica) {
    return Literals{replica == 0 ? R2<float>({{1, 2, 3, 4}, {5, 6, 7, 8}})
                                 : R2<float>({{9, 10, 11, 12}, {13, 14, 15, 16}})};
  });
  CHECK(same(all[0], {R2<float>({{1, 2}, {5, 6}, {9, 10}, {13, 14}})}));
  CHECK(same(all[1], {R2<float>({{3, 4}, {7, 8}, {11, 12}, {15, 16}})}));
}
TEST_CASE("ReduceScatter (current): example 1") {
  XlaBuilder b("reduce_scatter");
  ReduceScatter(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2, 4}), "x"), scalar_computation(F32, Add), 1, 2);
  const auto all = run_on(two, b.Build(), [](int replica) {
    return Literals{replica == 0 ? R2<float>({{1, 2, 3, 4}, {5, 6, 7, 8}})
                                 : R2<float>({{9, 10, 11, 12}, {13, 14, 15, 16}})};
  });
  CHECK(same(all[0], {R2<float>({{10, 12}, {18, 20}})}));
  CHECK(same(all[1], {R2<float>({{14, 16}, {22, 24}})}));
}

TEST_CASE("RaggedAllToAll (current): two replicas") {
  XlaBuilder b("ragged_all_to_all");
  const Shape s32 = ShapeUtil::MakeShape(S32, {2});
  const auto input = Parameter(&b, 0, ShapeUtil::MakeShape(S32, {3}), "i"),
             output = Parameter(&b, 1, ShapeUtil::MakeShape(S32, {4}), "q");
  const auto input_offsets = Parameter(&b, 2, s32, "o"), send_sizes = Parameter(&b, 3, s32, "s"),
             output_offsets = Parameter(&b, 4, s32, "p"), recv_sizes = Parameter(&b, 5, s32, "r");
  RaggedAllToAll(input, input_offsets, send_sizes, output, output_offsets, recv_sizes, {{0, 1}});
  const auto all = run_on(two, b.Build(), [](int replica) {
    return replica == 0 ? Literals{R1<int>({1, 2, 2}), R1<int>({0, 0, 0, 0}), R1<int>({0, 1}),
                                   R1<int>({1, 2}),    R1<int>({0, 0}),       R1<int>({1, 1})}
                        : Literals{R1<int>({3, 4, 0}), R1<int>({0, 0, 0, 0}), R1<int>({0, 1}),
                                   R1<int>({1, 1}),    R1<int>({1, 2}),       R1<int>({2, 1})};
  });
  CHECK(same(all[0], {R1<int>({1, 3, 0, 0})}));
  CHECK(same(all[1], {R1<int>({2, 2, 4, 0})}));
}

TEST_CASE("BitcastConvertType (current): shapes of f32 and f16") {
  XlaBuilder b("bitcast_convert");
  const auto shape_after = [&](PrimitiveType from, const ints& shape, PrimitiveType to) {
    return BitcastConvertType(Broadcast(ConstantLiteral(&b, LiteralUtil::One(from)), shape), to).type();
  };
  CHECK(shape_after(F32, {10}, F16) == type_of(F16, {10, 2}));
  CHECK(shape_after(F32, {}, F16) == type_of(F16, {2}));
  CHECK(shape_after(F16, {10, 2}, F32) == type_of(F32, {10}));
  XlaBuilder bits("bitcast_convert");
  BitcastConvertType(ConstantR1<float>(&bits, {1}), U32);
  CHECK(gives(bits, {R1<ui32>({0x3F800000u})}));
}
TEST_CASE("Broadcast (current, 2019, 2017): a scalar") {
  XlaBuilder b("broadcast");
  Broadcast(ConstantR0<float>(&b, 2.0f), {2, 3});
  CHECK(gives(b, {R2<float>({{2, 2, 2}, {2, 2, 2}})}));
}
TEST_CASE("Clamp (current, 2019): scalar min and max") {
  XlaBuilder b("clamp");
  const auto operand = ConstantR1<int>(&b, {-1, 5, 9});
  const auto min = ConstantR0<int>(&b, 0), max = ConstantR0<int>(&b, 6);
  Clamp(min, operand, max);
  CHECK(gives(b, {R1<int>({0, 5, 6})}));
}
TEST_CASE(
    "Clamp (2017): the page writes Clamp(operand, min, max), which breaks a rule; the values are those of the others") {
  ComputationBuilder b(nullptr, "clamp"), as_written(nullptr, "clamp");
  b.Clamp(b.ConstantR0<int>(0), b.ConstantR1<int>({-1, 5, 9}), b.ConstantR0<int>(6));
  CHECK(gives(b, {R1<int>({0, 5, 6})}));
  as_written.Clamp(as_written.ConstantR1<int>({-1, 5, 9}), as_written.ConstantR0<int>(0),
                   as_written.ConstantR0<int>(6));
  CHECK(refusal(as_written) == "clamp_c1");
}
// Dimension 0 has size 4, so that dimensions 0 and 1 become one of 8.
TEST_CASE("Collapse (current, 2019, 2017): three ways; the pages have the last two results the other way round") {
  XlaBuilder b("collapse");
  const auto v = example_v(b);
  const auto v012 = Collapse(v, {0, 1, 2}), v01 = Collapse(v, {0, 1}), v12 = Collapse(v, {1, 2});
  Tuple(&b, {v012, v01, v12});
  CHECK(gives(
      b,
      {R1<float>({10, 11, 12, 15, 16, 17, 20, 21, 22, 25, 26, 27, 30, 31, 32, 35, 36, 37, 40, 41, 42, 45, 46, 47}),
       R2<float>({{10, 11, 12},
                  {15, 16, 17},
                  {20, 21, 22},
                  {25, 26, 27},
                  {30, 31, 32},
                  {35, 36, 37},
                  {40, 41, 42},
                  {45, 46, 47}}),
       R2<float>(
           {{10, 11, 12, 15, 16, 17}, {20, 21, 22, 25, 26, 27}, {30, 31, 32, 35, 36, 37}, {40, 41, 42, 45, 46, 47}})}));
}
TEST_CASE("Collapse (current, 2019, 2017): {1, 0} and {0, 2} are refused") {
  for (const ints& dimensions : {ints{1, 0}, ints{0, 2}}) {
    XlaBuilder b("collapse");
    Collapse(example_v(b), dimensions);
    CHECK(refusal(b) == "xla_collapse");
  }
}
TEST_CASE("ConcatInDim (current, 2019, 2017): one dimension") {
  XlaBuilder b("concat");
  ConcatInDim(&b, {ConstantR1<int>(&b, {2, 3}), ConstantR1<int>(&b, {4, 5}), ConstantR1<int>(&b, {6, 7})}, 0);
  CHECK(gives(b, {R1<int>({2, 3, 4, 5, 6, 7})}));
}
TEST_CASE("ConcatInDim (current, 2019, 2017): two dimensions") {
  XlaBuilder builder("concat");
  const auto a = ConstantR2<int>(&builder, {{1, 2}, {3, 4}, {5, 6}});
  const auto b = ConstantR2<int>(&builder, {{7, 8}});
  builder.ConcatInDim({a, b}, 0);
  CHECK(gives(builder, {R2<int>({{1, 2}, {3, 4}, {5, 6}, {7, 8}})}));
}
TEST_CASE("ConvertElementType (current, 2019, 2017): s32 to f32") {
  XlaBuilder b("convert");
  ConvertElementType(ConstantR1<int>(&b, {0, 1, 2}), F32);
  CHECK(gives(b, {R1<float>({0.0, 1.0, 2.0})}));
}
extern "C" void myfunc(void* out, void** in) {
  float(&x)[2] = *static_cast<float(*)[2]>(in[0]);
  float(&y)[2][3] = *static_cast<float(*)[2][3]>(in[1]);
  CHECK(1 == x[0]);
  CHECK(2 == x[1]);
  CHECK(10 == y[0][0]);
  CHECK(20 == y[0][1]);
  CHECK(30 == y[0][2]);
  CHECK(40 == y[1][0]);
  CHECK(50 == y[1][1]);
  CHECK(60 == y[1][2]);
  float(&z)[3][3] = *static_cast<float(*)[3][3]>(out);
  for (auto& row : z)
    for (float& each : row) each = 0;
  z[0][0] = x[1] + y[1][0];
}
TEST_CASE("CustomCall (2019, 2017): myfunc") {
  const custom_call_target target("myfunc", from_extern_c<&myfunc>);
  XlaBuilder b("custom_call");
  const auto x = ConstantR1<float>(&b, {1, 2});
  const auto y = ConstantR2<float>(&b, {{10, 20, 30}, {40, 50, 60}});
  CustomCall("myfunc", {x, y}, ShapeUtil::MakeShape(F32, {3, 3}));
  CHECK(gives(b, {R2<float>({{42, 0, 0}, {0, 0, 0}, {0, 0, 0}})}));
}
TEST_CASE("DotGeneral (current, 2019): contracting dimensions") {
  XlaBuilder b("dot_general");
  const auto lhs = ConstantR2<float>(&b, {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const auto rhs = ConstantR2<float>(&b, {{1.0, 1.0, 1.0}, {2.0, 2.0, 2.0}});
  DotDimensionNumbers dnums;
  dnums.add_lhs_contracting_dimensions(1);
  dnums.add_rhs_contracting_dimensions(1);
  DotGeneral(lhs, rhs, dnums);
  CHECK(gives(b, {R2<float>({{6.0, 12.0}, {15.0, 30.0}})}));
}
TEST_CASE("DotGeneral (current, 2019): batch dimensions") {
  XlaBuilder b("dot_general");
  const auto lhs = ConstantR3<float>(&b, {{{1.0, 2.0}, {3.0, 4.0}}, {{5.0, 6.0}, {7.0, 8.0}}});
  const auto rhs = ConstantR3<float>(&b, {{{1.0, 0.0}, {0.0, 1.0}}, {{1.0, 0.0}, {0.0, 1.0}}});
  DotDimensionNumbers dnums;
  dnums.add_lhs_contracting_dimensions(2);
  dnums.add_rhs_contracting_dimensions(1);
  dnums.add_lhs_batch_dimensions(0);
  dnums.add_rhs_batch_dimensions(0);
  DotGeneral(lhs, rhs, dnums);
  CHECK(gives(b, {R3<float>({{{1.0, 2.0}, {3.0, 4.0}}, {{5.0, 6.0}, {7.0, 8.0}}})}));
}
TEST_CASE("DynamicSlice (current, 2019, 2017): one dimension; the start as scalars and as a vector") {
  XlaBuilder b("dynamic_slice"), older("dynamic_slice");
  DynamicSlice(example_a(b), {ConstantR0<int>(&b, 2)}, {2});
  CHECK(gives(b, {R1<float>({2.0, 3.0})}));
  older.DynamicSlice(example_a(older), {ConstantR1<int>(&older, {2})}, {2});
  CHECK(gives(older, {R1<float>({2.0, 3.0})}));
}
TEST_CASE("DynamicSlice (current, 2019, 2017): two dimensions") {
  XlaBuilder b("dynamic_slice"), older("dynamic_slice");
  DynamicSlice(example_b(b), {ConstantR0<int>(&b, 2), ConstantR0<int>(&b, 1)}, {2, 2});
  CHECK(gives(b, {R2<float>({{7.0, 8.0}, {10.0, 11.0}})}));
  older.DynamicSlice(example_b(older), {ConstantR1<int>(&older, {2, 1})}, {2, 2});
  CHECK(gives(older, {R2<float>({{7.0, 8.0}, {10.0, 11.0}})}));
}
TEST_CASE("DynamicUpdateSlice (current, 2019, 2017): one dimension") {
  XlaBuilder b("dynamic_update_slice");
  const auto u = ConstantR1<float>(&b, {5.0, 6.0});
  DynamicUpdateSlice(example_a(b), u, {ConstantR0<int>(&b, 2)});
  CHECK(gives(b, {R1<float>({0.0, 1.0, 5.0, 6.0, 4.0})}));
}
TEST_CASE("DynamicUpdateSlice (current, 2019, 2017): two dimensions") {
  XlaBuilder builder("dynamic_update_slice");
  const auto b = example_b(builder);
  const auto u = ConstantR2<float>(&builder, {{12.0, 13.0}, {14.0, 15.0}, {16.0, 17.0}});
  const auto s = ConstantR1<int>(&builder, {1, 1});
  DynamicUpdateSlice(b, u, {s});
  CHECK(gives(builder, {R2<float>({{0.0, 1.0, 2.0}, {3.0, 12.0, 13.0}, {6.0, 14.0, 15.0}, {9.0, 16.0, 17.0}})}));
}

// 0, 1, 2, ... of this shape, and element `at` of it.
Literal counted(const ints& shape) {
  Literal result{type_of(F32, shape), {}};
  for (index_t i = 0; i < shape.product(); ++i) result.push(float(i));
  return result;
}
TEST_CASE("Gather (current, 2019): slices of [8, 6] from [16, 11], at five places and at [4, 5] places") {
  for (const ints& places : {ints{5}, ints{4, 5}}) {
    XlaBuilder b("gather");
    GatherDimensionNumbers numbers;
    numbers.add_offset_dims(places.size), numbers.add_offset_dims(places.size + 1);
    numbers.add_start_index_map(0), numbers.add_start_index_map(1);
    numbers.set_index_vector_dim(places.size);
    Gather(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {16, 11}), "input"),
           Parameter(&b, 1, ShapeUtil::MakeShape(S32, places + ints{2}), "places"), numbers, {8, 6});
    Literal at{type_of(S32, places + ints{2}), {}}, expected{type_of(F32, places + ints{8, 6}), {}};
    for (int g = 0; g < int(places.product()); ++g) {
      const int x = 3 * g % 9, y = 2 * g % 6;
      at.push(x), at.push(y);
      for (int o0 = 0; o0 < 8; ++o0)
        for (int o1 = 0; o1 < 6; ++o1) expected.push(float(11 * (x + o0) + y + o1));
    }
    CHECK(gives(b, {expected}, {counted({16, 11}), at}));
  }
}
TEST_CASE("Gather (current, 2019): gather_nd, rows of [16, 11] at [4, 5] places") {
  XlaBuilder b("gather_nd");
  GatherDimensionNumbers numbers;
  numbers.add_offset_dims(2);
  numbers.add_collapsed_slice_dims(0);
  numbers.add_start_index_map(0);
  numbers.set_index_vector_dim(2);
  Gather(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {16, 11}), "input"),
         Parameter(&b, 1, ShapeUtil::MakeShape(S32, {4, 5, 1}), "rows"), numbers, {1, 11});
  Literal rows{type_of(S32, {4, 5, 1}), {}}, expected{type_of(F32, {4, 5, 11}), {}};
  for (int g = 0; g < 20; ++g) {
    rows.push(7 * g % 16);
    for (int o = 0; o < 11; ++o) expected.push(float(11 * (7 * g % 16) + o));
  }
  CHECK(gives(b, {expected}, {counted({16, 11}), rows}));
}

TEST_CASE("GetTupleElement (current, 2019, 2017) and Tuple (current, 2019, 2017): element 1 of a tuple") {
  XlaBuilder b("tuple");
  const auto v = ConstantR1<float>(&b, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto s = ConstantR0<int>(&b, 5);
  const auto t = Tuple(&b, {v, s});
  GetTupleElement(t, 1);
  CHECK(gives(b, {R0<int>(5)}));
}
TEST_CASE("Iota (current): along dimension 0 and along dimension 1") {
  XlaBuilder b("iota");
  const auto first = Iota(&b, ShapeUtil::MakeShape(S32, {4, 8}), 0),
             second = Iota(&b, ShapeUtil::MakeShape(S32, {4, 8}), 1);
  Tuple(&b, {first, second});
  CHECK(gives(
      b,
      {R2<int>(
           {{0, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2, 2, 2}, {3, 3, 3, 3, 3, 3, 3, 3}}),
       R2<int>(
           {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}})}));
}
TEST_CASE("Map (current, 2019, 2017): three operands and a static one") {
  XlaBuilder f("f"), b("map");
  const auto e1 = Parameter(&f, 0, ShapeUtil::MakeShape(F32, {}), "elem1"),
             e2 = Parameter(&f, 1, ShapeUtil::MakeShape(F32, {}), "elem2"),
             e3 = Parameter(&f, 2, ShapeUtil::MakeShape(F32, {}), "elem3"),
             par1 = Parameter(&f, 3, ShapeUtil::MakeShape(F32, {}), "par1");
  Add(Add(Mul(e1, e2), e3), Mul(par1, ConstantR0<float>(&f, 1000)));
  const auto op1 = ConstantR1<float>(&b, {1, 2}), op2 = ConstantR1<float>(&b, {10, 20}),
             op3 = ConstantR1<float>(&b, {100, 200});
  Map({op1, op2, op3}, f.Build().value(), {0}, {ConstantR0<float>(&b, 7)});
  CHECK(gives(b, {R1<float>({7110, 7240})}));
}
TEST_CASE("Map (current, 2019, 2017): a static operand that is a matrix of integers") {
  XlaBuilder f("f"), b("map");
  const auto element = Parameter(&f, 0, ShapeUtil::MakeShape(F32, {}), "element"),
             table = Parameter(&f, 1, ShapeUtil::MakeShape(S32, {2, 2}), "table");
  const auto total = Reduce(table, ConstantR0<int>(&f, 0), scalar_computation(S32, Add));
  Add(element, ConvertElementType(total, F32));
  Map({ConstantR1<float>(&b, {1, 2})}, f.Build().value(), {0}, {ConstantR2<int>(&b, {{1, 2}, {3, 4}})});
  CHECK(gives(b, {R1<float>({11, 12})}));
}
TEST_CASE("Reduce (current, 2019, 2017): [10, 11, 12, 13] in one dimension") {
  XlaBuilder b("reduce");
  Reduce(ConstantR1<float>(&b, {10, 11, 12, 13}), ConstantR0<float>(&b, 0), scalar_computation(F32, Add), {0});
  CHECK(gives(b, {R0<float>(46)}));
}
TEST_CASE("Reduce (current, 2019, 2017): a matrix of [2, 3], along dimension 0 and along dimension 1") {
  XlaBuilder b("reduce");
  const auto x = ConstantR2<float>(&b, {{1, 2, 3}, {4, 5, 6}});
  const auto zero = ConstantR0<float>(&b, 0);
  const XlaComputation add = scalar_computation(F32, Add);
  const auto columns = Reduce(x, zero, add, {0}), rows = Reduce(x, zero, add, {1});
  Tuple(&b, {columns, rows});
  CHECK(gives(b, {R1<float>({5, 7, 9}), R1<float>({6, 15})}));
}
TEST_CASE("Reduce (current, 2019, 2017): [4, 2, 3], 1 to 6 repeated, along 0, along 2, along 0 and 1, and all") {
  XlaBuilder b("reduce");
  const auto x = Broadcast(ConstantR2<float>(&b, {{1, 2, 3}, {4, 5, 6}}), {4});
  const auto zero = ConstantR0<float>(&b, 0);
  const XlaComputation add = scalar_computation(F32, Add);
  const auto along0 = Reduce(x, zero, add, {0}), along2 = Reduce(x, zero, add, {2}),
             along01 = Reduce(x, zero, add, {0, 1}), all = Reduce(x, zero, add);
  Tuple(&b, {along0, along2, along01, all});
  // The page draws the second for one of the four equal planes.
  CHECK(gives(b, {R2<float>({{4, 8, 12}, {16, 20, 24}}), R2<float>({{6, 15}, {6, 15}, {6, 15}, {6, 15}}),
                  R1<float>({20, 28, 36}), R0<float>(84)}));
}
TEST_CASE("Reduce (current, 2019): max and argmax at once; the page of 2019 compares with argmax by mistake") {
  XlaBuilder f("f"), b("reduce");
  const Shape number = ShapeUtil::MakeShape(F32, {}), place = ShapeUtil::MakeShape(S32, {});
  const auto max = Parameter(&f, 0, number, "max"), argmax = Parameter(&f, 1, place, "argmax"),
             value = Parameter(&f, 2, number, "value"), index = Parameter(&f, 3, place, "index");
  Select(Ge(value, max), Tuple(&f, {value, index}), Tuple(&f, {max, argmax}));
  Reduce({ConstantR1<float>(&b, {3, 7, 5, 1}), Iota(&b, S32, 4)},
         {ConstantLiteral(&b, LiteralUtil::MinValue(F32)), ConstantR0<int>(&b, -1)}, f.Build().value(), {0});
  CHECK(gives(b, {R0<float>(7), R0<int>(1)}));
}
TEST_CASE("ReduceWindow (current): example 1, the maximum of windows of [2, 3]") {
  struct {
  }* client_ = nullptr;
  // Create a computation for the reduction (maximum).
  XlaComputation max;
  {
    XlaBuilder builder(client_, "max");
    auto y = builder.Parameter(0, ShapeUtil::MakeShape(F32, {}), "y");
    auto x = builder.Parameter(1, ShapeUtil::MakeShape(F32, {}), "x");
    builder.Max(y, x);
    max = builder.Build().value();
  }

  // Create a ReduceWindow computation with the max reduction computation.
  XlaBuilder builder(client_, "reduce_window_2x3");
  auto shape = ShapeUtil::MakeShape(F32, {4, 6});
  auto input = builder.Parameter(0, shape, "input");
  builder.ReduceWindow(input,
                       /*init_val=*/builder.ConstantLiteral(LiteralUtil::MinValue(F32)), *max,
                       /*window_dimensions=*/{2, 3},
                       /*window_stride_dimensions=*/{2, 3}, Padding::kValid);
  CHECK(gives(builder, {R2<float>({{8, 11}, {20, 23}})}, {counted({4, 6})}));
}
TEST_CASE("ReduceWindow (2019, 2017): example 1, which has the computation before the initial value") {
  struct {
  }* client_ = nullptr;
  // Create a computation for the reduction (maximum).
  Computation max;
  {
    ComputationBuilder builder(client_, "max");
    auto y = builder.Parameter(0, ShapeUtil::MakeShape(F32, {}), "y");
    auto x = builder.Parameter(1, ShapeUtil::MakeShape(F32, {}), "x");
    builder.Max(y, x);
    max = builder.Build().ConsumeValueOrDie();
  }

  // Create a ReduceWindow computation with the max reduction computation.
  ComputationBuilder builder(client_, "reduce_window_2x3");
  auto shape = ShapeUtil::MakeShape(F32, {4, 6});
  auto input = builder.Parameter(0, shape, "input");
  builder.ReduceWindow(input, *max,
                       /*init_val=*/builder.ConstantLiteral(LiteralUtil::MinValue(F32)),
                       /*window_dimensions=*/{2, 3},
                       /*window_stride_dimensions=*/{2, 3}, Padding::kValid);
  CHECK(gives(builder, {R2<float>({{8, 11}, {20, 23}})}, {counted({4, 6})}));
}
TEST_CASE("ReduceWindow (current, 2019, 2017): the minimum of [10000, 1000, 100, 10, 1], kValid and kSame") {
  XlaBuilder b("reduce_window");
  const auto x = ConstantR1<float>(&b, {10000, 1000, 100, 10, 1});
  const auto most = ConstantLiteral(&b, LiteralUtil::MaxValue(F32));
  const XlaComputation min = scalar_computation(F32, Min);
  const auto valid = ReduceWindow(x, most, min, {3}, {2}, Padding::kValid),
             same = ReduceWindow(x, most, min, {3}, {2}, Padding::kSame);
  Tuple(&b, {valid, same});
  CHECK(gives(b, {R1<float>({100, 1}), R1<float>({1000, 10, 1})}));
}
TEST_CASE("ReduceWindow (current): example 2, with dilations") {
  XlaBuilder b("reduce_window");
  ReduceWindowWithGeneralPadding(ConstantR2<int>(&b, {{1, 2}, {3, 4}, {5, 6}}), ConstantR0<int>(&b, 0),
                                 scalar_computation(S32, Add), {2, 1}, {4, 1}, {2, 1}, {3, 1}, {{2, 1}, {0, 0}});
  CHECK(gives(b, {R2<int>({{0, 0}, {3, 4}})}));
}
TEST_CASE("Reshape (current, 2019, 2017): in order") {
  XlaBuilder b("reshape");
  const auto v = example_v(b);
  const auto v012_24 = Reshape(v, {24}), v012_83 = Reshape(v, {8, 3});
  Tuple(&b, {v012_24, v012_83});
  const Literals expected = {
      R1<float>({10, 11, 12, 15, 16, 17, 20, 21, 22, 25, 26, 27, 30, 31, 32, 35, 36, 37, 40, 41, 42, 45, 46, 47}),
      R2<float>({{10, 11, 12},
                 {15, 16, 17},
                 {20, 21, 22},
                 {25, 26, 27},
                 {30, 31, 32},
                 {35, 36, 37},
                 {40, 41, 42},
                 {45, 46, 47}})};
  CHECK(gives(b, expected));
  XlaBuilder older("reshape");
  const auto w = example_v(older);
  older.Tuple({older.Reshape(w, {0, 1, 2}, {24}), older.Reshape(w, {0, 1, 2}, {8, 3})});
  CHECK(gives(older, expected));
}
TEST_CASE("Reshape (2019, 2017): out of order") {
  XlaBuilder b("reshape");
  const auto v = example_v(b);
  const auto v021_24 = Reshape(v, {1, 2, 0}, {24}), v021_83 = Reshape(v, {1, 2, 0}, {8, 3}),
             v021_262 = Reshape(v, {1, 2, 0}, {2, 6, 2});
  Tuple(&b, {v021_24, v021_83, v021_262});
  CHECK(gives(
      b, {R1<float>({10, 20, 30, 40, 11, 21, 31, 41, 12, 22, 32, 42, 15, 25, 35, 45, 16, 26, 36, 46, 17, 27, 37, 47}),
          R2<float>({{10, 20, 30},
                     {40, 11, 21},
                     {31, 41, 12},
                     {22, 32, 42},
                     {15, 25, 35},
                     {45, 16, 26},
                     {36, 46, 17},
                     {27, 37, 47}}),
          R3<float>({{{10, 20}, {30, 40}, {11, 21}, {31, 41}, {12, 22}, {32, 42}},
                     {{15, 25}, {35, 45}, {16, 26}, {36, 46}, {17, 27}, {37, 47}}})}));
}
TEST_CASE("Reshape (current, 2019, 2017): a single element and a scalar") {
  XlaBuilder b("reshape");
  const auto matrix = ConstantR2<float>(&b, {{5}});
  const auto scalar = ConstantR0<float>(&b, 5);
  const auto first = Reshape(matrix, {}), second = Reshape(scalar, {1, 1}), third = Reshape(matrix, {0, 1}, {}),
             fourth = Reshape(scalar, {}, {1, 1}), fifth = Reshape(ShapeUtil::MakeShape(F32, {1, 1}), scalar);
  Tuple(&b, {first, second, third, fourth, fifth});
  CHECK(gives(b, {R0<float>(5), R2<float>({{5}}), R0<float>(5), R2<float>({{5}}), R2<float>({{5}})}));
}
// The page has a window of [1, 2] where the figure, and StableHLO's example, have one of [2, 2].
TEST_CASE("Scatter (current): example 1") {
  XlaBuilder b("scatter");
  ScatterDimensionNumbers numbers;
  numbers.add_update_window_dims(3), numbers.add_update_window_dims(4);
  numbers.add_inserted_window_dims(1);
  numbers.add_input_batching_dims(0);
  numbers.add_scatter_indices_batching_dims(1);
  numbers.add_scatter_dims_to_operand_dims(2), numbers.add_scatter_dims_to_operand_dims(1);
  numbers.set_index_vector_dim(3);
  const auto input = Reshape(Add(Iota(&b, S32, 48), ConstantR0<int>(&b, 1)), {2, 3, 4, 2});
  const auto indices = Reshape(
      ConstantR1<i64>(&b, {0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 0, 9, 0, 0, 2, 1, 2, 2, 1, 2, 0, 1, 1, 0}), {2, 2, 3, 2});
  const auto updates = Broadcast(ConstantR0<int>(&b, 1), {2, 2, 3, 2, 2});
  const auto result = Scatter(input, indices, updates, scalar_computation(S32, Add), numbers);
  Reshape(result, {48});
  CHECK(gives(
      b, {R1<int>({3,  4,  6,  7,  6,  7,  7,  8,  9,  10, 11, 12, 15, 16, 17, 18, 17, 18, 19, 20, 22, 23, 24, 25,
                   25, 26, 28, 29, 30, 31, 31, 32, 35, 36, 38, 39, 38, 39, 39, 40, 41, 42, 44, 45, 46, 47, 47, 48})}));
}
TEST_CASE("Select (current, 2019, 2017): with an array as predicate, and with a scalar") {
  XlaBuilder b("select");
  const auto v1 = ConstantR1<int>(&b, {1, 2, 3, 4}), v2 = ConstantR1<int>(&b, {100, 200, 300, 400});
  const auto elements = Select(ConstantR1<bool>(&b, {true, false, false, true}), v1, v2),
             whole = Select(ConstantR0<bool>(&b, true), v1, v2);
  Tuple(&b, {elements, whole});
  CHECK(gives(b, {R1<int>({1, 200, 300, 4}), R1<int>({1, 2, 3, 4})}));
}
TEST_CASE("SetDimensionSize (current): sums and a product of five and of six elements") {
  XlaBuilder b("set_dimension_size");
  const auto v = ConstantR1<float>(&b, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const auto five = ConstantR0<int>(&b, 5), six = ConstantR0<int>(&b, 6);
  const auto padded_v_five = SetDimensionSize(v, five, /*dimension=*/0),
             padded_v_six = SetDimensionSize(v, six, /*dimension=*/0);
  const auto zero = ConstantR0<float>(&b, 0), one = ConstantR0<float>(&b, 1);
  const auto sum = Reduce(padded_v_five, zero, scalar_computation(F32, Add), {0}),
             product = Reduce(padded_v_five, one, scalar_computation(F32, Mul), {0}),
             sum_of_six = Reduce(padded_v_six, zero, scalar_computation(F32, Add), {0});
  Tuple(&b, {sum, product, sum_of_six, GetDimensionSize(padded_v_five, 0)});
  CHECK(gives(b, {R0<float>(15), R0<float>(120), R0<float>(21), R0<int>(5)}));
}
TEST_CASE("Slice (current, 2019, 2017): one dimension and two") {
  XlaBuilder b("slice");
  Tuple(&b, {Slice(example_a(b), {2}, {4}), Slice(example_b(b), {2, 1}, {4, 3})});
  CHECK(gives(b, {R1<float>({2.0, 3.0}), R2<float>({{7.0, 8.0}, {10.0, 11.0}})}));
}
TEST_CASE("Sort (current): three operands, compared by the first") {
  XlaBuilder compare("less"), b("sort");
  const Shape s32 = ShapeUtil::MakeShape(S32, {}), f32 = ShapeUtil::MakeShape(F32, {});
  const auto lhs = Parameter(&compare, 0, s32, "lhs"), rhs = Parameter(&compare, 1, s32, "rhs");
  Parameter(&compare, 2, s32, "lhs1"), Parameter(&compare, 3, s32, "rhs1");
  Parameter(&compare, 4, f32, "lhs2"), Parameter(&compare, 5, f32, "rhs2");
  Lt(lhs, rhs);
  Sort({ConstantR1<int>(&b, {3, 1}), ConstantR1<int>(&b, {42, 50}), ConstantR1<float>(&b, {-3.0f, 1.1f})},
       compare.Build().value());
  CHECK(gives(b, {R1<int>({1, 3}), R1<int>({50, 42}), R1<float>({1.1f, -3.0f})}));
}
TEST_CASE("Sort (2019, 2017): one operand, and keys with values") {
  XlaBuilder b("sort");
  const auto keys = ConstantR1<int>(&b, {3, 1});
  const auto sorted = Sort(keys), both = Sort(keys, ConstantR1<int>(&b, {42, 50}));
  Tuple(&b, {sorted, GetTupleElement(both, 0), GetTupleElement(both, 1)});
  CHECK(gives(b, {R1<int>({1, 3}), R1<int>({1, 3}), R1<int>({50, 42})}));
}
TEST_CASE("While (current, 2019, 2017): a thousand turns over (s32, f32[10])") {
  const Shape state = ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(S32, {}), ShapeUtil::MakeShape(F32, {10})});
  XlaBuilder condition("condition"), body("body"), b("while");
  Lt(GetTupleElement(Parameter(&condition, 0, state, "result"), 0), ConstantR0<int>(&condition, 1000));
  const auto result = Parameter(&body, 0, state, "result");
  const auto iteration = Add(GetTupleElement(result, 0), ConstantR0<int>(&body, 1));
  const auto new_vector = Add(GetTupleElement(result, 1), Broadcast(ConstantR0<float>(&body, 1), {10}));
  Tuple(&body, {iteration, new_vector});
  const auto init = Tuple(&b, {ConstantR0<int>(&b, 0), Broadcast(ConstantR0<float>(&b, 0), {10})});
  While(condition.Build().value(), body.Build().value(), init);
  CHECK(gives(b, {R0<int>(1000), R1<float>({1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000})}));
}

}  // namespace
}  // namespace tenon::test
