// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/graph/growing.hpp>
#include <tenon/run/loaded_program.hpp>

#include <memory>
#include <string>
#include <vector>

// All of them throw tenon::error.

struct load_settings {
  std::vector<tenon::ints> shapes;  // for sizes that the text leaves open
  bool in_parts = false;            // of one process of several
  std::string grad;                 // the value and its gradients by the arguments with these numbers
};

// A program in a file, ready to run.
struct model {
  std::string path, text;
  tenon::ir::growing_graph derived;
  std::unique_ptr<tenon::loaded_program> program;

  model(const std::string& file, const load_settings& how);
  model(const model&) = delete;
  model& operator=(const model&) = delete;
};

std::string read_text(const std::string& path);
// "argument 0: tensor<2x3xf32>", a line each.
std::string signature_of(const tenon::loaded_program& program);
