// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text to element and back.
#include <tenon/core/read_number.hpp>
#include <tenon/core/write_number.hpp>
