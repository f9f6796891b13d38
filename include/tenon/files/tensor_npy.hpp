// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/programs.hpp>, <tenon/planned_programs.hpp>.
#pragma once

#include <tenon/core/fail.hpp>
#include <tenon/core/tensor.hpp>
#include <tenon/files/npy.hpp>

namespace tenon {

// Reads a tensor from a file of NumPy: auto x = load_npy<tensor<f32, 2, 3>>("x.npy"). A file that cannot be read, or
// that holds another element type or shape, is a failure whose message names the file.
template <class Tensor>
  requires detail::is_tensor<Tensor>
Tensor load_npy(const char* path) {
  Tensor result(uninitialized);
  load_npy(path, result);
  return result;
}

// The same into a tensor or view that is already there.
template <class Tensor>
  requires detail::is_tensor<std::remove_reference_t<Tensor>>
void load_npy(const char* path, Tensor&& result) {
  using type = std::remove_cvref_t<Tensor>;
  const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(result.data()), std::size_t(byte_size(type::type)));
  const npy_error error = load_npy(path, type::type.element, type::shape, bytes);
  if (error == npy_error::none) return;
  const npy_header found = load_npy_header(path).header;
  if (error != npy_error::wrong_type && error != npy_error::wrong_shape) fail(path, ": ", message(error));
  const dtype element = found.element == dtype::none ? type::type.element : found.element;
  fail(path, ": ", message(error), ": it is ", type_of(element, found.shape), ", the tensor is ", type::type);
}

// Writes a tensor or view to a file that NumPy reads.
template <class Tensor>
  requires detail::is_tensor<Tensor>
void save_npy(const char* path, const Tensor& source) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(source.data()),
                                         std::size_t(byte_size(Tensor::type)));
  if (const npy_error error = save_npy(path, Tensor::type.element, Tensor::shape, bytes); error != npy_error::none)
    fail(path, ": ", message(error));
}

}  // namespace tenon
