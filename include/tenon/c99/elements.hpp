// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/c99/c_function.hpp>

namespace tenon::c99 {

// An op on elements as an expression of C. Its arguments are names or constants, of the types of values.
class element_writer {
 public:
  element_writer(c_function& to, const ir::graph_node& node, std::vector<std::string> arguments)
      : f_(to), node_(node), a_(std::move(arguments)), to_(to.element_of(node.results)) {
    from_ = node.operand_count > 0 ? to.element_of(to.g.operands_of(node)[0]) : to_;
  }

  // The name of the result, or nothing where C has no form of it.
  std::string write() {
    for (const int value : f_.g.operands_of(node_))
      if (!is_plain(value)) return refuse_type();
    if (!is_plain(node_.results)) return refuse_type();
    if (!ir::visit_op(node_.kind, f_.g.words.data + node_.words, *this)) {
      f_.refuse(node_, "has no form in C for " + name_of(from_) + "; write it in other ops");
      return "0";
    }
    return f_.let(value_type(to_),
                  is_narrow_float(to_) ? f_.helpers.call("round_" + name_of(to_)) + "(" + text_ + ")" : text_);
  }

  // Conversion of an element, rounded once.
  static std::string converted(c_function& f, const std::string& x, dtype from, dtype to) {
    const auto call = [&](const std::string& name) { return f.helpers.call(name); };
    if (from == to) return x;
    if (is_complex(to)) {
      const dtype part = real_type(to);
      if (is_complex(from))
        return call("complex_of_" + suffix_of(to)) + "((" + value_type(part) + ")" + x + ".real, (" + value_type(part) +
               ")" + x + ".imag)";
      return call("complex_of_" + suffix_of(to)) + "(" + converted(f, x, from, part) + ", 0)";
    }
    if (is_complex(from)) {
      const dtype part = real_type(from);
      if (is_boolean(to)) return "(" + x + ".real != 0 || " + x + ".imag != 0)";
      return converted(f, x + ".real", part, to);
    }
    if (is_boolean(to)) return x + " != 0";
    if (is_float(to)) {
      const std::string type = value_type(to);
      if (!is_narrow_float(to)) return "(" + type + ")" + x;
      std::string value = x;
      if (from == dtype::f64) value = call("narrow") + "(" + x + ")";
      if (is_integer(from) && num_bits(from) >= 32)
        value = call("narrow") + "(" + (num_bits(from) == 32 ? "(double)" + x : wide_number(f, x, from)) + ")";
      return call("round_" + name_of(to)) + "((float)" + value + ")";
    }
    if (is_float(from)) {
      const bool is_signed = is_signed_integer(to);
      const int bits = num_bits(to);
      if (!is_signed)
        return "(" + stored_type(to) + ")" + call("unsigned_of") + "((double)" + x + ", " +
               (bits == 64 ? "UINT64_MAX" : std::to_string((std::uint64_t{1} << bits) - 1)) + ")";
      const std::string high = bits == 64 ? "INT64_MAX" : std::to_string((std::uint64_t{1} << (bits - 1)) - 1);
      return "(" + stored_type(to) + ")" + call("integer_of") + "((double)" + x + ", -" + high + " - 1, " + high + ")";
    }
    return wrapped(f, to, "(" + wrapping_type(to) + ")" + x);
  }

  // An unsigned number as an integer of a type, whose bits it has.
  static std::string wrapped(c_function& f, dtype to, const std::string& bits) {
    if (num_bits(to) >= 8) return "(" + stored_type(to) + ")(" + bits + ")";
    if (is_signed_integer(to))
      return f.helpers.call("signed_bits") + "(" + bits + ", " + std::to_string(num_bits(to)) + ")";
    return "(uint8_t)((" + bits + ") & " + std::to_string((1 << num_bits(to)) - 1) + "u)";
  }

  // Sums and so on in a type, wherever they are asked for.
  static std::string sum(c_function& f, dtype in, const std::string& a, const std::string& b) {
    return arithmetic(f, in, a, b, "+", "add");
  }
  static std::string difference(c_function& f, dtype in, const std::string& a, const std::string& b) {
    return arithmetic(f, in, a, b, "-", "subtract");
  }
  static std::string product(c_function& f, dtype in, const std::string& a, const std::string& b) {
    return arithmetic(f, in, a, b, "*", "multiply");
  }
  static std::string quotient(c_function& f, dtype in, const std::string& a, const std::string& b) {
    if (is_complex(in)) return f.helpers.call("divide_" + suffix_of(in)) + "(" + a + ", " + b + ")";
    if (is_float(in)) return a + " / " + b;
    return divided(f, in, "divide", a, b);
  }

  bool operator()(const ops::add&) { return is(sum(f_, from_, a_[0], a_[1])); }
  bool operator()(const ops::subtract&) { return is(difference(f_, from_, a_[0], a_[1])); }
  bool operator()(const ops::multiply&) { return is(product(f_, from_, a_[0], a_[1])); }
  bool operator()(const ops::divide&) { return !is_boolean(from_) && is(quotient(f_, from_, a_[0], a_[1])); }
  bool operator()(const ops::remainder&) {
    if (is_integer(from_)) return is(divided(f_, from_, "remainder", a_[0], a_[1]));
    return is_float(from_) && is(libm("fmod") + "(" + a_[0] + ", " + a_[1] + ")");
  }
  bool operator()(const ops::power&) {
    if (is_integer(from_)) return is(divided(f_, from_, "power", a_[0], a_[1]));
    if (is_complex(from_)) return is(helper("power") + "(" + a_[0] + ", " + a_[1] + ")");
    return is(libm("pow") + "(" + a_[0] + ", " + a_[1] + ")");
  }
  bool operator()(const ops::maximum&) { return is(extreme(true, a_[0], a_[1])); }
  bool operator()(const ops::minimum&) { return is(extreme(false, a_[0], a_[1])); }
  bool operator()(const ops::clamp&) {
    from_ = to_;
    const std::string above = f_.let(value_type(to_), extreme(true, a_[1], a_[0]));
    return is(extreme(false, above, a_[2]));
  }
  bool operator()(const ops::and_&) { return bitwise("&"); }
  bool operator()(const ops::or_&) { return bitwise("|"); }
  bool operator()(const ops::xor_&) { return bitwise("^"); }
  bool operator()(const ops::not_&) {
    return is(is_boolean(from_) ? "!" + a_[0] : wrapped(f_, from_, "~" + bits_of(a_[0])));
  }
  bool operator()(const ops::negate&) {
    if (is_complex(from_)) return is(complex_of("-" + a_[0] + ".real", "-" + a_[0] + ".imag"));
    return is(is_float(from_) ? "-" + parenthesized(a_[0]) : wrapped(f_, from_, "0u - " + bits_of(a_[0])));
  }
  bool operator()(const ops::abs&) {
    if (is_complex(from_)) return is((from_ == dtype::complex_f64 ? "hypot(" : "hypotf(") + parts(0) + ")");
    if (is_float(from_)) return is(libm("fabs") + "(" + a_[0] + ")");
    return is(a_[0] + " < 0 ? " + wrapped(f_, from_, "0u - " + bits_of(a_[0])) + " : " + a_[0]);
  }
  bool operator()(const ops::sign&) {
    if (is_complex(from_)) {
      const std::string size = f_.let(value_type(to_) == "complex_f32" ? "float" : "double",
                                      (from_ == dtype::complex_f64 ? "hypot(" : "hypotf(") + parts(0) + ")");
      return is(size + " > 0 ? " + complex_of(a_[0] + ".real / " + size, a_[0] + ".imag / " + size) + " : " + a_[0]);
    }
    if (is_float(from_)) return is(helper("sign") + "(" + a_[0] + ")");
    return is("(" + value_type(from_) + ")((" + a_[0] + " > 0) - (" + a_[0] + " < 0))");
  }
  bool operator()(const ops::compare& op) {
    using enum comparison_direction;
    const comparison_direction way = op.comparison_direction;
    const std::string sign = way == EQ   ? " == "
                             : way == NE ? " != "
                             : way == GE ? " >= "
                             : way == GT ? " > "
                             : way == LE ? " <= "
                                         : " < ";
    if (is_complex(from_)) {
      const std::string equal = a_[0] + ".real == " + a_[1] + ".real && " + a_[0] + ".imag == " + a_[1] + ".imag";
      if (way == EQ || way == NE) return is(way == EQ ? equal : "!(" + equal + ")");
      const bool swaps = way == GT || way == GE;
      const std::string less = helper("less") + "(" + a_[swaps ? 1 : 0] + ", " + a_[swaps ? 0 : 1] + ")";
      return is(way == LT || way == GT ? less : "(" + equal + ") || " + less);
    }
    // No number without a sign is below 0, which compilers warn of.
    if (is_unsigned_integer(from_) && is_zero(a_[1]) && (way == LT || way == GE))
      return is(way == LT ? "false" : "true");
    if (is_unsigned_integer(from_) && is_zero(a_[0]) && (way == GT || way == LE))
      return is(way == GT ? "false" : "true");
    if (!is_float(from_) && a_[0] == a_[1]) return is(way == EQ || way == LE || way == GE ? "true" : "false");
    if (op.compare_type != comparison_type::TOTALORDER) return is(a_[0] + sign + a_[1]);
    return is(helper("order") + "(" + a_[0] + ")" + sign + helper("order") + "(" + a_[1] + ")");
  }
  bool operator()(const ops::select&) { return is(a_[0] + " ? " + a_[1] + " : " + a_[2]); }
  bool operator()(const ops::convert&) { return is(converted(f_, parenthesized(a_[0]), from_, to_)); }
  bool operator()(const ops::shift_left&) {
    return is(wrapped(f_, from_, "(" + wrapping_type(from_) + ")" + shift("shift_left", bits_of(a_[0], true))));
  }
  bool operator()(const ops::shift_right_logical&) {
    return is(wrapped(f_, from_, "(" + wrapping_type(from_) + ")" + shift("shift_right", bits_of(a_[0], true))));
  }
  bool operator()(const ops::shift_right_arithmetic&) {
    const std::string number = is_signed_integer(from_) || num_bits(from_) == 64
                                   ? "(int64_t)" + a_[0]
                                   : "(int64_t)(((uint64_t)" + a_[0] + " ^ " +
                                         std::to_string(std::uint64_t{1} << (num_bits(from_) - 1)) + "u) - " +
                                         std::to_string(std::uint64_t{1} << (num_bits(from_) - 1)) + "u)";
    return is(wrapped(f_, from_, "(" + wrapping_type(from_) + ")" + shift("shift_right_signed", number)));
  }
  bool operator()(const ops::popcnt&) {
    return is("(" + value_type(to_) + ")" + f_.helpers.call("count_bits") + "(" + bits_of(a_[0], true) + ")");
  }
  bool operator()(const ops::count_leading_zeros&) {
    return is("(" + value_type(to_) + ")" + f_.helpers.call("leading_zeros") + "(" + bits_of(a_[0], true) + ", " +
              std::to_string(num_bits(from_)) + ")");
  }
  bool operator()(const ops::mulhi&) {
    const std::string bits = std::to_string(num_bits(from_));
    if (num_bits(from_) < 64) {
      const std::string wide = is_signed_integer(from_) ? "(int64_t)" : "(uint64_t)";
      const std::string all = "(uint64_t)(" + wide + a_[0] + " * " + wide + a_[1] + ")";
      return is(wrapped(f_, from_, "(" + wrapping_type(from_) + ")(" + all + " >> " + bits + ")"));
    }
    std::string high = f_.helpers.call("mulhi_unsigned") + "((uint64_t)" + a_[0] + ", (uint64_t)" + a_[1] + ")";
    for (int i = 0; i < 2 && is_signed_integer(from_); ++i)
      high += " - (" + a_[std::size_t(i)] + " < 0 ? (uint64_t)" + a_[std::size_t(1 - i)] + " : 0u)";
    return is(wrapped(f_, from_, high));
  }
  bool operator()(const ops::complex&) { return is(complex_of(a_[0], a_[1])); }
  bool operator()(const ops::real&) { return is(is_complex(from_) ? a_[0] + ".real" : a_[0]); }
  bool operator()(const ops::imag&) { return is(is_complex(from_) ? a_[0] + ".imag" : "0"); }
  bool operator()(const ops::conj&) {
    return is(is_complex(from_) ? complex_of(a_[0] + ".real", "-" + a_[0] + ".imag") : a_[0]);
  }
  bool operator()(const ops::is_finite&) { return is("isfinite(" + a_[0] + ")"); }
  bool operator()(const ops::is_inf&) { return is("isinf(" + a_[0] + ")"); }
  bool operator()(const ops::is_pos_inf&) { return is(a_[0] + " == INFINITY"); }
  bool operator()(const ops::is_neg_inf&) { return is(a_[0] + " == -INFINITY"); }
  bool operator()(const ops::square&) {
    return is(is_complex(from_) ? helper("square") + "(" + a_[0] + ")" : product(f_, from_, a_[0], a_[0]));
  }
  bool operator()(const ops::rsqrt&) {
    if (is_complex(from_)) return is(quotient(f_, from_, complex_of("1", "0"), helper("sqrt") + "(" + a_[0] + ")"));
    return is("1 / " + libm("sqrt") + "(" + a_[0] + ")");
  }
  bool operator()(const ops::logistic&) {
    return is_float(from_) && is("1 / (1 + " + libm("exp") + "(-" + parenthesized(a_[0]) + "))");
  }
  bool operator()(const ops::next_after&) {
    return !is_narrow_float(from_) && is(libm("nextafter") + "(" + a_[0] + ", " + a_[1] + ")");
  }
  bool operator()(const ops::erf_inv&) { return is(helper("erf_inv") + "(" + a_[0] + ")"); }
  bool operator()(const ops::digamma&) { return is(helper("digamma") + "(" + a_[0] + ")"); }
  bool operator()(const ops::reduce_precision& op) {
    const std::string bits = std::to_string(op.exponent_bits) + ", " + std::to_string(op.mantissa_bits);
    return is(helper("reduce_precision") + "(" + a_[0] + ", " + bits + ")");
  }
  // Functions of math.h of one or two floats, and of complex numbers those that there are.
  bool otherwise() {
    static constexpr struct {
      std::string_view op, function;
      bool is_complex = false;
    } functions[] = {{"exponential", "exp", true},
                     {"exponential_minus_one", "expm1", true},
                     {"log", "log", true},
                     {"log_plus_one", "log1p"},
                     {"sqrt", "sqrt", true},
                     {"cbrt", "cbrt"},
                     {"sine", "sin", true},
                     {"cosine", "cos", true},
                     {"tan", "tan"},
                     {"tanh", "tanh", true},
                     {"atan2", "atan2"},
                     {"floor", "floor"},
                     {"ceil", "ceil"},
                     {"round_nearest_afz", "round"},
                     {"round_nearest_even", "rint"},
                     {"erf", "erf"},
                     {"erfc", "erfc"},
                     {"asin", "asin"},
                     {"acos", "acos"},
                     {"atan", "atan"},
                     {"asinh", "asinh"},
                     {"acosh", "acosh"},
                     {"atanh", "atanh"},
                     {"sinh", "sinh"},
                     {"cosh", "cosh"},
                     {"lgamma", "lgamma"}};
    for (const auto& each : functions)
      if (each.op == ir::name_of_kind(node_.kind) && (is_float(from_) || (is_complex(from_) && each.is_complex))) {
        text_ = (is_complex(from_) ? helper(std::string(each.op)) : libm(std::string(each.function))) + "(" + a_[0];
        return is(text_ + (a_.size() > 1 ? ", " + a_[1] : "") + ")");
      }
    return false;
  }

 private:
  c_function& f_;
  const ir::graph_node& node_;
  std::vector<std::string> a_;
  dtype from_, to_;
  std::string text_;

  bool is_plain(int value) const {
    const tensor_type& type = f_.g.type_of_value(value);
    return type.is_tensor() && !type.is_quantized() && has_c_type(type.element);
  }
  std::string refuse_type() {
    f_.refuse(node_, "has elements that C has no type for; convert them to f32 or an integer first");
    return "0";
  }
  bool is(const std::string& text) {
    text_ = text;
    return true;
  }
  static bool is_zero(const std::string& text) { return text == "0" || text == "0u" || text == "UINT64_C(0)"; }
  static std::string parenthesized(const std::string& text) { return text[0] == '-' ? "(" + text + ")" : text; }
  static std::string wide_number(c_function& f, const std::string& x, dtype from) {
    const std::string name = f.helpers.call("wide_integer");
    if (!is_signed_integer(from)) return name + "(" + x + ")";
    return "(" + x + " < 0 ? -" + name + "(0u - (uint64_t)" + x + ") : " + name + "((uint64_t)" + x + "))";
  }
  std::string libm(const std::string& name) const { return name + (from_ == dtype::f64 ? "" : "f"); }
  std::string helper(const std::string& name) { return f_.helpers.call(name + "_" + suffix_of(from_)); }
  std::string parts(std::size_t i) const { return a_[i] + ".real, " + a_[i] + ".imag"; }
  std::string complex_of(const std::string& real, const std::string& imag) {
    const dtype of = is_complex(to_) ? to_ : from_;
    return f_.helpers.call("complex_of_" + suffix_of(of)) + "(" + real + ", " + imag + ")";
  }
  // The bits of an integer, and no others in front if `alone`.
  std::string bits_of(const std::string& x, bool alone = false) const {
    const std::string bits = "(" + wrapping_type(from_) + ")" + x;
    if (!alone || num_bits(from_) >= 32) return bits;
    return "(" + bits + " & " + std::to_string((1u << num_bits(from_)) - 1) + "u)";
  }
  std::string shift(const std::string& name, const std::string& x) {
    return f_.helpers.call(name) + "(" + x + ", " + bits_of(a_[1], true) + ", " + std::to_string(num_bits(from_)) + ")";
  }
  bool bitwise(const std::string& op) {
    if (is_boolean(from_)) return is("(" + a_[0] + " " + op + " " + a_[1] + ") != 0");
    return is(wrapped(f_, from_, bits_of(a_[0]) + " " + op + " " + bits_of(a_[1])));
  }
  std::string extreme(bool larger, const std::string& a, const std::string& b) {
    if (is_float(from_)) return helper(larger ? "maximum" : "minimum") + "(" + a + ", " + b + ")";
    if (is_complex(from_)) return helper("first_of") + "(" + a + ", " + b + (larger ? ", true)" : ", false)");
    return a == b ? a : a + (larger ? " < " : " > ") + b + " ? " + b + " : " + a;
  }
  static std::string divided(c_function& f, dtype in, const std::string& name, const std::string& a,
                             const std::string& b) {
    const std::string form = is_signed_integer(in) ? "_signed" : "_unsigned";
    return wrapped(f, in, "(" + wrapping_type(in) + ")" + f.helpers.call(name + form) + "(" + a + ", " + b + ")");
  }
  static std::string arithmetic(c_function& f, dtype in, const std::string& a, const std::string& b,
                                const std::string& sign, const std::string& name) {
    if (is_boolean(in)) return a + (sign == "*" ? " && " : sign == "+" ? " || " : " != ") + b;
    if (is_complex(in)) return f.helpers.call(name + "_" + suffix_of(in)) + "(" + a + ", " + b + ")";
    if (is_float(in)) return a + " " + sign + " " + parenthesized(b);
    const std::string bits = "(" + wrapping_type(in) + ")";
    return wrapped(f, in, bits + a + " " + sign + " " + bits + b);
  }
};

}  // namespace tenon::c99
