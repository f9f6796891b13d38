// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/function_reference.hpp>
#include <tenon/kernels/contraction/convolution_layout.hpp>
#include <tenon/kernels/contraction/depthwise_convolution.hpp>
#include <tenon/kernels/contraction/plane_convolution.hpp>
#include <tenon/kernels/matrix_product.hpp>
#include <tenon/ops/contraction/convolution.hpp>

namespace tenon::kernels::inline HWY_NAMESPACE {

// A convolution of f32, f64 or integers of 32 bits as a product of matrices that are never written down. Where rows are
// pixels, sums run over the places in the window in row-major order, then over the input features, in blocks.
template <class T, needs Needs = needs::all()>
class tiled_convolution : convolution_layout {
 public:
  tiled_convolution(const ops::convolution& op, const evaluation& e)
      : convolution_layout(op, e), lhs_(e.operand<T>(0)), rhs_(e.operand<T>(1)), result_(e.result<T>()), e_(e) {}

  // False if the memory of the result has neither neighbouring features nor neighbouring pixels; nothing is done then.
  bool run() const {
    const product_branch way = this->template way<tile>(tile::lanes());
    const index_t pixels = pixel_count();
    if (is_empty_ || way == product_branch::otherwise) return is_empty_;
    if (way == product_branch::depthwise) {
      begin_branch<Needs, product_branch::depthwise>();
      depthwise_convolution<T>(*this, e_).run();
    } else if (way == product_branch::by_images) {
      begin_branch<Needs, product_branch::by_images>();
      divide_blocks(pixels, [&](const block& part, T* scratch) { multiply_images(part, scratch); });
    } else if (way == product_branch::by_outputs) {
      begin_branch<Needs, product_branch::by_outputs>();
      divide_blocks(batch_ * pixels, [&](const block& part, T* scratch) { multiply_outputs(part, scratch); });
    } else {
      begin_branch<Needs, product_branch::by_pixels>();
      plane_convolution<T, Needs>(*this, e_).run();
    }
    return true;
  }

 private:
  using tile = tiling::product_tile<T>;

  static constexpr index_t most_runs = 32;

  // Features `output` to `output` + `columns` of a group, under the pixels from `first_pixel` to `last_pixel`.
  struct block {
    index_t group, output, columns, first_pixel, last_pixel;
  };
  // Calls f(block, scratch) for all features of every group and all pixels of [0, pixels), divided by the larger.
  void divide_blocks(index_t pixels, function_reference<void(const block&, T*)> f) const {
    constexpr index_t block_columns = ops::packing::block_bytes / index_t(sizeof(T));
    const auto steps_of = [](index_t size, index_t step) { return (size + step - 1) / step; };
    const index_t wanted = parts_of_each(groups_);
    const bool by_pixels = pixels >= outputs_;
    const index_t most =
        by_pixels ? steps_of(pixels, tiling::least_tiles_of_part * tile::rows) : steps_of(outputs_, tile::panel());
    const index_t pieces = wanted < most ? wanted : most, ranges = by_pixels ? pieces : 1;
    const index_t step =
        by_pixels ? block_columns : steps_of(steps_of(outputs_, tile::panel()), pieces) * tile::panel();
    const index_t columns = step < block_columns ? step : block_columns, blocks = steps_of(outputs_, columns);
    divide(groups_ * ranges * blocks, [&](index_t begin, index_t end, void* scratch) {
      for (index_t i = begin; i < end; ++i) {
        const index_t output = i % blocks * columns, range = i / blocks % ranges, left = outputs_ - output;
        f({i / blocks / ranges, output, left < columns ? left : columns, pixels * range / ranges,
           pixels * (range + 1) / ranges},
          static_cast<T*>(scratch));
      }
    });
  }

  // Calls f(places, runs, first, depth, is_first) for the blocks of all sums: entries first to first + depth of one or
  // several runs of `length` entries each, where a run belongs to an index below `shape`.
  template <class Function>
  static void for_each_block(const ints& shape, index_t length, Function f) {
    ints places[most_runs];
    ints place = ints::filled(shape.size, 0);
    bool is_first = true, more = true;
    const index_t fitting = length < ops::packing::block_depth ? ops::packing::block_depth / length : 1;
    while (more) {
      index_t runs = 0;
      while (more && runs < fitting && runs < most_runs) {
        places[runs++] = place;
        more = advance(shape, place);
      }
      for (index_t first = 0; first < length; first += ops::packing::block_depth) {
        const index_t left = length - first;
        f(places, runs, first, left < ops::packing::block_depth ? left : ops::packing::block_depth, is_first);
        is_first = false;
      }
    }
  }

  // Columns of a tile are output features, its rows the pixels of all images; of a dilated base, those of a phase, so
  // that no hole is multiplied. The last window dimension and the features make up one run where memory is dense.
  void multiply_outputs(const block& part, T* scratch) const {
    if (is_product()) {
      const index_t row = rows_of(lhs_spatial_, lhs_batch_, true), to = rows_of(result_spatial_, result_batch_, false);
      const index_t first = part.group * outputs_ + part.output;
      return tiling::packed_product<T, Needs>(features_, {lhs_ + part.group * lhs_group_, row, lhs_feature_},
                                              {rhs_ + first * rhs_output_, rhs_input_, rhs_output_}, result_ + first,
                                              to, false, scratch,
                                              {part.first_pixel, part.last_pixel - part.first_pixel, 0, part.columns});
    }
    const index_t all = batch_ * pixel_count();
    for_each_phase([&](const phase& pixels) {
      const index_t count = batch_ * pixels.pixels.product();
      block some = part;
      some.first_pixel = count * part.first_pixel / all, some.last_pixel = count * part.last_pixel / all;
      multiply_phase(pixels, some, scratch);
    });
  }
  void multiply_phase(const phase& pixels, const block& part, T* scratch) const {
    const int last = spatial_ - 1;
    // Places of a phase that follow each other lie over neighbours, if they are as far apart as the base's elements.
    const bool joined = spatial_ > 0 && lhs_feature_ == 1 && lhs_spatial_.at[last] == features_ &&
                        axes_[last].base_dilation % axes_[last].window_dilation == 0;
    const int outer = joined ? last : spatial_;
    ints outer_window;
    for (int d = 0; d < outer; ++d) outer_window.push(pixels.window.at[d]);
    const index_t length = joined ? pixels.window.at[last] * features_ : features_;
    const T* const lhs = lhs_ + part.group * lhs_group_;
    T* const zeros = scratch;
    const index_t output = part.group * outputs_ + part.output, pixel_total = pixels.pixels.product();
    const auto result_of = [&](index_t image, const ints& index) {
      T* to = result_ + image * result_batch_ + output;
      for (int d = 0; d < spatial_; ++d) to += index.at[d] * result_spatial_.at[d];
      return to;
    };
    if (pixels.window.product() == 0) {
      for (index_t i = part.first_pixel; i < part.last_pixel; ++i) {
        T* const to = result_of(i / pixel_total, pixels.pixel_at(pixel(i % pixel_total, pixels.pixels)));
        for (index_t j = 0; j < part.columns; ++j) to[j] = T{};
      }
      return;
    }
    tiling::row_tiles<T, most_runs> rows;
    tiling::coming_rows none_come;
    for_each_block(
        outer_window, length, [&](const ints* numbers, index_t runs, index_t first, index_t depth, bool is_first) {
          T* const packed = zeros + depth;
          for (index_t k = 0; k < depth; ++k) zeros[k] = 0;
          ints places[most_runs];
          for (index_t run = 0; run < runs; ++run) {
            places[run] = pixels.place_at(numbers[run]);
            pack_weights(places[run], outer, joined ? &pixels : nullptr, first, depth, output, part.columns, packed,
                         runs, run);
          }
          const index_t panels = (part.columns + tile::panel() - 1) / tile::panel();
          T* const copies = packed + panels * tile::panel() * runs * depth;
          T* copy = copies;
          ints number = pixel(part.first_pixel % pixel_total, pixels.pixels);
          index_t image = part.first_pixel / pixel_total;
          const T* lines[most_runs];
          bool begins_line = true;
          const index_t count = part.last_pixel - part.first_pixel;
          tiling::for_each_piece(count, tile::rows, [&](index_t piece, index_t height) {
            rows.add(height, [&](const T** from, T** to) {
              for (index_t r = 0; r < height; ++r, copy += runs * depth) {
                const ints index = pixels.pixel_at(number);
                if (joined && begins_line)
                  for (index_t run = 0; run < runs; ++run)
                    lines[run] = find_line(lhs + image * lhs_batch_, index, places[run]);
                if (joined)
                  find_in_lines(pixels, lines, runs, index.at[last], first, depth, zeros, copy, from + r, height);
                else
                  for (index_t run = 0; run < runs; ++run)
                    from[run * height + r] =
                        find_run(lhs + image * lhs_batch_, index, places[run], first, depth, zeros, copy + run * depth);
                to[r] = result_of(image, index);
                if (!advance(pixels.pixels, number)) ++image;
                begins_line = joined && number.at[last] == 0;
              }
            });
            if (!rows.is_full() && piece + height < count) return;
            tiling::for_each_panel<T>(part.columns, runs * depth, [&](index_t j, index_t width, index_t place) {
              rows.template multiply<Needs>(j, width,
                                            {nullptr, runs, 1, packed + place, tiling::row_of_panel<T>(width), depth},
                                            !is_first, none_come);
            });
            rows.clear();
            copy = copies;
          });
        });
  }
  // Rows of a tile are images under one pixel of the result: features are read in place, and padding is left out.
  void multiply_images(block part, T* scratch) const {
    const T* const lhs = lhs_ + part.group * lhs_group_;
    const index_t output = part.group * outputs_ + part.output, width = std::min(part.columns, tile::panel());
    for_each_block(
        window_, features_, [&](const ints* places, index_t runs, index_t first, index_t depth, bool is_first) {
          const index_t step = tiling::row_of_panel<T>(width);
          for (index_t run = 0; run < runs; ++run)
            pack_weights(places[run], spatial_, nullptr, first, depth, output, width, scratch, runs, run);
          ints index = pixel(part.first_pixel);
          for (index_t p = part.first_pixel; p < part.last_pixel; ++p, advance(pixels_, index)) {
            T* target = result_ + output;
            for (int d = 0; d < spatial_; ++d) target += index.at[d] * result_spatial_.at[d];
            index_t offsets[most_runs];
            for (index_t run = 0; run < runs; ++run) offsets[run] = pixel_offset(index, places[run], spatial_);
            bool adds = !is_first;
            for (index_t begin = 0, end = 0; begin < runs; begin = end) {
              for (end = begin + 1; end < runs && (offsets[end] == nothing) == (offsets[begin] == nothing);) ++end;
              if (offsets[begin] == nothing) continue;
              tiling::for_each_piece(batch_, tile::rows, [&](index_t image, index_t height) {
                const T* from[most_runs * tile::rows];
                T* to[tile::rows];
                for (index_t r = 0; r < height; ++r) to[r] = target + (image + r) * result_batch_;
                for (index_t run = begin; run < end; ++run)
                  for (index_t r = 0; r < height; ++r)
                    from[(run - begin) * height + r] =
                        lhs + (image + r) * lhs_batch_ + offsets[run] + first * lhs_feature_;
                tile::template run<Needs>(
                    height, width, {from, end - begin, lhs_feature_, scratch + begin * depth * step, step, depth}, to,
                    adds);
              });
              adds = true;
            }
            for (index_t image = 0; image < batch_ && !adds; ++image)
              for (index_t j = 0; j < width; ++j) target[image * result_batch_ + j] = T{};
          }
        });
    part.output += width, part.columns -= width;
    if (part.columns > 0) multiply_images(part, scratch);
  }
  // The weights of run `run` among `runs`, in panels of all of them; `joined`: of the phase whose places make it up.
  void pack_weights(const ints& place, int outer, const phase* joined, index_t first, index_t depth, index_t output,
                    index_t columns, T* to, index_t runs, index_t run) const {
    const T* const weights = rhs_ + output * rhs_output_ + weight_offset(place, outer);
    for (index_t k = 0, count = 0; k < depth; k += count) {
      // As far as one place in the window goes.
      const index_t inner = joined != nullptr ? (first + k) / features_ : 0, feature = first + k - inner * features_;
      const index_t rest = features_ - feature, left = depth - k;
      count = rest < left ? rest : left;
      const T* from = weights + feature * rhs_input_;
      if (joined != nullptr) {
        const index_t at = joined->first_place.at[outer] + inner * joined->place_step.at[outer];
        from += (reversed_[outer] ? window_.at[outer] - 1 - at : at) * rhs_spatial_.at[outer];
      }
      tiling::pack_rows<T>({from, rhs_input_, rhs_output_}, count, columns, to, runs * depth, run * depth + k);
    }
  }
  // Where entries first to first + depth of a run lie: in the operand, among the zeros, or in the copy.
  const T* find_run(const T* lhs, const ints& index, const ints& place, index_t first, index_t depth, const T* zeros,
                    T* copy) const {
    const index_t offset = pixel_offset(index, place, spatial_);
    if (offset == nothing) return zeros;
    const T* const from = lhs + offset + first * lhs_feature_;
    if (lhs_feature_ == 1) return from;
    for (index_t k = 0; k < depth; ++k) copy[k] = from[k * lhs_feature_];
    return copy;
  }
  // Where the line of pixels begins that lies under this place; null over padding.
  const T* find_line(const T* lhs, const ints& index, const ints& place) const {
    const index_t offset = pixel_offset(index, place, spatial_ - 1);
    return offset == nothing ? nullptr : lhs + offset;
  }
  // Where entries first to first + depth of runs along such lines lie, for pixel x: from[run * step].
  void find_in_lines(const phase& pixels, const T* const* lines, index_t runs, index_t x, index_t first, index_t depth,
                     const T* zeros, T* copy, const T** from, index_t step) const {
    const ops::window_axis& axis = axes_[spatial_ - 1];
    const index_t first_place = pixels.first_place.at[spatial_ - 1] * axis.window_dilation;
    const index_t at = wrap::subtract(x * axis.stride + first_place, axis.low) / axis.base_dilation;
    const bool is_outside = at >= axis.size || at <= -pixels.window.at[spatial_ - 1];
    const index_t start = is_outside ? 0 : at * features_ + first, end = is_outside ? 0 : axis.size * features_;
    if (start >= 0 && start + depth <= end) {
      for (index_t run = 0; run < runs; ++run) from[run * step] = lines[run] == nullptr ? zeros : lines[run] + start;
    } else if (start + depth <= 0 || start >= end) {
      for (index_t run = 0; run < runs; ++run) from[run * step] = zeros;
    } else {
      const index_t begin = start < 0 ? -start : 0, stop = end - start < depth ? end - start : depth;
      for (index_t run = 0; run < runs; ++run, copy += depth) {
        from[run * step] = lines[run] == nullptr ? zeros : copy;
        if (lines[run] == nullptr) continue;
        for (index_t k = 0; k < begin; ++k) copy[k] = T{};
        for (index_t k = begin; k < stop; ++k) copy[k] = lines[run][start + k];
        for (index_t k = stop; k < depth; ++k) copy[k] = T{};
      }
    }
  }

  const T* lhs_;
  const T* rhs_;
  T* result_;
  const evaluation& e_;
};

}  // namespace tenon::kernels::inline HWY_NAMESPACE
