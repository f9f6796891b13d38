// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>, <tenon/programs.hpp>, <tenon/planned_programs.hpp>, <tenon/xla.hpp>.
#pragma once

#include <tenon/core/format/write_number.hpp>
#include <tenon/core/message.hpp>
#include <tenon/core/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#if __STDC_HOSTED__
#include <cstdio>
#endif

// Tensors as text, in the manner of NumPy: columns aligned, the fewest digits that tell an element from its neighbours,
// eight after the point at most, and only the edges of what is large.
//
//   print(x);                                   // to standard output, with a line end
//   print(x, stderr);
//   std::cout << x;                             // any stream that has write(const char*, size)
//   write_text(x, [](std::string_view part) { ... });
//   write_text(x, buffer, sizeof buffer);       // gives the length of the whole text
namespace tenon {

struct print_options {
  int most_digits = 8;       // after the point
  index_t threshold = 1000;  // tensors with more elements are abbreviated
  index_t edge = 3;          // elements at each end of a dimension
  int line_width = 80;
};

namespace detail {

// The decimal digits of a number, 0.d1d2d3... * 10^point, without trailing zeros.
struct decimal {
  char digits[24]{};
  int count = 0, point = 0;
  bool negative = false;
};

// The shortest decimal number that is nearer to `value` than to any other number of its type.
template <class T>
decimal shortest_decimal(T value) {
  constexpr std::uint64_t sign = core::format_of(dtype_of<T>).sign();
  const std::uint64_t bits = to_bits(value);
  decimal result{.point = 1, .negative = (bits & sign) != 0};
  if (value == T(f32{0})) return result;
  const core::decimal_digits shortest = core::shortest_digits<dtype_of<T>>(bits & ~sign);
  for (; result.count < shortest.count; ++result.count) result.digits[result.count] = shortest.digits[result.count];
  while (result.count > 0 && result.digits[result.count - 1] == '0') --result.count;
  result.point = shortest.exponent + 1;
  return result;
}

// Cuts to a number of digits after the point, or after the first digit.
inline decimal rounded(decimal number, int kept) {
  if (number.count <= kept) return number;
  if (kept < 0) return {.negative = number.negative};
  const bool up = number.digits[kept] >= '5';
  number.count = kept;
  for (int i = kept; up;) {
    if (i == 0) {
      for (int j = number.count; j > 0; --j) number.digits[j] = number.digits[j - 1];
      number.digits[0] = '1';
      number.count = number.count < int(sizeof number.digits) - 1 ? number.count + 1 : number.count;
      ++number.point;
      break;
    }
    if (number.digits[--i] != '9') {
      ++number.digits[i];
      break;
    }
    number.digits[i] = '0';
  }
  while (number.count > 0 && number.digits[number.count - 1] == '0') --number.count;
  if (number.count == 0) number.point = 1;
  return number;
}

enum class number_kind { finite, infinite, nan };

template <class T>
number_kind kind_of_number(T value) {
  const f64 wide = f64(value);
  return wide != wide ? number_kind::nan : wide - wide != 0 ? number_kind::infinite : number_kind::finite;
}

// How the real numbers of a tensor are laid out in columns.
struct number_layout {
  bool scientific = false;
  int left = 0, right = 0;  // characters before and after the point
  int width = 0;            // of all
};

// The measurements that choose a layout.
struct layout_survey {
  int most_digits = 8;
  double largest = 0, smallest = 0;  // magnitudes other than zero
  int left = 1, right = 0;           // in fixed notation
  int mantissa = 0;                  // digits after the point, in scientific notation
  int special = 0;                   // width of the longest "nan", "inf", "-inf"
  bool negative = false;

  template <class T>
  void see(T value) {
    switch (kind_of_number(value)) {
      case number_kind::nan:
        special = special > 3 ? special : 3;
        return;
      case number_kind::infinite: {
        const int width = f64(value) < 0 ? 4 : 3;
        special = special > width ? special : width;
        return;
      }
      default:
        break;
    }
    const decimal exact = shortest_decimal(value);
    const double magnitude = f64(value) < 0 ? -f64(value) : f64(value);
    if (magnitude > 0) {
      if (magnitude > largest) largest = magnitude;
      if (smallest == 0 || magnitude < smallest) smallest = magnitude;
    }
    negative = negative || exact.negative;
    const decimal fixed = rounded(exact, exact.point + most_digits);
    const int digits = (fixed.point > 0 ? fixed.point : 1) + (exact.negative ? 1 : 0);
    if (digits > left) left = digits;
    if (fixed.count - fixed.point > right) right = fixed.count - fixed.point;
    const int after_first = rounded(exact, most_digits + 1).count - 1;
    if (after_first > mantissa) mantissa = after_first;
  }
  number_layout choose() const {
    number_layout layout;
    layout.scientific = largest >= 1e16 || (smallest > 0 && (smallest < 1e-4 || largest / smallest > 1e9));
    if (layout.scientific) {
      layout.left = negative ? 2 : 1;
      layout.right = mantissa;
      layout.width = layout.left + 1 + layout.right + (largest >= 1e100 || (smallest > 0 && smallest < 1e-99) ? 5 : 4);
    } else {
      layout.left = left;
      layout.right = right;
      layout.width = left + 1 + right;
    }
    if (special > layout.width) layout.left += special - layout.width, layout.width = special;
    return layout;
  }
};

// One element as text.
struct element_text : core::message_text<96> {
  void pad(int count) {
    for (; count > 0; --count) push(' ');
  }
  void align_right(int first, int width) {
    const int shift = width - (length - first);
    if (shift <= 0) return;
    pad(shift);
    for (int i = length; i-- > first + shift;) at[i] = at[i - shift];
    for (int i = first; i < first + shift; ++i) at[i] = ' ';
  }

  template <class T>
  void append_real(T value, const number_layout& layout, int most_digits) {
    const int first = length;
    const number_kind kind = kind_of_number(value);
    if (kind != number_kind::finite) {
      *this << (kind == number_kind::nan ? "nan" : f64(value) < 0 ? "-inf" : "inf");
      return align_right(first, layout.width);
    }
    decimal number = shortest_decimal(value);
    if (layout.scientific) {
      number = rounded(number, most_digits + 1);
      if (number.negative) push('-');
      push(number.count > 0 ? number.digits[0] : '0');
      push('.');
      for (int i = 1; i <= layout.right; ++i) push(i < number.count ? number.digits[i] : '0');
      const int exponent = number.count > 0 ? number.point - 1 : 0, magnitude = exponent < 0 ? -exponent : exponent;
      push('e');
      push(exponent < 0 ? '-' : '+');
      if (magnitude < 10) push('0');
      *this << magnitude;
      return align_right(first, layout.width);
    }
    number = rounded(number, number.point + most_digits);
    if (number.negative) push('-');
    if (number.point <= 0) push('0');
    for (int i = 0; i < number.point; ++i) push(i < number.count ? number.digits[i] : '0');
    align_right(first, layout.left);
    push('.');
    for (int i = number.point; i < number.point + layout.right; ++i)
      push(i >= number.count ? ' ' : i < 0 ? '0' : number.digits[i]);
  }
};

// Widths that all shown elements share.
template <class T>
struct element_printer {
  layout_survey real_survey, imag_survey;
  number_layout real_layout, imag_layout;
  int most_digits;
  int width = 0;

  explicit element_printer(int digits) : most_digits(digits) {
    real_survey.most_digits = imag_survey.most_digits = digits;
  }
  void see(const T& value) {
    if constexpr (requires { value.imag; })
      real_survey.see(value.real), imag_survey.see(value.imag);
    else if constexpr (element_traits<T>::is_floating)
      real_survey.see(value);
    else
      width = width > text_of(value).length ? width : text_of(value).length;
  }
  void choose() { real_layout = real_survey.choose(), imag_layout = imag_survey.choose(); }

  [[gnu::cold]] element_text text_of(const T& value) const {
    element_text text;
    if constexpr (requires { value.imag; }) {
      text.append_real(value.real, real_layout, most_digits);
      const int first = text.length;
      text.append_real(value.imag, imag_layout, most_digits);
      // The sign stands between the parts, the unit at the end, so that columns stay aligned.
      element_text imag;
      bool minus = false;
      for (int i = first; i < text.length; ++i) {
        if (text.at[i] == '-' && imag.length == 0)
          minus = true;
        else if (text.at[i] != ' ')
          imag.push(text.at[i]);
      }
      int trailing = 0;
      while (text.length > first && text.at[text.length - 1] == ' ') --text.length, ++trailing;
      text.length = first;
      text << (minus ? "-" : "+") << imag.view() << "j";
      text.pad(trailing);
    } else if constexpr (std::is_same_v<T, bool>) {
      text << (value ? "true" : "false");
    } else if constexpr (element_traits<T>::is_floating) {
      text.append_real(value, real_layout, most_digits);
    } else {
      text << i64(value);
    }
    text.align_right(0, width);
    return text;
  }
};

// Writes the elements of a tensor, its shape known as a value.
template <class T, class Sink>
class tensor_writer {
 public:
  tensor_writer(const T* elements, const ints& shape, Sink& sink, const print_options& options)
      : elements_(elements), shape_(shape), sink_(sink), options_(options), printer_(options.most_digits) {
    abbreviated_ = shape.product() > options.threshold;
    survey(0, 0);
    printer_.choose();
  }

  void write() { write(0, 0); }

 private:
  const T* elements_;
  const ints& shape_;
  Sink& sink_;
  const print_options& options_;
  element_printer<T> printer_;
  bool abbreviated_ = false;
  int column_ = 0;

  // Calls f(i) for the indices of a dimension that are shown, and f(-1) where the others are left out.
  template <class Function>
  void for_each_shown(int axis, Function f) {
    const index_t size = shape_[axis];
    const bool cut = abbreviated_ && size > 2 * options_.edge;
    for (index_t i = 0; i < size; ++i) {
      if (cut && i == options_.edge) {
        f(index_t(-1));
        i = size - options_.edge;
      }
      f(i);
    }
  }
  [[gnu::cold]] void survey(int axis, index_t base) {
    if (axis == shape_.size) return printer_.see(elements_[base]);
    for_each_shown(axis, [&](index_t i) {
      if (i >= 0) survey(axis + 1, base * shape_[axis] + i);
    });
  }
  void put(std::string_view part) {
    sink_(part);
    column_ += int(part.size());
  }
  void new_line(int indent) {
    sink_(std::string_view("\n"));
    column_ = 0;
    for (int i = 0; i < indent; ++i) put(" ");
  }
  [[gnu::cold]] void write(int axis, index_t base) {
    if (axis == shape_.size) {
      const element_text text = printer_.text_of(elements_[base]);
      std::string_view part = text.view();
      if (shape_.size == 0)
        while (part.ends_with(' ')) part.remove_suffix(1);
      return put(part);
    }
    put("[");
    bool first = true;
    for_each_shown(axis, [&](index_t i) {
      if (axis + 1 == shape_.size) {
        const int width = i < 0 ? 3 : printer_.text_of(elements_[base * shape_[axis] + i]).length;
        if (!first && column_ + 1 + width + shape_.size > options_.line_width)
          new_line(axis + 1);
        else if (!first)
          put(" ");
      } else if (!first) {
        for (int blank = axis + 2; blank < shape_.size; ++blank) sink_(std::string_view("\n"));
        new_line(axis + 1);
      }
      first = false;
      if (i < 0)
        put("...");
      else
        write(axis + 1, base * shape_[axis] + i);
    });
    put("]");
  }
};

}  // namespace detail

// Hands the text of a tensor or view to `sink`, part by part.
template <class Tensor, class Sink>
  requires(detail::is_tensor<Tensor> && std::is_invocable_v<Sink&, std::string_view>)
void write_text(const Tensor& tensor, Sink&& sink, const print_options& options = {}) {
  constexpr ints shape = Tensor::shape;
  detail::tensor_writer<typename Tensor::value_type, std::remove_reference_t<Sink>>(tensor.data(), shape, sink, options)
      .write();
}

// Writes at most `capacity` characters, no end mark among them. Gives the length of the whole text.
template <class Tensor>
  requires detail::is_tensor<Tensor>
std::size_t write_text(const Tensor& tensor, char* buffer, std::size_t capacity, const print_options& options = {}) {
  std::size_t size = 0;
  write_text(
      tensor,
      [&](std::string_view part) {
        for (char c : part) {
          if (size < capacity) buffer[size] = c;
          ++size;
        }
      },
      options);
  return size;
}

// The value of an expression.
template <detail::evaluable Expression, class... To>
void write_text(const Expression& expression, To&&... to) {
  write_text(tensor_of<Expression::type>(expression), static_cast<To&&>(to)...);
}

#if __STDC_HOSTED__
// Prints a tensor, a view or the value of an expression, and a line end.
template <class Printed>
  requires(detail::is_tensor<Printed> || detail::evaluable<Printed>)
void print(const Printed& printed, std::FILE* file = stdout, const print_options& options = {}) {
  write_text(printed, [&](std::string_view part) { std::fwrite(part.data(), 1, part.size(), file); }, options);
  std::fputc('\n', file);
}
#endif

template <class Stream, class Tensor>
  requires((detail::is_tensor<Tensor> || detail::evaluable<Tensor>) &&
           requires(Stream& stream, const char* text) { stream.write(text, 1); })
Stream& operator<<(Stream& stream, const Tensor& tensor) {
  write_text(tensor, [&](std::string_view part) { stream.write(part.data(), std::ptrdiff_t(part.size())); });
  return stream;
}

}  // namespace tenon
