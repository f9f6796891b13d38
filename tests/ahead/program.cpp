// SPDX-License-Identifier: Apache-2.0
//
// Prints what programs give, and how they are planned: once with texts that are planned while this is compiled, once
// with those that were planned before.
#ifdef PLANNED_AHEAD
#include <tenon/planned_programs.hpp>
#else
#include <tenon/programs.hpp>
#endif

#include <cstdio>
#include <cstring>
#include <tuple>
#include <utility>

using namespace tenon;

struct constants {
  static constexpr std::string_view text =
#include "constants.mlir.inc"
      ;
};
struct regions {
  static constexpr std::string_view text =
#include "regions.mlir.inc"
      ;
};
struct integers {
  static constexpr std::string_view text =
#include "integers.mlir.inc"
      ;
};
struct narrow_sums {
  static constexpr int writing_budget = 0;
  static constexpr std::string_view text =
#include "narrow_sums.hlo.inc"
      ;
};

namespace {

template <class Tensor>
index_t size_of(const Tensor& tensor) {
  if constexpr (requires { tensor.shape(); })
    return tensor.shape().product();
  else
    return Tensor::type.size();
}

template <class Tensor>
void fill(Tensor& tensor, int seed) {
  auto* const elements = tensor.data();
  for (index_t i = 0; i < size_of(tensor); ++i) {
    const int number = int(i * 37 + seed * 11) % 23 - 11;
    using element = std::remove_cvref_t<decltype(elements[i])>;
    if constexpr (std::is_same_v<element, tenon::complex<double>>)
      elements[i] = {number / 4.0, number / 8.0};
    else if constexpr (std::is_integral_v<element>)
      elements[i] = element(number);
    else
      elements[i] = element(float(number) / 4);
  }
}

template <class Tensor>
void show(const Tensor& tensor) {
  const index_t size = size_of(tensor);
  unsigned char bytes[sizeof(*tensor.data())];
  for (index_t i = 0; i < size; ++i) {
    std::memcpy(bytes, tensor.data() + i, sizeof bytes);
    for (const unsigned char byte : bytes) std::printf("%02x", byte);
    std::printf(i % 16 == 15 || i + 1 == size ? "\n" : " ");
  }
}

template <class Net>
void run(const char* name) {
  using code = typename Net::code;
  std::printf(
      "%s: %lld bytes, %d groups, %d rewrites, step %d keeps tables\n", name, static_cast<long long>(Net::arena_bytes),
      Net::fused_groups,
      [] {
        int all = 0;
        for (const int count : code::applied_rewrites()) all += count;
        return all;
      }(),
      code::first_kept());
  [&]<int... A, int... R>(std::integer_sequence<int, A...>, std::integer_sequence<int, R...>) {
    static std::tuple<typename Net::template argument<A>...> arguments;
    static std::tuple<typename Net::template result<R>...> results;
    (fill(std::get<A>(arguments), A), ...);
    Net{}.into(std::get<R>(results)...)(std::get<A>(arguments)...);
    (show(std::get<R>(results)), ...);
  }(std::make_integer_sequence<int, code::argument_count>{}, std::make_integer_sequence<int, code::result_count>{});
}

}  // namespace

int main() {
  run<program<constants>>("constants");
  run<program<regions>>("regions");
  run<program<integers>>("integers");
  run<program<narrow_sums>>("narrow sums");
}
