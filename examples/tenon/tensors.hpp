// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/core/tensor_type.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// A tensor in memory, as large as its bounds, with the sizes that it has.
struct value {
  tenon::tensor_type type;
  tenon::ints shape;
  std::vector<std::byte> bytes;
};

// A file of NumPy's that holds one array: a .npy file, or a member of an .npz file.
struct array_file {
  std::string path, member;           // no member: the file itself
  std::vector<std::byte> bytes = {};  // of a member
  tenon::ints shape = {};

  std::string name() const { return member.empty() ? path : path + ":" + member; }
};

// All of them throw tenon::error.

// The arrays of these files in order; of an .npz file all members, as numpy.savez wrote them.
std::vector<array_file> open_arrays(const std::vector<std::string>& paths);
value read_array(const array_file& file, int argument, const tenon::tensor_type& type);
value zeros(const tenon::tensor_type& type);
// Floats between -1 and 1, integers between 0 and 9.
value random_value(const tenon::tensor_type& type, std::uint64_t seed);

// Where results go: PREFIX0.npy, PREFIX1.npy ..., or into one file if PREFIX ends with .npz. Says where they are.
void check_output(const std::string& prefix);
void write_results(const std::string& prefix, const std::vector<value>& results);
