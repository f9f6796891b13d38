// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/broken_rule.hpp>
#include <tenon/core/workers.hpp>

#include <concepts>
#include <type_traits>

namespace tenon::execution {

// Who does the work of a program. for_each(parts, work) does the parts 0, 1, ..., parts - 1, in any order and maybe at
// the same time, and returns when all are done. memory(bytes) is for whoever does a part: `bytes` bytes, aligned to 64,
// its own until it asks again; it is not asked where worker_count() is 1.
//
// Results do not depend on the executor: work is divided by shape, and no two parts write to the same element.
template <class T>
concept executor = requires(T& t, const divided_work& work, index_t bytes) {
  { t.worker_count() } -> std::convertible_to<int>;
  t.for_each(t.worker_count(), work);
  { t.memory(bytes) } -> std::convertible_to<void*>;
};

// Everything in the thread that calls: what programs use unless they are given another executor.
struct inline_executor {
  static constexpr int worker_count() { return 1; }
  static void for_each(int parts, const divided_work& work) {
    for (int part = 0; part < parts; ++part) work.run(work.self, part);
  }
  static constexpr void* memory(index_t) { return nullptr; }
};

static_assert(executor<inline_executor>);

inline constexpr auto complaint_about_executors =
    complain("executor", "work is done by an object that outlives it: thread_pool pool(4), then by(pool, x + y)");
template <class Given>
using executor_check = typename std::conditional_t<executor<Given> && std::is_lvalue_reference_v<Given>, kept_rules,
                                                   outcome_of<complaint_about_executors>>::type;

}  // namespace tenon::execution
