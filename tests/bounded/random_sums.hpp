// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "random_writer.hpp"

namespace tenon::test {
using namespace core;

// Ops that sum in other ways than reduce does: products by letters, pooling backwards, normalization, transforms.
class random_sums : public random_writer {
 public:
  using random_writer::random_writer;

 protected:
  // Letters for the dimensions: equal ones, of equal size, for some that have the same name.
  std::string letters_of(const random_type& type, std::vector<random_dimension>& known) {
    std::string letters;
    for (const random_dimension& each : type.dimensions) {
      std::size_t at = known.size();
      for (std::size_t k = 0; k < known.size(); ++k)
        if (known[k].name == each.name && known[k].bound == each.bound && random_.below(3) > 0) at = k;
      if (at == known.size()) known.push_back(each);
      letters += char('a' + at);
    }
    return letters;
  }
  bool add_einsum() {
    const random_value x = any(), y = any();
    const bool unary = random_.below(3) == 0;
    if (!unary && x.type.element != y.type.element) return false;
    std::vector<random_dimension> known;
    std::string config = letters_of(x.type, known);
    if (!unary) config += "," + letters_of(y.type, known);
    random_type to{x.type.element, {}};
    std::string kept;
    for (std::size_t k = known.size(); k-- > 0;) {
      if (random_.below(3) == 0) continue;
      kept += char('a' + k);
      to.dimensions.push_back(known[k]);
    }
    if (to.rank() > 3 || to.room() > 500 || known.size() > 6) return false;
    config += "->" + kept;
    if (unary)
      return add(to, [&](bool b) {
        return "\"stablehlo.unary_einsum\"(" + x.name + ") {einsum_config = \"" + config +
               "\"} : " + signature({x.type}, to, b);
      });
    return add(to, [&](bool b) {
      return "\"stablehlo.einsum\"(" + x.name + ", " + y.name + ") {einsum_config = \"" + config +
             "\"} : " + signature({x.type, y.type}, to, b);
    });
  }

  // What pooling hands back to the elements that it has chosen.
  bool add_selection() {
    const random_value x = any();
    if (x.type.rank() == 0) return false;
    random_type pooled = x.type;
    std::vector<index_t> sizes, strides;
    std::string padding;
    for (random_dimension& d : pooled.dimensions) {
      const bool single = random_.below(3) == 0;
      const index_t window = single ? 1 : 1 + random_.below(3), stride = single ? 1 : 1 + random_.below(2),
                    low = single ? 0 : random_.below(3), high = single ? 0 : random_.below(3);
      const auto windows = [&](index_t size) -> index_t {
        return low + high + size < window || low + high + size == 0 ? 0 : (low + high + size - window) / stride + 1;
      };
      if (windows(d.bound) == 0 || windows(d.bound) > 12) return false;
      d = {windows(d.bound), windows(d.size), d.bounded,
           single ? d.name
                  : "q" + std::to_string(window) + std::to_string(stride) + std::to_string(low + high) + "(" + d.name +
                        ")"};
      if (!d.bounded) d.name = std::to_string(d.size);
      sizes.push_back(window), strides.push_back(stride);
      padding += (padding.empty() ? "[" : ", [") + std::to_string(low) + ", " + std::to_string(high) + "]";
    }
    const std::string e = "tensor<" + x.type.element + ">";
    const std::string window = "window_dimensions = " + array(sizes) + ", window_strides = " + array(strides) +
                               ", padding = dense<[" + padding + "]> : tensor<" + std::to_string(x.type.rank()) +
                               "x2xi64>";
    const random_value init = constant({x.type.element, {}}, number(x.type));
    const random_value source = write(pooled, [&](bool b) {
      return "\"stablehlo.reduce_window\"(" + x.name + ", " + init.name + ") ({\n  ^bb0(%p: " + e + ", %q: " + e +
             "):\n    %s = stablehlo.add %p, %q : " + e + "\n    stablehlo.return %s : " + e + "\n  }) {" + window +
             "} : " + signature({x.type, init.type}, pooled, b);
    });
    static const char* const directions[] = {"GE", "GT", "LE", "LT"};
    const std::string direction = directions[random_.below(4)], op = random_.below(2) == 0 ? "add" : "subtract";
    return add(x.type, [&](bool b) {
      return "\"stablehlo.select_and_scatter\"(" + x.name + ", " + source.name + ", " + init.name +
             ") ({\n  ^bb0(%p: " + e + ", %q: " + e + "):\n    %s = stablehlo.compare " + direction + ", %p, %q : (" +
             e + ", " + e + ") -> tensor<i1>\n    stablehlo.return %s : tensor<i1>\n  }, {\n  ^bb0(%p: " + e +
             ", %q: " + e + "):\n    %s = stablehlo." + op + " %p, %q : " + e + "\n    stablehlo.return %s : " + e +
             "\n  }) {" + window + "} : " + signature({x.type, source.type, init.type}, x.type, b);
    });
  }

  // The sums of x per feature.
  random_value per_feature(const random_value& x, int feature) {
    const random_value zero = constant({x.type.element, {}}, "0.0");
    std::vector<int> others;
    for (int d = 0; d < x.type.rank(); ++d)
      if (d != feature) others.push_back(d);
    const random_type to{x.type.element, {x.type.dimensions[std::size_t(feature)]}};
    return write(to, [&](bool b) {
      return "stablehlo.reduce(" + x.name + " init: " + zero.name +
             ") applies stablehlo.add across dimensions = " + listed(others) + " : " +
             signature({x.type, zero.type}, to, b);
    });
  }
  // Adds one of the three results of an op over the features of x.
  bool add_one_of_three(const std::string& op, const std::vector<random_value>& operands, const random_type& whole,
                        const random_type& vector, int feature) {
    const std::string name = fresh();
    for (bool b : {false, true}) {
      std::string names, types;
      for (const random_value& each : operands) {
        names += (names.empty() ? "" : ", ") + each.name;
        types += (types.empty() ? "" : ", ") + each.type.text(b);
      }
      body_[b ? 1 : 0] += "  " + name + ":3 = \"stablehlo." + op + "\"(" + names +
                          ") {epsilon = 0.5 : f32, feature_index = " + std::to_string(feature) + " : i64} : (" + types +
                          ") -> (" + whole.text(b) + ", " + vector.text(b) + ", " + vector.text(b) + ")\n";
    }
    const int which = random_.below(3);
    values_.push_back({name + "#" + std::to_string(which), which == 0 ? whole : vector});
    return true;
  }
  // Of arguments, so that no two ways to sum lie far apart.
  bool add_batch_norm() {
    const random_value x = arguments[std::size_t(random_.below(4))];
    const int feature = random_.below(x.type.rank());
    const random_value scale = per_feature(x, feature);
    return add_one_of_three("batch_norm_training", {x, scale, scale}, x.type, scale.type, feature);
  }
  bool add_batch_norm_grad() {
    const random_value x = arguments[std::size_t(random_.below(4))];
    const int feature = random_.below(x.type.rank());
    const random_value scale = per_feature(x, feature);
    const random_value variance = write(scale.type, [&](bool b) {
      return "stablehlo.multiply " + scale.name + ", " + scale.name + " : " + scale.type.text(b);
    });
    const random_value grad =
        write(x.type, [&](bool b) { return "stablehlo.subtract " + x.name + ", " + x.name + " : " + x.type.text(b); });
    const random_value cosine =
        write(x.type, [&](bool b) { return "stablehlo.cosine " + grad.name + " : " + x.type.text(b); });
    const random_value product =
        write(x.type, [&](bool b) { return "stablehlo.add " + x.name + ", " + cosine.name + " : " + x.type.text(b); });
    return add_one_of_three("batch_norm_grad", {x, scale, scale, variance, product}, x.type, scale.type, feature);
  }

  // Along the last dimension, where that has one size.
  bool add_transform() {
    const random_value x = any();
    if (x.type.element != "f32" || x.type.rank() == 0) return false;
    random_type to{"complex<f32>", x.type.dimensions};
    random_dimension& last = to.dimensions.back();
    if (last.bounded || last.size == 0) return false;
    const index_t length = last.size;
    last = fixed(length / 2 + 1);
    const random_value spectrum = write(to, [&](bool b) {
      return "stablehlo.fft " + x.name + ", type = RFFT, length = [" + std::to_string(length) +
             "] : " + signature({x.type}, to, b);
    });
    return add(to.of("f32"),
               [&](bool b) { return "stablehlo.real " + spectrum.name + " : " + signature({to}, to.of("f32"), b); });
  }

  // A process by itself passes on what it has.
  bool add_collective() {
    const random_value x = any();
    if (x.type.rank() == 0) return false;
    const std::string along = std::to_string(random_.below(x.type.rank()));
    const std::string group = "replica_groups = dense<0> : tensor<1x1xi64>";
    const std::string e = "tensor<" + x.type.element + ">";
    const std::string body = "({\n  ^bb0(%p: " + e + ", %q: " + e + "):\n    %s = stablehlo.add %p, %q : " + e +
                             "\n    stablehlo.return %s : " + e + "\n  }) ";
    std::string op, attributes = group;
    bool reduces = false;
    switch (random_.below(7)) {
      case 0:
        op = "all_reduce", reduces = true;
        break;
      case 1:
        op = "reduce_scatter", reduces = true, attributes += ", scatter_dimension = " + along + " : i64";
        break;
      case 2:
        op = "all_gather", attributes += ", all_gather_dim = " + along + " : i64";
        break;
      case 3:
        op = "all_to_all";
        attributes += ", split_dimension = " + along + " : i64, concat_dimension = 0 : i64, split_count = 1 : i64";
        break;
      case 4:
        op = "collective_broadcast";
        break;
      case 5:
        op = "collective_permute", attributes = "source_target_pairs = dense<0> : tensor<1x2xi64>";
        break;
      default:
        op = "cross-replica-sum";
    }
    return add(x.type, [&](bool b) {
      return "\"stablehlo." + op + "\"(" + x.name + ") " + (reduces ? body : "") + "{" + attributes +
             "} : " + signature({x.type}, x.type, b);
    });
  }
};

}  // namespace tenon::test
