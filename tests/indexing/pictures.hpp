// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

// What the tests of pictures ask of a text.
namespace tenon::test {

inline std::string content_of(const std::string& path) {
  std::ifstream file(std::string(TENON_SOURCE_FOLDER) + "/" + path);
  std::stringstream all;
  all << file.rdbuf();
  return all.str();
}
inline int count(const std::string& text, std::string_view piece) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(piece, at)) != std::string::npos; at += piece.size()) ++found;
  return found;
}

}  // namespace tenon::test
