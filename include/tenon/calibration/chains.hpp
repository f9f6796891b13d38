// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/calibration/grid.hpp>
#include <tenon/calibration/roles.hpp>
#include <tenon/calibration/watched_program.hpp>

#include <climits>

namespace tenon::calibration {

// The channel of an element, by its number in row-major order.
struct channel_of {
  std::size_t below = 1, count = 1;

  channel_of(const ints& shape, int dimension) {
    if (dimension < 0) return;
    count = std::size_t(shape[dimension]);
    for (int d = dimension + 1; d < shape.size; ++d) below *= std::size_t(shape[d]);
  }
  std::size_t operator()(std::size_t element) const { return element / below % count; }
};

// Which values of a graph integers can stand for, and which ops one step of integers does.
class chains {
 protected:
  ir::graph& g;

  chains(ir::graph& from, const std::vector<observed_value>& values, bool stores_border, bool is_symmetric)
      : g(from),
        region_(from.functions[0].region),
        is_symmetric_(is_symmetric),
        values_(values),
        natural_(values.size()),
        uses_(values.size()) {
    for (const ir::graph_node& node : g.nodes)
      for (const int operand : g.operands_of(node)) ++uses_[std::size_t(operand)];
    for (const ir::graph_region& each : g.regions)
      for (const int yield : g.yields_of(each)) ++uses_[std::size_t(yield)];
    for (int a = 0; a < body().argument_count; ++a)
      natural_[std::size_t(body().arguments + a)] = stores_border && seen(body().arguments + a).is_real;
    for (const ir::graph_node& node : g.nodes)
      if (node.region == region_ && node.result_count == 1)
        natural_[std::size_t(node.results)] = seen(node.results).is_real && !seen(node.results).is_constant &&
                                              seen(node.results).not_finite < 0 && gives_integers(node);
  }

  int region() const { return region_; }
  const ir::graph_region& body() const { return g.regions[region_]; }
  const observed_value& seen(int v) const { return values_[std::size_t(v)]; }
  // Whether integers of 8 bits stand for it before anybody asks for them.
  bool is_natural(int v) const { return natural_[std::size_t(v)]; }

  quantized_grid grid_of_value(int v) const {
    check_finite(v);
    return is_symmetric_ ? symmetric_grid_of(seen(v).low, seen(v).high) : grid_of(seen(v).low, seen(v).high);
  }
  void check_finite(int v) const {
    if (seen(v).not_finite < 0) return;
    const int n = g.values[v].node;
    const auto [line, column] = text_position(g.text, n < 0 ? 0 : g.nodes[n].source);
    fail("quantize_finite: ", n < 0 ? std::string_view("argument ") : ir::name_of_kind(g.nodes[n].kind),
         n < 0 ? g.values[v].index : line, n < 0 ? "" : " at this line",
         " has elements that are no finite numbers, in sample ", seen(v).not_finite);
  }

  op_role role_of(const ir::graph_node& node) const {
    const list<int> operands = g.operands_of(node);
    return op_role(g, node, operands.size == 2 && seen(operands[0]).is_constant && !seen(operands[1]).is_constant);
  }
  bool is_product(const ir::graph_node& node) const {
    return node.result_count == 1 && seen(node.results).is_real && !seen(node.results).is_constant &&
           role_of(node).multiplies;
  }
  bool is_difference(const ir::graph_node& node) const { return role_of(node).role == op_role::is::difference; }

  // @param in_integers whether the value is asked for in integers
  // @post the root is -1 where none ends at the value
  value_chain chain_of(int v, bool in_integers) const {
    value_chain made;
    std::vector<step> steps;
    if (!seen(v).is_real || seen(v).is_constant) return made;
    int at = v;
    for (step next; (at == v || uses_[std::size_t(at)] == 1) && find_step(at, made.channel, next); at = next.data) {
      if (!next.is_bound()) made.is_bounds = false;
      if (next.is_bound() && !made.is_bounds) break;
      if (next.dimension >= 0) made.channel = next.dimension;
      if (at != v) made.absorbed.push_back(g.values[at].node);
      steps.push_back(next);
    }
    for (std::size_t i = steps.size(); i-- > 0;) add(steps[i], made);
    const int n = at == v || uses_[std::size_t(at)] == 1 ? g.values[at].node : -1;
    const bool has_node = n >= 0 && g.nodes[n].region == region_ && g.nodes[n].result_count == 1;
    if (has_node && is_product(g.nodes[n])) {
      const op_role role = role_of(g.nodes[n]);
      const int weights = g.operands_of(g.nodes[n])[role.found.is_swapped ? 0 : 1];
      const bool is_taken =
          seen(weights).is_constant ? made.channel < 0 || made.channel == role.found.channel : steps.empty();
      if (is_taken) made.root = at, made.node = n;
      if (is_taken) made.channel = int(role.found.channel);
    } else if (has_node && in_integers && natural_[std::size_t(at)]) {
      bool has_summands = false;
      for (const double each : made.summands) has_summands = has_summands || each != 0;
      if (adds_two(g.nodes[n]) || (sums(g.nodes[n]) && !has_summands)) made.root = at, made.node = n;
    }
    if (made.root < 0 && !steps.empty() && in_integers && natural_[std::size_t(at)]) made.root = at;
    const bool is_moved = made.root >= 0 && (made.node < 0 || adds_two(g.nodes[made.node]));
    if (is_moved && (made.node >= 0 || !made.is_bounds) && !has_close_grids(made, v)) made.root = -1;
    if (made.root >= 0 && made.node >= 0 && at != v) made.absorbed.push_back(made.node);
    return made;
  }

  // Folds of all that is under a window or along dimensions, by a sum from 0 on or by an op that gives an element.
  bool folds(const ir::graph_node& node) const {
    const ir::op_facts& facts = ir::facts_of(node.kind);
    if (!(facts.folds || facts.folds_windows) || !ir::folds_by_one_op(g, node)) return false;
    const int initial = g.operands_of(node)[1];
    return natural_[std::size_t(g.operands_of(node)[0])] && seen(initial).is_constant && seen(initial).is_real &&
           seen(initial).elements.size() == 1 && !std::isnan(seen(initial).elements[0]);
  }
  bool sums(const ir::graph_node& node) const {
    return folds(node) && ir::facts_of(ir::body_of(g, node)).neutral == neutral_element::zero &&
           seen(g.operands_of(node)[1]).elements[0] == 0 &&
           g.type_of_value(g.operands_of(node)[0]).size() < INT_MAX / 512;
  }
  bool gives_extremes(const ir::graph_node& node) const {
    return folds(node) && ir::facts_of(ir::body_of(g, node)).gives_an_operand;
  }
  bool only_moves(const ir::graph_node& node) const {
    const ir::op_facts& facts = ir::facts_of(node.kind);
    if (!(facts.moves || facts.gathers || facts.joins_operands) || node.region_count > 0) return false;
    int natural = 0;
    for (const int operand : g.operands_of(node)) {
      if (g.type_of_value(operand).element == dtype::f32 && !natural_[std::size_t(operand)] &&
          !seen(operand).is_constant)
        return false;
      natural += natural_[std::size_t(operand)];
    }
    return natural > 0;
  }

 private:
  int region_;
  bool is_symmetric_;
  const std::vector<observed_value>& values_;
  std::vector<bool> natural_;
  std::vector<int> uses_;

  // An op on a value and constants.
  struct step {
    op_role::is role;
    int data = -1, dimension = -1;
    bool is_reversed = false;           // constant - value
    std::vector<double> numbers, more;  // one, or one per element of the dimension

    bool is_bound() const {
      return role == op_role::is::lower_bound || role == op_role::is::upper_bound || role == op_role::is::bounds;
    }
  };

  // Constants that differ along one dimension at most: false if they differ along others too.
  static bool find_numbers(const std::vector<f32>& elements, const ints& shape, int& dimension,
                           std::vector<double>& numbers) {
    for (int d = dimension >= 0 ? dimension : -1; d < (dimension >= 0 ? dimension + 1 : shape.size); ++d) {
      const channel_of channel(shape, d);
      bool fits = elements.size() >= channel.count;
      numbers.assign(channel.count, 0.0);
      for (std::size_t i = 0; i < elements.size(); ++i) {
        if (i % channel.below == 0 && i / channel.below < channel.count) numbers[channel(i)] = double(elements[i]);
        fits = fits && double(elements[i]) == numbers[channel(i)];
      }
      if (fits) return dimension = d, true;
    }
    return false;
  }

  bool find_step(int v, int channel, step& found) const {
    using is = op_role::is;
    const int n = g.values[v].node;
    if (n < 0 || g.nodes[n].region != region_ || g.nodes[n].result_count != 1) return false;
    const ir::graph_node& node = g.nodes[n];
    const list<int> operands = g.operands_of(node);
    const op_role role = role_of(node);
    if (role.role == is::nothing) return false;
    const ints& shape = g.type_of_value(v).shape;
    const int which = role.role == is::bounds ? 1 : operands.size == 2 && seen(operands[0]).is_constant ? 1 : 0;
    found = {role.role, operands[which], -1, which == 1 && operands.size == 2, {}, {}};
    for (int i = 0; i < operands.size; ++i)
      if (!seen(operands[i]).is_real || seen(operands[i]).is_constant == (i == which)) return false;
    for (int i = 0; i < operands.size; ++i)
      if (i != which && !found.is_bound() && seen(operands[i]).not_finite >= 0) return false;
    if (role.role == is::quotient && found.is_reversed) return false;
    if (role.role == is::negation) return true;
    const auto elements = [&](int i) -> const std::vector<f32>& { return seen(operands[i]).elements; };
    if (role.role == is::normalized) {
      const std::size_t count = elements(1).size();
      if (channel >= 0 && channel != int(role.feature)) return false;
      for (std::size_t c = 0; c < count; ++c) {
        const double factor = double(elements(1)[c]) / std::sqrt(double(elements(4)[c]) + role.epsilon);
        found.numbers.push_back(factor);
        found.more.push_back(double(elements(2)[c]) - double(elements(3)[c]) * factor);
        if (!std::isfinite(factor) || !std::isfinite(found.more.back())) return false;
      }
      return found.dimension = int(role.feature), true;
    }
    if (found.is_bound()) {
      int none = -1, other = -1;
      const bool has_low = role.role != is::upper_bound, has_high = role.role != is::lower_bound;
      const int low = role.role == is::bounds ? 0 : 1 - which, high = role.role == is::bounds ? 2 : 1 - which;
      if (has_low && (!find_numbers(elements(low), {}, none, found.numbers))) return false;
      return !has_high || find_numbers(elements(high), {}, other, found.more);
    }
    int dimension = -1;
    if (!find_numbers(elements(1 - which), shape, dimension, found.numbers)) return false;
    if (channel >= 0 && dimension >= 0 && dimension != channel) {
      dimension = channel;
      if (!find_numbers(elements(1 - which), shape, dimension, found.numbers)) return false;
    }
    for (double& number : found.numbers) {
      if (role.role == is::quotient) number = 1 / number;
      if (!std::isfinite(number)) return false;
    }
    return found.dimension = dimension, true;
  }

  static void add(const step& next, value_chain& to) {
    using is = op_role::is;
    const std::size_t count = std::max({next.numbers.size(), to.factors.size(), std::size_t(1)});
    const auto number = [&](const std::vector<double>& all, std::size_t i) { return all[all.size() > 1 ? i : 0]; };
    if (next.role == is::lower_bound || next.role == is::bounds)
      to.low = std::max(to.low, next.numbers[0]), to.high = std::max(to.high, next.numbers[0]);
    if (next.role == is::upper_bound || next.role == is::bounds)
      to.low = std::min(to.low, next.more[0]), to.high = std::min(to.high, next.more[0]);
    if (next.is_bound()) return;
    to.factors.resize(count, to.factors[0]), to.summands.resize(count, to.summands[0]);
    for (std::size_t c = 0; c < count; ++c) {
      double times = 1, plus = 0;
      if (next.role == is::negation || (next.role == is::difference && next.is_reversed)) times = -1;
      if (next.role == is::product || next.role == is::quotient || next.role == is::normalized)
        times = number(next.numbers, c);
      if (next.role == is::sum || next.role == is::difference) plus = number(next.numbers, c);
      if (next.role == is::difference && !next.is_reversed) plus = -plus;
      if (next.role == is::normalized) plus = number(next.more, c);
      to.factors[c] *= times, to.summands[c] = to.summands[c] * times + plus;
    }
  }

  bool adds_two(const ir::graph_node& node) const {
    const op_role::is role = role_of(node).role;
    bool holds = role == op_role::is::sum || role == op_role::is::difference;
    for (const int operand : g.operands_of(node)) holds = holds && natural_[std::size_t(operand)];
    return holds;
  }
  bool gives_integers(const ir::graph_node& node) const {
    if (is_product(node) || adds_two(node) || sums(node) || gives_extremes(node) || only_moves(node)) return true;
    step found;
    return find_step(node.results, -1, found) && natural_[std::size_t(found.data)] &&
           (found.is_bound() || chain_of(node.results, true).root >= 0);
  }

  // Whether integers of 32 bits go from the grids of the operands to that of the result.
  bool has_close_grids(const value_chain& chain, int v) const {
    const quantized_grid to = grid_of_value(v);
    double most = 0;
    for (std::size_t c = 0; c < std::max(chain.factors.size(), chain.summands.size()); ++c) {
      double all = std::abs(chain.summand(c));
      const auto count = [&](int operand) { all += 255 * grid_of_value(operand).scale * std::abs(chain.factor(c)); };
      if (chain.node < 0) count(chain.root);
      for (int i = 0; chain.node >= 0 && i < 2; ++i) count(g.operands_of(g.nodes[chain.node])[i]);
      most = std::max(most, all);
    }
    return most / to.scale < 0x1p20;
  }
};

}  // namespace tenon::calibration
