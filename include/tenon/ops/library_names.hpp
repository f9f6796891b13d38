// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/ops/chlo.hpp>
#include <tenon/ops/elementwise.hpp>

// Where a rule is broken, clang finds none of these functions, and would say of each one of the C library why it does
// not fit. So it finds one that is refused as soon as it is chosen, and no other is spoken of.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"
namespace tenon {

#define TENON_REFUSE(function, op)                                                \
  template <class X, class Rule = rule_broken_by<elementwise_call<ops::op{}>, X>> \
  void function(X&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
TENON_REFUSE(abs, abs)
TENON_REFUSE(acos, acos)
TENON_REFUSE(acosh, acosh)
TENON_REFUSE(asin, asin)
TENON_REFUSE(asinh, asinh)
TENON_REFUSE(atan, atan)
TENON_REFUSE(atanh, atanh)
TENON_REFUSE(cbrt, cbrt)
TENON_REFUSE(ceil, ceil)
TENON_REFUSE(cos, cosine)
TENON_REFUSE(cosh, cosh)
TENON_REFUSE(erf, erf)
TENON_REFUSE(erfc, erfc)
TENON_REFUSE(exp, exponential)
TENON_REFUSE(expm1, exponential_minus_one)
TENON_REFUSE(floor, floor)
TENON_REFUSE(lgamma, lgamma)
TENON_REFUSE(log, log)
TENON_REFUSE(log1p, log_plus_one)
TENON_REFUSE(sin, sine)
TENON_REFUSE(sinh, sinh)
TENON_REFUSE(sqrt, sqrt)
TENON_REFUSE(tan, tan)
TENON_REFUSE(tanh, tanh)
#undef TENON_REFUSE
template <class X, class Y, class Rule = rule_broken_by<elementwise_call<ops::atan2{}>, X, Y>>
void atan2(X&&, Y&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Y, class Rule = rule_broken_by<elementwise_call<ops::power{}>, X, Y>>
void pow(X&&, Y&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));
template <class X, class Y, class Rule = rule_broken_by<elementwise_call<ops::remainder{}>, X, Y>>
void remainder(X&&, Y&&) __attribute__((diagnose_if(true, "tenon: a rule is broken", "error")));

}  // namespace tenon
#pragma clang diagnostic pop
#endif
