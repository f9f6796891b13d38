// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/gradients.hpp>.
#pragma once

#include <tenon/gradients/functions.hpp>
#include <tenon/ops/control/while.hpp>

namespace tenon::gradients {

// Carried values of loops: trees and tensors, as tracers.
template <class... Values>
class carried_values {
 public:
  constexpr carried_values(recording& r, const Values&... values) : r_(r), all_(values...) {
    for_each_leaf(all_, [&](tracer& leaf) { leaves_.push(leaf.value), types_.push(leaf.type()); });
  }
  constexpr list<int> leaves() const { return leaves_.all(); }
  constexpr list<tensor_type> types() const { return types_.all(); }

  // With other leaves, from `first` on: one value, or `results`.
  constexpr auto from(int first) const { return one_or_results(renamed(first)); }
  // Records f of such values in a region; its results are to be of these types.
  constexpr void record(int region, int first, const auto& f, list<tensor_type> wanted, growing_list<int>& made) const {
    record_results(r_, region, f, renamed(first), made, wanted, "loop_types",
                   "a loop goes on with values of the types that it begins with");
  }

 private:
  recording& r_;
  std::tuple<Values...> all_;
  growing_list<int> leaves_;
  growing_list<tensor_type> types_;

  constexpr auto renamed(int first) const {
    auto all = all_;
    for_each_leaf(all, [&](tracer& leaf) { leaf.value = first++; });
    return all;
  }
};

template <index_t Iterations>
struct bounded_loop {
  constexpr auto operator()(const auto& condition, const auto& body, const auto&... values) const {
    recording& r = recording_of(values...);
    builder to{r.program, r.region};
    const carried_values carried(r, in_recording(r, values)...);
    const auto holds = [&](int count) {
      const tensor_type answer = type_of(dtype::i1);
      growing_list<int> made;
      carried.record(to.region, count + 1, condition, {&answer, 1}, made);
      return to.at(made[0]);
    };
    const auto step = [&](int count, growing_list<int>& next) {
      carried.record(to.region, count + 1, body, carried.types(), next);
    };
    return carried.from(write_counted_loop(to, carried.leaves(), Iterations, holds, step));
  }
};

template <index_t Iterations>
struct fixed_point_loop {
  constexpr auto operator()(const auto& f, const auto& start, const auto&... parameters) const {
    recording& r = recording_of(start, parameters...);
    builder to{r.program, r.region};
    const carried_values carried(r, in_recording(r, start));
    for (const tensor_type& type : carried.types()) note(r, check_differentiable(type));
    const auto call = [&](const auto& x) { return f(x, in_recording(r, parameters)...); };
    const auto step = [&](int first, growing_list<int>& next) {
      carried.record(to.region, first, call, carried.types(), next);
    };
    return carried.from(write_fixed_point(to, carried.leaves(), Iterations, step));
  }
};

// Within a traced function what loops do may have captures.
template <class Loop, class... Functions>
struct loop_of {
  constexpr auto operator()(const auto&... values) const { return Loop{}(Functions{}..., values...); }
};
template <class Loop, class... Functions>
constexpr auto call_loop(const std::tuple<const Functions&...>& functions, const auto&... values) {
  if constexpr ((traced_like<std::remove_cvref_t<decltype(values)>> || ...))
    return std::apply([&](const auto&... each) { return Loop{}(each..., values...); }, functions);
  else
    return traced<loop_of<Loop, Functions...>>{}(values...);
}

// A gradient that fits into this memory: the first of those that divide loops into no, one or two levels of loops.
template <template <class, class, int> class Form, class Function, class By, index_t Bytes>
struct within_bytes {
  template <index_t Least>
  static constexpr auto message = message_text<80>() << "the smallest working memory found has " << Least << " bytes";

  template <int Levels = 0, index_t Least = INT64_MAX, class... Arguments>
  constexpr auto operator()(const Arguments&... arguments) const {
    static_assert((is_known<Arguments> && ...), "tenon: within_bytes: the types of the arguments are known");
    using form = Form<Function, By, Levels>;
    constexpr index_t bytes = execution::compiled<recorded<probed_body<form, Arguments...>>>::arena_bytes;
    constexpr index_t least = bytes < Least ? bytes : Least;
    if constexpr (bytes > Bytes && Levels < 2) {
      return operator()<Levels + 1, least>(arguments...);
    } else {
      if constexpr (bytes > Bytes) note(recording_of(arguments...), {"within_bytes", message<least>.at, -1, {}, {}});
      return form{}(arguments...);
    }
  }
};
// grad(f).within<64_KiB>(x...)
template <template <class, class, int> class Form, class Function, class By>
struct fitted_to_memory : traced<Form<Function, By, 0>> {
  template <index_t Bytes>
  static constexpr traced<within_bytes<Form, Function, By, Bytes>> within{};
};

}  // namespace tenon::gradients

namespace tenon {

// A number of iterations.
template <index_t Iterations>
struct at_most {
  static_assert(0 < Iterations && Iterations <= INT32_MAX, "tenon: at_most: there are 1 to 2147483647 iterations");
  static constexpr index_t iterations = Iterations;
};

// while_<at_most<100>>(x..., whether to go on, what becomes of them): while_, which ends after this number of
// iterations whatever its condition says, so that it has gradients: memory for that number is kept.
template <class Bound, class... Arguments>
  requires requires { Bound::iterations; }
constexpr auto while_(const Arguments&... arguments) {
  constexpr std::size_t count = sizeof...(Arguments) - 2;
  const std::tuple<const Arguments&...> all(arguments...);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return gradients::call_loop<gradients::bounded_loop<Bound::iterations>>(
        std::tie(std::get<count>(all), std::get<count + 1>(all)), std::get<I>(all)...);
  }(std::make_index_sequence<count>{});
}

// x = f(x, parameters...), by repeating f from x0 on until no element changes by more than 8 units in the last place of
// the largest one, at most 10,000 times, or as fixed_point<at_most<100>> says. Its gradients by the parameters, and by
// what f captures within a traced function, are those of the solution, whatever led to it, and take memory for one
// step; that by x0 is zero.
template <class Bound = at_most<10'000>, class Function, class Start, class... Parameters>
constexpr auto fixed_point(const Function& f, const Start& x0, const Parameters&... parameters) {
  return gradients::call_loop<gradients::fixed_point_loop<Bound::iterations>>(std::tie(f), x0, parameters...);
}

}  // namespace tenon
