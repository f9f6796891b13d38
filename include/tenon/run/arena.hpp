// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/programs.hpp>, <tenon/planned_programs.hpp>.
#pragma once

#include <tenon/core/ints.hpp>

#include <cstddef>

namespace tenon {

// Working memory for a program, to be handed over with `on`: arena<net::arena_bytes> memory;
template <index_t Bytes>
struct arena {
  alignas(64) std::byte bytes[Bytes > 0 ? Bytes : 1];
};

}  // namespace tenon
