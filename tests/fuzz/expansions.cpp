// SPDX-License-Identifier: Apache-2.0
//
// expansions COUNT: takes programs of one op that is read as several, with operands, results and attributes of any
// kind, through what the fuzzer does. The same ones every time.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fuzz/exercise.hpp>
#include <fuzz/mutate.hpp>

namespace {

class generator {
 public:
  explicit generator(fuzz::dice& random) : random_(random) {}

  std::string program() {
    types_.clear();
    base_ = shape();
    const std::string op = throw_one(2) == 0 ? stablehlo_op() : chlo_op();
    std::string arguments, values, gives;
    for (std::size_t i = 0; i < types_.size(); ++i)
      arguments += (i == 0 ? "%a" : ", %a") + std::to_string(i) + ": " + types_[i];
    for (std::size_t i = 0; i < results_.size(); ++i) {
      values += (i == 0 ? " %r#" : ", %r#") + std::to_string(i);
      gives += (i == 0 ? "" : ", ") + results_[i];
    }
    return "func.func @main(" + arguments + ") -> (" + gives + ") {\n  " + op + "\n  return" + values +
           (results_.empty() ? "" : " : " + gives) + "\n}\n" + comparator();
  }
  std::string instruction() {
    types_.clear();
    base_ = shape();
    static const char* const codes[] = {"bitcast", "dot",        "scaled-dot",         "topk",       "dynamic-reshape",
                                        "rng",     "all-to-all", "stochastic-convert", "custom-call"};
    static const char* const attributes[] = {"lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                                             "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                                             "k=2, largest=false",
                                             "k=0",
                                             "k=9, largest=true",
                                             "distribution=rng_uniform",
                                             "dimensions={0}",
                                             "dimensions={1}",
                                             "custom_call_target=\"TopK\"",
                                             "custom_call_target=\"Sharding\"",
                                             "replica_groups={{0,1}}"};
    std::string body, names;
    const std::size_t count = throw_one(5);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = "p" + std::to_string(i);
      body += "  " + name + " = " + hlo_type() + " parameter(" + std::to_string(i) + ")\n";
      names += (i == 0 ? "" : ", ") + name;
    }
    const std::string result = throw_one(3) > 0 ? hlo_type() : "(" + hlo_type() + ", " + hlo_type() + ")";
    return "HloModule m\nENTRY main {\n" + body + "  ROOT r = " + (throw_one(20) == 0 ? "()" : result) + " " +
           pick(codes) + "(" + names + "), " + pick(attributes) + "\n}\n";
  }

 private:
  using sizes = std::vector<int>;

  fuzz::dice& random_;
  std::vector<std::string> types_, results_;  // of the arguments, and of what the op gives
  sizes base_;                                // the shape that most types have

  std::size_t throw_one(std::size_t sides) { return random_.throw_one(sides); }
  template <std::size_t Count>
  std::string pick(const char* const (&of)[Count]) {
    return of[throw_one(Count)];
  }
  sizes shape() {
    sizes result(throw_one(4));
    for (int& each : result) each = int(throw_one(5));
    return result;
  }
  // Nearly always that of the program.
  sizes near() {
    sizes result = throw_one(4) > 0 ? base_ : throw_one(3) == 0 ? shape() : sizes();
    if (!result.empty() && throw_one(4) == 0) result[throw_one(result.size())] = int(throw_one(6));
    return result;
  }
  std::string element() {
    static const char* const all[] = {"f32",  "f32", "f32",  "i32",      "i32",    "i1",           "i8",
                                      "ui32", "f64", "bf16", "f8E4M3FN", "f8E5M2", "complex<f32>", "i64"};
    return pick(all);
  }
  std::string tensor(const sizes& of, const std::string& element) {
    std::string text = "tensor<";
    for (const int each : of) text += std::to_string(each) + "x";
    return text + element + ">";
  }
  std::string type() { return tensor(near(), element()); }
  std::string hlo_type() {
    static const char* const all[] = {"f32", "f32", "s32", "s32", "pred", "u32", "f64", "bf16", "f8e4m3fn", "u16"};
    std::string text = pick(all) + "[";
    bool first = true;
    for (const int each : near()) text += (first ? "" : ",") + std::to_string(each), first = false;
    return text + "]";
  }
  std::string number() {
    static const char* const all[] = {"0", "1", "2", "-1", "3", "16", "9223372036854775807", "-9223372036854775808"};
    return pick(all);
  }

  // `(%a0, %a1) {attributes} : (T, T) -> (U, U)` of these types, or of others.
  std::string call(const std::string& name, std::vector<std::string> operands, std::vector<std::string> results,
                   const std::string& attributes) {
    if (throw_one(6) == 0) operands.resize(throw_one(6), type());
    if (throw_one(6) == 0) results.resize(throw_one(4), type());
    std::string values, takes, gives, text;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      values += (i == 0 ? "%a" : ", %a") + std::to_string(types_.size());
      takes += (i == 0 ? "" : ", ") + operands[i];
      types_.push_back(operands[i]);
    }
    for (std::size_t i = 0; i < results.size(); ++i) gives += (i == 0 ? "" : ", ") + results[i];
    results_ = results;
    if (!results.empty()) text = "%r:" + std::to_string(results.size()) + " = ";
    return text + "\"" + name + "\"(" + values + ") {" + attributes + "} : (" + takes + ") -> (" + gives + ")";
  }
  std::string stablehlo_op() {
    static const char* const targets[] = {"ApproxTopK",
                                          "ApproxTopK",
                                          "ApproxTopK",
                                          "Sharding",
                                          "SPMDFullToShardShape",
                                          "SPMDShardToFullShape",
                                          "annotate_device_placement",
                                          "mhlo.topk",
                                          "mhlo.erf",
                                          "xla.sdy.FuncResultSharding"};
    if (throw_one(4) == 0) {
      const std::string a = element(), b = element();
      return call("stablehlo.dot_general", {tensor(near(), a), tensor(near(), b)}, {type()},
                  "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [" + number() +
                      "], rhs_contracting_dimensions = [0]>");
    }
    const std::string values = throw_one(3) > 0 ? "f32" : element(), places = throw_one(3) > 0 ? "i32" : element();
    sizes of_results = near();
    if (!of_results.empty()) of_results.back() = int(throw_one(5));
    const std::string target = pick(targets);
    std::vector<std::string> operands{type()}, results{type()};
    if (target == "ApproxTopK") {
      operands = {tensor(near(), values), tensor(near(), places), tensor({}, values), tensor({}, places)};
      results = {tensor(of_results, values), tensor(of_results, places)};
    }
    return call("stablehlo.custom_call", operands, results,
                "call_target_name = \"" + target + "\", called_computations = [@" +
                    (throw_one(8) == 0 ? "none" : "greater") + "], mhlo.backend_config = {reduction_dim = " + number() +
                    " : i64, top_k = " + (throw_one(2) == 0 ? "1" : number()) +
                    " : i64}, mhlo.attributes = {k = " + number() + " : i64, largest = true}");
  }
  std::string chlo_op() {
    static const char* const ops[] = {"add", "divide", "compare", "select", "zeta", "complex", "shift_left", "and"};
    const std::string of = element();
    if (throw_one(4) == 0)
      return call("chlo.constant_like", {tensor(near(), of)}, {tensor(near(), of)}, "value = 1 : " + of);
    if (throw_one(4) == 0)
      return call("chlo.top_k", {tensor(near(), of)}, {tensor(near(), of), tensor(near(), "i32")},
                  "k = " + number() + " : i64");
    return call("chlo.broadcast_" + pick(ops), {tensor(near(), of), tensor(near(), of)}, {tensor(near(), of)},
                throw_one(2) == 0 ? "" : "broadcast_dimensions = array<i64: " + number() + ">");
  }
  std::string comparator() {
    const std::string a = throw_one(4) > 0 ? "f32" : element(), b = throw_one(4) > 0 ? "i32" : element();
    return "func.func private @greater(%a: tensor<" + a + ">, %b: tensor<" + a + ">, %c: tensor<" + b +
           ">, %d: tensor<" + b + ">) -> tensor<i1> {\n  %0 = stablehlo.compare GT, %a, %b : (tensor<" + a +
           ">, tensor<" + a + ">) -> tensor<i1>\n  return %0 : tensor<i1>\n}\n";
  }
};

}  // namespace

int main(int count, char** arguments) {
  const int programs = count > 1 ? std::atoi(arguments[1]) : 2000;
  fuzz::dice random(7);
  generator next(random);
  for (int i = 0; i < programs; ++i) {
    const std::string text = i % 3 == 0 ? next.instruction() : next.program();
    if (count > 2) std::fprintf(stderr, "%s\n", text.c_str());
    fuzz::exercise(text, false);
  }
  std::printf("%d programs\n", programs);
  return 0;
}
