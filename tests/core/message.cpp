// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/message.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;

namespace {

template <class... Parts>
constexpr bool writes(std::string_view expected, const Parts&... parts) {
  message_text<100> text;
  (text << ... << parts);
  return detail::same_text(text.view(), expected);
}

}  // namespace

TEST_CASE("numbers and types as text") {
  static_assert(writes("0 -7 255", 0, " ", -7, " ", std::uint8_t{255}));
  static_assert(writes("-9223372036854775808", INT64_MIN));
  static_assert(writes("18446744073709551615", UINT64_MAX));
  static_assert(writes("tensor<2x3xf32>", type_of(dtype::f32, {2, 3})));
  static_assert(writes("tensor<bf16>", type_of(dtype::bf16, {})));
  static_assert(writes("tensor<2xcomplex<f64>>", type_of(dtype::complex_f64, {2})));
  static_assert(writes("token", type_of(dtype::token, {})));
  constexpr tensor_type both[] = {type_of(dtype::i1, {}), type_of(dtype::i8, {4})};
  static_assert(writes("tensor<i1>, tensor<4xi8>", list<tensor_type>{both, 2}));
}

TEST_CASE("what does not fit is left out") {
  constexpr auto text = [] {
    message_text<3> result;
    return result << "abcdef";
  }();
  static_assert(detail::same_text(text.view(), "abc"));
}
