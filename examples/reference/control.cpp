// SPDX-License-Identifier: Apache-2.0

#include "reference.hpp"

#include <tenon/grid.hpp>

using namespace tenon;

namespace {

// What the program asks for and gives, outside it.
struct numbers final : host_streams {
  void infeed(const process_id&, tensor_types, void* const* results) override {
    static_cast<f32*>(results[0])[0] = 20;
    static_cast<f32*>(results[0])[1] = 22;
  }
  void outfeed(const process_id&, tensor_types, const void* const* inputs) override {
    const f32* given = static_cast<const f32*>(inputs[0]);
    std::printf("%g %g\n", given[0], given[1]);
  }
};

}  // namespace

void control() {
  constexpr shown print;

  example("if_");
  constexpr auto sign_of_sum = trace([](auto x) {
    return if_(sum(x) > 0, [] { return ones<f32, ints{2}>(); }, [] { return -ones<f32, ints{2}>(); });
  });
  print(sign_of_sum(tensor<f32, 3>{3, -1, 2}));

  example("case_");
  constexpr auto chosen = trace([](auto index) {
    return case_(index, [] { return ones<f32, ints{2}>(); }, [] { return zeros<f32, ints{2}>(); });
  });
  print(chosen(tensor<i32>(0)));

  example("while_");
  constexpr auto power_of_two_above = trace([](auto limit) {
    return while_(
        tensor<f32>(1), limit, [](auto n, auto most) { return n <= most; },
        [](auto n, auto most) { return results(n * 2, most); })[0];
  });
  print(power_of_two_above(tensor<f32>(100)));

  example("map");
  print(map<ints{0}>(tensor<f32, 3>{1, 2, 3}, [](auto element) { return element * element; }));

  example("optimization_barrier");
  constexpr auto kept_apart = trace([](auto x) { return optimization_barrier(x * 2) + 1; });
  print(kept_apart(tensor<f32, 3>{1, 2, 3}));

  numbers outside;
  simulated_grid alone({1, 1}, &outside);
  example("infeed");
  constexpr auto asking = trace([](auto x) {
    const auto asked = outfeed(x, create_token());
    return infeed<type_of(dtype::f32, {2})>(asked)[0] * x;
  });
  alone.run([&](process_context& process) { print(asking.as(process)(tensor<f32, 2>{1, 10})); });

  example("outfeed");
  constexpr auto handing_out = trace([](auto x) {
    outfeed(x * 2, create_token());  // has an effect, so that nobody needs to use the token
    return x;
  });
  alone.run([&](process_context& process) { print(handing_out.as(process)(tensor<f32, 2>{1, 10})); });

  example("create_token");
  constexpr auto in_order = trace([](auto x) {
    const auto first = outfeed(x, create_token());
    outfeed(x + 1, first);
    return x;
  });
  alone.run([&](process_context& process) { in_order.as(process)(tensor<f32, 2>{1, 10}); });

  example("after_all");
  constexpr auto behind_both = trace([](auto x) {
    const auto both = after_all(outfeed(x, create_token()), outfeed(x + 1, create_token()));
    outfeed(x + 2, both);
    return x;
  });
  alone.run([&](process_context& process) { behind_both.as(process)(tensor<f32, 2>{1, 10}); });

  example("send");
  constexpr auto exchanged = trace([](auto x) {
    const auto sent = send<ops::send{.channel_id = 1, .source_target_pairs = {{0, 1}, {1, 0}}}>(x, create_token());
    return recv<ops::recv{.channel_id = 1, .source_target_pairs = {{0, 1}, {1, 0}}}, type_of(dtype::f32, {2})>(sent)[0];
  });
  tensor<f32, 2> found[2];
  simulated_grid two({1, 2});
  two.run([&](process_context& process) {
    const int at = process.id().partition;
    found[at] = exchanged.as(process)(tensor<f32, 2>{f32(at), 10});
  });
  print(found[0]);

  example("recv");
  print(found[1]);  // of the program above
}
