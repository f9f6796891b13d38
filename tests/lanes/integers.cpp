// SPDX-License-Identifier: Apache-2.0
#include <lanes/compiled_cases.hpp>

namespace lane_cases {

const compiled_list programs_of_integers =
    programs_of_cases<wanted_cases{dtype::i1, share::third}, wanted_cases{dtype::i2}, wanted_cases{dtype::i4},
                      wanted_cases{dtype::i8, share::third, true}, wanted_cases{dtype::i16},
                      wanted_cases{dtype::i32, share::third}, wanted_cases{dtype::i64}, wanted_cases{dtype::ui2},
                      wanted_cases{dtype::ui4}, wanted_cases{dtype::ui8}, wanted_cases{dtype::ui16},
                      wanted_cases{dtype::ui32}, wanted_cases{dtype::ui64}>::list;

}  // namespace lane_cases
