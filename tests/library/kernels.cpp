// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/library_part.hpp>

namespace tenon::kernels {

template <class Op>
inline constexpr int part_for = kind_of_op<Op>;

template void enter_library_part<part_for<ops::add>, ops::all::size>(table<kernel>&);
template void enter_library_part<part_for<ops::dot_general>, ops::all::size>(table<kernel>&);
template void enter_library_part<part_for<ops::reduce>, ops::all::size>(table<kernel>&);

}  // namespace tenon::kernels

const tenon::kernels::group_copies tenon::kernels::library_copies =
    tenon::kernels::copies_for<tenon::kernels::needed_copies::all().bits>;
