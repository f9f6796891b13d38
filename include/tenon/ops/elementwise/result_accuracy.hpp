// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/rules.hpp>

namespace tenon {

enum class result_accuracy_mode { DEFAULT, HIGHEST, TOLERANCE };
template <>
inline constexpr std::string_view core::enumerators<result_accuracy_mode>[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};

// How exact a transcendental op has to be. tenon computes the same whatever is asked.
struct result_accuracy {
  double atol = 0, rtol = 0;
  index_t ulps = 0;
  result_accuracy_mode mode = result_accuracy_mode::DEFAULT;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("atol", self.atol) && visit("rtol", self.rtol) && visit("ulps", self.ulps) && visit("mode", self.mode);
  }

  constexpr bool valid() const {
    if (mode == result_accuracy_mode::TOLERANCE) return atol >= 0 && rtol >= 0 && ulps >= 0;
    return atol == 0 && rtol == 0 && ulps == 0;
  }
  friend constexpr bool operator==(const result_accuracy&, const result_accuracy&) = default;
};

constexpr void check_accuracy(core::rules& rule, const char* label, const result_accuracy& accuracy) {
  rule(label, "result_accuracy: tolerances are not negative, and zero unless mode is TOLERANCE", accuracy.valid());
}

namespace ops {

// An op that is told how exact it has to be.
struct accurate_op {
  tenon::result_accuracy result_accuracy;

  static constexpr bool attributes(auto& self, auto visit) { return visit("result_accuracy", self.result_accuracy); }
};

}  // namespace ops

}  // namespace tenon
