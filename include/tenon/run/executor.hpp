// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

#include <concepts>

namespace tenon {

// Part of a larger piece of work: run(self, part, worker), where no two parts are done at the same time under one
// number of a worker.
struct divided_work {
  void (*run)(const void* self, int part, int worker);
  const void* self;
};

// Who does the work of a program. for_each(parts, work) does parts 0, 1, ..., parts - 1, in any order and maybe at the
// same time, and returns when all are done; workers are numbered 0, 1, ..., worker_count() - 1.
template <class T>
concept executor = requires(T& t, int parts, const divided_work& work) {
  { t.worker_count() } -> std::convertible_to<int>;
  t.for_each(parts, work);
};

// Everything in the thread that calls. What programs use unless they are given another one.
struct inline_executor {
  static constexpr int worker_count() { return 1; }
  static void for_each(int parts, const divided_work& work) {
    for (int part = 0; part < parts; ++part) work.run(work.self, part, 0);
  }
};

static_assert(executor<inline_executor>);

// An executor of any type, for code that is compiled once for all of them. It must outlive this.
class executor_reference {
 public:
  constexpr executor_reference() = default;
  template <executor Executor>
    requires(!std::same_as<Executor, executor_reference>)
  constexpr executor_reference(Executor& self)
      : self_(&self),
        worker_count_(self.worker_count()),
        for_each_([](void* object, int parts, const divided_work& work) {
          static_cast<Executor*>(object)->for_each(parts, work);
        }) {}

  constexpr int worker_count() const { return worker_count_; }
  // work(part, worker)
  template <class Work>
  void for_each(int parts, const Work& work) const {
    if (for_each_ == nullptr) {
      for (int part = 0; part < parts; ++part) work(part, 0);
      return;
    }
    for_each_(self_, parts,
              {[](const void* self, int part, int worker) { (*static_cast<const Work*>(self))(part, worker); }, &work});
  }

 private:
  void* self_ = nullptr;
  int worker_count_ = 1;
  void (*for_each_)(void*, int, const divided_work&) = nullptr;
};

}  // namespace tenon
