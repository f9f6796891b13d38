// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/dtype.hpp>
#include <tenon/core/ints.hpp>

#include <iterator>
#include <random>
#include <regex>
#include <string>
#include <utility>
#include <vector>

// The text of a program of random ops that depend on each other: elementwise and moving ones, folds of rows and what is
// computed of them, products, convolutions, windows, and reads through indices.
class random_program {
  using ints = tenon::ints;
  using index_t = tenon::index_t;

 public:
  // Large tensors are large enough for transposes to be done in boxes, and divided ones for ops to be done in parts.
  // Of sparse ones many have no elements.
  enum class sort : int { small, large, divided, sparse };
  explicit random_program(unsigned seed, sort tensors = sort::small)
      : random_(seed),
        large_(tensors == sort::large),
        divided_(tensors == sort::divided),
        sparse_(tensors == sort::sparse) {
    const ints shape = random_shape();
    arguments_ = 1 + pick(3);
    for (int a = 0; a < arguments_; ++a)
      values_.push_back({"%a" + std::to_string(a), a == 0 || coin() ? shape : random_shape()});
    const int ops = 2 + pick(divided_ ? 5 : large_ ? 6 : 24);
    for (int i = 0; i < ops; ++i) add_op();
  }

  // What the program hands over.
  enum class results : int {
    last,
    some,   // the last value and every third one before
    apart,  // every value, and ops are kept from each other: what one gives goes through a `pad` to the others
  };
  std::string text(results wanted) const {
    std::string types, names, result;
    for (int a = 0; a < arguments_; ++a)
      types += (a > 0 ? ", " : "") + values_[std::size_t(a)].name + ": " + type(values_[std::size_t(a)].shape);
    for (std::size_t v = std::size_t(arguments_); v < values_.size(); ++v) {
      if (!hands_over(wanted, v)) continue;
      names += (names.empty() ? "" : ", ") + values_[v].name;
      result += (result.empty() ? "" : ", ") + type(values_[v].shape);
    }
    return "func.func @main(" + types + ") -> (" + result + ") {\n" +
           (wanted == results::apart ? body_of_ops_apart() : body_) + "  return " + names + " : " + result + "\n}\n";
  }
  // These ops on another element type. Signed integers have no fractions, floors and exponentials: constants are
  // taken four times.
  std::string text(results wanted, tenon::dtype element) const {
    const std::string of_floats = text(wanted), name(tenon::name(element));
    if (tenon::is_float(element)) return std::regex_replace(of_floats, std::regex("f32"), name);
    std::string of_integers;
    std::size_t done = 0;
    const std::regex number("-?[0-9]+\\.[0-9]+");
    for (std::sregex_iterator at(of_floats.begin(), of_floats.end(), number), end; at != end; ++at) {
      of_integers += of_floats.substr(done, std::size_t(at->position()) - done);
      of_integers += std::to_string(int(4 * std::stod(at->str())));
      done = std::size_t(at->position() + at->length());
    }
    of_integers += of_floats.substr(done);
    for (const auto& [from, to] : {std::pair{"f32", name.c_str()},
                                   {", FLOAT", ", SIGNED"},
                                   {"stablehlo.floor", "stablehlo.abs"},
                                   {"stablehlo.exponential", "stablehlo.negate"}})
      of_integers = std::regex_replace(of_integers, std::regex(from), to);
    return of_integers;
  }
  bool hands_over(results wanted, std::size_t v) const {
    return wanted == results::apart || v + 1 == values_.size() || (wanted == results::some && v % 3 == 0);
  }
  std::size_t arguments() const { return std::size_t(arguments_); }
  // How often integers are used to look something up, and again beside what they found.
  int combinations() const { return combinations_; }

 private:
  struct value {
    std::string name;
    ints shape;
    std::size_t end = 0;  // of the text that computes it
  };
  std::mt19937 random_;
  bool large_, divided_, sparse_;
  struct integer {
    std::string name;
    ints shape;
  };
  std::vector<value> values_;
  std::vector<integer> integers_;  // of type i32, which are looked up by
  std::string body_;
  int arguments_ = 0, made_ = 0, combinations_ = 0;

  std::string body_of_ops_apart() const {
    std::string body =
        "  %nothing = stablehlo.constant dense<0.0> : tensor<f32>\n  %zero = stablehlo.constant dense<0> : "
        "tensor<i32>\n";
    std::size_t done = 0;
    for (std::size_t v = std::size_t(arguments_); v < values_.size(); ++v) {
      const auto& [name, shape, end] = values_[v];
      std::string part = body_.substr(done, end - done);
      part.insert(part.find("  " + name + " = ") + 2 + name.size(), "_inside");
      body += part + apart_from(name, shape, "%nothing", "f32");
      done = end;
    }
    for (const auto& [name, shape] : integers_) {
      const std::size_t begin = body.find("  " + name + " = ") + 2 + name.size();
      body.insert(body.find('\n', begin) + 1, apart_from(name, shape, "%zero", "i32"));
      body.insert(begin, "_inside");
    }
    return body;
  }
  static std::string apart_from(const std::string& name, const ints& shape, const char* filler, const char* element) {
    const std::string none = list_of(ints::filled(shape.size, 0)), whole = type(shape, element);
    return "  " + name + " = stablehlo.pad " + name + "_inside, " + filler + ", low = " + none + ", high = " + none +
           ", interior = " + none + " : (" + whole + ", " + type({}, element) + ") -> " + whole + "\n";
  }
  int pick(int below) { return int(random_() % unsigned(below)); }
  bool coin() { return pick(2) == 0; }
  ints random_shape() {
    ints shape;
    if (divided_) {
      if (pick(4) == 0) return {1, 1000 + pick(2000), 60 + pick(60)};
      return coin() ? ints{3 + pick(12), 90 + pick(70), 90 + pick(70)} : ints{1000 + pick(2000), 40 + pick(80)};
    }
    if (pick(60) == 0) return long_rows();
    if (large_) return coin() ? ints{60 + pick(60), 60 + pick(60)} : ints{1 + pick(4), 30 + pick(60), 40 + pick(40)};
    const int rank = pick(5);
    for (int d = 0; d < rank; ++d)
      shape.push(pick(12) == 0 ? 30 + pick(40) : sparse_ && pick(3) == 0 ? pick(2) : 1 + pick(5));
    return shape;
  }
  // The size of a new dimension, and that of a part of one.
  int new_size() { return sparse_ ? pick(5) : 1 + pick(4); }
  int part_of(index_t size) { return size == 0 ? 0 : 1 + pick(int(size)); }
  // Around and above what is kept in tiles.
  ints long_rows() {
    const index_t row = coin() ? 16370 + pick(40) : 20000 + pick(3000);
    return coin() ? ints{row} : ints{1 + pick(3), row};
  }
  static std::string type(const ints& shape, const char* element = "f32") {
    std::string text = "tensor<";
    for (index_t size : shape) text += std::to_string(size) + "x";
    return text + element + ">";
  }
  static std::string list_of(const ints& values) {
    std::string text = "[";
    for (int i = 0; i < values.size; ++i) text += (i > 0 ? ", " : "") + std::to_string(values.at[i]);
    return text + "]";
  }
  // One of the later values, so that long chains arise.
  const value& operand() {
    const int count = int(values_.size());
    if (divided_ && pick(6) > 0) return values_.back();
    const int back = coin() ? pick(count < 3 ? count : 3) : pick(count);
    return values_[std::size_t(count - 1 - back)];
  }
  const value* operand_of_shape(const ints& shape) {
    std::vector<const value*> found;
    for (const value& each : values_)
      if (each.shape == shape) found.push_back(&each);
    return found.empty() ? nullptr : found[std::size_t(pick(int(found.size())))];
  }
  std::string fresh() { return "%v" + std::to_string(made_++); }
  void emit(const std::string& name, const std::string& line, const ints& shape) {
    body_ += "  " + name + " = stablehlo." + line + "\n";
    values_.push_back({name, shape, body_.size()});
  }

  std::string fold(const value& x, const ints& axes, bool adds, std::string& name) {
    const std::string init = fresh();
    name = fresh();
    body_ += "  " + init + " = stablehlo.constant dense<" + (adds ? "0.5" : "-9.0") + "> : tensor<f32>\n";
    const ints shape = x.shape.without(axes);
    body_ += "  " + name + " = stablehlo.reduce(" + x.name + " init: " + init + ") applies stablehlo." +
             (adds ? "add" : "maximum") + " across dimensions = " + list_of(axes) + " : (" + type(x.shape) +
             ", tensor<f32>) -> " + type(shape) + "\n";
    values_.push_back({name, shape, body_.size()});
    return name;
  }
  value binary(const char* op, const value& x, const value& y) {
    const std::string name = fresh();
    emit(name, std::string(op) + " " + x.name + ", " + y.name + " : " + type(x.shape), x.shape);
    return {name, x.shape};
  }
  value unary(const char* op, const value& x) {
    const std::string name = fresh();
    emit(name, std::string(op) + " " + x.name + " : " + type(x.shape), x.shape);
    return {name, x.shape};
  }

  // Folds the last axes (now and then others), computes a little, and spreads the outcome over the rows again: as
  // softmax, norms and layers of them do, with and without axes of size 1 in between.
  value rows_of(const value& x) {
    const int kept = pick(x.shape.size);
    ints axes, kept_axes;
    for (int d = 0; d < x.shape.size; ++d) (d >= kept ? axes : kept_axes).push(d);
    if (pick(8) == 0 && x.shape.size > 1) axes = {0}, kept_axes = ints::range(x.shape.size).without({0});
    std::string name;
    fold(x, axes, coin(), name);
    value folded{name, x.shape.without(axes)};
    for (int extra = pick(3); extra > 0; --extra) {
      if (pick(4) == 0)
        folded = unary("abs", folded);
      else if (const value y = *operand_of_shape(folded.shape); coin())
        folded = binary("add", folded, y);
      else
        folded = binary("maximum", y, folded);
    }
    if (coin()) {
      // With the folded axes as axes of size 1.
      ints shape = x.shape;
      for (index_t axis : axes) shape.at[axis] = 1;
      const std::string from = "(" + type(folded.shape) + ") -> " + type(shape), again = fresh();
      emit(again,
           coin() ? "reshape " + folded.name + " : " + from
                  : "broadcast_in_dim " + folded.name + ", dims = " + list_of(kept_axes) + " : " + from,
           shape);
      folded = {again, shape};
      if (coin()) folded = unary("negate", folded);
      kept_axes = ints::range(shape.size);
    }
    const std::string spread = fresh();
    emit(spread,
         "broadcast_in_dim " + folded.name + ", dims = " + list_of(kept_axes) + " : (" + type(folded.shape) + ") -> " +
             type(x.shape),
         x.shape);
    return {spread, x.shape};
  }
  void add_rows(const value& x) {
    static constexpr const char* combining[] = {"subtract", "add", "multiply", "divide"};
    value y = x;
    if (coin()) y = unary(coin() ? "abs" : "negate", y);
    for (int depth = 1 + pick(2); depth > 0; --depth) {
      const value spread = rows_of(y);
      y = binary(combining[pick(4)], pick(4) == 0 ? x : y, spread);
      if (pick(3) == 0) y = unary("exponential", y);
      if (pick(6) == 0) y = binary("multiply", y, y);
    }
    if (pick(4) == 0) {
      std::string name;
      fold(y, {y.shape.size - 1}, coin(), name);
    }
  }

  // Integers of a value: what it says, or computed from that.
  std::string integers_of(const std::string& from, const ints& shape) {
    std::string name = fresh();
    body_ += "  " + name + " = stablehlo.convert " + from + " : (" + type(shape) + ") -> " + type(shape, "i32") + "\n";
    integers_.push_back({name, shape});
    for (int more = pick(4) - 1; more > 0; --more) {
      const std::string next = fresh(), other = integers_of_shape(shape);
      body_ += "  " + next + " = stablehlo." + (coin() ? "add " : "maximum ") + name + ", " + other + " : " +
               type(shape, "i32") + "\n";
      integers_.push_back({next, shape});
      name = next;
    }
    return name;
  }
  std::string integers_of_shape(const ints& shape) {
    std::vector<const integer*> found;
    for (const integer& each : integers_)
      if (each.shape == shape) found.push_back(&each);
    return found[std::size_t(pick(int(found.size())))]->name;
  }
  // What has been looked up by integers, together with them: its first axes are theirs.
  void combine_with_integers(const ints& shape) {
    if (pick(3) == 0) return;
    const value looked_up = values_.back();
    const std::string number = fresh();
    emit(number, "convert " + integers_of_shape(shape) + " : (" + type(shape, "i32") + ") -> " + type(shape), shape);
    if (pick(4) == 0) return;
    value spread{number, shape};
    if (looked_up.shape != shape) {
      const std::string name = fresh();
      emit(name,
           "broadcast_in_dim " + number + ", dims = " + list_of(ints::range(shape.size)) + " : (" + type(shape) +
               ") -> " + type(looked_up.shape),
           looked_up.shape);
      spread = {name, looked_up.shape};
    }
    ++combinations_;
    coin() ? binary("add", looked_up, spread) : binary("multiply", spread, looked_up);
  }

  // A scalar of the values so far, as an index.
  std::string index() {
    const value y = operand();
    std::string scalar = y.name;
    if (y.shape.product() == 0) {
      scalar = fresh();
      body_ += "  " + scalar + " = stablehlo.constant dense<1.5> : tensor<f32>\n";
      return integers_of(scalar, {});
    }
    if (y.shape.product() != 1) {
      std::string ranges;
      for (int d = 0; d < y.shape.size; ++d) {
        const int at = pick(int(y.shape.at[d]));
        ranges += (d > 0 ? ", " : "") + std::to_string(at) + ":" + std::to_string(at + 1);
      }
      const ints ones = ints::filled(y.shape.size, 1);
      scalar = fresh();
      body_ += "  " + scalar + " = stablehlo.slice " + y.name + " [" + ranges + "] : (" + type(y.shape) + ") -> " +
               type(ones) + "\n";
    }
    const ints from = y.shape.product() != 1 ? ints::filled(y.shape.size, 1) : y.shape;
    const std::string flat = fresh();
    body_ += "  " + flat + " = stablehlo.reshape " + scalar + " : (" + type(from) + ") -> tensor<f32>\n";
    return integers_of(flat, {});
  }
  void add_dynamic_slice(const value& x, bool update) {
    std::string starts, types;
    ints sizes;
    for (index_t size : x.shape) {
      starts += ", " + index(), types += ", tensor<i32>";
      sizes.push(part_of(size));
    }
    const std::string name = fresh();
    if (!update) {
      emit(name,
           "dynamic_slice " + x.name + starts + ", sizes = " + list_of(sizes) + " : (" + type(x.shape) + types +
               ") -> " + type(sizes),
           sizes);
      return x.shape.empty() ? void() : combine_with_integers({});
    }
    std::string ranges;
    for (int d = 0; d < sizes.size; ++d) ranges += (d > 0 ? ", 0:" : "0:") + std::to_string(sizes.at[d]);
    const std::string part = fresh();
    emit(part, "slice " + x.name + " [" + ranges + "] : (" + type(x.shape) + ") -> " + type(sizes), sizes);
    emit(name,
         "dynamic_update_slice " + x.name + ", " + part + starts + " : (" + type(x.shape) + ", " + type(sizes) + types +
             ") -> " + type(x.shape),
         x.shape);
  }
  // Rows, parts of rows, or single elements that a vector of indices names.
  void add_gather(const value& x) {
    const value from = operand();
    const std::string name = fresh();
    const int axis = pick(x.shape.size), count = from.shape.size;
    ints sizes, offsets, shape = from.shape;
    for (int d = 0; d < x.shape.size; ++d) {
      sizes.push(d == axis ? 1 : part_of(x.shape.at[d]));
      if (d == axis) continue;
      offsets.push(count + offsets.size);
      shape.push(sizes.at[d]);
    }
    if (x.shape.at[axis] == 0 || count + x.shape.size - 1 > 6 || shape.product() > 30000) return add_op();
    const std::string indices = integers_of(from.name, from.shape);
    std::string array;
    for (index_t size : sizes) array += (array.empty() ? ": " : ", ") + std::to_string(size);
    body_ += "  " + name + " = \"stablehlo.gather\"(" + x.name + ", " + indices +
             ") <{dimension_numbers = #stablehlo.gather<offset_dims = " + list_of(offsets) +
             ", collapsed_slice_dims = " + list_of({axis}) + ", start_index_map = " + list_of({axis}) +
             ", index_vector_dim = " + std::to_string(count) + ">, slice_sizes = array<i64" + array +
             ">, indices_are_sorted = false}> : (" + type(x.shape) + ", " + type(from.shape, "i32") + ") -> " +
             type(shape) + "\n";
    values_.push_back({name, shape, body_.size()});
    combine_with_integers(from.shape);
  }
  // By a matrix of weights along the last dimension.
  void add_product(const value& x) {
    const int last = x.shape.size - 1, columns = 1 + pick(70);
    const ints weights{x.shape.at[last], columns};
    ints shape = x.shape;
    shape.at[last] = columns;
    const std::string line = fresh(), spread = fresh(), name = fresh();
    std::string numbers;
    for (int i = 0; i < columns; ++i) numbers += (i > 0 ? ", " : "") + std::to_string(0.5 - 0.0625 * (i % 7));
    body_ += "  " + line + " = stablehlo.constant dense<[" + numbers + "]> : tensor<" + std::to_string(columns) +
             "xf32>\n  " + spread + " = stablehlo.broadcast_in_dim " + line + ", dims = [1] : (tensor<" +
             std::to_string(columns) + "xf32>) -> " + type(weights) + "\n";
    emit(name,
         "dot_general " + x.name + ", " + spread + ", contracting_dims = " + list_of({last}) + " x [0] : (" +
             type(x.shape) + ", " + type(weights) + ") -> " + type(shape),
         shape);
  }
  int pick_divided() {
    static constexpr int all[] = {0, 1, 3, 3, 3, 9, 10, 11, 11, 17, 18, 19, 19, 20, 20, 20};
    return all[pick(int(std::size(all)))];
  }
  void add_convolution(const value& x) {
    const int outputs = 1 + pick(20), window = 1 + pick(3);
    const ints weights{window, x.shape.at[2], outputs}, shape{x.shape.at[0], x.shape.at[1] + 3 - window, outputs};
    if (!divided_ && shape.product() > 30000) return add_op();
    const std::string line = fresh(), spread = fresh(), name = fresh();
    std::string numbers;
    for (int i = 0; i < window; ++i) numbers += (i > 0 ? ", " : "") + std::to_string(0.5 - 0.375 * i);
    body_ += "  " + line + " = stablehlo.constant dense<[" + numbers + "]> : tensor<" + std::to_string(window) +
             "xf32>\n  " + spread + " = stablehlo.broadcast_in_dim " + line + ", dims = [0] : (tensor<" +
             std::to_string(window) + "xf32>) -> " + type(weights) + "\n";
    emit(name,
         "convolution(" + x.name + ", " + spread +
             ") dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, "
             "feature_group_count = 1 : i64} : (" +
             type(x.shape) + ", " + type(weights) + ") -> " + type(shape),
         shape);
  }
  void add_window(const value& x) {
    const std::string init = fresh(), name = fresh(), op = coin() ? "add" : "maximum";
    std::string window, strides, ones, padding;
    ints shape;
    for (index_t size : x.shape) {
      const int wide = size == 0 ? 1 + pick(2) : 1 + pick(size < 3 ? int(size) : 3), step = 1 + pick(2),
                pad = pick(wide);
      window += (shape.empty() ? ": " : ", ") + std::to_string(wide);
      strides += (shape.empty() ? ": " : ", ") + std::to_string(step);
      ones += shape.empty() ? ": 1" : ", 1";
      padding += (shape.empty() ? "[" : ", [") + std::to_string(pad) + ", 0]";
      shape.push(size + pad < wide ? 0 : (size + pad - wide) / step + 1);
    }
    body_ += "  " + init + " = stablehlo.constant dense<" + (op == "add" ? "0.25" : "-8.0") + "> : tensor<f32>\n  " +
             name + " = \"stablehlo.reduce_window\"(" + x.name + ", " + init + ") <{window_dimensions = array<i64" +
             window + ">, window_strides = array<i64" + strides + ">, base_dilations = array<i64" + ones +
             ">, window_dilations = array<i64" + ones + ">, padding = dense<[" + padding + "]> : tensor<" +
             std::to_string(shape.size) +
             "x2xi64>}> ({\n  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n    %r = stablehlo." + op +
             " %p, %q : tensor<f32>\n    stablehlo.return %r : tensor<f32>\n  }) : (" + type(x.shape) +
             ", tensor<f32>) -> " + type(shape) + "\n";
    values_.push_back({name, shape, body_.size()});
  }

  void add_op() {
    const value x = operand();
    const std::string name = fresh();
    const std::string from = "(" + type(x.shape) + ") -> ";
    if (pick(3) == 0 && x.shape.size > 0) return add_rows(x);
    switch (large_ && coin() ? 4 : divided_ ? pick_divided() : pick(21)) {
      case 0:
      case 1:
      case 2: {
        const char* const binary[] = {"add", "subtract", "multiply", "maximum"};
        const value y = *operand_of_shape(x.shape);
        return emit(name, std::string(binary[pick(4)]) + " " + x.name + ", " + y.name + " : " + type(x.shape), x.shape);
      }
      case 3: {
        const char* const unary[] = {"negate", "abs", "floor"};
        return emit(name, std::string(unary[pick(3)]) + " " + x.name + " : " + type(x.shape), x.shape);
      }
      case 4: {
        ints order = ints::range(x.shape.size);
        for (int i = order.size - 1; i > 0; --i) std::swap(order.at[i], order.at[pick(i + 1)]);
        const ints shape = x.shape.select(order);
        return emit(name, "transpose " + x.name + ", dims = " + list_of(order) + " : " + from + type(shape), shape);
      }
      case 5: {
        ints axes;
        for (int d = 0; d < x.shape.size; ++d)
          if (coin()) axes.push(d);
        return emit(name, "reverse " + x.name + ", dims = " + list_of(axes) + " : " + type(x.shape), x.shape);
      }
      case 6: {
        std::string ranges;
        ints shape;
        for (int d = 0; d < x.shape.size; ++d) {
          const int size = int(x.shape.at[d]), first = size == 0 ? 0 : pick(size), last = first + part_of(size - first),
                    step = 1 + pick(3);
          ranges +=
              (d > 0 ? ", " : "") + std::to_string(first) + ":" + std::to_string(last) + ":" + std::to_string(step);
          shape.push((last - first + step - 1) / step);
        }
        return emit(name, "slice " + x.name + " [" + ranges + "] : " + from + type(shape), shape);
      }
      case 7: {
        if (x.shape.size >= 6 || x.shape.product() > 3000) return add_op();
        ints shape, dims;
        for (int d = 0; d < x.shape.size; ++d) {
          if (coin() && shape.size < 6) shape.push(new_size());
          dims.push(shape.size);
          shape.push(x.shape.at[d] == 1 && coin() ? new_size() : x.shape.at[d]);
        }
        if (coin()) shape.push(new_size());
        return emit(name, "broadcast_in_dim " + x.name + ", dims = " + list_of(dims) + " : " + from + type(shape),
                    shape);
      }
      case 8: {
        ints shape;
        index_t left = x.shape.product();
        for (index_t divisor = 2; divisor <= left && shape.size < 4; ++divisor)
          while (left % divisor == 0 && shape.size < 4 && coin()) shape.push(divisor), left /= divisor;
        shape.push(left);
        while (left == 0 && shape.size < 4 && coin()) shape.push(pick(5));
        return emit(name, "reshape " + x.name + " : " + from + type(shape), shape);
      }
      case 9: {
        ints axes;
        for (int d = 0; d < x.shape.size; ++d)
          if (coin()) axes.push(d);
        const std::string zero = fresh();
        body_ += "  " + zero + " = stablehlo.constant dense<0.5> : tensor<f32>\n";
        const ints shape = x.shape.without(axes);
        return emit(name,
                    "reduce(" + x.name + " init: " + zero + ") applies stablehlo.add across dimensions = " +
                        list_of(axes) + " : (" + type(x.shape) + ", tensor<f32>) -> " + type(shape),
                    shape);
      }
      case 10: {
        const value y = *operand_of_shape(x.shape), z = *operand_of_shape(x.shape);
        const std::string less = fresh();
        body_ += "  " + less + " = stablehlo.compare LT, " + x.name + ", " + y.name + ", FLOAT : (" + type(x.shape) +
                 ", " + type(x.shape) + ") -> " + type(x.shape, "i1") + "\n";
        return emit(
            name, "select " + less + ", " + y.name + ", " + z.name + " : " + type(x.shape, "i1") + ", " + type(x.shape),
            x.shape);
      }
      case 11: {
        // With the transposed or the same operand, so that any two values can be multiplied.
        if (x.shape.size < 1 || x.shape.size > 3 || (!divided_ && x.shape.product() > 20000) || x.shape.at[0] > 200)
          return add_op();
        const value y = *operand_of_shape(x.shape);
        const int last = x.shape.size - 1;
        ints shape, batching;
        for (int d = 0; d + 1 < last; ++d) shape.push(x.shape.at[d]), batching.push(d);
        for (int side = 0; side < 2 && last > 0; ++side) shape.push(x.shape.at[last - 1]);
        return emit(name,
                    "dot_general " + x.name + ", " + y.name + ", batching_dims = " + list_of(batching) + " x " +
                        list_of(batching) + ", contracting_dims = " + list_of({last}) + " x " + list_of({last}) +
                        " : (" + type(x.shape) + ", " + type(x.shape) + ") -> " + type(shape),
                    shape);
      }
      case 12: {
        if (x.shape.empty()) return add_op();
        const value y = *operand_of_shape(x.shape);
        ints shape = x.shape;
        shape.at[0] *= 2;
        return emit(name,
                    "concatenate " + x.name + ", " + y.name + ", dim = 0 : (" + type(x.shape) + ", " + type(x.shape) +
                        ") -> " + type(shape),
                    shape);
      }
      case 13: {
        const std::string zero = fresh();
        body_ += "  " + zero + " = stablehlo.constant dense<-0.25> : tensor<f32>\n";
        ints low, shape;
        for (index_t size : x.shape) {
          low.push(pick(3));
          shape.push(size + 2 * low.at[low.size - 1]);
        }
        if (shape.product() > 30000) return add_op();
        return emit(name,
                    "pad " + x.name + ", " + zero + ", low = " + list_of(low) + ", high = " + list_of(low) +
                        ", interior = " + list_of(ints::filled(low.size, 0)) + " : (" + type(x.shape) +
                        ", tensor<f32>) -> " + type(shape),
                    shape);
      }
      case 14:
        return add_dynamic_slice(x, pick(4) == 0);
      case 15:
      case 16:
        if (x.shape.empty()) return add_op();
        return add_gather(x);
      case 17:
        if (x.shape.size != 3 || (!divided_ && x.shape.product() > 20000)) return add_op();
        return add_convolution(x);
      case 18:
        if (x.shape.empty() || (!divided_ && x.shape.product() > 20000)) return add_op();
        return add_window(x);
      case 19:
        if (x.shape.empty()) return add_op();
        return add_product(x);
      default: {
        const std::string splat = fresh();
        body_ += "  " + splat + " = stablehlo.constant dense<1.25> : " + type(x.shape) + "\n";
        return emit(name, "multiply " + x.name + ", " + splat + " : " + type(x.shape), x.shape);
      }
    }
  }
};
