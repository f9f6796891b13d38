// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/c99/groups.hpp>
#include <tenon/c99/ops.hpp>
#include <tenon/run/loaded_program.hpp>

namespace tenon::c99 {

// The names in C of a program, its arguments and its results. `comment` stands at its head.
struct c_names {
  std::string function;
  std::vector<std::string> arguments, results;
  std::string comment;
};

// The text of a program in C, or why there is none.
struct c_text {
  std::string text;
  refusal refused;
};

// Writes the steps of a plan as a function.
class program_writer {
 public:
  program_writer(const ir::graph& g, const planning::plan& p, const unsigned char* constants, const c_names& names)
      : f_(g, p, constants), names_(names) {}

  c_text write() {
    const planning::plan_block& main = f_.p.blocks.data[f_.p.main_block];
    const ir::graph_region& region = f_.g.regions.data[main.region];
    std::string parameters, pointers;
    std::vector<std::string> own = names_.arguments;
    own.insert(own.end(), names_.results.begin(), names_.results.end());
    std::string comment = "/* " + names_.comment + "\n *\n * Arguments, then results, which share no memory:\n";
    for (int i = 0; i < int(own.size()); ++i) {
      const bool is_result = i >= region.argument_count;
      const int value = is_result ? f_.g.yields_of(region)[i - region.argument_count] : region.arguments + i;
      const tensor_type& type = f_.g.type_of_value(value);
      if (type.is_token()) continue;
      if (!type.is_tensor() || !has_c_type(type.element) || type.is_quantized() || type.bounded != 0)
        return refused("the function", "takes or gives what C has no type for; convert it to f32 or an integer first");
      const std::string name = parameter_name(own[std::size_t(i)]), constant = is_result ? "" : "const ";
      parameters += constant + parameter_type(type.element) + " *" + name + ", ";
      const std::string cast =
          is_complex(type.element) ? "(" + constant + stored_type(type.element) + " *)(" + constant + "void *)" : "";
      pointers += "  " + constant + stored_type(type.element) + " *const p_" + std::to_string(main.first_pointer + i) +
                  " = " + cast + name + ";\n";
      comment += " *   " + name + ": " + text_of(type) +
                 (is_complex(type.element) ? ", pairs of a real and an imaginary part" : "") + "\n";
    }
    write_block(f_.p.main_block);
    if (f_.refused) return {{}, f_.refused};
    f_.drop_unused();
    const index_t bytes = (f_.p.pointer_table + 63) / 64 * 64 + f_.most_extra;
    comment += " *   arena: " + names_.function +
               "_arena_bytes bytes to work in, aligned to 64, which calls at a time do not share\n */\n";
    std::string text = "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <string.h>\n\n";
    const std::string head = "void " + names_.function + "(" + parameters + "void *arena)";
    text += "#define " + names_.function + "_arena_bytes " + std::to_string(bytes) + "\n\n";
    const std::string helpers = f_.helpers.text(), declarations = declare(),
                      all = helpers + declarations + f_.body + parameters;
    for (const char* real : {"float", "double"})
      if (const std::string type = real[0] == 'f' ? "complex_f32" : "complex_f64";
          (all + pointers).find(type) != all.npos)
        text += std::string("typedef struct { ") + real + " real, imag; } " + type + ";\n\n";
    text += helpers + (helpers.empty() ? "" : "\n");
    text += constant_arrays() + comment + head + ";\n\n" + head + " {\n";
    text += used_pointers(pointers);
    if ((declarations + f_.body).find("arena_bytes") != text.npos)
      text += "  unsigned char *const arena_bytes = arena;\n";
    else
      text += "  (void)arena;\n";
    text += declarations + f_.body + "}\n";
    return {text, {}};
  }

 private:
  c_function f_;
  const c_names& names_;
  std::set<int> arrays_;

  static c_text refused(const std::string& op, const std::string& sentence) { return {{}, {op, sentence, -1}}; }

  // A parameter that is called like names of the function's own gets an underscore.
  static std::string parameter_name(const std::string& given) {
    std::size_t digits = given.find_first_of('_');
    const bool is_own =
        digits != given.npos && digits <= 2 && given.find_first_not_of("0123456789", digits + 1) == given.npos;
    return is_own ? given + "_" : given;
  }
  // Only what the body refers to.
  std::string used_pointers(const std::string& all) const {
    std::string used;
    for (std::size_t at = 0, end; at < all.size(); at = end + 1) {
      end = all.find('\n', at);
      const std::string line = all.substr(at, end - at);
      const std::size_t name = line.find("p_"), after = line.find(' ', name);
      if (f_.refers_to(line.substr(name, after - name)))
        used += line + "\n";
      else
        used += "  (void)" + line.substr(line.find_last_of(" )") + 1) + "\n";
    }
    return used;
  }
  // Pointers into the arena, and names of constants.
  std::string declare() {
    std::string text;
    for (const int value : f_.declared) {
      if (!f_.refers_to("v_" + std::to_string(value))) continue;
      const planning::place at = f_.p.places.data[value];
      const std::string type = stored_type(f_.element_of(value)), name = "v_" + std::to_string(value);
      if (at.base == planning::place::constants) {
        arrays_.insert(value);
      } else if (at.base == planning::place::arena) {
        text += "  " + type + " *const " + name + " = (" + type + " *)(void *)(arena_bytes + " +
                std::to_string(at.offset) + ");\n";
      }
    }
    return text;
  }
  std::string constant_arrays() const {
    std::string text;
    for (const int value : arrays_) {
      const dtype element = f_.element_of(value);
      index_t count = 0;
      for (const planning::plan_constant& each : f_.p.constants)
        if (each.value == value) count = each.count;
      text += "static const " + stored_type(element) + " v_" + std::to_string(value) + "[" +
              std::to_string(std::max<index_t>(count, 1)) + "] = {";
      std::size_t line = text.size();
      for (index_t i = 0; i < count; ++i) {
        const std::string number = literal(element, f_.constant_bytes(value) + i * storage_bytes(element), true);
        if (i > 0) text += ",";
        if (i == 0 || text.size() + number.size() > line + 116) {
          text += "\n    ";
          line = text.size() - 4;
        } else {
          text += " ";
        }
        text += number;
      }
      text += count > 0 ? "};\n\n" : "0};\n\n";
    }
    return text;
  }

  void write_block(int id) {
    const planning::plan_block& block = f_.p.blocks.data[id];
    for (int at = block.first_step; at < block.last_step && !f_.refused; ++at) {
      const planning::plan_step& step = f_.p.steps.data[at];
      // Ranges of operands, and what an epilogue reads, are there as a whole.
      if (step.is_fused_producer) {
        if (!at_producers_) f_.release_extra();
        at_producers_ = true;
        f_.give_own_place(f_.p.values.data[step.first + step.operand_count]);
      } else {
        if (!at_producers_) f_.release_extra();
        at_producers_ = false;
      }
      write_step(step);
    }
    if (!f_.refused) give_results(block);
  }

  void write_step(const planning::plan_step& step) {
    if (step.has_op() && step.kernel < 0) {
      f_.refuse(f_.g.nodes.data[step.node], "is a foreign op, which nobody runs in C");
      return;
    }
    if (step.has_op()) {
      const ir::graph_node& node = f_.g.nodes.data[step.node];
      // Memory of the caller's holds elements of its own type only.
      const int given = f_.p.values.data[step.first + step.operand_count];
      if (step.has_group() && (step.range_bytes > 0 || f_.element_of(given) != f_.element_of(node.results)))
        f_.give_own_place(node.results);
      f_.open("");
      f_.line("/* " + std::string(ir::name_of_kind(node.kind)) + " */");
      if (!write_control(step, node)) op_writer(f_, step).write();
      f_.close();
    }
    if (step.has_group() && !f_.refused) group_writer(f_, step).write();
  }

  void give_results(const planning::plan_block& block) {
    if (!block.places_results) return;
    const int argument_count = f_.g.regions.data[block.region].argument_count;
    for (int i = 0; i < block.yield_count; ++i) {
      const int given = f_.p.values.data[block.first_yield + i], value = given < 0 ? ~given : given;
      const std::string to = "p_" + std::to_string(block.first_pointer + argument_count + i);
      if (f_.size_of(value) == 0) continue;
      if (given < 0 || f_.is_number(value)) {
        int opened = 0;
        const std::string at = f_.loop(f_.size_of(value), opened);
        f_.store(f_.element_of(value), to, linear(at), f_.load_scalar(value));
        f_.close(opened);
      } else if (const std::string from = f_.pointer(value); from != to) {
        if (const planning::place at = f_.p.places.data[value];
            block.carries_in_place && at.base == block.first_pointer + i && at.offset == 0)
          continue;
        f_.line("memmove(" + to + ", " + from + ", " + std::to_string(byte_size(f_.g.type_of_value(value))) + ");");
      }
    }
  }

  // while, if and case run blocks. False for other ops.
  bool write_control(const planning::plan_step& step, const ir::graph_node& node) {
    struct visitor {
      program_writer& self;
      const planning::plan_step& step;
      const ir::graph_node& node;
      bool operator()(const ops::while_&) { return self.write_while(step, node); }
      bool operator()(const ops::if_&) { return self.write_branches(step, node, true); }
      bool operator()(const ops::case_&) { return self.write_branches(step, node, false); }
      bool otherwise() { return false; }
    } visit{*this, step, node};
    return ir::visit_op(node.kind, f_.g.words.data + node.words, visit);
  }
  bool has_types(const ir::graph_node& node) {
    for (int i = 0; i < node.operand_count + node.result_count; ++i) {
      const tensor_type& type = f_.g.type_of_value(i < node.operand_count ? f_.g.operands_of(node)[i]
                                                                          : node.results + i - node.operand_count);
      if (!type.is_tensor() || type.is_quantized() || type.bounded != 0 || !has_c_type(type.element))
        return f_.refuse(node, "carries what C has no type for; convert it to f32 or an integer first");
    }
    return true;
  }
  const planning::plan_block& block_of(const planning::plan_step& step, int i) const {
    return f_.p.blocks.data[f_.p.block_references.data[step.first_block + i]];
  }
  int id_of(const planning::plan_step& step, int i) const { return f_.p.block_references.data[step.first_block + i]; }
  void point(int pointer, const std::string& type, const std::string& to) {
    f_.line(type + " *const p_" + std::to_string(pointer) + " = " + to + ";");
  }
  std::string operand_pointer(const planning::plan_step& step, int i) {
    return f_.pointer(f_.p.values.data[step.first + step.read_count + i]);
  }

  bool write_branches(const planning::plan_step& step, const ir::graph_node& node, bool is_if) {
    if (!has_types(node)) return true;
    const int value = f_.p.values.data[step.first + step.read_count];
    const std::string which = f_.let(is_if ? "bool" : "int32_t", f_.load_scalar(value));
    for (int i = 0; i < node.region_count; ++i) {
      const bool is_last = i + 1 == node.region_count;
      std::string condition = is_last ? ""
                              : is_if ? "if (" + which + ")"
                                      : "if (" + which + " == " + std::to_string(i) + ")";
      if (i > 0) condition = is_last ? "else" : "else " + condition;
      f_.open(condition);
      const planning::plan_block& block = block_of(step, i);
      for (int r = 0; r < node.result_count; ++r)
        point(block.first_pointer + r, stored_type(f_.element_of(node.results + r)), f_.pointer(node.results + r));
      write_block(id_of(step, i));
      f_.close();
    }
    return true;
  }

  // The values alternate between the results and scratch memory, but for those that the body writes over.
  bool write_while(const planning::plan_step& step, const ir::graph_node& node) {
    if (!has_types(node)) return true;
    const int n = node.operand_count;
    const planning::plan_block &cond = block_of(step, 0), &body = block_of(step, 1);
    std::vector<std::string> now, next;
    index_t start = step.scratch.offset + 64;
    for (int i = 0; i < n; ++i) {
      const tensor_type& type = f_.g.type_of_value(node.results + i);
      const std::string stored = stored_type(type.element);
      now.push_back(f_.fresh("n_")), next.push_back(f_.fresh("n_"));
      f_.line(stored + " *" + now.back() + " = " + f_.pointer(node.results + i) + ";");
      const int given = f_.p.values.data[body.first_yield + i];
      const bool in_place =
          given >= 0 && f_.p.places.data[given].base == body.first_pointer + i && f_.p.places.data[given].offset == 0;
      if (in_place) {
        next.back().clear();
      } else {
        f_.line(stored + " *" + next.back() + " = (" + stored + " *)(void *)(arena_bytes + " + std::to_string(start) +
                ");");
        start += (byte_size(type) + 63) / 64 * 64;
      }
      const int operand = f_.p.values.data[step.first + step.read_count + i];
      if (f_.is_number(operand)) {
        int opened = 0;
        const std::string at = f_.loop(type.size(), opened);
        f_.store(type.element, now.back(), linear(at), f_.load_scalar(operand));
        f_.close(opened);
      } else if (byte_size(type) > 0 && f_.pointer(operand) != f_.pointer(node.results + i)) {
        f_.line("memmove(" + now.back() + ", " + f_.pointer(operand) + ", " + std::to_string(byte_size(type)) + ");");
      }
    }
    f_.open("for (;;)");
    const std::string goes_on = f_.fresh("b_");
    f_.line("bool " + goes_on + " = false;");
    const auto run = [&](const planning::plan_block& block, int which, const std::vector<std::string>& results) {
      f_.open("");
      for (int i = 0; i < n; ++i)
        point(block.first_pointer + i, stored_type(f_.element_of(node.results + i)), now[std::size_t(i)]);
      for (int i = 0; i < int(results.size()); ++i)
        point(block.first_pointer + n + i, which == 0 ? "bool" : stored_type(f_.element_of(node.results + i)),
              results[std::size_t(i)]);
      write_block(id_of(step, which));
      f_.close();
    };
    run(cond, 0, {"&" + goes_on});
    f_.line("if (!" + goes_on + ") break;");
    std::vector<std::string> results;
    for (int i = 0; i < n; ++i)
      results.push_back(next[std::size_t(i)].empty() ? now[std::size_t(i)] : next[std::size_t(i)]);
    run(body, 1, results);
    for (int i = 0; i < n; ++i) {
      if (next[std::size_t(i)].empty()) continue;
      const std::string swapped = f_.fresh("n_");
      f_.line(stored_type(f_.element_of(node.results + i)) + " *const " + swapped + " = " + now[std::size_t(i)] + ";");
      f_.line(now[std::size_t(i)] + " = " + next[std::size_t(i)] + ", " + next[std::size_t(i)] + " = " + swapped + ";");
    }
    f_.close();
    for (int i = 0; i < n; ++i)
      if (const index_t bytes = byte_size(f_.g.type_of_value(node.results + i));
          bytes > 0 && !next[std::size_t(i)].empty()) {
        const std::string to = f_.pointer(node.results + i);
        f_.line("if (" + now[std::size_t(i)] + " != " + to + ") memcpy(" + to + ", " + now[std::size_t(i)] + ", " +
                std::to_string(bytes) + ");");
      }
    return true;
  }

  bool at_producers_ = false;
};

// A program that was read as a function of C99, void NAME(arguments, results, arena). What has no form in C, and sizes
// that are known at run time only, are refused.
inline c_text emit_c(const loaded_program& of, const c_names& names) {
  for (int i = 0; i < of.argument_count(); ++i)
    if (of.argument_type(i).bounded != 0)
      return {{}, {"the function", "takes sizes below a bound; give it static sizes", -1}};
  std::vector<unsigned char> constants(std::size_t(of.plan().constant_bytes) + 64);
  execution::decode_constants(of.program(), of.plan(), constants.data());
  return program_writer(of.program(), of.plan(), constants.data(), names).write();
}

}  // namespace tenon::c99
