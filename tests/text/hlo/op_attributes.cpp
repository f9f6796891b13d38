// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/hlo/op_attributes.hpp>

#include <text/hlo/programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::hlo_programs;

TEST_CASE("movement") {
  check_same(R"(x = f32[2,3] parameter(0)
    zero = f32[] constant(0)
    t = f32[3,2]{0,1} transpose(x), dimensions={1,0}
    r = f32[6] reshape(t)
    b = f32[4,6] broadcast(r), dimensions={1}
    v = f32[4,6] reverse(b), dimensions={0,1}
    s = f32[2,3] slice(v), slice={[1:3], [0:6:2]}
    p = f32[5,7] pad(s, zero), padding=1_2x-1_1_2
    i = s32[5] iota(), iota_dimension=0
    c = f32[4,3] concatenate(s, x), dimensions={0}
    ROOT all = (f32[5,7], s32[5], f32[4,3]) tuple(p, i, c))",
             "%x: tensor<2x3xf32>", "tensor<5x7xf32>, tensor<5xi32>, tensor<4x3xf32>",
             R"(%zero = stablehlo.constant dense<0x00000000> : tensor<f32>
    %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %r = stablehlo.reshape %t : (tensor<3x2xf32>) -> tensor<6xf32>
    %b = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
    %v = stablehlo.reverse %b, dims = [0, 1] : tensor<4x6xf32>
    %s = stablehlo.slice %v [1:3, 0:6:2] : (tensor<4x6xf32>) -> tensor<2x3xf32>
    %p = stablehlo.pad %s, %zero, low = [1, -1], high = [2, 1], interior = [0, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x7xf32>
    %i = stablehlo.iota dim = 0 : tensor<5xi32>
    %c = stablehlo.concatenate %s, %x, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    return %p, %i, %c : tensor<5x7xf32>, tensor<5xi32>, tensor<4x3xf32>)");
}

TEST_CASE("products and windows") {
  check_same(
      R"(a = f32[4,2,3] parameter(0)
    b = f32[4,3,5] parameter(1)
    ROOT d = f32[4,2,5] dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}, operand_precision={highest,highest})",
      "%a: tensor<4x2x3xf32>, %b: tensor<4x3x5xf32>", "tensor<4x2x5xf32>",
      R"(%d = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x2x3xf32>, tensor<4x3x5xf32>) -> tensor<4x2x5xf32>
    return %d : tensor<4x2x5xf32>)");
  check_same(
      R"(x = f32[1,9,8,4] parameter(0)
    k = f32[3,2,2,6] parameter(1)
    ROOT c = f32[1,5,15,6]{3,2,1,0} convolution(x, k), window={size=3x2 stride=2x1 pad=1_1x1_0 lhs_dilate=1x2 rhs_reversal=0x1}, dim_labels=b01f_01io->b01f, feature_group_count=2)",
      "%x: tensor<1x9x8x4xf32>, %k: tensor<3x2x2x6xf32>", "tensor<1x5x15x6xf32>",
      R"(%c = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [1, 0]], lhs_dilate = [1, 2], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x9x8x4xf32>, tensor<3x2x2x6xf32>) -> tensor<1x5x15x6xf32>
    return %c : tensor<1x5x15x6xf32>)");
  check_same(R"(x = f32[6,4] parameter(0)
    zero = f32[] constant(0)
    s = f32[4] reduce(x, zero), dimensions={0}, to_apply=sum
    w = f32[3,4] reduce-window(x, zero), window={size=3x1 stride=2x1 pad=1_0x0_0}, to_apply=sum
    b = f32[6,4] select-and-scatter(x, w, zero), window={size=3x1 stride=2x1 pad=1_0x0_0}, select=at_least, scatter=sum
    ROOT t = (f32[4], f32[6,4]) tuple(s, b))",
             "%x: tensor<6x4xf32>", "tensor<4xf32>, tensor<6x4xf32>",
             R"(%zero = stablehlo.constant dense<0x00000000> : tensor<f32>
    %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6x4xf32>, tensor<f32>) -> tensor<4xf32>
    %w = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}> )" +
                 std::string(stable_sum) + R"( : (tensor<6x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %b = "stablehlo.select_and_scatter"(%x, %w, %zero) <{window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}> ({ ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1> }, )" +
                 std::string(stable_sum).substr(1) +
                 R"( : (tensor<6x4xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<6x4xf32>
    return %s, %b : tensor<4xf32>, tensor<6x4xf32>)");
}

TEST_CASE("lookup, sorting and mathematics of matrices") {
  check_same(
      R"(x = f32[9,4] parameter(0)
    i = s32[3,1] parameter(1)
    u = f32[3,4] parameter(2)
    k = s32[] parameter(3)
    g = f32[3,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}, indices_are_sorted=true
    s = f32[9,4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=sum
    d = f32[2,2] dynamic-slice(s, k, k), dynamic_slice_sizes={2,2}
    e = f32[3,4] dynamic-update-slice(g, d, k, k)
    o = f32[3,4] sort(e), dimensions={1}, is_stable=true, to_apply=less
    m = f32[3,4] map(o, g), dimensions={0,1}, to_apply=sum
    ROOT r = f32[3,4] copy(m))",
      "%x: tensor<9x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>, %k: tensor<i32>", "tensor<3x4xf32>",
      R"(%g = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>, indices_are_sorted = true}> : (tensor<9x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
    %s = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> )" +
          std::string(stable_sum) + R"( : (tensor<9x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
    %d = stablehlo.dynamic_slice %s, %k, %k, sizes = [2, 2] : (tensor<9x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    %e = stablehlo.dynamic_update_slice %g, %d, %k, %k : (tensor<3x4xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    %o = "stablehlo.sort"(%e) <{dimension = 1 : i64, is_stable = true}> ({ ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1> }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %m = "stablehlo.map"(%o, %g) <{dimensions = array<i64: 0, 1>}> )" +
          std::string(stable_sum) + R"( : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    return %m : tensor<3x4xf32>)");
  check_same(R"(a = f32[3,3] parameter(0)
    b = f32[3,2] parameter(1)
    l = f32[3,3] cholesky(a), lower=true
    x = f32[3,2] triangular-solve(l, b), left_side=true, lower=true, transpose_a=TRANSPOSE
    f = c64[3,2] fft(x), fft_type=RFFT, fft_length={2}
    ROOT r = f32[3,2] real(f))",
             "%a: tensor<3x3xf32>, %b: tensor<3x2xf32>", "tensor<3x2xf32>",
             R"(%l = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
    %x = "stablehlo.triangular_solve"(%l, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %f = stablehlo.fft %x, type = RFFT, length = [2] : (tensor<3x2xf32>) -> tensor<3x2xcomplex<f32>>
    %r = stablehlo.real %f : (tensor<3x2xcomplex<f32>>) -> tensor<3x2xf32>
    return %r : tensor<3x2xf32>)");
  check_same(R"(k = u64[2] parameter(0)
    low = f32[] constant(0)
    high = f32[] constant(1)
    r = (u64[2], u32[5]) rng-bit-generator(k), algorithm=rng_three_fry
    s = u64[2] get-tuple-element(r), index=0
    u = f32[4,2] rng(low, high), distribution=rng_uniform
    ROOT t = (u64[2], f32[4,2]) tuple(s, u))",
             "%k: tensor<2xui64>", "tensor<2xui64>, tensor<4x2xf32>",
             R"(%low = stablehlo.constant dense<0x00000000> : tensor<f32>
    %high = stablehlo.constant dense<0x3F800000> : tensor<f32>
    %r:2 = stablehlo.rng_bit_generator %k, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
    %shape = stablehlo.constant dense<[4, 2]> : tensor<2xi64>
    %u = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x2xf32>
    return %r#0, %u : tensor<2xui64>, tensor<4x2xf32>)");
  check_same(
      R"(x = f32[2,5,3] parameter(0)
    s = f32[3] parameter(1)
    o = f32[3] parameter(2)
    b = (f32[2,5,3], f32[3], f32[3]) batch-norm-training(x, s, o), epsilon=0.001, feature_index=2
    ROOT r = f32[2,5,3] get-tuple-element(b), index=0)",
      "%x: tensor<2x5x3xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>", "tensor<2x5x3xf32>",
      R"(%b:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.001 : f32, feature_index = 2 : i64}> : (tensor<2x5x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x5x3xf32>, tensor<3xf32>, tensor<3xf32>)
    return %b#0 : tensor<2x5x3xf32>)");
}

TEST_CASE("collectives, and what comes in two parts") {
  check_same(
      R"(x = f32[4,2] parameter(0)
    r = f32[4,2] all-reduce(x), channel_id=1, replica_groups=[2,2]<=[2,2]T(1,0), use_global_device_ids=true, to_apply=sum
    g0 = (f32[4,2], f32[8,2]) all-gather-start(r), replica_groups={{0,1}}, dimensions={0}
    g = f32[8,2] all-gather-done(g0)
    s = f32[4,2] reduce-scatter(g), replica_groups={{0,1}}, dimensions={0}, to_apply=sum
    p = f32[4,2] collective-permute(s), source_target_pairs={{0,1},{1,0}}
    a = f32[4,2] all-to-all(p), replica_groups={{0,1}}, dimensions={0}
    i = u32[] replica-id()
    j = u32[] partition-id()
    k = u32[] add(i, j)
    ROOT t = (f32[4,2], u32[]) tuple(a, k))",
      "%x: tensor<4x2xf32>", "tensor<4x2xf32>, tensor<ui32>",
      R"(%r = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> )" +
          std::string(stable_sum) + R"( : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %g = "stablehlo.all_gather"(%r) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
    %s = "stablehlo.reduce_scatter"(%g) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> )" +
          std::string(stable_sum) + R"( : (tensor<8x2xf32>) -> tensor<4x2xf32>
    %p = "stablehlo.collective_permute"(%s) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %a = "stablehlo.all_to_all"(%p) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %i = stablehlo.replica_id : tensor<ui32>
    %j = stablehlo.partition_id : tensor<ui32>
    %k = stablehlo.add %i, %j : tensor<ui32>
    return %a, %k : tensor<4x2xf32>, tensor<ui32>)");
  check_same(
      R"(x = f32[1,2] parameter(0)
    r = f32[1,2] all-reduce(x), channel_id=1, replica_groups=mesh['axis_0'=2,'axis_1'=2] {'axis_0'}, use_global_device_ids=true, to_apply=sum
    a = (f32[1,2], f32[1,2]) all-to-all(r, x), replica_groups={{0,1}}
    y = f32[1,2] get-tuple-element(a), index=1
    ROOT t = (f32[1,2], f32[1,2]) tuple(y, r))",
      "%x: tensor<1x2xf32>", "tensor<1x2xf32>, tensor<1x2xf32>",
      R"(%r = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> )" +
          std::string(stable_sum) + R"( : (tensor<1x2xf32>) -> tensor<1x2xf32>
    %c = stablehlo.concatenate %r, %x, dim = 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
    %a = "stablehlo.all_to_all"(%c) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %y = stablehlo.slice %a [1:2, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
    return %y, %r : tensor<1x2xf32>, tensor<1x2xf32>)");
  check_same(
      R"(x = f32[2] parameter(0)
    n = s32[1] parameter(1)
    r = f32[2] collective-reduce(x), replica_groups={{1,0}}, to_apply=sum
    c = f32[2] collective-broadcast(r, n), replica_groups={{0,1}}, has_dynamic_root=true
    ROOT q = f32[2] collective-reduce(c, n), channel_id=1, replica_groups=[1,2]<=[2], use_global_device_ids=true, has_dynamic_root=true, to_apply=sum)",
      "%x: tensor<2xf32>, %n: tensor<1xi32>", "tensor<2xf32>",
      R"(%r = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> )" +
          std::string(stable_sum) + R"( : (tensor<2xf32>) -> tensor<2xf32>
    %c = "stablehlo.collective_broadcast"(%r, %n) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true}> : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
    %q = "stablehlo.collective_reduce"(%c, %n) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids, has_dynamic_root = true}> )" +
          std::string(stable_sum) + R"( : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
    return %q : tensor<2xf32>)");
  check_same(R"(x = f32[3] parameter(0)
    token = token[] after-all()
    in = ((f32[3]), token[]) infeed(token), infeed_config="c"
    data = (f32[3]) get-tuple-element(in), index=0
    y = f32[3] get-tuple-element(data), index=0
    t = token[] get-tuple-element(in), index=1
    out = token[] outfeed(y, t), outfeed_shape=f32[3]{0}
    started = ((f32[3]), f32[3], u32[]) async-start(y), calls=twice
    waited = ((f32[3]), f32[3], u32[]) async-update(started)
    done = f32[3] async-done(waited)
    copied = (f32[3], f32[3], u32[]) copy-start(done)
    z = f32[3] copy-done(copied)
    w = f32[3] custom-call(z), custom_call_target="my\"own", api_version=API_VERSION_STATUS_RETURNING
    ROOT b = f32[3] opt-barrier(w))",
             "%x: tensor<3xf32>", "tensor<3xf32>",
             R"(%token = stablehlo.after_all : !stablehlo.token
    %in:2 = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
    %out = "stablehlo.outfeed"(%in#0, %in#1) : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
    %z = stablehlo.add %in#0, %in#0 : tensor<3xf32>
    %w = stablehlo.custom_call @"my\22own"(%z) : (tensor<3xf32>) -> tensor<3xf32>
    %b = stablehlo.optimization_barrier %w : tensor<3xf32>
    return %b : tensor<3xf32>)");
}

TEST_CASE("typed custom calls: layouts and what they are told") {
  check_same(
      R"(x = f32[2,3,3]{2,1,0} parameter(0)
    y = s32[2] parameter(1)
    f = (f32[2,3,3]{1,2,0}, s32[2,3], /*index=2*/s32[]) custom-call(x, y), custom_call_target="lapack_sgetrf_ffi", operand_layout_constraints={f32[2,3,3]{1,2,0}, s32[2]{0}}, api_version=API_VERSION_TYPED_FFI
    ROOT r = f32[2,3,3] get-tuple-element(f), index=0)",
      "%x: tensor<2x3x3xf32>, %y: tensor<2xi32>", "tensor<2x3x3xf32>",
      R"(%f:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%x, %y) {operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<2x3x3xf32>, tensor<2xi32>) -> (tensor<2x3x3xf32>, tensor<2x3xi32>, tensor<i32>)
    return %f#0 : tensor<2x3x3xf32>)");
  // The dictionary is text, blanks and all.
  const std::string line =
      R"(ROOT f = f32[3] custom-call(x), custom_call_target="own", api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8})";
  CHECK(simplified_text(entry("x = f32[3] parameter(0)\n" + line))
            .find("{backend_config = {uplo = 76 : ui8}, api_version = 4 : i32}") != std::string::npos);
}

TEST_CASE("products in groups, and scans") {
  check_same(
      R"(a = f32[6,4] parameter(0)
    b = f32[3,4,5] parameter(1)
    n = s32[3] parameter(2)
    ROOT d = f32[6,5] ragged-dot(a, b, n), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0})",
      "%a: tensor<6x4xf32>, %b: tensor<3x4x5xf32>, %n: tensor<3xi32>", "tensor<6x5xf32>",
      R"(%d = "chlo.ragged_dot"(%a, %b, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<6x5xf32>
    return %d : tensor<6x5xf32>)");
  const std::string turns = R"(
turn {
  x = f32[3] parameter(0)
  c = f32[3] parameter(1)
  s = f32[3] add(x, c)
  ROOT t = (f32[3], f32[3]) tuple(s, s)
}
)";
  CHECK(simplified_text(turns + entry(R"(x = f32[4,3] parameter(0)
    c = f32[3] parameter(1)
    s = (f32[4,3], f32[3]) scan(x, c), dimensions={0}, num_carries=1, is_reverse=true, to_apply=turn
    ROOT y = f32[4,3] get-tuple-element(s), index=0)")) ==
        simplified_text(R"(func.func @main(%x: tensor<4x3xf32>, %c: tensor<3xf32>) -> tensor<4x3xf32> {
    %y:2 = "chlo.scan"(%x, %c) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
        %s = stablehlo.add %a, %b : tensor<3xf32>
        stablehlo.return %s, %s : tensor<3xf32>, tensor<3xf32>
    }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
    return %y#0 : tensor<4x3xf32> })"));
  CHECK(error_of(turns + entry("x = f32[4,3] parameter(0)\nROOT s = (f32[4,3]) scan(x), dimensions={0}, "
                               "num_carries=2, to_apply=turn")) == "attribute 10:21");
}
