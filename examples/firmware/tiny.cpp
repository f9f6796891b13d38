// SPDX-License-Identifier: Apache-2.0
//
// A network of 8-bit integers that from_tflite.py wrote: build.sh says which. It is run on ten inputs, and its results
// are compared with those of TensorFlow Lite, which they are bit for bit.

#include "report.hpp"

#include <tenon/programs.hpp>

struct network {
  static constexpr char literal[] =
#include "network.mlir.inc"
      ;
  // Nobody counts its characters while compiling: a compiler may give up after 262,144.
  static constexpr std::string_view text{literal, sizeof literal - 1};
};
using net = tenon::program<network>;
using tenon::index_t;

// The weights that are arguments, one behind the other, each from a multiple of 16 bytes.
extern "C" const unsigned char network_weights[];

[[gnu::section(".noinit")]] alignas(64) tenon::arena<net::arena_bytes> memory;
constexpr index_t input_bytes = tenon::byte_size(net::argument<0>::type),
                  outputs = tenon::byte_size(net::result<0>::type);
[[gnu::section(".noinit")]] alignas(16) unsigned char input[input_bytes];
[[gnu::section(".noinit")]] alignas(16) tenon::i8 got[outputs], wanted[outputs];

template <class T, index_t... Dims>
auto view_of(std::type_identity<tenon::tensor<T, Dims...>>, void* at) {
  return tenon::tensor_view<T, Dims...>(static_cast<T*>(at));
}
template <class T, index_t... Dims>
auto view_of(std::type_identity<tenon::tensor<T, Dims...>>, const void* at) {
  return tenon::tensor_view<const T, Dims...>(static_cast<const T*>(at));
}

template <int Argument>
constexpr index_t weight_offset() {
  if constexpr (Argument == 1)
    return 0;
  else
    return weight_offset<Argument - 1>() + (tenon::byte_size(net::argument<Argument - 1>::type) + 15) / 16 * 16;
}

template <int... Weight>
void run(std::integer_sequence<int, Weight...>) {
  net{}.on(memory).into(view_of(std::type_identity<net::result<0>>{}, got))(
      view_of(std::type_identity<net::argument<0>>{}, static_cast<const void*>(input)),
      view_of(std::type_identity<net::argument<Weight + 1>>{},
              static_cast<const void*>(network_weights + weight_offset<Weight + 1>()))...);
}

void report_failure(const char* message) {
  line() << message;
  board::stop(3);
}

int main() {
  constexpr unsigned header = 128;  // of an .npy file
  tenon::on_failure = report_failure;
  largest_difference difference;
  std::uint32_t time = 0;
  for (unsigned i = 0; i < 10; ++i) {
    if (!board::read("inputs.npy", header + i * sizeof input, input, sizeof input) ||
        !board::read("outputs.npy", header + i * sizeof wanted, wanted, sizeof wanted))
      report_failure("a file is missing");
    const std::uint32_t start = board::now();
    run(std::make_integer_sequence<int, net::code::argument_count - 1>{});
    if (const std::uint32_t taken = board::now() - start; i == 0 || taken < time) time = taken;
    for (unsigned k = 0; k < sizeof got; ++k) difference.add(got[k], wanted[k]);
  }
  finish(difference.is_at_most(0), difference, net::arena_bytes, time, "TensorFlow Lite");
}
