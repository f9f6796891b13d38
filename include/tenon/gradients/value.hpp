// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/bit_cast.hpp>
#include <tenon/core/format/float_format.hpp>
#include <tenon/graph/ir/build.hpp>
#include <tenon/ops/all.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>

namespace tenon::gradients {

using namespace detail;

// A list that grows, of values or of types.
template <class T>
class growing_list {
 public:
  constexpr growing_list() = default;
  growing_list(const growing_list&) = delete;
  constexpr ~growing_list() { delete[] at_; }
  constexpr void push(const T& value) {
    if (size_ == capacity_) {
      T* const larger = new T[std::size_t(capacity_ = 2 * capacity_ + 16)]{};
      for (int i = 0; i < size_; ++i) larger[i] = at_[i];
      delete[] at_;
      at_ = larger;
    }
    at_[size_++] = value;
  }
  constexpr int size() const { return size_; }
  constexpr T& operator[](int i) { return at_[i]; }
  constexpr list<T> all() const { return {at_, size_}; }

 private:
  T* at_ = nullptr;
  int size_ = 0, capacity_ = 0;
};

// Values per number of a value or a node; what has not been set is `absent`.
template <class T>
class numbered {
 public:
  constexpr explicit numbered(T absent) : absent_(absent) {}
  constexpr T operator[](int i) const { return 0 <= i && i < at_.size() ? at_.all()[i] : absent_; }
  constexpr void set(int i, T value) {
    while (at_.size() <= i) at_.push(absent_);
    if (i >= 0) at_[i] = value;
  }

 private:
  growing_list<T> at_;
  T absent_;
};

struct builder;

// A value of the graph that is being written, with operators; without a number it is a zero that nobody writes down.
struct value {
  builder* to = nullptr;
  int id = -1;

  constexpr explicit operator bool() const { return id >= 0; }
  constexpr tensor_type type() const;
  constexpr ints shape() const { return type().shape; }
  constexpr int rank() const { return type().rank(); }
};

// Appends ops to a region of a graph. The types of results are stated: rules know them from what they differentiate.
struct builder {
  graph& g;
  int region = -1;
  int source = -1;  // where the op that is differentiated stands in the text

  constexpr value at(int id) { return {this, id}; }

  template <class Op>
  constexpr value append(const Op& op, list<int> operands, const tensor_type& type) {
    const int node = append_unchecked(g, op, {operands, {}, {}, region, source}, {&type, 1});
    return at(g.nodes.data[node].results);
  }
  template <class Op>
  constexpr value emit(const Op& op, std::initializer_list<value> operands, const tensor_type& type) {
    int ids[8]{}, count = 0;
    for (const value& each : operands) ids[count++] = each.id;
    return append(op, {ids, count}, type);
  }
  // A node with regions, which stand in front of it. Gives its first result.
  template <class Op>
  constexpr int emit_with_regions(const Op& op, list<int> operands, std::initializer_list<int> regions,
                                  list<tensor_type> types) {
    const node_parts parts{operands, {regions.begin(), int(regions.size())}, {}, region, source};
    return g.nodes.data[append_unchecked(g, op, parts, types)].results;
  }
  // An op that combines numbers by another one.
  template <class Op, class Body>
  constexpr value emit_with_body(const Op& op, const Body& body, list<int> operands, const tensor_type& type);

  constexpr value literal(list<index_t> words, const tensor_type& type) {
    const int number = g.literals.push({graph_literal::place::words, g.words.size, words.size});
    for (index_t word : words) g.words.push(word);
    return append(ops::constant{{number}}, {}, type);
  }
  // The number in every element.
  constexpr value number(double number, const tensor_type& type) {
    const dtype part = real_type(type.element);
    if (is_integer(part) || is_boolean(part)) return integers(index_t(number), type);
    const index_t bits =
        part == dtype::f64 ? bit_cast<index_t>(number) : index_t(bit_cast<std::int32_t>(float(number)));
    const index_t words[] = {bits, 0};
    if (is_complex(type.element)) return literal({words, 2}, type);
    if (part == dtype::f64 || part == dtype::f32) return literal({words, 1}, type);
    return emit(ops::convert{}, {literal({words, 1}, type.with_element(dtype::f32))}, type);
  }
  constexpr value integers(index_t number, const tensor_type& type) { return literal({&number, 1}, type); }
  constexpr value zeros(const tensor_type& type) { return number(0, type); }
};

constexpr tensor_type value::type() const { return to->g.type_of_value(id); }

// Ops on values of one type, and numbers among them.

template <class Op>
constexpr value apply_to(const Op& op, value x) {
  return x.to->emit(op, {x}, x.type());
}
template <class Op>
constexpr value apply_to(const Op& op, value x, value y) {
  return x.to->emit(op, {x, y}, x.type());
}
constexpr value like(value x, double number) { return x.to->number(number, x.type()); }

constexpr value operator-(value x) { return apply_to(ops::negate{}, x); }
constexpr value operator+(value x, value y) { return !x ? y : !y ? x : apply_to(ops::add{}, x, y); }
constexpr value operator-(value x, value y) { return !y ? x : !x ? -y : apply_to(ops::subtract{}, x, y); }
constexpr value operator*(value x, value y) { return !x || !y ? value{} : apply_to(ops::multiply{}, x, y); }
constexpr value operator/(value x, value y) { return !x ? value{} : apply_to(ops::divide{}, x, y); }
constexpr value operator+(value x, double y) { return x + like(x, y); }
constexpr value operator+(double x, value y) { return like(y, x) + y; }
constexpr value operator-(double x, value y) { return like(y, x) - y; }
constexpr value operator-(value x, double y) { return x - like(x, y); }
constexpr value operator*(double x, value y) { return !y ? y : like(y, x) * y; }
constexpr value operator/(double x, value y) { return like(y, x) / y; }

constexpr value exp(value x) { return apply_to(ops::exponential{}, x); }
constexpr value rsqrt(value x) { return apply_to(ops::rsqrt{}, x); }

constexpr ops::compare comparison_of(comparison_direction direction) {
  ops::compare op;
  op.comparison_direction = direction;
  return op;
}
constexpr value compare(value x, comparison_direction direction, value y) {
  return x.to->emit(comparison_of(direction), {x, y}, x.type().with_element(dtype::i1));
}
constexpr value equal(value x, value y) { return compare(x, comparison_direction::EQ, y); }
constexpr value less(value x, value y) { return compare(x, comparison_direction::LT, y); }
constexpr value both(value x, value y) { return apply_to(ops::and_{}, x, y); }
constexpr value select(value which, value x, value y) { return x.to->emit(ops::select{}, {which, x, y}, x.type()); }
constexpr value where(value which, value x) { return select(which, x, like(x, 0)); }

constexpr value reshape(value x, const ints& shape) {
  return x.shape() == shape ? x : x.to->emit(ops::reshape{}, {x}, x.type().with_shape(shape));
}
constexpr value convert(value x, dtype element) {
  return x.type().element == element ? x : x.to->emit(ops::convert{}, {x}, x.type().with_element(element));
}
constexpr value transpose(value x, const ints& permutation) {
  if (permutation == ints::range(permutation.size)) return x;
  return x.to->emit(ops::transpose{permutation}, {x}, x.type().with_shape(x.shape().select(permutation)));
}
// Exchanges the last two dimensions.
constexpr value transpose(value x) {
  const int rank = x.rank();
  ints permutation = ints::range(rank);
  permutation.set(rank - 2, rank - 1), permutation.set(rank - 1, rank - 2);
  return transpose(x, permutation);
}
constexpr value broadcast(value x, const ints& dimensions, const ints& shape) {
  if (x.shape() == shape && dimensions == ints::range(shape.size)) return x;
  return x.to->emit(ops::broadcast_in_dim{dimensions}, {x}, x.type().with_shape(shape));
}
// A number without dimensions, to every element of the shape.
constexpr value spread(value x, const ints& shape) { return x.rank() == 0 ? broadcast(x, {}, shape) : x; }
constexpr value reverse(value x, const ints& dimensions) {
  return dimensions.empty() ? x : apply_to(ops::reverse{dimensions}, x);
}
constexpr value iota(builder& to, index_t dimension, const tensor_type& type) {
  return to.emit(ops::iota{dimension}, {}, type);
}
// Of zeros. A size may be less than none: then elements are cut off.
constexpr value pad(value x, const ints& low, const ints& high, const ints& interior, value with = {}) {
  ints shape;
  for (int d = 0; d < x.rank(); ++d) shape.push(padded_size(x.type().dim(d), low[d], high[d], interior[d]));
  if (!with) with = x.to->zeros(x.type().with_shape({}));
  return x.to->emit(ops::pad{low, high, interior}, {x, with}, x.type().with_shape(shape));
}
constexpr value slice(value x, const ints& start, const ints& limit, const ints& strides) {
  ints shape;
  for (int d = 0; d < x.rank(); ++d)
    shape.push(limit[d] > start[d] ? (limit[d] - start[d] + strides[d] - 1) / strides[d] : 0);
  ops::slice op;
  op.start_indices = start, op.limit_indices = limit, op.strides = strides;
  return x.to->emit(op, {x}, x.type().with_shape(shape));
}

constexpr value concatenate(value x, value y, index_t dimension) {
  const index_t size = x.type().dim(dimension) + y.type().dim(dimension);
  return x.to->emit(ops::concatenate{dimension}, {x, y}, x.type().with_size(dimension, size));
}

// A region of numbers of these types, which `write` fills; it gives the values to yield.
constexpr int region_with(builder& to, list<tensor_type> arguments, const auto& write) {
  const int region = open_region(to.g, to.region, arguments, to.source);
  builder inside{to.g, region, to.source};
  const auto results = write(inside, to.g.regions.data[region].arguments);
  close_region(to.g, region, {results.data(), int(results.size())});
  return region;
}
template <class Op>
constexpr int region_of_op(builder& to, const Op& op, const tensor_type& scalar, const tensor_type& result) {
  const tensor_type arguments[] = {scalar, scalar};
  return region_with(to, {arguments, 2}, [&](builder& inside, int first) {
    return std::array<int, 1>{{inside.emit(op, {inside.at(first), inside.at(first + 1)}, result).id}};
  });
}

template <class Op, class Body>
constexpr value builder::emit_with_body(const Op& op, const Body& body, list<int> operands, const tensor_type& type) {
  const tensor_type scalar = type.with_shape({});
  return at(emit_with_regions(op, operands, {region_of_op(*this, body, scalar, scalar)}, {&type, 1}));
}

// The elements along these dimensions, or in windows, folded by an op, from the number on.
template <class Op, class Folding>
constexpr value fold(const Op& op, const Folding& folding, value x, double initial, const tensor_type& type) {
  const int operands[] = {x.id, x.to->number(initial, type.with_shape({})).id};
  return x.to->emit_with_body(folding, op, {operands, 2}, type);
}
template <class Op>
constexpr value fold(const Op& op, value x, double initial, const ints& dimensions) {
  const tensor_type type = x.type().with_shape(x.shape().without(dimensions));
  return dimensions.empty() ? x : fold(op, ops::reduce{dimensions}, x, initial, type);
}
constexpr value sum(value x, const ints& dimensions) { return fold(ops::add{}, x, 0, dimensions); }
constexpr value sum(value x) { return sum(x, ints::range(x.rank())); }

template <class Op>
constexpr value apply_for_real(const Op& op, value x) {
  return x.to->emit(op, {x}, x.type().with_element(real_type(x.type().element)));
}
constexpr value real(value x) { return apply_for_real(ops::real{}, x); }
constexpr value imag(value x) { return apply_for_real(ops::imag{}, x); }
// The largest magnitude of all elements.
constexpr value largest(value x) {
  return fold(ops::maximum{}, apply_for_real(ops::abs{}, x), 0, ints::range(x.rank()));
}
// Whether the elements have changed by more than rounding, measured by the largest of them.
constexpr value has_changed(value from, value x) {
  const value size = largest(x);
  double precision = 8;
  for (int bit = 0; bit < format_of(size.type().element).mantissa_bits; ++bit) precision /= 2;
  return less(precision * size, largest(x - from));
}
constexpr value complex_of(value x, value y) {
  const dtype element = x.type().element == dtype::f64 ? dtype::complex_f64 : dtype::complex_f32;
  return x.to->emit(ops::complex{}, {x, y}, x.type().with_element(element));
}
constexpr value conjugate(value x) { return is_complex(x.type().element) ? complex_of(real(x), -imag(x)) : x; }

// In which operands an op with transposes is linear, where it does not say: the first one.
constexpr unsigned linear_operands(const auto&) { return 0b1; }

// The product of the last two dimensions, all others being batches.
constexpr value multiply_matrices(value x, value y) {
  const int rank = x.rank();
  dot_dimension_numbers n;
  n.lhs_batching_dimensions = n.rhs_batching_dimensions = ints::range(rank - 2);
  n.lhs_contracting_dimensions.push(rank - 1), n.rhs_contracting_dimensions.push(rank - 2);
  return x.to->emit(ops::dot_general{n}, {x, y}, x.type().with_size(rank - 1, y.type().dim(rank - 1)));
}
// Zero but where the row is at least the column, or more than it by `below`; of the other triangle where not `lower`.
constexpr value triangle(value x, bool lower = true, index_t below = 0) {
  const int rank = x.rank();
  const tensor_type index = type_of(dtype::i32, x.shape());
  const value row = iota(*x.to, rank - 2, index), column = iota(*x.to, rank - 1, index);
  const value at_least = lower ? row : column, other = lower ? column : row;
  return where(compare(at_least, comparison_direction::GE, below == 0 ? other : other + double(below)), x);
}

}  // namespace tenon::gradients
