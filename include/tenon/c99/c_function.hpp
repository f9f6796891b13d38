// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/c99/c_types.hpp>
#include <tenon/c99/helpers.hpp>
#include <tenon/c99/linear.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/plan/plan.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tenon::c99 {

// The first thing that has no form in C: what it is, what to do about it, and a byte position in the text.
struct refusal {
  std::string op, sentence;
  int source = -1;

  explicit operator bool() const { return !sentence.empty(); }
};

// A function of C while it is written: its lines so far, what they refer to, and the arena behind that of the plan.
class c_function {
 public:
  const ir::graph& g;
  const planning::plan& p;
  const unsigned char* constants;
  std::string body;
  refusal refused;
  std::set<int> declared;  // values whose pointers the function declares
  helper_set helpers;
  index_t most_extra = 0;

  c_function(const ir::graph& of, const planning::plan& plan, const unsigned char* decoded)
      : g(of), p(plan), constants(decoded) {}

  void line(const std::string& text) { body.append(std::size_t(2 * depth_), ' ').append(text).append("\n"); }
  void open(const std::string& text) {
    line(text.empty() ? "{" : text + " {");
    ++depth_;
  }
  void close(int blocks = 1) {
    for (; blocks > 0; --blocks) {
      --depth_;
      line("}");
    }
  }
  std::string fresh(const char* prefix) { return prefix + std::to_string(names_++); }
  // const T t_1 = value;
  std::string let(const std::string& type, const std::string& value) {
    const std::string name = fresh("t_");
    line("const " + type + " " + name + " = " + value + ";");
    return name;
  }
  std::string variable(const std::string& type, const std::string& value) {
    const std::string name = fresh("a_");
    line(type + " " + name + " = " + value + ";");
    return name;
  }
  // A loop over [first, last), whose index is a number where there is only one.
  std::string loop(index_t last, int& opened, index_t first = 0) {
    if (last - first == 1 && first == 0) return "";
    const std::string name = fresh("i_");
    open("for (int64_t " + name + " = " + std::to_string(first) + "; " + name + " < " + std::to_string(last) + "; ++" +
         name + ")");
    ++opened;
    return name;
  }

  // Constants that nobody refers to, such as clamped indices of dimensions of one element.
  void drop_unused() {
    for (bool found = true; found;) {
      found = false;
      std::map<std::string, int> uses;
      for_each_name([&](const std::string& name) { ++uses[name]; });
      std::string kept;
      for (std::size_t at = 0, end; at < body.size(); at = end + 1) {
        end = body.find('\n', at);
        const std::string text = body.substr(at, end + 1 - at);
        const std::size_t equals = text.find(" = "), name = text.find_last_of(" *", equals - 1) + 1;
        const bool defines = equals != text.npos && text.find("const ") != text.npos && text.find('{') == text.npos;
        if (defines && uses[text.substr(name, equals - name)] == 1)
          found = true;
        else
          kept += text;
      }
      body = kept;
    }
  }

  bool refers_to(const std::string& wanted) const {
    bool found = false;
    for_each_name([&](const std::string& name) { found = found || name == wanted; });
    return found;
  }

  bool refuse(const ir::graph_node& node, const std::string& sentence) {
    if (!refused) refused = {std::string(ir::name_of_kind(node.kind)), sentence, node.source};
    return false;
  }

  dtype element_of(int value) const { return g.type_of_value(value).element; }
  index_t size_of(int value) const { return g.type_of_value(value).size(); }

  // A pointer to a value.
  std::string pointer(int value) {
    value = constant_root(value);
    if (const auto own = own_places_.find(value); own != own_places_.end()) return own->second;
    const planning::place at = p.places.data[value];
    if (at.base >= planning::place::first_pointer && at.offset == 0) return "p_" + std::to_string(at.base);
    declared.insert(value);
    return "v_" + std::to_string(value);
  }
  // An element of memory as a value.
  std::string load(dtype element, const std::string& pointer, const linear& position) {
    const std::string at = pointer + "[" + position.text() + "]";
    return is_narrow_float(element) ? helpers.call("load_" + name_of(element)) + "(" + at + ")" : at;
  }
  void store(dtype element, const std::string& pointer, const linear& position, const std::string& value) {
    const bool narrow = is_narrow_float(element);
    line(pointer + "[" + position.text() +
         "] = " + (narrow ? helpers.call("store_" + name_of(element)) + "(" + value + ")" : value) + ";");
  }
  // The only element of a value, or any of a constant whose elements are all the same.
  std::string load_scalar(int value) {
    value = constant_root(value);
    if (ir::constant_of(g, value)) return literal(element_of(value), constant_bytes(value), false);
    return load(element_of(value), pointer(value), 0);
  }
  const unsigned char* constant_bytes(int value) const { return constants + p.places.data[value].offset; }
  bool is_number(int value) const {
    value = constant_root(value);
    return (ir::constant_of(g, value) && size_of(value) == 1) || ir::is_splat_constant(g, value);
  }

  // The constant that a value is a view of, or the value.
  int constant_root(int value) const {
    const int root = ir::root_of(g, value);
    return ir::constant_of(g, root) ? root : value;
  }

  // Memory for one step, behind that of the plan; gives a pointer.
  std::string extra(const std::string& type, index_t bytes) {
    const index_t start = (p.pointer_table + 63) / 64 * 64 + used_extra_;
    used_extra_ += (bytes + 63) / 64 * 64;
    if (used_extra_ > most_extra) most_extra = used_extra_;
    return "((" + type + " *)(void *)(arena_bytes + " + std::to_string(start) + "))";
  }
  void release_extra() { used_extra_ = 0; }
  // Gives a value memory of the step's own, all of it.
  void give_own_place(int value) {
    const std::string name = fresh("v_own"), type = stored_type(element_of(value));
    line(type + " *const " + name + " = " + extra(type, byte_size(g.type_of_value(value))) + ";");
    own_places_[value] = name;
  }

 private:
  template <class F>
  void for_each_name(F f) const {
    const auto is_in_name = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    for (std::size_t at = 0, end; at < body.size(); at = end + 1) {
      for (end = at; end < body.size() && is_in_name(body[end]);) ++end;
      if (end > at) f(body.substr(at, end - at));
    }
  }

  int depth_ = 1;
  int names_ = 0;
  index_t used_extra_ = 0;
  std::map<int, std::string> own_places_;
};

}  // namespace tenon::c99
