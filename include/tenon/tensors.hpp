// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tensors and expressions: what `z = x * y + 2 * sqrt(x)` and `trace` need. Public are the names in namespace `tenon`
// of the headers below, but for those in namespaces `detail`; the functions of all ops among them.
//
// Costs 1.6 s to include (g++ 12 -O2); docs/headers.md has all of these headers.

#include <tenon/core/apply.hpp>
#include <tenon/core/bounded_tensor.hpp>
#include <tenon/core/complex.hpp>
#include <tenon/core/dtype.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/core/format/literals.hpp>
#include <tenon/core/format/print.hpp>
#include <tenon/core/id_table.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/lanes_note.hpp>
#include <tenon/core/part.hpp>
#include <tenon/core/results.hpp>
#include <tenon/core/tensor.hpp>
#include <tenon/core/tensor_type.hpp>
#include <tenon/graph/ir/expression.hpp>
#include <tenon/graph/ir/tracer.hpp>
#include <tenon/habits/numbers_in_parentheses.hpp>
#include <tenon/numpy/arrays.hpp>
#include <tenon/numpy/checks.hpp>
#include <tenon/numpy/decompositions.hpp>
#include <tenon/numpy/diagonals.hpp>
#include <tenon/numpy/elementwise.hpp>
#include <tenon/numpy/functions.hpp>
#include <tenon/numpy/histogram.hpp>
#include <tenon/numpy/matrices.hpp>
#include <tenon/numpy/pad.hpp>
#include <tenon/numpy/random.hpp>
#include <tenon/numpy/slices.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/library_names.hpp>
#include <tenon/ops/list.hpp>
#include <tenon/ops/op.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/ops/process_groups.hpp>
#include <tenon/run/evaluate.hpp>
#include <tenon/run/trace.hpp>
