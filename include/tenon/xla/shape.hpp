// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/tensor_type.hpp>
#include <tenon/graph/ir/tracer.hpp>

#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

// Types, shapes, literals and spans under XLA's names.
namespace tenon::xla {

using PrimitiveType = dtype;

inline constexpr PrimitiveType PRED = dtype::i1, S2 = dtype::i2, S4 = dtype::i4, S8 = dtype::i8, S16 = dtype::i16,
                               S32 = dtype::i32, S64 = dtype::i64, U2 = dtype::ui2, U4 = dtype::ui4, U8 = dtype::ui8,
                               U16 = dtype::ui16, U32 = dtype::ui32, U64 = dtype::ui64, F16 = dtype::f16,
                               BF16 = dtype::bf16, F32 = dtype::f32, F64 = dtype::f64, C64 = dtype::complex_f32,
                               C128 = dtype::complex_f64, F8E5M2 = dtype::f8E5M2, F8E4M3FN = dtype::f8E4M3FN,
                               F8E4M3 = dtype::f8E4M3, F8E3M4 = dtype::f8E3M4, F8E4M3B11FNUZ = dtype::f8E4M3B11FNUZ,
                               F8E5M2FNUZ = dtype::f8E5M2FNUZ, F8E4M3FNUZ = dtype::f8E4M3FNUZ,
                               F8E8M0FNU = dtype::f8E8M0FNU, F4E2M1FN = dtype::f4E2M1FN, TOKEN = dtype::token,
                               TUPLE = dtype::tuple;

// Elements that outlive the call: {a, b, ...}, a std::vector, a std::array or a single one.
template <class T>
class Span {
 public:
  constexpr Span() = default;
  constexpr Span(std::initializer_list<T> values) {
    data_ = values.begin();
    size_ = int(values.size());
  }
  constexpr Span(const T& single) : data_(&single), size_(1) {}
  template <std::size_t Count>
  constexpr Span(const T (&values)[Count]) : data_(values), size_(int(Count)) {}
  template <class Range>
    requires requires(const Range& range) { static_cast<const T*>(range.data()), range.size(); }
  constexpr Span(const Range& range) : data_(range.data()), size_(int(range.size())) {}

  constexpr int size() const { return size_; }
  constexpr const T& operator[](int i) const { return data_[i]; }
  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }

 private:
  const T* data_ = nullptr;
  int size_ = 0;
};

template <class T>
using ArraySlice = Span<T>;

// A list of sizes, dimensions or indices, or of truth values.
struct Int64Span : ints {
  constexpr Int64Span() = default;
  constexpr Int64Span(std::initializer_list<index_t> values) : ints(values) {}
  constexpr Int64Span(const ints& values) : ints(values) {}
  template <class Range>
    requires requires(const Range& values) { index_t(*values.begin()); }
  constexpr Int64Span(const Range& values) {
    for (const auto value : values) push(index_t(value));
  }
  template <class T>
  constexpr Int64Span(const std::optional<std::vector<T>>& values) {
    if (values) *this = *values;
  }
  constexpr Int64Span(std::nullopt_t) {}
};

// Padding before and behind each dimension.
struct PaddingPairs : ints_table {
  constexpr PaddingPairs() = default;
  constexpr PaddingPairs(std::initializer_list<ints> pairs) : ints_table(pairs) {}
  constexpr PaddingPairs(const ints_table& pairs) : ints_table(pairs) {}
  template <class Pairs>
    requires requires(const Pairs& pairs) { pairs.begin()->first; }
  constexpr PaddingPairs(const Pairs& pairs) {
    for (const auto& [low, high] : pairs) push({low, high});
  }
};

// Memory is dense and row-major whatever a layout says.
struct Layout {
  ints minor_to_major{};
};
struct LayoutUtil {
  static constexpr Layout MakeLayout(const Int64Span& minor_to_major) { return {minor_to_major}; }
};

// Whether there are arrays of this type; or it is a token.
constexpr bool is_possible(const tensor_type& type) {
  if (type.quantization != 0 || type.members != 0 || type.bounded >> type.rank() != 0) return false;
  return type.is_token() || (type.is_tensor() && type.shape.dropped == 0 && type.shape.within(0, INT64_MAX) &&
                             byte_size(type) < INT64_MAX);
}

// An array, a token, or a tuple of shapes.
class Shape {
 public:
  constexpr Shape() = default;
  constexpr Shape(const tensor_type& array) : array_(array) {}
  constexpr explicit Shape(const std::vector<Shape>& members) : array_{dtype::tuple, 0, 0, 0, {}}, members_(members) {}

  constexpr const tensor_type& type() const { return array_; }
  constexpr PrimitiveType element_type() const { return array_.element; }
  constexpr const ints& dimensions() const { return array_.shape; }
  constexpr index_t dimensions(int i) const { return array_.shape[i]; }
  constexpr int rank() const { return array_.rank(); }
  constexpr bool IsTuple() const { return array_.element == dtype::tuple; }
  constexpr bool IsToken() const { return array_.is_token(); }
  constexpr const std::vector<Shape>& tuple_shapes() const { return members_; }
  constexpr const Shape& tuple_shapes(int i) const { return members_[std::size_t(i)]; }

  // The arrays and tokens within, in order.
  constexpr void append_leaves(std::vector<tensor_type>& to) const {
    if (!IsTuple()) return to.push_back(array_);
    for (const Shape& member : members_) member.append_leaves(to);
  }

  friend constexpr bool operator==(const Shape& a, const Shape& b) {
    if (!(a.array_ == b.array_) || a.members_.size() != b.members_.size()) return false;
    for (std::size_t i = 0; i < a.members_.size(); ++i)
      if (!(a.members_[i] == b.members_[i])) return false;
    return true;
  }

 private:
  tensor_type array_;
  std::vector<Shape> members_;
};

struct ShapeUtil {
  static constexpr Shape MakeShape(PrimitiveType element_type, const Int64Span& dimensions) {
    return type_of(element_type, dimensions);
  }
  // Dimensions whose size is known at run time only are below these.
  static constexpr Shape MakeShape(PrimitiveType element_type, const Int64Span& bounds,
                                   const std::vector<bool>& dynamic_dimensions) {
    tensor_type type = type_of(element_type, bounds);
    for (std::size_t i = 0; i < dynamic_dimensions.size(); ++i)
      if (dynamic_dimensions[i]) type.bound(index_t(i));
    return type;
  }
  static constexpr Shape MakeShapeWithDenseLayout(PrimitiveType element_type, const Int64Span& dimensions,
                                                  const Int64Span& /*minor_to_major*/) {
    return MakeShape(element_type, dimensions);
  }
  static constexpr Shape MakeScalarShape(PrimitiveType element_type) { return type_of(element_type); }
  static constexpr Shape MakeTupleShape(Span<Shape> shapes) {
    return Shape(std::vector<Shape>(shapes.begin(), shapes.end()));
  }
  static constexpr Shape MakeTokenShape() { return token_type(); }
  static constexpr Shape MakeNil() { return MakeTupleShape({}); }
};

// The elements of a constant.
struct Literal {
  tensor_type type;
  std::vector<index_t> words;  // bits of an element, or of its real and its imaginary part
  bool ragged = false;         // made of rows of several lengths

  constexpr Shape shape() const { return type; }
  template <class T>
  constexpr void push(const T& value) {
    index_t bits[2]{};
    table<index_t> to{bits, 0, 2};
    tenon::detail::push_element(to, value);
    words.insert(words.end(), bits, bits + to.size);
  }
  // The number for each element type, as what `number` gives for it.
  template <class Number>
  static constexpr Literal of(PrimitiveType element, Number number) {
    Literal result{type_of(element), {}};
    visit(element, [&]<class T>() {
      if constexpr (requires { number.template operator()<T>(); }) result.push(number.template operator()<T>());
    });
    return result;
  }
};
using LiteralSlice = Literal;

struct LiteralUtil {
  template <class T>
  using Values = std::initializer_list<T>;

  template <class T>
  static constexpr Literal CreateR0(T value) {
    Literal result{type_of(dtype_of<T>), {}};
    result.push(value);
    return result;
  }
  template <class T>
  static constexpr Literal CreateR1(Span<T> values) {
    return create<T>(values);
  }
  template <class T>
  static constexpr Literal CreateR2(Values<Values<T>> values) {
    return create<T>(values);
  }
  template <class T>
  static constexpr Literal CreateR3(Values<Values<Values<T>>> values) {
    return create<T>(values);
  }
  template <class T>
  static constexpr Literal CreateR4(Values<Values<Values<Values<T>>>> values) {
    return create<T>(values);
  }
  static constexpr Literal Zero(PrimitiveType type) {
    return Literal::of(type, []<class T>() { return convert_to<T>(0); });
  }
  static constexpr Literal One(PrimitiveType type) {
    return Literal::of(type, []<class T>() { return convert_to<T>(1); });
  }
  // The infinities among floats that have them; complex numbers have neither.
  static constexpr Literal MinValue(PrimitiveType type) {
    return Literal::of(type, []<class T>()
                         requires(!is_complex(dtype_of<T>))
                       { return element_traits<T>::least(); });
  }
  static constexpr Literal MaxValue(PrimitiveType type) {
    return Literal::of(type, []<class T>()
                         requires(!is_complex(dtype_of<T>))
                       { return element_traits<T>::greatest(); });
  }

 private:
  template <class T, class Nested>
  static constexpr Literal create(const Nested& values) {
    Literal result{type_of(dtype_of<T>), {}};
    append<T>(result, values, 0);
    return result;
  }
  // The first list of a dimension says how long its lists are.
  template <class T, class Nested>
  static constexpr void append(Literal& to, const Nested& values, int dimension) {
    const index_t count = index_t(values.size());
    if (dimension == to.type.rank()) to.type.shape.push(count);
    to.ragged = to.ragged || count != to.type.dim(dimension);
    using element = std::remove_cvref_t<decltype(*values.begin())>;
    if constexpr (std::is_same_v<element, T>) {
      for (const T& each : values) to.push(each);
    } else {
      if (count == 0) append<T>(to, element{}, dimension + 1);
      for (const element& each : values) append<T>(to, each, dimension + 1);
    }
  }
};

}  // namespace tenon::xla
