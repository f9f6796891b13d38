// SPDX-License-Identifier: Apache-2.0
#include <tenon/distributed/simulated.hpp>

#include <gradients/checked_gradient.hpp>

using namespace tenon;
using namespace tenon::gradients;

namespace {

constexpr process_grid grid{2, 2};

// The results of all processes, whose arguments these are.
std::vector<std::vector<array>> run_on_grid(const std::string& text, std::vector<std::vector<array>>& arguments) {
  std::vector<shared_program> programs;
  std::vector<std::vector<array>> results(4);
  for (std::vector<array>& each : results) {
    programs.push_back(load(text));
    for (int i = 0; i < programs[0].result_count(); ++i) each.emplace_back(programs[0].result_type(i));
  }
  simulated_grid processes(grid);
  processes.run([&](process_context& process) {
    const std::size_t at = std::size_t(flat_id(grid, process.id()));
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    for (array& each : arguments[at]) inputs.push_back(each.data());
    for (array& each : results[at]) outputs.push_back(each.data());
    run_options how;
    how.process = &process;
    programs[at](inputs.data(), outputs.data(), how);
  });
  return results;
}

// One tensor to another one, on all processes: tangents beside differences, and the sum over all processes of
// <ct, J v> beside that of <J^T ct, v>.
void check_on_grid(const std::string& from, const std::string& body, const std::string& to) {
  const std::string text = function({from}, "  %0 = stablehlo.multiply %a, %a : tensor<" + from + ">\n" + body, {to});
  CAPTURE(text);
  const std::string forward = derivative_text(text, {0}, derivative::pushforward),
                    backward = derivative_text(text, {0}, derivative::pullback);
  CAPTURE(backward);
  const tensor_type type = load(text).argument_type(0), result = load(text).result_type(0);
  std::minstd_rand numbers(7);
  const auto random = [&](const tensor_type& of) {
    array made(of);
    for (double& number : made.numbers) number = double(numbers()) / double(numbers.max()) - 0.5;
    return made;
  };
  std::vector<std::vector<array>> x(4), above(4), below(4), pushing(4), pulling(4);
  for (std::size_t p = 0; p < 4; ++p) {
    const array at = random(type), dx = random(type), ct = random(result);
    array up = at, down = at;
    for (std::size_t i = 0; i < at.numbers.size(); ++i)
      up.numbers[i] += 1e-6 * dx.numbers[i], down.numbers[i] -= 1e-6 * dx.numbers[i];
    above[p] = {up}, below[p] = {down}, pushing[p] = {at, dx}, pulling[p] = {at, ct};
  }
  const auto pushed = run_on_grid(forward, pushing), pulled = run_on_grid(backward, pulling),
             more = run_on_grid(text, above), less = run_on_grid(text, below);
  double by_push = 0, by_pull = 0;
  for (std::size_t p = 0; p < 4; ++p) {
    by_push += product(pulling[p][1], pushed[p][1]), by_pull += product(pulled[p][1], pushing[p][1]);
    for (std::size_t i = 0; i < pushed[p][1].numbers.size(); ++i) {
      const double expected = (more[p][0].numbers[i] - less[p][0].numbers[i]) / 2e-6;
      CHECK(std::abs(pushed[p][1].numbers[i] - expected) < 1e-6);
    }
  }
  CHECK(std::abs(by_push - by_pull) < 1e-9);
}

const std::string adds =
    " ({\n^bb0(%p: tensor<f64>, %q: tensor<f64>):\n  %r = stablehlo.add %p, %q : tensor<f64>\n  stablehlo.return %r : "
    "tensor<f64>\n})";
const std::string pairs = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>",
                  flat =
                      "replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>, channel_handle = "
                      "#stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids",
                  partitions =
                      "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = "
                      "dense<[[1, 0]]> : tensor<1x2xi64>";

}  // namespace

TEST_CASE("sums over processes") {
  const std::string x = "tensor<2x4xf64>";
  for (const std::string& groups : {pairs, flat}) {
    check_on_grid("2x4xf64",
                  "  %y0 = \"stablehlo.all_reduce\"(%0) <{" + groups + "}>" + adds + " : (" + x + ") -> " + x,
                  "2x4xf64");
    check_on_grid("2x4xf64",
                  "  %y0 = \"stablehlo.all_gather\"(%0) <{all_gather_dim = 1 : i64, " + groups + "}> : (" + x +
                      ") -> tensor<2x8xf64>",
                  "2x8xf64");
    check_on_grid("2x4xf64",
                  "  %y0 = \"stablehlo.reduce_scatter\"(%0) <{scatter_dimension = 1 : i64, " + groups + "}>" + adds +
                      " : (" + x + ") -> tensor<2x2xf64>",
                  "2x2xf64");
  }
  check_on_grid("2x4xf64", "  %y0 = \"stablehlo.cross-replica-sum\"(%0) <{" + pairs + "}> : (" + x + ") -> " + x,
                "2x4xf64");
}

TEST_CASE("exchanges between processes") {
  const std::string x = "tensor<2x4xf64>";
  for (const std::string& groups : {pairs, partitions}) {
    check_on_grid("2x4xf64",
                  "  %y0 = \"stablehlo.all_to_all\"(%0) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, "
                  "split_count = 2 : i64, " +
                      groups + "}> : (" + x + ") -> tensor<4x2xf64>",
                  "4x2xf64");
    check_on_grid("2x4xf64", "  %y0 = \"stablehlo.collective_broadcast\"(%0) <{" + groups + "}> : (" + x + ") -> " + x,
                  "2x4xf64");
  }
  check_on_grid("2x4xf64",
                "  %y0 = \"stablehlo.collective_permute\"(%0) <{source_target_pairs = dense<[[0, 1]]> : "
                "tensor<1x2xi64>}> : (" +
                    x + ") -> " + x,
                "2x4xf64");
  check_on_grid("2x4xf64",
                "  %y0 = \"stablehlo.collective_reduce\"(%0) <{" + pairs + "}>" + adds + " : (" + x + ") -> " + x,
                "2x4xf64");
}
