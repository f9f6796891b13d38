// SPDX-License-Identifier: Apache-2.0
#include "built_model.hpp"

#include "print.hpp"

#include <tenon/core/element.hpp>

#include <algorithm>
#include <climits>
#include <iterator>

namespace {

using tenon::dtype;
using tenon::tensor_type;

// The type of an element, or of its real part.
std::string c_type(dtype element) {
  if (element == dtype::i1) return "bool";
  if (element == dtype::f32 || element == dtype::complex_f32) return "float";
  if (element == dtype::f64 || element == dtype::complex_f64) return "double";
  const std::string bits = std::to_string(8 * tenon::storage_bytes(element));
  return (tenon::is_signed_integer(element) ? "int" : "uint") + bits + "_t";
}

bool is_passed(const built_value& each) { return each.type.is_tensor() && each.weight_offset < 0; }
std::vector<built_value> passed(const std::vector<built_value>& all) {
  std::vector<built_value> result;
  std::copy_if(all.begin(), all.end(), std::back_inserter(result), is_passed);
  return result;
}

std::vector<std::string> names_of_sizes(const built_value& of) {
  std::vector<std::string> names;
  for (int d = 0; d < of.type.rank(); ++d)
    if (of.type.is_bounded(d)) names.push_back(of.name + "_size" + std::to_string(d));
  return names;
}

// A literal of C, without trigraphs and line ends.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') {
      (result += '\\') += c;
    } else if (code < 32 || code > 126) {
      for (const int shift : {6, 3, 0})
        result += shift == 6 ? std::string("\\") + char('0' + (code >> 6))
                             : std::string(1, char('0' + ((code >> shift) & 7)));
    } else {
      result += c;
    }
  }
  return result + '"';
}
// Text that ends no comment.
std::string commented(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '/' && !result.empty() && result.back() == '*') result += ' ';
    result += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return result;
}

std::string parameters(const built_model& of, bool typed) {
  std::string text;
  const auto add = [&](const std::string& type, const std::string& name) {
    text += (text.empty() ? "" : ", ") + (typed ? type + " " : "") + name;
  };
  const auto add_all = [&](const std::vector<built_value>& values, const std::string& qualifier,
                           const std::string& size) {
    for (const built_value& each : passed(values)) {
      add(qualifier + c_type(each.type.element) + "*", each.name);
      for (const std::string& name : names_of_sizes(each)) add(size, name);
    }
  };
  add_all(of.arguments, "const ", "int64_t");
  add_all(of.results, "", "int64_t*");
  add("void*", "arena");
  return text;
}

std::string comment_on(const std::vector<built_value>& values) {
  std::string text;
  for (const built_value& each : passed(values)) {
    text += " *   " + each.name + ": " + text_of(each.type);
    if (tenon::is_complex(each.type.element)) text += ", pairs of a real and an imaginary part";
    if (!each.path.empty() && each.path != each.name) text += ", " + commented(each.path);
    for (const std::string& size : names_of_sizes(each))
      text += "; " + size + ": the size of the dimension that <= bounds";
    text += "\n";
  }
  return text;
}

std::string table_of(const std::vector<built_value>& all) {
  std::string text;
  for (const built_value& each : passed(all)) {
    text += "    {" + quoted(each.name) + ", " + quoted(each.path.empty() ? each.name : each.path) + ", " +
            quoted(tenon::name(each.type.element)) + ", " + std::to_string(each.type.rank()) + ", {";
    for (int d = 0; d < 8; ++d)
      text += (d == 0 ? "" : ", ") + std::to_string(d < each.type.rank() ? each.type.dim(d) : 0);
    text += "}, " + std::to_string(tenon::byte_size(each.type)) + "},\n";
  }
  return text.empty() ? "    {\"\", \"\", \"\", 0, {0}, 0},\n" : text;
}

std::size_t table_size(const std::vector<built_value>& all) { return std::max<std::size_t>(passed(all).size(), 1); }

}  // namespace

std::string identifier(std::string_view text) {
  static constexpr std::string_view taken[] = {"alignas",
                                               "alignof",
                                               "and",
                                               "and_eq",
                                               "arena",
                                               "asm",
                                               "auto",
                                               "bitand",
                                               "bitor",
                                               "bool",
                                               "break",
                                               "case",
                                               "catch",
                                               "char",
                                               "char16_t",
                                               "char32_t",
                                               "char8_t",
                                               "class",
                                               "co_await",
                                               "co_return",
                                               "co_yield",
                                               "compl",
                                               "complex",
                                               "concept",
                                               "const",
                                               "const_cast",
                                               "consteval",
                                               "constexpr",
                                               "constinit",
                                               "continue",
                                               "decltype",
                                               "default",
                                               "delete",
                                               "do",
                                               "double",
                                               "dynamic_cast",
                                               "else",
                                               "enum",
                                               "errno",
                                               "explicit",
                                               "export",
                                               "extern",
                                               "false",
                                               "far",
                                               "float",
                                               "for",
                                               "friend",
                                               "goto",
                                               "huge",
                                               "if",
                                               "inline",
                                               "int",
                                               "linux",
                                               "long",
                                               "main",
                                               "mutable",
                                               "namespace",
                                               "near",
                                               "new",
                                               "noexcept",
                                               "not",
                                               "not_eq",
                                               "nullptr",
                                               "operator",
                                               "or",
                                               "or_eq",
                                               "private",
                                               "protected",
                                               "public",
                                               "register",
                                               "reinterpret_cast",
                                               "requires",
                                               "restrict",
                                               "return",
                                               "short",
                                               "signed",
                                               "sizeof",
                                               "small",
                                               "static",
                                               "static_assert",
                                               "static_cast",
                                               "stderr",
                                               "stdin",
                                               "stdout",
                                               "std",
                                               "struct",
                                               "switch",
                                               "template",
                                               "tenon",
                                               "this",
                                               "thread_local",
                                               "throw",
                                               "true",
                                               "try",
                                               "typedef",
                                               "typeid",
                                               "typename",
                                               "typeof",
                                               "union",
                                               "unix",
                                               "unsigned",
                                               "using",
                                               "virtual",
                                               "void",
                                               "volatile",
                                               "wchar_t",
                                               "while",
                                               "xor",
                                               "xor_eq"};
  std::string result;
  bool has_small_letter = false;
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), is_digit = c >= '0' && c <= '9';
    has_small_letter = has_small_letter || (c >= 'a' && c <= 'z');
    if (result.empty() && is_digit) result = "value_";
    // Two underscores, or one before a capital, are the compiler's.
    if (is_letter || is_digit)
      result += c;
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  while (!result.empty() && result.back() == '_') result.pop_back();
  if (result.empty()) result = "value";
  if (!has_small_letter || std::find(std::begin(taken), std::end(taken), result) != std::end(taken)) result += '_';
  return result;
}

std::string c_header(const built_model& of) {
  const std::string& name = of.symbol;
  std::string guard = "TENON_BUILT_" + name;
  std::transform(guard.begin(), guard.end(), guard.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  const auto count = [](const std::vector<built_value>& all) { return std::to_string(passed(all).size()); };
  std::string text = "/* Written by tenon build from " + commented(of.source) + ". */\n#ifndef " + guard +
                     "\n#define " + guard +
                     "\n\n#include <stdbool.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  const std::string arena = name + "_arena_bytes";
  if (of.arena_bytes > INT_MAX)
    text += "#define " + arena + " INT64_C(" + std::to_string(of.arena_bytes) + ")\nenum { ";
  else
    text += "enum { " + arena + " = " + std::to_string(of.arena_bytes) + ", ";
  text += name + "_argument_count = " + count(of.arguments) + ", " + name + "_result_count = " + count(of.results) +
          " };\n\n";
  text += "/* Elements are dense, those of the last dimension next to each other.\n *\n * Arguments:\n" +
          comment_on(of.arguments) + " * Results, which share no memory with anything else:\n" +
          comment_on(of.results) + " * arena: " + arena +
          " bytes to work in, aligned to 64, which calls at a time do not share.\n *\n"
          " * Gives 0; 1 if a pointer is null, 2 if one is not aligned to its elements, 3 if the arena is not to 64";
  bool is_sized = false;
  for (const built_value& each : passed(of.arguments)) is_sized = is_sized || !names_of_sizes(each).empty();
  if (is_sized) text += ",\n * 4 if a size is below 0 or above its bound";
  text += ".\n */\nint " + name + "(" + parameters(of, true) + ");\n\n";
  text += "/* The arguments and the results in order: their names, where they came from, and their types. */\nstruct " +
          name +
          "_value {\n  const char *name, *path, *element;\n  int rank;\n  int64_t shape[8], bytes;\n};\nextern const "
          "struct " +
          name + "_value " + name + "_arguments[" + std::to_string(table_size(of.arguments)) + "], " + name +
          "_results[" + std::to_string(table_size(of.results)) + "];\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}

std::string cpp_header(const built_model& of) {
  const std::string& name = of.symbol;
  std::string text = "// Written by tenon build from " + commented(of.source) + ".\n#pragma once\n\n";
  std::string typed, calls;
  bool has_views = false, is_plain = true;
  const auto add = [&](const std::vector<built_value>& values, const std::string& qualifier) {
    for (const built_value& each : passed(values)) {
      has_views = true;
      is_plain = is_plain && each.type.bounded == 0 && !each.type.is_quantized();
      const std::string pointee = qualifier + c_type(each.type.element);
      std::string element(tenon::name(each.type.element));
      if (tenon::is_complex(each.type.element)) element = "complex<" + c_type(each.type.element) + ">";
      typed += "tenon::tensor_view<" + qualifier + "tenon::" + element;
      for (int d = 0; d < each.type.rank(); ++d) typed += ", " + std::to_string(each.type.dim(d));
      typed += "> " + each.name + ", ";
      calls += "reinterpret_cast<" + pointee + "*>(" + each.name + ".data()), ";
    }
  };
  add(of.arguments, "const ");
  add(of.results, "");
  if (!has_views || !is_plain) return text + "#include \"" + of.file + ".h\"\n";
  return text + "#include <tenon/core/complex.hpp>\n#include <tenon/core/tensor.hpp>\n\n#include \"" + of.file +
         ".h\"\n\n// The call of C with tensors or views, whose types are checked while compiling.\ninline int " +
         name + "(" + typed + "void* arena) {\n  return " + name + "(" + calls + "arena);\n}\n";
}

std::string cpp_source(const built_model& of) {
  const std::string& name = of.symbol;
  std::string end = "tenon";
  for (int attempt = 0; of.text.find(")" + end + "\"") != of.text.npos; ++attempt)
    end = "tenon" + std::to_string(attempt);
  std::string text;
  for (const std::string& part : of.lapack_parts) text += "#include <tenon/lapack/" + part + ".hpp>\n";
  text += "#include <tenon/run/program.hpp>\n\n#include <string_view>\n\n#include \"" + of.file + ".h\"\n\n";
  if (!of.weights.empty())
    text += "asm(\".pushsection .rodata\\n.balign 64\\ntenon_weights_of_" + name + ":\\n.incbin \\\"" + of.weights +
            "\\\"\\n.popsection\\n\");\nextern \"C\" const unsigned char tenon_weights_of_" + name +
            "[] __attribute__((visibility(\"hidden\")));\n\n";
  text += "namespace {\n\nstruct text_of_" + name +
          " {\n  static constexpr std::string_view text = std::string_view(R\"" + end + "(";
  text += of.text;
  text += ")" + end + "\", " + std::to_string(of.text.size()) + ");\n};\nusing code = tenon::program<text_of_" + name +
          ">::code;\nstatic_assert(code::arena_bytes <= " + std::to_string(of.arena_bytes) + ");\n\n";
  text +=
      "bool is_misaligned(const void* data, unsigned bytes) {\n"
      "  return reinterpret_cast<__UINTPTR_TYPE__>(data) % bytes != 0;\n"
      "}\n\n}  // namespace\n\n#define EXPORTED extern \"C\" __attribute__((visibility(\"default\")))\n\n";
  text += "EXPORTED const " + name + "_value " + name + "_arguments[] = {\n" + table_of(of.arguments) +
          "};\nEXPORTED const " + name + "_value " + name + "_results[] = {\n" + table_of(of.results) +
          "};\n\nEXPORTED int " + name + "(" + parameters(of, true) + ") {\n";
  std::string nulls, aligned, sizes, arguments, results, argument_sizes, result_sizes, after;
  const auto add = [&](const std::vector<built_value>& all, std::string& list, bool is_result) {
    for (const built_value& each : all) {
      list += list.empty() ? "" : ", ";
      if (!each.type.is_tensor()) {
        list += "nullptr";
      } else if (each.weight_offset >= 0) {
        list += "tenon_weights_of_" + name + " + " + std::to_string(each.weight_offset);
      } else {
        list += each.name;
        if (tenon::byte_size(each.type) > 0) nulls += (nulls.empty() ? "" : " || ") + each.name + " == nullptr";
        const int bytes = tenon::storage_bytes(each.type.element) / (tenon::is_complex(each.type.element) ? 2 : 1);
        if (bytes > 1)
          aligned +=
              (aligned.empty() ? "" : " || ") + ("is_misaligned(" + each.name + ", ") + std::to_string(bytes) + ")";
        int d = -1;
        for (const std::string& size : names_of_sizes(each)) {
          do ++d;
          while (!each.type.is_bounded(d));
          if (is_result) {
            nulls += (nulls.empty() ? "" : " || ") + size + " == nullptr";
            after += "  *" + size + " = sizes_of_results[" +
                     std::to_string(std::count(result_sizes.begin(), result_sizes.end(), '0')) + "];\n";
            result_sizes += "0, ";
          } else {
            sizes +=
                (sizes.empty() ? "" : " || ") + size + " < 0 || " + size + " > " + std::to_string(each.type.dim(d));
            argument_sizes += size + ", ";
          }
        }
      }
    }
  };
  add(of.arguments, arguments, false);
  add(of.results, results, true);
  if (of.arena_bytes > 0) nulls += std::string(nulls.empty() ? "" : " || ") + "arena == nullptr";
  if (!nulls.empty()) text += "  if (" + nulls + ") return 1;\n";
  if (!aligned.empty()) text += "  if (" + aligned + ") return 2;\n";
  text += "  if (is_misaligned(arena, 64)) return 3;\n";
  if (!sizes.empty()) text += "  if (" + sizes + ") return 4;\n";
  text += "  const void* const arguments[] = {" + (arguments.empty() ? "nullptr" : arguments) +
          "};\n  void* const results[] = {" + (results.empty() ? "nullptr" : results) + "};\n";
  if (argument_sizes.empty() && result_sizes.empty()) {
    text += "  code::run(arguments, results, arena);\n";
  } else {
    text += "  const tenon::index_t sizes_of_arguments[] = {" + argument_sizes +
            "0};\n  tenon::index_t sizes_of_results[] = {" + result_sizes +
            "0};\n  code::run_sized(arguments, sizes_of_arguments, results, sizes_of_results, arena);\n" + after;
  }
  return text + "  return 0;\n}\n";
}
