// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/c99/op_steps.hpp>

namespace tenon::c99 {

// Shared by the loops of ops.
class op_loops {
 protected:
  c_function& f;
  op_step s;

  op_loops(c_function& to, const planning::plan_step& of) : f(to), s(to, of) {}

  int region(int i) const { return f.g.regions_of(s.node)[i]; }
  bool refuse_body() {
    return f.refuse(s.node,
                    "has a body that is no function of single elements, which has no form in C; use tenon build") ||
           true;
  }
  dtype argument_of(int body, int i) const { return f.element_of(f.g.regions.data[region(body)].arguments + i); }
  dtype result_of(int body, int i) const { return f.element_of(f.g.yields_of(f.g.regions.data[region(body)])[i]); }
  static dtype accumulator(dtype element) { return is_narrow_float(element) ? dtype::f32 : element; }
  void for_loop(const std::string& name, const std::string& first, const std::string& last) {
    f.open("for (int64_t " + name + " = " + first + "; " + name + " < " + last + "; ++" + name + ")");
  }
  static std::string zero(dtype of, bool in_expression = false) {
    if (!is_complex(of)) return "0";
    return (in_expression ? "(" + stored_type(of) + ")" : "") + std::string("{0, 0}");
  }
  std::string conjugated(const std::string& x, dtype in) {
    if (!is_complex(in)) return x;
    return f.helpers.call("complex_of_" + suffix_of(in)) + "(" + x + ".real, -" + x + ".imag)";
  }
  std::string clamped(const std::string& index, index_t high) {
    return f.helpers.call("clamp_index") + "(" + index + ", 0, " + std::to_string(high) + ")";
  }
  // A value in the type of an argument of a body.
  std::string as_argument(const std::string& x, dtype from, dtype to) {
    return from == to ? x : f.let(value_type(to), element_writer::converted(f, x, from, to));
  }
  std::string loaded(dtype element, const std::string& pointer, const linear& at, dtype as) {
    return as_argument(f.let(value_type(element), f.load(element, pointer, at)), element, as);
  }
  void copy(const std::string& to, const std::string& from, index_t bytes) {
    if (to != from && bytes > 0) f.line("memmove(" + to + ", " + from + ", " + std::to_string(bytes) + ");");
  }
  // Where the result does not lie there already.
  void copy_operand(int i, int r) {
    const planning::place &from = f.p.places.data[s.operand_value(i)], &to = f.p.places.data[s.result_value(r)];
    if (from.base == to.base && from.offset == to.offset) return;
    if (s.element(i) == s.result_type(r).element && !f.is_number(s.operand_value(i))) {
      copy(s.result_pointer(r), s.pointer(i), byte_size(s.result_type(r)));
      return;
    }
    int blocks = 0;
    const std::string at = f.loop(s.result_type(r).size(), blocks);
    const std::string x = f.let(value_type(s.element(i)), s.load(i, linear(at)));
    f.store(s.result_type(r).element, s.result_pointer(r), linear(at),
            element_writer::converted(f, x, s.element(i), s.result_type(r).element));
    f.close(blocks);
  }
};

// Ops whose loops follow from no map: random bits, factors of matrices, systems, transforms.
class number_loops : protected op_loops {
 public:
  using op_loops::op_loops;

  bool operator()(const ops::rng_bit_generator& op) {
    const dtype element = s.result_type(1).element;
    const index_t count = s.result_type(1).size();
    const bool is_wide = num_bits(element) == 64;
    if (!is_integer(element) || num_bits(element) < 8) return false;
    f.open("");
    const std::string state = f.fresh("s_"), words = f.fresh("w_"), i = f.fresh("i_"), k = f.fresh("i_");
    const std::string second = s.operand_type(0).dim(0) > 2 ? s.pointer(0) + "[2]" : s.pointer(0) + "[0]";
    f.line("uint64_t " + state + "[3] = {" + s.pointer(0) + "[0], " + s.pointer(0) + "[1], " + second + "};");
    f.line("uint32_t " + words + "[4];");
    const auto word = [&](const std::string& at) {
      const std::string low = words + "[" + at + "]";
      if (!is_wide) return "(" + stored_type(element) + ")" + low;
      return "(" + stored_type(element) + ")(" + words + "[2 * " + at + "] | (uint64_t)" + words + "[2 * " + at +
             " + 1] << 32)";
    };
    if (op.is_philox()) {
      const std::string block = is_wide ? "2" : "4";
      f.open("for (int64_t " + i + " = 0; " + i + " < " + std::to_string(count) + "; " + i + " += " + block + ")");
      f.line(f.helpers.call("philox") + "(" + state + "[0], " + state + "[1], " + state + "[2], " + words + ");");
      f.line("if (++" + state + "[1] == 0u) ++" + state + "[2];");
      f.open("for (int64_t " + k + " = 0; " + k + " < " + block + " && " + i + " + " + k + " < " +
             std::to_string(count) + "; ++" + k + ")");
      f.line(s.result_pointer(1) + "[" + i + " + " + k + "] = " + word(k) + ";");
      f.close(2);
    } else if (is_wide) {
      f.open("for (int64_t " + i + " = 0; " + i + " < " + std::to_string(count) + "; ++" + i + ")");
      f.line(f.helpers.call("threefry") + "(" + state + "[0], " + state + "[1]++, " + words + ");");
      f.line(s.result_pointer(1) + "[" + i + "] = " + word("0") + ";");
      f.close();
    } else {
      // The first dimension of even size is cut in two, else the first of the largest.
      const ints& shape = s.result_type(1).shape;
      int cut = 0;
      for (int d = shape.size - 1; d >= 0; --d)
        if (shape[d] >= shape[cut]) cut = d;
      for (int d = shape.size - 1; d >= 0; --d)
        if (shape[d] % 2 == 0) cut = d;
      const index_t size = shape.size > 0 ? shape[cut] : 1, inner = shape.size > 0 ? strides_of(shape)[cut] : 1;
      const std::string outer = f.fresh("i_"), m = f.fresh("i_"), row = std::to_string(inner);
      f.open("for (int64_t " + outer + " = 0; " + outer + " < " +
             std::to_string(count == 0 ? 0 : count / size / inner) + "; ++" + outer + ")");
      f.open("for (int64_t " + k + " = 0; " + k + " < " + std::to_string(size) + "; " + k + " += 2)");
      f.open("for (int64_t " + m + " = 0; " + m + " < " + row + "; ++" + m + ")");
      f.line(f.helpers.call("threefry") + "(" + state + "[0], " + state + "[1]++, " + words + ");");
      const std::string at = "(" + outer + " * " + std::to_string(size) + " + " + k + ") * " + row + " + " + m;
      f.line(s.result_pointer(1) + "[" + at + "] = " + word("0") + ";");
      f.line("if (" + k + " + 1 < " + std::to_string(size) + ") " + s.result_pointer(1) + "[" + at + " + " + row +
             "] = " + word("1") + ";");
      f.close(3);
    }
    for (index_t d = 0; d < s.operand_type(0).dim(0); ++d)
      f.line(s.result_pointer(0) + "[" + std::to_string(d) + "] = " + state + "[" + std::to_string(d) + "];");
    f.close();
    return true;
  }

  // Row by row: a = l * adjoint(l); the upper factor is adjoint(l).
  bool operator()(const ops::cholesky& op) {
    const ints& shape = s.result_type().shape;
    const index_t n = shape[shape.size - 1];
    const dtype element = s.element(0), in = accumulator(element);
    if (shape.product() == 0) return true;
    int blocks = 0;
    f.open(""), ++blocks;
    const std::string l = f.fresh("l_"), i = f.fresh("i_"), j = f.fresh("i_"), k = f.fresh("i_");
    f.line(value_type(in) + " *const " + l + " = " + f.extra(value_type(in), n * n * storage_bytes(in)) + ";");
    const std::string matrix = f.loop(shape.product() / (n * n), blocks), size = std::to_string(n);
    const auto entry = [&](const std::string& row, const std::string& column) {
      return l + "[" + row + " * " + size + " + " + column + "]";
    };
    const auto at = [&](const std::string& row, const std::string& column) {
      linear place;
      place.add(linear(matrix), n * n);
      place.add(linear(op.lower ? row : column), n), place.add(linear(op.lower ? column : row));
      return place;
    };
    for_loop(i, "0", size);
    for_loop(j, "0", i + " + 1");
    const std::string given = f.let(value_type(in), s.load(0, at(i, j)));
    const std::string sum = f.variable(value_type(in), op.lower ? given : conjugated(given, in));
    for_loop(k, "0", j);
    const std::string other = f.let(value_type(in), conjugated(entry(j, k), in));
    f.line(sum + " = " +
           element_writer::difference(f, in, sum, "(" + element_writer::product(f, in, entry(i, k), other) + ")") +
           ";");
    f.close();
    const std::string part = is_complex(in) ? sum + ".real" : sum,
                      root = (real_type(in) == dtype::f64 || in == dtype::f64 ? "sqrt(" : "sqrtf(") + part + ")";
    f.open("if (" + i + " == " + j + ")");
    f.line(entry(i, j) + " = " +
           (is_complex(in) ? f.helpers.call("complex_of_" + suffix_of(in)) + "(" + root + ", 0)" : root) + ";");
    f.close();
    f.open("else");
    f.line(entry(i, j) + " = " + element_writer::quotient(f, in, sum, entry(j, j)) + ";");
    f.close(3);
    for_loop(i, "0", size);
    for_loop(j, "0", size);
    const std::string below = f.let(value_type(in), j + " <= " + i + " ? " + entry(i, j) + " : " + zero(in, true));
    f.store(element, s.result_pointer(), at(i, j), op.lower ? below : conjugated(below, in));
    f.close(2 + blocks);
    return true;
  }

  bool operator()(const ops::triangular_solve& op) {
    const ints &shape = s.operand_type(0).shape, &right = s.operand_type(1).shape;
    const auto layout = op.layout_of(shape, right);
    const index_t n = layout.n;
    const dtype element = s.element(0), in = accumulator(element);
    if (shape.product() == 0 || right.product() == 0) return true;
    int blocks = 0;
    f.open(""), ++blocks;
    const std::string x = f.fresh("x_"), k = f.fresh("i_"), count = f.fresh("i_"), i = f.fresh("i_");
    f.line(value_type(in) + " *const " + x + " = " + f.extra(value_type(in), n * storage_bytes(in)) + ";");
    const std::string matrix = f.loop(shape.product() / (n * n), blocks), system = f.loop(layout.systems, blocks);
    const auto entry = [&](const std::string& row, const std::string& column) {
      linear at;
      at.add(linear(matrix), n * n), at.add(linear(row), layout.row), at.add(linear(column), layout.column);
      const std::string value = s.load(0, at);
      return layout.adjoint ? conjugated(value, in) : value;
    };
    linear place;
    place.add(linear(matrix), n * layout.systems), place.add(linear(system), layout.next_system);
    place.add(linear(i), layout.next);
    for_loop(count, "0", std::to_string(n));
    f.line("const int64_t " + i + " = " + (layout.forward ? count : std::to_string(n - 1) + " - " + count) + ";");
    const std::string sum = f.variable(value_type(in), s.load(1, place));
    for_loop(k, layout.forward ? "0" : i + " + 1", layout.forward ? i : std::to_string(n));
    const std::string product = f.let(value_type(in), element_writer::product(f, in, entry(i, k), x + "[" + k + "]"));
    f.line(sum + " = " + element_writer::difference(f, in, sum, product) + ";");
    f.close();
    f.line(x + "[" + i + "] = " + (op.unit_diagonal ? sum : element_writer::quotient(f, in, sum, entry(i, i))) + ";");
    f.store(element, s.result_pointer(), place, x + "[" + i + "]");
    f.close(1 + blocks);
    return true;
  }

  // Line after line along each axis, in doubles.
  bool operator()(const ops::fft& op) {
    const ints &from = s.operand_type(0).shape, &to = s.result_type().shape;
    const int rank = to.size, axes = op.fft_length.size, last = axes - 1;
    ints whole = from;  // with all frequencies
    for (int d = 0; d < axes; ++d) whole.at[rank - axes + d] = op.fft_length[d];
    index_t longest = 1;
    for (const index_t n : op.fft_length) longest = std::max(longest, n);
    if (to.product() == 0) return true;
    int blocks = 0;
    f.open(""), ++blocks;
    const std::string all = f.fresh("z_"), roots = f.fresh("z_"), line = f.fresh("z_"), work = f.fresh("z_");
    f.line("double *const " + all + " = " + f.extra("double", 16 * whole.product()) + ";");
    for (const std::string& each : {roots, line, work})
      f.line("double *const " + each + " = " + f.extra("double", 16 * longest) + ";");
    std::vector<std::string> names = s.loops(whole, blocks);
    // The half of the frequencies that is not stored mirrors the other.
    const index_t stored = from[rank - 1];
    std::string at = op_step::dense(from, names).text(), sign = is_complex(s.element(0)) ? "" : "0.0";
    const std::string to_pair = f.let("int64_t", "2 * (" + op_step::dense(whole, names).text() + ")");
    if (stored < whole[rank - 1]) {
      linear mirrored;
      for (int d = 0; d < rank; ++d) {
        const std::string& name = names[std::size_t(d)];
        const std::string size = std::to_string(whole[d]);
        mirrored.add(
            d < rank - axes || name.empty() ? linear(name) : linear("((" + size + " - " + name + ") % " + size + ")"),
            strides_of(from)[d]);
      }
      const std::string is_mirrored = f.let("bool", names.back() + " >= " + std::to_string(stored));
      at = f.let("int64_t", is_mirrored + " ? " + mirrored.text() + " : " + at);
      sign = is_mirrored + " ? -1.0 : 1.0";
    }
    const std::string x = f.let(stored_type(s.element(0)), s.load(0, linear(at)));
    f.line(all + "[" + to_pair + "] = (double)" + x + (is_complex(s.element(0)) ? ".real" : "") + ";");
    f.line(all + "[" + to_pair + " + 1] = " +
           (!is_complex(s.element(0)) ? "0.0" : (sign.empty() ? "" : "(" + sign + ") * ") + "(double)" + x + ".imag") +
           ";");
    f.close(blocks - 1), blocks = 1;
    for (int d = 0; d <= last; ++d) {
      const int axis = rank - axes + d;
      const index_t n = whole[axis], step = strides_of(whole)[axis];
      const std::string size = std::to_string(n), k = f.fresh("i_"), row = f.fresh("t_");
      for_loop(k, "0", size);
      f.line(roots + "[2 * " + k + "] = cos(6.283185307179586 / " + size + " * (double)" + k + ");");
      f.line(roots + "[2 * " + k + " + 1] = " + (op.is_inverse() ? "" : "-") + "sin(6.283185307179586 / " + size +
             " * (double)" + k + ");");
      f.close();
      int opened = 0;
      const std::string outer = f.loop(whole.product() / (n * step), opened), inner = f.loop(step, opened);
      linear first;
      first.add(linear(outer), 2 * n * step), first.add(linear(inner), 2);
      f.open(""), ++opened;
      f.line("double *const " + row + " = " + all + " + " + first.text() + ";");
      f.line(f.helpers.call("fourier") + "(" + row + ", " + std::to_string(step) + ", " + line + ", " + work + ", " +
             size + ", " + roots + ", 1);");
      for_loop(k, "0", size);
      for (const char* part : {"", " + 1"})
        f.line(row + "[" + std::to_string(2 * step) + " * " + k + part + "] = " + line + "[2 * " + k + part + "]" +
               (op.is_inverse() ? " / " + size : "") + ";");
      f.close(1 + opened);
    }
    names = s.loops(to, blocks);
    const std::string pair = f.let("int64_t", "2 * (" + op_step::dense(whole, names).text() + ")");
    const dtype part =
        is_complex(s.result_type().element) ? real_type(s.result_type().element) : s.result_type().element;
    std::string result = "(" + value_type(part) + ")" + all + "[" + pair + "]";
    if (is_complex(s.result_type().element))
      result = f.helpers.call("complex_of_" + suffix_of(s.result_type().element)) + "(" + result + ", (" +
               value_type(part) + ")" + all + "[" + pair + " + 1])";
    f.store(s.result_type().element, s.result_pointer(), op_step::dense(to, names), result);
    f.close(blocks);
    return true;
  }
};

}  // namespace tenon::c99
