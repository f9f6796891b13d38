// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/parse.hpp>

#include <string_view>

namespace tenon {

// tenon::parse, compiled once for all tests, in programs.cpp: that takes long.
graph_owner read_program(std::string_view text, const parse_options& options = {});

}  // namespace tenon
