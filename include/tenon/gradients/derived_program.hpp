// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/gradients.hpp>.
#pragma once

#include <tenon/gradients/programs.hpp>
#include <tenon/run/program.hpp>

namespace tenon::gradients {

// "line 7, column 10: grad_sort: the op ..."
constexpr message_text<1000> message_of_refusal(const refusal& why, std::string_view text) {
  message_text<1000> result;
  if (why.label == nullptr) return result;
  if (why.source >= 0) {
    const auto [line, column] = tenon::detail::text_position(text, why.source);
    result << "line " << line << ", column " << column << ": ";
  }
  result << why.label << ": " << why.sentence;
  if (why.target.length > 0) result << " (" << why.target.view() << ")";
  if (why.operand.is_tensor()) result << "; operands: " << why.operand;
  return result;
}

template <class Source>
struct merged_source : Source, merging {};

// A derivative of a program, for `compiled`; with more memory where there was not enough.
template <class Source, derivative Which, int... By>
struct derived_source {
  template <int Effort>
  struct attempt {
    graph_storage<room_for_derivative(Source::graph(), Effort)> storage;
    refusal why;
    bool fits = false;
  };
  template <int Effort>
  static constexpr auto attempted = [] {
    attempt<Effort> made;
    graph to = made.storage.open();
    copy_graph(Source::graph(), to);
    constexpr bool is_gradient = Which == derivative::gradients || Which == derivative::value_and_gradients;
    constexpr int by[] = {By..., 0}, count = sizeof...(By) == 0 && is_gradient ? 1 : int(sizeof...(By));
    made.why = differentiate<kinds_of(Source::graph())>(to, Source::function(), {by, count}, Which);
    made.fits = !to.overflow();
    made.storage.close(to);
    return made;
  }();
  template <int Effort = 1>
  static constexpr const auto& sufficient() {
    if constexpr (attempted<Effort>.fits || Effort == most_effort)
      return attempted<Effort>;
    else
      return sufficient<4 * Effort>();
  }
  static constexpr const refusal& why = sufficient<>().why;
  static constexpr auto storage = cut_graph<sufficient<>().storage.used>(sufficient<>().storage.view());
  static constexpr tenon::ir::graph graph() { return storage.view(); }
  static constexpr graph_function function() { return storage.view().functions[0]; }
};

template <class Program>
concept loaded = requires(const Program& program) { program.like(program.source()); };

template <class Program>
Program derived_of_loaded(const Program& program, std::initializer_list<int> by, derivative which) {
  if (!program) fail("the program cannot be run: ", program.error() ? program.error().sentence : "it has no function");
  refusal why;
  const growing_graph made =
      differentiated(program.source(), program.function(), {by.begin(), int(by.size())}, which, why);
  if (why) fail(message_of_refusal(why, program.source().text).view());
  return program.like(made.get());
}

// The parts of a program that gradients read: its graph, its check, and its text, or none. XLA's computations are
// known by their built graph.
template <class Program>
struct program_origin;
template <class Text>
struct program_origin<program<Text>> {
  static_assert(!program<Text>::is_open, "tenon: grad_open: sizes are known in a program that is differentiated");
  using source = tenon::detail::program_source<Text>;
  using checked = tenon::detail::checked_program<Text>;
  static constexpr std::string_view text = Text::text;
};
template <class Executable>
  requires requires { typename Executable::built; }
struct program_origin<Executable> {
  using source = typename Executable::built;
  using checked = typename Executable::template checked<>;
  static constexpr std::string_view text = {};
};
template <class Program>
concept has_origin = requires { typename program_origin<Program>::source; };

template <class Origin, class Derived>
struct checked_derivative {
  static constexpr auto message = message_of_refusal(Derived::why, Origin::text);
#if defined(__clang__) && __clang_major__ < 15
  static_assert(require_program(Derived::why.label == nullptr, 0, 0, Derived::why.label, Derived::why.sentence),
                "tenon: the program has no gradient");
#else
  static_assert(obeys_the_specification<cut_message<message.length>(message)>, "tenon: the program has no gradient");
#endif
};

}  // namespace tenon::gradients

namespace tenon {

// A program that is a derivative of another one, and is called like it: grad<0, 2>(program<model>{})(x, y, z), or of
// what xla::Build gives. An op without a rule is a compile error that shows its line and column.
template <class Program, gradients::derivative Which, int... By>
class derived_program : public execution::callable<derived_program<Program, Which, By...>> {
  using origin = gradients::program_origin<Program>;
  static_assert(sizeof(typename origin::checked) > 0);
  using source =
      gradients::derived_source<execution::simplified_source<gradients::merged_source<typename origin::source>>, Which,
                                By...>;
  template <class>
  friend struct execution::callable;
  template <class, bool, class...>
  friend class execution::directed_call;

 public:
  static constexpr bool gives_single_tensors = Program::gives_single_tensors, is_open = false;
  template <class...>
  static constexpr bool valid = source::why.label == nullptr;
  // The simplified graph and its plan: code::graph(), code::plan().
  using code = std::conditional_t<valid<>, execution::compiled<source>, detail::no_program>;
  static constexpr index_t arena_bytes = code::arena_bytes;
  static constexpr int fused_groups = code::fused_groups;

  // The tensors that it takes and gives.
  template <int I>
  using argument = any_tensor_of<code::argument_type(I)>;
  template <int I>
  using result = any_tensor_of<code::result_type(I)>;

  template <class...>
  using program_for = code;
  template <class...>
  using checked = gradients::checked_derivative<origin, source>;
};

// The value of a program that gives one real number, and its gradients by the arguments with these numbers (by the
// first one, where none is said).
template <int... Indices, gradients::has_origin Program>
constexpr auto value_and_grad(Program) {
  return derived_program<Program, gradients::derivative::value_and_gradients, Indices...>{};
}
// The gradients alone.
template <int... Indices, gradients::has_origin Program>
constexpr auto grad(Program) {
  return derived_program<Program, gradients::derivative::gradients, Indices...>{};
}
// The results of a program, and their tangents for those of the arguments with these numbers, which it takes behind the
// arguments.
template <int... Indices, gradients::has_origin Program>
constexpr auto jvp(Program) {
  return derived_program<Program, gradients::derivative::pushforward, Indices...>{};
}
// The results of a program, and the cotangents of the arguments with these numbers for those of the results, which it
// takes behind the arguments.
template <int... Indices, gradients::has_origin Program>
constexpr auto vjp(Program) {
  return derived_program<Program, gradients::derivative::pullback, Indices...>{};
}

// Gradients of a program that is read when it runs, <tenon/loaded_programs.hpp>: loaded_program by_w = grad(program,
// {1}). What has no gradient is an error of the program that is differentiated.
template <gradients::loaded Program>
Program value_and_grad(const Program& program, std::initializer_list<int> by = {0}) {
  return gradients::derived_of_loaded(program, by, gradients::derivative::value_and_gradients);
}
template <gradients::loaded Program>
Program grad(const Program& program, std::initializer_list<int> by = {0}) {
  return gradients::derived_of_loaded(program, by, gradients::derivative::gradients);
}
template <gradients::loaded Program>
Program jvp(const Program& program, std::initializer_list<int> by) {
  return gradients::derived_of_loaded(program, by, gradients::derivative::pushforward);
}
template <gradients::loaded Program>
Program vjp(const Program& program, std::initializer_list<int> by) {
  return gradients::derived_of_loaded(program, by, gradients::derivative::pullback);
}

}  // namespace tenon
