// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/core/tensor_type.hpp>

#include <cstddef>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

namespace tenon {

namespace detail {

// Nested braces for a tensor of rank Depth.
template <class T, int Depth>
struct nested_list {
  using type = std::initializer_list<typename nested_list<T, Depth - 1>::type>;
};
template <class T>
struct nested_list<T, 0> {
  using type = T;
};

template <class T>
constexpr void copy_nested(const T& value, const index_t*, T*& to) {
  *to++ = value;
}
template <class T, class Inner>
constexpr void copy_nested(std::initializer_list<Inner> values, const index_t* shape, T*& to) {
  if (index_t(values.size()) != *shape)
    fail("a list of ", values.size(), " elements was given where the tensor has ", *shape);
  for (const Inner& value : values) copy_nested<T>(value, shape + 1, to);
}

// Elements inside the object.
template <class T, std::size_t Size>
class inline_storage {
 public:
  constexpr T* data() { return elements_; }
  constexpr const T* data() const { return elements_; }

 private:
  alignas(64) T elements_[Size > 0 ? Size : 1]{};
};

// Elements on the heap, so that no stack overflows; moved in constant time.
template <class T, std::size_t Size>
class heap_storage {
 public:
  heap_storage() : elements_(allocate()) {
    for (std::size_t i = 0; i < Size; ++i) new (elements_ + i) T{};
  }
  heap_storage(const heap_storage& other) : elements_(allocate()) {
    for (std::size_t i = 0; i < Size; ++i) new (elements_ + i) T(other.data()[i]);
  }
  heap_storage(heap_storage&& other) noexcept : elements_(std::exchange(other.elements_, nullptr)) {}
  heap_storage& operator=(heap_storage other) noexcept {
    std::swap(elements_, other.elements_);
    return *this;
  }
  ~heap_storage() { ::operator delete(elements_, std::align_val_t(64)); }

  // A moved-from tensor gets new elements when somebody asks for them.
  T* data() {
    if (elements_ == nullptr) elements_ = heap_storage().release();
    return elements_;
  }
  const T* data() const { return const_cast<heap_storage*>(this)->data(); }

 private:
  T* elements_;

  static T* allocate() { return static_cast<T*>(::operator new(Size * sizeof(T), std::align_val_t(64))); }
  T* release() { return std::exchange(elements_, nullptr); }
};

// The largest tensor that is kept inside the object.
inline constexpr std::size_t most_inline_bytes = 16384;

template <class T, std::size_t Size>
using tensor_storage =
#if __STDC_HOSTED__
    std::conditional_t<(Size * sizeof(T) > most_inline_bytes), heap_storage<T, Size>, inline_storage<T, Size>>;
#else
    inline_storage<T, Size>;
#endif

template <class Source>
concept evaluable = requires { std::remove_cvref_t<Source>::leaf_count; };

// Computes an expression into memory; defined in run/evaluate.hpp.
template <class Expression, class T>
void evaluate_into(const Expression& source, T* result);

}  // namespace detail

// A dense row-major tensor whose element type and shape are part of its type. Owns its elements, aligned to 64 bytes:
// inside the object when they are few, else on the heap.
template <class T, index_t... Dims>
  requires element_like<T>
class tensor {
  static_assert(sizeof...(Dims) <= max_rank, "tenon: a tensor has at most 8 dimensions");
  static_assert(((Dims >= 0) && ...), "tenon: a dimension is not negative");

 public:
  using value_type = T;
  static constexpr tensor_type type = type_of(dtype_of<T>, ints{Dims...});
  static constexpr ints shape{Dims...};
  static constexpr index_t size = (Dims * ... * index_t(1));

  // All elements zero.
  constexpr tensor() = default;
  constexpr explicit tensor(T value)
    requires(sizeof...(Dims) == 0)
  {
    *data() = value;
  }
  // tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
  constexpr tensor(std::initializer_list<typename detail::nested_list<T, int(sizeof...(Dims)) - 1>::type> values)
    requires(sizeof...(Dims) > 0)
  {
    T* to = data();
    detail::copy_nested<T>(values, shape.at, to);
  }
  // The value of an expression of the same type.
  template <class Expression>
    requires detail::evaluable<Expression>
  tensor(const Expression& source) {
    *this = source;
  }
  template <class Expression>
    requires detail::evaluable<Expression>
  tensor& operator=(const Expression& source) {
    static_assert(Expression::type == type, "tenon: the expression has another element type or shape than the tensor");
    bool reads_this = false;
    source.for_each_leaf([&](const auto& leaf) { reads_this |= static_cast<const void*>(leaf.data()) == data(); });
    if (reads_this) {
      tensor result;
      detail::evaluate_into(source, result.data());
      *this = std::move(result);
    } else {
      detail::evaluate_into(source, data());
    }
    return *this;
  }

  static constexpr tensor filled(T value) {
    tensor result;
    for (T& element : result) element = value;
    return result;
  }

  constexpr T* data() { return storage_.data(); }
  constexpr const T* data() const { return storage_.data(); }
  constexpr T* begin() { return data(); }
  constexpr T* end() { return data() + size; }
  constexpr const T* begin() const { return data(); }
  constexpr const T* end() const { return data() + size; }

  // x(1, 2); an index out of range is reported.
  template <class... Index>
    requires(sizeof...(Index) == sizeof...(Dims))
  constexpr T& operator()(Index... index) {
    return data()[position({index_t(index)...})];
  }
  template <class... Index>
    requires(sizeof...(Index) == sizeof...(Dims))
  constexpr const T& operator()(Index... index) const {
    return data()[position({index_t(index)...})];
  }

 private:
  detail::tensor_storage<T, std::size_t(size)> storage_;

  static constexpr index_t position(const ints& index) {
    for (int axis = 0; axis < shape.size; ++axis)
      if (index.at[axis] < 0 || index.at[axis] >= shape.at[axis])
        fail("index ", index.at[axis], " of dimension ", axis, " is not within its size ", shape.at[axis]);
    return offset_of(shape, index);
  }
};

// A tensor over memory of the caller, dense and row-major; `T` may be const. Aligned as T at least.
template <class T, index_t... Dims>
  requires element_like<std::remove_const_t<T>>
class tensor_view {
 public:
  using value_type = std::remove_const_t<T>;
  static constexpr tensor_type type = type_of(dtype_of<value_type>, ints{Dims...});
  static constexpr ints shape{Dims...};
  static constexpr index_t size = (Dims * ... * index_t(1));

  constexpr explicit tensor_view(T* elements) : elements_(elements) {}
  constexpr tensor_view(const tensor<value_type, Dims...>& owner)
    requires std::is_const_v<T>
      : elements_(owner.data()) {}
  constexpr tensor_view(tensor<value_type, Dims...>& owner) : elements_(owner.data()) {}

  // Computes an expression into the memory of the view.
  template <class Expression>
    requires(detail::evaluable<Expression> && !std::is_const_v<T>)
  const tensor_view& operator=(const Expression& source) const {
    static_assert(Expression::type == type, "tenon: the expression has another element type or shape than the view");
    tensor<value_type, Dims...> result(source);
    for (index_t i = 0; i < size; ++i) elements_[i] = result.data()[i];
    return *this;
  }

  constexpr T* data() const { return elements_; }
  constexpr T* begin() const { return elements_; }
  constexpr T* end() const { return elements_ + size; }

  template <class... Index>
    requires(sizeof...(Index) == sizeof...(Dims))
  constexpr T& operator()(Index... index) const {
    const ints at{index_t(index)...};
    for (int axis = 0; axis < shape.size; ++axis)
      if (at.at[axis] < 0 || at.at[axis] >= shape.at[axis])
        fail("index ", at.at[axis], " of dimension ", axis, " is not within its size ", shape.at[axis]);
    return elements_[offset_of(shape, at)];
  }

 private:
  T* elements_;
};

// Whether all elements are equal. NaN equals nothing.
template <class T, index_t... Dims>
constexpr bool equal(const tensor<T, Dims...>& lhs, const tensor<T, Dims...>& rhs) {
  for (index_t i = 0; i < tensor<T, Dims...>::size; ++i)
    if (!(lhs.data()[i] == rhs.data()[i])) return false;
  return true;
}

}  // namespace tenon
