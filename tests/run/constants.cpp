// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/constants.hpp>
#include <tenon/run/program.hpp>

#include <shared/read_program.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::execution;

namespace {

// The bytes are those of the target, so tests compare elements.
template <class T>
std::vector<T> decoded(const std::string& literal, const std::string& type, index_t count) {
  const std::string text = "func.func @main() -> tensor<" + type + "> {\n %c = stablehlo.constant dense<" + literal +
                           "> : tensor<" + type + ">\n return %c : tensor<" + type + ">\n}";
  const graph_owner program = read_program(text);
  REQUIRE_MESSAGE(!program.error(), std::string(program.error() ? program.error().sentence : ""));
  const graph& g = program.program();
  REQUIRE(g.literals.size == 1);
  constexpr unsigned char untouched = 0xA5;
  std::vector<unsigned char> bytes(std::size_t(count) * sizeof(T) + 8, untouched);
  REQUIRE(text_literals::decode(g, g.literals.data[0], g.type_of_value(g.nodes.data[0].results), count, bytes.data()));
  for (std::size_t i = std::size_t(count) * sizeof(T); i < bytes.size(); ++i) CHECK(bytes[i] == untouched);
  std::vector<T> elements(static_cast<std::size_t>(count));
  if (count > 0) std::memcpy(static_cast<void*>(elements.data()), bytes.data(), std::size_t(count) * sizeof(T));
  return elements;
}

// Two words, as constants are kept that nobody wrote as text: one element, or all of them.
bool decode_words(const std::vector<index_t>& words, const tensor_type& type, index_t count, void* to) {
  graph g;
  std::vector<index_t> memory = words;
  g.words = {memory.data(), int(memory.size()), int(memory.size())};
  graph_literal literal;
  literal.size = int(memory.size());
  return text_literals::decode(g, literal, type, count, static_cast<unsigned char*>(to));
}

}  // namespace

TEST_CASE("bits are stored as the target stores numbers") {
  unsigned char bytes[8];
  store_bits(bytes, 0x0102030405060708, 8);
  const std::int64_t wide = 0x0102030405060708;
  CHECK(std::memcmp(bytes, &wide, 8) == 0);
  store_bits(bytes, -2, 4);
  const std::int32_t narrow = -2;
  CHECK(std::memcmp(bytes, &narrow, 4) == 0);
}

TEST_CASE("as many elements as are asked for") {
  using floats = std::vector<float>;
  CHECK(decoded<float>("[1.5, -2.0, 3.25]", "3xf32", 3) == floats{1.5f, -2.0f, 3.25f});
  CHECK(decoded<float>("[1.5, -2.0, 3.25]", "3xf32", 1) == floats{1.5f});
  CHECK(decoded<float>("[1.5, -2.0, 3.25]", "3xf32", 0) == floats{});
  CHECK(decoded<float>("[]", "0xf32", 0) == floats{});
  CHECK(decoded<float>("[[1.0, 2.0], [3.0, 4.0]]", "2x2xf32", 4) == floats{1, 2, 3, 4});
}

TEST_CASE("one element stands for all") {
  CHECK(decoded<std::int64_t>("-7", "2x2xi64", 4) == std::vector<std::int64_t>(4, -7));
  CHECK(decoded<std::int64_t>("-7", "2x2xi64", 1) == std::vector<std::int64_t>{-7});
  CHECK(decoded<std::uint8_t>("\"0xFF\"", "5xui8", 5) == std::vector<std::uint8_t>(5, 255));
  CHECK(decoded<std::uint8_t>("true", "3xi1", 3) == std::vector<std::uint8_t>(3, 1));
}

TEST_CASE("bytes, complex numbers and bits of floats") {
  CHECK(decoded<std::uint16_t>("\"0x01000200FFFF\"", "3xui16", 3) == std::vector<std::uint16_t>{1, 2, 65535});
  CHECK(decoded<std::uint32_t>("0x7FC00001", "f32", 1) == std::vector<std::uint32_t>{0x7FC00001});
  struct pair {
    float real, imag;
    bool operator==(const pair&) const = default;
  };
  const auto pairs = decoded<pair>("[(1.0, -2.0), (0.5, 4.0)]", "2xcomplex<f32>", 2);
  CHECK(pairs[0] == pair{1, -2});
  CHECK(pairs[1] == pair{0.5, 4});
  const auto same = decoded<pair>("(1.0, -2.0)", "3xcomplex<f32>", 3);
  CHECK(same[0] == pair{1, -2});
  CHECK(same[2] == pair{1, -2});
}

TEST_CASE("words") {
  std::int16_t numbers[3] = {};
  CHECK(decode_words({-1}, type_of(dtype::i16, {3}), 3, numbers));
  CHECK(numbers[0] == -1);
  CHECK(numbers[2] == -1);
  CHECK(decode_words({1, -2, 3}, type_of(dtype::i16, {3}), 3, numbers));
  CHECK(numbers[0] == 1);
  CHECK(numbers[1] == -2);
  CHECK(numbers[2] == 3);
  CHECK(decode_words({9, 8, 7}, type_of(dtype::i16, {3}), 0, numbers));
  CHECK(numbers[0] == 1);
  // Two words are one complex number.
  std::uint32_t parts[4] = {};
  CHECK(decode_words({5, 6}, type_of(dtype::complex_f32, {2}), 2, parts));
  CHECK(parts[0] == 5);
  CHECK(parts[1] == 6);
  CHECK(parts[2] == 5);
  CHECK(parts[3] == 6);
}

TEST_CASE("what is not well formed is said so") {
  const std::string text = "[1, 2, x]";
  graph g;
  g.text = text;
  graph_literal literal;
  literal.where = graph_literal::place::text;
  literal.size = int(text.size());
  unsigned char bytes[64];
  CHECK(!text_literals::decode(g, literal, type_of(dtype::i32, {3}), 3, bytes));
}

namespace {

// Too many decimal numbers for constant evaluation: all constants are decoded when the program first runs.
struct many_numbers {
  static constexpr index_t count = execution::most_constexpr_decimals + 6;
  static constexpr auto written = [] {
    message_text<16000> all;
    all << "func.func @main() -> (tensor<" << count << "xf32>, tensor<2xcomplex<f32>>, tensor<2xbf16>, tensor<2xi1>, "
        << "tensor<2xi32>, tensor<2xf64>) {\n%0 = stablehlo.constant dense<[0.25";
    for (index_t i = 1; i < count; ++i) all << ", " << i << ".25";
    all << "]> : tensor<" << count << "xf32>\n"
        << "%1 = stablehlo.constant dense<[(1.5, -2.0), (0.0, 3.25)]> : tensor<2xcomplex<f32>>\n"
        << "%2 = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xbf16>\n"
        << "%3 = stablehlo.constant dense<[true, false]> : tensor<2xi1>\n"
        << "%4 = stablehlo.constant dense<[-7, 9]> : tensor<2xi32>\n"
        << "%5 = stablehlo.constant dense<[0.1, 2.5]> : tensor<2xf64>\n"
        << "return %0, %1, %2, %3, %4, %5 : tensor<" << count << "xf32>, tensor<2xcomplex<f32>>, tensor<2xbf16>, "
        << "tensor<2xi1>, tensor<2xi32>, tensor<2xf64>\n}";
    return all;
  }();
  static constexpr std::string_view text = written.view();
};

}  // namespace

TEST_CASE("constants of several types that are decoded when a program runs") {
  std::vector<f32> numbers(std::size_t(many_numbers::count));
  complex<f32> pairs[2];
  bf16 narrow[2];
  bool truths[2];
  i32 integers[2];
  f64 wide[2];
  void* const results[] = {numbers.data(), pairs, narrow, truths, integers, wide};
  program<many_numbers>::code::run(nullptr, results);
  bool are_equal = true;
  for (std::size_t i = 0; i < numbers.size(); ++i) are_equal = are_equal && numbers[i] == f32(i) + 0.25f;
  CHECK(are_equal);
  CHECK((pairs[0].real == 1.5f && pairs[0].imag == -2 && pairs[1].real == 0 && pairs[1].imag == 3.25f));
  CHECK((convert_to<f32>(narrow[0]) == 1.5f && convert_to<f32>(narrow[1]) == -2));
  CHECK((truths[0] && !truths[1] && integers[0] == -7 && integers[1] == 9 && wide[0] == 0.1 && wide[1] == 2.5));
}
