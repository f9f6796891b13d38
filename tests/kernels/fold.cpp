// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/fold.hpp>

#include <tenon/graph/ir/facts.hpp>
#include <tenon/kernels/table.hpp>
#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/and.hpp>
#include <tenon/ops/elementwise/maximum.hpp>
#include <tenon/ops/elementwise/minimum.hpp>
#include <tenon/ops/elementwise/multiply.hpp>
#include <tenon/ops/elementwise/or.hpp>
#include <tenon/ops/elementwise/xor.hpp>
#include <tenon/ops/reduction/reduce.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace tenon::test {
using namespace core;
using namespace kernels;

namespace {

static_assert(folds_axes<ops::reduce> && facts_of(kind_of_op<ops::reduce>).folds);

// Does the parts in descending order.
struct backwards {
  static int worker_count() { return 3; }
  static void for_each(int parts, const divided_work& work) {
    while (parts-- > 0) work.run(work.self, parts);
  }
  static void* memory(index_t) { return nullptr; }
};

template <class Body, class T>
std::vector<T> folded(const std::vector<T>& from, T init, const ints& shape, const ints& axes, const workers& by) {
  std::vector<T> to(std::size_t(shape.without(axes).product()));
  fold<Body, T>::run(from.data(), init, to.data(), shape, axes, by);
  return to;
}

// Element by element.
template <class Body, class T>
std::vector<T> expected(const std::vector<T>& from, T init, const ints& shape, const ints& axes) {
  std::vector<T> to(std::size_t(shape.without(axes).product()), init);
  std::size_t at = 0;
  for_each_index(shape, [&](const ints& index) {
    T& total = to[std::size_t(offset_of(shape.without(axes), index.without(axes)))];
    total = Body::element(total, from[at++]);
  });
  return to;
}

template <class T>
std::vector<T> numbers(index_t size) {
  std::vector<T> result;
  for (index_t i = 0; i < size; ++i) result.push_back(T(i * 7 % 31 - 11));
  return result;
}

TEST_CASE("every choice of axes of shapes of awkward sizes") {
  for (const ints& shape :
       {ints{}, ints{0, 3}, ints{1}, ints{7}, ints{67}, ints{5, 1, 9}, ints{3, 33, 2}, ints{4, 3, 5, 6}}) {
    const std::vector<i32> from = numbers<i32>(shape.product());
    for (int chosen = 0; chosen < 1 << shape.size; ++chosen) {
      ints axes;
      for (int axis = 0; axis < shape.size; ++axis)
        if ((chosen >> axis & 1) != 0) axes.push(axis);
      CHECK(folded<ops::add>(from, 5, shape, axes, {}) == expected<ops::add>(from, 5, shape, axes));
      CHECK(folded<ops::maximum>(from, -3, shape, axes, {}) == expected<ops::maximum>(from, -3, shape, axes));
    }
  }
}

TEST_CASE_TEMPLATE("short and narrow rows are folded from the first element to the last", T, f32, f64, i8, bf16, f16) {
  for (const ints& shape :
       {ints{200, 8}, ints{71, 3}, ints{9, 300}, ints{130, 140}, ints{40, 601}, ints{8, 2}, ints{7, 15}, ints{50, 4, 4},
        ints{9, 5, 3}, ints{9, 20, 16}, ints{9, 6, 17}, ints{3, 2, 9, 5, 7}})
    for (int axis = 0; axis < shape.size; ++axis) {
      if (axis == shape.size - 1 && shape[axis] >= 64 && has_lanes<T>) continue;
      std::vector<T> from;
      for (index_t i = 0; i < shape.product(); ++i) from.push_back(convert_to<T>(f32(i * 7 % 23) * 0.375f - 3));
      if constexpr (is_float(dtype_of<T>))
        from[0] = convert_to<T>(-0.0f), from[from.size() / 2] = convert_to<T>(-ieee::nan<f32>);
      const T initial = convert_to<T>(0.25f);
      const auto check = [&]<class Body>(Body) {
        std::vector<T> wanted(std::size_t(shape.without({axis}).product()), initial), got = wanted;
        std::size_t i = 0;
        for_each_index(shape, [&](const ints& index) {
          T& total = wanted[std::size_t(offset_of(shape.without({axis}), index.without({axis})))];
          total = combine_elements<Body, T>(total, from[i++]);
        });
        fold<Body, T>::run(from.data(), initial, got.data(), shape, {axis});
        CHECK(std::memcmp(wanted.data(), got.data(), wanted.size() * sizeof(T)) == 0);
        std::vector<T> divided(wanted.size());
        backwards by;
        fold<Body, T>::run(from.data(), initial, divided.data(), shape, {axis}, workers(by));
        CHECK(std::memcmp(wanted.data(), divided.data(), wanted.size() * sizeof(T)) == 0);
      };
      check(ops::add{});
      check(ops::maximum{});
      check(ops::minimum{});
    }
}

static_assert(std::is_same_v<folded_t<ops::or_, dtype::i1>, std::uint8_t>);
static_assert(std::is_same_v<folded_t<ops::multiply, dtype::i1>, std::uint8_t>);
static_assert(std::is_same_v<folded_t<ops::add, dtype::i1>, bool>);
static_assert(std::is_same_v<folded_t<ops::add, dtype::bf16>, bf16>);

TEST_CASE_TEMPLATE("booleans are folded as bytes where these give the same", Body, ops::add, ops::and_, ops::maximum,
                   ops::minimum, ops::multiply, ops::or_, ops::xor_) {
  using bytes = folded_t<Body, dtype::i1>;
  for (const ints& shape : {ints{3, 1000}, ints{70, 5}, ints{4, 9, 7}})
    for (const index_t sparse : {2, 97})
      for (const bool most : {false, true})
        for (int axis = 0; axis < shape.size; ++axis) {
          const index_t count = shape.product(), results = shape.without({axis}).product();
          const auto from = std::make_unique<bytes[]>(std::size_t(count));
          const auto got = std::make_unique<bytes[]>(std::size_t(results));
          std::vector<bool> wanted(std::size_t(results), most);
          index_t at = 0;
          for_each_index(shape, [&](const ints& index) {
            const auto result = std::size_t(offset_of(shape.without({axis}), index.without({axis})));
            const bool element = (at % sparse == 1) != most;
            from[std::size_t(at++)] = bytes(element);
            wanted[result] = combine_elements<Body, bool>(wanted[result], element);
          });
          fold<Body, bytes>::run(from.get(), bytes(most), got.get(), shape, {axis});
          CHECK(std::equal(wanted.begin(), wanted.end(), got.get(), [](bool w, bytes g) { return bytes(w) == g; }));
        }
}

// What four vectors collect in turn, in memory.
template <class Body, class T>
T folded_by_lanes(const T* from, T init, index_t count) {
  const index_t lanes = index_t(hn::Lanes(hn::CappedTag<T, 256 / sizeof(T)>()));
  const auto combine = [](T a, T b) { return combine_elements<Body, T>(a, b); };
  index_t done = 0;
  if (count >= 4 * lanes) {
    std::vector<T> kept(from, from + 4 * lanes);
    for (done = 4 * lanes; done < count; ++done) {
      T& total = kept[std::size_t(done % (4 * lanes))];
      total = combine(total, from[done]);
    }
    const auto at = [&](index_t i) { return kept[std::size_t(i)]; };
    std::vector<T> all;
    for (index_t i = 0; i < lanes; ++i)
      all.push_back(combine(combine(at(i), at(i + lanes)), combine(at(i + 2 * lanes), at(i + 3 * lanes))));
    for (std::size_t half = std::size_t(lanes) / 2; half > 0; half /= 2)
      for (std::size_t i = 0; i < half; ++i) all[i] = combine(all[i], all[half + i]);
    init = combine(init, all[0]);
  }
  for (; done < count; ++done) init = combine(init, from[done]);
  return init;
}

TEST_CASE_TEMPLATE("long rows are folded by vectors whose lanes are combined pairwise", T, f32, f64, i8, ui16, i32,
                   i64) {
  const auto check = [&]<class Body>(Body, bool special) {
    if constexpr (has_lanes<T> && body_lanes<Body, T>::is_supported) {
      const double lowest = std::is_unsigned_v<T> ? 0 : 20;
      for (const index_t count : {63, 64, 65, 127, 128, 256, 300, 1024, 1031}) {
        const ints shape{5, count};
        std::vector<T> from;
        for (index_t i = 0; i < shape.product(); ++i) from.push_back(T(double(i * 37 % 101) * 0.37 - lowest));
        if constexpr (std::is_floating_point_v<T>)
          if (special) from[70] = T(-0.0), from[std::size_t(count) + 3] = ieee::nan<T>;
        const std::vector<T> got = folded<Body>(from, T(3), shape, {1}, {});
        for (index_t row = 0; row < 5; ++row) {
          const T wanted = folded_by_lanes<Body>(from.data() + row * count, T(3), count);
          CHECK(std::memcmp(&got[std::size_t(row)], &wanted, sizeof wanted) == 0);
        }
      }
    }
  };
  check(ops::add{}, false);
  check(ops::multiply{}, false);
  check(ops::maximum{}, true);
}

TEST_CASE("divided folds are the same to the bit") {
  for (const ints& axes : {ints{0}, ints{1}, ints{2}, ints{0, 1}, ints{1, 2}, ints{0, 2}}) {
    const ints shape{34, 35, 36};
    const std::vector<f32> from = numbers<f32>(shape.product());
    backwards by;
    const std::vector<f32> whole = folded<ops::add>(from, 0.1f, shape, axes, {});
    const std::vector<f32> divided = folded<ops::add>(from, 0.1f, shape, axes, workers(by));
    CHECK(std::memcmp(whole.data(), divided.data(), whole.size() * sizeof(f32)) == 0);
  }
}

}  // namespace
}  // namespace tenon::test
