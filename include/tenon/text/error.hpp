// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/loaded_programs.hpp>.
#pragma once

namespace tenon {

// Why a text is no program, and where. `label` is that of the broken rule ("add_c1"), or "syntax", "type", "name",
// "attribute", "unknown_op", "not_supported", "too_large".
struct parse_error {
  const char* label = nullptr;
  const char* sentence = nullptr;
  int line = 0, column = 0;  // from 1
  int byte = 0;              // from 0

  constexpr explicit operator bool() const { return sentence != nullptr; }
};

}  // namespace tenon
