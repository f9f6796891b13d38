// SPDX-License-Identifier: Apache-2.0
#pragma once

// Workloads that several libraries do in one run, on the same input and with results that are compared first.

#include <tenon/tenon.hpp>

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace bench {

using namespace tenon;

// Aligned like tensors.
template <class T>
class buffer {
 public:
  explicit buffer(index_t size)
      : elements_(static_cast<T*>(::operator new(std::size_t(size) * sizeof(T), std::align_val_t(64)))), size_(size) {
    for (index_t i = 0; i < size; ++i) elements_.get()[i] = T{};
  }
  T* data() const { return elements_.get(); }
  index_t size() const { return size_; }
  T& operator[](index_t i) const { return elements_.get()[i]; }

 private:
  struct release {
    void operator()(T* memory) const { ::operator delete(memory, std::align_val_t(64)); }
  };
  std::unique_ptr<T, release> elements_;
  index_t size_;
};

// Numbers from low to high without order, the same in every run.
template <class T = float>
buffer<T> numbers(index_t size, double low = -1, double high = 1, std::uint64_t seed = 1) {
  buffer<T> result(size);
  for (index_t i = 0; i < size; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const double value = low + (high - low) * double(seed >> 40) / double(1 << 24);
    if constexpr (std::is_arithmetic_v<T>)
      result[i] = T(value);
    else
      result[i] = convert_to<T>(value);
  }
  return result;
}

// One library's way: `run(T* result)`.
template <class Run>
struct way {
  const char* library;
  Run run;
};
template <class Run>
way(const char*, Run) -> way<Run>;

// How far two results are apart, relative where numbers are large.
template <class T>
double distance(const T& a, const T& b) {
  if constexpr (requires { a.real; }) {
    return std::fmax(distance(a.real, b.real), distance(a.imag, b.imag));
  } else if constexpr (std::is_arithmetic_v<T>) {
    const double x = double(a), y = double(b);
    return x == y || (x != x && y != y) ? 0 : std::fabs(x - y) / std::fmax(1, std::fabs(x));
  } else {
    return distance(convert_to<float>(a), convert_to<float>(b));
  }
}
template <class T>
std::string text(const T& element) {
  if constexpr (requires { element.real; })
    return text(element.real) + " + i " + text(element.imag);
  else if constexpr (std::is_arithmetic_v<T>)
    return std::to_string(element);
  else
    return std::to_string(convert_to<float>(element));
}

// Where all ways of all workloads put what they are timed at: in the same memory, none is luckier than another with
// where its result lies. As large as the largest result so far.
inline void* shared_result(index_t bytes) {
  static std::unique_ptr<buffer<unsigned char>> memory;
  if (memory == nullptr || memory->size() < bytes) {
    memory.reset();
    memory = std::make_unique<buffer<unsigned char>>(bytes);
  }
  return memory->data();
}

// Registers the benchmark <library>_<workload> for each way, once all have given the same result up to `tolerance`.
template <class T, class... Runs>
void compare(const std::string& workload, index_t results, double tolerance, way<Runs>... ways) {
  const buffer<T> wanted(results);
  const char* first = nullptr;
  const auto check = [&](const auto& each) {
    const buffer<T> got(results);
    each.run(first == nullptr ? wanted.data() : got.data());
    for (index_t i = 0; first != nullptr && i < results; ++i) {
      if (distance(wanted[i], got[i]) <= tolerance) continue;
      std::fprintf(stderr, "%s: element %lld is %s by %s and %s by %s\n", workload.c_str(), (long long)i,
                   text(wanted[i]).c_str(), first, text(got[i]).c_str(), each.library);
      std::exit(1);
    }
    if (first == nullptr) first = each.library;
  };
  (check(ways), ...);
  const index_t bytes = results * index_t(sizeof(T));
  shared_result(bytes);
  const auto enter = [&](const auto& each) {
    benchmark::RegisterBenchmark((std::string(each.library) + "_" + workload).c_str(),
                                 [run = each.run, bytes](benchmark::State& state) {
                                   T* to = static_cast<T*>(shared_result(bytes));
                                   for (auto _ : state) {
                                     // Not DoNotOptimize, whose choice of constraints GCC 12 gets wrong in some of
                                     // these loops.
                                     asm volatile("" : "+r"(to) : : "memory");
                                     run(to);
                                     benchmark::ClobberMemory();
                                   }
                                 });
  };
  (enter(ways), ...);
}

}  // namespace bench
