// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>, <tenon/programs.hpp>, <tenon/planned_programs.hpp>, <tenon/xla.hpp>.
#pragma once

#include <tenon/core/broken_rule.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/core/lifetime.hpp>
#include <tenon/core/memory.hpp>
#include <tenon/core/part.hpp>
#include <tenon/core/refusals.hpp>
#include <tenon/core/tensor_type.hpp>
#include <tenon/core/written_number.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

namespace tenon {

// Asks for elements that nobody has set: tensor<f32, 1000, 1000> x(uninitialized);
struct uninitialized_t {};
inline constexpr uninitialized_t uninitialized{};

template <class T, index_t... Dims>
  requires element_like<T>
class tensor;
template <class T, index_t... Dims>
  requires element_like<std::remove_const_t<T>>
class tensor_view;

namespace detail {

// Elements inside the object.
template <class T, std::size_t Size>
class inline_storage {
 public:
  constexpr inline_storage() : elements_{} {}
  constexpr explicit inline_storage(uninitialized_t) {}
  constexpr T* data() { return elements_; }
  constexpr const T* data() const { return elements_; }

 private:
  alignas(64) T elements_[Size > 0 ? Size : 1];
};

// Elements on the heap, so that no stack overflows; moved in constant time.
template <class T, std::size_t Size>
class heap_storage {
 public:
  explicit heap_storage(uninitialized_t) : elements_(allocate()) {}
  heap_storage() : heap_storage(uninitialized) {
    for (std::size_t i = 0; i < Size; ++i) elements_[i] = T{};
  }
  heap_storage(const heap_storage& other) : heap_storage(uninitialized) {
    for (std::size_t i = 0; i < Size; ++i) elements_[i] = other.data()[i];
  }
  heap_storage(heap_storage&& other) noexcept : elements_(std::exchange(other.elements_, nullptr)) {}
  heap_storage& operator=(const heap_storage& other) {
    for (std::size_t i = 0; i < Size; ++i) data()[i] = other.data()[i];
    return *this;
  }
  heap_storage& operator=(heap_storage&& other) noexcept {
    std::swap(elements_, other.elements_);
    return *this;
  }
  ~heap_storage() { ::operator delete(elements_, std::align_val_t(64)); }

  // A tensor that was moved from gets new elements for who may write them. Readers may be several threads.
  T* data() {
    if (elements_ == nullptr) *this = heap_storage();
    return elements_;
  }
  const T* data() const {
    if (elements_ == nullptr) fail("a tensor is read whose elements were moved to another");
    return elements_;
  }

 private:
  T* elements_;

  static T* allocate() { return static_cast<T*>(::operator new(Size * sizeof(T), std::align_val_t(64))); }
};

// The largest tensor that is kept inside the object.
inline constexpr std::size_t most_inline_bytes = 16384;

template <class T, std::size_t Size>
using tensor_storage = std::conditional_t<(__STDC_HOSTED__ && Size * sizeof(T) > most_inline_bytes),
                                          heap_storage<T, Size>, inline_storage<T, Size>>;

// An expression: something to be computed. `valid` is false where it breaks a rule, which has been reported.
template <class Source>
concept evaluable = requires {
  std::remove_cvref_t<Source>::leaf_count;
  std::remove_cvref_t<Source>::valid;
};

template <class T>
inline constexpr bool is_tensor = false;
template <class T, index_t... Dims>
inline constexpr bool is_tensor<tensor<T, Dims...>> = true;
template <class T, index_t... Dims>
inline constexpr bool is_tensor<tensor_view<T, Dims...>> = true;

template <tensor_type Type>
struct tensor_of_type {
  template <index_t... I>
  static tensor<element_t<Type.element>, Type.shape.at[I]...> find(std::integer_sequence<index_t, I...>);
  using type = decltype(find(std::make_integer_sequence<index_t, Type.shape.size>{}));
};

// Fails to compile unless both types are the same; the message names them.
template <class Target, class Source>
constexpr bool check_types() {
  static_assert(std::is_same_v<Target, Source>,
                "tenon: what is assigned has another element type or shape than the tensor that receives it");
  return std::is_same_v<Target, Source>;
}

// Computes an expression into memory; defined in run/evaluate.hpp.
template <class Expression, class T>
void evaluate_into(const Expression& source, T* result);

template <class Target, class Expression, class T>
void compute(const Expression& source, T* result) {
  if constexpr (Expression::valid) {
    if constexpr (check_types<Target, typename tensor_of_type<Expression::type>::type>()) evaluate_into(source, result);
  }
}

// Whether an expression reads the memory that its value is to be written to.
template <class Expression>
bool reads(const Expression& source, const void* memory, std::size_t bytes) {
  source.check_alive();
  bool found = false;
  source.for_each_leaf([&](const auto& leaf) {
    const auto start = reinterpret_cast<std::uintptr_t>(leaf.data()), target = reinterpret_cast<std::uintptr_t>(memory);
    const std::size_t size = std::size_t(leaf.size) * sizeof(*leaf.data());
    found = found || (start < target + bytes && target < start + size);
  });
  return found;
}

constexpr index_t checked_offset(const ints& shape, const ints& index) {
  for (int axis = 0; axis < shape.size; ++axis)
    if (index.at[axis] < 0 || index.at[axis] >= shape.at[axis])
      fail("index ", index.at[axis], " of dimension ", axis, " is not within its size ", shape.at[axis]);
  return offset_of(shape, index);
}

// Row i of a tensor whose elements begin here.
template <index_t Rows, index_t... Rest, class T>
constexpr tensor_view<T, Rest...> row_of(T* elements, index_t i) {
  return tensor_view<T, Rest...>(elements + checked_offset(ints{Rows}, {i}) * (Rest * ... * index_t(1)));
}

template <index_t Size, index_t... Rest, class T>
constexpr decltype(auto) element_or_row(T* elements, index_t i) {
  if constexpr (sizeof...(Rest) == 0)
    return (elements[checked_offset(ints{Size}, {i})]);
  else
    return row_of<Size, Rest...>(elements, i);
}

}  // namespace detail

// The tensor<...> that holds values of this type.
template <tensor_type Type>
using tensor_of = typename detail::tensor_of_type<Type>::type;

// A dense row-major tensor whose element type and shape are part of its type. Owns its elements, aligned to 64 bytes:
// inside the object when they are few, else on the heap. In a freestanding build they are always inside.
//
//   tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
//   x(1, 2) = 7;
//   for (f32& element : x) element *= 2;
template <class T, index_t... Dims>
  requires element_like<T>
class tensor {
  static_assert(sizeof...(Dims) <= max_rank, "tenon: a tensor has at most 8 dimensions");
  static_assert(((Dims >= 0) && ...), "tenon: a dimension is not negative");

 public:
  using value_type = T;
  static constexpr tensor_type type = type_of(dtype_of<T>, ints{Dims...});
  static constexpr ints shape{Dims...};
  static constexpr int rank = int(sizeof...(Dims));
  static constexpr index_t size = (Dims * ... * index_t(1));

  // All elements zero.
  constexpr tensor() = default;
  constexpr explicit tensor(uninitialized_t) : storage_(uninitialized) {}

  // A tensor without dimensions is a number.
  template <class Element>
    requires(rank == 0 && detail::written_elements<T, Element>)
  constexpr tensor(Element element) : storage_(uninitialized) {
    *data() = detail::written_element<T>(element).value;
  }
  constexpr operator T() const
    requires(rank == 0)
  {
    return *data();
  }
  // Lists of elements: how many there are is checked while compiling, for more than four dimensions when it runs.
  template <class... Elements>
    requires(rank == 1 && sizeof...(Elements) == size && size > 0 && detail::written_elements<T, Elements...>)
  constexpr explicit(sizeof...(Elements) == 1) tensor(Elements... elements) : storage_(uninitialized) {
    T* to = data();
    detail::copy_rows<T>({detail::written_element<T>(elements)...}, to);
  }
  template <class... Elements, class Rule = typename detail::checked_list<tensor, sizeof...(Elements)>::broken>
    requires(rank == 1 && sizeof...(Elements) > 0 && detail::written_elements<T, Elements...>)
  constexpr explicit(sizeof...(Elements) == 1) tensor(Elements...) = delete;
  template <class... Elements, class Rule = typename detail::outcome_of<detail::complaint_about_braces<type>>::broken>
    requires(rank > 1 && sizeof...(Elements) > 0 && detail::written_elements<T, Elements...>)
  explicit tensor(Elements...) = delete;
  template <std::size_t... Columns>
    requires(rank == 2 && sizeof...(Columns) > 0 && detail::complaint_about_list<type, Columns...>.message.length == 0)
  constexpr tensor(const detail::written_element<T> (&... rows)[Columns]) : storage_(uninitialized) {
    T* to = data();
    (detail::copy_rows<T>(rows, to), ...);
  }
  template <std::size_t... Columns, class Rule = typename detail::checked_list<tensor, index_t(Columns)...>::broken>
    requires(rank == 2 && sizeof...(Columns) > 0)
  tensor(const detail::written_element<T> (&... rows)[Columns]) = delete;
  template <std::size_t... Rows, std::size_t... Columns>
    requires(rank == 3 && sizeof...(Columns) > 0)
  constexpr tensor(const detail::written_element<T> (&... parts)[Rows][Columns]) : storage_(uninitialized) {
    static_assert(((ints{int(sizeof...(Columns)), Rows, Columns} == shape) && ...),
                  "tenon: the nested list has another shape than the tensor");
    T* to = data();
    (detail::copy_rows<T>(parts, to), ...);
  }
  template <std::size_t... Parts, std::size_t... Rows, std::size_t... Columns>
    requires(rank == 4 && sizeof...(Columns) > 0)
  constexpr tensor(const detail::written_element<T> (&... blocks)[Parts][Rows][Columns]) : storage_(uninitialized) {
    static_assert(((ints{int(sizeof...(Columns)), Parts, Rows, Columns} == shape) && ...),
                  "tenon: the nested list has another shape than the tensor");
    T* to = data();
    (detail::copy_rows<T>(blocks, to), ...);
  }
  constexpr tensor(std::initializer_list<typename detail::nested_list<T, (rank > 4 ? rank - 1 : 0)>::type> values)
    requires(rank > 4)
      : storage_(uninitialized) {
    T* to = data();
    detail::copy_nested<T>(values, shape.at, to);
  }

  // A copy of memory that somebody else owns.
  constexpr tensor(const tensor_view<const T, Dims...>& view) : storage_(uninitialized) {
    for (index_t i = 0; i < size; ++i) data()[i] = view.data()[i];
  }
  constexpr tensor(const tensor_view<T, Dims...>& view) : tensor(tensor_view<const T, Dims...>(view.data())) {}

  // The value of an expression of the same type.
  template <detail::evaluable Expression>
    requires(Expression::type == type)
  constexpr tensor(const Expression& source) : storage_(uninitialized) {
    if constexpr (Expression::has_elements) {
      if (std::is_constant_evaluated()) {
        for (index_t i = 0; i < size; ++i) data()[i] = source.element(i);
        return;
      }
    }
    detail::compute<tensor>(source, data());
  }
  template <detail::evaluable Expression>
    requires(Expression::type == type)
  tensor& operator=(const Expression& source) {
    if (detail::reads(source, data(), sizeof(T) * std::size_t(size)))
      *this = tensor(source);
    else
      detail::compute<tensor>(source, data());
    return *this;
  }
  template <detail::has_type Source, class Rule = typename detail::checked_assignment<tensor, Source>::broken>
  tensor(const Source&) = delete;
  template <class Source, class Rule = typename detail::checked_source<tensor, Source>::broken>
  tensor& operator=(const Source&) = delete;

  template <detail::memory_like Memory,
            class Rule = typename detail::outcome_of<detail::complaint_about_copies<type>>::broken>
  explicit tensor(const Memory&) = delete;

  static constexpr tensor filled(T value) {
    tensor result(uninitialized);
    for (T& element : result) element = value;
    return result;
  }

  // Of a temporary elements and rows are values, parts own what they are of, and nothing refers to its memory.
  template <class Rule = detail::ends_too_early::broken>
  const T* data() const&& = delete;
  template <class Rule = detail::ends_too_early::broken>
  const T* begin() const&& = delete;
  template <class Rule = detail::ends_too_early::broken>
  const T* end() const&& = delete;
  constexpr T* data() & { return storage_.data(); }
  constexpr const T* data() const& { return storage_.data(); }
  constexpr T* begin() & { return data(); }
  constexpr T* end() & { return data() + size; }
  constexpr const T* begin() const& { return data(); }
  constexpr const T* end() const& { return data() + size; }

  // x(at<0>, all), x[range<0, 4>]: an expression.
  template <class... Parts, class Rules = detail::parts_kept<const tensor&, Parts...>>
  constexpr auto operator()(Parts...) const& {
    return apply_function(detail::part_of<Parts...>{}, *this);
  }
  template <class... Parts, class Rules = detail::parts_kept<tensor, Parts...>>
  constexpr auto operator()(Parts...) && {
    return apply_function(detail::part_of<Parts...>{}, static_cast<tensor&&>(*this));
  }
  template <class... Parts, class Rules = detail::parts_kept<tensor, Parts...>>
  constexpr auto operator()(Parts...) const&& {
    return apply_function(detail::part_of<Parts...>{}, tensor(*this));
  }
  template <class... Parts, class Rule = detail::parts_call_broken<const tensor&, Parts...>>
  void operator()(Parts...) const = delete;
  // x(1, 2); an index out of range is reported.
  template <class... Index, class Found = detail::found_by<sizeof...(Dims), Index...>>
  constexpr T& operator()(Index... index) & {
    return (*this)[ints{index_t(index)...}];
  }
  template <class... Index, class Found = detail::found_by<sizeof...(Dims), Index...>>
  constexpr const T& operator()(Index... index) const& {
    return (*this)[ints{index_t(index)...}];
  }
  template <class... Index, class Found = detail::found_by<sizeof...(Dims), Index...>>
  constexpr T operator()(Index... index) const&& {
    return (*this)[ints{index_t(index)...}];
  }
  // v[1] of a vector, x[1] for row 1 of a matrix.
  template <detail::position_like Index>
    requires(rank > 0)
  constexpr decltype(auto) operator[](Index i) & {
    return detail::element_or_row<Dims...>(data(), i);
  }
  template <detail::position_like Index>
    requires(rank > 0)
  constexpr decltype(auto) operator[](Index i) const& {
    return detail::element_or_row<Dims...>(data(), i);
  }
  template <detail::position_like Index>
    requires(rank > 0)
  constexpr auto operator[](Index i) const&& {
    if constexpr (rank == 1)
      return (*this)[i];
    else
      return tenon::tensor((*this)[i]);
  }
  // x[{1, 2}]: an index that is a list.
  constexpr T& operator[](const ints& index) & { return data()[detail::checked_offset(shape, index)]; }
  constexpr const T& operator[](const ints& index) const& { return data()[detail::checked_offset(shape, index)]; }
  constexpr T operator[](const ints& index) const&& { return (*this)[index]; }

  // Row i: a view of memory of this tensor.
  constexpr auto row(index_t i) & { return detail::row_of<Dims...>(data(), i); }
  constexpr auto row(index_t i) const& { return detail::row_of<Dims...>(data(), i); }
  constexpr auto row(index_t i) const&& { return tenon::tensor(row(i)); }
  template <detail::axis_part Part, class Rules = detail::parts_kept<const tensor&, Part>>
  constexpr auto operator[](Part part) const& {
    return (*this)(part);
  }
  template <detail::axis_part Part, class Rules = detail::parts_kept<tensor, Part>>
  constexpr auto operator[](Part part) && {
    return static_cast<tensor&&>(*this)(part);
  }
  template <detail::axis_part Part, class Rules = detail::parts_kept<tensor, Part>>
  constexpr auto operator[](Part part) const&& {
    return static_cast<const tensor&&>(*this)(part);
  }
  template <class Part, class Rule = detail::parts_broken<const tensor&, Part>>
    requires(!detail::position_like<Part>)
  void operator[](Part) const = delete;

 private:
  [[no_unique_address]] core::lifetime lifetime_;
  detail::tensor_storage<T, std::size_t(size)> storage_;
};

// tensor x{1.0f, 2.0f}, tensor y{{1, 2}, {3, 4}}: lists of one type. auto z = evaluate(x + x) is a tensor, too.
template <class T, std::same_as<T>... Rest>
  requires element_like<T>
tensor(T, Rest...) -> tensor<T, 1 + index_t(sizeof...(Rest))>;
template <class T, std::size_t Columns, std::same_as<T>... Rows>
  requires element_like<T>
tensor(const T (&)[Columns], const Rows (&... rows)[Columns])
    -> tensor<T, 1 + index_t(sizeof...(rows)), index_t(Columns)>;
template <class T, index_t... Dims>
tensor(const tensor_view<T, Dims...>&) -> tensor<std::remove_const_t<T>, Dims...>;

// A tensor over memory of the caller, dense and row-major; `T` may be const. Assigning to it writes the elements.
template <class T, index_t... Dims>
  requires element_like<std::remove_const_t<T>>
class tensor_view : public detail::has_parts<tensor_view<T, Dims...>> {
 public:
  using value_type = std::remove_const_t<T>;
  static constexpr tensor_type type = type_of(dtype_of<value_type>, ints{Dims...});
  static constexpr ints shape{Dims...};
  static constexpr int rank = int(sizeof...(Dims));
  static constexpr index_t size = (Dims * ... * index_t(1));

  template <class Pointer>
    requires detail::pointer_to<Pointer, T>
  constexpr explicit tensor_view(Pointer&& elements) : elements_(elements) {}
  // Memory that knows its size and strides, which are compared: a std::span, a std::vector, a matrix of Eigen's.
  template <class Memory, class Rules = typename detail::checked_memory<T, type, Memory>::kept>
    requires(!detail::pointer_to<Memory, T>)
  constexpr explicit tensor_view(Memory&& memory) : elements_(detail::elements_in(memory)) {
    detail::check_memory(shape, memory);
  }
  template <class Memory, class Rule = typename detail::checked_memory<T, type, Memory>::broken>
  explicit tensor_view(Memory&&) = delete;
  constexpr tensor_view(const tensor<value_type, Dims...>& owner)
    requires std::is_const_v<T>
      : elements_(owner.data()) {}
  constexpr tensor_view(tensor<value_type, Dims...>& owner) : elements_(owner.data()) {}
  template <class Rule = detail::ends_too_early::broken>
  tensor_view(const tensor<value_type, Dims...>&&) = delete;
  constexpr tensor_view(const tensor_view&) = default;

  constexpr const tensor_view& operator=(const tensor_view& other) const
    requires(!std::is_const_v<T>)
  {
    copy(other.data());
    return *this;
  }
  template <class Source>
    requires(!std::is_const_v<T> && detail::is_tensor<Source> && Source::type == type)
  constexpr const tensor_view& operator=(const Source& other) const {
    copy(other.data());
    return *this;
  }
  constexpr const tensor_view& operator=(detail::written_element<value_type> number) const
    requires(!std::is_const_v<T> && rank == 0)
  {
    return *elements_ = number.value, *this;
  }
  // Computes an expression into the memory of the view.
  template <detail::evaluable Expression>
    requires(!std::is_const_v<T> && Expression::type == type)
  const tensor_view& operator=(const Expression& source) const {
    if (detail::reads(source, data(), sizeof(T) * std::size_t(size)))
      return *this = tensor<value_type, Dims...>(source);
    detail::compute<tensor<value_type, Dims...>>(source, elements_);
    return *this;
  }

  template <class Source, class Rule = typename detail::checked_source<tensor_view, Source>::broken>
  const tensor_view& operator=(const Source&) const = delete;

  // A view without dimensions is a number, too.
  constexpr operator value_type() const
    requires(rank == 0)
  {
    return *elements_;
  }

  constexpr T* data() const { return elements_; }
  constexpr T* begin() const { return elements_; }
  constexpr T* end() const { return elements_ + size; }

  using detail::has_parts<tensor_view>::operator();
  using detail::has_parts<tensor_view>::operator[];
  template <class... Index, class Found = detail::found_by<sizeof...(Dims), Index...>>
  constexpr T& operator()(Index... index) const {
    return elements_[detail::checked_offset(shape, {index_t(index)...})];
  }
  template <detail::position_like Index>
    requires(rank > 0)
  constexpr decltype(auto) operator[](Index i) const {
    return detail::element_or_row<Dims...>(elements_, i);
  }
  constexpr T& operator[](const ints& index) const { return elements_[detail::checked_offset(shape, index)]; }

  constexpr auto row(index_t i) const { return detail::row_of<Dims...>(elements_, i); }

 private:
  T* elements_;

  // The two may overlap.
  constexpr void copy(const value_type* from) const {
    if (elements_ <= from)
      for (index_t i = 0; i < size; ++i) elements_[i] = from[i];
    else
      for (index_t i = size; i-- > 0;) elements_[i] = from[i];
  }
};

// Whether two tensors or views have the same type and all elements are equal. NaN equals nothing.
template <class Lhs, class Rhs>
  requires(detail::is_tensor<Lhs> && detail::is_tensor<Rhs>)
constexpr bool equal(const Lhs& lhs, const Rhs& rhs) {
  if constexpr (Lhs::type == Rhs::type)
    for (index_t i = 0; i < Lhs::size; ++i)
      if (!(lhs.data()[i] == rhs.data()[i])) return false;
  return Lhs::type == Rhs::type;
}

}  // namespace tenon
