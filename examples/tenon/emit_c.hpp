// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model.hpp"

#include <string>

// Writes the program as a function of C99 into a file, or to the output if none is named; none: the name of the file.
void emit_c(const model& of, const std::string& output, const std::string& name);
