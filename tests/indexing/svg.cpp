// SPDX-License-Identifier: Apache-2.0
#include <tenon/indexing/svg.hpp>

#include "indexing/pictures.hpp"

#include <doctest/doctest.h>

#include <tenon/indexing/builders.hpp>

#include <string>

using namespace tenon;
using tenon::test::content_of;
using tenon::test::count;
using namespace tenon::indexing;

namespace {

bool is_balanced(const std::string& text) {
  return text.find("<svg ") == 0 && text.rfind("</svg>\n") == text.size() - 7 &&
         count(text, "<text ") == count(text, "</text>") && count(text, "\"") % 2 == 0;
}

}  // namespace

// The picture of docs/indexing.md.
TEST_CASE("windows that overlap") {
  const indexing_map map = reduce_window_map({4, 4}, {8, 8}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1});
  const std::string picture = to_svg(map, {8, 8});
  // Where it has changed on purpose: the file is what to_svg gives.
  CHECK(picture == content_of("docs/pictures/windows.svg"));
  CHECK(is_balanced(picture));
  // Three elements of the result; the first window loses a row and a column, the last two share an element.
  CHECK(count(picture, "fill=\"#0072b2\"") == 1 + 4);
  CHECK(count(picture, "fill=\"#e69f00\"") == 1 + 9);
  CHECK(count(picture, "fill=\"#009e73\"") == 1 + 9);
  CHECK(count(picture, ">3</text>") == 1 + 8 + 2 + 2);
}

TEST_CASE("every rank has a picture") {
  ints shape;
  for (int rank = 0; rank <= max_rank; ++rank) {
    const std::string picture = to_svg(identity_map(shape), shape);
    CHECK(is_balanced(picture));
    CHECK(count(picture, "fill=\"#0072b2\"") == 2);
    shape.push(2);
  }
  CHECK(is_balanced(to_svg(scalar_map({3}), ints{})));
}

TEST_CASE("of what is large the beginning is shown, and hostile maps end") {
  const std::string picture = to_svg(transpose_map({1000, 2000}, {1, 0}), {2000, 1000});
  CHECK(count(picture, "the beginning") == 2);
  CHECK(count(picture, "<rect ") < 600);
  CHECK(is_balanced(to_svg(whole_map({2}, {1 << 30, 1 << 30}), {1 << 30, 1 << 30})));
  CHECK(is_balanced(to_svg(unknown_map(), ints{2})));
  CHECK(is_balanced(to_svg(identity_map({0, 2}), {0, 2})));
  CHECK(is_balanced(to_svg(identity_map({2}), {2}, {{7}, {1, 2, 3}, {-1}})));
}
