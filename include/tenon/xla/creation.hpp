// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/builder.hpp>

// Values that come from nowhere.
namespace tenon::xla {

template <class T>
constexpr XlaOp ConstantR0(XlaBuilder* builder, T value) {
  return tenon::detail::record_number(builder->into(), type_of(dtype_of<T>), value);
}
template <class T>
constexpr XlaOp ConstantR1(XlaBuilder* builder, std::initializer_list<T> values) {
  table<index_t>& words = builder->into().program.words;
  const int first = words.size;
  for (const T& value : values) tenon::detail::push_element(words, value);
  return tenon::detail::record_literal(builder->into(), type_of(dtype_of<T>, {index_t(values.size())}), first);
}
template <class T>
constexpr XlaOp ConstantR2(XlaBuilder* builder, std::initializer_list<std::initializer_list<T>> values) {
  table<index_t>& words = builder->into().program.words;
  const int first = words.size;
  const std::size_t columns = values.size() > 0 ? values.begin()->size() : 0;
  for (const auto& row : values)
    for (std::size_t i = 0; i < columns; ++i)
      tenon::detail::push_element(words, i < row.size() ? row.begin()[i] : T(0));
  return tenon::detail::record_literal(builder->into(),
                                       type_of(dtype_of<T>, {index_t(values.size()), index_t(columns)}), first);
}
constexpr XlaOp Iota(XlaBuilder* builder, const Shape& shape, std::int64_t iota_dimension) {
  return detail::record_alone(builder, shape, ops::iota{iota_dimension});
}
constexpr XlaOp Iota(XlaBuilder* builder, PrimitiveType type, std::int64_t size) {
  return Iota(builder, type_of(type, {size}), 0);
}

}  // namespace tenon::xla
