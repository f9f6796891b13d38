// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace fuzz {

// Takes a text through all that reads programs: it is parsed and verified; what is accepted is printed in both forms
// and read again (StableHLO, unless its ops are read as several and leave words behind), simplified and planned, and,
// if it is cheap, run on zeros. Stops the process if anything is wrong.
void exercise(std::string_view text, bool is_printed = true);

}  // namespace fuzz
