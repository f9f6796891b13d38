// SPDX-License-Identifier: Apache-2.0
//
// expect: line 3, column 5: fft: dimension 0: fft_length is fixed while compiling, so a transformed dimension has to be
// expect: line 3, column 5: reshape: dimension 0: the operand does not decide how large the bounded dimensions of the

#include <tenon/tenon.hpp>

using namespace tenon;

using first = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?xcomplex<f32>, #stablehlo.bounds<4>>) -> tensor<4xcomplex<f32>> {
    %0 = stablehlo.fft %x, type = FFT, length = [4] : (tensor<?xcomplex<f32>, #stablehlo.bounds<4>>) -> tensor<4xcomplex<f32>>
    return %0 : tensor<4xcomplex<f32>>
  }
)");

using second = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?xf32, #stablehlo.bounds<12>>) -> tensor<?x?xf32, #stablehlo.bounds<3, 4>> {
    %0 = stablehlo.reshape %x : (tensor<?xf32, #stablehlo.bounds<12>>) -> tensor<?x?xf32, #stablehlo.bounds<3, 4>>
    return %0 : tensor<?x?xf32, #stablehlo.bounds<3, 4>>
  }
)");

int main() {
  first{}(tensor<complex<f32>, 4>());
  second{}(tensor<f32, 12>());
}
