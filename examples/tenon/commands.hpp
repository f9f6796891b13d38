// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}
struct model;
struct model_file;

// What a command does once its options have been read; gives the exit code.
using command = std::function<int()>;

// Each adds its options, one source for each.
command add_run(CLI::App& app);
command add_inspect(CLI::App& app);
command add_explain(CLI::App& app);
command add_grad(CLI::App& app);
command add_build(CLI::App& app);
command add_quantize(CLI::App& app);
command add_emit_c(CLI::App& app);
// All of a program in the options of one command: tenon-run.
command add_all_in_one(CLI::App& app);

// What commands share.
void inspect(const model& of);
void explain(const model& of, bool as_picture);
void print_rewrites(const model& of);
void print_gradient(const model_file& of, const std::string& arguments);
