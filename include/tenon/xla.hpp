// SPDX-License-Identifier: Apache-2.0
#pragma once

// XLA's builder: `xla::Add(x, y)` and its like over the same graph, in namespace `tenon::xla`.
//
// Costs 1.7 s to include (g++ 12 -O2).

#if defined(Complex)
#error "tenon: Complex, which X11 defines, is a macro: include tenon before its headers, or undefine it"
#include <tenon_ends_here>  // is not there, so that no other error follows
#endif

#include <tenon/core/format/literals.hpp>
#include <tenon/core/format/print.hpp>
#include <tenon/core/lanes_note.hpp>
#include <tenon/core/tensor.hpp>
#include <tenon/xla/xla_builder.hpp>
