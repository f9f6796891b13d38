// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include "grid.hpp"
#include "print.hpp"
#include "tensors.hpp"

#include <tenon/core/bounded_tensor.hpp>
#include <tenon/files/program_weights.hpp>
#include <tenon/run/thread_pool.hpp>

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

void print_steps(const tenon::loaded_program& program) {
  std::fprintf(stderr, "%d steps, %d fused groups, %lld bytes of working memory\n", program.plan().steps.size,
               program.plan().groups, static_cast<long long>(program.arena_bytes()));
}

// As processes of a grid.
int run_as_grid(const run_settings& how, const tenon::loaded_program& program) {
  if (int(how.arguments.size()) != program.argument_count())
    tenon::fail(how.model.path, ": the program takes ", program.argument_count(), " arguments, ", how.arguments.size(),
                " were given", signature_of(program));
  const auto given = [](const std::string& text) { return text.empty() ? nullptr : text.c_str(); };
  grid_options processes;
  processes.grid = given(how.grid), processes.infeed = given(how.infeed), processes.outfeed = given(how.outfeed);
  processes.time_limit = given(how.time_limit), processes.timeline = given(how.timeline);
  processes.output = given(how.output);
  processes.input_per_process = how.input_per_process;
  if (!processes.read_grid()) tenon::fail("--grid: REPLICASxPARTITIONS is expected, such as 2x4");
  std::vector<const char*> files;
  for (const std::string& path : how.arguments) files.push_back(path.c_str());
  return run_on_grid(program, processes, files);
}

using named_files = std::vector<std::unique_ptr<tenon::program_weights>>;

// Whether a member of a file is called as an argument.
bool names_an_argument(const array_file& file, const tenon::function_names& names) {
  const auto path = [](std::string_view text, std::size_t first) { return tenon::detail::joined_path(text, first); };
  std::string_view member = file.member;
  if (member.ends_with(".npy")) member.remove_suffix(4);
  for (const tenon::value_name& each : names.arguments)
    for (const std::string& name : {path(each.name, 0), path(each.path, 0), path(each.path, 1)})
      if (!name.empty() && name == path(member, 0)) return true;
  return false;
}

// Takes the files whose members are called as arguments from the others.
named_files open_named(const std::string& weights, std::vector<array_file>& files,
                       const tenon::loaded_program& program) {
  named_files result;
  std::vector<std::string> paths;
  if (!weights.empty()) paths.push_back(weights);
  const tenon::function_names names = tenon::program_weights::names_of(program);
  for (const array_file& each : files)
    if (!each.member.empty() && (paths.empty() || paths.back() != each.path) && names_an_argument(each, names))
      paths.push_back(each.path);
  for (const std::string& path : paths) {
    std::erase_if(files, [&](const array_file& each) { return !each.member.empty() && each.path == path; });
    result.push_back(std::make_unique<tenon::program_weights>(program, path.c_str()));
  }
  return result;
}

std::vector<value> arguments_of(const run_settings& how, const std::vector<array_file>& files, const named_files& named,
                                const tenon::loaded_program& program) {
  std::vector<const void*> known(std::size_t(program.argument_count()));
  int wanted = 0;  // tokens come from nowhere
  for (int i = 0; i < program.argument_count(); ++i) {
    for (const auto& file : named)
      if (file->has(i) && std::exchange(known[std::size_t(i)], file->data(i)) != nullptr)
        tenon::fail("argument ", i, ", ", file->names().arguments[std::size_t(i)].name, ", is in two files");
    wanted += program.argument_type(i).is_tensor() && known[std::size_t(i)] == nullptr;
  }
  const int given = int(files.size());
  const bool made = how.random || how.zeros;
  if (!made && given != wanted)
    tenon::fail(how.model.path, ": the program takes ", wanted, named.empty() ? "" : " more",
                wanted == 1 ? " argument, " : " arguments, ", given, given == 1 ? " was given" : " were given",
                signature_of(program));
  if (made && given != 0) tenon::fail("--random and --zeros take the place of files");
  std::vector<value> result;
  std::size_t file = 0;
  for (int i = 0; i < program.argument_count(); ++i) {
    const tenon::tensor_type& type = program.argument_type(i);
    if (const void* const elements = known[std::size_t(i)]) {
      result.push_back(zeros(type));
      std::memcpy(result.back().bytes.data(), elements, std::size_t(tenon::byte_size(type)));
      continue;
    }
    result.push_back(how.zeros || !type.is_tensor() ? zeros(type)
                     : how.random                   ? random_value(type, *how.random + std::uint64_t(i))
                                                    : read_array(files[file++], i, type));
  }
  return result;
}

// Says on a terminal how long a program has run, once that is long.
class progress {
 public:
  progress() {
    if (isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { show(); });
  }
  ~progress() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;

  void show() {
    std::unique_lock lock(mutex_);
    int seconds = 0;
    while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; }))
      if (++seconds > 1) std::fprintf(stderr, "\rrunning for %d s ", seconds);
    if (seconds > 1) std::fprintf(stderr, "\r%*s\r", 30, "");
  }
};

std::vector<value> run(const run_settings& how, tenon::loaded_program& program, const std::vector<value>& given) {
  std::vector<const void*> arguments;
  std::vector<void*> results;
  std::vector<tenon::index_t> argument_sizes, result_sizes;
  std::vector<value> made;
  for (const value& each : given) {
    arguments.push_back(each.bytes.data());
    for (int d = 0; d < each.type.rank(); ++d)
      if (each.type.is_bounded(d)) argument_sizes.push_back(each.shape[d]);
  }
  for (int i = 0; i < program.result_count(); ++i) made.push_back(zeros(program.result_type(i)));
  for (value& each : made) {
    results.push_back(each.bytes.data());
    result_sizes.resize(result_sizes.size() + std::size_t(tenon::passes::bounded_dimensions(each.type)));
  }
  tenon::thread_pool pool(how.threads);
  tenon::run_options running;
  if (how.threads > 1) running.workers = tenon::workers(pool);
  std::vector<double> times;
  {
    const progress shown;
    for (int i = 0; i < how.repeat; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      program(arguments.data(), argument_sizes.data(), results.data(), result_sizes.data(), running);
      times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
  }
  if (how.repeat > 1) {
    std::sort(times.begin(), times.end());
    std::printf("%d runs: fastest %.4g ms, median %.4g ms, slowest %.4g ms\n", how.repeat, times.front(),
                times[times.size() / 2], times.back());
  }
  std::size_t next = 0;
  for (value& each : made)
    for (int d = 0; d < each.type.rank(); ++d)
      if (each.type.is_bounded(d)) each.shape.set(d, result_sizes[next++]);
  return made;
}

void print(const std::vector<value>& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const tenon::tensor_type type = results[i].type.with_shape(results[i].shape);
    std::printf("result %zu: %s\n", i, text_of(type).c_str());
    std::vector<std::byte> elements(std::size_t(tenon::byte_size(type)) + 1);
    tenon::collect_from_bounds(results[i].shape, results[i].type.shape, tenon::storage_bytes(type.element),
                               results[i].bytes.data(), elements.data());
    tenon::visit(type.element, [&]<class T>() { print_elements(type, reinterpret_cast<const T*>(elements.data())); });
  }
}

// A call back into the Python that JAX wrote a program in, which is not there when that runs. One that gives nothing
// but tokens (jax.debug.print) shows its operands instead.
void show_operands(const tenon::core::evaluation& e) {
  for (const tenon::tensor_type& type : e.result_types)
    if (type.is_tensor()) tenon::fail("custom_call: a function in Python computes the result, and only Python has it");
  for (int i = 0; i < e.operands.size; ++i) {
    const tenon::tensor_type& type = e.operand_types[i];
    if (!type.is_tensor()) continue;
    std::printf("debug, operand %d: %s\n", i, text_of(type).c_str());
    tenon::visit(type.element, [&]<class T>() { print_elements(type, static_cast<const T*>(e.operands[i])); });
  }
}

}  // namespace

void add_run_options(CLI::App& app, run_settings& to) {
  add_model_options(app, to.model);
  app.add_option("arguments", to.arguments,
                 "Its arguments in order: arrays of NumPy, of an .npz file all of them; by name where that has names "
                 "of arguments")
      ->type_name("ARGUMENT.npy|ARGUMENTS.npz");
  app.add_option("--weights", to.weights, "Arguments by name, from a file that has no other entries")
      ->type_name("WEIGHTS.npz|WEIGHTS.safetensors");
  app.add_option("--output", to.output, "Write the results to PREFIX0.npy ..., or to one file that ends with .npz")
      ->type_name("PREFIX");
  app.add_flag("--steps", to.steps, "Print the number of steps and the working memory");
  app.add_option("--random", to.random, "Random arguments in place of files: floats in [-1, 1], integers in [0, 9]")
      ->type_name("SEED");
  app.add_flag("--zeros", to.zeros, "Zeros as arguments in place of files");
  app.add_option("--repeat", to.repeat, "Run the program N times and print how long it took")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000'000));
  app.add_option("--threads", to.threads, "Share the work among N threads")->type_name("N")->check(CLI::Range(1, 1024));
  app.add_option("--grad", to.grad, "Give the value of a program and its gradients by the arguments with these numbers")
      ->type_name("0,2,...");
  app.add_option("--grid", to.grid, "Run as several processes")->type_name("REPLICASxPARTITIONS");
  app.add_flag("--input-per-process", to.input_per_process, "Every process of the grid has arguments of its own");
  app.add_option("--infeed", to.infeed, "What infeed takes from the host")->type_name("PREFIX");
  app.add_option("--outfeed", to.outfeed, "Where outfeed gives to the host")->type_name("PREFIX");
  app.add_option("--time-limit", to.time_limit, "How long a process may wait")->type_name("SECONDS");
  app.add_option("--timeline", to.timeline, "Draw who waits for whom")->type_name("PICTURE.svg");
}

int run_program(const run_settings& how, const std::function<bool(const model&)>& shows) {
  const tenon::custom_call_target into_python("xla_ffi_python_cpu_callback", &show_operands);
  if (!how.output.empty()) check_output(how.output);
  std::vector<std::string> paths = how.arguments;
  for (std::string& path : paths)
    if (how.input_per_process) path = with_number(path, 0);
  std::vector<array_file> files = open_arrays(paths);
  load_settings loading;
  for (const array_file& each : files) loading.shapes.push_back(each.shape);
  loading.in_parts = how.input_per_process;
  loading.grad = how.grad;
  model loaded(how.model, loading);
  if (shows(loaded)) return 0;
  tenon::loaded_program& program = *loaded.program;
  if (!how.grid.empty()) return run_as_grid(how, program);
  const named_files named = open_named(how.weights.empty() ? loaded.weights : how.weights, files, program);
  const std::vector<value> arguments = arguments_of(how, files, named, program);
  if (how.steps) print_steps(program);
  std::vector<value> results = run(how, program, arguments);
  std::erase_if(results, [](const value& each) { return !each.type.is_tensor(); });
  if (how.output.empty()) {
    print(results);
  } else {
    write_results(how.output, results);
  }
  return 0;
}

command add_run(CLI::App& app) {
  const auto how = std::make_shared<run_settings>();
  add_run_options(app, *how);
  return [how] { return run_program(*how, [](const model&) { return false; }); };
}
