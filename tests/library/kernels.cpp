// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/library_part.hpp>

namespace tenon::kernels {

template void enter_for_element<ops::add, dtype::f32>(table<kernel>&);
template void enter_for_element<ops::dot_general, dtype::f32>(table<kernel>&);
template void enter_for_element<ops::reduce, dtype::f32>(table<kernel>&);
template void enter_for_element<ops::reduce, dtype::i32>(table<kernel>&);

}  // namespace tenon::kernels
