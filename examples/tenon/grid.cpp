// SPDX-License-Identifier: Apache-2.0
#include "grid.hpp"

#include <tenon/core/tensor.hpp>
#include <tenon/distributed/simulated.hpp>
#include <tenon/distributed/timeline.hpp>
#include <tenon/files/npy.hpp>

#include <fstream>
#include <map>
#include <span>
#include <string>

#include "print.hpp"

namespace {

using tenon::index_t;
using tenon::tensor_type;

// A whole tensor, dense.
class value {
 public:
  explicit value(const tensor_type& type) : size_(std::size_t(tenon::byte_size(type))), bytes_(size_ + 64) {}

  std::byte* data() {
    void* memory = bytes_.data();
    std::size_t room = bytes_.size();
    return static_cast<std::byte*>(std::align(64, size_, memory, room));
  }
  std::span<std::byte> bytes() { return {data(), size_}; }

 private:
  std::size_t size_;
  std::vector<std::byte> bytes_;
};

void load(const std::string& path, const tensor_type& type, std::span<std::byte> into) {
  if (const tenon::npy_error error = tenon::load_npy(path.c_str(), type.element, type.shape, into);
      error != tenon::npy_error::none)
    tenon::fail(std::string_view(path), ": ", tenon::message(error), " (", std::string_view(text_of(type)), ")");
}
void save(const std::string& path, const tensor_type& type, std::span<const std::byte> from) {
  if (const tenon::npy_error error = tenon::save_npy(path.c_str(), type.element, type.shape, from);
      error != tenon::npy_error::none)
    tenon::fail(std::string_view(path), ": ", tenon::message(error));
}

// Tensors in files, one behind the other for each process.
class files_of_processes final : public tenon::host_streams {
 public:
  explicit files_of_processes(const grid_options& how) : how_(how) {}

  void infeed(const tenon::process_id& id, tensor_types types, void* const* results) override {
    if (how_.infeed == nullptr) tenon::fail("infeed: --infeed PREFIX is missing");
    for (int i = 0; i < types.size; ++i)
      load(path(how_.infeed, id, read_), types[i],
           {static_cast<std::byte*>(results[i]), std::size_t(tenon::byte_size(types[i]))});
  }
  void outfeed(const tenon::process_id& id, tensor_types types, const void* const* inputs) override {
    if (how_.outfeed == nullptr) tenon::fail("outfeed: --outfeed PREFIX is missing");
    for (int i = 0; i < types.size; ++i)
      save(path(how_.outfeed, id, written_), types[i],
           {static_cast<const std::byte*>(inputs[i]), std::size_t(tenon::byte_size(types[i]))});
  }

 private:
  const grid_options& how_;
  std::map<int, int> read_, written_;

  std::string path(const char* prefix, const tenon::process_id& id, std::map<int, int>& count) {
    const int process = tenon::flat_id(how_.size, id);
    return prefix + std::to_string(process) + "_" + std::to_string(count[process]++) + ".npy";
  }
};

}  // namespace

std::string with_number(const std::string& path, int process) {
  const std::size_t at = path.find('%');
  return at == std::string::npos ? path : path.substr(0, at) + std::to_string(process) + path.substr(at + 1);
}

int run_on_grid(const tenon::loaded_program& program, const grid_options& how, const std::vector<const char*>& files) {
  for (int i = 0; i < program.argument_count() + program.result_count(); ++i) {
    const int result = i - program.argument_count();
    const tensor_type& type = result < 0 ? program.argument_type(i) : program.result_type(result);
    if (type.bounded != 0) tenon::fail("--grid takes programs of static shapes");
  }
  files_of_processes streams(how);
  tenon::simulated_grid grid(how.size, &streams);
  if (how.time_limit != nullptr) grid.limit_time(std::atof(how.time_limit));
  if (how.timeline != nullptr) grid.keep_timeline();
  std::vector<std::vector<value>> results(std::size_t(how.size.size()));
  const auto draw = [&] {
    if (how.timeline != nullptr) std::ofstream(how.timeline) << tenon::to_svg(grid.timeline());
  };
  try {
    grid.run([&](tenon::process_context& process) {
      const int at = tenon::flat_id(how.size, process.id());
      std::vector<value> arguments, &own = results[std::size_t(at)];
      std::vector<const void*> inputs;
      std::vector<void*> outputs;
      for (int i = 0; i < program.argument_count(); ++i) {
        const std::string path = files[std::size_t(i)];
        arguments.emplace_back(program.argument_type(i));
        load(how.input_per_process ? with_number(path, at) : path, program.argument_type(i), arguments.back().bytes());
      }
      for (int i = 0; i < program.result_count(); ++i) own.emplace_back(program.result_type(i));
      for (value& each : arguments) inputs.push_back(each.data());
      for (value& each : own) outputs.push_back(each.data());
      value arena(tenon::type_of(tenon::dtype::ui8, {program.arena_bytes()}));
      tenon::run_options options;
      options.process = &process;
      program(inputs.data(), outputs.data(), static_cast<void*>(arena.data()), options);
    });
  } catch (...) {
    draw();
    throw;
  }
  draw();
  for (int at = 0; at < how.size.size(); ++at)
    for (int i = 0; i < program.result_count(); ++i) {
      const tensor_type& type = program.result_type(i);
      value& result = results[std::size_t(at)][std::size_t(i)];
      if (!type.is_tensor()) continue;
      if (how.output != nullptr) {
        save(how.output + std::to_string(at) + "_" + std::to_string(i) + ".npy", type, result.bytes());
        continue;
      }
      const tenon::process_id id = tenon::process_at(how.size, at);
      std::printf("process (%d, %d), result %d: %s\n", id.replica, id.partition, i, text_of(type).c_str());
      tenon::visit(type.element, [&]<class T>() { print_elements(type, reinterpret_cast<const T*>(result.data())); });
    }
  return 0;
}
