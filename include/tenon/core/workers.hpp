// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/threads.hpp>.
#pragma once

#include <tenon/core/function_reference.hpp>
#include <tenon/core/ints.hpp>

namespace tenon {

// A piece of work in parts that do not depend on each other.
struct divided_work {
  void (*run)(const void* self, int part);
  const void* self;
};

// Who does divided work: an executor (see run/executor.hpp) of any type, which must outlive this.
class workers {
 public:
  constexpr workers() = default;
  template <class Executor>
    requires requires(Executor& self, const divided_work& work) {
      self.for_each(self.worker_count(), work);
      self.memory(index_t(0));
    }
  constexpr explicit workers(Executor& self)
      : self_(&self),
        count_(self.worker_count()),
        for_each_([](void* object, int parts, const divided_work& work) {
          static_cast<Executor*>(object)->for_each(parts, work);
        }),
        memory_([](void* object, index_t bytes) -> void* { return static_cast<Executor*>(object)->memory(bytes); }) {}

  // 1: the work is done in the thread that asks for it.
  constexpr int count() const { return count_; }

  // Calls work(part) for 0 <= part < parts, and returns when all are done.
  template <class Work>
  void for_each(int parts, const Work& work) const {
    if (for_each_ != nullptr)
      return for_each_(self_, parts,
                       {[](const void* self, int part) { (*static_cast<const Work*>(self))(part); }, &work});
    for (int part = 0; part < parts; ++part) work(part);
  }

  // Splits 0, 1, ..., size - 1 into ranges and calls work(first, last) for each, a few for every worker. Ranges begin
  // at multiples of `step`.
  void for_each_range(index_t size, index_t step, core::function_reference<void(index_t, index_t)> work) const {
    const index_t steps = size / step + (size % step != 0 ? 1 : 0);
    const index_t most = count_ > 1 ? index_t(count_) * 4 : 1;
    const int parts = int(steps < most ? steps : most);
    for_each(parts, [&](int part) {
      const index_t whole = steps / parts, rest = steps % parts;
      const index_t first = part * whole + (part < rest ? part : rest);
      const index_t last = (first + whole + (part < rest ? 1 : 0)) * step;
      work(first * step, last < size ? last : size);
    });
  }

  // So many bytes, aligned to 64, that only the thread that asks uses until it asks again. Not if the count is 1.
  void* memory(index_t bytes) const { return memory_(self_, bytes); }

 private:
  void* self_ = nullptr;
  int count_ = 1;
  void (*for_each_)(void*, int, const divided_work&) = nullptr;
  void* (*memory_)(void*, index_t) = nullptr;
};

}  // namespace tenon
