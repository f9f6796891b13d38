// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/fail.hpp>

#include <doctest/doctest.h>

#include <string>

namespace tenon {
namespace {

template <class... Parts>
constexpr bool reads(std::string_view expected, Parts... parts) {
  core::message_text<error::capacity - 1> text;
  ((text << parts), ...);
  return text.view() == expected && text.at[text.length] == '\0';
}

static_assert(reads(""));
static_assert(reads("custom_call: 'foo' is unknown", "custom_call: '", std::string_view("foo"), "' is unknown"));
static_assert(reads("0 -1 10 99", 0, " ", -1, " ", 10, " ", 99));
static_assert(reads("-9223372036854775808", INT64_MIN));
static_assert(reads("18446744073709551615", UINT64_MAX));

int handled = 0;
std::string handled_text;
void count(const char* message) {
  ++handled;
  handled_text = message;
}

TEST_CASE("a failure throws its message") {
  std::string text;
  try {
    fail("replica ", 3, " of ", 2);
  } catch (const error& failure) {
    text = failure.what();
  }
  CHECK(text == "replica 3 of 2");
}

TEST_CASE("a message that is too long is cut") {
  const std::string text(1000, 'x');
  try {
    fail(std::string_view(text));
  } catch (const std::exception& failure) {
    CHECK(std::string(failure.what()) == std::string(error::capacity - 1, 'x'));
  }
}

TEST_CASE("the handler comes first") {
  on_failure = count;
  CHECK_THROWS_AS(fail("once"), error);
  on_failure = nullptr;
  CHECK_THROWS_AS(fail("twice"), error);
  CHECK(handled == 1);
  CHECK(handled_text == "once");
}

}  // namespace
}  // namespace tenon
