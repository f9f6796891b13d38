// SPDX-License-Identifier: Apache-2.0
#include <lanes/compiled_cases.hpp>

namespace lane_cases {

const compiled_list programs_of_floats =
    programs_of_cases<wanted_cases{dtype::f32, share::third, true}, wanted_cases{dtype::f64, share::third},
                      wanted_cases{dtype::complex_f32, share::third}, wanted_cases{dtype::complex_f64}>::list;

}  // namespace lane_cases
