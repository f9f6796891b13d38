// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace random_programs {

using shape = std::vector<int>;

struct value {
  std::string name;
  shape dims;
  bool used = false;
};

// The text of a StableHLO program of so many ops on small tensors, each of which some result needs.
class generator {
 public:
  generator(int ops, std::uint64_t seed) : ops_(ops), state_(seed) {}

  // `every_value`: what each op gives is a result of the program, so that nothing can be fused into anything else.
  std::string text(bool every_value = false) {
    std::string text = "func.func @main(";
    const shape arguments[] = {{16, 32}, {16, 32}, {32, 16}, {8, 16, 4}, {16}, {32}};
    for (const shape& dims : arguments) {
      values_.push_back({"%arg" + std::to_string(values_.size()), dims});
      text += (values_.size() > 1 ? ", " : "") + values_.back().name + ": " + type(dims);
    }
    while (count_ < ops_) add_op();
    std::string names, types;
    for (const value& each : values_)
      if ((every_value || !each.used) && each.name[1] != 'a') {
        names += (names.empty() ? "" : ", ") + each.name;
        types += (types.empty() ? "" : ", ") + type(each.dims);
      }
    return text + ") -> (" + types + ") {\n  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n" + body_ +
           "  return " + names + " : " + types + "\n}\n";
  }

  // Which ops give the results of the text without `every_value`.
  std::vector<int> results() const {
    std::vector<int> ops;
    for (const value& each : values_)
      if (!each.used && each.name[1] != 'a') ops.push_back(std::stoi(each.name.substr(1)));
    return ops;
  }

 private:
  int ops_, count_ = 0;
  std::uint64_t state_;
  std::vector<value> values_;
  std::string body_;

  int random(int below) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return int((state_ >> 33) % std::uint64_t(below));
  }
  static std::string numbers(const std::vector<int>& list) {
    std::string text;
    for (int each : list) text += (text.empty() ? "" : ", ") + std::to_string(each);
    return "[" + text + "]";
  }
  static std::string type(const shape& dims) {
    std::string text = "tensor<";
    for (int dim : dims) text += std::to_string(dim) + "x";
    return text + "f32>";
  }
  void emit(const shape& dims, const std::string& op) {
    const std::string name = "%" + std::to_string(count_++);
    body_ += "  " + name + " = stablehlo." + op + "\n";
    values_.push_back({name, dims});
  }

  // A recent value, rather one that nobody has used.
  value& pick() {
    const int size = int(values_.size()), window = size < 24 ? size : 24;
    for (int attempt = 0; attempt < 6; ++attempt)
      if (value& each = values_[std::size_t(size - 1 - random(window))]; !each.used) return each;
    return values_[std::size_t(size - 1 - random(window))];
  }
  // Another value of this shape, or null.
  value* partner(const value& x, const shape& dims) {
    value* found = nullptr;
    for (std::size_t i = values_.size(); i-- > 0 && i + 200 > values_.size();) {
      if (values_[i].dims != dims || &values_[i] == &x) continue;
      if (found == nullptr || (found->used && !values_[i].used)) found = &values_[i];
      if (random(3) == 0) break;
    }
    if (found != nullptr) found->used = true;
    return found;
  }
  static int product(const shape& dims) {
    int result = 1;
    for (int dim : dims) result *= dim;
    return result;
  }

  void add_op() {
    value& x = pick();
    x.used = true;
    const shape dims = x.dims;
    const std::string name = x.name, from = type(dims);
    const int choice = random(100), rank = int(dims.size());
    if (choice < 12 && rank <= 2 && product(dims) <= 512) {
      static constexpr int sizes[] = {4, 8, 16};
      shape wide = dims, axes;
      const int at = random(rank + 1);
      wide.insert(wide.begin() + at, sizes[random(3)]);
      for (int i = 0; i < rank; ++i) axes.push_back(i < at ? i : i + 1);
      emit(wide, "broadcast_in_dim " + name + ", dims = " + numbers(axes) + " : (" + from + ") -> " + type(wide));
    } else if (choice < 18 && (rank == 3 || (product(dims) >= 16 && product(dims) <= 256))) {
      const shape to = rank == 3   ? shape{dims[0] * dims[1], dims[2]}
                       : rank == 2 ? shape{product(dims)}
                                   : shape{4, dims[0] / 4};
      emit(to, "reshape " + name + " : (" + from + ") -> " + type(to));
    } else if (choice < 24 && rank >= 2) {
      shape to = dims, axes(dims.size());
      for (int i = 0; i < rank; ++i) axes[std::size_t(i)] = i;
      std::swap(axes[0], axes[std::size_t(1 + random(rank - 1))]);
      for (std::size_t i = 0; i < dims.size(); ++i) to[i] = dims[std::size_t(axes[i])];
      emit(to, "transpose " + name + ", dims = " + numbers(axes) + " : (" + from + ") -> " + type(to));
    } else if (choice < 34 && rank >= 2) {
      const int axis = random(rank);
      shape to = dims;
      to.erase(to.begin() + axis);
      emit(to, "reduce(" + name + " init: %zero) applies stablehlo." + (random(2) == 0 ? "add" : "maximum") +
                   " across dimensions = " + numbers({axis}) + " : (" + from + ", tensor<f32>) -> " + type(to));
    } else if (choice < 44 && rank == 2) {
      const value* y = partner(x, {dims[1], dims[0]});
      const bool turned = y == nullptr;
      if (turned) y = partner(x, dims);
      if (y == nullptr) y = &x;
      const shape to{dims[0], dims[0]};
      emit(to, "dot_general " + name + ", " + y->name + ", contracting_dims = [1] x [" + (turned ? "1" : "0") +
                   "] : (" + from + ", " + type(y->dims) + ") -> " + type(to));
    } else if (const value* y = choice < 84 ? partner(x, dims) : nullptr; y != nullptr) {
      static constexpr const char* binary[] = {"add ", "multiply ", "maximum "};
      emit(dims, binary[random(3)] + name + ", " + y->name + " : " + from);
    } else {
      emit(dims, "tanh " + name + " : " + from);
    }
  }
};

}  // namespace random_programs
