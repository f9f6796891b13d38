// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/distributed/process_grid.hpp>
#include <tenon/run/loaded_program.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

// How a program runs as several processes.
struct grid_options {
  const char* grid = nullptr;  // "2x4"; none: by itself
  const char *infeed = nullptr, *outfeed = nullptr, *time_limit = nullptr, *timeline = nullptr, *output = nullptr;
  bool input_per_process = false;
  tenon::process_grid size;

  // Where the value of an option goes; nullptr for any other word.
  const char** option(const char* word) {
    const struct {
      const char* name;
      const char** value;
    } all[] = {{"--grid", &grid},
               {"--infeed", &infeed},
               {"--outfeed", &outfeed},
               {"--time-limit", &time_limit},
               {"--timeline", &timeline}};
    for (const auto& each : all)
      if (std::strcmp(word, each.name) == 0) return each.value;
    return nullptr;
  }
  bool read_grid() {
    int end = 0;
    return grid == nullptr ||
           (std::sscanf(grid, "%dx%d%n", &size.num_replicas, &size.num_partitions, &end) == 2 && grid[end] == '\0' &&
            size.num_replicas > 0 && size.num_partitions > 0 && size.num_replicas <= 100'000 / size.num_partitions);
  }
};

// The path for a process, whose number takes the place of the first %.
std::string with_number(const std::string& path, int process);

int run_on_grid(const tenon::loaded_program& program, const grid_options& how, const std::vector<const char*>& files);
