// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/fourier/transform.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <random>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;

// Sides of every kind: equal ones and others, multiples of eight and of no number of lines, of large factors.
TEST_CASE("long lines are transformed as those that are taken as a whole") {
  constexpr bool has_vectors = lines_in_lanes::count > 1;
  CHECK(!fourier_table::is_supported(1000));
  CHECK(!fourier_table::is_supported(1009));
  CHECK(!fourier_table::is_supported(2 * 1009));
  CHECK(!fourier_table::is_supported(16 * 37));
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (index_t n : {1024, 1155, 17 * 62, 25 * 49, 31 * 100, 4096, 6000, 65536, 3 << 15}) {
    CAPTURE(n);
    REQUIRE(fourier_table::is_supported(n) == has_vectors);
    if (!has_vectors) continue;
    const auto memory_of = [](index_t bytes) {
      return std::make_unique<std::max_align_t[]>(std::size_t(bytes / 16 + 1));
    };
    const auto own = memory_of(fourier_table::scratch_bytes(n));
    const auto whole = memory_of(fourier_line<one_line>::scratch_bytes(n));
    fourier_table table(n, own.get());
    fourier_line<one_line> line(n, whole.get());
    // Twice, as the tables are kept.
    for (int repetition = 0; repetition < 2; ++repetition) {
      std::vector<complex<double>> x(static_cast<std::size_t>(n)), got(x.size());
      for (complex<double>& z : x) z = {uniform(random), uniform(random)};
      std::vector<int> written(x.size());
      table.run([&](index_t i) { return lines_in_lanes::load_adjacent(&x[std::size_t(i)].real); },
                [&](index_t k, index_t count, const lines_in_lanes::stored& z) {
                  for (index_t l = 0; l < count; ++l, ++k) {
                    got[std::size_t(k)] = lines_in_lanes::get(z, l);
                    ++written[std::size_t(k)];
                  }
                });
      for (index_t i = 0; i < n; ++i) line[i] = x[std::size_t(i)];
      line.run();
      double worst = 0;
      for (index_t k = 0; k < n; ++k) {
        const complex<double> found = got[std::size_t(k)];
        worst = std::max(worst, std::abs(found.real - line[k].real) + std::abs(found.imag - line[k].imag));
      }
      CHECK(worst < 4e-15 * std::sqrt(double(n)));
      CHECK(*std::min_element(written.begin(), written.end()) == 1);
      CHECK(*std::max_element(written.begin(), written.end()) == 1);
    }
  }
}
