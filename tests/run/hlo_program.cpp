// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <tenon/run/program.hpp>

// HLO as JAX gives it, and what JAX computes with it.
using namespace tenon;

namespace {

// softmax(tanh(x @ w) + sum(x, 1)): what XLA's passes made of it, with fusions.
struct layer {
  static constexpr std::string_view text =
      R"(HloModule jit_layer, is_scheduled=true, entry_computation_layout={(f32[2,3]{1,0})->f32[2,4]{1,0}}, allow_spmd_sharding_propagation_to_parameters={true}, allow_spmd_sharding_propagation_to_output={true}

FileNames
1 "layer.py"

FunctionNames
1 "<module>"
2 "text"
3 "layer"

FileLocations
1 {file_name_id=1 function_name_id=1 line=17 end_line=17 column=6 end_column=19}
2 {file_name_id=1 function_name_id=2 line=6 end_line=6 column=8 end_column=28}
3 {file_name_id=1 function_name_id=3 line=15 end_line=15 column=50 end_column=72}
4 {file_name_id=1 function_name_id=3 line=15 end_line=15 column=21 end_column=73}
5 {file_name_id=1 function_name_id=3 line=15 end_line=15 column=45 end_column=48}
6 {file_name_id=1 function_name_id=3 line=15 end_line=15 column=36 end_column=49}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}
3 {file_location_id=3 parent_frame_id=3}
4 {file_location_id=4 parent_frame_id=3}
5 {file_location_id=5 parent_frame_id=3}
6 {file_location_id=6 parent_frame_id=3}


%fused_computation (param_0: f32[2,4], param_1.1: f32[2]) -> f32[2,4] {
  %param_0 = f32[2,4]{1,0} parameter(0)
  %param_1.1 = f32[2]{0} parameter(1)
  %broadcast.5 = f32[2,4]{1,0} broadcast(%param_1.1), dimensions={0}, metadata={op_name="jit(layer)/div" stack_frame_id=4}
  ROOT %multiply.1 = f32[2,4]{1,0} multiply(%param_0, %broadcast.5), metadata={op_name="jit(layer)/div" stack_frame_id=4}
}

%region_2.3 (reduce_sum.10: f32[], reduce_sum.11: f32[]) -> f32[] {
  %reduce_sum.10 = f32[] parameter(0), metadata={op_name="reduce_sum"}
  %reduce_sum.11 = f32[] parameter(1), metadata={op_name="reduce_sum"}
  ROOT %reduce_sum.12 = f32[] add(%reduce_sum.10, %reduce_sum.11), metadata={op_name="jit(layer)/reduce_sum" stack_frame_id=4}
}

%fused_computation.1 (param_0.2: f32[2,4]) -> f32[2] {
  %constant.1 = f32[] constant(1), metadata={op_name="jit(layer)/div" stack_frame_id=4}
  %broadcast.6 = f32[2]{0} broadcast(%constant.1), dimensions={}, metadata={op_name="jit(layer)/div" stack_frame_id=4}
  %param_0.2 = f32[2,4]{1,0} parameter(0)
  %constant.2 = f32[] constant(0)
  %reduce_sum.0 = f32[2]{0} reduce(%param_0.2, %constant.2), dimensions={1}, to_apply=%region_2.3, metadata={op_name="jit(layer)/reduce_sum" stack_frame_id=4}
  ROOT %divide.1 = f32[2]{0} divide(%broadcast.6, %reduce_sum.0), metadata={op_name="jit(layer)/div" stack_frame_id=4}
}

%fused_computation.2 (param_0.5: f32[2], param_1.7: f32[2,4], param_2.3: f32[2]) -> f32[2,4] {
  %param_1.7 = f32[2,4]{1,0} parameter(1)
  %param_2.3 = f32[2]{0} parameter(2)
  %add.1 = f32[2,4]{1,0} broadcast(%param_2.3), dimensions={0}, metadata={op_name="jit(layer)/add" stack_frame_id=6}
  %add.0 = f32[2,4]{1,0} add(%param_1.7, %add.1), metadata={op_name="jit(layer)/add" stack_frame_id=6}
  %param_0.5 = f32[2]{0} parameter(0)
  %sub.1 = f32[2,4]{1,0} broadcast(%param_0.5), dimensions={0}, metadata={op_name="jit(layer)/sub" stack_frame_id=4}
  %sub.0 = f32[2,4]{1,0} subtract(%add.0, %sub.1), metadata={op_name="jit(layer)/sub" stack_frame_id=4}
  ROOT %exp.0 = f32[2,4]{1,0} exponential(%sub.0), metadata={op_name="jit(layer)/exp" stack_frame_id=4}
}

%region_1.2 (reduce_max.3: f32[], reduce_max.4: f32[]) -> f32[] {
  %reduce_max.3 = f32[] parameter(0), metadata={op_name="reduce_max"}
  %reduce_max.4 = f32[] parameter(1), metadata={op_name="reduce_max"}
  ROOT %reduce_max.5 = f32[] maximum(%reduce_max.3, %reduce_max.4), metadata={op_name="jit(layer)/reduce_max" stack_frame_id=4}
}

%fused_computation.3 (param_0.8: f32[2,4], param_1.11: f32[2]) -> f32[2] {
  %param_0.8 = f32[2,4]{1,0} parameter(0)
  %param_1.11 = f32[2]{0} parameter(1)
  %add.3 = f32[2,4]{1,0} broadcast(%param_1.11), dimensions={0}, metadata={op_name="jit(layer)/add" stack_frame_id=6}
  %add.2 = f32[2,4]{1,0} add(%param_0.8, %add.3), metadata={op_name="jit(layer)/add" stack_frame_id=6}
  %constant.3 = f32[] constant(-inf)
  ROOT %reduce_max.0 = f32[2]{0} reduce(%add.2, %constant.3), dimensions={1}, to_apply=%region_1.2, metadata={op_name="jit(layer)/reduce_max" stack_frame_id=4}
}

%wrapped_tanh_computation (param_0.9: f32[2,4]) -> f32[2,4] {
  %param_0.9 = f32[2,4]{1,0} parameter(0)
  ROOT %tanh.0 = f32[2,4]{1,0} tanh(%param_0.9), metadata={op_name="jit(layer)/tanh" stack_frame_id=6}
}

%region_0.1 (reduce_sum.3: f32[], reduce_sum.4: f32[]) -> f32[] {
  %reduce_sum.3 = f32[] parameter(0), metadata={op_name="reduce_sum"}
  %reduce_sum.4 = f32[] parameter(1), metadata={op_name="reduce_sum"}
  ROOT %reduce_sum.5 = f32[] add(%reduce_sum.3, %reduce_sum.4), metadata={op_name="jit(layer)/reduce_sum" stack_frame_id=3}
}

%wrapped_reduce_computation (param_0.10: f32[2,3], param_1.12: f32[]) -> f32[2] {
  %param_0.10 = f32[2,3]{1,0} parameter(0)
  %param_1.12 = f32[] parameter(1)
  ROOT %reduce_sum.1 = f32[2]{0} reduce(%param_0.10, %param_1.12), dimensions={1}, to_apply=%region_0.1, metadata={op_name="jit(layer)/reduce_sum" stack_frame_id=3}
}

ENTRY %main.4 (x.1: f32[2,3]) -> f32[2,4] {
  %x.1 = f32[2,3]{1,0} parameter(0), metadata={op_name="x"}
  %constant.6 = f32[] constant(0)
  %constant.7 = f32[3,4]{1,0} constant({ { 1, 0, 2, -1 }, { 0.5, 1, -1, 0 }, { 2, -0.5, 0.25, 1 } })
  %wrapped_reduce = f32[2]{0} fusion(%x.1, %constant.6), kind=kLoop, calls=%wrapped_reduce_computation, metadata={op_name="jit(layer)/reduce_sum" stack_frame_id=3}
  %dot_general.1 = f32[2,4]{1,0} dot(%x.1, %constant.7), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,highest}, metadata={op_name="jit(layer)/dot_general" stack_frame_id=5}
  %wrapped_tanh = f32[2,4]{1,0} fusion(%dot_general.1), kind=kLoop, calls=%wrapped_tanh_computation, metadata={op_name="jit(layer)/tanh" stack_frame_id=6}
  %add_reduce_fusion = f32[2]{0} fusion(%wrapped_tanh, %wrapped_reduce), kind=kLoop, calls=%fused_computation.3, metadata={op_name="jit(layer)/reduce_max" stack_frame_id=4}
  %subtract_exponential_fusion = f32[2,4]{1,0} fusion(%add_reduce_fusion, %wrapped_tanh, %wrapped_reduce), kind=kLoop, calls=%fused_computation.2, metadata={op_name="jit(layer)/exp" stack_frame_id=4}
  %reduce_divide_fusion = f32[2]{0} fusion(%subtract_exponential_fusion), kind=kLoop, calls=%fused_computation.1, metadata={op_name="jit(layer)/div" stack_frame_id=4}
  ROOT %broadcast_multiply_fusion = f32[2,4]{1,0} fusion(%subtract_exponential_fusion, %reduce_divide_fusion), kind=kLoop, calls=%fused_computation, metadata={op_name="jit(layer)/div" stack_frame_id=4}
}
)";
};

// while i < n: y = y * 0.5 + 1 if i is even, else -y; t[i] = y[0].
struct steps {
  static constexpr std::string_view text =
      R"(HloModule jit_steps, entry_computation_layout={(f32[3]{0}, s32[])->(s32[], f32[3]{0}, f32[5]{0})}

_where.1 {
  Arg_0.2 = pred[] parameter(0)
  Arg_1.2 = s32[] parameter(1)
  Arg_2.1 = s32[] parameter(2)
  ROOT select_n.1 = s32[] select(Arg_0.2, Arg_1.2, Arg_2.1)
}

remainder.2 {
  Arg_0.3 = s32[] parameter(0)
  Arg_1.3 = s32[] parameter(1)
  constant.9 = s32[] constant(0)
  eq.1 = pred[] compare(Arg_1.3, constant.9), direction=EQ
  constant.8 = s32[] constant(1)
  jit__where_.1 = s32[] call(eq.1, constant.8, Arg_1.3), to_apply=_where.1
  rem.1 = s32[] remainder(Arg_0.3, jit__where_.1)
  lt.2 = pred[] compare(rem.1, constant.9), direction=LT
  lt.3 = pred[] compare(jit__where_.1, constant.9), direction=LT
  ne.3 = pred[] compare(lt.2, lt.3), direction=NE
  ne.2 = pred[] compare(rem.1, constant.9), direction=NE
  and.1 = pred[] and(ne.3, ne.2)
  add.1 = s32[] add(rem.1, jit__where_.1)
  ROOT select_n.3 = s32[] select(and.1, add.1, rem.1)
}

region_1.3 {
  while.1 = f32[3]{0} parameter(0)
  ROOT neg.1 = f32[3]{0} negate(while.1)
}

region_2.4 {
  while.3 = f32[3]{0} parameter(0)
  constant.13 = f32[] constant(0.5)
  broadcast.4 = f32[3]{0} broadcast(constant.13), dimensions={}
  mul.1 = f32[3]{0} multiply(while.3, broadcast.4)
  constant.12 = f32[] constant(1)
  broadcast.3 = f32[3]{0} broadcast(constant.12), dimensions={}
  ROOT add.3 = f32[3]{0} add(mul.1, broadcast.3)
}

region_3.5 {
  scatter.2 = f32[] parameter(0)
  ROOT scatter.3 = f32[] parameter(1)
}

region_0.6 {
  arg_tuple.1 = (s32[], f32[3]{0}, f32[5]{0}, s32[]) parameter(0)
  get-tuple-element.4 = s32[] get-tuple-element(arg_tuple.1), index=0
  constant.15 = s32[] constant(1)
  add.6 = s32[] add(get-tuple-element.4, constant.15)
  constant.17 = s32[] constant(2)
  jit_remainder_.1 = s32[] call(get-tuple-element.4, constant.17), to_apply=remainder.2
  constant.16 = s32[] constant(0)
  eq.3 = pred[] compare(jit_remainder_.1, constant.16), direction=EQ
  convert_element_type.1 = s32[] convert(eq.3)
  get-tuple-element.5 = f32[3]{0} get-tuple-element(arg_tuple.1), index=1
  cond.1 = f32[3]{0} conditional(convert_element_type.1, get-tuple-element.5, get-tuple-element.5), branch_computations={region_1.3, region_2.4}
  get-tuple-element.6 = f32[5]{0} get-tuple-element(arg_tuple.1), index=2
  lt.5 = pred[] compare(get-tuple-element.4, constant.16), direction=LT
  constant.14 = s32[] constant(5)
  add.7 = s32[] add(get-tuple-element.4, constant.14)
  select_n.5 = s32[] select(lt.5, add.7, get-tuple-element.4)
  broadcast_in_dim.1 = s32[1]{0} reshape(select_n.5)
  slice.1 = f32[1]{0} slice(cond.1), slice={[0:1]}
  squeeze.1 = f32[] reshape(slice.1)
  scatter.5 = f32[5]{0} scatter(get-tuple-element.6, broadcast_in_dim.1, squeeze.1), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, indices_are_sorted=true, unique_indices=true, to_apply=region_3.5
  get-tuple-element.7 = s32[] get-tuple-element(arg_tuple.1), index=3
  ROOT tuple.1 = (s32[], f32[3]{0}, f32[5]{0}, s32[]) tuple(add.6, cond.1, scatter.5, get-tuple-element.7)
}

region_4.7 {
  arg_tuple.3 = (s32[], f32[3]{0}, f32[5]{0}, s32[]) parameter(0)
  get-tuple-element.13 = f32[3]{0} get-tuple-element(arg_tuple.3), index=1
  get-tuple-element.14 = f32[5]{0} get-tuple-element(arg_tuple.3), index=2
  get-tuple-element.12 = s32[] get-tuple-element(arg_tuple.3), index=0
  get-tuple-element.15 = s32[] get-tuple-element(arg_tuple.3), index=3
  ROOT lt.7 = pred[] compare(get-tuple-element.12, get-tuple-element.15), direction=LT
}

ENTRY main.8 {
  constant.18 = s32[] constant(0)
  x.1 = f32[3]{0} parameter(0)
  constant.19 = f32[] constant(0)
  broadcast.5 = f32[5]{0} broadcast(constant.19), dimensions={}
  n.1 = s32[] parameter(1)
  while.9 = (s32[], f32[3]{0}, f32[5]{0}, s32[]) tuple(constant.18, x.1, broadcast.5, n.1)
  while.10 = (s32[], f32[3]{0}, f32[5]{0}, s32[]) while(while.9), condition=region_4.7, body=region_0.6
  while.11 = s32[] get-tuple-element(while.10), index=0
  while.12 = f32[3]{0} get-tuple-element(while.10), index=1
  while.13 = f32[5]{0} get-tuple-element(while.10), index=2
  ROOT tuple.3 = (s32[], f32[3]{0}, f32[5]{0}) tuple(while.11, while.12, while.13)
}
)";
};

}  // namespace

TEST_CASE("a program of HLO text runs: fusions") {
  const tensor<f32, 2, 3> x{{1, -2, 0.5}, {0.25, 3, -1}};
  const f32 expected[2][4] = {{0.36519211f, 0.06412300f, 0.46326858f, 0.10741632f},
                              {0.18224522f, 0.63172221f, 0.08635027f, 0.09968229f}};
  const auto [y] = program<layer>{}(x);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) CHECK(y(i, j) == doctest::Approx(expected[i][j]).epsilon(1e-6));
}

TEST_CASE("a program of HLO text runs: loops, branches and updates") {
  const tensor<f32, 3> x{8, -4, 2};
  const auto [i, y, t] = program<steps>{}(x, tensor<i32>(4));
  CHECK(i() == 4);
  const f32 values[] = {1.5f, -1.5f, 0}, first[] = {5, -5, -1.5f, 1.5f, 0};
  for (int k = 0; k < 3; ++k) CHECK(y(k) == values[k]);
  for (int k = 0; k < 5; ++k) CHECK(t(k) == first[k]);
}

TEST_CASE("the same literal as StableHLO") {
  using net = TENON_PROGRAM(R"(
    x = f32[2,2] parameter(0)
    w = f32[2,2] constant({ { 1, 2 }, { 3, 4 } })
    ROOT y = f32[2,2] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  )");
  const auto [y] = net{}(tensor<f32, 2, 2>{{1, 0}, {1, 1}});
  CHECK(y(0, 0) == 1);
  CHECK(y(1, 1) == 6);
}

TEST_CASE("a float is rounded by random bits, in a program of one line") {
  using rounded = TENON_PROGRAM(
      "x = f32[8] parameter(0) r = u32[8] parameter(1) ROOT y = s8[8] stochastic-convert(x, r), "
      "metadata={op_name=\"y\"}");
  const f32 most = std::numeric_limits<f32>::infinity(), no_number = std::numeric_limits<f32>::quiet_NaN();
  const tensor<ui32, 8> halves{0x3FFFFFFF, 0x40000000, 0x3FFFFFFF, 0x40000000, 0, 0xFFFFFFFF, 0, 0};
  const auto [y] = rounded{}(tensor<f32, 8>{2.25f, 2.25f, -2.25f, -2.25f, 126.5f, -most, 1e9f, no_number}, halves);
  const i8 wanted[] = {3, 2, -3, -2, 127, -128, 127, 0};
  for (int k = 0; k < 8; ++k) CHECK(y(k) == wanted[k]);
}
