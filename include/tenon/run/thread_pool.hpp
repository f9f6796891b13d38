// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/threads.hpp>.
#pragma once

#include <tenon/core/eigen.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/run/executor.hpp>

#include TENON_EIGEN_CXX11(ThreadPool)

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

namespace tenon {

// An executor of a number of threads, the calling one included: net{}.by(pool)(x). Several programs may share a pool.
class thread_pool {
 public:
  explicit thread_pool(int threads = int(std::thread::hardware_concurrency())) : threads_(threads > 0 ? threads : 1) {
    if (threads_ > 1) helpers_ = std::make_unique<Eigen::ThreadPool>(threads_ - 1);
  }

  int worker_count() const { return threads_; }

  // Rethrows the exception of the first part that threw.
  void for_each(int parts, const divided_work& work) {
    // A part that divides its own work must not wait for threads that are busy with such parts.
    if (helpers_ == nullptr || parts < 2 || helpers_->CurrentThreadId() >= 0)
      return execution::inline_executor::for_each(parts, work);
    const auto all = std::make_shared<round>(work, parts);
    const int helping = parts < threads_ ? parts - 1 : threads_ - 1;
    for (int i = 0; i < helping; ++i) helpers_->Schedule([all] { all->take_part(); });
    all->take_part();
    all->wait();
    if (all->failure) std::rethrow_exception(all->failure);
  }

  // Grows with the largest request of the thread, and is kept as long as the thread.
  static void* memory(index_t bytes) {
    static thread_local owned_memory own;
    if (own.bytes < bytes) {
      own.start.reset();
      own.bytes = 0;
      own.start.reset(static_cast<std::byte*>(::operator new(std::size_t(bytes), std::align_val_t(64))));
      own.bytes = bytes;
    }
    return own.start.get();
  }

 private:
  struct free_memory {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t(64)); }
  };
  struct owned_memory {
    std::unique_ptr<std::byte, free_memory> start;
    index_t bytes = 0;
  };

  // One call of for_each: whoever is free takes the next part. Helpers that come when all are taken find nothing to do,
  // and nobody waits for them; so this outlives the call.
  struct round {
    const divided_work work;
    const int parts;
    std::atomic<int> next = 0, done = 0;
    std::mutex mutex{};
    std::condition_variable last_is_done{};
    std::exception_ptr failure = nullptr;
    int failed = 0;

    round(const divided_work& what, int count) : work(what), parts(count) {}

    void take_part() {
      for (int part; (part = next.fetch_add(1, std::memory_order_relaxed)) < parts;) {
#if defined(__cpp_exceptions)
        try {
          work.run(work.self, part);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!failure || part < failed) failure = std::current_exception(), failed = part;
        }
#else
        work.run(work.self, part);
#endif
        if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == parts) {
          const std::lock_guard lock(mutex);
          last_is_done.notify_all();
        }
      }
    }
    // Looks for about the time that it takes to wake a thread before it sleeps.
    void wait() {
      const auto is_done = [this] { return done.load(std::memory_order_acquire) == parts; };
      for (int look = 0; look < 10000; ++look)
        if (is_done()) return;
      std::unique_lock lock(mutex);
      last_is_done.wait(lock, is_done);
    }
  };

  int threads_;
  std::unique_ptr<Eigen::ThreadPool> helpers_;
};

static_assert(execution::executor<thread_pool>);

}  // namespace tenon
