// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/registry.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::kernels;

// Whether the registry has a kernel for this op on some element type.
template <class Op>
bool runs() {
  if constexpr (moves_bytes<Op>() || std::is_same_v<Op, ops::constant>) {
    return true;
  } else if constexpr (has_element<Op> || has_evaluate<Op>) {
    for (int type = int(dtype::i1); type <= int(dtype::complex_f64); ++type)
      if (ask_element<Op>(dtype(type)).accepted) return true;
  }
  return false;
}

template <class... Ops>
void check_all(op_list<Ops...>) {
  const auto check = [](std::string_view name, bool found) { CHECK_MESSAGE(found, std::string(name)); };
  (check(Ops::name, runs<Ops>()), ...);
}

}  // namespace

TEST_CASE("every op has a kernel") { check_all(ops::all{}); }

TEST_CASE("ops say which element types they take, and what they make of them") {
  CHECK(ask_element<ops::add>(dtype::i1).accepted);
  CHECK(ask_element<ops::add>(dtype::f32).result == dtype::f32);
  CHECK(ask_element<ops::compare>(dtype::f32).result == dtype::i1);
  CHECK(ask_element<ops::abs>(dtype::complex_f64).result == dtype::f64);
  CHECK(ask_element<ops::select>(dtype::f16).result == dtype::f16);
  CHECK(ask_element<ops::convert>(dtype::i8).result == dtype::none);
  CHECK(!ask_element<ops::and_>(dtype::f32).accepted);
  CHECK(!ask_element<ops::floor>(dtype::complex_f32).accepted);
}
