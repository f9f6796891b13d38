// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/indexing.hpp>.
#pragma once

#include <tenon/indexing/cost.hpp>

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

template <class Map>
class simplifier {
 public:
  static constexpr int atom_capacity = 64 + 2 * Map::node_capacity;
  static constexpr int sum_capacity = 128 + 2 * Map::node_capacity;

  // Limits of the search for shorter forms and tighter intervals, which calls itself. Beyond them the answer is longer
  // or wider, never wrong.
  static constexpr int most_attempts = 4000;
  static constexpr int deepest_range = 6;
  static constexpr int deepest_search = 3;

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
    if (has_quotient && value.count > 1 && depth_ < deepest_range) {
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
    if (failed_) return -1;
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

  // @post value = divisor * quotient + rest, whose terms the divisor does not divide
  static constexpr sum quotient(const sum& value, std::int64_t divisor, sum& rest) {
    sum whole{};
    whole.constant = floor_divide(value.constant, divisor);
    rest.constant = modulo(value.constant, divisor);
    for (int i = 0; i < value.count; ++i) {
      const term& part = value.terms[i];
      if (part.coefficient % divisor == 0)
        whole.terms[whole.count++] = {part.atom, part.coefficient / divisor};
      else
        rest.terms[rest.count++] = part;
    }
    return whole;
  }
  // value floordiv divisor, for a positive divisor.
  constexpr sum divide(const sum& value, std::int64_t divisor) {
    if (divisor == 1 || failed_) return value;
    sum rest{};
    const sum whole = quotient(value, divisor, rest);
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
      sum fine{};
      sum coarse = quotient(rest, factor, fine);
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
  // Numbers are kept well inside of 64 bits, so that negation and division of what is kept cannot overflow.
  constexpr std::int64_t checked(std::int64_t value) {
    constexpr std::int64_t limit = std::int64_t{1} << 62;
    if (-limit < value && value < limit) return value;
    failed_ = true;
    return 0;
  }
  constexpr std::int64_t add(std::int64_t a, std::int64_t b) { return checked(saturating_add(a, b)); }
  constexpr std::int64_t multiply(std::int64_t a, std::int64_t b) { return checked(saturating_multiply(a, b)); }

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
    if (step.op == operation::constant) return constant(checked(step.value));
    if (is_variable(step.op)) {
      int id = static_cast<int>(step.value);
      if (step.op != operation::dimension) id += map_.dimension_count;
      if (step.op == operation::runtime) id += map_.range_count;
      const interval bounds = atoms_[id].range;
      return bounds.is_point() && !options_.keep_point_variables ? constant(checked(bounds.lower)) : single(id);
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
        ++(a.terms[i].atom < b.terms[k].atom ? i : k);
      } else {
        if (a.terms[i].coefficient == b.terms[k].coefficient) shared.terms[shared.count++] = a.terms[i];
        ++i;
        ++k;
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
    const sum rest = combine(combine(value, inner, -factor), found, multiply(factor, divisor));
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
      const std::int64_t smaller = -(part.coefficient / factor);
      if (smaller <= 1 || attempts_left_ == 0) return;
      --attempts_left_;
      if (divisor % smaller != 0) return attempt_whole(value, part.atom, smaller, factor, visit);
      const sum inner = smaller == divisor ? sums_[lhs].value : divide(sums_[lhs].value, divisor / smaller);
      sum rest = combine(value, single(part.atom), -part.coefficient);
      rest = combine(rest, inner, -factor);
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
    sums_[id].cost = std::numeric_limits<std::int64_t>::max() / 4;
    std::int64_t best_cost = cost(best);
    sums_[id].cost = best_cost;
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
          rest = combine(rest, absorbed, -part.coefficient);
          consider(combine(rest, single(quotient), part.coefficient));
        };
        if (current.constant != 0 && current.constant % part.coefficient == 0)
          absorb(constant(current.constant / part.coefficient));
        for (int k = 0; k < current.count; ++k) {
          const term other = current.terms[k];
          if (k != i && atoms_[other.atom].kind == atom_kind::quotient && depth_ < deepest_search &&
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
  int attempts_left_ = most_attempts;
  int depth_ = 0;
  int atom_count_ = 0;
  int sum_count_ = 0;
  int fact_count_ = 0;
  std::int16_t canonical_[Map::node_capacity]{};
  fact facts_[Map::constraint_capacity]{};
  atom atoms_[atom_capacity]{};
  interned_sum sums_[sum_capacity]{};
};

}  // namespace detail
}  // namespace tenon::indexing
