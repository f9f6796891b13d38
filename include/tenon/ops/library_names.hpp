// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/ops/chlo.hpp>
#include <tenon/ops/elementwise.hpp>

// Where a rule is broken, clang finds none of these functions, and would say of each one of the C library why it does
// not fit. So it finds one that is refused as soon as it is chosen, and no other is spoken of.
#if defined(__clang__)
namespace tenon {

template <class X, class Rule = rule_broken_by<elementwise_call<ops::abs{}>, X>>
void abs(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::acos{}>, X>>
void acos(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::acosh{}>, X>>
void acosh(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::asin{}>, X>>
void asin(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::asinh{}>, X>>
void asinh(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::atan{}>, X>>
void atan(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::atanh{}>, X>>
void atanh(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::cbrt{}>, X>>
void cbrt(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::ceil{}>, X>>
void ceil(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::cosine{}>, X>>
void cos(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::cosh{}>, X>>
void cosh(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::erf{}>, X>>
void erf(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::erfc{}>, X>>
void erfc(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::exponential{}>, X>>
void exp(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::exponential_minus_one{}>, X>>
void expm1(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::floor{}>, X>>
void floor(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::lgamma{}>, X>>
void lgamma(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::log{}>, X>>
void log(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::log_plus_one{}>, X>>
void log1p(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::sine{}>, X>>
void sin(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::sinh{}>, X>>
void sinh(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::sqrt{}>, X>>
void sqrt(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::tan{}>, X>>
void tan(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Rule = rule_broken_by<elementwise_call<ops::tanh{}>, X>>
void tanh(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Y, class Rule = rule_broken_by<elementwise_call<ops::atan2{}>, X, Y>>
void atan2(X&&, Y&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Y, class Rule = rule_broken_by<elementwise_call<ops::power{}>, X, Y>>
void pow(X&&, Y&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Y, class Rule = rule_broken_by<elementwise_call<ops::remainder{}>, X, Y>>
void remainder(X&&, Y&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));

}  // namespace tenon
#endif
