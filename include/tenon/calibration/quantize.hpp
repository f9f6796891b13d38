// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/quantize.hpp>.
#pragma once

#include <tenon/calibration/grid.hpp>
#include <tenon/calibration/quantizer.hpp>
#include <tenon/calibration/watched_program.hpp>
#include <tenon/text/print.hpp>

#include <concepts>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>

namespace tenon {

struct quantize_options {
  // How many elements of each sample, in hundredths, lie within a range: the rarest on both sides are clamped.
  double percentile = 100;
  // Arguments and results of f32 are integers on a grid, too, as microcontrollers have them.
  bool stores_border = false;
  // Zero points are 0: half of the numbers of 8 bits for what is never negative, and no padding of images.
  bool is_symmetric = false;
  // Arguments that are equal in all samples, which become constants.
  std::vector<int> weights = {};
  // Which class each row of the first result has, in the order of the samples.
  std::vector<int> labels = {};
};

// A product or convolution with what follows it: a summand, factors, bounds.
struct quantized_layer {
  std::string_view op;
  int line = 0;  // of the text
  tensor_type type;
  bool is_quantized = false;  // false: it stayed in f32
  double low = 0, high = 0;   // range over the samples
  quantized_grid grid;        // a scale of 0: the result is in f32
  double decibels = 0;        // power of the result by that of the error; HUGE_VAL without an error
  double largest_error = 0;
};

struct quantization_report {
  std::vector<quantized_layer> layers;
  std::vector<quantized_grid> arguments, results;  // a scale of 0: as in the program
  index_t rows = 0, agreeing = 0;                  // of the first result: how many have the class that they had
  index_t right_before = 0, right_after = 0;       // by the labels
};

// A program with products and convolutions of 8 bits: its text, ready to run, and what became less exact.
class quantized_program {
  std::unique_ptr<const std::string> text_;

 public:
  loaded_program program;
  quantization_report report;

  quantized_program(std::string text, const loaded_program& like)
      : text_(std::make_unique<const std::string>(std::move(text))), program(read(*text_, like)) {}
  const std::string& text() const { return *text_; }

 private:
  static loaded_program read(std::string_view text, const loaded_program& like) {
    const graph_owner parsed = parse(text);
    if (parsed.error()) fail("quantize_text: ", parsed.error().label, ": ", parsed.error().sentence);
    return like.like(parsed.program());
  }
};

namespace calibration {

inline argument_pointers checked_samples(const loaded_program& program, std::span<const program_sample> samples,
                                         const quantize_options& how) {
  if (program.has_entry()) {
    if (program.source().quantizations.size > 0) fail("quantize_program: its arithmetic is quantized already");
    for (const tensor_type& type : program.source().types)
      if (type.bounded != 0) fail("quantize_sizes: sizes are known before a program is quantized, here is ", type);
  }
  if (!program) fail("quantize_program: ", program.error() ? program.error().sentence : "it has no function to run");
  if (samples.empty()) fail("quantize_samples: ranges come from samples, and there is none");
  if (!(0 < how.percentile && how.percentile <= 100)) fail("quantize_percentile: it is above 0 and at most 100");
  argument_pointers result;
  for (const program_sample& sample : samples) {
    const int number = int(result.size());
    if (int(sample.size()) != program.argument_count())
      fail("quantize_samples: sample ", number, " has ", sample.size(), " arguments, the program has ",
           program.argument_count());
    result.emplace_back();
    for (int i = 0; i < program.argument_count(); ++i) {
      const tensor_type &given = sample[std::size_t(i)].type, &wanted = program.argument_type(i);
      if (!(given == wanted))
        fail("quantize_samples: argument ", i, " of sample ", number, " is ", given, ", where the program has ",
             wanted);
      result.back().push_back(sample[std::size_t(i)].data);
      if (given.element != dtype::f32) continue;
      const f32* const elements = static_cast<const f32*>(result.back().back());
      for (index_t e = 0; e < given.size(); ++e)
        if (!std::isfinite(elements[e]))
          fail("quantize_finite: argument ", i, " of sample ", number, " has an element that is no finite number");
    }
  }
  for (const int i : how.weights) {
    if (i < 0 || i >= program.argument_count() || !is_real_tensor(program.argument_type(i)))
      fail("quantize_weights: argument ", i, " is no tensor of f32 of the program");
    for (const auto& sample : result)
      if (std::memcmp(sample[std::size_t(i)], result[0][std::size_t(i)],
                      std::size_t(byte_size(program.argument_type(i)))) != 0)
        fail("quantize_weights: argument ", i, " is not the same in all samples");
  }
  return result;
}

// Sums up how far a program in integers is from one in f32.
struct error_sums {
  double signal = 0, noise = 0, largest = 0;

  void add(std::span<const f32> real, std::span<const f32> other) {
    for (std::size_t i = 0; i < real.size(); ++i) {
      const double error = double(other[i]) - double(real[i]);
      signal += double(real[i]) * double(real[i]), noise += error * error;
      largest = std::max(largest, std::abs(error));
    }
  }
  double decibels() const { return noise == 0 ? HUGE_VAL : 10 * std::log10(signal / noise); }
};

class report_writer {
 public:
  report_writer(const loaded_program& program, quantizer& made, const quantize_options& how)
      : program_(program), made_(made), how_(how) {
    const ir::graph& g = program.program();
    for (const quantizer::layer& each : made.layers) values_.push_back(each.value);
    const ir::graph_region& body = g.regions[g.functions[0].region];
    const int result = body.yield_count > 0 ? g.yields_of(body)[0] : -1;
    if (result >= 0 && is_real_tensor(g.type_of_value(result)) && g.type_of_value(result).rank() > 0) {
      classes_ = g.type_of_value(result).dim(g.type_of_value(result).rank() - 1);
      values_.push_back(result);
    }
    taps_ = made.real_values(values_);
    made.close(taps_);
  }

  quantization_report report(const argument_pointers& samples, const ir::graph& tapped) {
    const ir::graph& g = program_.program();
    watched_program before(program_, g, values_), after(program_, tapped, taps_);
    std::vector<error_sums> errors(values_.size());
    quantization_report result;
    result.arguments = made_.of_arguments, result.results = made_.of_results;
    for (const auto& sample : samples) {
      before.run(sample);
      after.run(stored(sample));
      for (std::size_t i = 0; i < values_.size(); ++i) errors[i].add(before[i], after[i]);
      if (classes_ > 0) count_classes(before[values_.size() - 1], after[values_.size() - 1], result);
    }
    for (std::size_t i = 0; i < made_.layers.size(); ++i) {
      const quantizer::layer& each = made_.layers[i];
      const auto [low, high] = made_.range(each.value);
      const ir::graph_node& node = g.nodes[each.node];
      result.layers.push_back({ir::name_of_kind(node.kind), text_position(g.text, node.source).line,
                               g.type_of_value(each.value), each.is_quantized, low, high, each.grid,
                               errors[i].decibels(), errors[i].largest});
    }
    return result;
  }

 private:
  const loaded_program& program_;
  quantizer& made_;
  const quantize_options& how_;
  std::vector<int> values_, taps_;
  index_t classes_ = 0;
  std::vector<std::vector<i8>> stored_;

  // The arguments of the new program.
  std::vector<const void*> stored(const std::vector<const void*>& sample) {
    std::vector<const void*> result;
    stored_.clear();
    for (int i = 0; i < program_.argument_count(); ++i) {
      if (std::find(how_.weights.begin(), how_.weights.end(), i) != how_.weights.end()) continue;
      const quantized_grid grid = made_.of_arguments[result.size()];
      result.push_back(sample[std::size_t(i)]);
      if (grid.scale == 0) continue;
      const f32* const elements = static_cast<const f32*>(result.back());
      stored_.emplace_back();
      for (index_t e = 0; e < program_.argument_type(i).size(); ++e)
        stored_.back().push_back(grid(double(elements[e])));
      result.back() = stored_.back().data();
    }
    return result;
  }
  void count_classes(std::span<const f32> before, std::span<const f32> after, quantization_report& to) const {
    const std::size_t classes = std::size_t(classes_);
    const auto class_of = [&](std::span<const f32> all, std::size_t row) {
      const auto first = all.begin() + std::ptrdiff_t(row * classes);
      return int(std::max_element(first, first + std::ptrdiff_t(classes)) - first);
    };
    for (std::size_t row = 0; row < before.size() / classes; ++row, ++to.rows) {
      const int was = class_of(before, row), is = class_of(after, row);
      to.agreeing += was == is;
      if (std::size_t(to.rows) >= how_.labels.size()) continue;
      to.right_before += was == how_.labels[std::size_t(to.rows)],
          to.right_after += is == how_.labels[std::size_t(to.rows)];
    }
  }
};

}  // namespace calibration

// A program of f32 with its products and convolutions in integers of 8 bits: weights on symmetric grids per channel,
// other values on the grids of what the samples show. What has no form in integers stays in f32.
// @param samples the arguments of each run; they are read, and the program is run on all of them
template <std::same_as<i8> Element>
quantized_program quantize(const loaded_program& program, std::span<const program_sample> samples,
                           const quantize_options& how = {}) {
  const calibration::argument_pointers arguments = calibration::checked_samples(program, samples, how);
  const std::vector<calibration::observed_value> seen =
      calibration::observe(program, arguments, how.weights, how.percentile);
  ir::growing_graph target(program.program());
  calibration::quantizer made(target, seen, how.stores_border, how.is_symmetric);
  bool is_any = false;
  for (const auto& layer : made.layers) is_any = is_any || layer.is_quantized;
  if (!is_any) fail("quantize_products: the program has no product or convolution of f32 that integers can do");
  const std::string text = std::string(target.get().text) + made.characters();
  target.get().text = text;
  quantized_program result(to_text(target.get()), program);
  calibration::report_writer writer(program, made, how);
  const std::string all = std::string(program.program().text) + made.characters();
  target.get().text = all;
  result.report = writer.report(arguments, target.get());
  if (!how.labels.empty() && how.labels.size() != std::size_t(result.report.rows))
    fail("quantize_labels: there are ", how.labels.size(), " labels, for ", result.report.rows,
         " rows of the first result");
  return result;
}

// A traced function likewise, for arguments of these types.
template <std::same_as<i8> Element, class Traced, class... Arguments>
  requires requires { typename Traced::template program_for<Arguments...>; }
quantized_program quantize(const Traced&, kernels::kernel_finder find,
                           const std::vector<std::tuple<Arguments...>>& samples, const quantize_options& how = {}) {
  std::vector<program_sample> views;
  for (const auto& sample : samples)
    views.push_back(std::apply([](const auto&... each) { return program_sample{argument_view(each)...}; }, sample));
  return quantize<Element>(loaded_program(Traced::template program_for<Arguments...>::graph(), find), views, how);
}

}  // namespace tenon
