// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/function_reference.hpp>
#include <tenon/kernels/contraction/convolution_layout.hpp>
#include <tenon/kernels/contraction/depthwise_convolution.hpp>
#include <tenon/kernels/matrix_product.hpp>
#include <tenon/ops/contraction/convolution.hpp>

namespace tenon::kernels::inline HWY_NAMESPACE {

// A convolution of f32, f64 or integers of 32 bits as a product of matrices that are never written down: rows or
// columns of one of them are the pixels of the result, and its entries are found, or replaced by zero, while tiles are
// computed. Sums run over the places in the window in row-major order, then over the input features, in blocks.
template <class T, needs Needs = needs::all()>
class tiled_convolution : convolution_layout {
 public:
  tiled_convolution(const ops::convolution& op, const evaluation& e)
      : convolution_layout(op, e), lhs_(e.operand<T>(0)), rhs_(e.operand<T>(1)), result_(e.result<T>()), e_(e) {}

  // False if the memory of the result has neither neighbouring features nor neighbouring pixels; nothing is done then.
  bool run() const {
    const product_branch way = this->template way<tile>(tile::lanes());
    const index_t pixels = pixel_count(), panels = (pixels + tile::panel() - 1) / tile::panel();
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
      divide(groups_ * batch_ * panels, [&](index_t first, index_t last, void* scratch) {
        for (index_t i = first; i < last; ++i)
          multiply_pixels(i / panels / batch_, i / panels % batch_, i % panels * tile::panel(),
                          static_cast<T*>(scratch));
      });
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
  // Calls f(block, scratch) for all features of every group and all pixels of [0, pixels): in ranges of whichever are
  // more, if several divide the work.
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

  // Columns of a tile are output features, its rows the pixels of all images; of a dilated base, as large a part of the
  // pixels of each phase, so that no hole is multiplied. Where the last window dimension and the features lie behind
  // each other in memory, they make up one run.
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
  // The same, but the rows of a tile are images under one pixel of the result: features that lie apart are read where
  // they are, and padding, which is the same for all rows, is left out.
  void multiply_images(const block& part, T* scratch) const {
    for (index_t j = 0; j < part.columns; j += tile::panel())
      multiply_images(part, part.group * outputs_ + part.output + j, std::min(part.columns - j, tile::panel()),
                      scratch);
  }
  void multiply_images(const block& part, index_t output, index_t width, T* scratch) const {
    const T* const lhs = lhs_ + part.group * lhs_group_;
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
  }
  // The weights of run `run` among `runs`, in panels of all of them; `joined`: of the phase whose places in the last
  // dimension make up the run.
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

  // Columns of a tile are pixels of an image, from pixel `p` on, its rows output features.
  void multiply_pixels(index_t group, index_t image, index_t p, T* scratch) const {
    const T* const lhs = lhs_ + group * lhs_group_ + image * lhs_batch_;
    const index_t width = pixel_count() - p < tile::panel() ? pixel_count() - p : tile::panel();
    for_each_block(
        window_, features_, [&](const ints* places, index_t runs, index_t first, index_t depth, bool is_first) {
          const index_t step = width > tile::lanes() ? tile::panel() : tile::lanes();
          index_t weights[most_runs];
          for (index_t run = 0; run < runs; ++run) {
            weights[run] = weight_offset(places[run], spatial_) + first * rhs_input_;
            pack_pixels(lhs + first * lhs_feature_, p, width, step, places[run], depth, scratch + run * depth * step);
          }
          tiling::for_each_piece(outputs_, tile::rows, [&](index_t o, index_t height) {
            const T* from[most_runs * tile::rows];
            T* to[tile::rows];
            for (index_t r = 0; r < height; ++r) {
              const index_t output = group * outputs_ + o + r;
              for (index_t run = 0; run < runs; ++run)
                from[run * height + r] = rhs_ + output * rhs_output_ + weights[run];
              to[r] = result_ + image * result_batch_ + output * result_feature_ + p;
            }
            tile::template run<Needs>(height, width, {from, runs, rhs_input_, scratch, step, depth}, to, !is_first);
          });
        });
  }
  // to[k * step + j] = feature k of what pixel first_pixel + j has under this place.
  void pack_pixels(const T* lhs, index_t first_pixel, index_t width, index_t step, const ints& place, index_t depth,
                   T* to) const {
    const auto fill = [&](index_t begin, index_t end) {
      for (index_t k = 0; k < depth; ++k)
        for (index_t j = begin; j < end; ++j) to[k * step + j] = 0;
    };
    const auto copy = [&](index_t begin, index_t end, index_t offset, index_t distance) {
      for (index_t k = 0; k < depth; ++k) {
        const T* const from = lhs + k * lhs_feature_ + offset;
        T* const row = to + k * step;
        if (distance == 1) {
          for (index_t j = begin; j < end; ++j) row[j] = from[j - begin];
        } else {
          for (index_t j = begin; j < end; ++j) row[j] = from[(j - begin) * distance];
        }
      }
    };
    fill(width, step);
    if (spatial_ == 0) return copy(0, width, 0, 1);
    const int last = spatial_ - 1;
    const ops::window_axis& axis = axes_[last];
    ints index = pixel(first_pixel);
    for (index_t j = 0, count = 0; j < width; j += count) {
      // As far as the row of pixels goes.
      const index_t x = index.at[last], row = pixels_.at[last] - x;
      count = row < width - j ? row : width - j;
      const index_t offset = pixel_offset(index, place, last);
      if (offset == nothing) {
        fill(j, j + count);
      } else if (axis.base_dilation != 1) {
        for (index_t i = 0; i < count; ++i) {
          const index_t at = axis.position(x + i, place.at[last]);
          if (at < 0)
            fill(j + i, j + i + 1);
          else
            copy(j + i, j + i + 1, offset + at * lhs_spatial_.at[last], 1);
        }
      } else {
        const index_t begin = axis.first_not_below(0, place.at[last], x, x + count);
        const index_t end = axis.first_not_below(axis.size, place.at[last], begin, x + count);
        fill(j, j + begin - x);
        if (begin < end)
          copy(j + begin - x, j + end - x, offset + axis.position(begin, place.at[last]) * lhs_spatial_.at[last],
               axis.stride * lhs_spatial_.at[last]);
        fill(j + end - x, j + count);
      }
      index.at[last] += count - 1;
      advance(pixels_, index);
    }
  }

  const T* lhs_;
  const T* rhs_;
  T* result_;
  const evaluation& e_;
};

}  // namespace tenon::kernels::inline HWY_NAMESPACE
