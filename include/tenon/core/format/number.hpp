// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text to element and back.
#include <tenon/core/format/read_number.hpp>
#include <tenon/core/format/write_number.hpp>
