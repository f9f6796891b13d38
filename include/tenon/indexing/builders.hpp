// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/indexing.hpp>.
#pragma once

#include <tenon/indexing/builders/collective.hpp>
#include <tenon/indexing/builders/contraction.hpp>
#include <tenon/indexing/builders/lookup.hpp>
#include <tenon/indexing/builders/movement.hpp>
#include <tenon/indexing/builders/reduction.hpp>

// Maps of single operations, from shapes and attributes named as in StableHLO. `x_map` goes from an element of the
// result to the elements of an operand that it needs; `x_output_map` from an element of an operand to the elements of
// the result that it takes part in. Attributes are expected to be valid: the constraints of the operation come first. A
// map for attributes that are not is `unknown` or reads nothing outside of its own arrays.
//
// Ops name them without a prefix.
namespace tenon {

using indexing::broadcast_in_dim_map;
using indexing::concatenate_map;
using indexing::convolution_lhs_map;
using indexing::convolution_numbers;
using indexing::convolution_rhs_map;
using indexing::dot_general_lhs_map;
using indexing::dot_general_rhs_map;
using indexing::dynamic_slice_map;
using indexing::dynamic_update_slice_map;
using indexing::gather_indices_map;
using indexing::gather_numbers;
using indexing::gather_operand_map;
using indexing::identity_map;
using indexing::indexing_map;
using indexing::pad_map;
using indexing::reduce_map;
using indexing::reduce_window_map;
using indexing::reshape_map;
using indexing::reverse_map;
using indexing::scalar_map;
using indexing::slice_map;
using indexing::transpose_map;
using indexing::unknown_map;
using indexing::whole_map;

}  // namespace tenon
