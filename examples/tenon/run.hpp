// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include "model.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

struct run_settings {
  model_file model;
  std::string output, grad, weights;
  std::vector<std::string> arguments;
  bool steps = false, zeros = false;
  std::string grid, infeed, outfeed, time_limit, timeline;
  bool input_per_process = false;
  std::optional<std::uint64_t> random;
  int repeat = 1, threads = 1;
};

void add_run_options(CLI::App& app, run_settings& to);
// Loads the program and runs it, unless `shows` says that it has shown all that is wanted.
int run_program(const run_settings& how, const std::function<bool(const model&)>& shows);
