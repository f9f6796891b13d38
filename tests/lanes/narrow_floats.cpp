// SPDX-License-Identifier: Apache-2.0
#include <lanes/compiled_cases.hpp>

namespace lane_cases {

const compiled_list programs_of_narrow_floats =
    programs_of_cases<wanted_cases{dtype::bf16, share::every, true}, wanted_cases{dtype::f16, share::third},
                      wanted_cases{dtype::f4E2M1FN}, wanted_cases{dtype::f6E2M3FN}, wanted_cases{dtype::f6E3M2FN},
                      wanted_cases{dtype::f8E3M4}, wanted_cases{dtype::f8E4M3}, wanted_cases{dtype::f8E4M3FN},
                      wanted_cases{dtype::f8E4M3FNUZ}, wanted_cases{dtype::f8E4M3B11FNUZ}, wanted_cases{dtype::f8E5M2},
                      wanted_cases{dtype::f8E5M2FNUZ}, wanted_cases{dtype::f8E8M0FNU}>::list;

}  // namespace lane_cases
