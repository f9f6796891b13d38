// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/c99/number_loops.hpp>

namespace tenon::c99 {

// Writes the loops of an op that is a step by itself.
class op_writer : number_loops {
 public:
  op_writer(c_function& to, const planning::plan_step& of) : number_loops(to, of) {}

  using number_loops::operator();

  void write() {
    if (!s.has_types()) return;
    if (ir::visit_op(s.node.kind, f.g.words.data + s.node.words, *this)) return;
    f.refuse(s.node, "has no form in C; write it in other ops, or use tenon build");
  }

  // Movements: all results elements of operand 0, but for those that come from others.
  bool operator()(const ops::pad&) { return s.move_elements(1) && s.move_elements(0); }
  bool operator()(const ops::concatenate&) {
    for (int i = 0; i < s.node.operand_count; ++i)
      if (!s.move_elements(i)) return false;
    return true;
  }
  bool operator()(const ops::iota& op) {
    int blocks = 0;
    const ints& shape = s.result_type().shape;
    const std::vector<std::string> names = s.loops(shape, blocks);
    const linear at(names[std::size_t(op.iota_dimension)]);
    const std::string number = f.let("int64_t", at.text());
    f.store(s.result_type().element, s.result_pointer(), op_step::dense(shape, names),
            element_writer::converted(f, number, dtype::i64, s.result_type().element));
    f.close(blocks);
    return true;
  }
  bool operator()(const ops::bitcast_convert&) {
    if (num_bits(s.element(0)) < 8 || num_bits(s.result_type().element) < 8) return false;
    copy(s.result_pointer(), s.pointer(0), byte_size(s.result_type()));
    return true;
  }
  bool operator()(const ops::dynamic_update_slice&) {
    const ints &shape = s.result_type().shape, &update = s.operand_type(1).shape;
    copy_operand(0, 0);
    linear start;
    for (int d = 0; d < shape.size; ++d)
      if (shape[d] != update[d])
        start.add(linear(f.let("int64_t", clamped(s.load_index(2 + d, 0), shape[d] - update[d]))),
                  strides_of(shape)[d]);
    int blocks = 0;
    const std::vector<std::string> names = s.loops(update, blocks);
    linear to = start;
    for (int d = 0; d < update.size; ++d) to.add(linear(names[std::size_t(d)]), strides_of(shape)[d]);
    f.store(s.element(1), s.result_pointer(), to, s.load(1, op_step::dense(update, names)));
    f.close(blocks);
    return true;
  }

  // Sums of products.
  bool operator()(const ops::dot_general&) { return sum_products(); }
  bool operator()(const ops::dot&) { return sum_products(); }
  bool operator()(const ops::convolution&) { return sum_products(); }

  bool operator()(const ops::reduce&) { return fold(false); }
  bool operator()(const ops::reduce_window&) { return fold(true); }

  bool operator()(const ops::map&) {
    region_writer body(f, region(0));
    if (!body.is_scalar()) return refuse_body();
    int blocks = 0;
    const ints& shape = s.result_type().shape;
    const std::vector<std::string> names = s.loops(shape, blocks);
    std::vector<std::string> arguments;
    for (int i = 0; i < s.node.operand_count; ++i)
      arguments.push_back(f.let(value_type(s.element(i)), s.load(i, op_step::dense(shape, names))));
    f.store(s.result_type().element, s.result_pointer(), op_step::dense(shape, names), body.write(arguments)[0]);
    f.close(blocks);
    return true;
  }

  bool operator()(const ops::scatter& op) {
    const int n = s.node.result_count;
    region_writer body(f, region(0));
    if (!body.is_scalar()) return refuse_body();
    const ints &shape = s.result_type().shape, &updates = s.operand_type(n + 1).shape;
    const ops::window_numbers windows = op.scatter_dimension_numbers.windows();
    const ints window = ops::window_shape(windows, shape.size, updates);
    const ints steps = ops::window_strides(windows, shape.size, updates);
    const ints &indices = s.operand_type(n).shape, vectors = indices.without({windows.index_vector_dim});
    const ints vector_steps = strides_of(indices).without({windows.index_vector_dim});
    const ints window_steps = strides_of(updates).without(windows.window_dims);
    const index_t component =
        windows.index_vector_dim < indices.size ? strides_of(indices)[int(windows.index_vector_dim)] : 0;
    for (int i = 0; i < n; ++i) copy_operand(i, i);
    int blocks = 0;
    f.open(""), ++blocks;
    const std::vector<std::string> vector = s.loops(vectors, blocks);
    linear first, from;
    for (int d = 0; d < vectors.size; ++d) {
      first.add(linear(vector[std::size_t(d)]), vector_steps[d]);
      from.add(linear(vector[std::size_t(d)]), window_steps[d]);
    }
    std::vector<linear> at(std::size_t(shape.size), linear(0));
    std::vector<bool> may_be_outside(std::size_t(shape.size), false);
    for (int k = 0; k < windows.index_map.size; ++k) {
      linear index = first;
      index.add(linear(k * component));
      const auto d = std::size_t(windows.index_map[k]);
      at[d] = linear(f.let("int64_t", s.load_index(n, index)));
      may_be_outside[d] = true;
    }
    for (int k = 0; k < windows.operand_batching_dims.size; ++k) {
      const index_t axis = windows.indices_batching_dims[k];
      at[std::size_t(windows.operand_batching_dims[k])] =
          linear(vector[std::size_t(axis - (axis < windows.index_vector_dim ? 0 : 1))]);
    }
    // No sum of an index and an offset in the window may overflow.
    const std::vector<std::string> place = s.loops(window, blocks);
    std::string inside;
    linear to;
    for (int d = 0; d < shape.size; ++d) {
      const auto i = std::size_t(d);
      const linear moved(place[i]);
      if (may_be_outside[i])
        inside += (inside.empty() ? "" : " && ") + at[i].text() + " >= -" + moved.text() + " && " + at[i].text() +
                  " < " + std::to_string(shape[d]) + (place[i].empty() ? "" : " - " + place[i]);
      at[i].add(moved);
      to.add(at[i], strides_of(shape)[d]);
      from.add(moved, steps[d]);
    }
    if (!inside.empty()) f.open("if (" + inside + ")"), ++blocks;
    const std::string where = f.let("int64_t", to.text());
    std::vector<std::string> arguments;
    for (int i = 0; i < n; ++i)
      arguments.push_back(loaded(s.result_type(i).element, s.result_pointer(i), linear(where), argument_of(0, i)));
    for (int i = 0; i < n; ++i) {
      const dtype element = s.element(n + 1 + i);
      const std::string update = f.let(value_type(element), s.load(n + 1 + i, from));
      arguments.push_back(as_argument(update, element, argument_of(0, n + i)));
    }
    const std::vector<std::string> after = body.write(arguments);
    for (int i = 0; i < n; ++i)
      f.store(s.result_type(i).element, s.result_pointer(i), linear(where),
              element_writer::converted(f, after[std::size_t(i)], result_of(0, i), s.result_type(i).element));
    f.close(blocks);
    return true;
  }

  bool operator()(const ops::select_and_scatter& op) {
    region_writer select(f, region(0)), scatter(f, region(1));
    if (!select.is_scalar() || !scatter.is_scalar()) return refuse_body();
    const ints &shape = s.operand_type(0).shape, strides = strides_of(shape), &source = s.operand_type(1).shape;
    const dtype element = s.element(0), result = s.result_type().element;
    int blocks = 0;
    std::vector<std::string> names = s.loops(shape, blocks);
    const std::string start = f.let(value_type(element), s.load(2, 0));
    f.store(result, s.result_pointer(), op_step::dense(shape, names),
            element_writer::converted(f, start, element, result));
    f.close(blocks), blocks = 0;
    names = s.loops(source, blocks);
    f.open(""), ++blocks;
    const std::string selected = f.variable("int64_t", "-1"), best = f.variable(value_type(element), zero(element));
    int inner = 0;
    const std::vector<std::string> place = s.loops(op.window_dimensions, inner);
    std::string inside;
    linear at;
    for (int d = 0; d < shape.size; ++d) {
      const ops::window_axis axis = op.window().axis(shape, d);
      linear index(-axis.low);
      index.add(linear(names[std::size_t(d)]), axis.stride),
          index.add(linear(place[std::size_t(d)]), axis.window_dilation);
      inside += (d > 0 ? " && " : "") + index.text() + " >= 0 && " + index.text() + " < " + std::to_string(shape[d]);
      at.add(index, strides[d]);
    }
    f.open("if (" + (inside.empty() ? "true" : inside) + ")"), ++inner;
    const std::string candidate = f.let(value_type(element), s.load(0, at));
    const std::string keeps = select.write({best, candidate})[0];
    f.open("if (" + selected + " < 0 || !(" + keeps + "))");
    f.line(selected + " = " + at.text() + ";");
    f.line(best + " = " + candidate + ";");
    f.close(1 + inner);
    f.open("if (" + selected + " >= 0)"), ++blocks;
    const std::string before = loaded(result, s.result_pointer(), linear(selected), argument_of(1, 0));
    const std::string more = f.let(value_type(s.element(1)), s.load(1, op_step::dense(source, names)));
    const std::string after = scatter.write({before, as_argument(more, s.element(1), argument_of(1, 1))})[0];
    f.store(result, s.result_pointer(), linear(selected), element_writer::converted(f, after, result_of(1, 0), result));
    f.close(blocks);
    return true;
  }

  // Merges ever longer runs, so that equal elements keep their order.
  bool operator()(const ops::sort& op) {
    region_writer body(f, region(0));
    if (!body.is_scalar()) return refuse_body();
    const ints& shape = s.operand_type(0).shape;
    if (shape.product() == 0) return true;
    const int axis = op.axis(shape.size);
    const std::string size = std::to_string(shape[axis]), step = std::to_string(strides_of(shape)[axis]);
    int blocks = 0;
    f.open(""), ++blocks;
    const std::string from = f.fresh("m_"), to = f.fresh("m_");
    f.line("int64_t *" + from + " = " + f.extra("int64_t", 8 * shape[axis]) + ", *" + to + " = " +
           f.extra("int64_t", 8 * shape[axis]) + ";");
    std::vector<std::string> names;
    for (int d = 0; d < shape.size; ++d) names.push_back(d == axis ? "" : f.loop(shape[d], blocks));
    const linear row = op_step::dense(shape, names);
    const std::string k = f.fresh("i_"), width = f.fresh("n_"), low = f.fresh("n_"), middle = f.fresh("n_"),
                      high = f.fresh("n_"), a = f.fresh("n_"), b = f.fresh("n_"), takes = f.fresh("b_");
    f.line("for (int64_t " + k + " = 0; " + k + " < " + size + "; ++" + k + ") " + from + "[" + k + "] = " + k + ";");
    f.open("for (int64_t " + width + " = 1; " + width + " < " + size + "; " + width + " *= 2)");
    f.open("for (int64_t " + low + " = 0; " + low + " < " + size + "; " + low + " += 2 * " + width + ")");
    for (const auto& [name, factor] : {std::pair(middle, ""), std::pair(high, "2 * ")})
      f.line("const int64_t " + name + " = " + low + " + " + factor + width + " < " + size + " ? " + low + " + " +
             factor + width + " : " + size + ";");
    f.line("int64_t " + a + " = " + low + ", " + b + " = " + middle + ";");
    f.open("for (int64_t " + k + " = " + low + "; " + k + " < " + high + "; ++" + k + ")");
    f.line("bool " + takes + " = " + a + " >= " + middle + ";");
    f.open("if (!" + takes + " && " + b + " < " + high + ")");
    std::vector<std::string> arguments;
    for (int i = 0; i < 2 * s.node.operand_count; ++i) {
      linear at = row;
      at.add(linear(from + "[" + (i % 2 == 0 ? b : a) + "]"), strides_of(shape)[axis]);
      arguments.push_back(f.let(value_type(s.element(i / 2)), s.load(i / 2, at)));
    }
    f.line(takes + " = " + body.write(arguments)[0] + ";");
    f.close();
    f.line(to + "[" + k + "] = " + from + "[" + takes + " ? " + b + "++ : " + a + "++];");
    f.close(2);
    f.line("int64_t *const m_swapped = " + from + ";");
    f.line(from + " = " + to + ", " + to + " = m_swapped;");
    f.close();
    f.open("for (int64_t " + k + " = 0; " + k + " < " + size + "; ++" + k + ")");
    for (int i = 0; i < s.node.operand_count; ++i) {
      linear read = row, written = row;
      read.add(linear(from + "[" + k + "]"), strides_of(shape)[axis]);
      written.add(linear(k), strides_of(shape)[axis]);
      f.store(s.element(i), s.result_pointer(i), written, s.load(i, read));
    }
    f.close(1 + blocks);
    return true;
  }

  bool operator()(const ops::top_k& op) {
    const ints& shape = s.operand_type(0).shape;
    const index_t count = shape[shape.size - 1];
    if (op.k == 0 || shape.product() == 0) return true;
    int blocks = 0;
    const std::string row = f.loop(shape.product() / count, blocks), i = f.fresh("i_"), to = f.fresh("n_");
    const std::string k = std::to_string(op.k);
    f.open("for (int64_t " + i + " = 0; " + i + " < " + std::to_string(count) + "; ++" + i + ")"), ++blocks;
    linear read(i), first;
    read.add(linear(row), count), first.add(linear(row), op.k);
    const auto at = [&](const std::string& index) {
      linear place = first;
      place.add(linear(index));
      return place;
    };
    const dtype element = s.element(0);
    const std::string x = f.let(value_type(element), s.load(0, read));
    const auto order = [&](const std::string& of) {
      return is_float(element) ? f.helpers.call("order_" + suffix_of(element)) + "(" + of + ")" : of;
    };
    f.line("int64_t " + to + " = " + i + " < " + k + " ? " + i + " : " + k + ";");
    const std::string before = f.load(element, s.result_pointer(0), at(to + " - 1"));
    f.open("for (; " + to + " > 0 && " + order(x) + " > " + order(before) + "; --" + to + ")");
    f.open("if (" + to + " < " + k + ")");
    for (int r = 0; r < 2; ++r)
      f.line(s.result_pointer(r) + "[" + at(to).text() + "] = " + s.result_pointer(r) + "[" + at(to + " - 1").text() +
             "];");
    f.close(2);
    f.open("if (" + to + " < " + k + ")"), ++blocks;
    f.store(element, s.result_pointer(0), at(to), x);
    f.line(s.result_pointer(1) + "[" + at(to).text() + "] = (int32_t)" + i + ";");
    f.close(blocks);
    return true;
  }

  // Ops that read their elements through maps, or element by element.
  bool otherwise() {
    const ir::op_facts& facts = ir::facts_of(s.node.kind);
    if (facts.elementwise) {
      int blocks = 0;
      const ints& shape = s.result_type().shape;
      const std::vector<std::string> names = s.loops(shape, blocks);
      if (blocks == 0) f.open(""), ++blocks;
      std::vector<std::string> operands;
      for (int i = 0; i < s.node.operand_count; ++i) {
        const bool is_number = s.operand_type(i).rank() == 0;
        operands.push_back(
            f.let(value_type(s.element(i)), s.load(i, is_number ? linear(0) : op_step::dense(shape, names))));
      }
      f.store(s.result_type().element, s.result_pointer(), op_step::dense(shape, names),
              element_writer(f, s.node, operands).write());
      f.close(blocks);
      return true;
    }
    return (facts.moves || facts.gathers) && s.node.result_count == 1 && s.move_elements(0);
  }

 private:
  // The type of a sum of products, as kernels have it; integers wrap around in unsigned types.
  static dtype sum_type(dtype element, dtype result) {
    if (is_complex(element)) return element == dtype::complex_f64 ? element : result;
    if (is_boolean(element)) return element;
    if (is_float(element)) return element == dtype::f64 || result == dtype::f64 ? dtype::f64 : dtype::f32;
    const bool is_wide = num_bits(element) == 64 || num_bits(result) == 64;
    if (is_signed_integer(element)) return is_wide ? dtype::i64 : dtype::i32;
    return is_wide ? dtype::ui64 : dtype::ui32;
  }
  bool sum_products() {
    const dtype result = s.result_type().element, in = sum_type(s.element(0), result);
    op_step::fold how;
    how.operands = {0, 1};
    how.accumulators = {in};
    how.starts = {is_complex(in) ? f.helpers.call("complex_of_" + suffix_of(in)) + "(0, 0)" : "0"};
    how.take = [this, in](const auto& sums, const auto& elements) -> std::vector<std::string> {
      std::string factors[2];
      for (int i : {0, 1}) {
        factors[i] = elements[std::size_t(i)];
        if (s.element(i) != in)
          factors[i] = f.let(value_type(in), element_writer::converted(f, factors[i], s.element(i), in));
      }
      const std::string product = element_writer::product(f, in, factors[0], factors[1]);
      return {element_writer::sum(f, in, sums[0], is_float(in) ? product : f.let(value_type(in), product))};
    };
    how.finish = [this, in, result](int, const std::string& sum) {
      return in == result ? sum : element_writer::converted(f, sum, in, result);
    };
    return s.fold_elements(how);
  }

  bool fold(bool is_window) {
    const int n = s.node.operand_count / 2;
    const int id = region(0);
    if (!region_writer(f, id).is_scalar()) return refuse_body();
    op_step::fold how;
    f.open("");
    for (int i = 0; i < n; ++i) {
      const dtype from = s.element(i), in = argument_of(0, i);
      how.operands.push_back(i);
      how.accumulators.push_back(in);
      const std::string start = f.let(value_type(s.element(n + i)), s.load(n + i, 0));
      how.starts.push_back(as_argument(start, s.element(n + i), in));
      if (is_window) how.padding.push_back(as_argument(start, s.element(n + i), from));
    }
    how.take = [this, id, n](const auto& totals, const auto& elements) {
      std::vector<std::string> arguments = totals;
      for (int i = 0; i < n; ++i)
        arguments.push_back(as_argument(elements[std::size_t(i)], s.element(i), argument_of(0, n + i)));
      return region_writer(f, id).write(arguments);
    };
    how.finish = [this](int i, const std::string& total) {
      return element_writer::converted(f, total, argument_of(0, i), s.result_type(i).element);
    };
    const bool done = s.fold_elements(how);
    f.close();
    return done;
  }
};

}  // namespace tenon::c99
