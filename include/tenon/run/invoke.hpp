// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/bounded_tensor.hpp>
#include <tenon/core/results.hpp>
#include <tenon/run/arena.hpp>
#include <tenon/run/executor.hpp>
#include <tenon/run/run_options.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon::execution {

// The type of the memory that a tensor takes.
template <class Tensor>
constexpr tensor_type room_of() {
  if constexpr (is_bounded_tensor<Tensor>)
    return Tensor::room_type;
  else
    return Tensor::type;
}

constexpr bool fits_within(const tensor_type& type, const tensor_type& room) {
  bool fits = type.element == room.element && type.rank() == room.rank();
  for (int d = 0; fits && d < type.rank(); ++d) fits = type.dim(d) <= room.dim(d);
  return fits;
}

// An argument in the room that the program wants for it, and its shape.
template <class Parameter, class Argument>
decltype(auto) roomy(const Argument& argument) {
  if constexpr (!is_bounded_tensor<Parameter> || room_of<Argument>().shape == room_of<Parameter>().shape)
    return static_cast<const Argument&>(argument);
  else
    return Parameter(argument);
}
template <class Argument>
constexpr ints shape_of(const Argument& argument) {
  if constexpr (is_bounded_tensor<Argument>)
    return argument.shape();
  else
    return Argument::type.shape;
}

// Notes the sizes of the bounded dimensions; the others are as the type says.
inline void write_sizes(const tensor_type& type, const ints& shape, int argument, index_t*& to) {
  for (int d = 0; d < type.rank(); ++d) {
    if (type.is_bounded(d))
      *to++ = shape.at[d];
    else if (shape.at[d] != type.dim(d))
      fail("argument ", argument, ": dimension ", d, " has size ", shape.at[d], " where ", type.dim(d), " is needed");
  }
}
inline ints read_sizes(const tensor_type& type, const index_t*& from) {
  ints shape = type.shape;
  for (int d = 0; d < type.rank(); ++d)
    if (type.is_bounded(d)) shape.set(d, *from++);
  return shape;
}

// Whether there is an operating system, which has a heap.
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32) || defined(__wasi__)
inline constexpr bool has_heap = true;
#else
inline constexpr bool has_heap = false;
#endif

// Where a result goes: a view, or a bounded tensor.
template <class T, index_t... Bounds>
class bounded_target {
 public:
  static constexpr tensor_type type = bounded_tensor<T, Bounds...>::room_type;
  using tensor = bounded_tensor<T, Bounds...>;
  explicit bounded_target(tensor& target) : target_(&target) {}
  T* data() const { return target_->data(); }
  void resize(const ints& shape) const { target_->resize(shape); }
  void operator=(const tensor& computed) const { *target_ = computed; }

 private:
  tensor* target_;
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
template <class T>
inline constexpr tensor_type type_of_argument = argument_tensor<T>::type;
template <class T>
  requires is_bounded_tensor<T>
inline constexpr tensor_type type_of_argument<T> = T::room_type;

// The types that a call of a program takes and gives, read off its graph.
template <class Program>
struct signature_of {
  static constexpr int argument_count = Program::argument_count, result_count = Program::result_count;
  static constexpr int argument_sizes = Program::argument_sizes, result_sizes = Program::result_sizes;

  template <int I>
  using argument = any_tensor_of<Program::argument_type(I)>;
  template <int I>
  using result = any_tensor_of<Program::result_type(I)>;

  template <int... I>
  static results<result<I>...> all_results(std::integer_sequence<int, I...>);
  using results_type = decltype(all_results(std::make_integer_sequence<int, result_count>{}));

  // An argument with a bound accepts a tensor or a number of the same rank that is no larger.
  template <class Argument>
  static constexpr bool takes(int i) {
    if constexpr (is_bounded_tensor<Argument>)
      return Program::argument_type(i).bounded != 0 && Program::argument_type(i).shape == Argument::room_type.shape &&
             Program::argument_type(i).element == Argument::room_type.element;
    else if (Program::argument_type(i).bounded != 0)
      return fits_within(type_of_argument<Argument>, Program::argument_type(i));
    else
      return type_of_argument<Argument> == Program::argument_type(i);
  }
};

// Whether a type is a struct of tensors, and whether a program takes arguments some of which are; known to tree.hpp.
template <class T>
inline constexpr bool is_tree = false;
template <class Callable, class... Arguments>
struct checked_trees {};
template <class Callable, class... Arguments>
auto call_program_with_trees(const Callable& program, const Arguments&... arguments);

template <class T>
inline constexpr bool is_argument =
    operand_like<T> || is_bounded_tensor<T> || element_like<T> || std::is_arithmetic_v<T>;

// Which argument is not the one that the program takes, if it is known what that is.
template <class Callable, class... Arguments>
inline constexpr auto complaint_about_arguments = [] {
  constexpr int count = int(sizeof...(Arguments));
  complaint result;
  if constexpr (!(is_argument<Arguments> && ...)) {
    const bool fits[] = {is_argument<Arguments>...};
    int number = 1;
    while (fits[number - 1]) ++number;
    return complain("arguments", "number ", number, " is no tensor and no number: a tensor_view is made of memory");
  } else if constexpr (!Callable::is_typed) {
    if constexpr (!Callable::template takes<Arguments...>)
      return complain("arguments", "the function takes another number of arguments, got ", count);
  } else if constexpr (Callable::template valid<Arguments...>) {
    using program = typename Callable::template program_for<Arguments...>;
    if (count != program::argument_count)
      return complain("arguments", "the program takes ", program::argument_count, ", got ", count);
    int i = 0;
    const auto check = [&]<class Argument>(std::type_identity<Argument>) {
      if (result.label == nullptr && !signature_of<program>::template takes<Argument>(i))
        result = complain("arguments", "number ", i + 1, " is a ", program::argument_type(i), ", got a ",
                          type_of_argument<Argument>);
      ++i;
    };
    (check(std::type_identity<Arguments>{}), ...);
  }
  return result;
}();
template <class Callable, class... Arguments>
struct checked_arguments_of : std::type_identity<outcome_of<complaint_about_arguments<Callable, Arguments...>>> {};
struct unchecked_arguments {};
template <class Callable, class... Arguments>
using checked_arguments =
    typename std::conditional_t<(is_tree<Arguments> || ...), std::type_identity<unchecked_arguments>,
                                checked_arguments_of<Callable, Arguments...>>::type;
template <class Callable, class... Arguments>
using checked_values = typename std::conditional_t<(is_tree<Arguments> || ...), checked_trees<Callable, Arguments...>,
                                                   checked_arguments_of<Callable, Arguments...>>::type;

// Stands for the results of a program that breaks a rule or does not compile, and for their elements, so that the one
// message is the only one.
struct broken {
  template <class T>
  operator T() const;
  template <class... T>
  broken operator()(const T&...) const;
};

// Memory that holds a value: a tensor or view itself, the value of an expression, or that of a number.
template <class T>
constexpr decltype(auto) in_memory(const T& value) {
  if constexpr (evaluable<T>)
    return evaluate(value);
  else if constexpr (operand_like<T> || is_bounded_tensor<T>)
    return static_cast<const T&>(value);
  else
    return tensor<T>(value);
}

inline bool overlap(const void* a, index_t a_bytes, const void* b, index_t b_bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a), second = reinterpret_cast<std::uintptr_t>(b);
  return first < second + std::uintptr_t(b_bytes) && second < first + std::uintptr_t(a_bytes);
}

// The options of a call.
struct call_options {
  std::span<std::byte> arena;
  run_options run;
};

// A call that has been told where its working memory and its results lie, and by whom it is run. Its own type says
// whether it was given memory, so that no other is kept ready.
template <class Callable, bool HasArena = false, class... Targets>
class directed_call {
 public:
  constexpr explicit directed_call(const call_options& options, Targets... targets)
      : options_(options), targets_(targets...) {}

  // Writes the results to these tensors or views; the call then gives nothing.
  template <class... Outputs>
    requires(sizeof...(Targets) == 0)
  constexpr auto into(Outputs&&... outputs) const {
    return directed_call<Callable, HasArena, decltype(view_of(outputs))...>(options_, view_of(outputs)...);
  }
  // Works in this memory: at least arena_bytes, aligned to 64.
  constexpr auto on(std::span<std::byte> memory) const {
    call_options options = options_;
    options.arena = memory;
    return with<true>(options);
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
  template <class Executor>
  constexpr auto by(Executor&& workers, executor_check<Executor> = {}) const {
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

  template <class... Arguments, class Rules = typename checked_arguments<Callable, Arguments...>::kept>
  auto operator()(const Arguments&... arguments) const {
    if constexpr (!Callable::template compiles<Arguments...>) {
      return broken{};  // an error in the function's body has been reported
    } else {
      (void)sizeof(typename Callable::template checked<Arguments...>);
      if constexpr (Callable::template valid<Arguments...>)
        return call(in_memory(arguments)...);
      else
        return broken{};
    }
  }
  template <class... Arguments, class Rule = typename checked_arguments<Callable, Arguments...>::broken_function>
  void operator()(const Arguments&...) const = delete;

 private:
  call_options options_;
  std::tuple<Targets...> targets_;

  template <bool GivenArena = HasArena>
  constexpr auto with(const call_options& options) const {
    return std::apply(
        [&](const Targets&... targets) { return directed_call<Callable, GivenArena, Targets...>(options, targets...); },
        targets_);
  }

  template <class T, index_t... Dims>
  static constexpr tensor_view<T, Dims...> view_of(tensor<T, Dims...>& target) {
    return target;
  }
  template <class T, index_t... Dims>
  static constexpr tensor_view<T, Dims...> view_of(const tensor_view<T, Dims...>& target) {
    return target;
  }
  template <class T, index_t... Bounds>
  static bounded_target<T, Bounds...> view_of(bounded_tensor<T, Bounds...>& target) {
    return bounded_target<T, Bounds...>(target);
  }

  template <class... Arguments>
  auto call(const Arguments&... arguments) const {
    using program = typename Callable::template program_for<Arguments...>;
    using signature = signature_of<program>;
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return call_in_room<program>(roomy<typename signature::template argument<I>>(arguments)...);
    }(std::make_integer_sequence<int, signature::argument_count>{});
  }

  // The inputs of the program: the arguments, and the sizes of those that have bounds.
  template <class Program>
  struct inputs {
    const void* data[Program::argument_count + 1];
    index_t sizes[Program::argument_sizes + 1];
  };

  template <class Program, class... Arguments>
  auto call_in_room(const Arguments&... arguments) const {
    using signature = signature_of<Program>;
    using all_results = typename signature::results_type;
    inputs<Program> in{{arguments.data()..., nullptr}, {}};
    if constexpr (signature::argument_sizes > 0) {
      index_t* to = in.sizes;
      int i = 0;
      ((write_sizes(Program::argument_type(i), shape_of(arguments), i, to), ++i), ...);
    }
    if constexpr (sizeof...(Targets) > 0) {
      if constexpr (targets_fit<signature>())
        std::apply(
            [&](const Targets&... targets) {
              void* const outputs[] = {targets.data()...};
              static constexpr index_t written[] = {byte_size(room_of<Targets>())...};
              static constexpr index_t read[] = {byte_size(room_of<Arguments>())..., 0};
              bool lies_over = false;
              for (std::size_t i = 0; i < sizeof...(Targets); ++i)
                for (std::size_t j = 0; j < sizeof...(Arguments); ++j)
                  lies_over = lies_over || overlap(outputs[i], written[i], in.data[j], read[j]);
              if (!lies_over) {
                run_to<Program>(in, outputs, targets...);
              } else if constexpr (has_heap || ((byte_size(Targets::type) <= index_t(most_inline_bytes)) && ...)) {
                const all_results computed = compute<Program, all_results>(in);
                std::apply([&](const auto&... each) { ((targets = each), ...); }, computed);
              } else {
                fail("a result lies over an argument, and there is no heap to compute it in");
              }
            },
            targets_);
    } else if constexpr (Callable::gives_single_tensors && signature::result_count == 1) {
      typename signature::template result<0> only(uninitialized);
      void* const outputs[] = {only.data()};
      run_to<Program>(in, outputs, only);
      return only;
    } else {
      return compute<Program, all_results>(in);
    }
  }

  template <class Target>
  static constexpr auto kind_of_target() {
    if constexpr (requires { typename Target::tensor; })
      return std::type_identity<typename Target::tensor>{};
    else
      return std::type_identity<tensor_of<Target::type>>{};
  }
  template <class Signature>
  static constexpr bool targets_fit() {
    static_assert(sizeof...(Targets) == Signature::result_count, "tenon: the program gives another number of results");
    if constexpr (sizeof...(Targets) != Signature::result_count)
      return false;
    else
      return [&]<int... I>(std::integer_sequence<int, I...>) {
        return (
            check_types<typename decltype(kind_of_target<Targets>())::type, typename Signature::template result<I>>() &&
            ...);
      }(std::make_integer_sequence<int, Signature::result_count>{});
  }

  template <class Program, class All>
  All compute(const inputs<Program>& in) const {
    return [&]<class... Results>(std::type_identity<results<Results...>>) {
      results<Results...> all{uninitialized_for<Results>...};
      const auto run_to_all = [&](Results&... each) {
        void* const outputs[] = {each.data()..., nullptr};
        run_to<Program>(in, outputs, each...);
      };
      std::apply(run_to_all, static_cast<std::tuple<Results...>&>(all));
      return all;
    }(std::type_identity<All>{});
  }
  template <class>
  static constexpr uninitialized_t uninitialized_for{};

  // Runs, and gives those of the results that have bounds their sizes.
  template <class Program, class... Results>
  void run_to(const inputs<Program>& in, void* const* outputs, Results&... all) const {
    index_t sizes[Program::result_sizes + 1];
    run<Program>(in, outputs, sizes);
    if constexpr (Program::result_sizes > 0) {
      const index_t* from = sizes;
      int i = 0;
      const auto resize = [&](auto& result) {
        const ints shape = read_sizes(Program::result_type(i++), from);
        if constexpr (requires { result.resize(shape); }) result.resize(shape);
      };
      (resize(all), ...);
    }
  }
  template <class Program>
  void run(const inputs<Program>& in, void* const* outputs, index_t* sizes) const {
    if constexpr (!HasArena) return Program::run_sized(in.data, in.sizes, outputs, sizes, options_.run);
    const std::span<std::byte> arena = options_.arena;
    if (index_t(arena.size()) < Program::arena_bytes)
      fail("the program needs ", Program::arena_bytes, " bytes of working memory, but was given ", arena.size());
    if (reinterpret_cast<std::uintptr_t>(arena.data()) % 64 != 0)
      fail("the working memory of a program begins at a multiple of 64");
    Program::run_sized(in.data, in.sizes, outputs, sizes, arena.data(), options_.run);
  }
};

// Callable like a function. For arguments of these types, `Self::program_for<Arguments...>` is what runs,
// `Self::compiles<Arguments...>` whether it compiles, `Self::valid<Arguments...>` whether it breaks no rule, and
// `Self::checked<Arguments...>` reports the rule.
template <class Self>
struct callable {
  static constexpr bool is_typed = true;  // the program does not depend on its arguments
  template <class...>
  static constexpr bool compiles = true;

  template <class... Arguments, class Rules = typename checked_values<Self, Arguments...>::kept>
  auto operator()(const Arguments&... arguments) const {
    if constexpr ((is_tree<Arguments> || ...))
      return call_program_with_trees(static_cast<const Self&>(*this), arguments...);
    else
      return directed()(arguments...);
  }
  template <class... Arguments, class Rule = typename checked_values<Self, Arguments...>::broken_function>
  void operator()(const Arguments&...) const = delete;
  template <class... Outputs>
  constexpr auto into(Outputs&&... outputs) const {
    return directed().into(static_cast<Outputs&&>(outputs)...);
  }
  template <class Memory>
  constexpr auto on(Memory&& memory) const {
    return directed().on(static_cast<Memory&&>(memory));
  }
  constexpr auto as(process_context& process) const { return directed().as(process); }
  template <class Executor>
  constexpr auto by(Executor&& workers, executor_check<Executor> = {}) const {
    return directed().by(workers);
  }
  constexpr auto with_seed(std::uint64_t seed) const { return directed().with_seed(seed); }

 protected:
  static constexpr directed_call<Self> directed() { return directed_call<Self>({}); }
};

}  // namespace tenon::execution
