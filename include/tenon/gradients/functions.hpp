// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/gradients.hpp>.
#pragma once

#include <tenon/gradients/differentiator.hpp>
#include <tenon/run/trace.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon::gradients {

// Arguments and results of traced functions: tracers, and trees of these.
template <class T>
concept traced_like = is_traced<T> || is_traced_tree<T>;

template <class Value>
constexpr auto leaves(const Value& value) {
  if constexpr (requires { value.leaves; })
    return value.leaves;
  else if constexpr (is_traced<Value>)
    return std::tuple<Value>(value);
  else
    return std::apply([](const auto&... each) { return std::tuple_cat(leaves(each)...); }, value);
}
template <class Value>
inline constexpr int leaf_count_of = int(std::tuple_size_v<decltype(leaves(std::declval<const Value&>()))>);

// Calls f(tracer) for each leaf.
template <class Value>
constexpr void for_each_leaf(Value& value, auto&& f) {
  if constexpr (is_traced<Value>)
    f(static_cast<tracer&>(value));
  else if constexpr (requires { value.leaves; })
    std::apply([&](auto&... each) { (f(static_cast<tracer&>(each)), ...); }, value.leaves);
  else
    std::apply([&](auto&... each) { (for_each_leaf(each, f), ...); }, value);
}

// One value, or several as `results`.
constexpr auto one_or_results(const auto& values) {
  return std::apply(
      [](const auto&... each) {
        if constexpr (sizeof...(each) == 1)
          return (each, ...);
        else
          return results(each...);
      },
      values);
}

constexpr void note(recording& r, const refusal& why) {
  if (!why) return;
  rules broken;
  broken(why.label, why.sentence, false);
  r.note_broken<1>(broken, {&why.operand, 1});
}

// Records f of these values, a tuple, in a region; its results are to be of the wanted types.
constexpr void record_results(recording& r, int region, const auto& f, const auto& values, growing_list<int>& made,
                              list<tensor_type> wanted, const char* label, const char* sentence) {
  int memory[most_operands]{};
  table<int> results{memory, 0, most_operands};
  const int outside = r.region;
  r.region = region;
  push_results(r, std::apply([&](const auto&... each) { return f(each...); }, values), results);
  r.region = outside;
  bool same = results.size == wanted.size;
  for (int k = 0; k < results.size; ++k) {
    made.push(results[k]);
    same = same && r.program.type_of_value(results[k]) == wanted[k];
  }
  if (!same) note(r, {label, sentence, -1, wanted.size > 0 ? wanted[0] : tensor_type{}, {}});
}

template <class T>
inline constexpr bool has_type = requires { std::remove_cvref_t<T>::type.shape; };
template <class Value>
inline constexpr bool is_typed_tree = false;
template <template <class, class...> class Tree, class T, class... Leaves>
inline constexpr bool is_typed_tree<Tree<T, Leaves...>> = (has_type<Leaves> && ...);
// Whether the types of all leaves are known by the C++ type.
template <class Value>
inline constexpr bool is_known = has_type<Value> || (is_traced_tree<Value> && is_typed_tree<Value>);

// A function called with arguments of these types, to see of what ops it consists.
template <class Function, class... Arguments>
struct probed_body {
  static constexpr int argument_count = (0 + ... + leaf_count_of<Arguments>);

  static constexpr void write_types(tensor_type* types) {
    const auto write = [&](auto leaf) { *types++ = decltype(leaf)::type; };
    (std::apply([&](const auto&... each) { (write(each), ...); }, decltype(leaves(std::declval<Arguments>())){}), ...);
  }
  template <int... I>
  static constexpr auto call(recording& r, int first, std::integer_sequence<int, I...>) {
    std::tuple<Arguments...> all;
    for_each_leaf(all, [&](tracer& leaf) { leaf.into = &r, leaf.value = first++; });
    return std::apply([](const auto&... each) { return Function{}(each...); }, all);
  }
};
template <class Function, class... Arguments>
inline constexpr kind_set kinds_within = every_kind;
template <class Function, class... Arguments>
  requires(is_known<Arguments> && ...)
inline constexpr kind_set kinds_within<Function, Arguments...> =
    kinds_of(recorded<probed_body<Function, Arguments...>>::graph());

// Arguments that a function is differentiated by, by their numbers.
template <int... Indices>
struct by_arguments {
  static constexpr int at[] = {Indices...};
};

// The recording that traced values are in.
template <class... Values>
constexpr recording& recording_of(const Values&... values) {
  recording* found = nullptr;
  const auto look = [&]<class Value>(const Value& value) {
    if constexpr (traced_like<Value>)
      std::apply([&](const auto&... leaf) { ((found = leaf.into), ...); }, leaves(value));
  };
  (look(values), ...);
  return *found;
}
// Constants become values of the recording.
template <class Value>
constexpr auto in_recording(recording& r, const Value& value) {
  if constexpr (!traced_like<Value> && operand_like<Value>)
    return as_tracer(r, value);
  else
    return value;
}

// A function that has been called within a recording. The arguments to differentiate by are copied to values of its
// own, so that these alone count, wherever else the arguments are used.
template <class Function, class By, class... Arguments>
class recorded_call {
  using differentiator = gradients::differentiator<kinds_within<Function, Arguments...>>;

 public:
  using result_type =
      decltype(in_recording(std::declval<recording&>(), Function{}(std::declval<const Arguments&>()...)));

  constexpr recorded_call(recording& r, const Arguments&... arguments)
      : r_(&r),
        region_(r.region),
        arguments_(own(r, arguments...)),
        first_(r.program.values.size),
        result_(in_recording(r, std::apply([](const auto&... each) { return Function{}(each...); }, arguments_))),
        last_(r.program.values.size) {}

  constexpr const result_type& result() const { return result_; }
  template <int I>
  constexpr const auto& argument() const {
    return std::get<I>(arguments_);
  }

  // The cotangents of the arguments for those of the results, which are of the form of the result.
  template <class Cotangent>
  constexpr auto pull(const Cotangent& cotangent, int levels = 0) const {
    differentiator d(r_->program, r_->region);
    d.levels = levels;
    activate(d);
    with_each(result_, cotangent, [&](int leaf, int ct) { d.add_to(leaf, d.to.at(ct)); });
    d.pull(region_, nodes().first, nodes().second);
    note(*r_, d.refused());
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return std::tuple(derivative_of(d, argument<By::at[I]>())...);
    }(std::make_integer_sequence<int, int(std::size(By::at))>{});
  }
  // The tangent of the result for those of the arguments.
  template <class... Tangents>
  constexpr result_type push(const Tangents&... tangents) const {
    differentiator d(r_->program, r_->region);
    const auto set = [&](int leaf, int tangent) { d.set(leaf, d.to.at(tangent)); };
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (with_each(argument<By::at[I]>(), tangents, set), ...);
    }(std::make_integer_sequence<int, int(sizeof...(Tangents))>{});
    activate(d);
    int wanted[most_operands]{}, count = 0;
    auto target = result_;
    for_each_leaf(target, [&](tracer& leaf) {
      if (count < most_operands) wanted[count++] = leaf.value;
    });
    d.push(region_, nodes().first, nodes().second, {wanted, count});
    note(*r_, d.refused());
    return derivative_of(d, result_);
  }

 private:
  recording* r_;
  int region_;
  std::tuple<decltype(in_recording(std::declval<recording&>(), std::declval<const Arguments&>()))...> arguments_;
  int first_;
  result_type result_;
  int last_;

  // The function has recorded the values between its first and its last one: nodes move.
  constexpr std::pair<int, int> nodes() const {
    std::pair<int, int> all(r_->program.nodes.size, 0);
    for (int v = first_; v < last_; ++v)
      if (const int node = r_->program.values.data[v].node; node >= 0)
        all = {node < all.first ? node : all.first, node >= all.second ? node + 1 : all.second};
    return all;
  }

  static constexpr auto own(recording& r, const Arguments&... arguments) {
    auto all = std::tuple(in_recording(r, arguments)...);
    builder to{r.program, r.region};
    const auto separate = [&](tracer& leaf) {
      const tensor_type type = leaf.type();
      note(r, check_differentiable(type));
      leaf.value = to.emit(ops::reshape{}, {to.at(leaf.value)}, type).id;
    };
    for_each_chosen(all, separate);
    return all;
  }

  constexpr void activate(differentiator& d) const {
    auto all = arguments_;
    for_each_chosen(all, [&](tracer& leaf) { d.activate(leaf.value); });
    d.activate_nodes(region_, nodes().first, nodes().second);
  }
  // The leaves of the arguments to differentiate by.
  static constexpr void for_each_chosen(auto& all, const auto& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (for_each_leaf(std::get<By::at[I]>(all), f), ...);
    }(std::make_integer_sequence<int, int(std::size(By::at))>{});
  }
  // Calls f(leaf, given) for the leaves of a value and what is given for them in a value of its form.
  constexpr void with_each(auto value, const auto& given, const auto& f) const {
    const auto in_order = [&](const auto&... each) {
      int ids[] = {in_recording(*r_, each).value..., 0}, i = 0;
      for_each_leaf(value, [&](tracer& leaf) { f(leaf.value, ids[i++]); });
    };
    std::apply(in_order, leaves(given));
  }
  template <class Value>
  static constexpr Value derivative_of(differentiator& d, Value value) {
    for_each_leaf(value, [&](tracer& leaf) { leaf.value = d.derivative_or_zeros(leaf.value).id; });
    return value;
  }
};

// As bits and back.
constexpr value without_gradient(value x) {
  const tensor_type type = x.type();
  if (is_complex(type.element)) return complex_of(without_gradient(real(x)), without_gradient(imag(x)));
  if (!is_float(type.element)) return x;
  const int bytes = storage_bytes(type.element);
  const dtype bits = bytes == 8 ? dtype::ui64 : bytes == 4 ? dtype::ui32 : bytes == 2 ? dtype::ui16 : dtype::ui8;
  return x.to->emit(ops::bitcast_convert{}, {x.to->emit(ops::bitcast_convert{}, {x}, type.with_element(bits))}, type);
}

// The argument to differentiate by where none is said is the first one.
template <int... Indices>
using chosen_arguments = std::conditional_t<sizeof...(Indices) == 0, by_arguments<0>, by_arguments<Indices...>>;

// The cotangent of a loss is one.
template <class Function, class By, int Levels = 0>
struct value_and_gradient {
  constexpr auto operator()(const auto&... arguments) const {
    recording& r = recording_of(arguments...);
    const recorded_call<Function, By, std::remove_cvref_t<decltype(arguments)>...> call(r, arguments...);
    const auto loss = call.result();
    static_assert(is_traced<decltype(loss)>, "tenon: grad_loss: what is differentiated gives one value");
    const tensor_type type = loss.tracer::type();
    note(r, check_loss(type));
    return std::apply([&](const auto&... gradient) { return results(loss, gradient...); },
                      call.pull(tracer{&r, builder{r.program, r.region}.number(1, type).id}, Levels));
  }
};
template <class Function, class By, int Levels = 0>
struct gradient {
  constexpr auto operator()(const auto&... arguments) const {
    const auto all = value_and_gradient<Function, By, Levels>{}(arguments...);
    return std::apply([](const auto&, const auto&... parts) { return one_or_results(std::tuple(parts...)); },
                      static_cast<const typename std::remove_cvref_t<decltype(all)>::tuple&>(all));
  }
};

// A gradient that `within` fits to working memory (iterations/loops.hpp).
template <template <class, class, int> class Form, class Function, class By>
struct fitted_to_memory;

// Maps cotangents of the results of a call to those of its arguments.
template <class Call>
class pullback_of {
 public:
  constexpr explicit pullback_of(const Call& call) : call_(call) {}

  constexpr auto operator()(const auto& cotangent) const { return one_or_results(call_.pull(cotangent)); }

 private:
  Call call_;
};

// The arguments of a function, and tangents behind them: of those with these numbers, or of all.
template <class Function, int... Indices>
struct pushed_forward {
  constexpr auto operator()(const auto&... all) const {
    constexpr int given = int(sizeof...(all)), tangents = sizeof...(Indices) > 0 ? int(sizeof...(Indices)) : given / 2;
    return [&]<int... I, int... T>(std::integer_sequence<int, I...>, std::integer_sequence<int, T...>) {
      using by = std::conditional_t<(sizeof...(Indices) > 0), by_arguments<Indices...>, by_arguments<T...>>;
      const auto values = std::tuple(all...);
      recording& r = recording_of(all...);
      const recorded_call<Function, by, std::remove_cvref_t<decltype(std::get<I>(values))>...> call(
          r, std::get<I>(values)...);
      const auto tangent = call.push(std::get<given - tangents + T>(values)...);
      return results(call.result(), tangent);
    }(std::make_integer_sequence<int, given - tangents>{}, std::make_integer_sequence<int, tangents>{});
  }
};

// The product of the second derivatives by the first argument with a vector, which is the last one.
template <class Function>
struct hessian_product {
  constexpr auto operator()(const auto&... all) const {
    return std::get<1>(pushed_forward<gradient<Function, by_arguments<0>>, 0>{}(all...));
  }
};

// A branch that is always taken: going backwards it computes itself again.
template <class Function>
struct computed_again {
  constexpr auto operator()(const auto&... arguments) const {
    recording& r = recording_of(arguments...);
    graph& g = r.program;
    const int outside = r.region, branch = open_region(g, outside, {});
    r.region = branch;
    auto result = in_recording(r, Function{}(in_recording(r, arguments)...));
    r.region = outside;
    growing_list<int> yields;
    growing_list<tensor_type> types;
    for_each_leaf(result, [&](tracer& leaf) { yields.push(leaf.value), types.push(leaf.type()); });
    close_region(g, branch, yields.all());
    builder to{g, outside};
    const int which = to.zeros(type_of(dtype::i32)).id;
    int made = to.emit_with_regions(ops::case_{}, {&which, 1}, {branch}, types.all());
    for_each_leaf(result, [&](tracer& leaf) { leaf.value = made++; });
    return result;
  }
};

// A loop over the elements of a direction writes one row each.
template <class Function, bool Forward, bool IsGradient = false>
struct all_derivatives {
  constexpr auto operator()(const auto& x, const auto&... rest) const {
    static_assert(is_traced<decltype(x)>, "tenon: grad_jacobian: the first argument is one tensor");
    recording& r = recording_of(x);
    const recorded_call<Function, by_arguments<0>, std::remove_cvref_t<decltype(x)>,
                        std::remove_cvref_t<decltype(rest)>...>
    call(r, x, rest...);
    static_assert(is_traced<decltype(call.result())>, "tenon: grad_jacobian: the function gives one tensor");
    graph& g = r.program;
    const int outside = r.region;
    builder to{g, outside};
    const tensor_type from = call.template argument<0>().tracer::type(), gives = call.result().tracer::type();
    if (IsGradient) note(r, check_loss(gives));
    const tensor_type direction = Forward ? from : gives, row = Forward ? gives : from;
    const ints rows{direction.size()};
    const tensor_type index = type_of(dtype::i32), buffer = row.with_shape(rows + row.shape);
    if (buffer.shape.dropped > 0)
      note(r, {"grad_jacobian", "the derivatives have at most 8 dimensions, those of both tensors", -1, row});
    const int start = to.zeros(buffer).id;
    const auto step = [&](int count, growing_list<int>& next) {
      const value number = to.at(count), line = iota(to, 0, index.with_shape(rows));
      const value unit = convert(equal(line, broadcast(number, {}, rows)), direction.element);
      r.region = to.region;
      const tracer vector{&r, reshape(unit, direction.shape).id};
      value made;
      if constexpr (Forward)
        made = to.at(call.push(vector).value);
      else
        made = to.at(std::get<0>(call.pull(vector)).value);
      next.push(with_row(count + 1, made, number).id);
    };
    const int rows_of = write_counted_loop(to, {&start, 1}, rows[0], nothing_else, step);
    r.region = to.region;
    value result = reshape(to.at(rows_of), direction.shape + row.shape);
    if (Forward) {
      ints permutation;  // that of the result in front
      for (int d = 0; d < row.rank(); ++d) permutation.push(direction.rank() + d);
      result = transpose(result, permutation + ints::range(direction.rank()));
    }
    return tracer{&r, result.id};
  }
};

}  // namespace tenon::gradients

namespace tenon {

consteval index_t operator""_KiB(unsigned long long number) { return index_t(number) * 1024; }

// value_and_grad<0, 2>(f): a traced function that gives the value of f, one real number, and its gradients by the
// arguments with these numbers (by the first one, where none is said), each of the form of the argument.
template <int... Indices, class Function>
constexpr auto value_and_grad(traced<Function>) {
  using by = gradients::chosen_arguments<Indices...>;
  return gradients::fitted_to_memory<gradients::value_and_gradient, traced<Function>, by>{};
}
// The gradients alone: one for one argument, else `results`.
template <int... Indices, class Function>
constexpr auto grad(traced<Function>) {
  using by = gradients::chosen_arguments<Indices...>;
  return gradients::fitted_to_memory<gradients::gradient, traced<Function>, by>{};
}

// The results of a function, and their tangents for those of its arguments, which follow the arguments:
// auto [y, dy] = jvp(f)(x, w, dx, dw); with numbers for some arguments only: jvp<0>(f)(x, w, dx).
template <int... Indices, class Function>
constexpr auto jvp(traced<Function>) {
  return traced<gradients::pushed_forward<traced<Function>, Indices...>>{};
}
// Within a traced function: auto [y, pull] = vjp(f)(x, w); pull(ct) gives the cotangents of the arguments with these
// numbers for those of y, as often as wanted.
template <int... Indices, class Function>
constexpr auto vjp(traced<Function>) {
  return [](const auto&... arguments) {
    using call_type = gradients::recorded_call<traced<Function>, gradients::chosen_arguments<Indices...>,
                                               std::remove_cvref_t<decltype(arguments)>...>;
    const call_type call(gradients::recording_of(arguments...), arguments...);
    return results(call.result(), gradients::pullback_of<call_type>(call));
  };
}
// hvp(f)(x, ..., v): the second derivatives by x times a vector of the form of x.
template <class Function>
constexpr auto hvp(traced<Function>) {
  return traced<gradients::hessian_product<traced<Function>>>{};
}

// Which way derivatives are computed: a column or a row at a time.
enum class mode { forward, reverse };

// All derivatives of a tensor by the first argument: of shape (shape of the result, shape of the argument).
template <mode Mode = mode::reverse, class Function>
constexpr auto jacobian(traced<Function>) {
  return traced<gradients::all_derivatives<traced<Function>, Mode == mode::forward>>{};
}
// The gradient by the first argument, one tensor, computed forwards: a loop over its elements.
template <mode Mode, class Function>
constexpr auto grad(traced<Function> f) {
  if constexpr (Mode == mode::forward)
    return traced<gradients::all_derivatives<traced<Function>, true, true>>{};
  else
    return grad<0>(f);
}
// All second derivatives of a number by the first argument: of shape (shape of the argument, shape of the argument).
template <class Function>
constexpr auto hessian(traced<Function>) {
  return jacobian<mode::forward>(traced<gradients::gradient<traced<Function>, gradients::by_arguments<0>>>{});
}

// The function, of which nothing but its arguments is kept until its gradient is computed: it is computed again.
template <class Function>
constexpr auto checkpoint(traced<Function>) {
  return traced<gradients::computed_again<traced<Function>>>{};
}

// Its argument, as a constant for what differentiates: the bits of numbers have no gradient.
constexpr auto stop_gradient(const gradients::traced_like auto& x) {
  auto result = x;
  gradients::for_each_leaf(result, [](tracer& leaf) {
    gradients::builder to{leaf.into->program, leaf.into->region};
    leaf.value = gradients::without_gradient(to.at(leaf.value)).id;
  });
  return result;
}

}  // namespace tenon
