// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/kernels/contraction/convolution_layout.hpp>
#include <tenon/kernels/contraction/product_tile.hpp>
#include <tenon/kernels/copied_planes.hpp>

namespace tenon::kernels::inline HWY_NAMESPACE {

// A convolution whose result has neighbouring pixels: columns of a tile are pixels, its rows output features. Planes of
// the operand are copied, so that neighbours meet neighbours at every position of the window; dense ones without
// padding are read in place. Sums run over blocks of input features, then positions, then the features of a block.
template <class T, needs Needs>
class plane_convolution : convolution_layout {
 public:
  plane_convolution(const convolution_layout& layout, const evaluation& e)
      : convolution_layout(layout), lhs_(e.operand<T>(0)), rhs_(e.operand<T>(1)), result_(e.result<T>()) {}

  // @pre way() is product_branch::by_pixels
  void run() const {
    for_each_phase([&](const phase& pixels) {
      const auto parts_of = [](index_t size, index_t part) { return (size + part - 1) / part; };
      const index_t all_rows = spatial_ > 0 ? pixels.pixels.at[0] : 1;
      block all{0, std::clamp<index_t>(2 * tile::panel() / pixels.pixels.product(), 1, batch_), 0, all_rows};
      all.rows = parts_of(all_rows, std::min(all_rows, parts_of_each(groups_ * parts_of(batch_, all.images))));
      all.features =
          std::clamp<index_t>(ops::packing::block_depth / std::max<index_t>(pixels.window.product(), 1), 1, features_);
      if (!planes(*this, pixels, all).in_place) {
        const index_t most = (scratch_bytes_ - ops::packing::planes_tail) / index_t(sizeof(T));
        const auto plane = [&](const block& part) { return planes(*this, pixels, part).distance; };
        all.may_repeat = plane({0, 1, 0, 1}) <= most;
        while (all.images > 1 && all.features * plane(all) > most) all.images = (all.images + 1) / 2;
        while (all.rows > 1 && all.features * plane(all) > most) all.rows = (all.rows + 1) / 2;
        all.features = std::clamp<index_t>(most / plane(all), 1, all.features);
        if (all.features == features_) all.groups = std::clamp<index_t>(most / (features_ * plane(all)), 1, groups_);
      }
      const index_t of_image = parts_of(all_rows, all.rows);
      divide(parts_of(batch_, all.images) * of_image * groups_, [&](index_t first, index_t last, void* scratch) {
        for (index_t i = first, group = first % groups_; i < last; i += groups_ - group, group = 0) {
          block part = all;
          part.image = i / groups_ / of_image * all.images, part.row = i / groups_ % of_image * all.rows;
          part.images = std::min(part.images, batch_ - part.image),
          part.rows = std::min(part.rows, all_rows - part.row);
          multiply(pixels, part, group, std::min(groups_, group + last - i), static_cast<T*>(scratch));
        }
      });
    });
  }

 private:
  using tile = tiling::product_tile<T>;
  using vec = typename tile::vec;

  static constexpr index_t most_runs = 128;

  // Rows of pixels of some images, and the features and groups that are copied together, with repeated elements or not.
  struct block {
    index_t image, images, row, rows, features = 1, groups = 1;
    bool may_repeat = true;
  };
  // The dimensions of a block, images first: those of the copy, or of the operand, if it is read in place.
  struct planes : copied_planes {
    ints result_steps;
    bool in_place = tile::reads_cut_panels;
    index_t begin = 0, result_begin = 0, distance;  // from one feature to the next

    planes(const plane_convolution& all, const phase& of, const block& part) {
      const auto add_axis = [&](copied_axis axis, index_t result_step, bool repeats) {
        axis.lay_out(repeats);
        add(axis), result_steps.push(result_step);
      };
      add_axis({part.image, 1, 1, 0, part.images, all.batch_, all.lhs_batch_}, all.result_batch_, false);
      result_begin = part.image * all.result_batch_;
      for (int d = 0; d < all.spatial_; ++d) {
        const ops::window_axis& axis = all.axes_[d];
        const index_t holes = axis.base_dilation, row = d == 0 ? part.row : 0, step = all.result_spatial_.at[d];
        const index_t stride = axis.stride / std::gcd(axis.stride, holes);
        const index_t dilation = axis.window_dilation / std::gcd(axis.window_dilation, holes);
        const index_t from = of.first.at[d] * axis.stride + of.first_place.at[d] * axis.window_dilation;
        const index_t window = std::max<index_t>(of.window.at[d], 1), count = d == 0 ? part.rows : of.pixels.at[d];
        // Repeated elements cost copies, others multiplications, and lines of pixels that are stored by themselves.
        const bool repeats =
            part.may_repeat && (part.images > 1 || d == all.spatial_ - 1) &&
            (all.outputs_ * dilation * window > 32 * stride * count || all.outputs_ > all.features_ * (window - 1));
        add_axis({wrap::subtract(from, axis.low) / holes + row * stride, stride, window, dilation, count, axis.size,
                  all.lhs_spatial_.at[d]},
                 of.step.at[d] * step, repeats);
        result_begin += (of.first.at[d] + row * of.step.at[d]) * step;
      }
      // Planes that are powers of two apart would meet in a few lines of a cache.
      in_place = in_place && part.images == 1 &&
                 (all.outputs_ <= tile::rows || all.lhs_feature_ * index_t(sizeof(T)) % 1024 != 0);
      index_t dense = 1;
      for (int d = rank - 1; d > 0; dense *= axes[d--].size)
        in_place = in_place && axes[d].stride == 1 && axes[d].step == dense && axes[d].start >= 0 &&
                   axes[d].start + axes[d].count - 1 + (axes[d].window - 1) * axes[d].dilation < axes[d].size;
      for (int d = 0; d < rank; ++d) {
        if (in_place) axes[d].lie_in_place();
        begin += axes[d].start * axes[d].step;
      }
      lay_out();
      // An odd number of lines, with a vector between planes.
      constexpr index_t line = 64 / index_t(sizeof(T));
      distance = in_place ? all.lhs_feature_ : ((entries() / line + 2) | 1) * line;
    }
  };

  void multiply(const phase& pixels, const block& part, index_t first_group, index_t last_group, T* copy) const {
    const planes all(*this, pixels, part);
    index_t starts[most_runs], weights[most_runs], listed = 0;
    ints position = ints::filled(spatial_, 0);
    bool more = pixels.window.product() > 0;
    const auto list_positions = [&] {
      for (listed = 0; more && listed < most_runs; more = advance(pixels.window, position)) {
        starts[listed] = all.offset_of(position, 1);
        weights[listed++] = weight_offset(pixels.place_at(position), spatial_);
      }
    };
    list_positions();
    const bool are_listed = !more;
    for (index_t group = first_group; group < last_group; ++group)
      for (index_t f = 0; f < features_; f += part.features) {
        const index_t depth = std::min(part.features, features_ - f), nth = (group - first_group) % part.groups;
        const T* const from = lhs_ + group * lhs_group_ + f * lhs_feature_;
        if (!all.in_place && nth == 0) copy_planes(from, std::min(part.groups, last_group - group), depth, all, copy);
        if (!are_listed) position = ints::filled(spatial_, 0), more = true;
        bool accumulate = f > 0;
        do {
          if (!are_listed) list_positions();
          multiply_planes(
              all, rhs_ + group * outputs_ * rhs_output_ + f * rhs_input_, weights,
              {nullptr, listed, rhs_input_, all.in_place ? from + all.begin : copy + nth * depth * all.distance,
               all.distance, depth, starts},
              result_ + group * outputs_ * result_feature_ + all.result_begin, accumulate);
          accumulate = true;
        } while (more);
      }
  }

  // Planes of `depth` features of some groups, line by line.
  void copy_planes(const T* from, index_t groups, index_t depth, const planes& all, T* to) const {
    const copied_axis& last = all.axes[all.rank - 1];
    all.for_each_line([&](index_t line, index_t offset, index_t begin, index_t end, index_t run) {
      offset += (last.origin(run) + begin * last.stride) * last.step;
      T* copied = to + line;
      for (index_t group = 0; group < groups; ++group)
        for (index_t k = 0; k < depth; ++k, copied += all.distance) {
          fill_row(copied, T{}, begin);
          if (begin < end)
            copy_run(copied + begin, from + group * lhs_group_ + k * lhs_feature_ + offset, last.stride * last.step,
                     end - begin);
          fill_row(copied + end, T{}, last.extent - end);
        }
    });
  }

  // Columns are the entries from the first pixel to the last one. Those between lines of pixels are dropped.
  void multiply_planes(const planes& all, const T* rhs, const index_t* weights, tiling::tile_factors<T> factors,
                       T* result, bool accumulate) const {
    const index_t wide = outputs_ == 1 ? tile::vectors_of_one_row * tile::lanes() : tile::panel();
    const index_t length = all.length();
    bool is_dense = length == all.counts.product();
    for (int d = 0; d < all.rank; ++d)
      is_dense = is_dense && (all.counts.at[d] == 1 || all.steps.at[d] == all.result_steps.at[d]);
    const T* const b = factors.b;
    tiling::for_each_piece(outputs_, tile::rows, [&](index_t o, index_t height) {
      const T* from[most_runs * tile::rows];
      T sums[tile::rows * ops::packing::panel_bytes / sizeof(T)], *to[tile::rows];
      ints index = ints::filled(all.rank, 0);
      factors.a = from;
      for (index_t run = 0; run < factors.runs; ++run)
        for (index_t r = 0; r < height; ++r) from[run * height + r] = rhs + (o + r) * rhs_output_ + weights[run];
      for (index_t j = 0, width = 0; j < length; j += width) {
        // A wide tile of one row may read behind a copy.
        const index_t left = length - j;
        const bool is_wide = left >= wide || (!all.in_place && !is_dense && left > tile::panel());
        width = is_wide ? wide : std::min(left, tile::panel());
        for (index_t r = 0; r < height; ++r)
          to[r] = is_dense ? result + (o + r) * result_feature_ + j : sums + r * width;
        factors.b = b + j;
        tile::template run<Needs>(height, width, factors, to, is_dense && accumulate);
        if (!is_dense)
          store_pixels(all, index, std::min(width, left), height, sums, width, result + o * result_feature_,
                       accumulate);
      }
    });
  }
  // Stores the pixels among `width` columns, the first of which is entry `index`, and moves that behind them.
  void store_pixels(const planes& all, ints& index, index_t width, index_t height, const T* sums, index_t row,
                    T* result, bool accumulate) const {
    const index_t lanes = vec::count(), step = all.result_steps.at[all.rank - 1];
    all.for_each_row(index, width, [&](index_t j, const ints& pixel, index_t count) {
      index_t offset = 0;
      for (int d = 0; d < all.rank; ++d) offset += pixel.at[d] * all.result_steps.at[d];
      for (index_t r = 0; r < height; ++r) {
        const T* const from = sums + r * row + j;
        T* const to = result + r * result_feature_ + offset;
        index_t i = 0;
        for (; step == 1 && i < count; i += lanes) {
          const index_t some = std::min(count - i, lanes);
          const auto load = [&](const T* at)
                                HWY_ATTR { return some == lanes ? vec::load(at) : vec::load_first(at, some); };
          vec::store_first(accumulate ? vec::add(load(to + i), load(from + i)) : load(from + i), to + i, some);
        }
        for (; i < count; ++i) to[i * step] = accumulate ? to[i * step] + from[i] : from[i];
      }
    });
  }

  const T* lhs_;
  const T* rhs_;
  T* result_;
};

}  // namespace tenon::kernels::inline HWY_NAMESPACE
