// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/run/thread_pool.hpp>

#include "ops/evaluate.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace tenon::test {
using namespace core;

// A pool that counts how often somebody divides work.
struct watched_pool {
  thread_pool pool;
  int rounds = 0;

  explicit watched_pool(int threads) : pool(threads) {}
  int worker_count() const { return pool.worker_count(); }
  void for_each(int parts, const divided_work& work) {
    rounds += parts > 1;
    pool.for_each(parts, work);
  }
  static void* memory(index_t bytes) { return thread_pool::memory(bytes); }
};

// Several workers divide the work of `run`, which takes an evaluation, and give the bytes that one gives.
template <class Op, class Run>
void check_divided(Run run, const Op& op, const std::vector<value>& operands, const std::vector<tensor_type>& results,
                   const surroundings& around = {}) {
  const std::vector<value> expected = evaluate_by(run, op, operands, results, around);
  for (const int threads : {1, 2, 3, 5}) {
    CAPTURE(threads);
    watched_pool pool(threads);
    const workers helpers(pool);
    const auto divided = [&](evaluation e) {
      e.helpers = &helpers;
      run(e);
    };
    const std::vector<value> got = evaluate_by(divided, op, operands, results, around);
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(got[i].bytes == expected[i].bytes);
    CHECK((pool.rounds > 0) == (threads > 1));
  }
}

}  // namespace tenon::test
