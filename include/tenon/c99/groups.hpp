// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/c99/elements.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/plan/access.hpp>

#include <map>

namespace tenon::c99 {

// The loops of a group: its elements in row-major order, cut into dimensions along which accesses have strides.
class loop_space {
 public:
  loop_space(index_t count, index_t row) : count_(count), row_(row), common_(count) { common_.add(row); }

  // Lets dimensions begin where those of an access do, if all have common dimensions then. `unit`: elements of a step.
  void cut(const planning::strided_access& access, index_t unit) {
    planning::common_walk tried = common_, closed = common_;
    if (!tried.cut(access, unit)) return;
    closed = tried;
    if (closed.close()) common_ = tried;
  }
  void close() {
    common_.close();
    for (index_t unit = count_; const index_t size : common_.sizes()) {
      unit = size > 0 ? unit / size : 0;
      sizes_.push_back(size), units_.push_back(unit);
    }
    names_.resize(sizes_.size());
  }

  std::size_t size() const { return sizes_.size(); }
  bool is_of_rows(std::size_t d) const { return units_[d] >= row_; }
  index_t size_of(std::size_t d) const { return sizes_[d]; }
  std::string& name(std::size_t d) { return names_[d]; }

  // The number of the element, of the row, or of the element in its row.
  linear number() const { return sum(0, sizes_.size(), 1); }
  linear row() const { return sum(0, first_in_row(), row_); }
  linear in_row() const { return sum(first_in_row(), sizes_.size(), 1); }

  // Where an access reads at this index; each of its steps is over `unit` elements.
  linear position(const planning::strided_access& access, index_t unit) const {
    linear at = access.base;
    bool fits = true;
    for (index_t d = access.sizes.size - 1, elements = unit; d >= 0 && fits; --d)
      fits = begins_after(elements *= access.sizes.at[d]);
    if (!fits) {
      at.add(position_at(access, unit == 1 ? number() : row()));
      at.add(linear(-access.base));
      return at;
    }
    for (std::size_t d = 0; d < sizes_.size(); ++d)
      if (units_[d] >= unit) at.add(linear(names_[d]), planning::stride_at(access, units_[d] / unit));
    return at;
  }
  // Where it reads for the element of a number.
  static linear position_at(const planning::strided_access& access, const linear& number) {
    linear at = access.base;
    index_t inner = access.sizes.product();
    for (int d = 0; d < access.sizes.size; ++d) {
      const index_t size = access.sizes.at[d];
      inner /= size > 0 ? size : 1;
      if (access.strides.at[d] == 0 || size == 1) continue;
      std::string index = "(" + number.text() + ")";
      if (inner != 1) index += " / " + std::to_string(inner);
      if (d > 0) index += " % " + std::to_string(size);
      at.add(linear("(" + index + ")"), access.strides.at[d]);
    }
    return at;
  }

 private:
  index_t count_, row_;
  planning::common_walk common_;
  std::vector<index_t> sizes_, units_;
  std::vector<std::string> names_;

  std::size_t first_in_row() const {
    std::size_t d = 0;
    while (d < sizes_.size() && is_of_rows(d)) ++d;
    return d;
  }
  bool begins_after(index_t elements) const {
    if (elements >= count_) return true;
    for (const index_t unit : units_)
      if (unit == elements) return true;
    return false;
  }
  linear sum(std::size_t first, std::size_t last, index_t unit) const {
    linear result;
    for (std::size_t d = first; d < last; ++d) result.add(linear(names_[d]), units_[d] / unit);
    return result;
  }
};

// A fused group as one loop nest. Each row is read as often as its folds follow each other: what an earlier pass has
// computed and a later one needs lies in a row of its own.
class group_writer {
 public:
  group_writer(c_function& to, const planning::plan_step& step) : f_(to), step_(step), space_(step.count, step.row) {}

  void write() {
    if (step_.count == 0) return;
    read_instructions();
    for (const piece& each : pieces_) {
      if (each.access >= 0) space_.cut(f_.p.accesses.data[each.access], unit(each));
      for (int gather = each.gather; gather >= 0; gather = f_.p.gathers.data[gather].before)
        cut_indices(gather, unit(each));
    }
    space_.close();
    assign_passes();
    int blocks = 0;
    f_.open(""), ++blocks;
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      if (!pieces_[i].keeps.empty()) {
        const std::string type = value_type(pieces_[i].element);
        f_.line(type + " *const " + pieces_[i].keeps + " = " +
                f_.extra(type, step_.row * storage_bytes(is_narrow_float(pieces_[i].element) ? dtype::f32
                                                                                             : pieces_[i].element)) +
                ";");
      }
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      if (pieces_[i].is_number) name_of(int(i), 0);
    for (std::size_t d = 0; d < space_.size(); ++d)
      if (space_.is_of_rows(d)) space_.name(d) = f_.loop(space_.size_of(d), blocks);
    for (int pass = 0; pass <= last_pass_; ++pass) write_pass(pass);
    f_.close(blocks);
  }

 private:
  // An element, or an element per row: read from memory, computed, or folded from a row.
  struct piece {
    enum class what : int { load, compute, fold, spread } does = what::load;
    int node = -1, value = -1;  // value: what is read, or the result of the node
    int access = -1, gather = -1;
    bool per_row = false, is_number = false;
    dtype element = dtype::none;
    std::vector<int> operands;
    int start = -1;           // of a fold: the value that it begins with
    int pass = 0;             // elements: in which pass they are computed; rows: from which pass on they are known
    int result = -1;          // the value that it is in memory
    std::string name, keeps;  // in this pass; the row in which it is kept for later ones
    int named_in = -1;
  };

  c_function& f_;
  const planning::plan_step& step_;
  loop_space space_;
  std::vector<piece> pieces_;
  int last_pass_ = 0;

  index_t unit(const piece& of) const { return of.per_row ? step_.row : 1; }
  void cut_indices(int gather, index_t unit) {
    const planning::plan_gather& from = f_.p.gathers.data[gather];
    for (int i = 0; i < from.index_count; ++i)
      space_.cut(f_.p.accesses.data[f_.p.indices.data[from.first_index + i].access], unit);
  }

  // The instructions of the tiles, as values that refer to each other: buffers are names of what was last put there.
  void read_instructions() {
    using planning::group_instruction, planning::plan_operand;
    std::map<std::pair<index_t, bool>, int> in_buffer;
    std::map<int, int> computed;  // values that the group itself has written
    const auto add = [&](piece each) {
      pieces_.push_back(std::move(each));
      return int(pieces_.size()) - 1;
    };
    const auto read = [&](const plan_operand& from) {
      if (from.from == plan_operand::source::tile) return in_buffer.at({from.offset, from.per_row});
      if (const auto own = computed.find(from.value); own != computed.end()) return own->second;
      piece load;
      load.value = from.value, load.element = f_.element_of(from.value);
      load.is_number = from.bytes == 0 || f_.is_number(from.value) || f_.size_of(from.value) == 1;
      load.per_row = load.is_number || from.per_row;
      return add(load);
    };
    for (int m = step_.first_instruction; m < step_.first_instruction + step_.instruction_count; ++m) {
      const group_instruction& from = f_.p.instructions.data[m];
      const plan_operand* const operands = f_.p.operands.data + from.first;
      piece made;
      made.node = from.node, made.per_row = from.per_row;
      if (from.does == group_instruction::action::load) {
        made.value = operands[0].value;
        made.element = f_.element_of(made.value);
        made.access = from.access, made.gather = from.gather;
        made.is_number = f_.is_number(made.value) || f_.size_of(made.value) == 1;
        if (made.is_number) made.access = made.gather = -1, made.per_row = true;
      } else {
        const ir::graph_node& node = f_.g.nodes.data[from.node];
        made.value = node.results;
        made.element = f_.element_of(node.results);
        made.does = from.does == group_instruction::action::fold      ? piece::what::fold
                    : from.does == group_instruction::action::compute ? piece::what::compute
                                                                      : piece::what::spread;
        const bool folds = made.does == piece::what::fold;
        if (folds) made.start = f_.g.operands_of(node)[1], made.per_row = true;
        for (int i = 0; i < (folds ? 1 : from.operand_count); ++i) made.operands.push_back(read(operands[i]));
        if (made.does == piece::what::spread) made.per_row = false;
      }
      const plan_operand& to = operands[from.operand_count];
      if (to.from == plan_operand::source::memory) made.result = to.value;
      const int at = add(made);
      if (to.from == plan_operand::source::memory)
        computed[to.value] = at;
      else
        in_buffer[{to.offset, to.per_row}] = at;
    }
  }

  void assign_passes() {
    for (piece& each : pieces_) {
      for (const int operand : each.operands) each.pass = std::max(each.pass, pieces_[std::size_t(operand)].pass);
      if (is_fold_of_elements(each)) ++each.pass;
      last_pass_ = std::max(last_pass_, each.pass);
    }
    // The rows that later passes need of elements that earlier ones have computed.
    std::vector<int> computed_in(pieces_.size(), -1);
    for (int pass = 0; pass <= last_pass_; ++pass) {
      const auto need = [&](auto&& self, int i) -> void {
        piece& each = pieces_[std::size_t(i)];
        if (each.per_row || each.is_number) return;
        if (each.does == piece::what::compute && computed_in[std::size_t(i)] >= 0 &&
            computed_in[std::size_t(i)] < pass) {
          if (each.keeps.empty()) each.keeps = f_.fresh("r_"), each.pass = computed_in[std::size_t(i)];
          return;
        }
        if (computed_in[std::size_t(i)] < 0) computed_in[std::size_t(i)] = pass;
        if (each.does != piece::what::spread)
          for (const int operand : each.operands) self(self, operand);
      };
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        if (ends_in(pieces_[i], pass)) need(need, pieces_[i].operands[0]);
        if (pass == last_pass_ && pieces_[i].result >= 0 && !is_per_row(pieces_[i])) need(need, int(i));
      }
    }
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      if (!pieces_[i].per_row && computed_in[i] >= 0) pieces_[i].pass = computed_in[i];
  }
  // Whether it is a fold of elements, which this pass takes.
  bool ends_in(const piece& each, int pass) const { return is_fold_of_elements(each) && each.pass == pass + 1; }

  void write_pass(int pass) {
    // Values of rows first, as far as they are known.
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      if (pieces_[i].per_row && pieces_[i].pass <= pass && !is_fold_of_elements(pieces_[i])) name_of(int(i), pass);
    std::vector<std::size_t> folds;
    bool has_elements = false;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (ends_in(pieces_[i], pass)) folds.push_back(i);
      if (pass == last_pass_ && pieces_[i].result >= 0 && !is_per_row(pieces_[i])) has_elements = true;
    }
    for (const std::size_t i : folds)
      pieces_[i].name = f_.variable(value_type(pieces_[i].element), f_.load_scalar(pieces_[i].start));
    if (!folds.empty() || has_elements) {
      int blocks = 0;
      std::vector<bool> opened;
      if (space_.size() > 0)
        for (std::size_t d = 0; d < space_.size(); ++d)
          if (!space_.is_of_rows(d)) space_.name(d) = f_.loop(space_.size_of(d), blocks);
      if (blocks == 0) f_.open(""), ++blocks;
      for (const std::size_t i : folds) {
        const std::string element = name_of(pieces_[i].operands[0], pass);
        f_.line(pieces_[i].name + " = " + combined(pieces_[i], element) + ";");
      }
      if (pass == last_pass_) store_results(false, pass);
      for (std::size_t i = 0; i < pieces_.size(); ++i)
        if (!pieces_[i].keeps.empty() && pieces_[i].pass == pass && pieces_[i].named_in == pass)
          f_.line(pieces_[i].keeps + "[" + space_.in_row().text() + "] = " + pieces_[i].name + ";");
      f_.close(blocks);
      for (std::size_t d = 0; d < space_.size(); ++d)
        if (!space_.is_of_rows(d)) space_.name(d).clear();
    }
    if (pass == last_pass_) store_results(true, pass);
  }
  bool is_fold_of_elements(const piece& each) const {
    return each.does == piece::what::fold && !is_per_row(pieces_[std::size_t(each.operands[0])]);
  }
  // Numbers, too, are written to each element of a result, and folded as often as there are elements.
  static bool is_per_row(const piece& each) { return each.per_row && !each.is_number; }

  std::string combined(const piece& of, const std::string& element) {
    const ir::graph_region& body = f_.g.regions.data[f_.g.regions_of(f_.g.nodes.data[of.node])[0]];
    return element_writer(f_, f_.g.nodes.data[body.first], {of.name, element}).write();
  }

  // All results are written in the last pass: they may lie where elements are read.
  void store_results(bool of_rows, int pass) {
    std::vector<std::pair<int, std::string>> values;
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      if (pieces_[i].result >= 0 && is_per_row(pieces_[i]) == of_rows)
        values.emplace_back(int(i), name_of(int(i), pass));
    for (const auto& [i, name] : values) {
      const piece& each = pieces_[std::size_t(i)];
      f_.store(each.element, f_.pointer(each.result), of_rows ? space_.row() : space_.number(), name);
    }
  }

  // The name of a value at this index.
  std::string name_of(int i, int pass) {
    piece& each = pieces_[std::size_t(i)];
    if (each.is_number && f_.is_number(each.value)) return f_.load_scalar(each.value);
    if (is_fold_of_elements(each)) return each.name;
    if (!each.name.empty() && (each.per_row || each.named_in == pass)) return each.name;
    each.named_in = pass;
    if (each.does == piece::what::spread) return each.name = name_of(each.operands[0], pass);
    if (!each.keeps.empty() && pass > each.pass)
      return each.name = f_.let(value_type(each.element), each.keeps + "[" + space_.in_row().text() + "]");
    if (each.does == piece::what::load) {
      const std::string loaded = f_.load(each.element, f_.pointer(each.value), position_of(each));
      return pieces_[std::size_t(i)].name = f_.let(value_type(each.element), loaded);
    }
    std::vector<std::string> operands;
    for (const int operand : each.operands) operands.push_back(name_of(operand, pass));
    if (each.does == piece::what::fold) {  // of a row of one
      const piece& of = pieces_[std::size_t(i)];
      pieces_[std::size_t(i)].name = f_.load_scalar(of.start);
      return pieces_[std::size_t(i)].name = combined(pieces_[std::size_t(i)], operands[0]);
    }
    const std::string name = element_writer(f_, f_.g.nodes.data[each.node], operands).write();
    return pieces_[std::size_t(i)].name = name;
  }

  linear position_of(const piece& each) {
    if (each.is_number) return 0;
    if (each.access < 0 && each.gather < 0) return each.per_row ? space_.row() : space_.number();
    if (each.gather < 0) return space_.position(f_.p.accesses.data[each.access], unit(each));
    return gathered(each.gather, unit(each), f_.p.gathers.data[each.gather].before < 0);
  }
  // The position that indices have moved; where another gather goes before, its positions are those of the access.
  linear gathered(int gather, index_t unit, bool is_first) {
    const planning::plan_gather& from = f_.p.gathers.data[gather];
    const planning::strided_access& access = f_.p.accesses.data[from.access];
    linear before, at;
    if (is_first) {
      at = space_.position(access, unit);
    } else {
      before = gathered(from.before, unit, f_.p.gathers.data[from.before].before < 0);
      before = linear(f_.let("int64_t", before.text()));
      at = loop_space::position_at(access, before);
    }
    for (int i = 0; i < from.index_count; ++i) {
      const planning::plan_index& index = f_.p.indices.data[from.first_index + i];
      const planning::strided_access& walk = f_.p.accesses.data[index.access];
      const linear where = is_first ? space_.position(walk, unit) : loop_space::position_at(walk, before);
      const dtype element = f_.element_of(index.value);
      std::string number =
          f_.is_number(index.value) ? f_.load_scalar(index.value) : f_.load(element, f_.pointer(index.value), where);
      number = element == dtype::ui64 ? f_.helpers.call("index_of") + "(" + number + ")" : "(int64_t)" + number;
      at.add(linear(f_.let("int64_t", f_.helpers.call("clamp_index") + "(" + number + ", " + std::to_string(index.low) +
                                          ", " + std::to_string(index.high) + ")")),
             index.stride);
    }
    return at;
  }
};

}  // namespace tenon::c99
