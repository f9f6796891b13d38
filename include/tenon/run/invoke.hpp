// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/run/evaluate.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon {

// Working memory for a program, to be handed over with `on`: arena<net::arena_bytes> memory;
template <index_t Bytes>
struct arena {
  alignas(64) std::byte bytes[Bytes > 0 ? Bytes : 1];
};

namespace detail {

template <class Program, int I>
constexpr const tensor_type& argument_type() {
  constexpr int region = Program::graph().functions[0].region;
  return Program::graph().type_of_value(Program::graph().regions[region].arguments + I);
}
template <class Program, int I>
constexpr const tensor_type& result_type() {
  constexpr int region = Program::graph().functions[0].region;
  return Program::graph().type_of_value(Program::graph().yields_of(Program::graph().regions[region])[I]);
}

// What calling a program takes and gives, read off its graph.
template <class Program>
struct signature_of {
  static constexpr const graph_region& region = Program::graph().regions[Program::graph().functions[0].region];
  static constexpr int argument_count = region.argument_count, result_count = region.yield_count;

  template <int I>
  using argument = tensor_of<argument_type<Program, I>()>;
  template <int I>
  using result = tensor_of<result_type<Program, I>()>;

  template <int... I>
  static results<result<I>...> all_results(std::integer_sequence<int, I...>);
  using results_type = decltype(all_results(std::make_integer_sequence<int, result_count>{}));

  // Whether the arguments are those that the program takes; a message names the types that are not.
  template <class... Arguments>
  static constexpr bool takes() {
    static_assert(sizeof...(Arguments) == argument_count, "tenon: the program takes another number of arguments");
    if constexpr (sizeof...(Arguments) != argument_count)
      return false;
    else
      return [&]<int... I>(std::integer_sequence<int, I...>) {
        return (check_argument_types<argument<I>, tensor_of<Arguments::type>>() && ...);
      }(std::make_integer_sequence<int, argument_count>{});
  }
};

// The tensor that an argument of this type is, or becomes.
template <class T>
struct argument_tensor_of {
  using type = tensor<T>;
};
template <operand_like T>
struct argument_tensor_of<T> {
  using type = tensor_of<T::type>;
};
template <class T>
using argument_tensor = typename argument_tensor_of<T>::type;

// Stands for the results of a program that breaks a rule, so that the one message is the only one.
struct broken {
  template <class T>
  operator T() const;
};

// Memory that holds a value: a tensor or view itself, the value of an expression, or that of a number.
template <class T>
constexpr decltype(auto) in_memory(const T& value) {
  if constexpr (evaluable<T>)
    return evaluate(value);
  else if constexpr (operand_like<T>)
    return static_cast<const T&>(value);
  else
    return tensor<T>(value);
}

inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a), second = reinterpret_cast<std::uintptr_t>(b);
  return first < second + b_bytes && second < first + a_bytes;
}
template <class A, class B>
bool overlap(const A& a, const B& b) {
  return overlap(a.data(), std::size_t(byte_size(A::type)), b.data(), std::size_t(byte_size(B::type)));
}

// What a call was told beside its arguments.
struct call_options {
  std::span<std::byte> arena;
  bool has_arena = false;
  run_options run;
};

// A call that has been told where its working memory and its results lie, and by whom it is run.
template <class Callable, class... Targets>
class directed_call {
 public:
  constexpr explicit directed_call(const call_options& options, Targets... targets)
      : options_(options), targets_(targets...) {}

  // Writes the results to these tensors or views; the call then gives nothing.
  template <class... Outputs>
    requires(sizeof...(Targets) == 0)
  constexpr auto into(Outputs&&... outputs) const {
    return directed_call<Callable, decltype(view_of(outputs))...>(options_, view_of(outputs)...);
  }
  // Works in this memory: at least arena_bytes, aligned to 64.
  constexpr auto on(std::span<std::byte> memory) const {
    call_options options = options_;
    options.arena = memory;
    options.has_arena = true;
    return with(options);
  }
  template <index_t Bytes>
  constexpr auto on(arena<Bytes>& memory) const {
    return on(std::span<std::byte>(memory.bytes));
  }
  // Runs as this process of a grid.
  constexpr auto as(process_context& process) const {
    call_options options = options_;
    options.run.process = &process;
    return with(options);
  }
  // Lets an executor, which must outlive the call, do the work: net{}.by(pool)(x).
  template <executor Executor>
  constexpr auto by(Executor& workers) const {
    call_options options = options_;
    options.run.workers = tenon::workers(workers);
    return with(options);
  }
  // Other random numbers from the op `rng`, the same for the same seed; without this the seed is 0.
  constexpr auto with_seed(std::uint64_t seed) const {
    call_options options = options_;
    options.run.seed = seed;
    return with(options);
  }

  template <class... Arguments>
  auto operator()(const Arguments&... arguments) const {
    (void)sizeof(typename Callable::template checked<Arguments...>);
    if constexpr (Callable::template valid<Arguments...>)
      return call(in_memory(arguments)...);
    else
      return broken{};
  }

 private:
  call_options options_;
  std::tuple<Targets...> targets_;

  constexpr directed_call with(const call_options& options) const {
    return std::apply([&](const Targets&... targets) { return directed_call(options, targets...); }, targets_);
  }

  template <class T, index_t... Dims>
  static constexpr tensor_view<T, Dims...> view_of(tensor<T, Dims...>& target) {
    return target;
  }
  template <class T, index_t... Dims>
  static constexpr tensor_view<T, Dims...> view_of(const tensor_view<T, Dims...>& target) {
    return target;
  }

  template <class... Arguments>
  auto call(const Arguments&... arguments) const {
    using program = typename Callable::template program_for<Arguments...>;
    using signature = signature_of<program>;
    using all_results = typename signature::results_type;
    constexpr bool fits = signature::template takes<Arguments...>();
    const void* const inputs[] = {arguments.data()..., nullptr};
    if constexpr (!fits) {
      return broken{};
    } else if constexpr (sizeof...(Targets) > 0) {
      if constexpr (targets_fit<signature>())
        std::apply(
            [&](const Targets&... targets) {
              const auto read = [&](const auto& target) { return (false || ... || overlap(target, arguments)); };
              if ((read(targets) || ...)) {
                const all_results computed = compute<program, all_results>(inputs);
                std::apply([&](const auto&... each) { ((targets = each), ...); }, computed);
              } else {
                void* const outputs[] = {targets.data()...};
                run<program>(inputs, outputs);
              }
            },
            targets_);
    } else if constexpr (Callable::gives_single_tensors && signature::result_count == 1) {
      typename signature::template result<0> only(uninitialized);
      void* const outputs[] = {only.data()};
      run<program>(inputs, outputs);
      return only;
    } else {
      return compute<program, all_results>(inputs);
    }
  }

  template <class Signature>
  static constexpr bool targets_fit() {
    static_assert(sizeof...(Targets) == Signature::result_count, "tenon: the program gives another number of results");
    if constexpr (sizeof...(Targets) != Signature::result_count)
      return false;
    else
      return [&]<int... I>(std::integer_sequence<int, I...>) {
        return (check_types<tensor_of<Targets::type>, typename Signature::template result<I>>() && ...);
      }(std::make_integer_sequence<int, Signature::result_count>{});
  }

  template <class Program, class... Results>
  void run_into(const void* const* inputs, results<Results...>& all) const {
    std::apply(
        [&](Results&... each) {
          void* const outputs[] = {each.data()..., nullptr};
          run<Program>(inputs, outputs);
        },
        static_cast<std::tuple<Results...>&>(all));
  }
  template <class Program, class All>
  All compute(const void* const* inputs) const {
    return [&]<class... Results>(std::type_identity<results<Results...>>) {
      results<Results...> all{uninitialized_for<Results>...};
      run_into<Program>(inputs, all);
      return all;
    }(std::type_identity<All>{});
  }
  template <class>
  static constexpr uninitialized_t uninitialized_for{};

  template <class Program>
  void run(const void* const* inputs, void* const* outputs) const {
    const std::span<std::byte> arena = options_.arena;
    if (!options_.has_arena) return Program::run(inputs, outputs, options_.run);
    if (index_t(arena.size()) < Program::arena_bytes)
      fail("the program needs ", Program::arena_bytes, " bytes of working memory, but was given ", arena.size());
    if (reinterpret_cast<std::uintptr_t>(arena.data()) % 64 != 0)
      fail("the working memory of a program begins at a multiple of 64");
    Program::run(inputs, outputs, arena.data(), options_.run);
  }
};

// What can be called like a function. For arguments of these types, `Self::program_for<Arguments...>` is what runs,
// `Self::valid<Arguments...>` whether it breaks no rule, and `Self::checked<Arguments...>` reports the rule.
template <class Self>
struct callable {
  template <class... Outputs>
  constexpr auto into(Outputs&&... outputs) const {
    return directed().into(static_cast<Outputs&&>(outputs)...);
  }
  template <class Memory>
  constexpr auto on(Memory&& memory) const {
    return directed().on(static_cast<Memory&&>(memory));
  }
  constexpr auto as(process_context& process) const { return directed().as(process); }
  template <executor Executor>
  constexpr auto by(Executor& workers) const {
    return directed().by(workers);
  }
  constexpr auto with_seed(std::uint64_t seed) const { return directed().with_seed(seed); }

 protected:
  static constexpr directed_call<Self> directed() { return directed_call<Self>({}); }
};

}  // namespace detail

}  // namespace tenon
