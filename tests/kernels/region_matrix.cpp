// SPDX-License-Identifier: Apache-2.0
//
// Regions of programs that are read at run time, a matrix of loops, bodies and element types: every loop gives to the
// last bit what the op's reference gives that runs the region once for each element.
#include <tenon/kernels/registry.hpp>

#include <shared/shared_program.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::planning;
using namespace tenon::kernels;

namespace {

template <class Op>
kernel find_element(const kernel_key& key) {
  kernel found = nullptr;
  visit<dtype::i1, dtype::f32, dtype::f64, dtype::i32, dtype::i64>(key.element, [&]<class T>() {
    constexpr dtype result = std::is_same_v<Op, ops::compare> ? dtype::i1 : dtype_of<T>;
    constexpr bool is_logic = std::is_same_v<Op, ops::and_> || std::is_same_v<Op, ops::not_>;
    if constexpr (is_logic == std::is_same_v<T, bool>) found = kernel_of<Op, dtype_of<T>, result>();
    return true;
  });
  return found;
}
// The op's own reference, which is not told how to do many elements at a time.
template <class Op, class T>
void run_reference(const evaluation& e) {
  evaluation plain = e;
  plain.find_lanes = nullptr;
  plain.gives_in_place = nullptr;
  read_attributes<Op>(e.words).template evaluate<T>(plain);
}
template <bool Reference, class Op>
kernel find_moving(const kernel_key& key) {
  if constexpr (Reference)
    return storage_bytes(key.element) == 8 ? &run_reference<Op, std::uint64_t> : &run_reference<Op, std::uint32_t>;
  else
    return storage_bytes(key.element) == 8 ? kernel_of<Op, dtype::ui64, dtype::ui64>()
                                           : kernel_of<Op, dtype::ui32, dtype::ui32>();
}
template <bool Reference>
kernel find(const kernel_key& key) {
  kernel found = nullptr;
  const auto consider = [&]<class... Op>(op_list<Op...>) {
    ((key.kind == kind_of_op<Op> ? void(found = find_element<Op>(key)) : void()), ...);
  };
  consider(op_list<ops::add, ops::subtract, ops::multiply, ops::maximum, ops::negate, ops::compare, ops::select,
                   ops::and_, ops::not_>());
  const auto consider_moving = [&]<class... Op>(op_list<Op...>) {
    ((key.kind == kind_of_op<Op> ? void(found = find_moving<Reference, Op>(key)) : void()), ...);
  };
  consider_moving(op_list<ops::reduce, ops::reduce_window, ops::scatter, ops::map, ops::scan>());
  return found;
}

// Among the numbers are some that rounding, signs and wrapping around tell apart.
template <class T>
T number(std::size_t k) {
  if (k % 29 == 3) return std::numeric_limits<T>::max();
  if constexpr (std::is_floating_point_v<T>) {
    if (k % 31 == 5) return std::numeric_limits<T>::quiet_NaN();
    if (k % 23 == 7) return -std::numeric_limits<T>::infinity();
    if (k % 19 == 2) return T(k % 2 == 0 ? -0.0 : 0.0);
    return T(int(k * 37 % 101) - 50) / T(7);
  } else {
    return T(int(k * 37 % 101) - 50);
  }
}
// NaN stand for each other.
bool same(const tensor_type& type, const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  bool result = true;
  visit<dtype::f32, dtype::f64, dtype::i32, dtype::i64>(type.element, [&]<class T>() {
    for (index_t i = 0; i < type.size(); ++i) {
      T x, y;
      std::memcpy(&x, a.data() + i * index_t(sizeof(T)), sizeof x);
      std::memcpy(&y, b.data() + i * index_t(sizeof(T)), sizeof y);
      if (std::memcmp(&x, &y, sizeof x) != 0 && (x == x || y == y)) result = false;
    }
    return true;
  });
  return result;
}

std::vector<std::vector<std::byte>> run(const std::string& text, kernel_finder finder, index_t places) {
  shared_program program(text, finder);
  INFO(text);
  REQUIRE(program);
  std::vector<std::vector<std::byte>> arguments, results;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (int i = 0; i < program.argument_count(); ++i) {
    const tensor_type& type = program.argument_type(i);
    std::vector<std::byte>& bytes = arguments.emplace_back(std::size_t(type.size() * storage_bytes(type.element)));
    visit<dtype::f32, dtype::f64, dtype::i32, dtype::i64>(type.element, [&]<class T>() {
      for (std::size_t k = 0; k < std::size_t(type.size()); ++k) {
        const T element =
            places > 0 && i == 1 ? T(int(k * 97 % std::size_t(places + 7)) - 3) : number<T>(k + std::size_t(i));
        std::memcpy(bytes.data() + k * sizeof(T), &element, sizeof element);
      }
      return true;
    });
  }
  for (int i = 0; i < program.result_count(); ++i)
    results.emplace_back(std::size_t(program.result_type(i).size() * storage_bytes(program.result_type(i).element)));
  for (const auto& each : arguments) from.push_back(each.data());
  for (auto& each : results) to.push_back(each.data());
  program(from.data(), to.data());
  return results;
}

// With T for the element type.
std::string replaced(std::string text, const std::string& element) {
  for (std::size_t at = text.find('T'); at != std::string::npos; at = text.find('T', at + element.size()))
    if (at > 0 && (text[at - 1] == '<' || text[at - 1] == 'x')) text.replace(at, 1, element);
  return text;
}
void check(const std::string& text, index_t places = 0) {
  const shared_program program(text, &find<false>);
  const auto got = run(text, &find<false>, places), wanted = run(text, &find<true>, places);
  INFO(text);
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(same(program.result_type(int(i)), got[i], wanted[i]));
}

// Of two arguments %x and %y, to %z.
const std::string bodies[] = {
    "%h = stablehlo.constant dense<2> : tensor<T>\n%p = stablehlo.multiply %x, %h : tensor<T>\n"
    "%z = stablehlo.add %p, %y : tensor<T>\n",
    // What is known last is the second operand, or both, or one that is needed again.
    "%p = stablehlo.multiply %x, %y : tensor<T>\n%z = stablehlo.subtract %y, %p : tensor<T>\n",
    "%p = stablehlo.subtract %y, %x : tensor<T>\n%q = stablehlo.multiply %p, %p : tensor<T>\n"
    "%z = stablehlo.add %p, %q : tensor<T>\n",
    "%p = stablehlo.negate %y : tensor<T>\n%q = stablehlo.maximum %x, %p : tensor<T>\n"
    "%r = stablehlo.maximum %q, %y : tensor<T>\n%z = stablehlo.subtract %r, %x : tensor<T>\n",
    // Masks, of all directions.
    "%p = stablehlo.compare LT, %x, %y : (tensor<T>, tensor<T>) -> tensor<i1>\n"
    "%q = stablehlo.compare NE, %y, %y : (tensor<T>, tensor<T>) -> tensor<i1>\n%n = stablehlo.not %q : tensor<i1>\n"
    "%both = stablehlo.and %p, %n : tensor<i1>\n%s = stablehlo.add %x, %y : tensor<T>\n"
    "%z = stablehlo.select %both, %y, %s : tensor<i1>, tensor<T>\n",
    "%s = stablehlo.add %x, %y : tensor<T>\n%p = stablehlo.compare GE, %y, %s : (tensor<T>, tensor<T>) -> tensor<i1>\n"
    "%u = stablehlo.select %p, %x, %y : tensor<i1>, tensor<T>\n"
    "%q = stablehlo.compare GT, %u, %s : (tensor<T>, tensor<T>) -> tensor<i1>\n"
    "%z = stablehlo.select %q, %u, %s : tensor<i1>, tensor<T>\n",
    "%s = stablehlo.add %x, %y : tensor<T>\n%p = stablehlo.compare LE, %s, %y : (tensor<T>, tensor<T>) -> tensor<i1>\n"
    "%q = stablehlo.compare EQ, %s, %y : (tensor<T>, tensor<T>) -> tensor<i1>\n"
    "%u = stablehlo.select %p, %x, %s : tensor<i1>, tensor<T>\n"
    "%z = stablehlo.select %q, %y, %u : tensor<i1>, tensor<T>\n",
};
// Of totals %x and %i and of elements %y and %j, to %u and %v.
const std::string pairs[] = {
    "%p = stablehlo.compare GE, %x, %y : (tensor<T>, tensor<T>) -> tensor<i1>\n"
    "%u = stablehlo.select %p, %x, %y : tensor<i1>, tensor<T>\n%v = stablehlo.select %p, %i, %j : tensor<i1>, "
    "tensor<T>\n",
    // A total that is read after it is known anew, and totals that change places.
    "%u = stablehlo.add %x, %y : tensor<T>\n%q = stablehlo.multiply %u, %j : tensor<T>\n"
    "%v = stablehlo.subtract %q, %x : tensor<T>\n",
    "%s = stablehlo.subtract %x, %y : tensor<T>\n%v = stablehlo.add %s, %j : tensor<T>\n"
    "%u = stablehlo.maximum %i, %y : tensor<T>\n",
};
const std::string elements[] = {"f32", "f64", "i32", "i64"};

std::string body_of(const std::string& ops) {
  return "({\n^bb0(%x: tensor<T>, %y: tensor<T>):\n" + ops + "stablehlo.return %z : tensor<T>\n}) ";
}
std::string pair_of(const std::string& ops) {
  return "({\n^bb0(%x: tensor<T>, %i: tensor<T>, %y: tensor<T>, %j: tensor<T>):\n" + ops +
         "stablehlo.return %u, %v : tensor<T>, tensor<T>\n}) ";
}
// An op that folds %a, or %a and %b, to that shape, from 1 on.
std::string fold(const std::string& op, const std::string& attributes, const std::string& from, const std::string& to,
                 const std::string& region, bool of_two) {
  const std::string in = "tensor<" + from + "xT>", out = "tensor<" + to + "xT>", one = "tensor<T>";
  const std::string head = "func.func @main(%a: " + in + ", %b: " + in + ") -> ";
  const std::string start = "%o = stablehlo.constant dense<1> : " + one + "\n";
  if (of_two)
    return head + "(" + out + ", " + out + ") {\n" + start + "%r:2 = \"stablehlo." + op + "\"(%a, %b, %o, %o) " +
           region + attributes + " : (" + in + ", " + in + ", " + one + ", " + one + ") -> (" + out + ", " + out +
           ")\nreturn %r#0, %r#1 : " + out + ", " + out + "\n}\n";
  return head + out + " {\n" + start + "%r = \"stablehlo." + op + "\"(%a, %o) " + region + attributes + " : (" + in +
         ", " + one + ") -> " + out + "\nreturn %r : " + out + "\n}\n";
}

// A scan of %a, or of %a and %b, of so many turns on elements or on rows of that many, from 1 on.
std::string scan(std::string body, bool of_two, index_t turns, const std::string& row, bool is_reverse) {
  const std::string in = "tensor<" + std::to_string(turns) + "x" + row + "T>", carry = "tensor<" + row + "T>";
  for (const std::string type : {"T>", "i1>"})
    for (std::size_t at = body.find("tensor<" + type); at != std::string::npos;
         at = body.find("tensor<" + type, at + 1))
      if (row.size() > 0) body.insert(at + 7, row);
  const std::string segments = of_two ? "2, 2" : "1, 1";
  const auto twice = [&](const std::string& type) { return of_two ? type + ", " + type : type; };
  const std::string types = twice(in) + ", " + twice(carry);
  return "func.func @main(%a: " + in + ", %b: " + in + ") -> (" + types +
         ") {\n%o = stablehlo.constant dense<1> : " + carry + "\n%r:" + (of_two ? "4" : "2") + " = \"chlo.scan\"(" +
         (of_two ? "%a, %b, %o, %o" : "%a, %o") + ") " + body +
         "{dimension = 0 : i64, is_reverse = " + (is_reverse ? "true" : "false") +
         ", operandSegmentSizes = array<i32: " + segments + ">, resultSegmentSizes = array<i32: " + segments +
         ">} : (" + types + ") -> (" + types + ")\nreturn " + (of_two ? "%r#0, %r#1, %r#2, %r#3" : "%r#0, %r#1") +
         " : " + types + "\n}\n";
}

// Calls f(region, of_two, element) for all of them.
template <class F>
void for_each_body(F f) {
  for (const std::string& element : elements) {
    const bool is_float = element[0] == 'f';
    const auto fit = [&](std::string ops) {
      if (is_float)
        for (std::size_t at = ops.find("dense<2>"); at != std::string::npos; at = ops.find("dense<2>"))
          ops.replace(at, 8, "dense<0.5>");
      return ops;
    };
    for (const std::string& each : bodies) f(body_of(fit(each)), false, element);
    for (const std::string& each : pairs) f(pair_of(fit(each)), true, element);
  }
}
void check_folds(const std::string& op, const std::string& attributes, const std::string& from, const std::string& to) {
  for_each_body([&](const std::string& region, bool of_two, const std::string& element) {
    std::string text = fold(op, attributes, from, to, region, of_two);
    if (element[0] == 'f') text.replace(text.find("dense<1> : tensor<T>"), 8, "dense<1.0>");
    check(replaced(text, element));
  });
}

}  // namespace

TEST_CASE("folds of axes") {
  check_folds("reduce", "{dimensions = array<i64: 0>}", "70x150", "150");
  check_folds("reduce", "{dimensions = array<i64: 0>}", "9x1100", "1100");
  check_folds("reduce", "{dimensions = array<i64: 0>}", "307x160", "160");
  check_folds("reduce", "{dimensions = array<i64: 1>}", "300x21", "300");
}

TEST_CASE("folds of what is under windows") {
  check_folds("reduce_window", "{window_dimensions = array<i64: 3, 3>}", "20x131", "18x129");
  check_folds("reduce_window", "{window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 1>}",
              "2x150x500", "2x75x499");
  check_folds(
      "reduce_window",
      "{window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>, padding = dense<[[0, 0], "
      "[1, 0], [0, 1]]> : tensor<3x2xi64>}",
      "3x21x32", "3x11x16");
}

TEST_CASE("scatters of rows and of single elements, and map") {
  for_each_body([&](const std::string& region, bool of_two, const std::string& element) {
    if (of_two) return;
    check(replaced("func.func @main(%a: tensor<30x200xT>, %b: tensor<40x1xi32>, %c: tensor<40x200xT>) -> "
                   "tensor<30x200xT> {\n%r = \"stablehlo.scatter\"(%a, %b, %c) " +
                       region +
                       "{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims "
                       "= [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<30x200xT>, "
                       "tensor<40x1xi32>, tensor<40x200xT>) -> tensor<30x200xT>\nreturn %r : tensor<30x200xT>\n}\n",
                   element),
          30);
    check(replaced("func.func @main(%a: tensor<3000xT>, %b: tensor<4000x1xi32>, %c: tensor<4000xT>) -> tensor<3000xT> "
                   "{\n%r = \"stablehlo.scatter\"(%a, %b, %c) " +
                       region +
                       "{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
                       "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3000xT>, "
                       "tensor<4000x1xi32>, tensor<4000xT>) -> tensor<3000xT>\nreturn %r : tensor<3000xT>\n}\n",
                   element),
          3000);
    for (const std::string size : {"127", "2500"}) {
      const std::string type = "tensor<" + size + "xT>";
      check(replaced("func.func @main(%a: " + type + ", %b: " + type + ") -> " + type +
                         " {\n%r = \"stablehlo.map\"(%a, %b) " + region + "{dimensions = array<i64: 0>} : (" + type +
                         ", " + type + ") -> " + type + "\nreturn %r : " + type + "\n}\n",
                     element));
    }
  });
}

TEST_CASE("scans of lines and of rows") {
  for_each_body([&](std::string region, bool of_two, const std::string& element) {
    // What a turn gives is given on; of two, they also change places.
    const std::string given =
        of_two ? "stablehlo.return %u, %v : tensor<T>, tensor<T>" : "stablehlo.return %z : tensor<T>";
    const auto giving = [&](const std::string& more) {
      std::string all = region;
      return all.replace(all.find(given), given.size(), more);
    };
    std::vector<std::string> regions;
    if (of_two)
      regions = {giving("stablehlo.return %u, %v, %u, %v : tensor<T>, tensor<T>, tensor<T>, tensor<T>"),
                 giving("stablehlo.return %i, %u, %v, %x : tensor<T>, tensor<T>, tensor<T>, tensor<T>")};
    else
      regions = {giving("stablehlo.return %z, %z : tensor<T>, tensor<T>"),
                 giving("stablehlo.return %y, %z : tensor<T>, tensor<T>")};
    for (const std::string& each : regions)
      for (const std::string row : {"", "3x", "5x", "20x", "50x", "200x"})
        for (const index_t turns : {1, 5, 24, 67}) {
          std::string text = scan(each, of_two, turns, row, turns == 5 || turns == 67);
          if (element[0] == 'f') text.replace(text.find("dense<1>"), 8, "dense<1.0>");
          check(replaced(text, element));
        }
  });
}
