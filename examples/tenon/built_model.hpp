// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/tensor_type.hpp>

#include <string>
#include <string_view>
#include <vector>

// What `tenon build` writes of a program.

// An argument or a result as C knows it.
struct built_value {
  std::string name, path;  // an identifier, and where the exporter says it came from
  tenon::tensor_type type;
  long long weight_offset = -1;  // where its elements are in the file of weights, if they are built in
};
struct built_model {
  std::string symbol;  // the name of the function, an identifier
  std::string file;    // the name of the files, without the ends
  std::string source;  // the file that the program is from
  std::string_view text;
  std::vector<built_value> arguments, results;  // of the program, tokens among them
  long long arena_bytes = 0;
  std::vector<std::string> lapack_parts;
  std::string weights;  // the file with the elements of arguments that are built in, or none
};

struct model;
// The program of a file under the name of a function; `file`: what is written, without the ends.
built_model describe(const model& of, const std::string& symbol, const std::string& file);

// An identifier of C and C++ that no common macro has; a keyword gets an underscore.
std::string identifier(std::string_view text);

std::string c_header(const built_model& of);
std::string cpp_header(const built_model& of);
// The source that is compiled into the object; it includes the header for C.
std::string cpp_source(const built_model& of);
