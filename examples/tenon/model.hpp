// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include "process.hpp"

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

// What the user says of a file. Python reads .onnx, and needs open sizes by name.
struct model_file {
  std::string path, python;
  std::vector<std::string> sizes;
};

void add_model_options(CLI::App& app, model_file& to);

// The text of a file, and the file with its weights, if it has any.
struct model_text {
  std::string text, weights;
  std::unique_ptr<work_folder> folder;

  explicit model_text(const model_file& of);
};

// A program in a file, ready to run.
struct model : model_text {
  std::string path;
  tenon::ir::growing_graph derived;
  std::unique_ptr<tenon::loaded_program> program;

  model(const model_file& file, const load_settings& how);
  model(const model&) = delete;
  model& operator=(const model&) = delete;
};

// "argument 0: tensor<2x3xf32>", a line each.
std::string signature_of(const tenon::loaded_program& program);
