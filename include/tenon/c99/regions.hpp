// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/c99/elements.hpp>

#include <map>

namespace tenon::c99 {

// Writes a region of scalars where it is used. Gives the names of what it hands over.
class region_writer {
 public:
  region_writer(c_function& to, int region) : f_(to), region_(to.g.regions.data[region]), id_(region) {}

  // Whether it consists of ops on elements of tensors without dimensions.
  bool is_scalar() const {
    for (int a = 0; a < region_.argument_count; ++a)
      if (!is_number(region_.arguments + a)) return false;
    for (int n = region_.first; n < region_.last; ++n) {
      const ir::graph_node& node = f_.g.nodes.data[n];
      if (node.region != id_) continue;
      const ir::op_facts& facts = ir::facts_of(node.kind);
      if (!ir::is_constant(node) && !facts.elementwise && !facts.is_view && !facts.moves) return false;
      for (int r = 0; r < node.result_count; ++r)
        if (!is_number(node.results + r) && !ir::is_constant(node)) return false;
    }
    return true;
  }

  std::vector<std::string> write(const std::vector<std::string>& arguments) {
    for (int a = 0; a < region_.argument_count && a < int(arguments.size()); ++a)
      names_[region_.arguments + a] = arguments[std::size_t(a)];
    for (int n = region_.first; n < region_.last; ++n) {
      const ir::graph_node& node = f_.g.nodes.data[n];
      if (node.region != id_ || ir::is_constant(node)) continue;
      std::vector<std::string> operands;
      for (const int value : f_.g.operands_of(node)) operands.push_back(name_of(value));
      const ir::op_facts& facts = ir::facts_of(node.kind);
      if (facts.elementwise) {
        names_[node.results] = element_writer(f_, node, operands).write();
      } else if (facts.is_view || (facts.moves && node.operand_count == 1)) {
        for (int r = 0; r < node.result_count; ++r) names_[node.results + r] = operands[std::size_t(r)];
      } else {
        f_.refuse(node,
                  "stands in the body of a fold, a sort or a scatter, where only ops on single elements have a form "
                  "in C; move it out of the body");
        return std::vector<std::string>(std::size_t(region_.yield_count), "0");
      }
    }
    std::vector<std::string> results;
    for (const int value : f_.g.yields_of(region_)) results.push_back(name_of(value));
    return results;
  }

 private:
  c_function& f_;
  const ir::graph_region& region_;
  int id_;
  std::map<int, std::string> names_;

  bool is_number(int value) const { return f_.g.type_of_value(value).is_tensor() && f_.size_of(value) == 1; }
  std::string name_of(int value) {
    if (const auto known = names_.find(value); known != names_.end()) return known->second;
    if (f_.is_number(value)) return f_.load_scalar(value);
    return names_[value] = f_.let(value_type(f_.element_of(value)), f_.load_scalar(value));
  }
};

}  // namespace tenon::c99
