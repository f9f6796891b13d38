// SPDX-License-Identifier: Apache-2.0
//
// Programs that random_program wrote, compiled: as they are, fused, and with every value handed over as a result, which
// leaves nothing to fuse. Both must agree bit for bit.
#include <tenon/run/program.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;

namespace {

// The text of a program that returns all of its values or the last one.
template <class Source, bool All>
struct text_of {
  static constexpr std::string_view parts[] = {"func.func @main(",
                                               Source::arguments,
                                               ") -> (",
                                               All ? Source::types : Source::type,
                                               ") {\n",
                                               Source::body,
                                               "\n  return ",
                                               All ? Source::values : Source::value,
                                               " : ",
                                               All ? Source::types : Source::type,
                                               "\n}\n"};
  static constexpr std::size_t size = [] {
    std::size_t sum = 0;
    for (std::string_view part : parts) sum += part.size();
    return sum;
  }();
  struct characters {
    char at[size];
  };
  static constexpr characters all = [] {
    characters result{};
    std::size_t next = 0;
    for (std::string_view part : parts)
      for (char c : part) result.at[next++] = c;
    return result;
  }();
  static constexpr std::string_view text{all.at, size};
};

template <class Code>
std::vector<float> last_result_of() {
  constexpr graph g = Code::graph();
  const graph_region& body = g.regions.data[g.functions.data[0].region];
  std::vector<std::vector<float>> arguments, results;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (int i = 0; i < body.argument_count; ++i) {
    std::vector<float> values(std::size_t(g.type_of_value(body.arguments + i).size()));
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = float(int(k * 37 + std::size_t(i) * 11) % 17) * 0.5f - 4.0f;
    arguments.push_back(values);
  }
  for (int value : g.yields_of(body)) results.emplace_back(std::size_t(g.type_of_value(value).size()), -99.0f);
  for (const auto& each : arguments) from.push_back(each.data());
  for (auto& each : results) to.push_back(each.data());
  Code::run(from.data(), to.data());
  return results.back();
}

template <class Source>
void compare() {
  using fused = typename program<text_of<Source, false>>::code;
  using single = typename program<text_of<Source, true>>::code;
  static_assert(fused::plan().steps.size < single::plan().steps.size);
  const std::vector<float> a = last_result_of<fused>(), b = last_result_of<single>();
  REQUIRE(a.size() == b.size());
  bool same = true;
  // The sign and the payload of a NaN depend on the machine's choice among two of them.
  for (std::size_t i = 0; i < a.size(); ++i)
    same = same && (std::memcmp(&a[i], &b[i], sizeof(float)) == 0 || (std::isnan(a[i]) && std::isnan(b[i])));
  CHECK(same);
}

struct program_6 {
  static constexpr std::string_view arguments = "%a0: tensor<3xf32>, %a1: tensor<4xf32>";
  static constexpr std::string_view body = R"(
  %v1 = stablehlo.constant dense<[0.500000, 0.437500, 0.375000]> : tensor<3xf32>
  %v2 = stablehlo.broadcast_in_dim %v1, dims = [1] : (tensor<3xf32>) -> tensor<3x3xf32>
  %v3 = stablehlo.dot_general %a0, %v2, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
  %v11 = stablehlo.convert %v3 : (tensor<3xf32>) -> tensor<3xi32>
  %v12 = "stablehlo.gather"(%a0, %v11) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>, indices_are_sorted = false}> : (tensor<3xf32>, tensor<3xi32>) -> tensor<3xf32>
  %v19 = stablehlo.broadcast_in_dim %v3, dims = [0] : (tensor<3xf32>) -> tensor<3xf32>
  %v26 = stablehlo.constant dense<-9.0> : tensor<f32>
  %v27 = stablehlo.reduce(%v19 init: %v26) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %v28 = stablehlo.add %v27, %v27 : tensor<f32>
  %v29 = stablehlo.maximum %v28, %v28 : tensor<f32>
  %v39 = stablehlo.negate %v3 : tensor<3xf32>
  %v40 = stablehlo.constant dense<-9.0> : tensor<f32>
  %v41 = stablehlo.reduce(%v39 init: %v40) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %v42 = stablehlo.add %v41, %v29 : tensor<f32>
  %v43 = stablehlo.add %v42, %v42 : tensor<f32>
  %v44 = stablehlo.reshape %v43 : (tensor<f32>) -> tensor<1xf32>
  %v45 = stablehlo.broadcast_in_dim %v44, dims = [0] : (tensor<1xf32>) -> tensor<3xf32>
  %v46 = stablehlo.multiply %v39, %v45 : tensor<3xf32>
  %v47 = stablehlo.multiply %v46, %v46 : tensor<3xf32>
  %v53 = stablehlo.abs %v47 : tensor<3xf32>
  %v63 = stablehlo.constant dense<0.5> : tensor<f32>
  %v62 = stablehlo.reduce(%v12 init: %v63) applies stablehlo.add across dimensions = [] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %v65 = stablehlo.constant dense<0.25> : tensor<f32>
  %v66 = "stablehlo.reduce_window"(%v62, %v65) <{window_dimensions = array<i64: 1>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<[[0, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  %v67 = stablehlo.concatenate %v66, %v53, dim = 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>)";
  static constexpr std::string_view values =
      "%v3, %v12, %v19, %v27, %v28, %v29, %v39, %v41, %v42, %v43, %v44, %v45, %v46, %v47, %v53, %v62, %v66, %v67";
  static constexpr std::string_view types =
      "tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<3xf32>, tensor<f32>, "
      "tensor<f32>, tensor<f32>, tensor<1xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, "
      "tensor<3xf32>, tensor<3xf32>, tensor<6xf32>";
  static constexpr std::string_view value = "%v67", type = "tensor<6xf32>";
};

struct program_11 {
  static constexpr std::string_view arguments = "%a0: tensor<57x3x1x3xf32>, %a1: tensor<57x3x1x3xf32>";
  static constexpr std::string_view body = R"(
  %v1 = stablehlo.negate %a1 : tensor<57x3x1x3xf32>
  %v2 = stablehlo.constant dense<0.5> : tensor<f32>
  %v3 = stablehlo.reduce(%v1 init: %v2) applies stablehlo.add across dimensions = [1, 2, 3] : (tensor<57x3x1x3xf32>, tensor<f32>) -> tensor<57xf32>
  %v4 = stablehlo.maximum %v3, %v3 : tensor<57xf32>
  %v5 = stablehlo.add %v4, %v4 : tensor<57xf32>
  %v6 = stablehlo.broadcast_in_dim %v5, dims = [0] : (tensor<57xf32>) -> tensor<57x3x1x3xf32>
  %v7 = stablehlo.subtract %v1, %v6 : tensor<57x3x1x3xf32>
  %v12 = stablehlo.subtract %v7, %v1 : tensor<57x3x1x3xf32>
  %v17 = stablehlo.constant dense<0.5> : tensor<f32>
  %v16 = stablehlo.reduce(%v12 init: %v17) applies stablehlo.add across dimensions = [1, 2, 3] : (tensor<57x3x1x3xf32>, tensor<f32>) -> tensor<57xf32>
  %v22 = stablehlo.constant dense<-8.0> : tensor<f32>
  %v23 = "stablehlo.reduce_window"(%v16, %v22) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<57xf32>, tensor<f32>) -> tensor<29xf32>)";
  static constexpr std::string_view values = "%v1, %v3, %v4, %v5, %v6, %v7, %v12, %v16, %v23";
  static constexpr std::string_view types =
      "tensor<57x3x1x3xf32>, tensor<57xf32>, tensor<57xf32>, tensor<57xf32>, tensor<57x3x1x3xf32>, "
      "tensor<57x3x1x3xf32>, tensor<57x3x1x3xf32>, tensor<57xf32>, tensor<29xf32>";
  static constexpr std::string_view value = "%v23", type = "tensor<29xf32>";
};

struct program_25 {
  static constexpr std::string_view arguments = "%a0: tensor<1xf32>, %a1: tensor<1xf32>, %a2: tensor<3x34xf32>";
  static constexpr std::string_view body = R"(
  %v7 = stablehlo.negate %a1 : tensor<1xf32>
  %v8 = stablehlo.constant dense<-9.0> : tensor<f32>
  %v9 = stablehlo.reduce(%v7 init: %v8) applies stablehlo.maximum across dimensions = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
  %v10 = stablehlo.reshape %v9 : (tensor<f32>) -> tensor<1xf32>
  %v11 = stablehlo.negate %v10 : tensor<1xf32>
  %v12 = stablehlo.broadcast_in_dim %v11, dims = [0] : (tensor<1xf32>) -> tensor<1xf32>
  %v13 = stablehlo.multiply %v7, %v12 : tensor<1xf32>
  %v14 = stablehlo.multiply %v13, %v13 : tensor<1xf32>
  %v15 = stablehlo.dot_general %v14, %v11, batching_dims = [] x [], contracting_dims = [0] x [0] : (tensor<1xf32>, tensor<1xf32>) -> tensor<f32>
  %v17 = stablehlo.negate %v14 : tensor<1xf32>
  %v18 = stablehlo.constant dense<-9.0> : tensor<f32>
  %v19 = stablehlo.reduce(%v17 init: %v18) applies stablehlo.maximum across dimensions = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
  %v20 = stablehlo.maximum %v15, %v19 : tensor<f32>
  %v21 = stablehlo.maximum %v20, %v20 : tensor<f32>
  %v22 = stablehlo.broadcast_in_dim %v21, dims = [] : (tensor<f32>) -> tensor<1xf32>
  %v23 = stablehlo.negate %v22 : tensor<1xf32>
  %v24 = stablehlo.broadcast_in_dim %v23, dims = [0] : (tensor<1xf32>) -> tensor<1xf32>
  %v29 = stablehlo.constant dense<0.5> : tensor<f32>
  %v30 = stablehlo.reduce(%v24 init: %v29) applies stablehlo.add across dimensions = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
  %v31 = stablehlo.broadcast_in_dim %v30, dims = [] : (tensor<f32>) -> tensor<1xf32>
  %v32 = stablehlo.negate %v31 : tensor<1xf32>
  %v33 = stablehlo.broadcast_in_dim %v32, dims = [0] : (tensor<1xf32>) -> tensor<1xf32>
  %v34 = stablehlo.subtract %v24, %v33 : tensor<1xf32>
  %v35 = stablehlo.exponential %v34 : tensor<1xf32>
  %v81 = stablehlo.negate %v35 : tensor<1xf32>
  %v82 = stablehlo.constant dense<0.5> : tensor<f32>
  %v83 = stablehlo.reduce(%v81 init: %v82) applies stablehlo.add across dimensions = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<f32>
  %v97 = stablehlo.constant dense<-0.25> : tensor<f32>
  %v96 = stablehlo.pad %v83, %v97, low = [], high = [], interior = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>)";
  static constexpr std::string_view values =
      "%v7, %v9, %v10, %v11, %v12, %v13, %v14, %v15, %v17, %v19, %v20, %v21, %v22, %v23, %v24, %v30, %v31, %v32, %v33, "
      "%v34, %v35, %v81, %v83, %v96";
  static constexpr std::string_view types =
      "tensor<1xf32>, tensor<f32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, "
      "tensor<f32>, tensor<1xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, "
      "tensor<f32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, "
      "tensor<f32>, tensor<f32>";
  static constexpr std::string_view value = "%v96", type = "tensor<f32>";
};

struct program_32 {
  static constexpr std::string_view arguments = "%a0: tensor<5x2x41xf32>, %a1: tensor<5xf32>, %a2: tensor<5x2x41xf32>";
  static constexpr std::string_view body = R"(
  %v1 = stablehlo.constant dense<0.5> : tensor<f32>
  %v2 = stablehlo.reduce(%a0 init: %v1) applies stablehlo.add across dimensions = [1, 2] : (tensor<5x2x41xf32>, tensor<f32>) -> tensor<5xf32>
  %v3 = stablehlo.add %v2, %a1 : tensor<5xf32>
  %v4 = stablehlo.add %v3, %a1 : tensor<5xf32>
  %v5 = stablehlo.broadcast_in_dim %v4, dims = [0] : (tensor<5xf32>) -> tensor<5x2x41xf32>
  %v6 = stablehlo.add %a0, %v5 : tensor<5x2x41xf32>
  %v7 = stablehlo.constant dense<-9.0> : tensor<f32>
  %v8 = stablehlo.reduce(%v6 init: %v7) applies stablehlo.maximum across dimensions = [1, 2] : (tensor<5x2x41xf32>, tensor<f32>) -> tensor<5xf32>
  %v20 = stablehlo.negate %v8 : tensor<5xf32>
  %v82 = stablehlo.dot_general %v20, %v20, batching_dims = [] x [], contracting_dims = [0] x [0] : (tensor<5xf32>, tensor<5xf32>) -> tensor<f32>)";
  static constexpr std::string_view values = "%v2, %v3, %v4, %v5, %v6, %v8, %v20, %v82";
  static constexpr std::string_view types =
      "tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5x2x41xf32>, tensor<5x2x41xf32>, tensor<5xf32>, "
      "tensor<5xf32>, tensor<f32>";
  static constexpr std::string_view value = "%v82", type = "tensor<f32>";
};

struct program_344 {
  static constexpr std::string_view arguments =
      "%a0: tensor<1x5x1xf32>, %a1: tensor<1x5x1xf32>, %a2: tensor<1x5x1xf32>";
  static constexpr std::string_view body = R"(
  %v3 = stablehlo.subtract %a0, %a0 : tensor<1x5x1xf32>
  %v10 = stablehlo.slice %v3 [0:1, 2:3, 0:1] : (tensor<1x5x1xf32>) -> tensor<1x1x1xf32>
  %v11 = stablehlo.reshape %v10 : (tensor<1x1x1xf32>) -> tensor<f32>
  %v12 = stablehlo.convert %v11 : (tensor<f32>) -> tensor<i32>
  %v13 = stablehlo.slice %a0 [0:1, 4:5, 0:1] : (tensor<1x5x1xf32>) -> tensor<1x1x1xf32>
  %v14 = stablehlo.reshape %v13 : (tensor<1x1x1xf32>) -> tensor<f32>
  %v15 = stablehlo.convert %v14 : (tensor<f32>) -> tensor<i32>
  %v16 = stablehlo.slice %a1 [0:1, 2:3, 0:1] : (tensor<1x5x1xf32>) -> tensor<1x1x1xf32>
  %v17 = stablehlo.reshape %v16 : (tensor<1x1x1xf32>) -> tensor<f32>
  %v18 = stablehlo.convert %v17 : (tensor<f32>) -> tensor<i32>
  %v20 = stablehlo.slice %a1 [0:1, 0:4, 0:1] : (tensor<1x5x1xf32>) -> tensor<1x4x1xf32>
  %v19 = stablehlo.dynamic_update_slice %a1, %v20, %v12, %v15, %v18 : (tensor<1x5x1xf32>, tensor<1x4x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5x1xf32>
  %v23 = stablehlo.transpose %v19, dims = [2, 0, 1] : (tensor<1x5x1xf32>) -> tensor<1x1x5xf32>
  %v28 = stablehlo.compare LT, %v23, %v23, FLOAT : (tensor<1x1x5xf32>, tensor<1x1x5xf32>) -> tensor<1x1x5xi1>
  %v27 = stablehlo.select %v28, %v23, %v23 : tensor<1x1x5xi1>, tensor<1x1x5xf32>)";
  static constexpr std::string_view values = "%v3, %v20, %v19, %v23, %v27";
  static constexpr std::string_view types =
      "tensor<1x5x1xf32>, tensor<1x4x1xf32>, tensor<1x5x1xf32>, tensor<1x1x5xf32>, tensor<1x1x5xf32>";
  static constexpr std::string_view value = "%v27", type = "tensor<1x1x5xf32>";
};

struct program_420 {
  static constexpr std::string_view arguments = "%a0: tensor<3xf32>, %a1: tensor<2x52xf32>";
  static constexpr std::string_view body = R"(
  %v0 = stablehlo.slice %a1 [0:1:1, 6:17:1] : (tensor<2x52xf32>) -> tensor<1x11xf32>
  %v5 = stablehlo.reverse %v0, dims = [] : tensor<1x11xf32>
  %v9 = stablehlo.abs %v5 : tensor<1x11xf32>
  %v10 = stablehlo.constant dense<0.5> : tensor<f32>
  %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.add across dimensions = [1] : (tensor<1x11xf32>, tensor<f32>) -> tensor<1xf32>
  %v12 = stablehlo.maximum %v11, %v11 : tensor<1xf32>
  %v13 = stablehlo.broadcast_in_dim %v12, dims = [0] : (tensor<1xf32>) -> tensor<1x11xf32>
  %v14 = stablehlo.subtract %v5, %v13 : tensor<1x11xf32>
  %v15 = stablehlo.constant dense<-9.0> : tensor<f32>
  %v16 = stablehlo.reduce(%v14 init: %v15) applies stablehlo.maximum across dimensions = [1] : (tensor<1x11xf32>, tensor<f32>) -> tensor<1xf32>
  %v17 = stablehlo.add %v16, %v16 : tensor<1xf32>
  %v35 = stablehlo.constant dense<0.5> : tensor<f32>
  %v36 = stablehlo.reduce(%v13 init: %v35) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x11xf32>, tensor<f32>) -> tensor<f32>
  %v37 = stablehlo.maximum %v36, %v36 : tensor<f32>
  %v38 = stablehlo.abs %v37 : tensor<f32>
  %v39 = stablehlo.broadcast_in_dim %v38, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
  %v59 = stablehlo.constant dense<0.5> : tensor<f32>
  %v60 = stablehlo.reduce(%v39 init: %v59) applies stablehlo.add across dimensions = [0] : (tensor<1x1xf32>, tensor<f32>) -> tensor<1xf32>
  %v61 = stablehlo.reshape %v60 : (tensor<1xf32>) -> tensor<1x1xf32>
  %v62 = stablehlo.broadcast_in_dim %v61, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x1xf32>
  %v63 = stablehlo.add %v39, %v62 : tensor<1x1xf32>
  %v64 = stablehlo.exponential %v63 : tensor<1x1xf32>
  %v65 = stablehlo.multiply %v64, %v64 : tensor<1x1xf32>
  %v67 = stablehlo.reshape %v65 : (tensor<1x1xf32>) -> tensor<f32>
  %v68 = stablehlo.convert %v67 : (tensor<f32>) -> tensor<i32>
  %v70 = stablehlo.slice %v17 [0:1] : (tensor<1xf32>) -> tensor<1xf32>
  %v69 = stablehlo.dynamic_update_slice %v17, %v70, %v68 : (tensor<1xf32>, tensor<1xf32>, tensor<i32>) -> tensor<1xf32>
  %v72 = stablehlo.negate %v69 : tensor<1xf32>
  %v122 = stablehlo.constant dense<0.5> : tensor<f32>
  %v121 = stablehlo.reduce(%v72 init: %v122) applies stablehlo.add across dimensions = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<f32>)";
  static constexpr std::string_view values =
      "%v0, %v5, %v9, %v11, %v12, %v13, %v14, %v16, %v17, %v36, %v37, %v38, %v39, %v60, %v61, %v62, %v63, %v64, %v65, "
      "%v70, %v69, %v72, %v121";
  static constexpr std::string_view types =
      "tensor<1x11xf32>, tensor<1x11xf32>, tensor<1x11xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x11xf32>, "
      "tensor<1x11xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<1x1xf32>, "
      "tensor<1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, "
      "tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>";
  static constexpr std::string_view value = "%v121", type = "tensor<f32>";
};

struct program_659 {
  static constexpr std::string_view arguments = "%a0: tensor<5x62x5xf32>";
  static constexpr std::string_view body = R"(
  %v1 = stablehlo.constant dense<-8.0> : tensor<f32>
  %v2 = "stablehlo.reduce_window"(%a0, %v1) <{window_dimensions = array<i64: 2, 3, 1>, window_strides = array<i64: 2, 1, 1>, base_dilations = array<i64: 1, 1, 1>, window_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = stablehlo.maximum %p, %q : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<5x62x5xf32>, tensor<f32>) -> tensor<2x60x5xf32>
  %v9 = stablehlo.maximum %v2, %v2 : tensor<2x60x5xf32>
  %v14 = stablehlo.constant dense<0.5> : tensor<f32>
  %v15 = stablehlo.reduce(%v9 init: %v14) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x60x5xf32>, tensor<f32>) -> tensor<f32>
  %v16 = stablehlo.broadcast_in_dim %v15, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
  %v20 = stablehlo.multiply %v16, %v16 : tensor<1x1x1xf32>
  %v23 = stablehlo.constant dense<-9.0> : tensor<f32>
  %v24 = stablehlo.reduce(%v20 init: %v23) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<1x1x1xf32>, tensor<f32>) -> tensor<f32>
  %v25 = stablehlo.add %v24, %v24 : tensor<f32>
  %v26 = stablehlo.abs %v25 : tensor<f32>
  %v27 = stablehlo.broadcast_in_dim %v26, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
  %v28 = stablehlo.add %v20, %v27 : tensor<1x1x1xf32>
  %v29 = stablehlo.exponential %v28 : tensor<1x1x1xf32>
  %v31 = stablehlo.constant dense<[0.500000, 0.125000, -0.250000]> : tensor<3xf32>
  %v32 = stablehlo.broadcast_in_dim %v31, dims = [0] : (tensor<3xf32>) -> tensor<3x1x9xf32>
  %v33 = stablehlo.convolution(%v29, %v32) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x1xf32>, tensor<3x1x9xf32>) -> tensor<1x1x9xf32>
  %v36 = stablehlo.maximum %v33, %v33 : tensor<1x1x9xf32>
  %v38 = stablehlo.abs %v36 : tensor<1x1x9xf32>
  %v39 = stablehlo.constant dense<0.5> : tensor<f32>
  %v40 = stablehlo.reduce(%v38 init: %v39) applies stablehlo.add across dimensions = [2] : (tensor<1x1x9xf32>, tensor<f32>) -> tensor<1x1xf32>
  %v41 = stablehlo.add %v40, %v40 : tensor<1x1xf32>
  %v42 = stablehlo.broadcast_in_dim %v41, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x1x9xf32>
  %v43 = stablehlo.multiply %v38, %v42 : tensor<1x1x9xf32>
  %v46 = stablehlo.reshape %v43 : (tensor<1x1x9xf32>) -> tensor<3x3xf32>)";
  static constexpr std::string_view values =
      "%v2, %v9, %v15, %v16, %v20, %v24, %v25, %v26, %v27, %v28, %v29, %v33, %v36, %v38, %v40, %v41, %v42, %v43, %v46";
  static constexpr std::string_view types =
      "tensor<2x60x5xf32>, tensor<2x60x5xf32>, tensor<f32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<f32>, "
      "tensor<f32>, tensor<f32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x9xf32>, "
      "tensor<1x1x9xf32>, tensor<1x1x9xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1x9xf32>, tensor<1x1x9xf32>, "
      "tensor<3x3xf32>";
  static constexpr std::string_view value = "%v46", type = "tensor<3x3xf32>";
};

struct program_710 {
  static constexpr std::string_view arguments = "%a0: tensor<4x3x3xf32>";
  static constexpr std::string_view body = R"(
  %v1 = stablehlo.negate %a0 : tensor<4x3x3xf32>
  %v2 = stablehlo.constant dense<0.5> : tensor<f32>
  %v3 = stablehlo.reduce(%v1 init: %v2) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x3x3xf32>, tensor<f32>) -> tensor<f32>
  %v4 = stablehlo.abs %v3 : tensor<f32>
  %v5 = stablehlo.broadcast_in_dim %v4, dims = [] : (tensor<f32>) -> tensor<4x3x3xf32>
  %v9 = stablehlo.add %a0, %v1 : tensor<4x3x3xf32>
  %v12 = stablehlo.constant dense<[0.500000, 0.125000]> : tensor<2xf32>
  %v13 = stablehlo.broadcast_in_dim %v12, dims = [0] : (tensor<2xf32>) -> tensor<2x3x15xf32>
  %v14 = stablehlo.convolution(%v5, %v13) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x3x3xf32>, tensor<2x3x15xf32>) -> tensor<4x4x15xf32>
  %v54 = stablehlo.abs %v14 : tensor<4x4x15xf32>
  %v55 = stablehlo.constant dense<0.5> : tensor<f32>
  %v56 = stablehlo.reduce(%v54 init: %v55) applies stablehlo.add across dimensions = [1, 2] : (tensor<4x4x15xf32>, tensor<f32>) -> tensor<4xf32>
  %v57 = stablehlo.abs %v56 : tensor<4xf32>
  %v58 = stablehlo.broadcast_in_dim %v57, dims = [0] : (tensor<4xf32>) -> tensor<4x4x15xf32>
  %v59 = stablehlo.subtract %v54, %v58 : tensor<4x4x15xf32>
  %v60 = stablehlo.constant dense<-9.0> : tensor<f32>
  %v61 = stablehlo.reduce(%v59 init: %v60) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<4x4x15xf32>, tensor<f32>) -> tensor<f32>
  %v62 = stablehlo.add %v61, %v3 : tensor<f32>
  %v63 = stablehlo.broadcast_in_dim %v62, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
  %v64 = stablehlo.negate %v63 : tensor<1x1x1xf32>
  %v65 = stablehlo.broadcast_in_dim %v64, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<4x4x15xf32>
  %v66 = stablehlo.subtract %v14, %v65 : tensor<4x4x15xf32>
  %v73 = stablehlo.reshape %v61 : (tensor<f32>) -> tensor<f32>
  %v74 = stablehlo.convert %v73 : (tensor<f32>) -> tensor<i32>
  %v75 = stablehlo.slice %v66 [1:2, 2:3, 14:15] : (tensor<4x4x15xf32>) -> tensor<1x1x1xf32>
  %v76 = stablehlo.reshape %v75 : (tensor<1x1x1xf32>) -> tensor<f32>
  %v77 = stablehlo.convert %v76 : (tensor<f32>) -> tensor<i32>
  %v78 = stablehlo.slice %v9 [2:3, 0:1, 1:2] : (tensor<4x3x3xf32>) -> tensor<1x1x1xf32>
  %v79 = stablehlo.reshape %v78 : (tensor<1x1x1xf32>) -> tensor<f32>
  %v80 = stablehlo.convert %v79 : (tensor<f32>) -> tensor<i32>
  %v81 = stablehlo.dynamic_slice %v1, %v74, %v77, %v80, sizes = [1, 3, 2] : (tensor<4x3x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x2xf32>)";
  static constexpr std::string_view values =
      "%v1, %v3, %v4, %v5, %v9, %v14, %v54, %v56, %v57, %v58, %v59, %v61, %v62, %v63, %v64, %v65, %v66, %v81";
  static constexpr std::string_view types =
      "tensor<4x3x3xf32>, tensor<f32>, tensor<f32>, tensor<4x3x3xf32>, tensor<4x3x3xf32>, tensor<4x4x15xf32>, "
      "tensor<4x4x15xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x4x15xf32>, tensor<4x4x15xf32>, tensor<f32>, "
      "tensor<f32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<4x4x15xf32>, tensor<4x4x15xf32>, tensor<1x3x2xf32>";
  static constexpr std::string_view value = "%v81", type = "tensor<1x3x2xf32>";
};

TEST_CASE_TEMPLATE("a compiled program gives what its ops give one by one", Source, program_6, program_11, program_25,
                   program_32, program_344, program_420, program_659, program_710) {
  compare<Source>();
}

}  // namespace
