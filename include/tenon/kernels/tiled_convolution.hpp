// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/kernels/matrix_product.hpp>
#include <tenon/ops/contraction/convolution.hpp>

namespace tenon::inline HWY_NAMESPACE {

// A convolution of f32 or f64 as a product of matrices that are never written down: rows or columns of one of them are
// the pixels of the result, and its entries are found, or replaced by zero, while tiles are computed. Sums run over the
// places in the window in row-major order, then over the input features, in blocks.
template <class T>
class tiled_convolution {
 public:
  tiled_convolution(const ops::convolution& op, const evaluation& e)
      : lhs_(e.operand<T>(0)), rhs_(e.operand<T>(1)), result_(e.result<T>()), scratch_(static_cast<T*>(e.scratch)) {
    const convolution_dimension_numbers& numbers = op.dimension_numbers;
    const ints &lhs = e.operand_types.data[0].shape, &rhs = e.operand_types.data[1].shape;
    const ints& result = e.result_types.data[0].shape;
    const ints lhs_strides = e.strides_of_operand(0), rhs_strides = e.strides_of_operand(1);
    const ints result_strides = strides_of(result);
    spatial_ = numbers.input_spatial_dimensions.size;
    for (int d = 0; d < spatial_; ++d) {
      axes_[d] = op.window(rhs).axis(lhs.select(numbers.input_spatial_dimensions), d);
      reversed_[d] = op.window_reversal[d] != 0;
    }
    lhs_spatial_ = lhs_strides.select(numbers.input_spatial_dimensions);
    rhs_spatial_ = rhs_strides.select(numbers.kernel_spatial_dimensions);
    result_spatial_ = result_strides.select(numbers.output_spatial_dimensions);
    window_ = rhs.select(numbers.kernel_spatial_dimensions);
    pixels_ = result.select(numbers.output_spatial_dimensions);
    lhs_batch_ = lhs_strides[numbers.input_batch_dimension];
    lhs_feature_ = lhs_strides[numbers.input_feature_dimension];
    rhs_input_ = rhs_strides[numbers.kernel_input_feature_dimension];
    rhs_output_ = rhs_strides[numbers.kernel_output_feature_dimension];
    result_batch_ = result_strides[numbers.output_batch_dimension];
    result_feature_ = result_strides[numbers.output_feature_dimension];
    batch_ = result[numbers.output_batch_dimension];
    features_ = rhs[numbers.kernel_input_feature_dimension];
    groups_ = op.feature_group_count * op.batch_group_count;
    outputs_ = result[numbers.output_feature_dimension] / groups_;
    lhs_group_ = op.feature_group_count > 1 ? features_ * lhs_feature_ : batch_ * lhs_batch_;
    is_empty_ = result.product() == 0;
    sums_are_empty_ = lhs.product() == 0 || rhs.product() == 0;
  }

  // False if the memory of the result has neither neighbouring features nor neighbouring pixels; nothing is done then.
  bool run() {
    if (is_empty_) return true;
    if (sums_are_empty_) return false;
    const bool by_channels = features_ == 1 && outputs_ == 1 && groups_ > 1 && lhs_group_ == 1 && lhs_feature_ == 1 &&
                             rhs_output_ == 1 && result_feature_ == 1;
    const bool by_outputs = result_feature_ == 1, by_pixels = has_neighbouring_pixels();
    if (by_channels) {
      multiply_channels();
    } else if (by_pixels && has_planes()) {
      multiply_planes();
    } else if (by_outputs && (outputs_ * 2 >= tile::lanes() || !by_pixels)) {
      const bool by_images = lhs_feature_ != 1 && batch_ >= tile::rows;
      for (index_t group = 0; group < groups_; ++group) by_images ? multiply_images(group) : multiply_outputs(group);
    } else if (by_pixels) {
      for (index_t group = 0; group < groups_; ++group) multiply_pixels(group);
    } else {
      return false;
    }
    return true;
  }

 private:
  using tile = tiling::product_tile<T>;

  static constexpr index_t most_runs = 32;

  static constexpr index_t most_places = 64;
  static constexpr index_t nothing = INT64_MIN;
  struct place_offsets {
    index_t weight, pixel;
  };

  bool has_neighbouring_pixels() const {
    index_t stride = 1;
    for (int d = spatial_ - 1; d >= 0; --d) {
      if (pixels_.at[d] != 1 && result_spatial_.at[d] != stride) return false;
      stride *= pixels_.at[d];
    }
    return true;
  }
  index_t pixel_count() const { return pixels_.product(); }

  ints pixel(index_t number) const {
    ints index = pixels_;
    for (int d = spatial_ - 1; d >= 0; --d) {
      index.at[d] = number % pixels_.at[d];
      number /= pixels_.at[d];
    }
    return index;
  }
  // Of the weight that meets this place.
  index_t weight_offset(const ints& place, int dimensions) const {
    index_t offset = 0;
    for (int d = 0; d < dimensions; ++d)
      offset += (reversed_[d] ? window_.at[d] - 1 - place.at[d] : place.at[d]) * rhs_spatial_.at[d];
    return offset;
  }
  // Of the element under this place in the first `dimensions` dimensions, below 0 where strides are; `nothing` over
  // padding and holes.
  index_t pixel_offset(const ints& index, const ints& place, int dimensions) const {
    index_t offset = 0;
    for (int d = 0; d < dimensions; ++d) {
      const index_t at = axes_[d].position(index.at[d], place.at[d]);
      if (at < 0) return nothing;
      offset += at * lhs_spatial_.at[d];
    }
    return offset;
  }

  // Calls f(places, runs, first, depth, is_first) for the blocks of all sums: entries first to first + depth of one or
  // several runs of `length` entries each, where a run belongs to an index below `shape`.
  template <class Function>
  static void for_each_block(const ints& shape, index_t length, Function f) {
    ints places[most_runs];
    ints place = ints::filled(shape.size, 0);
    bool is_first = true, more = true;
    const index_t fitting = length < packing::block_depth ? packing::block_depth / length : 1;
    while (more) {
      index_t runs = 0;
      while (more && runs < fitting && runs < most_runs) {
        places[runs++] = place;
        more = advance(shape, place);
      }
      for (index_t first = 0; first < length; first += packing::block_depth) {
        const index_t left = length - first;
        f(places, runs, first, left < packing::block_depth ? left : packing::block_depth, is_first);
        is_first = false;
      }
    }
  }

  // Columns of a tile are output features, its rows pixels. Where the last window dimension and the features lie behind
  // each other in memory, they make up one run.
  void multiply_outputs(index_t group) {
    const int last = spatial_ - 1;
    const bool joined = spatial_ > 0 && lhs_feature_ == 1 && lhs_spatial_.at[last] == features_ &&
                        axes_[last].base_dilation == 1 && axes_[last].window_dilation == 1;
    const int outer = joined ? last : spatial_;
    ints outer_window;
    for (int d = 0; d < outer; ++d) outer_window.push(window_.at[d]);
    const index_t length = joined ? window_.at[last] * features_ : features_;
    const T* const lhs = lhs_ + group * lhs_group_;
    T* const zeros = scratch_;
    for (index_t o = 0; o < outputs_; o += tile::panel()) {
      const index_t width = outputs_ - o < tile::panel() ? outputs_ - o : tile::panel();
      const index_t output = group * outputs_ + o;
      for_each_block(
          outer_window, length, [&](const ints* places, index_t runs, index_t first, index_t depth, bool is_first) {
            T* const packed = zeros + depth;
            for (index_t k = 0; k < depth; ++k) zeros[k] = 0;
            index_t step = 0;
            for (index_t run = 0; run < runs; ++run)
              step = pack_weights(places[run], outer, joined, first, depth, output, width, packed + run * depth * step);
            T* const copies = packed + runs * depth * step;
            ints index = ints::filled(spatial_, 0);
            index_t image = 0;
            const T* lines[most_runs];
            bool begins_line = true;
            tiling::for_each_piece(batch_ * pixel_count(), tile::rows, [&](index_t, index_t height) {
              const T* from[most_runs * tile::rows];
              T* to[tile::rows];
              for (index_t r = 0; r < height; ++r) {
                T* const copy = copies + r * runs * depth;
                if (joined && begins_line)
                  for (index_t run = 0; run < runs; ++run)
                    lines[run] = find_line(lhs + image * lhs_batch_, index, places[run]);
                if (joined)
                  find_in_lines(lines, runs, index.at[last], first, depth, zeros, copy, from + r, height);
                else
                  for (index_t run = 0; run < runs; ++run)
                    from[run * height + r] =
                        find_run(lhs + image * lhs_batch_, index, places[run], first, depth, zeros, copy + run * depth);
                to[r] = result_ + image * result_batch_ + output;
                for (int d = 0; d < spatial_; ++d) to[r] += index.at[d] * result_spatial_.at[d];
                if (!advance(pixels_, index)) ++image;
                begins_line = joined && index.at[last] == 0;
              }
              tile::run(height, width, {from, runs, 1, packed, step, depth}, to, !is_first);
            });
          });
    }
  }
  // The same, but the rows of a tile are images under one pixel of the result: features that lie apart are read where
  // they are, and padding, which is the same for all rows, is left out.
  void multiply_images(index_t group) {
    const T* const lhs = lhs_ + group * lhs_group_;
    for (index_t o = 0; o < outputs_; o += tile::panel()) {
      const index_t width = outputs_ - o < tile::panel() ? outputs_ - o : tile::panel();
      const index_t output = group * outputs_ + o;
      for_each_block(
          window_, features_, [&](const ints* places, index_t runs, index_t first, index_t depth, bool is_first) {
            index_t step = 0;
            for (index_t run = 0; run < runs; ++run)
              step = pack_weights(places[run], spatial_, false, first, depth, output, width,
                                  scratch_ + run * depth * step);
            ints index = ints::filled(spatial_, 0);
            do {
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
                  tile::run(height, width,
                            {from, end - begin, lhs_feature_, scratch_ + begin * depth * step, step, depth}, to, adds);
                });
                adds = true;
              }
              for (index_t image = 0; image < batch_ && !adds; ++image)
                for (index_t j = 0; j < width; ++j) target[image * result_batch_ + j] = T{};
            } while (advance(pixels_, index));
          });
    }
  }
  index_t pack_weights(const ints& place, int outer, bool joined, index_t first, index_t depth, index_t output,
                       index_t width, T* to) const {
    const T* const weights = rhs_ + output * rhs_output_ + weight_offset(place, outer);
    index_t step = 0;
    for (index_t k = first; k < first + depth;) {
      // As far as one place in the window goes.
      const index_t inner = joined ? k / features_ : 0, feature = k - inner * features_;
      const index_t rest = features_ - feature, left = first + depth - k, count = rest < left ? rest : left;
      const T* from = weights + feature * rhs_input_;
      if (joined) from += (reversed_[outer] ? window_.at[outer] - 1 - inner : inner) * rhs_spatial_.at[outer];
      step = tiling::pack_panel<T, T>({from, rhs_input_, rhs_output_}, count, width, to);
      to += count * step;
      k += count;
    }
    return step;
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
  void find_in_lines(const T* const* lines, index_t runs, index_t x, index_t first, index_t depth, const T* zeros,
                     T* copy, const T** from, index_t step) const {
    const window_axis& axis = axes_[spatial_ - 1];
    const index_t at = wrap::subtract(x * axis.stride, axis.low);
    const bool is_outside = at >= axis.size || at <= -axis.window;
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

  // Columns of a tile are pixels, its rows output features.
  void multiply_pixels(index_t group) {
    const index_t count = pixel_count();
    for (index_t image = 0; image < batch_; ++image) {
      const T* const lhs = lhs_ + group * lhs_group_ + image * lhs_batch_;
      for (index_t p = 0; p < count; p += tile::panel()) {
        const index_t width = count - p < tile::panel() ? count - p : tile::panel();
        for_each_block(window_, features_,
                       [&](const ints* places, index_t runs, index_t first, index_t depth, bool is_first) {
                         const index_t step = width > tile::lanes() ? tile::panel() : tile::lanes();
                         index_t weights[most_runs];
                         for (index_t run = 0; run < runs; ++run) {
                           weights[run] = weight_offset(places[run], spatial_) + first * rhs_input_;
                           pack_pixels(lhs + first * lhs_feature_, p, width, step, places[run], depth,
                                       scratch_ + run * depth * step);
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
                           tile::run(height, width, {from, runs, rhs_input_, scratch_, step, depth}, to, !is_first);
                         });
                       });
      }
    }
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
    const window_axis& axis = axes_[last];
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

  // Whether one feature goes in and one comes out, whose rows can be read as they lie.
  bool has_planes() const {
    if (features_ != 1 || outputs_ != 1 || spatial_ == 0 || window_.product() > most_places) return false;
    return lhs_spatial_.at[spatial_ - 1] == 1 && axes_[spatial_ - 1].base_dilation == 1;
  }
  // Row by row of the result: every lane is a pixel.
  void multiply_planes() {
    const int last = spatial_ - 1;
    const window_axis& axis = axes_[last];
    const index_t row = pixels_.at[last], begin = axis.first_not_below(0, 0, 0, row);
    const index_t end = axis.first_not_below(axis.size, axis.window - 1, begin, row);
    ints rows_of_pixels = pixels_;
    --rows_of_pixels.size;
    for (index_t image = 0; image < batch_; ++image)
      for (index_t group = 0; group < groups_; ++group) {
        const T* const plane = lhs_ + group * lhs_group_ + image * lhs_batch_;
        T* to = result_ + image * result_batch_ + group * result_feature_;
        ints index = ints::filled(last, 0);
        do {
          plane_row under{{}, {}, {}, 0};
          ints place = ints::filled(spatial_, 0);
          do {
            const index_t offset = pixel_offset(index, place, last);
            if (offset == nothing) continue;
            under.rows[under.count] = plane + offset;
            under.columns[under.count] = place.at[last];
            under.weights[under.count++] = rhs_[group * rhs_output_ + weight_offset(place, spatial_)];
          } while (advance(window_, place));
          for (index_t j = 0; j < begin; ++j) to[j] = sum_at_edge(under, j);
          for (index_t j = end; j < row; ++j) to[j] = sum_at_edge(under, j);
          sum_inside(under, to, begin, end);
          to += row;
        } while (advance(rows_of_pixels, index));
      }
  }
  // The rows of a plane under the places of a window, in which column of the window, and with what weights.
  struct plane_row {
    const T* rows[most_places];
    index_t columns[most_places];
    T weights[most_places];
    index_t count;
  };
  T sum_at_edge(const plane_row& under, index_t j) const {
    T sum = 0;
    for (index_t p = 0; p < under.count; ++p)
      if (const index_t at = axes_[spatial_ - 1].position(j, under.columns[p]); at >= 0)
        sum += under.weights[p] * under.rows[p][at];
    return sum;
  }
  // Moves the rows on to what lies under the first of these windows.
  void sum_inside(plane_row& under, T* to, index_t begin, index_t end) const {
    using vec = tiling::product_lanes<T>;
    const window_axis& axis = axes_[spatial_ - 1];
    const index_t lanes = vec::count(), stride = axis.stride;
    if (begin >= end) return;
    const index_t first = begin * stride - axis.low;
    for (index_t p = 0; p < under.count; ++p) under.rows[p] += first + under.columns[p] * axis.window_dilation;
    to += begin;
    const index_t count = end - begin;
    index_t j = 0;
    if (stride == 1) {
      for (; j + 2 * lanes <= count; j += 2 * lanes) {
        auto a = vec::zero(), b = vec::zero();
        for (index_t p = 0; p < under.count; ++p) {
          const auto weight = vec::broadcast(under.weights[p]);
          a = vec::multiply_add(weight, vec::load(under.rows[p] + j), a);
          b = vec::multiply_add(weight, vec::load(under.rows[p] + j + lanes), b);
        }
        vec::store(a, to + j);
        vec::store(b, to + j + lanes);
      }
      for (; j < count; j += lanes) {
        const index_t some = count - j < lanes ? count - j : lanes;
        auto a = vec::zero();
        for (index_t p = 0; p < under.count; ++p)
          a = vec::multiply_add(vec::broadcast(under.weights[p]), vec::load_first(under.rows[p] + j, some), a);
        vec::store_first(a, to + j, some);
      }
      return;
    }
    // Behind the last window there may be no element.
    for (; stride == 2 && j + lanes < count; j += lanes) {
      auto a = vec::zero();
      for (index_t p = 0; p < under.count; ++p)
        a = vec::multiply_add(vec::broadcast(under.weights[p]), vec::load_every_other(under.rows[p] + 2 * j), a);
      vec::store(a, to + j);
    }
    for (; j < count; ++j) {
      T sum = 0;
      for (index_t p = 0; p < under.count; ++p) sum += under.weights[p] * under.rows[p][j * stride];
      to[j] = sum;
    }
  }

  // One feature in, one out: every lane is a channel.
  void multiply_channels() {
    place_offsets offsets[most_places];
    index_t places = 0;
    ints place = ints::filled(spatial_, 0);
    bool all_listed = true;
    do {
      all_listed = places < most_places;
      if (!all_listed) break;
      place_offsets& listed = offsets[places++];
      listed = {weight_offset(place, spatial_), 0};
      for (int d = 0; d < spatial_; ++d) listed.pixel += place.at[d] * axes_[d].window_dilation * lhs_spatial_.at[d];
    } while (advance(window_, place));

    ints index = ints::filled(spatial_, 0);
    for (index_t image = 0; image < batch_; ++image) {
      do {
        T* to = result_ + image * result_batch_;
        bool is_inside = all_listed;
        index_t first = image * lhs_batch_;
        for (int d = 0; d < spatial_; ++d) {
          to += index.at[d] * result_spatial_.at[d];
          const index_t at = axes_[d].position(index.at[d], 0);
          is_inside = is_inside && at >= 0 && axes_[d].base_dilation == 1 &&
                      axes_[d].position(index.at[d], window_.at[d] - 1) >= 0;
          first += at * lhs_spatial_.at[d];
        }
        if (is_inside) {
          multiply_channels(to, [&](auto add) {
            for (index_t i = 0; i < places; ++i) add(lhs_ + first + offsets[i].pixel, rhs_ + offsets[i].weight);
          });
        } else {
          multiply_channels(to, [&](auto add) {
            place = ints::filled(spatial_, 0);
            do {
              const index_t offset = pixel_offset(index, place, spatial_);
              if (offset != nothing) add(lhs_ + image * lhs_batch_ + offset, rhs_ + weight_offset(place, spatial_));
            } while (advance(window_, place));
          });
        }
      } while (advance(pixels_, index));
    }
  }
  // `each_place` calls what it is given with the first channel of the pixel and of the weight under each place.
  template <class EachPlace>
  void multiply_channels(T* to, EachPlace each_place) const {
    using vec = tiling::product_lanes<T>;
    const index_t lanes = tile::lanes();
    index_t c = 0;
    for (; c + 2 * lanes <= groups_; c += 2 * lanes) {
      auto sum_0 = vec::zero(), sum_1 = vec::zero();
      each_place([&](const T* from, const T* weights) {
        sum_0 = vec::multiply_add(vec::load(from + c), vec::load(weights + c), sum_0);
        sum_1 = vec::multiply_add(vec::load(from + c + lanes), vec::load(weights + c + lanes), sum_1);
      });
      vec::store(sum_0, to + c);
      vec::store(sum_1, to + c + lanes);
    }
    for (; c < groups_; c += lanes) {
      const index_t count = groups_ - c < lanes ? groups_ - c : lanes;
      auto sum = vec::zero();
      each_place([&](const T* from, const T* weights) {
        sum = vec::multiply_add(vec::load_first(from + c, count), vec::load_first(weights + c, count), sum);
      });
      vec::store_first(sum, to + c, count);
    }
  }

  const T* lhs_;
  const T* rhs_;
  T* result_;
  T* scratch_;
  int spatial_ = 0;
  window_axis axes_[max_rank];
  bool reversed_[max_rank]{};
  ints window_, pixels_;                             // sizes
  ints lhs_spatial_, rhs_spatial_, result_spatial_;  // strides
  index_t lhs_batch_, lhs_feature_, rhs_input_, rhs_output_, result_batch_, result_feature_;
  index_t batch_, features_, outputs_, groups_;  // images, inputs and outputs of a group; groups
  index_t lhs_group_;
  bool is_empty_, sums_are_empty_;
};

}  // namespace tenon::inline HWY_NAMESPACE
