// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/core/lifetime.hpp>
#include <tenon/core/tensor.hpp>
#include <tenon/graph/ir/check.hpp>
#include <tenon/graph/ir/diagnostic.hpp>
#include <tenon/graph/ir/tracer.hpp>
#include <tenon/ops/all.hpp>

#include <type_traits>
#include <utility>

namespace tenon {

namespace detail {

template <tensor_type Type>
inline constexpr auto complaint_about_condition =
    complain("condition", "a ", Type, " is no bool; equal(x, y) compares all elements, where(c, x, y) chooses");

// Ends the compilation if the op breaks a rule for these operands.
template <auto Op, class Declared, class Bodies, class... Operands>
struct checked_op {
  static constexpr const auto& types = inferred<Op, Declared, Bodies, Operands::type...>;
  static constexpr bool valid = types.message.length == 0;
  static_assert(obeys_the_specification<cut_message<types.message.length>(types.message)>,
                "tenon: the program breaks a rule of StableHLO");
};

// Of an operand that is computed; tensors are as here.
struct leaf {
  static constexpr bool valid = true, has_elements = true;
  static constexpr int leaf_count = 1;
};
template <class Operand>
using computed_operand = std::conditional_t<evaluable<Operand>, std::remove_cvref_t<Operand>, leaf>;

// How an operand is kept within an expression: tensors that have a name by reference, all else, views too, by value.
template <class Operand>
struct kept_operand {
  using type = std::remove_cvref_t<Operand>;
};
template <class Operand>
  requires std::is_same_v<std::remove_const_t<Operand>, tensor_of<Operand::type>>
struct kept_operand<Operand&> {
  using type = const Operand&;
};

template <int I, class Operand>
struct operand_at {
  Operand value;

  template <class Given>
  constexpr explicit operand_at(Given&& given) : value(static_cast<Given&&>(given)) {}
};
template <class Positions, class... Operands>
struct operand_pack;
template <int... I, class... Operands>
struct operand_pack<std::integer_sequence<int, I...>, Operands...> : operand_at<I, Operands>... {
  template <class... Given>
  constexpr explicit operand_pack(std::in_place_t, Given&&... given)
      : operand_at<I, Operands>(static_cast<Given&&>(given))... {}

  template <class Function>
  constexpr void for_each([[maybe_unused]] Function f) const {
    (f(static_cast<const operand_at<I, Operands>&>(*this).value), ...);
  }
  template <class Function>
  constexpr auto with_all(Function f) const {
    return f(static_cast<const operand_at<I, Operands>&>(*this).value...);
  }
};

}  // namespace detail

// An op on tensors or other expressions, not yet computed: assign it to a tensor, or use it in another expression.
// Tensors that have a name are referred to, so an expression must not outlive them: it can be neither copied nor moved,
// only named by `auto`, and `return e;` does not compile. A function that gives an expression takes its operands by
// reference and returns the expression where it makes it; all others return tensors. A subexpression that is used twice
// is computed twice; for more than a few ops use `trace`.
template <auto Op, class Declared, class Bodies, class... Operands>
class expression : public detail::has_parts<expression<Op, Declared, Bodies, Operands...>> {
  using checked = detail::checked_op<Op, Declared, Bodies, std::remove_cvref_t<Operands>...>;

 public:
  // False where a rule is broken, which has been reported.
  static constexpr bool valid = checked::valid && (detail::computed_operand<Operands>::valid && ...);
  static constexpr tensor_type type = checked::types.at[0];
  static constexpr ints shape = type.shape;
  static constexpr int rank = type.rank();
  static constexpr index_t size = shape.product();
  static constexpr int leaf_count = (0 + ... + detail::computed_operand<Operands>::leaf_count);

  template <class... Given>
  constexpr explicit expression(std::in_place_t, Given&&... operands)
      : operands_(std::in_place, static_cast<Given&&>(operands)...) {}

  // An expression without dimensions is a number: float s = sum(x);
  operator element_t<(is_element(type.element) ? type.element : dtype::i1)>() const
    requires(rank == 0 && is_element(type.element))
  {
    return tensor<element_t<type.element>>(*this)();
  }

  template <class Truth, class Rule = typename detail::outcome_of<detail::complaint_about_condition<type>>::broken>
    requires(rank > 0 && std::is_same_v<Truth, bool>)
  explicit operator Truth() const = delete;

  // Whether elements can be had while compiling: those of elementwise ops by their scalar form, and spread numbers.
  static constexpr bool has_elements =
      (detail::computed_operand<Operands>::has_elements && ...) &&
      ((std::is_same_v<std::remove_const_t<decltype(Op)>, ops::broadcast_in_dim> &&
        ((std::remove_cvref_t<Operands>::size == 1) && ...)) ||
       requires { Op.element(compute_t<element_t<std::remove_cvref_t<Operands>::type.element>>()...); });

  // The element at an offset, in constant evaluation.
  constexpr auto element(index_t i) const
    requires has_elements
  {
    return operands_.with_all([&](const auto&... operand) {
      const auto at = [i]<class Operand>(const Operand& source) {
        const index_t offset = source.shape.product() == 1 ? 0 : i;
        if constexpr (detail::evaluable<Operand>)
          return source.element(offset);
        else
          return source.data()[offset];
      };
      if constexpr (std::is_same_v<std::remove_const_t<decltype(Op)>, ops::broadcast_in_dim>) {
        return (at(operand), ...);
      } else {
        // Narrow floats are computed as f32, and rounded.
        return convert_to<element_t<type.element>>(
            Op.element(compute_t<element_t<std::remove_cvref_t<decltype(operand)>::type.element>>(at(operand))...));
      }
    });
  }

  // Calls f(tensor) for every tensor below, in the order in which `record` takes them as arguments.
  template <class Function>
  constexpr void for_each_leaf(Function f) const {
    operands_.for_each([&](const auto& operand) {
      if constexpr (detail::evaluable<decltype(operand)>)
        operand.for_each_leaf(f);
      else
        f(operand);
    });
  }
  // Fails if a tensor that it refers to was destroyed after the expression was made, in builds with assertions.
  void check_alive() const {
    operands_.with_all([&](const auto&... operand) { (check_operand<Operands>(operand), ...); });
  }
  // Calls f(type) for the types of the tensors below.
  template <class Function>
  static constexpr void for_each_leaf_type(Function f) {
    [[maybe_unused]] const auto visit_one = [&]<class Operand>(std::type_identity<Operand>) {
      if constexpr (detail::evaluable<Operand>)
        Operand::for_each_leaf_type(f);
      else
        f(Operand::type);
    };
    (visit_one(std::type_identity<std::remove_cvref_t<Operands>>{}), ...);
  }
  // The types of all results: `size` of them at `at`.
  static constexpr const auto& result_types = checked::types;

  // The expression in a graph, its tensors the next arguments of the region; `argument` is the value of the first.
  static constexpr auto record(detail::recording& r, int& argument) {
    [[maybe_unused]] const auto record_one = [&]<class Operand>(std::type_identity<Operand>) {
      if constexpr (detail::evaluable<Operand>)
        return Operand::record(r, argument).value;
      else
        return argument++;
    };
    // Braces keep the order of the operands.
    const int values[] = {record_one(std::type_identity<std::remove_cvref_t<Operands>>{})..., -1};
    return detail::record_constant_op<Op, Declared, Bodies, int(sizeof...(Operands))>(r, values);
  }
  // The same with its tensors as constants.
  constexpr auto record_values(detail::recording& r) const {
    int values[sizeof...(Operands) + 1]{}, count = 0;
    operands_.for_each([&](const auto& operand) { values[count++] = detail::as_tracer(r, operand).value; });
    return detail::record_constant_op<Op, Declared, Bodies, int(sizeof...(Operands))>(r, values);
  }

 private:
  detail::operand_pack<std::make_integer_sequence<int, int(sizeof...(Operands))>, Operands...> operands_;
  [[no_unique_address]] core::time_of_birth birth_;

  template <class Kept, class Operand>
  void check_operand(const Operand& operand) const {
    if constexpr (detail::evaluable<Operand>)
      operand.check_alive();
    else if constexpr (std::is_reference_v<Kept>)
      birth_.check_alive(&operand);
  }

  template <int, class>
  friend struct detail::operand_at;
  constexpr expression(const expression&) = default;
  constexpr expression(expression&&) = default;
};

namespace detail {

// Computes the results of an op that has several; defined in run/evaluate.hpp.
template <class Expression>
auto evaluate_results(const Expression& source);

template <auto Op, class Declared, class Bodies, class... Operands>
constexpr auto make_expression(Operands&&... operands) {
  static_assert(sizeof(checked_op<Op, Declared, Bodies, std::remove_cvref_t<Operands>...>) > 0);
  using made = expression<Op, Declared, Bodies, typename kept_operand<Operands>::type...>;
  if constexpr (made::result_types.size == 1) {
    return made(std::in_place, static_cast<Operands&&>(operands)...);
  } else {
    // Called by its address, as GCC takes functions that call it by name for none that are constexpr.
    const auto computed = &evaluate_results<made>;
    if (std::is_constant_evaluated())
      report_broken<0>("results", "of constants alone a trace computes one: make a constant an argument", {});
    return computed(made(std::in_place, static_cast<Operands&&>(operands)...));
  }
}

// A plain number as a tensor without dimensions of this element type.
template <dtype Element, class Operand>
constexpr decltype(auto) number_as_tensor(Operand&& operand) {
  if constexpr (operand_like<Operand>)
    return static_cast<Operand&&>(operand);
  else
    return tensor<element_t<Element>>(element_of_number<element_t<Element>>(operand));
}

// A plain number, or a tensor without dimensions, as a tensor of this type, the same everywhere.
template <tensor_type Like, class Operand>
constexpr decltype(auto) number_as_broadcast(Operand&& operand) {
  if constexpr (operand_like<Operand> && !ir::is_spread(ir::given_type_of<Operand>().type, Like))
    return static_cast<Operand&&>(operand);
  else
    return make_expression<ops::broadcast_in_dim{}, tenon::result_types<Like>, bodies<>>(
        number_as_tensor<Like.element>(operand));
}

// The operands of a call, one of which is traced, in its graph: tensors become constants, numbers constants of the type
// that they stand for; those of elementwise ops have the shape of the others, too.
template <class... Operands>
struct recorded_operands {
  static constexpr int count = int(sizeof...(Operands));
  recording& into;
  int values[count]{};

  constexpr recorded_operands(bool is_elementwise, int typing, const Operands&... operands)
      : into(*first_tracer(operands...).into) {
    ir::given_type given[count]{};
    int i = 0;
    const auto record = [&]<class Operand>(const Operand& operand) {
      if constexpr (operand_like<Operand>)
        values[i] = as_tracer(into, operand).value, given[i] = {into.program.type_of_value(values[i])};
      else
        given[i] = ir::given_type_of<Operand>();
      ++i;
    };
    (record(operands), ...);
    const tensor_type common = ir::type_of_numbers({given, count}, typing);
    const tensor_type like = is_elementwise ? common : common.with_shape({});
    i = 0;
    const auto fit = [&]<class Operand>(const Operand& operand) {
      if constexpr (!operand_like<Operand>)
        values[i] = record_number(into, like, operand).value;
      else if (ir::is_spread(given[i].type, like))
        values[i] = record_op<1, 1>(into, ops::broadcast_in_dim{}, nullptr, &like, values + i, bodies<>{}).value;
      ++i;
    };
    (fit(operands), ...);
  }
};

}  // namespace detail

template <auto Op, class Declared, class Bodies, class... Operands>
constexpr auto apply(Operands&&... operands) {
  if constexpr ((detail::is_traced<Operands> || ...)) {
    const detail::recorded_operands given(false, ir::typing_operand<Op>, detail::untyped(operands)...);
    return ir::typed<op_call<Op, Declared, Bodies>, Operands...>(
        detail::record_constant_op<Op, Declared, Bodies, given.count>(given.into, given.values));
  } else {
    return detail::make_expression<Op, Declared, Bodies>(
        detail::number_as_tensor<ir::common_type<Op, Operands...>.element>(static_cast<Operands&&>(operands))...);
  }
}

template <auto Op, class... Operands>
constexpr auto apply_elementwise(Operands&&... operands) {
  if constexpr ((detail::is_traced<Operands> || ...)) {
    const detail::recorded_operands given(true, ir::typing_operand<Op>, detail::untyped(operands)...);
    return ir::typed<elementwise_call<Op>, Operands...>(
        detail::record_constant_op<Op, result_types<>, bodies<>, given.count>(given.into, given.values));
  } else {
    return detail::make_expression<Op, result_types<>, bodies<>>(
        detail::number_as_broadcast<ir::common_type<Op, Operands...>>(static_cast<Operands&&>(operands))...);
  }
}

template <class Bodies, class Op, class... Operands>
constexpr auto apply_value(const Op& op, core::list<tensor_type> declared, const Operands&... operands) {
  const detail::recorded_operands given(false, 0, operands...);
  constexpr int count = int(sizeof...(Operands));
  if (declared.empty()) return detail::record_op<count, 0>(given.into, op, nullptr, nullptr, given.values, Bodies{});
  return detail::record_op<count, 1>(given.into, op, nullptr, declared.data, given.values, Bodies{});
}

template <class Neighbour, class Op>
constexpr auto apply_value_beside(const Neighbour& neighbour, const Op& op, core::list<tensor_type> declared) {
  const int none = -1;
  return detail::record_op<0, 1>(*neighbour.into, op, nullptr, declared.data, &none, bodies<>{});
}

template <class Function, class... Operands>
constexpr auto apply_function(Function, Operands&&... operands) {
  return apply<detail::function_op<Function>{}>(static_cast<Operands&&>(operands)...);
}

template <class T>
constexpr tensor_type type_of_operand(const T& operand) {
  if constexpr (std::is_same_v<T, tracer>)
    return operand.type();
  else
    return T::type;
}

}  // namespace tenon
