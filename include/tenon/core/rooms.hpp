// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/translation_unit.hpp>

// Namespaces of rooms. Names for users stand in `tenon`, all others in the namespace of their room, and `using
// namespace tenon` brings none of them. Each room looks into `detail`, which looks into all that headers for users
// need: a room sees the names of those that it includes (tests/include_direction.sh).

namespace tenon::detail {}
namespace tenon::core {
using namespace detail;
}
namespace tenon::indexing {
using namespace detail;
}
namespace tenon::ops {
using namespace detail;
}
namespace tenon::lapack {
using namespace detail;
}
namespace tenon::ir {  // graph/ir/
using namespace detail;
}
namespace tenon::passes {  // graph/passes/, and graphs that own their memory
using namespace detail;
}
namespace tenon::planning {  // graph/plan/
using namespace detail;
}
namespace tenon::kernels {
using namespace detail;
}
namespace tenon::text {
using namespace detail;
}
namespace tenon::execution {  // run/
using namespace detail;
}
namespace tenon::xla {
using namespace detail;
}
namespace tenon::detail {  // of headers for users
using namespace core;
using namespace ir;
using namespace passes;
using namespace planning;
using namespace kernels;
using namespace execution;
}  // namespace tenon::detail
