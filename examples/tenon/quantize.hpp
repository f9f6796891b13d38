// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include "model.hpp"

#include <string>
#include <vector>

struct quantize_settings {
  model_file model;
  std::vector<std::string> samples;
  std::string weights, output, labels;
  double percentile = 100;
  bool stores_border = false, is_symmetric = false;
};

// Those that no other command has.
void add_quantize_options(CLI::App& app, quantize_settings& to);
// Prints the program with products in integers, and to the standard error what became of each.
int quantize_program(const quantize_settings& how);
