// SPDX-License-Identifier: Apache-2.0
//
// Ops on tensors without elements, every dimension empty in turn: read at run time, and known while compiling, they
// give to the last bit what the ops' references give. Arguments and results are no larger than they have to be, for
// the address sanitizer to see who reads or writes beside them, and those without elements are null.
#include <tenon/kernels/table.hpp>
#include <tenon/run/program.hpp>

#include <shared/shared_program.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::planning;
using namespace tenon::kernels;

namespace {

// An op, which gives %r, and the type of that. $A, $B and $C stand for sizes, other letters for sizes that depend on
// them, ~ for the number of the op.
struct swept {
  std::string_view op, result;
};

constexpr std::string_view arguments =
    "%x: tensor<$Ax$Bx$Cxf32>, %y: tensor<$Ax$Bx$Cxf32>, %m: tensor<$Ax$Cx$Bxf32>, %q: tensor<$Ax$Bx$Bxf32>, "
    "%u: tensor<$Bx$Cxf32>, %w: tensor<4x9x5xf32>, %v: tensor<4x$Bx$Cxf32>, %i: tensor<i32>, %j: tensor<$Cx1xi32>, "
    "%c: tensor<$Cxf32>, %k: tensor<2x$Cx2xf32>, %p: tensor<i1>, %z: tensor<$Ax$Bx8xcomplex<f32>>, "
    "%t: tensor<$Cx$Bx$Cxf32>, %s: tensor<2xui64>, %o: tensor<f32>";
#define TENON_TEST_X "tensor<$Ax$Bx$Cxf32>"
#define TENON_TEST_ADD                                                                                           \
  "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%e = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %e : " \
  "tensor<f32>\n}) "
// Nobody sees that it is a sum.
#define TENON_TEST_SUM                                                                     \
  "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%e = stablehlo.add %a, %b : tensor<f32>\n" \
  "%f = stablehlo.maximum %e, %e : tensor<f32>\nstablehlo.return %f : tensor<f32>\n}) "
#define TENON_TEST_LESS                                                                                             \
  "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%e = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> " \
  "tensor<i1>\nstablehlo.return %e : tensor<i1>\n}) "
#define TENON_TEST_WINDOWS(body, sizes, padding, result)                                              \
  {"%r~ = \"stablehlo.reduce_window\"(%x, %o) " body "{window_dimensions = array<i64: " sizes         \
   ">, padding = dense<" padding "> : tensor<3x2xi64>} : (" TENON_TEST_X ", tensor<f32>) -> " result, \
   result}
#define TENON_TEST_FOLD(body, axes, result)                                                          \
  {"%r~ = \"stablehlo.reduce\"(%x, %o) " body "{dimensions = array<i64: " axes ">} : (" TENON_TEST_X \
   ", tensor<f32>) -> " result,                                                                      \
   result}
#define TENON_TEST_SORT(along)                                                                      \
  {"%r~ = \"stablehlo.sort\"(%x) " TENON_TEST_LESS "{dimension = " along " : i64} : (" TENON_TEST_X \
   ") -> " TENON_TEST_X,                                                                            \
   TENON_TEST_X}

constexpr swept all_swept[] = {
    {"%r~ = stablehlo.add %x, %y : " TENON_TEST_X, TENON_TEST_X},
    {"%r~ = stablehlo.exponential %x : " TENON_TEST_X, TENON_TEST_X},
    {"%n~ = stablehlo.compare LT, %x, %y : (" TENON_TEST_X ", " TENON_TEST_X
     ") -> tensor<$Ax$Bx$Cxi1>\n%r~ = stablehlo.select %n~, %x, %y : tensor<$Ax$Bx$Cxi1>, " TENON_TEST_X,
     TENON_TEST_X},
    {"%r~ = stablehlo.iota dim = 1 : tensor<$Ax$Bx$Cxi32>", "tensor<$Ax$Bx$Cxi32>"},
    {"%r~ = stablehlo.transpose %x, dims = [2, 0, 1] : (" TENON_TEST_X ") -> tensor<$Cx$Ax$Bxf32>",
     "tensor<$Cx$Ax$Bxf32>"},
    {"%r~ = stablehlo.reverse %x, dims = [0, 2] : " TENON_TEST_X, TENON_TEST_X},
    {"%r~ = stablehlo.reshape %x : (" TENON_TEST_X ") -> tensor<$Lx$Cxf32>", "tensor<$Lx$Cxf32>"},
    {"%r~ = stablehlo.broadcast_in_dim %u, dims = [1, 2] : (tensor<$Bx$Cxf32>) -> " TENON_TEST_X, TENON_TEST_X},
    {"%r~ = stablehlo.concatenate %x, %v, dim = 0 : (" TENON_TEST_X ", tensor<4x$Bx$Cxf32>) -> tensor<$Gx$Bx$Cxf32>",
     "tensor<$Gx$Bx$Cxf32>"},
    {"%r~ = stablehlo.concatenate %x, %y, %x, dim = 2 : (" TENON_TEST_X ", " TENON_TEST_X ", " TENON_TEST_X
     ") -> tensor<$Ax$Bx$Hxf32>",
     "tensor<$Ax$Bx$Hxf32>"},
    {"%r~ = stablehlo.pad %x, %o, low = [1, 0, 2], high = [0, 1, 1], interior = [1, 0, 1] : (" TENON_TEST_X
     ", tensor<f32>) -> tensor<$Ix$Jx$Kxf32>",
     "tensor<$Ix$Jx$Kxf32>"},
    {"%r~ = stablehlo.dynamic_slice %x, %i, %i, %i, sizes = [$A, $B, $C] : (" TENON_TEST_X
     ", tensor<i32>, tensor<i32>, tensor<i32>) -> " TENON_TEST_X,
     TENON_TEST_X},
    {"%r~ = stablehlo.dynamic_update_slice %w, %x, %i, %i, %i : (tensor<4x9x5xf32>, " TENON_TEST_X
     ", tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x9x5xf32>",
     "tensor<4x9x5xf32>"},
    {"%r~ = \"stablehlo.gather\"(%x, %j) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3], "
     "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: $A, $B, $C>} : (" TENON_TEST_X
     ", tensor<$Cx1xi32>) -> tensor<$Cx$Ax$Bx$Cxf32>",
     "tensor<$Cx$Ax$Bx$Cxf32>"},
    {"%r~ = \"stablehlo.scatter\"(%x, %j, %t) " TENON_TEST_ADD
     "{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], "
     "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (" TENON_TEST_X
     ", tensor<$Cx1xi32>, tensor<$Cx$Bx$Cxf32>) -> " TENON_TEST_X,
     TENON_TEST_X},
    {"%r~ = \"stablehlo.scatter\"(%x, %j, %t) " TENON_TEST_SUM
     "{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], "
     "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (" TENON_TEST_X
     ", tensor<$Cx1xi32>, tensor<$Cx$Bx$Cxf32>) -> " TENON_TEST_X,
     TENON_TEST_X},
    TENON_TEST_FOLD(TENON_TEST_ADD, "0", "tensor<$Bx$Cxf32>"),
    TENON_TEST_FOLD(TENON_TEST_ADD, "1", "tensor<$Ax$Cxf32>"),
    TENON_TEST_FOLD(TENON_TEST_ADD, "2", "tensor<$Ax$Bxf32>"),
    TENON_TEST_FOLD(TENON_TEST_ADD, "0, 2", "tensor<$Bxf32>"),
    TENON_TEST_FOLD(TENON_TEST_ADD, "0, 1, 2", "tensor<f32>"),
    TENON_TEST_FOLD(TENON_TEST_SUM, "0", "tensor<$Bx$Cxf32>"),
    TENON_TEST_FOLD(TENON_TEST_SUM, "2", "tensor<$Ax$Bxf32>"),
    TENON_TEST_FOLD(TENON_TEST_SUM, "0, 1", "tensor<$Cxf32>"),
    // Sums up to each element, and from each one on.
    TENON_TEST_WINDOWS(TENON_TEST_ADD, "9, 1, 1", "[[8, 0], [0, 0], [0, 0]]", TENON_TEST_X),
    TENON_TEST_WINDOWS(TENON_TEST_ADD, "1, 9, 1", "[[0, 0], [8, 0], [0, 0]]", TENON_TEST_X),
    TENON_TEST_WINDOWS(TENON_TEST_ADD, "1, 9, 1", "[[0, 0], [0, 8], [0, 0]]", TENON_TEST_X),
    TENON_TEST_WINDOWS(TENON_TEST_ADD, "1, 1, 9", "[[0, 0], [0, 0], [0, 8]]", TENON_TEST_X),
    TENON_TEST_WINDOWS(TENON_TEST_SUM, "1, 9, 1", "[[0, 0], [8, 0], [0, 0]]", TENON_TEST_X),
    // Windows over padding alone.
    TENON_TEST_WINDOWS(TENON_TEST_ADD, "1, 9, 1", "[[0, 0], [9, 8], [0, 0]]", "tensor<$Ax$Ex$Cxf32>"),
    TENON_TEST_WINDOWS(TENON_TEST_ADD, "1, 9, 1", "[[0, 0], [0, 17], [0, 0]]", "tensor<$Ax$Ex$Cxf32>"),
    TENON_TEST_WINDOWS(TENON_TEST_ADD, "1, 2, 1", "[[0, 0], [4, 5], [0, 0]]", "tensor<$Ax$Dx$Cxf32>"),
    TENON_TEST_WINDOWS(TENON_TEST_ADD, "2, 2, 2", "[[1, 0], [0, 1], [0, 1]]", TENON_TEST_X),
    TENON_TEST_WINDOWS(TENON_TEST_SUM, "2, 2, 2", "[[1, 0], [0, 1], [0, 1]]", TENON_TEST_X),
    TENON_TEST_WINDOWS(TENON_TEST_SUM, "1, 2, 1", "[[0, 0], [4, 5], [0, 0]]", "tensor<$Ax$Dx$Cxf32>"),
    {"%r~ = \"stablehlo.select_and_scatter\"(%x, %y, %o) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%e = "
     "stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\nstablehlo.return %e : tensor<i1>\n}, "
     "{\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%e = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %e : "
     "tensor<f32>\n}) {window_dimensions = array<i64: 1, 2, 1>, window_strides = array<i64: 1, 1, 1>, padding = "
     "dense<[[0, 0], [1, 0], [0, 0]]> : tensor<3x2xi64>} : (" TENON_TEST_X ", " TENON_TEST_X
     ", tensor<f32>) -> " TENON_TEST_X,
     TENON_TEST_X},
    TENON_TEST_SORT("0"),
    TENON_TEST_SORT("1"),
    TENON_TEST_SORT("2"),
    {"%r~, %g~ = \"chlo.scan\"(%x, %u) ({\n^bb0(%a: tensor<$Bx$Cxf32>, %b: tensor<$Bx$Cxf32>):\n%e = stablehlo.add %a, "
     "%b : tensor<$Bx$Cxf32>\nstablehlo.return %e, %e : tensor<$Bx$Cxf32>, tensor<$Bx$Cxf32>\n}) {dimension = 0 : i64, "
     "operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (" TENON_TEST_X
     ", tensor<$Bx$Cxf32>) -> (" TENON_TEST_X ", tensor<$Bx$Cxf32>)",
     TENON_TEST_X},
    {"%g~, %r~ = \"chlo.scan\"(%x, %u) ({\n^bb0(%a: tensor<$Bx$Cxf32>, %b: tensor<$Bx$Cxf32>):\n%e = stablehlo.add %b, "
     "%a : tensor<$Bx$Cxf32>\nstablehlo.return %e, %e : tensor<$Bx$Cxf32>, tensor<$Bx$Cxf32>\n}) {dimension = 0 : i64, "
     "operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (" TENON_TEST_X
     ", tensor<$Bx$Cxf32>) -> (" TENON_TEST_X ", tensor<$Bx$Cxf32>)",
     "tensor<$Bx$Cxf32>"},
    {"%r~ = \"stablehlo.map\"(%x, %y) " TENON_TEST_SUM "{dimensions = array<i64: 0, 1, 2>} : (" TENON_TEST_X
     ", " TENON_TEST_X ") -> " TENON_TEST_X,
     TENON_TEST_X},
    {"%r~, %g~ = chlo.top_k(%x, k = $C) : " TENON_TEST_X " -> (" TENON_TEST_X ", tensor<$Ax$Bx$Cxi32>)", TENON_TEST_X},
    {"%r~ = stablehlo.dot_general %x, %m, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (" TENON_TEST_X
     ", tensor<$Ax$Cx$Bxf32>) -> tensor<$Ax$Bx$Bxf32>",
     "tensor<$Ax$Bx$Bxf32>"},
    {"%r~ = stablehlo.dot_general %x, %v, contracting_dims = [1, 2] x [1, 2] : (" TENON_TEST_X
     ", tensor<4x$Bx$Cxf32>) -> tensor<$Ax4xf32>",
     "tensor<$Ax4xf32>"},
    {"%r~ = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 0]]} "
     "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (" TENON_TEST_X
     ", tensor<2x$Cx2xf32>) -> tensor<$Ax$Bx2xf32>",
     "tensor<$Ax$Bx2xf32>"},
    {"%r~ = stablehlo.fft %z, type = FFT, length = [8] : (tensor<$Ax$Bx8xcomplex<f32>>) -> "
     "tensor<$Ax$Bx8xcomplex<f32>>",
     "tensor<$Ax$Bx8xcomplex<f32>>"},
    {"%r~ = stablehlo.cholesky %q, lower = true : tensor<$Ax$Bx$Bxf32>", "tensor<$Ax$Bx$Bxf32>"},
    {"%r~ = \"stablehlo.triangular_solve\"(%q, %x) {left_side = true, lower = true, unit_diagonal = false, "
     "transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<$Ax$Bx$Bxf32>, " TENON_TEST_X ") -> " TENON_TEST_X,
     TENON_TEST_X},
    {"%r~ = \"stablehlo.batch_norm_inference\"(%x, %c, %c, %c, %c) {epsilon = 0.5 : f32, feature_index = 2 : i64} : "
     "(" TENON_TEST_X ", tensor<$Cxf32>, tensor<$Cxf32>, tensor<$Cxf32>, tensor<$Cxf32>) -> " TENON_TEST_X,
     TENON_TEST_X},
    {"%r~:3 = \"stablehlo.batch_norm_training\"(%x, %c, %c) {epsilon = 0.5 : f32, feature_index = 2 : i64} : "
     "(" TENON_TEST_X ", tensor<$Cxf32>, tensor<$Cxf32>) -> (" TENON_TEST_X ", tensor<$Cxf32>, tensor<$Cxf32>)",
     TENON_TEST_X},
    {"%g~, %r~ = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, "
     "tensor<$Ax$Bx$Cxui32>)",
     "tensor<$Ax$Bx$Cxui32>"},
    {"%r~ = \"stablehlo.if\"(%p) ({\nstablehlo.return %x : " TENON_TEST_X
     "\n}, {\n%e = stablehlo.negate %x : " TENON_TEST_X "\nstablehlo.return %e : " TENON_TEST_X
     "\n}) : (tensor<i1>) -> " TENON_TEST_X,
     TENON_TEST_X},
    {"%r~ = stablehlo.slice %x [0:$A, 0:$B:2, 0:$C] : (" TENON_TEST_X ") -> tensor<$Ax$Mx$Cxf32>",
     "tensor<$Ax$Mx$Cxf32>"},
    {"%r~ = stablehlo.clamp %o, %x, %o : (tensor<f32>, " TENON_TEST_X ", tensor<f32>) -> " TENON_TEST_X, TENON_TEST_X},
    {"%r~ = stablehlo.convert %x : (" TENON_TEST_X ") -> tensor<$Ax$Bx$Cxi32>", "tensor<$Ax$Bx$Cxi32>"},
    {"%r~ = stablehlo.bitcast_convert %x : (" TENON_TEST_X ") -> tensor<$Ax$Bx$Cxi32>", "tensor<$Ax$Bx$Cxi32>"},
    {"%r~ = stablehlo.reduce_precision %x, format = e5m2 : " TENON_TEST_X, TENON_TEST_X},
    {"%r~, %g~ = \"stablehlo.reduce\"(%x, %y, %o, %o) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>, %d: tensor<f32>, %l: "
     "tensor<f32>):\n%e = stablehlo.add %a, %d : tensor<f32>\n%f = stablehlo.maximum %b, %l : "
     "tensor<f32>\nstablehlo.return %e, %f : tensor<f32>, tensor<f32>\n}) {dimensions = array<i64: 1>} : (" TENON_TEST_X
     ", " TENON_TEST_X ", tensor<f32>, tensor<f32>) -> (tensor<$Ax$Cxf32>, tensor<$Ax$Cxf32>)",
     "tensor<$Ax$Cxf32>"},
    {"%g~, %r~ = \"stablehlo.sort\"(%x, %y) ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>, %d: tensor<f32>, %l: "
     "tensor<f32>):\n%e = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\nstablehlo.return %e "
     ": "
     "tensor<i1>\n}) {dimension = 1 : i64} : (" TENON_TEST_X ", " TENON_TEST_X ") -> (" TENON_TEST_X ", " TENON_TEST_X
     ")",
     TENON_TEST_X},
    {"%g~, %r~ = \"stablehlo.while\"(%o, %x) ({\n^bb0(%a: tensor<f32>, %b: " TENON_TEST_X
     "):\n%d = stablehlo.constant dense<9.0> : tensor<f32>\n%e = stablehlo.compare LT, %a, %d : (tensor<f32>, "
     "tensor<f32>) -> tensor<i1>\nstablehlo.return %e : tensor<i1>\n}, {\n^bb0(%a: tensor<f32>, %b: " TENON_TEST_X
     "):\n%d = stablehlo.constant dense<4.0> : tensor<f32>\n%e = stablehlo.add %a, %d : tensor<f32>\n%f = "
     "stablehlo.add %b, %b : " TENON_TEST_X "\nstablehlo.return %e, %f : tensor<f32>, " TENON_TEST_X
     "\n}) : (tensor<f32>, " TENON_TEST_X ") -> (tensor<f32>, " TENON_TEST_X ")",
     TENON_TEST_X},
    {"%r~ = \"stablehlo.case\"(%i) ({\nstablehlo.return %x : " TENON_TEST_X
     "\n}, {\n%e = stablehlo.negate %x : " TENON_TEST_X "\nstablehlo.return %e : " TENON_TEST_X
     "\n}) : (tensor<i32>) -> " TENON_TEST_X,
     TENON_TEST_X},
    {"%r~, %g~, %h~ = \"stablehlo.batch_norm_grad\"(%x, %c, %c, %c, %y) {epsilon = 0.5 : f32, feature_index = 2 : i64} "
     ": "
     "(" TENON_TEST_X ", tensor<$Cxf32>, tensor<$Cxf32>, tensor<$Cxf32>, " TENON_TEST_X ") -> (" TENON_TEST_X
     ", tensor<$Cxf32>, tensor<$Cxf32>)",
     TENON_TEST_X},
};
constexpr int swept_count = int(std::size(all_swept));

struct sizes {
  int a, b, c;

  constexpr int of(char letter) const {
    const auto spaced = [](int size) { return size + (size > 0 ? size - 1 : 0); };
    switch (letter) {
      case 'A':
        return a;
      case 'B':
        return b;
      case 'C':
        return c;
      case 'D':
        return b + 8;
      case 'E':
        return b + 9;
      case 'G':
        return a + 4;
      case 'H':
        return 3 * c;
      case 'I':
        return 1 + spaced(a);
      case 'J':
        return b + 1;
      case 'K':
        return 3 + spaced(c);
      case 'M':
        return (b + 1) / 2;
      default:
        return a * b;
    }
  }
};

struct written {
  char at[60000]{};
  int size = 0;

  constexpr void number(int value) {
    if (value >= 10) number(value / 10);
    at[size++] = char('0' + value % 10);
  }
  constexpr void write(std::string_view part, const sizes& of, int op = 0) {
    for (std::size_t i = 0; i < part.size(); ++i)
      if (part[i] == '$')
        number(of.of(part[++i]));
      else if (part[i] == '~')
        number(op);
      else
        at[size++] = part[i];
  }
};
// The program of ops first, first + 1, ...
constexpr written program_of(const sizes& of, int first, int count) {
  written text;
  const auto list = [&](std::string_view before, bool types) {
    text.write(before, of);
    for (int k = first; k < first + count; ++k) {
      if (k > first) text.write(", ", of);
      text.write(types ? all_swept[k].result : "%r~", of, k);
    }
  };
  text.write("func.func @main(", of), text.write(arguments, of), list(") -> (", true);
  text.write(") {\n", of);
  for (int k = first; k < first + count; ++k) text.write(all_swept[k].op, of, k), text.write("\n", of);
  list("return ", false), list(" : ", true);
  text.write("\n}\n", of);
  return text;
}

template <class Op, class T>
void run_reference(const evaluation& e) {
  evaluation plain = e;
  plain.find_lanes = nullptr;
  plain.gives_in_place = nullptr;
  read_attributes<Op>(e.words).template evaluate<T>(plain);
}
// By one sum, or by any region.
template <class Op>
kernel folding(const kernel_key& key) {
  return key.body >= 0 ? kernel(kernel_of<Op, dtype::f32, dtype::f32, kind_of_op<ops::add>>())
                       : kernel(kernel_of<Op, dtype::ui32, dtype::ui32>());
}
template <bool Reference>
kernel find(const kernel_key& key) {
  kernel found = nullptr;
  const auto consider = [&]<class... Op>(op_list<Op...>, auto choose) {
    ((key.kind == kind_of_op<Op> ? void(found = choose.template operator()<Op>()) : void()), ...);
  };
  consider(op_list<ops::add, ops::maximum, ops::negate, ops::exponential, ops::select>(),
           []<class Op>() -> kernel { return kernel_of<Op, dtype::f32, dtype::f32>(); });
  consider(op_list<ops::clamp, ops::reduce_precision>(),
           []<class Op>() -> kernel { return kernel_of<Op, dtype::f32, dtype::f32>(); });
  consider(op_list<ops::convert, ops::bitcast_convert>(),
           []<class Op>() -> kernel { return kernel_of<Op, dtype::f32, dtype::i32>(); });
  consider(op_list<ops::compare>(), []<class Op>() -> kernel { return kernel_of<Op, dtype::f32, dtype::i1>(); });
  consider(op_list<ops::iota>(), []<class Op>() -> kernel { return kernel_of<Op, dtype::i32, dtype::i32>(); });
  consider(op_list<ops::reduce, ops::reduce_window, ops::scatter>(), [&]<class Op>() -> kernel {
    if constexpr (Reference) return &run_reference<Op, std::uint32_t>;
    return folding<Op>(key);
  });
  consider(op_list<ops::transpose, ops::reverse, ops::reshape, ops::broadcast_in_dim, ops::concatenate, ops::pad,
                   ops::dynamic_slice, ops::dynamic_update_slice, ops::gather, ops::select_and_scatter, ops::sort,
                   ops::scan, ops::map, ops::if_, ops::case_, ops::while_, ops::slice>(),
           []<class Op>() -> kernel {
             if constexpr (Reference) return &run_reference<Op, std::uint32_t>;
             return kernel_of<Op, dtype::ui32, dtype::ui32>();
           });
  consider(op_list<ops::dot_general, ops::convolution, ops::cholesky, ops::triangular_solve, ops::batch_norm_inference,
                   ops::batch_norm_training, ops::batch_norm_grad, ops::top_k>(),
           []<class Op>() -> kernel {
             if constexpr (Reference) return &run_reference<Op, float>;
             return kernel_of<Op, dtype::f32, dtype::f32>();
           });
  consider(op_list<ops::fft>(), []<class Op>() -> kernel {
    if constexpr (Reference) return &run_reference<Op, complex<float>>;
    return kernel_of<Op, dtype::complex_f32, dtype::complex_f32>();
  });
  consider(op_list<ops::rng_bit_generator>(), [&]<class Op>() -> kernel {
    if constexpr (Reference) return &run_reference<Op, std::uint64_t>;
    return kernel_of<Op, dtype::ui64, dtype::ui64>();
  });
  return found;
}

using block = std::unique_ptr<unsigned char[]>;
block bytes_for(const tensor_type& type) {
  return type.size() == 0 ? nullptr
                          : std::make_unique<unsigned char[]>(std::size_t(type.size() * storage_bytes(type.element)));
}
struct values {
  std::vector<block> blocks;
  std::vector<tensor_type> types;

  template <class Pointer>
  std::vector<Pointer> pointers() const {
    std::vector<Pointer> all;
    for (const block& each : blocks) all.push_back(each.get());
    return all;
  }
  void add(const tensor_type& type) {
    types.push_back(type);
    blocks.push_back(bytes_for(type));
  }
};
// Indices are small, and booleans 0 or 1.
values some_arguments(const loaded_program& program) {
  values all;
  for (int i = 0; i < program.argument_count(); ++i) {
    const tensor_type& type = program.argument_type(i);
    all.add(type);
    const bool is_float = type.element == dtype::f32 || type.element == dtype::complex_f32;
    const index_t count = type.size() * (type.element == dtype::complex_f32 ? 2 : 1);
    for (index_t k = 0; is_float && k < count; ++k) {
      const float number = float((k * 37 + i * 11) % 17) / 2 - 3;
      std::memcpy(all.blocks.back().get() + k * index_t(sizeof number), &number, sizeof number);
    }
  }
  return all;
}
values blank_results(const loaded_program& program) {
  values all;
  for (int i = 0; i < program.result_count(); ++i) all.add(program.result_type(i));
  return all;
}

// NaN stand for each other.
bool same(const tensor_type& type, const unsigned char* a, const unsigned char* b) {
  const index_t bytes = type.size() * storage_bytes(type.element);
  if (bytes == 0 || std::memcmp(a, b, std::size_t(bytes)) == 0) return true;
  if (type.element != dtype::f32 && type.element != dtype::complex_f32) return false;
  for (index_t at = 0; at < bytes; at += index_t(sizeof(float))) {
    float x, y;
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    if (std::memcmp(&x, &y, sizeof x) != 0 && (x == x || y == y)) return false;
  }
  return true;
}

constexpr sizes placings[] = {{3, 9, 4}, {0, 9, 4}, {3, 0, 4}, {3, 9, 0}, {0, 0, 4}, {0, 9, 0}, {3, 0, 0}, {0, 0, 0}};

values run(const std::string& text, kernel_finder finder) {
  shared_program program(text, finder);
  INFO(text);
  REQUIRE_MESSAGE(!program.error(), std::string(program.error() ? program.error().sentence : ""));
  const values from = some_arguments(program);
  values to = blank_results(program);
  program(from.pointers<const void*>().data(), to.pointers<void*>().data());
  return to;
}
std::string text_of(const sizes& of, int first, int count) {
  const auto text = std::make_unique<written>(program_of(of, first, count));
  return {text->at, std::size_t(text->size)};
}

// What the reference of op k gives. It runs regions, which those that are one sum do not need.
values run_reference(const sizes& of, int k) {
  constexpr std::string_view one = TENON_TEST_ADD, two = TENON_TEST_SUM;
  std::string text = text_of(of, k, 1);
  if (const std::size_t at = text.find(one); at != std::string::npos) text.replace(at, one.size(), two);
  return run(text, &find<true>);
}

template <sizes Of>
struct known_text {
  static constexpr written all = program_of(Of, 0, swept_count);
  static constexpr std::string_view text{all.at, std::size_t(all.size)};
};
template <sizes Of>
void run_known() {
  using code = typename program<known_text<Of>>::code;
  const shared_program read(known_text<Of>::text, &find<false>);
  REQUIRE(!read.error());
  const values from = some_arguments(read);
  values got = blank_results(read);
  code::run(from.pointers<const void*>().data(), got.pointers<void*>().data());
  for (int k = 0; k < swept_count; ++k) {
    const values wanted = run_reference(Of, k);
    const auto at = std::size_t(k);
    INFO(std::string(all_swept[k].op));
    CHECK(same(got.types[at], got.blocks[at].get(), wanted.blocks[0].get()));
  }
}

}  // namespace

TEST_CASE("ops on empty tensors, read at run time") {
  for (const sizes& of : placings)
    for (int k = 0; k < swept_count; ++k) {
      const std::string text = text_of(of, k, 1);
      const values got = run(text, &find<false>), wanted = run_reference(of, k);
      INFO(text);
      for (std::size_t i = 0; i < got.blocks.size(); ++i)
        CHECK(same(got.types[i], got.blocks[i].get(), wanted.blocks[i].get()));
    }
}

TEST_CASE("ops on empty tensors, known while compiling") {
  run_known<sizes{0, 9, 4}>();
  run_known<sizes{3, 0, 4}>();
  run_known<sizes{3, 9, 0}>();
}
