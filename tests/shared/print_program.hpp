// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/print.hpp>

#include <string>

namespace tenon {

// tenon::to_text, compiled once for all tests, in programs.cpp: that takes long.
std::string print_program(const ir::graph& program, text_form form = text_form::own);

}  // namespace tenon
