// SPDX-License-Identifier: Apache-2.0
#include <gradients/checked_gradient.hpp>

using namespace tenon;
using namespace tenon::gradients;

namespace {

const std::string counted =
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %five = stablehlo.constant dense<5> : tensor<i32>\n";

// Five turns that carry a tensor and one more that stays.
std::string loop(const std::string& turn, const std::string& limit = "%five", const std::string& also = "") {
  return function({"3xf64", "3xf64"},
                  counted +
                      "  %l0, %l1, %l2 = stablehlo.while(%i = %zero, %x = %a, %s = %b) : tensor<i32>, tensor<3xf64>, "
                      "tensor<3xf64>\n  cond {\n    %c = stablehlo.compare LT, %i, " +
                      limit + " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" + also + "    stablehlo.return %" +
                      (also.empty() ? "c" : "goes") + " : tensor<i1>\n  } do {\n" + turn +
                      "    %n = stablehlo.add %i, %one : tensor<i32>\n"
                      "    stablehlo.return %n, %next, %s : tensor<i32>, tensor<3xf64>, tensor<3xf64>\n  }\n"
                      "  %y0 = stablehlo.multiply %l1, %l1 : tensor<3xf64>",
                  {"3xf64"});
}

}  // namespace

TEST_CASE("loops whose turns are counted") {
  check_gradient(
      loop("    %t = stablehlo.multiply %x, %s : tensor<3xf64>\n    %next = stablehlo.sine %t : tensor<3xf64>\n"));
  // A value from outside, and the counter.
  check_gradient(
      loop("    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f64>\n"
           "    %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f64>) -> tensor<3xf64>\n"
           "    %t = stablehlo.multiply %x, %a : tensor<3xf64>\n    %u = stablehlo.add %t, %g : tensor<3xf64>\n"
           "    %next = stablehlo.sine %u : tensor<3xf64>\n"));
  // Linear: nothing is kept.
  check_gradient(loop("    %next = stablehlo.add %x, %s : tensor<3xf64>\n"));
  // No turn.
  check_gradient(loop("    %next = stablehlo.multiply %x, %s : tensor<3xf64>\n", "%zero"));
}

TEST_CASE("what does not change in a loop takes its cotangent once") {
  // Parts of what stays, of a value from outside, and what stays as the next value of another.
  const std::string parts =
      "    %p = stablehlo.slice %s [0:1] : (tensor<3xf64>) -> tensor<1xf64>\n"
      "    %q = stablehlo.slice %a [2:3] : (tensor<3xf64>) -> tensor<1xf64>\n"
      "    %r = stablehlo.multiply %p, %q : tensor<1xf64>\n    %f = stablehlo.reshape %r : (tensor<1xf64>) -> "
      "tensor<f64>\n    %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f64>) -> tensor<3xf64>\n"
      "    %t = stablehlo.multiply %x, %g : tensor<3xf64>\n";
  const std::string summed = loop(parts + "    %next = stablehlo.sine %t : tensor<3xf64>\n");
  check_gradient(summed);
  check_gradient(loop(parts + "    %next = stablehlo.add %s, %t : tensor<3xf64>\n"));
  check_gradient(loop("    %next = stablehlo.add %s, %s : tensor<3xf64>\n"));
  // No part is padded in an iteration.
  const std::string backward = derivative_text(summed, {0, 1}, derivative::pullback);
  const std::size_t last = backward.rfind("stablehlo.while"), padded = backward.find("stablehlo.pad");
  CHECK(last < padded);
  CHECK(backward.find("}", backward.find("} do {", last) + 6) < padded);
}

TEST_CASE("loops whose turns have a bound") {
  // Ends after 1 to 5 turns, by the first element.
  for (const char* least : {"5.0", "1.5", "0.3", "-1.0"}) {
    const std::string small =
        "    %e = stablehlo.slice %x [0:1] : (tensor<3xf64>) -> tensor<1xf64>\n"
        "    %f = stablehlo.reshape %e : (tensor<1xf64>) -> tensor<f64>\n"
        "    %least = stablehlo.constant dense<" +
        std::string(least) +
        "> : tensor<f64>\n"
        "    %above = stablehlo.compare GT, %f, %least : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
        "    %goes = stablehlo.and %above, %c : tensor<i1>\n";
    const std::string turn =
        "    %t = stablehlo.multiply %x, %s : tensor<3xf64>\n    %next = stablehlo.sine %t : tensor<3xf64>\n";
    check_gradient(loop(turn, "%five", small), {.low = 0.8, .high = 0.95});
    // Within a loop whose turns are counted.
    std::string inner = loop(turn, "%five", small), outer;
    inner = inner.substr(inner.find("  %l0"), inner.find("  %y0") - inner.find("  %l0"));
    for (std::size_t at = 0; (at = inner.find("%", at)) != std::string::npos; ++at)
      if (inner.compare(at, 5, "%five") != 0 && inner.compare(at, 5, "%zero") != 0 && inner.compare(at, 4, "%one") != 0)
        inner.insert(at + 1, "m");
    for (const auto& [from, to] : {std::pair("%ma)", "%x)"), {"%mx = %ma", "%mx = %x"}, {"%ms = %mb", "%ms = %s"}})
      if (const std::size_t at = inner.find(from); at != std::string::npos)
        inner.replace(at, std::string(from).size(), to);
    check_gradient(loop(inner + "    %next = stablehlo.add %ml1, %s : tensor<3xf64>\n"),
                   {.low = 0.8, .high = 0.95, .orders = 1});
  }
}

TEST_CASE("loops that read and write rows") {
  check_gradient(function(
      {"4x3xf64", "3xf64"},
      counted + "  %four = stablehlo.constant dense<4> : tensor<i32>\n"
                "  %none = stablehlo.constant dense<0.0> : tensor<4x3xf64>\n"
                "  %l0, %l1, %l2 = stablehlo.while(%i = %zero, %h = %b, %ys = %none) : tensor<i32>, tensor<3xf64>, "
                "tensor<4x3xf64>\n  cond {\n"
                "    %c = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                "    stablehlo.return %c : tensor<i1>\n  } do {\n"
                "    %r = stablehlo.dynamic_slice %a, %i, %zero, sizes = [1, 3] : (tensor<4x3xf64>, tensor<i32>, "
                "tensor<i32>) -> tensor<1x3xf64>\n"
                "    %x = stablehlo.reshape %r : (tensor<1x3xf64>) -> tensor<3xf64>\n"
                "    %t = stablehlo.multiply %x, %h : tensor<3xf64>\n    %u = stablehlo.add %t, %x : tensor<3xf64>\n"
                "    %next = stablehlo.tanh %u : tensor<3xf64>\n"
                "    %o = stablehlo.reshape %t : (tensor<3xf64>) -> tensor<1x3xf64>\n"
                "    %zs = stablehlo.dynamic_update_slice %ys, %o, %i, %zero : (tensor<4x3xf64>, tensor<1x3xf64>, "
                "tensor<i32>, tensor<i32>) -> tensor<4x3xf64>\n"
                "    %n = stablehlo.add %i, %one : tensor<i32>\n"
                "    stablehlo.return %n, %next, %zs : tensor<i32>, tensor<3xf64>, tensor<4x3xf64>\n  }\n"
                "  %y0 = stablehlo.multiply %l1, %b : tensor<3xf64>\n"
                "  %y1 = stablehlo.multiply %l2, %a : tensor<4x3xf64>",
      {"3xf64", "4x3xf64"}));
}

TEST_CASE("a loop within a loop") {
  check_gradient(
      loop("    %m0, %m1 = stablehlo.while(%j = %five, %z = %x) : tensor<i32>, tensor<3xf64>\n    cond {\n"
           "      %d = stablehlo.compare GT, %j, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
           "      stablehlo.return %d : tensor<i1>\n    } do {\n      %p = stablehlo.multiply %z, %s : tensor<3xf64>\n"
           "      %q = stablehlo.sine %p : tensor<3xf64>\n      %two = stablehlo.constant dense<2> : tensor<i32>\n"
           "      %k = stablehlo.subtract %j, %two : tensor<i32>\n"
           "      stablehlo.return %k, %q : tensor<i32>, tensor<3xf64>\n    }\n"
           "    %next = stablehlo.add %m1, %x : tensor<3xf64>\n"),
      {.orders = 1});
}

TEST_CASE("scans") {
  for (const char* reversed : {"false", "true"})
    check_gradient(
        function({"3x4xf64", "3xf64"},
                 "  %0 = stablehlo.sine %a : tensor<3x4xf64>\n"
                 "  %y0, %y1 = \"chlo.scan\"(%0, %b) <{dimension = 1 : i64, is_reverse = " +
                     std::string(reversed) +
                     ", is_associative = false, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = "
                     "array<i32: 1, 1>}> ({\n^bb0(%x: tensor<3xf64>, %h: tensor<3xf64>):\n"
                     "  %p = stablehlo.multiply %x, %h : tensor<3xf64>\n  %q = stablehlo.add %p, %x : tensor<3xf64>\n"
                     "  stablehlo.return %p, %q : tensor<3xf64>, tensor<3xf64>\n}) : (tensor<3x4xf64>, "
                     "tensor<3xf64>) -> (tensor<3x4xf64>, tensor<3xf64>)",
                 {"3x4xf64", "3xf64"}));
}

TEST_CASE("branches") {
  for (int which : {0, 1}) {
    check_gradient(
        function({"3xf64", "i1", "3xf64"},
                 "  %0 = stablehlo.sine %a : tensor<3xf64>\n  %y0 = \"stablehlo.if\"(%b) ({\n"
                 "    %t = stablehlo.multiply %0, %c : tensor<3xf64>\n    stablehlo.return %t : tensor<3xf64>\n  }, {\n"
                 "    stablehlo.return %a : tensor<3xf64>\n  }) : (tensor<i1>) -> tensor<3xf64>",
                 {"3xf64"}),
        {.integers = {{which}}});
    check_gradient(
        function({"3xf64", "i32"},
                 "  %0 = stablehlo.sine %a : tensor<3xf64>\n  %1, %2 = \"stablehlo.case\"(%b) ({\n"
                 "    %t = stablehlo.exponential %0 : tensor<3xf64>\n"
                 "    stablehlo.return %t, %a : tensor<3xf64>, tensor<3xf64>\n  }, {\n"
                 "    stablehlo.return %a, %0 : tensor<3xf64>, tensor<3xf64>\n  }) : (tensor<i32>) -> (tensor<3xf64>, "
                 "tensor<3xf64>)\n  %y0 = stablehlo.multiply %1, %2 : tensor<3xf64>",
                 {"3xf64"}),
        {.integers = {{which}}});
  }
}

TEST_CASE("a loop of unknown length that moves elements goes forwards only") {
  const std::string text =
      function({"2xf64"},
               "  %l0 = stablehlo.while(%x = %a) : tensor<2xf64>\n  cond {\n    %h = stablehlo.constant dense<0.25> : "
               "tensor<f64>\n"
               "    %s = stablehlo.slice %x [0:1] : (tensor<2xf64>) -> tensor<1xf64>\n    %r = stablehlo.reshape %s : "
               "(tensor<1xf64>) -> tensor<f64>\n    %c = stablehlo.compare LT, %r, %h : (tensor<f64>, tensor<f64>) -> "
               "tensor<i1>\n    stablehlo.return %c : tensor<i1>\n"
               "  } do {\n    %v = stablehlo.reverse %x, dims = [0] : tensor<2xf64>\n    %n = stablehlo.add %v, %v : "
               "tensor<2xf64>\n    stablehlo.return %n : tensor<2xf64>\n  }\n"
               "  %y0 = stablehlo.multiply %l0, %l0 : tensor<2xf64>",
               {"2xf64"});
  const int by[] = {0};
  refusal why;
  derivative_of_text(text, {by, 1}, derivative::pullback, why);
  CHECK(std::string(why.label) == "grad_while");
  shared_program push = load(derivative_text(text, {0}, derivative::pushforward));
  std::vector<array> arguments(2, array(type_of(dtype::f64, {2})));
  arguments[0].numbers = {0.2, 0.1}, arguments[1].numbers = {1, 0};
  const std::vector<array> results = run(push, arguments);
  CHECK(results[0].numbers[0] == doctest::Approx(0.64));
  CHECK(results[1].numbers[0] == doctest::Approx(2 * 0.8 * 4));
}
