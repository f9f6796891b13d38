// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/loaded_programs.hpp>.
#pragma once

#include <tenon/files/argument_names.hpp>
#include <tenon/files/weights_file.hpp>
#include <tenon/run/loaded_program.hpp>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace tenon {

// Those arguments of a program that a file has by name, as its text calls them: %w, or loc("params['w']") as JAX writes
// it with as_text(debug_info=True). An entry that is no argument, or has another type, is a failure.
//
//   program_weights weights(net, "weights.safetensors");
//   net(weights.with({x}).data(), results);
class program_weights {
 public:
  program_weights(const loaded_program& program, const char* path) : names_(names_of(program)) {
    const weights_file file(path);
    std::vector<wanted_weight> wanted;
    for (int i = 0; i < program.argument_count(); ++i) {
      const value_name& name = names_.arguments[std::size_t(i)];
      types_.push_back(program.argument_type(i));
      const bool is_number = !name.path.empty() && name.name.starts_with("arg");  // %arg3
      wanted.push_back({name.path.empty() ? name.name : name.path, is_number ? "" : name.name, types_.back()});
    }
    const std::vector<int> entries = file.find(wanted);
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i] >= 0)
        file.check(entries[i], "argument " + std::to_string(i) + ", " + wanted[i].path + ",", types_[i]);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      byte_block& block = blocks_.emplace_back();
      if (entries[i] < 0) continue;
      const auto bytes = std::size_t(byte_size(types_[i]));
      block.reset(static_cast<std::byte*>(::operator new(bytes + 1, std::align_val_t(64))));
      file.read(entries[i], types_[i], {block.get(), bytes});
    }
  }

  const function_names& names() const { return names_; }
  bool has(int argument) const { return blocks_[std::size_t(argument)] != nullptr; }
  // Null for an argument that the file does not have.
  const void* data(int argument) const { return blocks_[std::size_t(argument)].get(); }

  // All arguments in order: those of the file, and the others, whose number and types are checked.
  std::vector<const void*> with(std::initializer_list<argument_view> others) const {
    std::vector<const void*> result;
    const argument_view* next = others.begin();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      result.push_back(blocks_[i].get());
      if (blocks_[i] != nullptr) continue;
      if (next == others.end())
        fail("argument ", i, ", ", names_.arguments[i].name, ", is neither in the file nor given");
      if (!(next->type == types_[i])) fail("argument ", i, " is ", next->type, ", where the program has ", types_[i]);
      result.back() = next++->data;
    }
    if (next != others.end()) fail(others.end() - next, " more arguments are given than the file lacks");
    return result;
  }

  static function_names names_of(const loaded_program& program) {
    const ir::graph& g = program.program();
    const int name = g.functions.size > 0 ? g.functions.data[0].name : -1;
    return names_in(g.text, name < 0 ? std::string_view() : g.name_of(name), program.argument_count(),
                    program.result_count());
  }

 private:
  struct free_block {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t(64)); }
  };
  using byte_block = std::unique_ptr<std::byte, free_block>;

  function_names names_;
  std::vector<tensor_type> types_;
  std::vector<byte_block> blocks_;
};

}  // namespace tenon
