// SPDX-License-Identifier: Apache-2.0
#pragma once

// Namespaces of rooms. Names for users stand in `tenon`, all others in the namespace of their room, which looks into
// those that its headers may include (tests/include_direction.sh). `using namespace tenon` brings none of them.

namespace tenon::detail {}
namespace tenon::core {
using namespace detail;
}
namespace tenon::indexing {
using namespace core;
}
namespace tenon::ops {
using namespace core;
}  // namespace tenon::ops
namespace tenon::lapack {
using namespace core;
}  // namespace tenon::lapack
namespace tenon::ir {  // graph/ir/
using namespace detail;
using namespace core;
}  // namespace tenon::ir
namespace tenon::passes {  // graph/passes/, and graphs that own their memory
using namespace detail;
using namespace core;
using namespace ir;
}  // namespace tenon::passes
namespace tenon::planning {  // graph/plan/
using namespace detail;
using namespace core;
using namespace ir;
using namespace passes;
}  // namespace tenon::planning
namespace tenon::kernels {
using namespace detail;
using namespace core;
using namespace ir;
using namespace planning;
}  // namespace tenon::kernels
namespace tenon::text {
using namespace detail;
using namespace core;
using namespace ir;
using namespace passes;
}  // namespace tenon::text
namespace tenon::execution {  // run/
using namespace detail;
using namespace core;
using namespace ir;
using namespace passes;
using namespace planning;
using namespace kernels;
}  // namespace tenon::execution
namespace tenon::xla {
using namespace detail;
using namespace core;
using namespace ir;
}  // namespace tenon::xla
namespace tenon::detail {  // of headers for users
using namespace core;
using namespace ir;
using namespace passes;
using namespace planning;
using namespace kernels;
using namespace execution;
}  // namespace tenon::detail
