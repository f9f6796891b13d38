// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/kernels/copy/strided.hpp>
#include <tenon/kernels/lookup/indexed_fold.hpp>
#include <tenon/kernels/window_rows.hpp>

namespace tenon::kernels {

// An op that chooses an element under every window by one region, and combines elements at those places by another.
template <class Op>
concept selects_in_windows = Op::selects_in_windows;

// Works on many windows at a time, where both regions are made of ops that work element by element. What is chosen is
// noted as a place in the window if there are few of them, else as a position in the operand.
template <class Bytes, bool FewPlaces>
class window_selection {
 public:
  window_selection(const evaluation& e, const ops::window_attributes& window, region_scatter& scatter,
                   const lane_function& keeps)
      : rows_(window, e.operand_types.data[0].shape, e.operand_types.data[1].shape),
        operand_(e.operand<Bytes>(0)),
        source_(e.operand<Bytes>(1)),
        result_(e.result<Bytes>()),
        scatter_(scatter),
        keeps_(keeps) {
    fill_row(result_, *e.operand<Bytes>(2), e.result_types.data[0].size());
  }

  void run() {
    const index_t row = rows_.row();
    if (row == 0 || rows_.rows().product() == 0) return;
    const index_t together = row < most ? most / row : 1;
    ints next = ints::filled(rows_.rows().size, 0);
    index_t done = 0;
    for (bool more = true; more;) {
      listed_ = 0;
      while (more && listed_ < together && listed_ < most_rows) {
        index_[listed_] = next;
        first_rows_[listed_++] = rows_.row_under(next, corner_);
        more = advance(rows_.rows(), next);
      }
      for (first_ = 0; first_ < row; first_ += most) {
        count_ = row - first_ < most ? row - first_ : most;
        select();
        scatter(source_ + done * row + first_);
      }
      done += listed_;
    }
  }

 private:
  using choice = std::conditional_t<!FewPlaces, index_t, std::conditional_t<(sizeof(Bytes) > 8), std::uint64_t, Bytes>>;
  static constexpr choice none = choice(-1);

  static constexpr index_t most = 4096 / index_t(sizeof(Bytes)) < 1024 ? 4096 / index_t(sizeof(Bytes)) : 1024;
  static constexpr index_t most_rows = 64;

  const window_rows rows_;
  const Bytes *operand_, *source_;
  Bytes* result_;
  region_scatter& scatter_;
  const lane_function& keeps_;
  const ints corner_ = ints::filled(rows_.rows_of_window().size, 0);
  const bool lies_within_ = rows_.lies_within();
  // Windows first_ to first_ + count_ of some rows, and the rows of the operand that lie under the first place of each.
  ints index_[most_rows];
  index_t first_rows_[most_rows];
  index_t listed_ = 0, first_ = 0, count_ = 0;
  alignas(64) Bytes best_[most], there_[most];
  alignas(64) choice chosen_[most];       // where the best ones lie
  alignas(64) std::uint8_t stays_[most];  // booleans

  // Calls f(lane, position, step, count) for neighbouring windows of each row that have this place within the operand.
  template <class Function>
  void for_each_part(const ints& place, index_t k, Function f) const {
    const window_rows::range inside = rows_.part_inside(k, first_, first_ + count_);
    if (inside.begin == inside.end) return;
    const index_t position = rows_.position(k, inside.begin), step = rows_.last().stride * rows_.step();
    const index_t distance = lies_within_ ? rows_.row_under(corner_, place) : 0;
    for (index_t r = 0; r < listed_; ++r)
      if (const index_t row = lies_within_ ? first_rows_[r] + distance : rows_.row_under(index_[r], place); row >= 0)
        f(r * count_ + inside.begin - first_, row + position, step, inside.end - inside.begin);
  }

  // In ascending order of the places in the windows.
  void select() {
    const index_t lanes = listed_ * count_;
    for (index_t lane = 0; lane < lanes; ++lane) chosen_[lane] = none;
    fill_row(best_, Bytes{}, lanes);
    fill_row(there_, Bytes{}, lanes);
    ints place = ints::filled(rows_.rows_of_window().size, 0);
    index_t number = 0;
    do {
      for (index_t k = 0; k < rows_.last().window; ++k, ++number) {
        for_each_part(place, k, [&](index_t lane, index_t position, index_t step, index_t count) {
          copy_run(there_ + lane, operand_ + position, step, count);
        });
        if (number > 0) {
          const void* const arguments[] = {best_, there_};
          void* to = stays_;
          keeps_(arguments, &to, lanes);
        } else {
          fill_row(stays_, std::uint8_t(0), lanes);
        }
        for_each_part(place, k, [&](index_t lane, index_t position, index_t step, index_t count) {
          take(best_ + lane, there_ + lane, chosen_ + lane, stays_ + lane, count, number, position, step);
        });
      }
    } while (advance(rows_.rows_of_window(), place));
  }
  static void take(Bytes* __restrict best, const Bytes* __restrict there, choice* __restrict chosen,
                   const std::uint8_t* __restrict stays, index_t count, index_t number, index_t position,
                   index_t step) {
    if constexpr (FewPlaces && std::is_integral_v<Bytes>) {
      // Without branches, in vectors.
      for (index_t j = 0; j < count; ++j) {
        const choice kept = choice(choice(stays[j]) & choice(chosen[j] != none));
        best[j] = blend(best[j], there[j], kept);
        chosen[j] = blend(chosen[j], choice(number), kept);
      }
    } else {
      for (index_t j = 0; j < count; ++j) {
        if (stays[j] != 0 && chosen[j] != none) continue;
        best[j] = there[j];
        chosen[j] = FewPlaces ? choice(number) : choice(position + j * step);
      }
    }
  }
  // `first` where `chooses` is 1, `second` where it is 0.
  template <class E>
  static E blend(E first, E second, E chooses) {
    const E mask = E(E(0) - chooses);
    return E((first & mask) | (second & E(~mask)));
  }

  // An element that several windows choose, each at another place, gets from them in ascending order.
  void scatter(const Bytes* source) {
    const index_t lanes = listed_ * count_;
    if constexpr (!FewPlaces) {
      scatter_.combine_at(result_, {chosen_, false, 0, INT64_MAX, 1}, source, 1, lanes, 1);
    } else {
      const index_t outer = rows_.rows_of_window().product();
      for (index_t p = outer; p-- > 0;) {
        ints place = ints::filled(rows_.rows_of_window().size, 0);
        index_t rest = p;
        for (int i = place.size - 1; i >= 0; --i) {
          place.at[i] = rest % rows_.rows_of_window().at[i];
          rest /= rows_.rows_of_window().at[i];
        }
        for (index_t k = rows_.last().window; k-- > 0;) {
          for_each_part(place, k, [&](index_t lane, index_t position, index_t step, index_t count) {
            copy_run(there_ + lane, static_cast<const Bytes*>(result_) + position, step, count);
          });
          scatter_.combine(there_, source, lanes);
          const choice number = choice(p * rows_.last().window + k);
          for_each_part(place, k, [&](index_t lane, index_t position, index_t step, index_t count) {
            give(result_ + position, step, there_ + lane, chosen_ + lane, number, count);
          });
        }
      }
    }
  }
  static void give(Bytes* __restrict to, index_t step, const Bytes* __restrict from, const choice* __restrict chosen,
                   choice number, index_t count) {
    if constexpr (std::is_integral_v<Bytes>)
      if (step == 1) {
        for (index_t j = 0; j < count; ++j) to[j] = blend(from[j], to[j], choice(chosen[j] == number));
        return;
      }
    for (index_t j = 0; j < count; ++j)
      if (chosen[j] == number) to[j * step] = from[j];
  }
};

// Runs such an op on elements of the size of Bytes; false, and nothing is done, if only the op itself knows how.
template <class Op, class Bytes>
bool select_by_bodies(const evaluation& e) {
  constexpr index_t few_places = 12;
  const lane_function keeps = e.lanes_of(0);
  region_scatter scatter(e, 1, e.operand_types.data[1]);
  if (!keeps || !scatter.is_supported() || e.operand_types.data[0].is_quantized()) return false;
  const ops::window_attributes window = read_attributes<Op>(e.words).window();
  if (window.dimensions.product() <= few_places)
    window_selection<Bytes, true>(e, window, scatter, keeps).run();
  else
    window_selection<Bytes, false>(e, window, scatter, keeps).run();
  return true;
}

}  // namespace tenon::kernels
