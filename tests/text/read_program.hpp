// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/parse.hpp>

#include <string_view>

namespace tenon {

// tenon::parse, which is compiled beside its own tests (parse.cpp) only: that takes long.
graph_owner read_program(std::string_view text, const parse_options& options = {});

}  // namespace tenon
