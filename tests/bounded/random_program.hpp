// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "random_sums.hpp"

namespace tenon::test {
using namespace core;

// Random programs over dimensions N <= 5 and M <= 4, each written twice: with bounds, and for one choice of sizes.
class random_program : public random_sums {
 public:
  random_program(unsigned seed, index_t n, index_t m) : random_sums(seed) {
    const random_dimension first{5, n, true, "n"}, second{4, m, true, "m"};
    add_argument({"f32", {first}});
    add_argument({"f32", {first, fixed(3)}});
    add_argument({"f32", {fixed(2), first}});
    add_argument({"f32", {first, second}});
    add_argument({"i32", {second}});
    add_argument({"i32", {first, second}});
    const int ops = 1 + random_.below(8);
    for (int i = 0; i < ops; ++i)
      for (int attempt = 0; attempt < 20; ++attempt)
        if (add_op()) break;
    for (int i = 0; i < 3; ++i) results.push_back(values_[values_.size() - 1 - std::size_t(i)]);
  }

 private:
  // The size of a dimension as a number of the program.
  random_value size_of(const random_value& of, int dimension, const std::string& element) {
    const random_value size = write({"i32", {}}, [&](bool b) {
      return "stablehlo.get_dimension_size " + of.name + ", dim = " + std::to_string(dimension) + " : " +
             signature({of.type}, {"i32", {}}, b);
    });
    if (element == "i32") return size;
    return write({element, {}}, [&](bool b) {
      return "stablehlo.convert " + size.name + " : " + signature({{"i32", {}}}, {element, {}}, b);
    });
  }
  // A list of sizes: those of the dimensions of a type, taken from the values that have them.
  random_value listed_sizes(const random_type& type) {
    std::vector<random_value> parts;
    const random_type one{"i32", {fixed(1)}};
    for (const random_dimension& each : type.dimensions) {
      random_value scalar = constant({"i32", {}}, std::to_string(each.size));
      if (each.bounded) {
        for (const random_value& value : values_)
          for (int d = 0; d < value.type.rank(); ++d)
            if (value.type.dimensions[std::size_t(d)].name == each.name) {
              scalar = size_of(value, d, "i32");
              goto found;
            }
      }
    found:
      parts.push_back(write(
          one, [&](bool b) { return "stablehlo.reshape " + scalar.name + " : " + signature({scalar.type}, one, b); }));
    }
    const random_type all{"i32", {fixed(index_t(parts.size()))}};
    return write(all, [&](bool b) {
      std::string names;
      std::vector<random_type> types(parts.size(), one);
      for (const random_value& part : parts) names += (names.empty() ? "" : ", ") + part.name;
      return "stablehlo.concatenate " + names + ", dim = 0 : " + signature(types, all, b);
    });
  }

  bool add_op() {
    switch (random_.below(40)) {
      case 0:
        return add_unary();
      case 1:
      case 2:
        return add_binary();
      case 3:
        return add_reduce();
      case 4:
        return add_transpose();
      case 5:
        return add_reverse();
      case 6:
        return add_broadcast();
      case 7:
        return add_reshape();
      case 8:
        return add_slice();
      case 9:
        return add_pad();
      case 10:
        return add_concatenate();
      case 11:
        return add_product();
      case 12:
        return add_window();
      case 13:
        return add_sort();
      case 14:
        return add_gather();
      case 15:
        return add_scatter();
      case 16:
        return add_loop();
      case 17:
        return add_branch();
      case 18:
        return add_dynamic_iota();
      case 19:
        return add_dynamic_reshape();
      case 20:
        return add_dynamic_pad();
      case 21:
        return add_convolution();
      case 22:
        return add_real_slice();
      case 23:
      case 24:
        return add_scatter();
      case 25:
        return add_dynamic_slice();
      case 26:
        return add_dynamic_gather();
      case 27:
        return add_dynamic_convolution();
      case 28:
        return add_matrices();
      case 29:
        return add_places();
      case 30:
        return add_sorted_pairs();
      case 31:
      case 32:
        return add_einsum();
      case 33:
      case 34:
        return add_selection();
      case 35:
        return add_batch_norm();
      case 36:
        return add_batch_norm_grad();
      case 37:
        return add_transform();
      case 38:
        return add_collective();
      default:
        return add_updated();
    }
  }

  bool add_unary() {
    const random_value x = any();
    static const char* const names[] = {"negate", "abs", "sign"};
    const std::string op = names[random_.below(3)];
    return add(x.type, [&](bool b) { return "stablehlo." + op + " " + x.name + " : " + x.type.text(b); });
  }
  bool add_binary() {
    const random_value x = any(), y = any();
    if (x.type.element != y.type.element || !x.type.same_shape(y.type)) return false;
    static const char* const names[] = {"add", "subtract", "maximum", "minimum"};
    const std::string op = names[random_.below(4)];
    return add(x.type,
               [&](bool b) { return "stablehlo." + op + " " + x.name + ", " + y.name + " : " + x.type.text(b); });
  }
  bool add_reduce() {
    const random_value x = any();
    if (x.type.rank() == 0) return false;
    std::vector<int> folded;
    random_type to{x.type.element, {}};
    for (int d = 0; d < x.type.rank(); ++d) {
      if (random_.below(2) == 0)
        folded.push_back(d);
      else
        to.dimensions.push_back(x.type.dimensions[std::size_t(d)]);
    }
    const random_value init = constant({x.type.element, {}}, number(x.type));
    if (random_.below(3) == 0) {
      // A body of several ops, in which the order counts.
      return add(to, [&](bool b) {
        const std::string e = "tensor<" + x.type.element + ">";
        return "\"stablehlo.reduce\"(" + x.name + ", " + init.name + ") ({\n  ^bb0(%p: " + e + ", %q: " + e +
               "):\n    %d = stablehlo.subtract %p, %q : " + e + "\n    %s = stablehlo.maximum %d, %q : " + e +
               "\n    stablehlo.return %s : " + e +
               "\n  }) {dimensions = " + array(std::vector<index_t>(folded.begin(), folded.end())) +
               "} : " + signature({x.type, init.type}, to, b);
      });
    }
    static const char* const names[] = {"add", "maximum", "minimum", "multiply"};
    const std::string op = names[random_.below(x.type.element == "f32" ? 3 : 4)];
    return add(to, [&](bool b) {
      return "stablehlo.reduce(" + x.name + " init: " + init.name + ") applies stablehlo." + op +
             " across dimensions = " + listed(folded) + " : " + signature({x.type, init.type}, to, b);
    });
  }
  bool add_transpose() {
    const random_value x = any();
    if (x.type.rank() < 2) return false;
    std::vector<int> order(std::size_t(x.type.rank()));
    random_type to{x.type.element, {}};
    for (int d = 0; d < x.type.rank(); ++d) order[std::size_t(d)] = x.type.rank() - 1 - d;
    for (int d : order) to.dimensions.push_back(x.type.dimensions[std::size_t(d)]);
    return add(to, [&](bool b) {
      return "stablehlo.transpose " + x.name + ", dims = " + listed(order) + " : " + signature({x.type}, to, b);
    });
  }
  bool add_reverse() {
    const random_value x = any();
    std::vector<int> axes;
    for (int d = 0; d < x.type.rank(); ++d)
      if (random_.below(3) > 0) axes.push_back(d);
    return add(x.type, [&](bool b) {
      return "stablehlo.reverse " + x.name + ", dims = " + listed(axes) + " : " + x.type.text(b);
    });
  }
  // With a size from elsewhere, by the dynamic op.
  bool add_broadcast() {
    const random_value x = any();
    const random_value& like = any();
    if (x.type.rank() != 1 || like.type.rank() != 2) return false;
    int axis = -1;
    for (int d = 0; d < 2; ++d)
      if (like.type.dimensions[std::size_t(d)].name == x.type.dimensions[0].name) axis = d;
    if (axis < 0) return false;
    const random_type to = like.type.of(x.type.element);
    const random_value shape = listed_sizes(to);
    return add(to, [&](bool b) {
      return "stablehlo.dynamic_broadcast_in_dim " + x.name + ", " + shape.name + ", dims = [" + std::to_string(axis) +
             "] : " + signature({x.type, shape.type}, to, b);
    });
  }
  bool add_reshape() {
    const random_value x = any();
    int bounded = 0;
    index_t bound = 1, size = 1;
    std::string name;
    for (const random_dimension& each : x.type.dimensions) {
      bounded += each.bounded ? 1 : 0;
      bound *= each.bound, size *= each.size;
      name += "*" + each.name;
    }
    if (bounded == 0 || bound > 200) return false;
    random_type to{x.type.element, {{bound, size, true, "(" + name + ")"}}};
    if (random_.below(2) == 0) to.dimensions.insert(to.dimensions.begin() + random_.below(2), fixed(1));
    return add(to, [&](bool b) { return "stablehlo.reshape " + x.name + " : " + signature({x.type}, to, b); });
  }
  // From 1, or every second, up to the end.
  bool add_slice() {
    const random_value x = any();
    if (x.type.rank() == 0) return false;
    const int along = random_.below(x.type.rank()), start = random_.below(2), stride = 1 + random_.below(2);
    random_type to = x.type;
    random_dimension& d = to.dimensions[std::size_t(along)];
    if (!d.bounded) return false;
    const auto sliced = [&](index_t size) { return size <= start ? 0 : (size - start - 1) / stride + 1; };
    d = {sliced(d.bound), sliced(d.size), true,
         "s" + std::to_string(start) + std::to_string(stride) + "(" + d.name + ")"};
    return add(to, [&](bool b) {
      std::string ranges;
      for (int i = 0; i < x.type.rank(); ++i) {
        const random_dimension& from = x.type.dimensions[std::size_t(i)];
        const index_t limit = b ? from.bound : from.size;
        const index_t first = i != along ? 0 : start < limit ? start : limit;
        ranges += (i > 0 ? ", " : "") + std::to_string(first) + ":" + std::to_string(limit) + ":" +
                  std::to_string(i == along ? stride : 1);
      }
      return "stablehlo.slice " + x.name + " [" + ranges + "] : " + signature({x.type}, to, b);
    });
  }
  bool add_pad() {
    const random_value x = any();
    random_type to = x.type;
    std::vector<index_t> low, high, interior;
    for (random_dimension& d : to.dimensions) {
      low.push_back(random_.below(3)), high.push_back(random_.below(4) - (low.back() > 0 ? 1 : 0));
      interior.push_back(random_.below(2));
      const index_t added = low.back() + high.back(), step = interior.back();
      const auto padded = [&](index_t size) { return added + size + (size > 0 ? size - 1 : 0) * step; };
      if (padded(d.bound) > 12) return false;
      d = {padded(d.bound), padded(d.size), d.bounded,
           "p" + std::to_string(added) + std::to_string(step) + "(" + d.name + ")"};
      if (!d.bounded) d.name = std::to_string(d.size);
    }
    const random_value value = constant({x.type.element, {}}, number(x.type));
    return add(to, [&](bool b) {
      return "\"stablehlo.pad\"(" + x.name + ", " + value.name + ") {edge_padding_low = " + array(low) +
             ", edge_padding_high = " + array(high) + ", interior_padding = " + array(interior) +
             "} : " + signature({x.type, value.type}, to, b);
    });
  }
  bool add_concatenate() {
    const random_value x = any(), y = any();
    if (x.type.element != y.type.element || x.type.rank() != y.type.rank() || x.type.rank() == 0) return false;
    const int along = random_.below(x.type.rank());
    random_type to = x.type;
    for (int d = 0; d < x.type.rank(); ++d) {
      const random_dimension &a = x.type.dimensions[std::size_t(d)], &b = y.type.dimensions[std::size_t(d)];
      if (d != along && a.name != b.name) return false;
      if (d == along)
        to.dimensions[std::size_t(d)] = {2 * a.bound + b.bound, 2 * a.size + b.size, a.bounded || b.bounded,
                                         "(2" + a.name + "+" + b.name + ")"};
    }
    random_dimension& d = to.dimensions[std::size_t(along)];
    if (!d.bounded) d.name = std::to_string(d.size);
    if (d.bound > 20) return false;
    return add(to, [&](bool b) {
      return "stablehlo.concatenate " + x.name + ", " + y.name + ", " + x.name + ", dim = " + std::to_string(along) +
             " : " + signature({x.type, y.type, x.type}, to, b);
    });
  }
  bool add_product() {
    const random_value x = any(), y = any();
    if (x.type.element != y.type.element || x.type.rank() == 0 || y.type.rank() == 0) return false;
    for (int i = 0; i < x.type.rank(); ++i)
      for (int j = 0; j < y.type.rank(); ++j) {
        if (x.type.dimensions[std::size_t(i)].name != y.type.dimensions[std::size_t(j)].name) continue;
        random_type to{x.type.element, {}};
        for (int d = 0; d < x.type.rank(); ++d)
          if (d != i) to.dimensions.push_back(x.type.dimensions[std::size_t(d)]);
        for (int d = 0; d < y.type.rank(); ++d)
          if (d != j) to.dimensions.push_back(y.type.dimensions[std::size_t(d)]);
        if (to.rank() > 3 || to.room() > 1000) return false;
        return add(to, [&](bool b) {
          return "stablehlo.dot_general " + x.name + ", " + y.name + ", contracting_dims = [" + std::to_string(i) +
                 "] x [" + std::to_string(j) + "] : " + signature({x.type, y.type}, to, b);
        });
      }
    return false;
  }
  bool add_window() {
    const random_value x = any();
    if (x.type.rank() == 0) return false;
    const int along = random_.below(x.type.rank());
    random_type to = x.type;
    random_dimension& d = to.dimensions[std::size_t(along)];
    const index_t window = 1 + random_.below(3), stride = 1 + random_.below(2), low = random_.below(3),
                  high = random_.below(3), dilation = 1 + random_.below(2), base = 1 + random_.below(2);
    const auto windows = [&](index_t size) -> index_t {
      const index_t padded = low + high + (size > 0 ? (size - 1) * base + 1 : 0), wide = (window - 1) * dilation + 1;
      return padded == 0 || wide > padded ? 0 : (padded - wide) / stride + 1;
    };
    d = {windows(d.bound), windows(d.size), d.bounded,
         "w" + std::to_string(window) + std::to_string(stride) + std::to_string(low + high) + std::to_string(dilation) +
             std::to_string(base) + "(" + d.name + ")"};
    if (!d.bounded) d.name = std::to_string(d.size);
    if (d.bound == 0 || d.bound > 16) return false;
    const random_value init = constant({x.type.element, {}}, number(x.type));
    const std::string op = random_.below(2) == 0 ? "add" : "maximum";
    return add(to, [&](bool b) {
      const std::string e = "tensor<" + x.type.element + ">";
      std::vector<index_t> windows_of, strides, dilations, bases;
      std::string padding;
      for (int i = 0; i < x.type.rank(); ++i) {
        windows_of.push_back(i == along ? window : 1), strides.push_back(i == along ? stride : 1);
        dilations.push_back(i == along ? dilation : 1), bases.push_back(i == along ? base : 1);
        padding += (i > 0 ? ", [" : "[") + std::to_string(i == along ? low : 0) + ", " +
                   std::to_string(i == along ? high : 0) + "]";
      }
      return "\"stablehlo.reduce_window\"(" + x.name + ", " + init.name + ") ({\n  ^bb0(%p: " + e + ", %q: " + e +
             "):\n    %s = stablehlo." + op + " %p, %q : " + e + "\n    stablehlo.return %s : " + e +
             "\n  }) {window_dimensions = " + array(windows_of) + ", window_strides = " + array(strides) +
             ", window_dilations = " + array(dilations) + ", base_dilations = " + array(bases) + ", padding = dense<[" +
             padding + "]> : tensor<" + std::to_string(x.type.rank()) +
             "x2xi64>} : " + signature({x.type, init.type}, to, b);
    });
  }
  bool add_sort() {
    const random_value x = any();
    if (x.type.rank() == 0) return false;
    const int along = random_.below(x.type.rank());
    const std::string direction = random_.below(2) == 0 ? "LT" : "GT";
    return add(x.type, [&](bool b) {
      const std::string e = "tensor<" + x.type.element + ">";
      return "\"stablehlo.sort\"(" + x.name + ") ({\n  ^bb0(%p: " + e + ", %q: " + e +
             "):\n    %s = stablehlo.compare " + direction + ", %p, %q : (" + e + ", " + e +
             ") -> tensor<i1>\n    stablehlo.return %s : tensor<i1>\n  }) {dimension = " + std::to_string(along) +
             " : i64, is_stable = true} : " + signature({x.type}, x.type, b);
    });
  }
  // Rows of x at the places that a list of integers says.
  bool add_gather() {
    const random_value x = any(), places = any();
    if (x.type.rank() == 0 || places.type.rank() != 1 || places.type.element != "i32") return false;
    if (x.type.dimensions[0].size == 0) return false;
    random_type to = x.type;
    to.dimensions[0] = places.type.dimensions[0];
    return add(to, [&](bool b) {
      std::vector<int> offsets;
      std::vector<index_t> sizes{1};
      for (int d = 1; d < x.type.rank(); ++d) {
        const random_dimension& each = x.type.dimensions[std::size_t(d)];
        offsets.push_back(d), sizes.push_back(b ? each.bound : each.size);
      }
      return "\"stablehlo.gather\"(" + x.name + ", " + places.name +
             ") {dimension_numbers = #stablehlo.gather<offset_dims = " + listed(offsets) +
             ", collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = " +
             array(sizes) + "} : " + signature({x.type, places.type}, to, b);
    });
  }
  // Whether rows of y, as many as there are places, can be added to those of x.
  bool scatters(const random_type& x, const random_type& y) const {
    if (x.element != y.element || x.rank() != y.rank() || x.rank() == 0) return false;
    if (y.dimensions[0].name != arguments[4].type.dimensions[0].name) return false;
    for (int d = 1; d < x.rank(); ++d)
      if (x.dimensions[std::size_t(d)].name != y.dimensions[std::size_t(d)].name) return false;
    return true;
  }
  // Adds rows of y to those of x.
  bool add_scatter() {
    const random_value places = arguments[4];
    random_value x = any(), y = any();
    for (int attempt = 0; attempt < 50 && !scatters(x.type, y.type); ++attempt) x = any(), y = any();
    if (!scatters(x.type, y.type)) return false;
    return add(x.type, [&](bool b) {
      const std::string e = "tensor<" + x.type.element + ">";
      std::vector<int> windows;
      for (int d = 1; d < x.type.rank(); ++d) windows.push_back(d);
      return "\"stablehlo.scatter\"(" + x.name + ", " + places.name + ", " + y.name + ") ({\n  ^bb0(%p: " + e +
             ", %q: " + e + "):\n    %s = stablehlo.add %p, %q : " + e + "\n    stablehlo.return %s : " + e +
             "\n  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = " + listed(windows) +
             ", inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : " +
             signature({x.type, places.type, y.type}, x.type, b);
    });
  }
  // Three times x + reverse(x).
  bool add_loop() {
    const random_value x = any();
    if (x.type.rank() == 0) return false;
    const random_value zero = constant({"i32", {}}, "0"), one = constant({"i32", {}}, "1"),
                       three = constant({"i32", {}}, "3");
    const std::string name = fresh();
    for (bool b : {false, true}) {
      const std::string t = x.type.text(b);
      body_[b ? 1 : 0] +=
          "  " + name + ":2 = stablehlo.while(%i = " + zero.name + ", %x = " + x.name + ") : tensor<i32>, " + t +
          "\n  cond {\n    %c = stablehlo.compare LT, %i, " + three.name +
          " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  } do {\n" +
          "    %r = stablehlo.reverse %x, dims = [0] : " + t + "\n    %s = stablehlo.add %x, %r : " + t +
          "\n    %j = stablehlo.add %i, " + one.name +
          " : tensor<i32>\n    stablehlo.return %j, %s : " + "tensor<i32>, " + t + "\n  }\n";
    }
    values_.push_back({name + "#1", x.type});
    return true;
  }
  bool add_branch() {
    const random_value x = any(), y = any();
    if (x.type.element != y.type.element || !x.type.same_shape(y.type)) return false;
    const random_value pred = constant({"i1", {}}, random_.below(2) == 0 ? "true" : "false");
    return add(x.type, [&](bool b) {
      const std::string t = x.type.text(b);
      return "\"stablehlo.if\"(" + pred.name + ") ({\n    %r = stablehlo.negate " + x.name + " : " + t +
             "\n    stablehlo.return %r : " + t + "\n  }, {\n    stablehlo.return " + y.name + " : " + t +
             "\n  }) : (tensor<i1>) -> " + t;
    });
  }
  bool add_dynamic_iota() {
    const random_value x = any();
    if (x.type.rank() == 0) return false;
    const int along = random_.below(x.type.rank());
    const random_value shape = listed_sizes(x.type);
    return add(x.type, [&](bool b) {
      return "stablehlo.dynamic_iota " + shape.name + ", dim = " + std::to_string(along) + " : " +
             signature({shape.type}, x.type, b);
    });
  }
  // Two dimensions change places, and the elements do not.
  bool add_dynamic_reshape() {
    const random_value x = any();
    if (x.type.rank() < 2) return false;
    random_type to = x.type;
    std::swap(to.dimensions[0], to.dimensions[1]);
    const random_value shape = listed_sizes(to);
    return add(to, [&](bool b) {
      return "stablehlo.dynamic_reshape " + x.name + ", " + shape.name + " : " + signature({x.type, shape.type}, to, b);
    });
  }
  bool add_dynamic_pad() {
    const random_value x = any();
    if (x.type.rank() == 0) return false;
    random_type to = x.type;
    std::string low, high, interior;
    for (random_dimension& d : to.dimensions) {
      const index_t l = random_.below(3) - 1, h = random_.below(3), i = random_.below(2);
      const auto padded = [&](index_t size) { return l + h + size + (size > 0 ? size - 1 : 0) * i; };
      if (padded(d.bound) > 12 || l + h < 0) return false;
      d = {padded(d.bound), padded(d.size), d.bounded,
           "d" + std::to_string(l + h) + std::to_string(i) + "(" + d.name + ")"};
      if (!d.bounded) d.name = std::to_string(d.size);
      const std::string comma = low.empty() ? "" : ", ";
      low += comma + std::to_string(l), high += comma + std::to_string(h), interior += comma + std::to_string(i);
    }
    const random_type list{"i64", {fixed(to.rank())}};
    const random_value value = constant({x.type.element, {}}, number(x.type)), lows = constant(list, "[" + low + "]"),
                       highs = constant(list, "[" + high + "]"), interiors = constant(list, "[" + interior + "]");
    return add(to, [&](bool b) {
      return "stablehlo.dynamic_pad " + x.name + ", " + value.name + ", " + lows.name + ", " + highs.name + ", " +
             interiors.name + " : " + signature({x.type, value.type, list, list, list}, to, b);
    });
  }
  // One feature along the last dimension of a matrix.
  bool add_convolution() {
    const random_value x = any();
    if (x.type.rank() != 2 || x.type.element != "f32") return false;
    const index_t stride = 1 + random_.below(2), low = random_.below(3), high = random_.below(3);
    const random_type kernel{"f32", {fixed(2), fixed(1), fixed(1)}};
    random_type wide = x.type, to = x.type;
    wide.dimensions.push_back(fixed(1));
    random_dimension& d = to.dimensions[1];
    const auto windows = [&](index_t size) -> index_t {
      return low + high + size < 2 ? 0 : (low + high + size - 2) / stride + 1;
    };
    d = {windows(d.bound), windows(d.size), d.bounded,
         "c" + std::to_string(stride) + std::to_string(low + high) + "(" + d.name + ")"};
    if (!d.bounded) d.name = std::to_string(d.size);
    to.dimensions.push_back(fixed(1));
    if (x.type.dimensions[0].bound == 1) return false;
    const random_value image = write(wide, [&](bool b) {
      return "stablehlo.broadcast_in_dim " + x.name + ", dims = [0, 1] : " + signature({x.type}, wide, b);
    });
    const random_value weights = constant(kernel, "[[[1.5]], [[-0.5]]]");
    return add(to, [&](bool b) {
      return "\"stablehlo.convolution\"(" + image.name + ", " + weights.name +
             ") {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, "
             "batch_group_count = 1 : i64, window_strides = " +
             array({stride}) + ", padding = dense<[[" + std::to_string(low) + ", " + std::to_string(high) +
             "]]> : tensor<1x2xi64>} : " + signature({wide, kernel}, to, b);
    });
  }
  // From 1 to the end of the first dimension.
  bool add_real_slice() {
    const random_value x = any();
    if (x.type.rank() == 0 || !x.type.dimensions[0].bounded || x.type.dimensions[0].size == 0) return false;
    random_type to = x.type;
    random_dimension& d = to.dimensions[0];
    d = {d.bound, (d.size - 1 + 1) / 2, true, "r(" + d.name + ")"};
    std::string starts = "1", strides = "2";
    for (int i = 1; i < x.type.rank(); ++i) starts += ", 0", strides += ", 1";
    const random_type list{"i32", {fixed(x.type.rank())}};
    const random_value start = constant(list, "[" + starts + "]"), stride = constant(list, "[" + strides + "]"),
                       limit = listed_sizes(x.type);
    return add(to, [&](bool b) {
      return "stablehlo.real_dynamic_slice " + x.name + ", " + start.name + ", " + limit.name + ", " + stride.name +
             " : " + signature({x.type, list, list, list}, to, b);
    });
  }
  // A part of y over the end of x.
  bool add_updated() {
    const random_value x = any(), y = any();
    if (x.type.element != y.type.element || x.type.rank() != y.type.rank() || x.type.rank() == 0) return false;
    for (int d = 0; d < x.type.rank(); ++d) {
      const random_dimension &a = x.type.dimensions[std::size_t(d)], &b = y.type.dimensions[std::size_t(d)];
      if (b.bound > a.bound || b.size > a.size) return false;
    }
    const random_value start = constant({"i32", {}}, std::to_string(random_.below(4)));
    return add(x.type, [&](bool b) {
      std::vector<random_type> types{x.type, y.type};
      std::string names = x.name + ", " + y.name;
      for (int d = 0; d < x.type.rank(); ++d) names += ", " + start.name, types.push_back(start.type);
      return "stablehlo.dynamic_update_slice " + names + " : " + signature(types, x.type, b);
    });
  }

  // One row, or column.
  bool add_dynamic_slice() {
    const random_value x = any();
    if (x.type.rank() == 0) return false;
    const int along = random_.below(x.type.rank());
    if (x.type.dimensions[std::size_t(along)].size == 0) return false;
    random_type to = x.type;
    to.dimensions[std::size_t(along)] = fixed(1);
    const random_value start = constant({"i32", {}}, std::to_string(random_.below(7)));
    return add(to, [&](bool b) {
      std::vector<random_type> types{x.type};
      std::string names = x.name;
      std::vector<index_t> sizes;
      for (int d = 0; d < x.type.rank(); ++d) {
        const random_dimension& each = x.type.dimensions[std::size_t(d)];
        names += ", " + start.name, types.push_back(start.type);
        sizes.push_back(d == along ? 1 : b ? each.bound : each.size);
      }
      return "\"stablehlo.dynamic_slice\"(" + names + ") {slice_sizes = " + array(sizes) +
             "} : " + signature(types, to, b);
    });
  }
  // Rows of x, all but the last column of them.
  bool add_dynamic_gather() {
    const random_value x = any(), places = arguments[4];
    if (x.type.rank() != 2 || places.type.rank() != 1 || places.type.element != "i32") return false;
    const random_dimension& columns = x.type.dimensions[1];
    if (x.type.dimensions[0].size == 0 || columns.size == 0) return false;
    random_type to{x.type.element, {places.type.dimensions[0], columns}};
    to.dimensions[1] = {columns.bound, columns.size - 1, true, "(-1" + columns.name + ")"};
    const random_value one = constant({"i32", {}}, "1"), width = size_of(x, 1, "i32");
    const random_value less = write(
        {"i32", {}}, [&](bool) { return "stablehlo.subtract " + width.name + ", " + one.name + " : tensor<i32>"; });
    std::string names;
    for (const random_value* each : {&one, &less}) {
      names += (names.empty() ? "" : ", ") + write({"i32", {fixed(1)}}, [&](bool) {
                                               return "stablehlo.reshape " + each->name +
                                                      " : (tensor<i32>) -> tensor<1xi32>";
                                             }).name;
    }
    const random_value sizes = write({"i32", {fixed(2)}}, [&](bool) {
      return "stablehlo.concatenate " + names + ", dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>";
    });
    return add(to, [&](bool b) {
      return "\"stablehlo.dynamic_gather\"(" + x.name + ", " + places.name + ", " + sizes.name +
             ") {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map "
             "= "
             "[0], index_vector_dim = 1>} : " +
             signature({x.type, places.type, sizes.type}, to, b);
    });
  }
  // Padding in front, and as much behind as makes the result as long as the operand.
  bool add_dynamic_convolution() {
    const random_value x = any();
    if (x.type.rank() != 2 || x.type.element != "f32") return false;
    if (x.type.dimensions[0].bound == 1 || x.type.dimensions[1].size == 0) return false;
    const random_type kernel{"f32", {fixed(3), fixed(1), fixed(1)}}, list{"i64", {fixed(1), fixed(2)}};
    random_type wide = x.type;
    wide.dimensions.push_back(fixed(1));
    const int low = random_.below(3);
    const random_value image = write(wide, [&](bool b) {
      return "stablehlo.broadcast_in_dim " + x.name + ", dims = [0, 1] : " + signature({x.type}, wide, b);
    });
    const random_value weights = constant(kernel, "[[[1.5]], [[-0.5]], [[2.0]]]");
    const random_value padding = constant(list, "[[" + std::to_string(low) + ", " + std::to_string(2 - low) + "]]");
    return add(wide, [&](bool b) {
      return "\"stablehlo.dynamic_conv\"(" + image.name + ", " + weights.name + ", " + padding.name +
             ") {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, "
             "batch_group_count = 1 : i64} : " +
             signature({wide, kernel, list}, wide, b);
    });
  }
  // Solves a triangular system whose matrix is x x^T with a large diagonal, or decomposes that.
  bool add_matrices() {
    const random_value x = arguments[3];
    const random_dimension n = x.type.dimensions[0];
    const random_type square{"f32", {n, n}};
    const random_value eight = constant({"f32", {}}, "64.0");
    const random_value product = write(square, [&](bool b) {
      return "stablehlo.dot_general " + x.name + ", " + x.name +
             ", contracting_dims = [1] x [1] : " + signature({x.type, x.type}, square, b);
    });
    const random_value shape = listed_sizes(square);
    std::vector<random_value> lines;
    for (int d = 0; d < 2; ++d)
      lines.push_back(write(square, [&](bool b) {
        return "stablehlo.dynamic_iota " + shape.name + ", dim = " + std::to_string(d) + " : " +
               signature({shape.type}, square, b);
      }));
    const random_value diagonal = write(square.of("i1"), [&](bool b) {
      return "stablehlo.compare EQ, " + lines[0].name + ", " + lines[1].name + " : " +
             signature({square, square}, square.of("i1"), b);
    });
    const random_value large = write(square, [&](bool b) {
      return "stablehlo.dynamic_broadcast_in_dim " + eight.name + ", " + shape.name +
             ", dims = [] : " + signature({eight.type, shape.type}, square, b);
    });
    const random_value matrix = write(square, [&](bool b) {
      return "stablehlo.select " + diagonal.name + ", " + large.name + ", " + product.name + " : " +
             square.of("i1").text(b) + ", " + square.text(b);
    });
    const std::string lower = random_.below(2) == 0 ? "true" : "false", left = random_.below(2) == 0 ? "true" : "false";
    if (random_.below(2) == 0) {
      // The other triangle is zero, or whatever was there.
      return add(square, [&](bool b) {
        return "\"stablehlo.cholesky\"(" + matrix.name + ") {lower = " + lower +
               "} : " + signature({square}, square, b);
      });
    }
    random_type sides = x.type;
    if (left == "false") std::swap(sides.dimensions[0], sides.dimensions[1]);
    const random_value right = left == "true" ? x : write(sides, [&](bool b) {
      return "stablehlo.transpose " + x.name + ", dims = [1, 0] : " + signature({x.type}, sides, b);
    });
    return add(sides, [&](bool b) {
      return "\"stablehlo.triangular_solve\"(" + matrix.name + ", " + right.name + ") {left_side = " + left +
             ", lower = " + lower + ", unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : " +
             signature({square, sides}, sides, b);
    });
  }
  // What nothing gives a size takes that of the other operand.
  bool add_places() {
    const random_value x = any();
    if (x.type.rank() == 0) return false;
    const random_value line = write(x.type, [&](bool b) {
      return "stablehlo.iota dim = " + std::to_string(x.type.rank() - 1) + " : " + x.type.text(b);
    });
    const random_value one = constant({x.type.element, {}}, number(x.type));
    const random_value ones = write(x.type, [&](bool b) {
      return "stablehlo.broadcast_in_dim " + one.name + ", dims = [] : " + signature({one.type}, x.type, b);
    });
    const random_value more =
        write(x.type, [&](bool b) { return "stablehlo.add " + line.name + ", " + ones.name + " : " + x.type.text(b); });
    return add(x.type, [&](bool b) { return "stablehlo.add " + x.name + ", " + more.name + " : " + x.type.text(b); });
  }
  // The second by the order of the first.
  bool add_sorted_pairs() {
    const random_value x = any(), y = any();
    if (!x.type.same_shape(y.type) || x.type.rank() == 0) return false;
    const std::string name = fresh();
    for (bool b : {false, true}) {
      const std::string e = "tensor<" + x.type.element + ">", f = "tensor<" + y.type.element + ">";
      const std::string types = x.type.text(b) + ", " + y.type.text(b);
      body_[b ? 1 : 0] += "  " + name + ":2 = \"stablehlo.sort\"(" + x.name + ", " + y.name + ") ({\n  ^bb0(%p: " + e +
                          ", %q: " + e + ", %r: " + f + ", %s: " + f + "):\n    %c = stablehlo.compare LT, %p, %q : (" +
                          e + ", " + e +
                          ") -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  }) {dimension = 0 : " +
                          "i64, is_stable = true} : (" + types + ") -> (" + types + ")\n";
    }
    values_.push_back({name + "#1", y.type});
    return true;
  }
};

}  // namespace tenon::test
