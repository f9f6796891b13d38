// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/map.hpp>

namespace tenon::indexing {

// keep_point_variables: a variable with one value stays a variable, else it is replaced by that value.
struct simplify_options {
  bool keep_point_variables = false;
};

namespace detail {

// Two normal forms are in use. While simplifying, x mod n is written x - n * (x floordiv n): sums of multiples of
// variables and quotients, in which everything that cancels does so by itself. Afterwards remainders are put back where
// they make the expression shorter.
struct term {
  int atom;
  std::int64_t coefficient;
};

// constant + coefficient * atom + ..., atoms ascending, no coefficient 0.
struct sum {
  static constexpr int capacity = 20;
  std::int64_t constant;
  int count;
  term terms[capacity];

  constexpr bool is_constant() const { return count == 0; }
  friend constexpr bool operator==(const sum& a, const sum& b) {
    if (a.constant != b.constant || a.count != b.count) return false;
    for (int i = 0; i < a.count; ++i)
      if (a.terms[i].atom != b.terms[i].atom || a.terms[i].coefficient != b.terms[i].coefficient) return false;
    return true;
  }
};

enum class atom_kind : std::uint8_t {
  variable,
  quotient,   // lhs floordiv divisor
  remainder,  // lhs mod divisor; in shortened sums only
  minimum,
  maximum,
  product,
  general_quotient,  // the divisor is no constant
  general_remainder
};

struct atom {
  atom_kind kind;
  int lhs;  // interned sums, or the number of the variable
  int rhs;
  std::int64_t divisor;
  interval range;
  bool measured;
  bool shortening;
  std::int64_t cost;
  int shortest;  // atom of the same value that is written with fewer symbols
};

struct interned_sum {
  sum value;
  std::uint64_t key;  // differs only if the values do
  bool shortened;
  std::int64_t cost;
  int shortest;  // interned sum of the same value
};

// A constraint that may be relied upon: value (without constant) lies in bounds.
struct fact {
  sum value;
  interval bounds;
};

// The length of an expression is counted in symbols. Between equally many, sums and products are better than divisions,
// constants than variables (x * 2 than x + x), and fewer digits than more.
inline constexpr std::int64_t cost_of_symbol = 1 << 16;
inline constexpr std::int64_t cost_of_division = cost_of_symbol + (1 << 12);

constexpr std::int64_t cost_of_constant(std::int64_t value) {
  std::int64_t cost = cost_of_symbol - (1 << 8);
  for (value = value < 0 ? -(value / 10) : value / 10; value != 0; value /= 10) ++cost;
  return cost;
}

// An operation on operands of these costs. Divisions of less are better: (x mod 2) * 2 than (x * 2) mod 4.
constexpr std::int64_t cost_of_operation(operation op, std::int64_t lhs, std::int64_t rhs) {
  const bool divides = op == operation::floordiv || op == operation::mod;
  return lhs + rhs + (divides ? cost_of_division + (lhs >> 12) : cost_of_symbol);
}

// Gathers the cost of a sum term by term.
struct sum_cost {
  std::int64_t total = 0;
  int terms = 0;
  bool starts_positive = false;

  constexpr void add(std::int64_t atom_cost, std::int64_t coefficient) {
    total += atom_cost + (terms++ > 0 ? cost_of_symbol : 0);
    if (coefficient != 1 && coefficient != -1) total += cost_of_symbol + cost_of_constant(coefficient);
    if (coefficient != -1) starts_positive = true;
  }
  constexpr std::int64_t finish(std::int64_t constant) {
    if (terms == 0) return cost_of_constant(constant);
    return total + (constant != 0 ? cost_of_symbol + cost_of_constant(constant) : 0) +
           (starts_positive ? 0 : cost_of_symbol);
  }
};

template <class Map>
class simplifier {
 public:
  static constexpr int atom_capacity = 64 + 2 * Map::node_capacity;
  static constexpr int sum_capacity = 128 + 2 * Map::node_capacity;

  constexpr simplifier(const Map& map, simplify_options options) : map_(map), options_(options) {
    for (const operation op : {operation::dimension, operation::range, operation::runtime})
      for (int i = 0; i < map.count(op); ++i) {
        atom& variable = atoms_[atom_count_];
        variable = {};
        variable.kind = atom_kind::variable;
        variable.lhs = atom_count_++;
        variable.range = map.bounds(op)[i];
        variable.measured = true;
        variable.cost = cost_of_symbol;
        variable.shortest = variable.lhs;
      }
  }

  // Something did not fit or would overflow: results are void.
  constexpr bool failed() const { return failed_; }

  constexpr const atom& at(int id) const { return atoms_[id]; }
  constexpr const sum& interned(int id) const { return sums_[id].value; }

  constexpr operation variable_operation(int id) const {
    return id < map_.dimension_count
               ? operation::dimension
               : (id < map_.dimension_count + map_.range_count ? operation::range : operation::runtime);
  }
  constexpr int variable_index(int id) const {
    const int symbol = id - map_.dimension_count;
    return symbol < 0 ? id : (symbol < map_.range_count ? symbol : symbol - map_.range_count);
  }

  constexpr void rely_on(const fact& known) {
    if (fact_count_ < Map::constraint_capacity) facts_[fact_count_++] = known;
  }

  // The sum that has the value of a node, with remainders written as quotients.
  constexpr const sum& canonical(int id) {
    if (canonical_[id] == 0) {
      const int known = intern(canonical_of(map_.nodes[id]));
      canonical_[id] = static_cast<std::int16_t>(known + 1);
    }
    return sums_[canonical_[id] - 1].value;
  }

  // @post the sum takes values in this interval only, where bounds of variables and facts hold
  constexpr interval range(const sum& value) {
    interval result = point(value.constant);
    bool has_quotient = false;
    for (int i = 0; i < value.count; ++i) {
      result = result + atoms_[value.terms[i].atom].range * value.terms[i].coefficient;
      has_quotient = has_quotient || atoms_[value.terms[i].atom].kind == atom_kind::quotient;
    }
    for (int i = 0; i < fact_count_; ++i) {
      const sum& known = facts_[i].value;
      const std::int64_t ratio = ratio_at(value, known.terms[0]);
      if (ratio == 0) continue;
      const sum rest = combine(value, known, -ratio);
      if (rest.count > value.count - known.count) continue;
      const interval bound = facts_[i].bounds * ratio;
      result = intersection(result, rest.is_constant() ? bound + point(rest.constant) : bound + naive_range(rest));
    }
    if (has_quotient && value.count > 1 && depth_ < 6) {
      ++depth_;
      for (int i = 0; i < value.count; ++i)
        for_each_remainder(value, i, [&](const sum& rest, const sum&, std::int64_t divisor, std::int64_t factor) {
          if (rest.count >= value.count) return;
          result = intersection(result, interval{0, divisor - 1} * factor + range(rest));
        });
      --depth_;
    }
    return result;
  }

  // The same value with remainders, written as short as found.
  constexpr sum shortened(const sum& value) {
    const int id = intern(value);
    shorten(id);
    return sums_[sums_[id].shortest].value;
  }
  constexpr std::int64_t cost(const sum& value) {
    sum_cost cost;
    for (int i = 0; i < value.count; ++i) cost.add(atom_cost(value.terms[i].atom), value.terms[i].coefficient);
    return cost.finish(value.constant);
  }

  // Writes a shortened sum into a map; a term that needs no sign comes first.
  constexpr std::int16_t emit(Map& out, const sum& value) {
    int first = 0;
    while (first < value.count && value.terms[first].coefficient == -1) ++first;
    if (first == value.count) first = 0;
    std::int16_t id = -1;
    for (int i = 0; i < value.count; ++i) {
      const term& part = value.terms[i == 0 ? first : (i <= first ? i - 1 : i)];
      std::int16_t next = emit_atom(out, atoms_[part.atom].shortest);
      if (part.coefficient != 1)
        next = out.make(operation::multiply, next, out.leaf(operation::constant, part.coefficient));
      id = i == 0 ? next : out.make(operation::add, id, next);
    }
    if (value.count > 0 && value.constant == 0) return id;
    const std::int16_t constant = out.leaf(operation::constant, value.constant);
    return value.count > 0 ? out.make(operation::add, id, constant) : constant;
  }

  // value + factor * other
  constexpr sum combine(const sum& value, const sum& other, std::int64_t factor) {
    sum result{};
    result.constant = add(value.constant, multiply(other.constant, factor));
    int i = 0;
    int k = 0;
    while (i < value.count || k < other.count) {
      term next{};
      if (k == other.count || (i < value.count && value.terms[i].atom < other.terms[k].atom)) {
        next = value.terms[i++];
      } else {
        next = {other.terms[k].atom, multiply(other.terms[k].coefficient, factor)};
        if (i < value.count && value.terms[i].atom == next.atom)
          next.coefficient = add(next.coefficient, value.terms[i++].coefficient);
        ++k;
      }
      if (next.coefficient == 0) continue;
      if (result.count == sum::capacity) {
        failed_ = true;
        break;
      }
      result.terms[result.count++] = next;
    }
    return result;
  }

  constexpr sum scaled(const sum& value, std::int64_t factor) { return combine({}, value, factor); }
  static constexpr sum constant(std::int64_t value) {
    sum result{};
    result.constant = value;
    return result;
  }
  static constexpr sum single(int id, std::int64_t coefficient = 1) {
    sum result{};
    result.count = 1;
    result.terms[0] = {id, coefficient};
    return result;
  }

  // Greatest common divisor of the coefficients, 0 for a constant.
  static constexpr std::int64_t common_factor(const sum& value) {
    std::int64_t factor = 0;
    for (int i = 0; i < value.count && factor != 1; ++i)
      factor = greatest_common_divisor(factor, value.terms[i].coefficient);
    return factor;
  }

  // Every coefficient and the constant are multiples of `factor`.
  static constexpr sum divided(sum value, std::int64_t factor) {
    value.constant = floor_divide(value.constant, factor);
    for (int i = 0; i < value.count; ++i) value.terms[i].coefficient /= factor;
    return value;
  }

  constexpr int remainder_atom(const sum& value, std::int64_t divisor) {
    return make_atom(atom_kind::remainder, intern(value), -1, divisor);
  }

  constexpr int intern(const sum& value) {
    std::uint64_t key = static_cast<std::uint64_t>(value.constant);
    for (int i = 0; i < value.count; ++i)
      key = key * 31 + static_cast<std::uint64_t>(value.terms[i].coefficient) * 8191 +
            static_cast<std::uint64_t>(value.terms[i].atom);
    for (int i = 0; i < sum_count_; ++i)
      if (sums_[i].key == key && sums_[i].value == value) return i;
    if (sum_count_ == sum_capacity) {
      failed_ = true;
      return 0;
    }
    sums_[sum_count_].value = value;
    sums_[sum_count_].key = key;
    return sum_count_++;
  }

  // value floordiv divisor, for a positive divisor.
  constexpr sum divide(const sum& value, std::int64_t divisor) {
    if (divisor == 1 || failed_) return value;
    sum whole{};
    sum rest{};
    whole.constant = floor_divide(value.constant, divisor);
    rest.constant = modulo(value.constant, divisor);
    for (int i = 0; i < value.count; ++i) {
      const term& part = value.terms[i];
      if (part.coefficient % divisor == 0)
        whole.terms[whole.count++] = {part.atom, part.coefficient / divisor};
      else
        rest.terms[rest.count++] = part;
    }
    if (rest.is_constant()) return whole;
    const interval reach = range(rest);
    const std::int64_t bucket = floor_divide(reach.lower, divisor);
    if (bucket == floor_divide(reach.upper, divisor)) return combine(whole, constant(bucket), 1);

    // The terms that `factor` does not divide stay below the next multiple of it.
    std::int64_t tried = divisor;
    while (true) {
      std::int64_t factor = 1;
      std::int64_t accumulated = divisor;
      for (int i = 0; i < rest.count; ++i) {
        const std::int64_t common = greatest_common_divisor(rest.terms[i].coefficient, divisor);
        if (common > factor && common < tried) factor = common;
        accumulated = greatest_common_divisor(accumulated, rest.terms[i].coefficient);
        if (accumulated > factor && accumulated < tried) factor = accumulated;
      }
      if (factor == 1) break;
      tried = factor;
      sum coarse{};
      sum fine{};
      coarse.constant = floor_divide(rest.constant, factor);
      fine.constant = modulo(rest.constant, factor);
      for (int i = 0; i < rest.count; ++i) {
        const term& part = rest.terms[i];
        if (part.coefficient % factor == 0)
          coarse.terms[coarse.count++] = {part.atom, part.coefficient / factor};
        else
          fine.terms[fine.count++] = part;
      }
      const interval fine_reach = range(fine);
      const std::int64_t fine_bucket = floor_divide(fine_reach.lower, factor);
      if (fine_bucket != floor_divide(fine_reach.upper, factor)) continue;
      coarse.constant = add(coarse.constant, fine_bucket);
      return combine(whole, divide(coarse, divisor / factor), 1);
    }

    // (a + x floordiv m) floordiv n = (a * m + x) floordiv (m * n)
    int inner = -1;
    for (int i = 0; i < rest.count; ++i) {
      if (rest.terms[i].coefficient != 1 || atoms_[rest.terms[i].atom].kind != atom_kind::quotient) continue;
      inner = inner < 0 ? i : rest.count;
    }
    if (inner >= 0 && inner < rest.count) {
      const atom& quotient = atoms_[rest.terms[inner].atom];
      std::int64_t product = 0;
      if (!__builtin_mul_overflow(quotient.divisor, divisor, &product)) {
        const sum outer = combine(rest, single(rest.terms[inner].atom), -1);
        const bool had_failed = failed_;
        const sum merged = combine(sums_[quotient.lhs].value, outer, quotient.divisor);
        if (failed_ == had_failed && naive_range(merged).is_bounded())
          return combine(whole, divide(merged, product), 1);
        failed_ = had_failed;
      }
    }
    const int id = make_atom(atom_kind::quotient, intern(rest), -1, divisor);
    return combine(whole, single(id), 1);
  }

 private:
  constexpr std::int64_t add(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) failed_ = true;
    return result;
  }
  constexpr std::int64_t multiply(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) failed_ = true;
    return result;
  }

  constexpr interval naive_range(const sum& value) const {
    interval result = point(value.constant);
    for (int i = 0; i < value.count; ++i)
      result = result + atoms_[value.terms[i].atom].range * value.terms[i].coefficient;
    return result;
  }

  // How often the given term is contained in a sum; 0 if not a whole number of times.
  static constexpr std::int64_t ratio_at(const sum& value, const term& part) {
    for (int i = 0; i < value.count; ++i)
      if (value.terms[i].atom == part.atom)
        return value.terms[i].coefficient % part.coefficient == 0 ? value.terms[i].coefficient / part.coefficient : 0;
    return 0;
  }

  constexpr sum canonical_of(const node& step) {
    if (step.op == operation::constant) return constant(step.value);
    if (is_variable(step.op)) {
      int id = static_cast<int>(step.value);
      if (step.op != operation::dimension) id += map_.dimension_count;
      if (step.op == operation::runtime) id += map_.range_count;
      const interval bounds = atoms_[id].range;
      return bounds.is_point() && !options_.keep_point_variables ? constant(bounds.lower) : single(id);
    }
    const sum lhs = canonical(step.lhs);
    const sum rhs = canonical(step.rhs);
    switch (step.op) {
      case operation::add:
        return combine(lhs, rhs, 1);
      case operation::multiply:
        if (rhs.is_constant()) return scaled(lhs, rhs.constant);
        if (lhs.is_constant()) return scaled(rhs, lhs.constant);
        return single(make_atom(atom_kind::product, intern(lhs), intern(rhs), 0));
      case operation::floordiv:
        if (rhs.is_constant() && rhs.constant != 0) return quotient_of(lhs, rhs.constant);
        return single(make_atom(atom_kind::general_quotient, intern(lhs), intern(rhs), 0));
      case operation::mod:
        if (rhs.is_constant() && rhs.constant != 0)
          return combine(lhs, quotient_of(lhs, rhs.constant), saturating_negate(rhs.constant));
        return single(make_atom(atom_kind::general_remainder, intern(lhs), intern(rhs), 0));
      default:
        return extremum(step.op == operation::minimum ? atom_kind::minimum : atom_kind::maximum, lhs, rhs);
    }
  }

  constexpr sum quotient_of(const sum& value, std::int64_t divisor) {
    if (divisor > 0) return divide(value, divisor);
    return divide(scaled(value, -1), saturating_negate(divisor));
  }

  // 1 if `a` is always the result of the operation on both, -1 if `b` is, else 0.
  constexpr int preferred(atom_kind kind, const sum& a, const sum& b) {
    const interval difference = range(combine(a, b, -1));
    if (kind == atom_kind::minimum) return difference.upper <= 0 ? 1 : (difference.lower >= 0 ? -1 : 0);
    return difference.lower >= 0 ? 1 : (difference.upper <= 0 ? -1 : 0);
  }

  constexpr sum extremum(atom_kind kind, sum a, sum b) {
    if (const int choice = preferred(kind, a, b); choice != 0) return choice > 0 ? a : b;
    for (int turn = 0; turn < 2; ++turn) {
      const sum& outer = turn == 0 ? a : b;
      const sum& other = turn == 0 ? b : a;
      if (outer.count != 1 || outer.constant != 0 || outer.terms[0].coefficient != 1) continue;
      const atom inner = atoms_[outer.terms[0].atom];
      if (inner.kind != atom_kind::minimum && inner.kind != atom_kind::maximum) continue;
      const sum x = sums_[inner.lhs].value;
      const sum y = sums_[inner.rhs].value;
      if (inner.kind != kind) {
        if (x == other || y == other) return other;
        continue;
      }
      const int with_x = preferred(kind, x, other);
      const int with_y = preferred(kind, y, other);
      if (with_x > 0 || with_y > 0) return outer;
      if (with_x < 0) return extremum(kind, y, other);
      if (with_y < 0) return extremum(kind, x, other);
    }
    sum shared{};
    for (int i = 0, k = 0; i < a.count && k < b.count;) {
      if (a.terms[i].atom != b.terms[k].atom) {
        a.terms[i].atom < b.terms[k].atom ? ++i : ++k;
      } else {
        if (a.terms[i].coefficient == b.terms[k].coefficient) shared.terms[shared.count++] = a.terms[i];
        ++i, ++k;
      }
    }
    if (a.constant == b.constant) shared.constant = a.constant;
    a = combine(a, shared, -1);
    b = combine(b, shared, -1);
    std::int64_t factor = greatest_common_divisor(common_factor(a), common_factor(b));
    factor = greatest_common_divisor(factor, greatest_common_divisor(a.constant, b.constant));
    if (factor > 1) {
      a = divided(a, factor);
      b = divided(b, factor);
    } else {
      factor = 1;
    }
    return combine(shared, single(make_atom(kind, intern(a), intern(b), 0)), factor);
  }

  constexpr int make_atom(atom_kind kind, int lhs, int rhs, std::int64_t divisor) {
    const bool commutes = kind == atom_kind::minimum || kind == atom_kind::maximum || kind == atom_kind::product;
    if (commutes && lhs > rhs) {
      const int swapped = lhs;
      lhs = rhs;
      rhs = swapped;
    }
    const int variables = map_.dimension_count + map_.symbol_count();
    for (int i = variables; i < atom_count_; ++i)
      if (atoms_[i].kind == kind && atoms_[i].lhs == lhs && atoms_[i].rhs == rhs && atoms_[i].divisor == divisor)
        return i;
    if (atom_count_ == atom_capacity || failed_) {
      failed_ = true;
      return 0;
    }
    const interval left = range(sums_[lhs].value);
    const interval right = rhs < 0 ? point(divisor) : range(sums_[rhs].value);
    atom value{};
    value.kind = kind;
    value.lhs = lhs;
    value.rhs = rhs;
    value.divisor = divisor;
    value.range = apply(operation_of(kind), left, right);
    value.shortest = atom_count_;
    atoms_[atom_count_] = value;
    return atom_count_++;
  }

  static constexpr operation operation_of(atom_kind kind) {
    switch (kind) {
      case atom_kind::quotient:
      case atom_kind::general_quotient:
        return operation::floordiv;
      case atom_kind::remainder:
      case atom_kind::general_remainder:
        return operation::mod;
      case atom_kind::minimum:
        return operation::minimum;
      case atom_kind::maximum:
        return operation::maximum;
      default:
        return operation::multiply;
    }
  }

  // As below, where simplification took a factor out of the divisor of the quotient: m is what the sum has besides.
  template <class Visit>
  constexpr void attempt_whole(const sum& value, int quotient, std::int64_t divisor, std::int64_t factor, Visit visit) {
    sum inner{};
    inner.constant = modulo(floor_divide(value.constant, factor), divisor);
    for (int i = 0; i < value.count; ++i) {
      const term& part = value.terms[i];
      if (part.atom != quotient && part.coefficient % factor == 0 && part.coefficient / factor % divisor != 0)
        inner.terms[inner.count++] = {part.atom, part.coefficient / factor};
    }
    const sum found = divide(inner, divisor);
    bool matches = false;
    for (int i = 0; i < found.count; ++i)
      matches = matches || (found.terms[i].atom == quotient && found.terms[i].coefficient == 1);
    if (!matches) return;
    const sum rest = combine(combine(value, inner, saturating_negate(factor)), found, multiply(factor, divisor));
    if (!failed_) visit(rest, inner, divisor, factor);
  }

  // Calls visit(rest, m, n, c) for ways to write the sum as rest + c * (m mod n) that use up its term i, a quotient.
  template <class Visit>
  constexpr void for_each_remainder(const sum& value, int i, Visit visit) {
    const term part = value.terms[i];
    if (atoms_[part.atom].kind != atom_kind::quotient || atoms_[part.atom].divisor <= 0) return;
    const int lhs = atoms_[part.atom].lhs;
    const std::int64_t divisor = atoms_[part.atom].divisor;
    const auto attempt = [&](std::int64_t factor) {
      if (factor == 0 || part.coefficient % factor != 0) return;
      const std::int64_t smaller = saturating_negate(part.coefficient / factor);
      if (smaller <= 1) return;
      if (divisor % smaller != 0) return attempt_whole(value, part.atom, smaller, factor, visit);
      const sum inner = smaller == divisor ? sums_[lhs].value : divide(sums_[lhs].value, divisor / smaller);
      sum rest = combine(value, single(part.atom), saturating_negate(part.coefficient));
      rest = combine(rest, inner, saturating_negate(factor));
      if (!failed_) visit(rest, inner, smaller, factor);
    };
    const std::int64_t whole = part.coefficient % divisor == 0 ? part.coefficient / -divisor : 0;
    attempt(whole);
    for (int k = 0; k < value.count; ++k) {
      const std::int64_t factor = value.terms[k].coefficient;
      bool tried = k == i || factor == whole;
      for (int j = 0; j < k && !tried; ++j) tried = value.terms[j].coefficient == factor;
      if (!tried) attempt(factor);
    }
  }

  constexpr std::int64_t atom_cost(int id) {
    if (atoms_[id].measured) return atoms_[id].cost;
    const atom value = atoms_[id];
    shorten(value.lhs);
    if (value.rhs >= 0) shorten(value.rhs);
    std::int64_t cost = cost_of_operation(operation_of(value.kind), sums_[value.lhs].cost,
                                          value.rhs < 0 ? cost_of_constant(value.divisor) : sums_[value.rhs].cost);
    int shortest = id;
    const auto consider = [&](const sum& numerator, std::int64_t divisor) {
      const int other = make_atom(atom_kind::quotient, intern(numerator), -1, divisor);
      if (failed_ || other == id) return;
      const std::int64_t other_cost = atom_cost(other);
      if (other_cost >= cost) return;
      cost = other_cost;
      shortest = atoms_[other].shortest;
    };
    if (value.kind == atom_kind::quotient && value.divisor > 0 && !value.shortening) {
      atoms_[id].shortening = true;
      const sum numerator = sums_[value.lhs].value;
      bool all_negative = numerator.constant <= 0;
      for (int i = 0; i < numerator.count; ++i) all_negative = all_negative && numerator.terms[i].coefficient < 0;
      if (all_negative) consider(scaled(numerator, -1), -value.divisor);
      for (int i = 0; i < numerator.count; ++i) {
        const std::int64_t factor = greatest_common_divisor(numerator.terms[i].coefficient, value.divisor);
        if (factor > 1 && factor < value.divisor && numerator.count > 1)
          consider(divide(numerator, factor), value.divisor / factor);
      }
    }
    atoms_[id].measured = true;
    atoms_[id].cost = cost;
    atoms_[id].shortest = shortest;
    return cost;
  }

  constexpr void shorten(int id) {
    if (sums_[id].shortened || failed_) return;
    sum best = sums_[id].value;
    // Holds while the search below comes back here.
    sums_[id].shortened = true;
    sums_[id].shortest = id;
    std::int64_t best_cost = sums_[id].cost = std::numeric_limits<std::int64_t>::max() / 4;
    best_cost = sums_[id].cost = cost(best);
    while (!failed_) {
      const sum current = best;
      const auto consider = [&](const sum& candidate) {
        const std::int64_t candidate_cost = cost(candidate);
        if (candidate_cost >= best_cost || failed_) return;
        best = candidate;
        best_cost = candidate_cost;
      };
      for (int i = 0; i < current.count; ++i) {
        const term part = current.terms[i];
        if (atoms_[part.atom].kind != atom_kind::quotient) continue;
        if (current.count > 1 || current.constant != 0)
          for_each_remainder(current, i,
                             [&](const sum& rest, const sum& inner, std::int64_t divisor, std::int64_t factor) {
                               if (rest.count > current.count || intern(inner) == id) return;
                               consider(combine(rest, single(remainder_atom(inner, divisor)), factor));
                             });
        // k * (x floordiv n) + k * j * y = k * ((x + n * j * y) floordiv n)
        const auto absorb = [&](const sum& absorbed) {
          const sum numerator = combine(sums_[atoms_[part.atom].lhs].value, absorbed, atoms_[part.atom].divisor);
          if (failed_ || intern(numerator) == id) return;
          const int quotient = make_atom(atom_kind::quotient, intern(numerator), -1, atoms_[part.atom].divisor);
          sum rest = combine(current, single(part.atom), -part.coefficient);
          rest = combine(rest, absorbed, saturating_negate(part.coefficient));
          consider(combine(rest, single(quotient), part.coefficient));
        };
        if (current.constant != 0 && current.constant % part.coefficient == 0)
          absorb(constant(current.constant / part.coefficient));
        for (int k = 0; k < current.count; ++k) {
          const term other = current.terms[k];
          if (k != i && atoms_[other.atom].kind == atom_kind::quotient && depth_ < 3 &&
              other.coefficient % part.coefficient == 0) {
            ++depth_;
            absorb(single(other.atom, other.coefficient / part.coefficient));
            --depth_;
          }
        }
      }
      if (best == current) break;
    }
    sums_[id].shortest = intern(best);
    sums_[id].cost = best_cost;
  }

  constexpr std::int16_t emit_atom(Map& out, int id) {
    const atom value = atoms_[id];
    if (value.kind == atom_kind::variable) return out.leaf(variable_operation(id), variable_index(id));
    const std::int16_t lhs = emit(out, sums_[sums_[value.lhs].shortest].value);
    const std::int16_t rhs = value.rhs < 0 ? out.leaf(operation::constant, value.divisor)
                                           : emit(out, sums_[sums_[value.rhs].shortest].value);
    return out.make(operation_of(value.kind), lhs, rhs);
  }

  const Map& map_;
  simplify_options options_;
  bool failed_ = false;
  int depth_ = 0;
  int atom_count_ = 0;
  int sum_count_ = 0;
  int fact_count_ = 0;
  std::int16_t canonical_[Map::node_capacity]{};
  fact facts_[Map::constraint_capacity]{};
  atom atoms_[atom_capacity]{};
  interned_sum sums_[sum_capacity]{};
};

// Length of an expression as the map holds it, in the measure of the simplifier.
template <class Map>
constexpr std::int64_t cost_of(const Map& map, std::int16_t id);

template <class Map>
constexpr void add_terms(const Map& map, std::int16_t id, sum_cost& cost, std::int64_t& constant) {
  const node& step = map.nodes[id];
  if (step.op == operation::add) {
    add_terms(map, step.lhs, cost, constant);
    add_terms(map, step.rhs, cost, constant);
  } else if (step.op == operation::constant && constant == 0) {
    constant = step.value;
  } else if (step.op == operation::multiply && map.nodes[step.rhs].op == operation::constant) {
    cost.add(cost_of(map, step.lhs), map.nodes[step.rhs].value);
  } else {
    cost.add(cost_of(map, id), 1);
  }
}

template <class Map>
constexpr std::int64_t cost_of(const Map& map, std::int16_t id) {
  const node& step = map.nodes[id];
  if (step.op == operation::constant) return cost_of_constant(step.value);
  if (is_variable(step.op)) return cost_of_symbol;
  if (step.op == operation::add || (step.op == operation::multiply && map.nodes[step.rhs].op == operation::constant)) {
    sum_cost cost;
    std::int64_t constant = 0;
    add_terms(map, id, cost, constant);
    return cost.finish(constant);
  }
  return cost_of_operation(step.op, cost_of(map, step.lhs), cost_of(map, step.rhs));
}

constexpr std::int64_t ceiling_divide(std::int64_t a, std::int64_t b) {
  return saturating_negate(floor_divide(saturating_negate(a), b));
}

// { x | x * factor in bounds }
constexpr interval quotient_bounds(interval bounds, std::int64_t factor) {
  if (factor < 0) return quotient_bounds(-bounds, saturating_negate(factor));
  return {bounds.lower == all_integers.lower ? bounds.lower : ceiling_divide(bounds.lower, factor),
          bounds.upper == all_integers.upper ? bounds.upper : floor_divide(bounds.upper, factor)};
}

// { x | x floordiv divisor in bounds }
constexpr interval numerator_bounds(interval bounds, std::int64_t divisor) {
  if (divisor < 0) return -numerator_bounds(bounds, saturating_negate(divisor));
  return {bounds.lower == all_integers.lower ? bounds.lower : saturating_multiply(bounds.lower, divisor),
          bounds.upper == all_integers.upper ? bounds.upper
                                             : saturating_add(saturating_multiply(bounds.upper, divisor), divisor - 1)};
}

// A constraint on its way through the simplifier.
struct open_constraint {
  sum value;
  interval bounds;
  bool dropped;
  bool merged;  // says more than the constraint that it came from
};

// Moves constants, factors and divisions from the value of a constraint into its bounds.
template <class Map>
constexpr void isolate(simplifier<Map>& work, open_constraint& open) {
  while (!work.failed()) {
    open.bounds = open.bounds + point(saturating_negate(open.value.constant));
    open.value.constant = 0;
    if (open.value.is_constant() || open.bounds.is_empty()) return;
    std::int64_t factor = work.common_factor(open.value);
    if (open.value.count == 1 && open.value.terms[0].coefficient < 0) factor = -factor;
    if (factor != 1) {
      open.value = work.divided(open.value, factor);
      open.bounds = quotient_bounds(open.bounds, factor);
    }
    if (open.value.count != 1) return;
    const atom& only = work.at(open.value.terms[0].atom);
    if (only.kind != atom_kind::quotient) return;
    open.bounds = numerator_bounds(open.bounds, only.divisor);
    open.value = work.interned(only.lhs);
  }
}

// x mod n in [r, r], or no such constraint.
struct congruence {
  bool valid = false;
  sum value;  // x without its constant
  std::int64_t shift = 0;
  std::int64_t divisor = 0;
  std::int64_t residue = 0;  // of value
};

template <class Map>
constexpr congruence congruence_of(const simplifier<Map>& work, const open_constraint& open) {
  congruence found{};
  if (open.dropped || open.value.count != 1 || !open.bounds.is_point()) return found;
  const atom& only = work.at(open.value.terms[0].atom);
  if (only.kind != atom_kind::remainder || only.divisor <= 0) return found;
  found.valid = true;
  found.value = work.interned(only.lhs);
  found.shift = found.value.constant;
  found.value.constant = 0;
  found.divisor = only.divisor;
  found.residue = modulo(open.bounds.lower - modulo(found.shift, only.divisor), only.divisor);
  return found;
}

// The first integer of a congruence class at or above `from`.
constexpr std::int64_t align_up(std::int64_t from, std::int64_t divisor, std::int64_t residue) {
  return saturating_add(from, modulo(saturating_add(residue, saturating_negate(modulo(from, divisor))), divisor));
}
constexpr std::int64_t align_down(std::int64_t from, std::int64_t divisor, std::int64_t residue) {
  return saturating_negate(align_up(saturating_negate(from), divisor, modulo(-residue, divisor)));
}

// Writes an expression of `map` into `out`, each of its operations either as it is or, where that is shorter, simplified.
template <class Map>
constexpr std::int16_t rebuild_from_parts(simplifier<Map>& work, const Map& map, Map& out, std::int16_t id) {
  std::int16_t made[Map::node_capacity]{};
  node_set<Map> used;
  used.add(map, id);
  for (int i = 0; i <= id; ++i) {
    if (!used.at[i]) continue;
    const node& step = map.nodes[i];
    made[i] = is_leaf(step.op) ? out.leaf(step.op, step.value) : out.make(step.op, made[step.lhs], made[step.rhs]);
    const sum part = work.shortened(work.canonical(static_cast<std::int16_t>(i)));
    if (made[i] >= 0 && work.cost(part) < cost_of(out, made[i])) made[i] = work.emit(out, part);
    if (made[i] < 0) return -1;
  }
  return made[id];
}

enum class simplify_step : std::uint8_t { unchanged, changed, abandoned };

// One pass over a defined map. Bounds that became narrower ask for another pass.
template <class Map>
constexpr simplify_step simplify_once(Map& map, simplify_options options) {
  simplifier<Map> work(map, options);
  open_constraint open[Map::constraint_capacity]{};
  bool bounds_changed = false;
  bool constraints_changed = false;
  Map narrowed = map;

  const auto narrow = [&](int id, interval allowed) {
    interval& bounds = narrowed.bounds(work.variable_operation(id))[work.variable_index(id)];
    const interval both = intersection(bounds, allowed);
    if (both == bounds) return;
    bounds = both;
    bounds_changed = true;
    if (both.is_empty()) narrowed.set_empty();
  };
  const auto finish_early = [&] {
    map = narrowed;
    return simplify_step::changed;
  };

  for (int i = 0; i < map.constraint_count; ++i) {
    const constraint& given = map.constraints[i];
    const sum canonical = work.canonical(given.value);
    open[i].value = canonical;
    open[i].bounds = given.bounds;
    isolate(work, open[i]);
    open[i].value = work.shortened(open[i].value);
    isolate(work, open[i]);
    if (work.failed()) return simplify_step::abandoned;
    const interval reach = work.range(open[i].value);
    const interval left = intersection(reach, open[i].bounds);
    if (left.is_empty()) {
      narrowed.set_empty();
      return finish_early();
    }
    if (open[i].bounds.contains(reach)) {
      open[i].dropped = true;
    } else if (open[i].value.count == 1 && work.at(open[i].value.terms[0].atom).kind == atom_kind::variable) {
      narrow(open[i].value.terms[0].atom, open[i].bounds);
      open[i].dropped = true;
    }
    if (open[i].dropped) constraints_changed = true;
  }

  // Constraints on the same value; congruences of the same value.
  for (int i = 0; i < map.constraint_count; ++i)
    for (int k = i + 1; k < map.constraint_count; ++k) {
      if (open[i].dropped || open[k].dropped) continue;
      if (open[i].value == open[k].value || open[i].value == work.scaled(open[k].value, -1)) {
        const interval other = open[i].value == open[k].value ? open[k].bounds : -open[k].bounds;
        open[i].bounds = intersection(open[i].bounds, other);
        open[k].dropped = open[i].merged = constraints_changed = true;
        if (open[i].bounds.is_empty()) {
          narrowed.set_empty();
          return finish_early();
        }
        continue;
      }
      const congruence a = congruence_of(work, open[i]);
      const congruence b = congruence_of(work, open[k]);
      if (!a.valid || !b.valid || !(a.value == b.value)) continue;
      const std::int64_t shared = greatest_common_divisor(a.divisor, b.divisor);
      if (modulo(a.residue, shared) != modulo(b.residue, shared)) {
        narrowed.set_empty();
        return finish_early();
      }
      const bool first_implies = a.divisor % b.divisor == 0;
      const bool second_implies = b.divisor % a.divisor == 0;
      std::int64_t multiple = 0;
      if (first_implies) {
        open[k].dropped = true;
      } else if (second_implies) {
        open[i].dropped = true;
      } else if (a.residue == b.residue && !__builtin_mul_overflow(a.divisor / shared, b.divisor, &multiple)) {
        open[i].value = work.single(work.remainder_atom(a.value, multiple));
        open[i].bounds = point(a.residue);
        open[k].dropped = open[i].merged = true;
      } else {
        continue;
      }
      constraints_changed = true;
    }
  for (bool again = true; again && narrowed.is_defined();) {
    again = false;
    for (int i = 0; i < map.constraint_count; ++i) {
      const congruence found = congruence_of(work, open[i]);
      if (!found.valid || found.shift != 0 || found.value.count != 1 || found.value.terms[0].coefficient != 1) continue;
      const int id = found.value.terms[0].atom;
      if (work.at(id).kind != atom_kind::variable || !work.at(id).range.is_bounded()) continue;
      const interval bounds = narrowed.bounds(work.variable_operation(id))[work.variable_index(id)];
      const interval aligned{align_up(bounds.lower, found.divisor, found.residue),
                             align_down(bounds.upper, found.divisor, found.residue)};
      again = again || !(aligned == bounds);
      narrow(id, aligned);
    }
  }
  if (narrowed.is_known_empty()) return finish_early();

  Map out = narrowed;
  out.node_count = 0;
  out.constraint_count = 0;
  out.result_count = 0;
  std::int16_t copied[Map::node_capacity]{};
  const auto copy = [&](std::int16_t id) {
    node_set<Map> used;
    used.add(map, id);
    for (int i = 0; i <= id; ++i) {
      if (!used.at[i] || copied[i] != 0) continue;
      const node& step = map.nodes[i];
      const std::int16_t made = is_leaf(step.op) ? out.leaf(step.op, step.value)
                                                 : out.make(step.op, static_cast<std::int16_t>(copied[step.lhs] - 1),
                                                            static_cast<std::int16_t>(copied[step.rhs] - 1));
      copied[i] = static_cast<std::int16_t>(made + 1);
    }
    return static_cast<std::int16_t>(copied[id] - 1);
  };

  bool changed = bounds_changed || constraints_changed;
  for (int i = 0; i < map.constraint_count; ++i) {
    if (open[i].dropped) continue;
    const constraint& given = map.constraints[i];
    const std::int64_t given_cost = cost_of(map, given.value);
    const std::int64_t cost = work.cost(open[i].value);
    const bool same = cost == given_cost && open[i].bounds == given.bounds;
    if (!open[i].merged && (same || cost > given_cost)) {
      out.add_constraint(copy(given.value), given.bounds);
    } else {
      out.add_constraint(work.emit(out, open[i].value), open[i].bounds);
      changed = true;
    }
  }
  for (int i = 0; i < map.constraint_count; ++i)
    if (!open[i].dropped && open[i].value.count > 0) work.rely_on({open[i].value, open[i].bounds});
  for (int i = 0; i < map.result_count; ++i) {
    const std::int16_t given = map.results[i];
    const std::int64_t given_cost = cost_of(map, given);
    if (const sum result = work.shortened(work.canonical(given)); work.cost(result) < given_cost) {
      out.add_result(work.emit(out, result));
      changed = true;
      continue;
    }
    // As a whole it is not shorter; parts of it may be.
    Map trial = out;
    const std::int16_t rebuilt = rebuild_from_parts(work, map, trial, given);
    if (rebuilt >= 0 && cost_of(trial, rebuilt) < given_cost) {
      out = trial;
      out.add_result(rebuilt);
      changed = true;
    } else {
      out.add_result(copy(given));
    }
  }
  if (work.failed() || out.is_unknown()) return simplify_step::abandoned;
  if (!changed) return simplify_step::unchanged;
  map = out;
  return simplify_step::changed;
}

// Leaf of a result that is a leaf, perhaps with a factor and an offset; -1 for other results.
template <class Map>
constexpr std::int16_t leaf_of_result(const Map& map, std::int16_t id) {
  if (map.nodes[id].op == operation::add && map.nodes[map.nodes[id].rhs].op == operation::constant)
    id = map.nodes[id].lhs;
  if (map.nodes[id].op == operation::multiply && map.nodes[map.nodes[id].rhs].op == operation::constant)
    id = map.nodes[id].lhs;
  return is_leaf(map.nodes[id].op) ? id : std::int16_t{-1};
}

// Most maps have such results alone, and no constraints: all there is to do is to replace variables of one value.
// False for other maps.
template <class Map>
constexpr bool simplify_leaves(Map& map, simplify_options options, bool& changed) {
  if (map.constraint_count > 0) return false;
  for (int i = 0; i < map.result_count; ++i)
    if (leaf_of_result(map, map.results[i]) < 0) return false;
  if (options.keep_point_variables) return true;
  for (int i = 0; i < map.result_count; ++i) {
    const node leaf = map.nodes[leaf_of_result(map, map.results[i])];
    if (!is_variable(leaf.op) || !map.bounds(leaf.op)[leaf.value].is_point()) continue;
    std::int64_t value = map.bounds(leaf.op)[leaf.value].lower;
    node step = map.nodes[map.results[i]];
    const std::int64_t offset = step.op == operation::add ? map.nodes[step.rhs].value : 0;
    if (step.op == operation::add) step = map.nodes[step.lhs];
    if (step.op == operation::multiply) value = saturating_multiply(value, map.nodes[step.rhs].value);
    const std::int16_t constant = map.leaf(operation::constant, saturating_add(value, offset));
    // Without room for another node the variable stays.
    if (constant < 0) map.state = map_state::defined;
    if (constant < 0) break;
    map.results[i] = constant;
    changed = true;
  }
  if (changed) remove_unused_nodes(map);
  return true;
}

}  // namespace detail

// Rewrites results and constraints with the bounds of the variables: sums are collected, divisions and remainders are
// worked out, constraints are moved into bounds, merged, or dropped. Returns whether the map changed.
// @post the domain is the same set of points, and every result has the same value at each of them
// @post no result is longer than before, and a second call returns false
template <class Map>
constexpr bool simplify(Map& map, simplify_options options = {}) {
  bool changed = false;
  if (!map.is_defined() || detail::simplify_leaves(map, options, changed)) return changed;
  for (int pass = 0; pass < 16 && map.is_defined(); ++pass) {
    if (detail::simplify_once(map, options) != detail::simplify_step::changed) break;
    changed = true;
  }
  if (changed) remove_unused_nodes(map);
  return changed;
}

}  // namespace tenon::indexing
