// SPDX-License-Identifier: Apache-2.0
#include "quantize.hpp"

#include "print.hpp"
#include "tensors.hpp"

#include <tenon/files/npy.hpp>
#include <tenon/files/program_weights.hpp>
#include <tenon/quantize.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <vector>

namespace {

tenon::ints without_ones(const tenon::ints& shape, int first = 0) {
  tenon::ints result;
  for (int d = first; d < shape.size; ++d)
    if (shape[d] != 1) result.push(shape[d]);
  return result;
}

// How many arguments of this type an array holds: one, or one for each index along its first dimension, in which the
// argument may have several elements, too.
tenon::index_t samples_in(const tenon::ints& shape, const tenon::tensor_type& type) {
  if (without_ones(shape) == without_ones(type.shape)) return 1;
  if (shape.size > 0 && without_ones(shape, 1) == without_ones(type.shape)) return shape[0];
  const bool is_batch = shape.size > 0 && shape.size == type.rank() && type.dim(0) > 0 && shape[0] % type.dim(0) == 0;
  return is_batch && without_ones(shape, 1) == without_ones(type.shape, 1) ? shape[0] / type.dim(0) : 0;
}

// An array of NumPy's as it is, but for its shape.
value read_all(const array_file& file, int argument, const tenon::tensor_type& type) {
  if (samples_in(file.shape, type) == 0)
    tenon::fail(file.name(), ": argument ", argument, " is ", text_of(type), ", the file holds ",
                text_of(type.with_shape(file.shape)), ", which is no list of samples of it");
  return read_array(file, argument, type.with_shape(file.shape));
}

std::vector<int> read_labels(const std::string& path) {
  const array_file file = open_arrays({path}).at(0);
  std::vector<int> result;
  for (const tenon::dtype element : {tenon::dtype::i32, tenon::dtype::i64, tenon::dtype::ui8, tenon::dtype::i8}) {
    if (!tenon::load_npy_header(path.c_str()).header.holds(element)) continue;
    const value labels = read_array(file, 0, tenon::type_of(element, file.shape));
    tenon::visit(element, [&]<class T>() {
      if constexpr (tenon::is_integer(tenon::dtype_of<T>))
        for (tenon::index_t i = 0; i < labels.type.size(); ++i)
          result.push_back(int(reinterpret_cast<const T*>(labels.bytes.data())[i]));
    });
    return result;
  }
  tenon::fail(path, ": labels are integers of 8, 32 or 64 bits");
}

void print_grid(const char* what, std::size_t i, const tenon::quantized_grid& grid) {
  if (grid.scale != 0) std::fprintf(stderr, "%s %zu: (stored - %d) * %.9g\n", what, i, grid.zero_point, grid.scale);
}

void print_report(const tenon::quantization_report& report, bool has_labels) {
  std::fprintf(stderr, "%-22s %-22s %11s %11s %11s %5s %8s %11s\n", "layer", "type", "lowest", "highest", "scale",
               "zero", "dB", "error");
  for (const tenon::quantized_layer& each : report.layers) {
    const std::string name = "line " + std::to_string(each.line) + " " + std::string(each.op);
    std::string scale = "in f32", zero = "";
    char text[32];
    if (each.is_quantized && each.grid.scale != 0) {
      std::snprintf(text, sizeof text, "%.5g", each.grid.scale);
      scale = text, zero = std::to_string(each.grid.zero_point);
    } else if (each.is_quantized) {
      scale = "sums in f32";
    }
    std::fprintf(stderr, "%-22s %-22s %11.5g %11.5g %11s %5s %8.1f %11.5g\n", name.c_str(), text_of(each.type).c_str(),
                 each.low, each.high, scale.c_str(), zero.c_str(), each.decibels, each.largest_error);
  }
  for (std::size_t i = 0; i < report.arguments.size(); ++i) print_grid("argument", i, report.arguments[i]);
  for (std::size_t i = 0; i < report.results.size(); ++i) print_grid("result", i, report.results[i]);
  const auto rows = static_cast<long long>(report.rows);
  if (rows > 0) std::fprintf(stderr, "same class in %lld of %lld\n", static_cast<long long>(report.agreeing), rows);
  if (rows > 0 && has_labels)
    std::fprintf(stderr, "right in f32: %lld of %lld, in i8: %lld\n", static_cast<long long>(report.right_before), rows,
                 static_cast<long long>(report.right_after));
}

}  // namespace

void add_quantize_options(CLI::App& app, quantize_settings& to) {
  app.add_option("--labels", to.labels, "The class of each row of the first result, for the report")
      ->type_name("LABELS.npy");
  app.add_option("--percentile", to.percentile,
                 "How many elements of a sample lie within a range; the rarest are clamped")
      ->type_name("PERCENT")
      ->check(CLI::Range(50.0, 100.0));
  app.add_flag("--symmetric", to.is_symmetric,
               "Zero points are 0: one bit less for what is never negative, and no padding of images");
  app.add_flag("--int8-border", to.stores_border, "Arguments and results of f32 are stored in i8, too");
}

int quantize_program(const quantize_settings& how) {
  const model loaded(how.model, {});
  const tenon::loaded_program& program = *loaded.program;
  if (how.samples.empty()) tenon::fail("--samples: ranges come from samples, and there is none");
  const std::vector<array_file> files = open_arrays(how.samples);
  std::optional<tenon::program_weights> named;
  const std::string& weights = how.weights.empty() ? loaded.weights : how.weights;
  if (!weights.empty()) named.emplace(program, weights.c_str());
  tenon::quantize_options options;
  options.percentile = how.percentile, options.stores_border = how.stores_border;
  options.is_symmetric = how.is_symmetric;
  std::vector<value> arrays;
  std::vector<tenon::index_t> counts;
  tenon::index_t count = 1;
  const int wanted = program.argument_count();
  std::size_t next = 0;
  for (int i = 0; i < wanted; ++i) {
    if (named && named->has(i)) {
      options.weights.push_back(i);
      continue;
    }
    if (next == files.size())
      tenon::fail(how.model.path, ": there are no samples of argument ", i, signature_of(program));
    arrays.push_back(read_all(files[next++], i, program.argument_type(i)));
    counts.push_back(samples_in(arrays.back().shape, program.argument_type(i)));
    count = std::max(count, counts.back());
  }
  if (next < files.size())
    tenon::fail(files[next].name(), ": the program has no argument for it", signature_of(program));
  for (std::size_t a = 0; a < counts.size(); ++a)
    if (counts[a] != 1 && counts[a] != count)
      tenon::fail("--samples: of one argument there are ", counts[a], " samples, of another one ", count);
  std::vector<tenon::program_sample> samples(static_cast<std::size_t>(count));
  for (tenon::index_t s = 0; s < count; ++s) {
    std::size_t array = 0;
    for (int i = 0; i < wanted; ++i) {
      const tenon::tensor_type& type = program.argument_type(i);
      const void* elements = nullptr;
      if (named && named->has(i)) {
        elements = named->data(i);
      } else {
        elements = arrays[array].bytes.data() + (counts[array] == 1 ? 0 : s) * tenon::byte_size(type);
        ++array;
      }
      samples[static_cast<std::size_t>(s)].push_back({type, elements});
    }
  }
  if (!how.labels.empty()) options.labels = read_labels(how.labels);
  const tenon::quantized_program made = tenon::quantize<tenon::i8>(program, samples, options);
  print_report(made.report, !options.labels.empty());
  if (how.output.empty()) return std::fputs(made.text().c_str(), stdout), 0;
  std::ofstream file(how.output, std::ios::binary);
  file << made.text();
  file.close();
  if (!file) tenon::fail(how.output, ": the file cannot be written");
  return 0;
}

command add_quantize(CLI::App& app) {
  const auto how = std::make_shared<quantize_settings>();
  add_model_options(app, how->model);
  app.add_option("--samples", how->samples,
                 "Arguments to see ranges of, in order: arrays of NumPy with one more dimension, or of one sample")
      ->type_name("INPUTS.npy|INPUTS.npz")
      ->required();
  app.add_option("--weights", how->weights, "Arguments by name that become constants")
      ->type_name("WEIGHTS.npz|WEIGHTS.safetensors");
  app.add_option("--output", how->output, "Write the program to this file, and not to the standard output")
      ->type_name("FILE.mlir");
  add_quantize_options(app, *how);
  return [how] { return quantize_program(*how); };
}
