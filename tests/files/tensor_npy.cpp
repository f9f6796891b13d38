// SPDX-License-Identifier: Apache-2.0
#include <tenon/files/tensor_npy.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

using namespace tenon;

namespace {

// A file that is gone when the test ends.
struct temporary_file {
  std::string path = std::string("tensor_npy_") + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".npy";
  ~temporary_file() { std::remove(path.c_str()); }
};

}  // namespace

TEST_CASE_TEMPLATE("what is saved is loaded again", T, f32, f64, i8, ui64, bool, f16, bf16, i4, f8E5M2, complex<f32>) {
  const temporary_file file;
  tensor<T, 2, 3> x;
  for (int i = 0; i < 6; ++i) x.data()[i] = convert_to<T>(i);
  save_npy(file.path.c_str(), x);
  CHECK(equal(load_npy<tensor<T, 2, 3>>(file.path.c_str()), x));
  tensor<T, 2, 3> again;
  load_npy(file.path.c_str(), again);
  CHECK(equal(again, x));
}

TEST_CASE("views are saved and loaded too") {
  const temporary_file file;
  const f32 numbers[] = {1, 2, 3};
  save_npy(file.path.c_str(), tensor_view<const f32, 3>(numbers));
  f32 loaded[3]{};
  load_npy(file.path.c_str(), tensor_view<f32, 3>(loaded));
  CHECK(loaded[2] == 3);
}

TEST_CASE("what does not fit is an error that names the file") {
  CHECK_THROWS_WITH((load_npy<tensor<f32, 2>>("no_such_file.npy")), "no_such_file.npy: the file cannot be opened");
  const temporary_file file;
  save_npy(file.path.c_str(), tensor<f32, 2>{1, 2});
  CHECK_THROWS_WITH(
      (load_npy<tensor<f32, 3>>(file.path.c_str())),
      (file.path + ": the array has another shape than the tensor: it is tensor<2xf32>, the tensor is tensor<3xf32>")
          .c_str());
  CHECK_THROWS_WITH(
      (load_npy<tensor<i32, 2>>(file.path.c_str())),
      (file.path +
       ": the array has another element type than the tensor: it is tensor<2xf32>, the tensor is tensor<2xi32>")
          .c_str());
}
