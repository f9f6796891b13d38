// SPDX-License-Identifier: Apache-2.0
#pragma once

// Structs of tensors as arguments and results of traced functions and programs, flattened in the order of their members
// as JAX flattens its trees. A struct is one for Boost.Hana (BOOST_HANA_DEFINE_STRUCT or BOOST_HANA_ADAPT_STRUCT);
// members are tensors, views, numbers, and again structs, std::tuple or std::array of these. Needs Boost.
//
//   struct network { BOOST_HANA_DEFINE_STRUCT(network, (tensor<f32, 4, 2>, weights), (tensor<f32, 2>, biases)); };
//   constexpr auto step = trace([](auto parameters, auto x) {
//     auto [weights, biases] = parameters;
//     return tree<network>(weights - ..., biases - ...);
//   });
//   parameters = step(parameters, x);

#include <tenon/tensors.hpp>

#include <boost/hana/accessors.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/at.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/core/to.hpp>
#include <boost/hana/define_struct.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/length.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/tuple.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon {

namespace detail {

template <class T>
concept hana_struct = boost::hana::Struct<T>::value;

}  // namespace detail

namespace execution {

template <detail::hana_struct T>
inline constexpr bool is_tree<T> = true;
template <class... T>
inline constexpr bool is_tree<std::tuple<T...>> = true;
template <class T, std::size_t Size>
inline constexpr bool is_tree<std::array<T, Size>> = true;

}  // namespace execution

namespace detail {

// The children of a tree.
template <class Tree>
constexpr int child_count() {
  if constexpr (hana_struct<Tree>)
    return int(decltype(boost::hana::length(boost::hana::accessors<Tree>()))::value);
  else
    return int(std::tuple_size_v<Tree>);
}
template <int I, class Tree>
constexpr auto& child(Tree& tree) {
  if constexpr (hana_struct<std::remove_const_t<Tree>>)
    return boost::hana::second(boost::hana::at_c<I>(boost::hana::accessors<std::remove_const_t<Tree>>()))(tree);
  else
    return std::get<I>(tree);
}
template <class Tree, int I>
using child_of = std::remove_cvref_t<decltype(child<I>(std::declval<Tree&>()))>;

template <class Tree, class Function>
constexpr auto with_children(Function f) {
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    return f(std::integral_constant<int, I>{}...);
  }(std::make_integer_sequence<int, child_count<Tree>()>{});
}

template <class Tree, int I, class Text>
constexpr void write_name_of_child(Text& text) {
  if constexpr (hana_struct<Tree>)
    text << boost::hana::to<const char*>(boost::hana::first(boost::hana::at_c<I>(boost::hana::accessors<Tree>())));
  else
    text << index_t(I);
}

template <class Tree>
constexpr int leaf_count() {
  if constexpr (is_tree<Tree>)
    return with_children<Tree>([](auto... i) { return (0 + ... + leaf_count<child_of<Tree, i>>()); });
  else
    return 1;
}
// The leaves before child I.
template <class Tree, int I>
constexpr int leaves_before() {
  return with_children<Tree>([](auto... i) { return (0 + ... + (i < I ? leaf_count<child_of<Tree, i>>() : 0)); });
}

template <class Tree>
constexpr auto leaves_of(const Tree& tree) {
  if constexpr (is_tree<Tree>)
    return with_children<Tree>([&](auto... i) { return std::tuple_cat(leaves_of(child<i>(tree))...); });
  else
    return std::tuple<const Tree&>(tree);
}

// Calls f(name, type) for the leaves, named by the way to them: "layers.0.weights".
template <class Tree, class Name, class Function>
constexpr void for_each_leaf_type(const Name& name, Function& f) {
  if constexpr (is_tree<Tree>) {
    with_children<Tree>([&](auto... i) {
      const auto visit_one = [&](auto number) {
        Name longer = name;
        if (!longer.view().empty()) longer << ".";
        write_name_of_child<Tree, number>(longer);
        for_each_leaf_type<child_of<Tree, number>>(longer, f);
      };
      (visit_one(i), ...);
      return 0;
    });
  } else {
    f(name, type_of_argument<Tree>);
  }
}

// Sets the leaves from element First of a tuple on.
template <int First, class Tree, class Leaves>
void set_leaves(Tree& tree, Leaves& leaves) {
  if constexpr (is_tree<Tree>) {
    with_children<Tree>([&](auto... i) {
      (set_leaves<First + leaves_before<Tree, i>()>(child<i>(tree), leaves), ...);
      return 0;
    });
  } else if constexpr (operand_like<Tree>) {
    tree = std::move(std::get<First>(leaves));
  } else {
    tree = std::get<First>(leaves)();
  }
}

template <class Tree, class... Values>
inline constexpr auto complaint_about_tree = [] {
  complaint result;
  constexpr tensor_type given[] = {std::remove_cvref_t<Values>::type..., tensor_type{}};
  int i = 0;
  const auto check = [&](const auto& name, const tensor_type& type) {
    if (result.label == nullptr && i < int(sizeof...(Values)) && !(given[i] == type))
      result = complain("tree", "member ", name.view(), " is a ", type, ", got a ", given[i]);
    ++i;
  };
  for_each_leaf_type<Tree>(message_text<100>{}, check);
  if (result.label == nullptr && i != int(sizeof...(Values)))
    result = complain("tree", "the struct has ", i, " leaves, got ", int(sizeof...(Values)));
  return result;
}();

template <class Tree, class... Values>
using checked_tree = outcome_of<complaint_about_tree<Tree, Values...>>;

// Some elements of a tuple.
template <int First, int Count, class Tuple>
constexpr auto elements_of(const Tuple& all) {
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    return std::tuple(std::get<First + I>(all)...);
  }(std::make_integer_sequence<int, Count>{});
}

template <class Tree, class... Leaves>
constexpr auto tree_from(const std::tuple<Leaves...>& leaves);

}  // namespace detail

// A tree of traced values, of the form of `Tree`: auto [weights, biases] = parameters; or get<"weights">(parameters).
template <class Tree, class... Leaves>
struct traced_tree {
  static constexpr bool holds_tracers = true;
  std::tuple<Leaves...> leaves;

  template <std::size_t I>
  friend constexpr auto get(const traced_tree& tree) {
    using child = detail::child_of<Tree, int(I)>;
    constexpr int first = detail::leaves_before<Tree, int(I)>();
    if constexpr (execution::is_tree<child>)
      return detail::tree_from<child>(detail::elements_of<first, detail::leaf_count<child>()>(tree.leaves));
    else
      return std::get<first>(tree.leaves);
  }
};

namespace detail {

template <class Tree, class... Leaves>
constexpr auto tree_from(const std::tuple<Leaves...>& leaves) {
  return traced_tree<Tree, Leaves...>{leaves};
}

template <std::size_t Size>
struct member_name {
  char at[Size]{};
  constexpr member_name(const char (&text)[Size]) {
    for (std::size_t i = 0; i < Size; ++i) at[i] = text[i];
  }
  constexpr std::string_view view() const { return {at, Size - 1}; }
};
template <class Tree>
constexpr int child_named(std::string_view wanted) {
  return with_children<Tree>([&](auto... i) {
    int found = -1;
    const auto look = [&](auto number) {
      message_text<100> name;
      write_name_of_child<Tree, number>(name);
      if (name.view() == wanted) found = number;
    };
    (look(i), ...);
    return found;
  });
}

// The leaves of what a traced function is given or gives.
template <class Value>
constexpr auto traced_leaves(const Value& value) {
  if constexpr (requires { value.leaves; })
    return value.leaves;
  else
    return std::tuple<Value>(value);
}

template <class T>
concept traced_value = is_traced<T> || is_traced_tree<T>;
template <class Tree, class Leaves>
struct fitting_leaves;
template <class Tree, class... Leaves>
struct fitting_leaves<Tree, std::tuple<Leaves...>> : checked_tree<Tree, Leaves...> {};
template <class Tree, class... Leaves>
  requires(!are_typed<Leaves...>)
struct fitting_leaves<Tree, std::tuple<Leaves...>> : kept_rules {};
// Whether traced values are the leaves of a tree; nothing is asked of others.
template <class Tree, class... Values>
struct fitting_values {};
template <class Tree, traced_value... Values>
struct fitting_values<Tree, Values...>
    : fitting_leaves<Tree, decltype(std::tuple_cat(traced_leaves(std::declval<const Values&>())...))> {};

// A traced function of trees as one of leaves.
template <class Function, class... Arguments>
struct function_of_leaves {
  constexpr auto operator()(const auto&... leaf) const {
    return call(std::tuple(leaf...), std::make_integer_sequence<int, int(sizeof...(Arguments))>{});
  }

 private:
  template <class Argument, int First>
  static constexpr auto argument(const auto& leaves) {
    if constexpr (is_tree<Argument>)
      return tree_from<Argument>(elements_of<First, leaf_count<Argument>()>(leaves));
    else
      return std::get<First>(leaves);
  }
  static constexpr int leaves_before_argument(int i) {
    constexpr int counts[] = {leaf_count<Arguments>()...};
    int result = 0;
    while (i-- > 0) result += counts[i];
    return result;
  }
  template <int... I>
  static constexpr auto call(const auto& leaves, std::integer_sequence<int, I...>) {
    return Function{}(argument<Arguments, leaves_before_argument(I)>(leaves)...);
  }
};

// The results of a traced function as a value of the user's type: `Result` says its form, the leaves are from First on.
template <int First, class... Each, class Leaves>
auto value_from(const results<Each...>*, Leaves& leaves);
template <int First, class Leaves>
auto value_from(const tracer*, Leaves& leaves) {
  return std::move(std::get<First>(leaves));
}
template <int First, class Tree, class... Values, class Leaves>
auto value_from(const traced_tree<Tree, Values...>*, Leaves& leaves) {
  Tree result{};
  set_leaves<First>(result, leaves);
  return result;
}
template <class Result>
inline constexpr int leaves_of_result = traced_count<Result>();
template <int First, class Leaves>
auto values_from(Leaves&) {
  return std::tuple<>();
}
template <int First, class Leaves, class Result, class... Rest>
auto values_from(Leaves& leaves, const Result* result, const Rest*... rest) {
  return std::tuple_cat(std::tuple(value_from<First>(result, leaves)),
                        values_from<First + leaves_of_result<Result>>(leaves, rest...));
}
template <int First, class... Each, class Leaves>
auto value_from(const results<Each...>*, Leaves& leaves) {
  return std::apply([](auto&&... value) { return results(std::move(value)...); },
                    values_from<First>(leaves, static_cast<const Each*>(nullptr)...));
}

template <class Function, class... Arguments>
auto call_with_trees(const Arguments&... arguments) {
  using flat = function_of_leaves<Function, Arguments...>;
  return std::apply(
      [](const auto&... leaf) {
        auto computed = traced<flat>{}(leaf...);
        using form = decltype(flat{}(traced_as<std::remove_cvref_t<decltype(leaf)>>...));
        if constexpr (std::is_same_v<decltype(computed), execution::broken>) {
          return computed;
        } else if constexpr (is_tensor<decltype(computed)>) {
          auto leaves = std::tuple(std::move(computed));
          return value_from<0>(static_cast<const form*>(nullptr), leaves);
        } else {
          return value_from<0>(static_cast<const form*>(nullptr), computed);
        }
      },
      std::tuple_cat(leaves_of(arguments)...));
}

// Which leaf of the arguments is not what a program takes.
template <class Callable, class... Arguments>
inline constexpr auto complaint_about_leaves = [] {
  complaint result;
  if constexpr (Callable::template valid<>) {
    using program = typename Callable::template program_for<>;
    int i = 0, argument = 0;
    const auto check = [&](const auto& name, const tensor_type& type) {
      if (result.label == nullptr && i < program::argument_count && !(program::argument_type(i) == type))
        result = complain("tree", "argument ", argument, name.view().empty() ? "" : ", member ", name.view(), " is a ",
                          type, ", the program takes a ", program::argument_type(i));
      ++i;
    };
    ((++argument, for_each_leaf_type<Arguments>(message_text<100>{}, check)), ...);
    if (result.label == nullptr && i != program::argument_count)
      result = complain("tree", "the program takes ", program::argument_count, " leaves, got ", i);
  }
  return result;
}();
}  // namespace detail

namespace execution {

template <class Callable, class... Arguments>
  requires(is_tree<Arguments> || ...)
struct checked_trees<Callable, Arguments...>
    : std::type_identity<outcome_of<detail::complaint_about_leaves<Callable, Arguments...>>> {};

template <class Callable, class... Arguments>
auto call_program_with_trees(const Callable& program, const Arguments&... arguments) {
  return std::apply([&](const auto&... leaf) { return program(leaf...); },
                    std::tuple_cat(detail::leaves_of(arguments)...));
}

}  // namespace execution

// Member `Name` of a traced tree.
template <detail::member_name Name, class Tree, class... Leaves>
  requires(detail::child_named<Tree>(Name.view()) >= 0)
constexpr auto get(const traced_tree<Tree, Leaves...>& tree) {
  return get<std::size_t(detail::child_named<Tree>(Name.view()))>(tree);
}

// Traced values as a `Tree`, which a traced function returns: one for each member, or for each leaf.
template <class Tree, class... Values, class Rules = typename detail::fitting_values<Tree, Values...>::kept>
constexpr auto tree(const Values&... values) {
  return detail::tree_from<Tree>(std::tuple_cat(detail::traced_leaves(values)...));
}
template <class Tree, class... Values, class Rule = typename detail::fitting_values<Tree, Values...>::broken>
void tree(const Values&...) = delete;
// The results of a program as a `Tree`: parameters = tree<network>(net{}(parameters, x));
template <class Tree, class... Tensors, class Rules = typename detail::checked_tree<Tree, Tensors...>::kept>
Tree tree(results<Tensors...> values) {
  Tree result{};
  detail::set_leaves<0>(result, values);
  return result;
}
template <class Tree, class... Tensors, class Rule = typename detail::checked_tree<Tree, Tensors...>::broken>
void tree(results<Tensors...>) = delete;

}  // namespace tenon

template <class Tree, class... Leaves>
struct std::tuple_size<tenon::traced_tree<Tree, Leaves...>>
    : std::integral_constant<std::size_t, std::size_t(tenon::detail::child_count<Tree>())> {};
template <std::size_t I, class Tree, class... Leaves>
struct std::tuple_element<I, tenon::traced_tree<Tree, Leaves...>> {
  using type = decltype(get<I>(std::declval<const tenon::traced_tree<Tree, Leaves...>&>()));
};
