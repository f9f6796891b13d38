// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/calibration/chains.hpp>
#include <tenon/calibration/integers_writer.hpp>

namespace tenon::calibration {

// Writes a program in integers of 8 bits behind the graph of one in f32. Values are decided on from the results
// backwards, and written from the arguments forwards.
class quantizer : chains {
 public:
  struct layer {
    int node, value;  // of the graph
    bool is_quantized = false;
    quantized_grid grid{};  // of the result; a scale of 0: the result is in f32
  };
  std::vector<layer> layers;
  std::vector<quantized_grid> of_arguments, of_results;

  // @post the first function of the graph is the quantized one
  quantizer(ir::growing_graph& target, const std::vector<observed_value>& seen, bool stores_border, bool is_symmetric)
      : chains(target.get(), seen, stores_border, is_symmetric),
        target_(target),
        copier_(target.get()),
        written_(seen.size()),
        stores_border_(stores_border) {
    decide();
    write();
  }

  // Values of the new function in f32 that stand for these.
  std::vector<int> real_values(const std::vector<int>& values) {
    std::vector<int> result;
    for (const int v : values) result.push_back(real(v));
    return result;
  }
  const std::string& characters() const { return to_.characters(); }
  std::pair<double, double> range(int v) const { return {seen(v).low, seen(v).high}; }
  // Ends the new function with these values.
  void close(const std::vector<int>& yields) {
    target_.make_room({.operands = int(yields.size())});
    ir::close_region(g, to_.region, {yields.data(), int(yields.size())});
  }

 private:
  struct written_value {
    int stored = -1;  // of a quantized type
    quantized_grid grid;
    bool is_real = false;  // there is a copy in f32
  };
  enum wish : unsigned char { in_real = 1, in_integers = 2 };

  ir::growing_graph& target_;
  gradients::node_copier copier_;
  integers_writer to_{target_, -1};
  std::vector<written_value> written_;
  bool stores_border_;
  std::vector<unsigned char> wishes_;
  std::vector<bool> absorbed_;
  std::vector<value_chain> chains_;  // by node

  written_value& at(int v) { return written_[std::size_t(v)]; }
  bool wants(int v, wish which) const { return (wishes_[std::size_t(v)] & which) != 0; }
  void want(int v, wish which) { wishes_[std::size_t(v)] |= seen(v).is_real ? which : in_real; }

  // Constants are stored where they are asked for.
  bool is_written(int n) const {
    const ir::graph_node& node = g.nodes[n];
    bool is_wanted = ir::facts_of(node.kind).effects;
    for (int v = node.results; v < node.results + node.result_count; ++v)
      is_wanted = is_wanted || (seen(v).is_constant ? wants(v, in_real) : wishes_[std::size_t(v)] != 0);
    return node.region == region() && is_wanted && !absorbed_[std::size_t(n)];
  }
  // Whether elements of a grid are moved or chosen as they are.
  bool moves_integers(const ir::graph_node& node) const {
    return node.result_count == 1 && wants(node.results, in_integers) && is_natural(node.results) &&
           (only_moves(node) || gives_extremes(node));
  }

  void decide() {
    wishes_.resize(written_.size()), absorbed_.resize(std::size_t(g.nodes.size));
    chains_.resize(std::size_t(g.nodes.size));
    for (const int y : g.yields_of(body())) want(y, stores_border_ ? in_integers : in_real);
    for (int n = body().last; n-- > body().first;) {
      const ir::graph_node& node = g.nodes[n];
      if (!is_written(n)) continue;
      const int v = node.results;
      value_chain chain = node.result_count == 1 ? chain_of(v, wants(v, in_integers)) : value_chain{};
      if (chain.root >= 0) {
        for (const int each : chain.absorbed) absorbed_[std::size_t(each)] = true;
        if (chain.node < 0) want(chain.root, in_integers);
        if (chain.node >= 0) want_operands(chain);
        chains_[std::size_t(n)] = std::move(chain);
      } else if (moves_integers(node)) {
        for (const int operand : g.operands_of(node)) want(operand, in_integers);
      } else {
        for (const int operand : g.operands_of(node)) want(operand, in_real);
        for (const int inner : g.regions_of(node))
          gradients::for_each_read(g, inner, [&](int operand) { want(operand, in_real); });
      }
    }
  }
  // Of a product, constant weights are read from what was seen.
  void want_operands(const value_chain& chain) {
    const ir::graph_node& node = g.nodes[chain.node];
    if (!is_product(node)) {
      for (const int operand : g.operands_of(node)) want(operand, in_integers);
      return;
    }
    const bool swapped = role_of(node).found.is_swapped;
    want(g.operands_of(node)[swapped ? 1 : 0], in_integers);
    if (const int weights = g.operands_of(node)[swapped ? 0 : 1]; !seen(weights).is_constant) want(weights, in_real);
  }

  void write() {
    const ir::graph_region from = body();
    std::vector<tensor_type> types;
    std::vector<int> arguments;
    for (int a = 0; a < from.argument_count; ++a) {
      const int v = from.arguments + a;
      if (seen(v).is_constant) continue;
      arguments.push_back(v), types.push_back(g.type_of_value(v));
      of_arguments.push_back({0, 0});
      if (!stores_border_ || !seen(v).is_real) continue;
      of_arguments.back() = grid_of_value(v);
      types.back() = to_.quantized_type(types.back().shape, of_arguments.back());
    }
    target_.make_room({.values = int(types.size()), .types = int(types.size()), .regions = 1});
    target_.make_room(g.sizes());
    to_.region = ir::open_region(g, -1, {types.data(), int(types.size())}, from.source);
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      const int made = g.regions[to_.region].arguments + int(a), v = arguments[a];
      if (types[a].is_quantized()) at(v) = {made, of_arguments[a], false};
      if (!types[a].is_quantized()) copier_.replace(v, made), at(v).is_real = true;
    }
    for (int n = from.first; n < from.last; ++n) {
      const ir::graph_node node = g.nodes[n];
      if (!is_written(n)) continue;
      const int v = node.results;
      to_.source = node.source;
      if (const value_chain& chain = chains_[std::size_t(n)]; chain.root >= 0)
        write_chain(chain, v);
      else if (moves_integers(node))
        node.region_count > 0 ? write_extremes(node) : write_moved(node);
      else
        write_copy(node);
      if (is_product(node) && chains_[std::size_t(n)].node < 0) layers.push_back({n, v});
    }
    std::vector<int> yields;
    for (int i = 0; i < from.yield_count; ++i) {
      const int y = g.operands[from.yields + i];
      const bool is_stored = stores_border_ && seen(y).is_real;
      yields.push_back(is_stored ? stored(y) : real(y));
      of_results.push_back(is_stored ? at(y).grid : quantized_grid{0, 0});
    }
    close(yields);
    g.functions[0].region = to_.region, g.functions.size = 1;
  }

  // Copies of values.

  int real(int v) {
    if (!seen(v).is_real || at(v).is_real) return copier_.copy_of(v);
    to_.make_room();
    int made = -1;
    if (at(v).stored >= 0)
      made = to_.dequantized(at(v).stored);
    else if (!seen(v).elements.empty() || seen(v).is_constant)
      made = to_.constant_of(seen(v).elements, g.type_of_value(v));
    copier_.replace(v, made), at(v).is_real = true;
    return made;
  }
  int stored(int v) {
    if (at(v).stored < 0) {
      const quantized_grid grid = grid_of_value(v);
      at(v) = {stored_on(v, grid), grid, at(v).is_real};
    }
    return at(v).stored;
  }
  // On another grid than its own.
  int stored_on(int v, const quantized_grid& grid) {
    if (at(v).stored >= 0 && at(v).grid.scale == grid.scale && at(v).grid.zero_point == grid.zero_point)
      return at(v).stored;
    const tensor_type type = to_.quantized_type(g.type_of_value(v).shape, grid);
    if (seen(v).is_constant) {
      std::vector<i8> elements;
      for (const f32 each : seen(v).elements) elements.push_back(grid(double(each)));
      return to_.retyped(to_.constant_of(elements, type_of(dtype::i8, type.shape)), type);
    }
    if (at(v).stored >= 0)
      return to_.retyped(to_.moved_to(grid, {{to_.bits(at(v).stored), at(v).grid, {1.0}}}, {0.0}, -1), type);
    return to_.quantized(real(v), type);
  }

  void write_copy(const ir::graph_node& node) {
    std::vector<int> operands, regions;
    for (const int operand : g.operands_of(node)) operands.push_back(operand);
    for (int& operand : operands) operand = real(operand);
    for (const int inner : g.regions_of(node)) regions.push_back(inner);
    for (const int inner : regions)
      gradients::for_each_read(g, inner, [&](int v) {
        if (is_outside(v)) (void)real(v);
      });
    target_.make_room(g.sizes());
    for (int& inner : regions) inner = copier_.copy_region(inner, to_.region);
    to_.make_room(node);
    const int results = to_.append(node, operands, regions);
    for (int r = 0; r < node.result_count; ++r) {
      copier_.replace(node.results + r, results + r);
      at(node.results + r).is_real = true;
    }
  }
  bool is_outside(int v) const { return g.values[v].region == region(); }

  // Elements that are only moved: all operands on one grid.
  void write_moved(const ir::graph_node& node) {
    std::vector<int> operands, reals;
    for (const int operand : g.operands_of(node)) operands.push_back(operand), reals.push_back(seen(operand).is_real);
    quantized_grid grid = grid_of_value(node.results);
    if (reals == std::vector<int>{1}) stored(operands[0]), grid = at(operands[0]).grid;
    for (std::size_t i = 0; i < operands.size(); ++i)
      operands[i] = reals[i] ? stored_on(operands[i], grid) : real(operands[i]);
    const tensor_type type = to_.quantized_type(g.type_of_value(node.results).shape, grid);
    to_.make_room(node);
    at(node.results) = {to_.append(node, operands, {}, type), grid, false};
  }
  // The largest or smallest elements, of integers as of what they stand for.
  void write_extremes(const ir::graph_node& node) {
    const int operand = g.operands_of(node)[0], initial = g.operands_of(node)[1], body_kind = ir::body_of(g, node);
    const int elements = to_.bits(stored(operand));
    const quantized_grid grid = at(operand).grid;
    const tensor_type type = type_of(dtype::i8, g.type_of_value(node.results).shape);
    const i8 first = grid(double(seen(initial).elements[0]));
    const int made = to_.folded(node, body_kind, elements, to_.integer(index_t(first), type.with_shape({})), type);
    at(node.results) = {to_.retyped(made, to_.quantized_type(type.shape, grid)), grid, false};
  }

  void write_chain(const value_chain& chain, int v) {
    if (chain.node >= 0 && is_product(g.nodes[chain.node])) return write_product(chain, v);
    std::vector<moved_term> terms;
    const auto add = [&](int operand, double sign) {
      std::vector<double> factors = chain.factors;
      for (double& factor : factors) factor *= sign;
      const int elements = to_.bits(stored(operand));
      terms.push_back({elements, at(operand).grid, factors});
    };
    const quantized_grid grid = grid_of_value(v);
    if (chain.node >= 0 && g.nodes[chain.node].region_count > 0) {
      const ir::graph_node node = g.nodes[chain.node];
      const int operand = g.operands_of(node)[0], body_kind = ir::body_of(g, node),
                elements = to_.bits(stored(operand));
      const tensor_type type = type_of(dtype::i32, g.type_of_value(node.results).shape);
      const int less = to_.without_zero_point(elements, at(operand).grid.zero_point);
      const int sums = to_.folded(node, body_kind, less, to_.integer(0, type.with_shape({})), type);
      std::vector<double> scales = chain.factors;
      for (double& scale : scales) scale *= at(operand).grid.scale;
      return finish(v, to_.requantized(sums, scales, chain.channel, grid, chain.low, chain.high), grid);
    }
    if (chain.node < 0 && chain.is_bounds) {
      const int elements = to_.bits(stored(chain.root));
      return finish(v, to_.bounded(elements, at(chain.root).grid, chain.low, chain.high), at(chain.root).grid);
    }
    if (chain.node < 0) add(chain.root, 1);
    for (int i = 0; chain.node >= 0 && i < 2; ++i)
      add(g.operands_of(g.nodes[chain.node])[i], i == 1 && is_difference(g.nodes[chain.node]) ? -1 : 1);
    finish(v, to_.moved_to(grid, terms, chain.summands, chain.channel, chain.low, chain.high), grid);
  }
  void finish(int v, int elements, const quantized_grid& grid) {
    at(v) = {to_.retyped(elements, to_.quantized_type(g.type_of_value(v).shape, grid)), grid, false};
  }

  void write_product(const value_chain& chain, int v) {
    const ir::graph_node node = g.nodes[chain.node];
    product_role product = role_of(node).found;
    const int data = g.operands_of(node)[product.is_swapped ? 1 : 0];
    const int weights = g.operands_of(node)[product.is_swapped ? 0 : 1];
    check_finite(weights);
    const int elements = stored(data);
    const quantized_grid in = at(data).grid;
    product_weights by = seen(weights).is_constant ? constant_weights(product, chain, weights, in.scale)
                                                   : variable_weights(weights, chain, in.scale);
    ints shape = g.type_of_value(node.results).shape, layout = shape;
    for (int d = 0; d < shape.size; ++d) layout.set(int(product.written_as[d]), shape[d]);
    std::vector<index_t> bias;
    for (const double each : by.biases) bias.push_back(index_t(std::nearbyint(each)));
    const bool folds_zero = product.sums_all && !by.totals.empty();
    if (folds_zero)
      for (std::size_t c = 0; c < by.totals.size(); ++c) {
        if (bias.size() < by.totals.size()) bias.resize(by.totals.size(), bias[0]);
        bias[c] -= in.zero_point * by.totals[c];
      }
    const int channel = int(product.written_channel);
    const tensor_type sum_type = to_.quantized_type(layout, dtype::i32, by.scales, by.scales.size() > 1 ? channel : -1);
    const int sums =
        to_.biased(to_.product(product, elements, by.value, folds_zero ? in.zero_point : 0, sum_type), bias, channel);
    const bool is_stored = wants(v, in_integers);
    const quantized_grid grid = grid_of_value(v);
    layers.push_back({chain.node, v, true, is_stored ? grid : quantized_grid{0, 0}});
    if (is_stored) {
      const int narrow = to_.requantized(sums, by.scales, channel, grid, chain.low, chain.high);
      return finish(v, to_.transposed(narrow, product.written_as), grid);
    }
    const int made = to_.bounded_real(to_.dequantized(to_.retyped(sums, sum_type)), chain.low, chain.high);
    copier_.replace(v, to_.transposed(made, product.written_as)), at(v).is_real = true;
  }

  struct product_weights {
    int value;
    std::vector<double> scales, biases;  // of sums
    std::vector<index_t> totals;         // of the weights of a channel
  };
  // In the scales of sums a bias has at most 30 bits: a channel of tiny weights gets a larger scale.
  product_weights constant_weights(product_role& p, const value_chain& chain, int v, double in) {
    const tensor_type type = g.type_of_value(v);
    const std::vector<f32>& elements = seen(v).elements;
    const index_t channels = p.weight_channel < 0 ? 1 : type.dim(p.weight_channel);
    const channel_of which(type.shape, int(p.weight_channel));
    product_weights made{-1, {}, {}, std::vector<index_t>(std::size_t(channels))};
    std::vector<double> scales(std::size_t(channels), 0.0);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      double& most = scales[which(i)];
      most = std::max(most, std::abs(double(elements[i]) * chain.factor(which(i))));
    }
    for (std::size_t c = 0; c < scales.size(); ++c) {
      const double least = std::max({std::abs(chain.summand(c)) / in * 0x1p-29, double(FLT_MIN) / in, double(FLT_MIN)});
      scales[c] = scale_of(std::max(scales[c] > 0 ? scales[c] / 127 : chain.summand(c) == 0 ? 1.0 : 0.0, least));
      made.scales.push_back(scale_of(in * scales[c]));
      made.biases.push_back(chain.summand(c) / made.scales[c]);
    }
    std::vector<i8> stored;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const double wanted = double(elements[i]) * chain.factor(which(i)) / scales[which(i)];
      stored.push_back(i8(std::clamp(std::nearbyint(wanted), -127.0, 127.0)));
      made.totals[which(i)] += stored.back();
    }
    const ints order = p.best_order(type.shape), shape = type.shape.select(order);
    p.arrange(order);
    const int constant = to_.constant_of(in_order(stored, type.shape, order), type_of(dtype::i8, shape));
    made.value = to_.retyped(constant, to_.quantized_type(shape, dtype::i8, scales, int(p.weight_channel)));
    return made;
  }
  static std::vector<i8> in_order(const std::vector<i8>& elements, const ints& shape, const ints& order) {
    std::vector<i8> result;
    ints index = ints::filled(order.size, 0);
    do {
      index_t offset = 0;
      for (int d = 0; d < shape.size; ++d)
        for (int i = 0; i < order.size; ++i)
          if (order[i] == d) offset = offset * shape[d] + index[i];
      result.push_back(elements[std::size_t(offset)]);
    } while (advance(shape.select(order), index));
    return result;
  }
  // Weights that arguments have a part in, on one grid for all.
  product_weights variable_weights(int v, const value_chain& chain, double in) {
    const quantized_grid grid = symmetric_grid_of(seen(v).low, seen(v).high);
    product_weights made{stored_on(v, grid), {}, {}, {}};
    for (std::size_t c = 0; c < std::max(chain.factors.size(), chain.summands.size()); ++c) {
      made.scales.push_back(scale_of(in * grid.scale));
      made.biases.push_back(chain.summand(c) / made.scales[c]);
    }
    return made;
  }
};

}  // namespace tenon::calibration
