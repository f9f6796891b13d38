// SPDX-License-Identifier: Apache-2.0

// What every translation unit pays.

#include <tenon/tenon.hpp>
