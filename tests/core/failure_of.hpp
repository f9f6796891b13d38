// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/fail.hpp>

#include <string>

// What the error handler says to f; empty if nothing goes wrong.
template <class Function>
std::string failure_of(Function f) {
  try {
    f();
  } catch (const tenon::error& failure) {
    return failure.what();
  }
  return {};
}
