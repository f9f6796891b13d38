// SPDX-License-Identifier: Apache-2.0
//
// tenon-run [--output PREFIX] [--steps] [--explain | --dot] MODEL.mlir|MODEL.hlo [ARGUMENT.npy...]
//
// Reads a StableHLO or HLO program and its arguments, runs it, and prints the results, or writes them to PREFIX0.npy,
// PREFIX1.npy ... The same passes and kernels that serve while compiling serve here. Where an argument has bounded
// dimensions, its file may be smaller; results are printed and written as large as they are. --explain says what was
// fused and why; --dot draws it, for `dot -Tsvg`. Without arguments that is all.

#include <tenon/core/bounded_tensor.hpp>
#include <tenon/core/format/number.hpp>
#include <tenon/graph/ir/dump.hpp>
#include <tenon/graph/plan/explain.hpp>
#include <tenon/kernels/all.hpp>
#include <tenon/run/loaded_program.hpp>
#include <tenon/run/npy.hpp>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr std::size_t most_text = std::size_t(1) << 30;

struct closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

bool read_file(const char* path, std::string& text) {
  const std::unique_ptr<std::FILE, closer> file(std::fopen(path, "rb"));
  if (file == nullptr) {
    std::fprintf(stderr, "%s: the file cannot be opened\n", path);
    return false;
  }
  char buffer[65536];
  for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;) {
    text.append(buffer, count);
    if (text.size() > most_text) {
      std::fprintf(stderr, "%s: the file is larger than 1 GB\n", path);
      return false;
    }
  }
  if (std::ferror(file.get()) != 0) {
    std::fprintf(stderr, "%s: the file cannot be read\n", path);
    return false;
  }
  return true;
}

std::string text_of(const tenon::tensor_type& type) {
  std::string text = "tensor<";
  for (int d = 0; d < type.rank(); ++d) text += (type.is_bounded(d) ? "<=" : "") + std::to_string(type.dim(d)) + "x";
  return text + std::string(tenon::name(type.element)) + ">";
}

// Nested lists; of a large tensor only the beginning.
template <class T>
void print_elements(const tenon::tensor_type& type, const T* elements) {
  constexpr tenon::index_t most = 1000;
  const int rank = type.rank();
  tenon::ints index = tenon::ints::filled(rank, 0);
  const tenon::index_t size = type.size();
  for (tenon::index_t i = 0; i < size; ++i) {
    int opened = rank;
    while (opened > 0 && index[opened - 1] == 0) --opened;
    if (i > 0) std::printf(opened == rank ? ", " : ",\n");
    for (int level = opened; level < rank; ++level) std::putchar('[');
    if (i == most) {
      std::printf("... %lld more", static_cast<long long>(size - most));
      break;
    }
    char text[tenon::number_text_size];
    const char* const end = tenon::write_number(text, text + sizeof text, elements[i]);
    std::printf("%.*s", int(end - text), text);
    tenon::advance(type.shape, index);
    int closed = rank;
    while (closed > 0 && index[closed - 1] == 0) --closed;
    for (int level = closed; level < rank; ++level) std::putchar(']');
  }
  std::putchar('\n');
}

// Whether an argument may have this shape.
bool fits(const tenon::tensor_type& type, const tenon::ints& shape) {
  if (shape.size != type.rank()) return false;
  for (int d = 0; d < type.rank(); ++d)
    if (type.is_bounded(d) ? shape[d] > type.dim(d) : shape[d] != type.dim(d)) return false;
  return true;
}

int usage() {
  std::fprintf(stderr,
               "usage: tenon-run [--output PREFIX] [--steps] [--explain | --dot] MODEL.mlir|MODEL.hlo "
               "[ARGUMENT.npy...]\n");
  return 2;
}

int run(int count, char** words) {
  const char* prefix = nullptr;
  bool show_steps = false, explains = false, draws = false;
  std::vector<const char*> files;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--output") == 0) {
      if (++i == count) return usage();
      prefix = words[i];
    } else if (std::strcmp(words[i], "--steps") == 0) {
      show_steps = true;
    } else if (std::strcmp(words[i], "--explain") == 0) {
      explains = true;
    } else if (std::strcmp(words[i], "--dot") == 0) {
      draws = true;
    } else if (std::strncmp(words[i], "--", 2) == 0) {
      return usage();
    } else {
      files.push_back(words[i]);
    }
  }
  if (files.empty()) return usage();

  std::string text;
  if (!read_file(files[0], text)) return 1;
  tenon::loaded_program program(text, &tenon::find_any_kernel);
  if (const tenon::load_error& error = program.error()) {
    const std::string op = error.kind >= 0 ? ": " + std::string(tenon::name_of_kind(error.kind)) : std::string();
    const std::string where = error.dimension >= 0 ? ", dimension " + std::to_string(error.dimension) : std::string();
    std::fprintf(stderr, "%s:%d:%d: %s: %s%s%s\n", files[0], error.line, error.column, error.label, error.sentence,
                 op.c_str(), where.c_str());
    return 1;
  }
  if (!program.has_entry()) {
    std::fprintf(stderr, "%s: there is no function main, nor a single other one\n", files[0]);
    return 1;
  }
  const auto write = [](std::string_view part) { std::fwrite(part.data(), 1, part.size(), stdout); };
  if (explains) tenon::explain(program.program(), program.plan(), write);
  if (draws) tenon::write_dot(program.program(), program.plan(), write);
  if ((explains || draws) && files.size() == 1) return 0;
  if (int(files.size()) - 1 != program.argument_count()) {
    const int wanted = program.argument_count(), given = int(files.size()) - 1;
    std::fprintf(stderr, "%s: the program takes %d argument%s, %d %s given\n", files[0], wanted, wanted == 1 ? "" : "s",
                 given, given == 1 ? "was" : "were");
    for (int i = 0; i < program.argument_count(); ++i)
      std::fprintf(stderr, "  argument %d: %s\n", i, text_of(program.argument_type(i)).c_str());
    return 1;
  }

  std::vector<std::vector<std::byte>> memory;
  std::vector<const void*> arguments;
  std::vector<void*> results;
  std::vector<tenon::index_t> argument_sizes, result_sizes;
  for (int i = 0; i < program.argument_count(); ++i) {
    const tenon::tensor_type& type = program.argument_type(i);
    if (!type.is_tensor()) {
      std::fprintf(stderr, "%s: argument %d is no tensor\n", files[0], i);
      return 1;
    }
    // Its header first, so that a file of another size costs no memory.
    const tenon::npy_header_result header = tenon::load_npy_header(files[std::size_t(i) + 1]);
    tenon::npy_error error = header.error;
    const tenon::ints& shape = header.header.shape;
    if (error == tenon::npy_error::none && !fits(type, shape)) error = tenon::npy_error::wrong_shape;
    if (error == tenon::npy_error::none) {
      std::vector<std::byte> dense(std::size_t(tenon::byte_size(type.with_shape(shape))));
      error = tenon::load_npy(files[std::size_t(i) + 1], type.element, shape, dense);
      memory.emplace_back(std::size_t(tenon::byte_size(type)));
      if (error == tenon::npy_error::none)
        tenon::spread_to_bounds(shape, type.shape, tenon::storage_bytes(type.element), dense.data(),
                                memory.back().data());
      for (int d = 0; d < type.rank(); ++d)
        if (type.is_bounded(d)) argument_sizes.push_back(shape[d]);
    }
    if (error != tenon::npy_error::none) {
      std::fprintf(stderr, "%s: %s (argument %d: %s)\n", files[std::size_t(i) + 1],
                   std::string(tenon::message(error)).c_str(), i, text_of(type).c_str());
      return 1;
    }
    arguments.push_back(memory.back().data());
  }
  for (int i = 0; i < program.result_count(); ++i) {
    memory.emplace_back(std::size_t(tenon::byte_size(program.result_type(i))) + 1);
    results.push_back(memory.back().data());
  }
  if (show_steps)
    std::fprintf(stderr, "%d steps, %d fused groups, %lld bytes of working memory\n", program.plan().steps.size,
                 program.plan().groups, static_cast<long long>(program.arena_bytes()));
  for (int i = 0; i < program.result_count(); ++i)
    result_sizes.resize(result_sizes.size() + std::size_t(tenon::bounded_dimensions(program.result_type(i))));
  program(arguments.data(), argument_sizes.data(), results.data(), result_sizes.data());

  std::size_t next_size = 0;
  for (int i = 0; i < program.result_count(); ++i) {
    tenon::ints shape = program.result_type(i).shape;
    for (int d = 0; d < shape.size; ++d)
      if (program.result_type(i).is_bounded(d)) shape.set(d, result_sizes[next_size++]);
    const tenon::tensor_type type = program.result_type(i).with_shape(shape);
    if (!type.is_tensor()) continue;
    // Where the result is smaller than its bounds, its elements are moved together.
    if (!(shape == program.result_type(i).shape)) {
      const std::vector<std::byte>& from = memory[std::size_t(program.argument_count() + i)];
      std::vector<std::byte> dense(std::size_t(tenon::byte_size(type)) + 1);
      tenon::collect_from_bounds(shape, program.result_type(i).shape, tenon::storage_bytes(type.element), from.data(),
                                 dense.data());
      memory[std::size_t(program.argument_count() + i)].swap(dense);
      results[std::size_t(i)] = memory[std::size_t(program.argument_count() + i)].data();
    }
    if (prefix != nullptr) {
      const std::string path = prefix + std::to_string(i) + ".npy";
      const std::span<const std::byte> bytes(static_cast<const std::byte*>(results[std::size_t(i)]),
                                             std::size_t(tenon::byte_size(type)));
      if (const tenon::npy_error error = tenon::save_npy(path.c_str(), type.element, type.shape, bytes);
          error != tenon::npy_error::none) {
        std::fprintf(stderr, "%s: %s\n", path.c_str(), std::string(tenon::message(error)).c_str());
        return 1;
      }
      std::printf("%s: %s\n", path.c_str(), text_of(type).c_str());
    } else {
      std::printf("result %d: %s\n", i, text_of(type).c_str());
      tenon::visit(type.element,
                   [&]<class T>() { print_elements(type, static_cast<const T*>(results[std::size_t(i)])); });
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count, words);
  } catch (const tenon::error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "there is not enough memory\n");
  }
  return 1;
}
