// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/control/after_all.hpp>
#include <tenon/ops/control/async_done.hpp>
#include <tenon/ops/control/async_start.hpp>
#include <tenon/ops/control/bounded_size.hpp>
#include <tenon/ops/control/call.hpp>
#include <tenon/ops/control/case.hpp>
#include <tenon/ops/control/composite.hpp>
#include <tenon/ops/control/create_token.hpp>
#include <tenon/ops/control/custom_call.hpp>
#include <tenon/ops/control/get_tuple_element.hpp>
#include <tenon/ops/control/if.hpp>
#include <tenon/ops/control/infeed.hpp>
#include <tenon/ops/control/map.hpp>
#include <tenon/ops/control/optimization_barrier.hpp>
#include <tenon/ops/control/outfeed.hpp>
#include <tenon/ops/control/recv.hpp>
#include <tenon/ops/control/send.hpp>
#include <tenon/ops/control/tuple.hpp>
#include <tenon/ops/control/while.hpp>
