// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>, <tenon/programs.hpp>, <tenon/planned_programs.hpp>.
#pragma once

#include <tenon/core/tensor.hpp>

#include <cstring>

namespace tenon {

namespace detail {

// Calls f(position among dense elements, position among those at the bounds, elements) for each piece that lies in one
// piece in both.
template <class Function>
constexpr void for_each_run(const ints& shape, const ints& bounds, Function f) {
  int inner = shape.size;
  index_t run = 1;
  while (inner > 0) {
    run *= shape.at[--inner];
    if (shape.at[inner] != bounds.at[inner]) break;
  }
  if (shape.product() == 0) return;
  const ints strides = strides_of(bounds);
  ints outer, index;
  for (int d = 0; d < inner; ++d) outer.push(shape.at[d]), index.push(0);
  const index_t count = outer.product();
  for (index_t i = 0; i < count; ++i) {
    index_t at = 0;
    for (int d = 0; d < inner; ++d) at += index.at[d] * strides.at[d];
    f(i * run, at, run);
    advance(outer, index);
  }
}

}  // namespace detail

// Dense row-major elements of this shape, each of so many bytes, to where they lie in a tensor as large as the bounds.
inline void spread_to_bounds(const ints& shape, const ints& bounds, index_t bytes, const void* dense, void* to) {
  detail::for_each_run(shape, bounds, [&](index_t from, index_t at, index_t count) {
    std::memcpy(static_cast<char*>(to) + at * bytes, static_cast<const char*>(dense) + from * bytes,
                std::size_t(count * bytes));
  });
}
// The other way round.
inline void collect_from_bounds(const ints& shape, const ints& bounds, index_t bytes, const void* from, void* dense) {
  detail::for_each_run(shape, bounds, [&](index_t to, index_t at, index_t count) {
    std::memcpy(static_cast<char*>(dense) + to * bytes, static_cast<const char*>(from) + at * bytes,
                std::size_t(count * bytes));
  });
}

// A tensor whose sizes are known when the program runs, with room for as many elements as the bounds say: what programs
// take and give where a type is written as tensor<?x4xf32, #stablehlo.bounds<10, ?>>. The elements lie where those of a
// tensor<T, Bounds...> would; nobody looks at those behind the sizes.
//
//   bounded_tensor<f32, 10, 4> x(ints{3, 4});
//   x(2, 3) = 7;
//   x.resize({5, 4});
template <class T, index_t... Bounds>
  requires element_like<T>
class bounded_tensor {
 public:
  using value_type = T;
  static constexpr ints bounds{Bounds...};
  static constexpr int rank = int(sizeof...(Bounds));
  // The type of a tensor as large as the bounds.
  static constexpr tensor_type room_type = tensor<T, Bounds...>::type;

  // As large as the bounds, all elements zero.
  constexpr bounded_tensor() = default;
  constexpr explicit bounded_tensor(uninitialized_t) : room_(uninitialized) {}
  // Of this shape, all elements zero. A shape beyond the bounds is reported.
  constexpr explicit bounded_tensor(const ints& shape) { resize(shape); }
  // A copy of a tensor that is no larger than the bounds.
  template <index_t... Dims>
    requires(sizeof...(Dims) == sizeof...(Bounds) && ((Dims <= Bounds) && ...))
  bounded_tensor(const tensor<T, Dims...>& other) : shape_{Dims...} {
    load(other.data());
  }

  constexpr ints shape() const { return shape_; }
  constexpr index_t size(index_t dimension) const { return shape_[dimension]; }
  constexpr index_t size() const { return shape_.product(); }
  // Elements stay where they are.
  constexpr void resize(const ints& shape) {
    if (shape.size != rank) fail("a tensor of ", rank, " dimensions was given ", shape.size, " sizes");
    for (int d = 0; d < rank; ++d)
      if (shape.at[d] < 0 || shape.at[d] > bounds.at[d])
        fail("dimension ", d, " has size ", shape.at[d], ", it may have 0 to ", bounds.at[d]);
    shape_ = shape;
  }

  // x(1, 2); an index out of range is reported.
  template <class... Index>
    requires(sizeof...(Index) == sizeof...(Bounds))
  constexpr T& operator()(Index... index) & {
    return data()[offset({index_t(index)...})];
  }
  template <class... Index>
    requires(sizeof...(Index) == sizeof...(Bounds))
  constexpr const T& operator()(Index... index) const& {
    return data()[offset({index_t(index)...})];
  }
  template <class... Index>
    requires(sizeof...(Index) == sizeof...(Bounds))
  constexpr T operator()(Index... index) const&& {
    return (*this)(index...);
  }

  // The elements, of which the rows are as long as the bounds say.
  constexpr T* data() & { return room_.data(); }
  constexpr const T* data() const& { return room_.data(); }
  template <class Rule = detail::ends_too_early::broken>
  const T* data() const&& = delete;

  // From and to memory in which size() elements lie densely.
  void load(const T* dense) { spread_to_bounds(shape_, bounds, sizeof(T), dense, data()); }
  void store(T* dense) const { collect_from_bounds(shape_, bounds, sizeof(T), data(), dense); }

  // The elements as a tensor of a shape that is known while compiling; another shape is reported.
  template <index_t... Dims>
  tensor<T, Dims...> as() const {
    if (!(shape_ == ints{Dims...})) fail("the tensor has another shape than it is asked for");
    tensor<T, Dims...> result(uninitialized);
    store(result.data());
    return result;
  }

 private:
  tensor<T, Bounds...> room_;
  ints shape_{Bounds...};

  constexpr index_t offset(const ints& index) const {
    detail::checked_offset(shape_, index);
    return offset_of(bounds, index);
  }
};

namespace detail {

template <class T>
inline constexpr bool is_bounded_tensor = false;
template <class T, index_t... Bounds>
inline constexpr bool is_bounded_tensor<bounded_tensor<T, Bounds...>> = true;

template <class Tensor>
struct with_bounds;
template <class T, index_t... Dims>
struct with_bounds<tensor<T, Dims...>> : std::type_identity<bounded_tensor<T, Dims...>> {};
template <tensor_type Type>
struct any_tensor_of_type : std::type_identity<tensor_of<Type>> {};
template <tensor_type Type>
  requires(Type.bounded != 0)
struct any_tensor_of_type<Type> : with_bounds<tensor_of<Type>> {};

}  // namespace detail

// The owner of values of this type: a tensor, or a bounded_tensor.
template <tensor_type Type>
using any_tensor_of = typename detail::any_tensor_of_type<Type>::type;

}  // namespace tenon
