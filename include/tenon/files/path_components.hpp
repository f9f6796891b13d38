// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::detail {

// "params['layers'][0]['w']", "params/layers/0/w" and "params.layers.0.w" have the same components.
inline std::vector<std::string> components_of(std::string_view path) {
  std::vector<std::string> result;
  std::string next;
  const auto end = [&] {
    if (!next.empty()) result.push_back(std::exchange(next, {}));
  };
  for (const char c : path) {
    if (c == '.' || c == '/' || c == '[' || c == ']' || c == '\'' || c == '"')
      end();
    else
      next += c;
  }
  end();
  return result;
}

// "params.layers.0.w", from some component on.
inline std::string joined_path(std::string_view path, std::size_t first) {
  const std::vector<std::string> components = components_of(path);
  std::string text;
  for (std::size_t i = first; i < components.size(); ++i) text += (text.empty() ? "" : ".") + components[i];
  return text;
}

}  // namespace tenon::detail
