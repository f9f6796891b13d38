// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/text.hpp>

#include <string>
#include <string_view>
#include <vector>

// Maps as pictures.
namespace tenon::indexing {

// A tensor that is read, and how.
template <class Map>
struct read_panel {
  std::string_view name;
  ints shape;
  std::vector<Map> maps;
};

namespace detail {

// A tensor as a grid of cells: the last dimension runs to the right, the one before down; the next two are blocks side
// by side and below each other. Of what is larger the beginning is shown.
class svg_grid {
 public:
  static constexpr std::int64_t most_cells = 16, most_blocks = 3;
  static constexpr int cell = 22, gap = 14, label = 16;

  explicit svg_grid(const ints& shape) : shape_(shape) {}

  std::int64_t shown(int axis) const {
    const std::int64_t most = axis >= shape_.size - 2 ? most_cells : axis >= shape_.size - 4 ? most_blocks : 1;
    return shape_[axis] < most ? shape_[axis] : most;
  }
  bool is_cut() const {
    for (int axis = 0; axis < shape_.size; ++axis)
      if (shown(axis) < shape_[axis]) return true;
    return false;
  }
  int columns() const { return from_end(1); }
  int rows() const { return from_end(2); }
  int width() const { return from_end(3) * (columns() * cell + gap) - gap + label; }
  int height() const { return from_end(4) * (rows() * cell + gap) - gap + label; }

  // Where a cell stands; false if it is not shown.
  bool place(const std::vector<std::int64_t>& index, int& x, int& y) const {
    const int rank = shape_.size;
    std::int64_t at[4]{};
    for (int axis = 0; axis < rank; ++axis) {
      const std::int64_t i = index[static_cast<std::size_t>(axis)];
      if (i < 0 || i >= shown(axis)) return false;
      if (rank - axis <= 4) at[rank - axis - 1] = i;
    }
    x = label + static_cast<int>(at[0]) * cell + static_cast<int>(at[2]) * (columns() * cell + gap);
    y = label + static_cast<int>(at[1]) * cell + static_cast<int>(at[3]) * (rows() * cell + gap);
    return true;
  }
  // Calls visit(index) for every cell that is shown.
  template <class Visit>
  void for_each(Visit visit) const {
    ints counts;
    for (int axis = 0; axis < shape_.size; ++axis) counts.push(shown(axis));
    for_each_index(counts, [&](const ints& index) { visit(std::vector<std::int64_t>(index.begin(), index.end())); });
  }

 private:
  ints shape_;

  int from_end(int i) const { return i <= shape_.size ? static_cast<int>(shown(shape_.size - i)) : 1; }
};

class svg_writer {
 public:
  std::string out;

  static std::string number(std::int64_t value) { return std::to_string(value); }
  void rectangle(int x, int y, int width, int height, std::string_view fill, std::string_view stroke,
                 std::string_view opacity = "1") {
    out += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" +
           number(height) + "\" fill=\"";
    out += fill;
    out += "\" fill-opacity=\"";
    out += opacity;
    out += "\" stroke=\"";
    out += stroke;
    out += "\"/>\n";
  }
  void text(int x, int y, std::string_view words, std::string_view style) {
    out += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" ";
    out += style;
    out += ">";
    for (const char c : words) {
      if (c == '<')
        out += "&lt;";
      else if (c == '>')
        out += "&gt;";
      else if (c == '&')
        out += "&amp;";
      else
        out += c;
    }
    out += "</text>\n";
  }
};

inline std::string svg_list(const std::vector<std::int64_t>& values) {
  std::string text = "(";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(values[i]);
  return text + ")";
}

// Colours that people who see no red or green can tell apart.
inline constexpr std::string_view svg_colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7"};
inline constexpr std::string_view svg_heading = "class=\"h\"", svg_code = "class=\"c\"", svg_axis = "class=\"a\"",
                                  svg_mark = "class=\"m\"";

class svg_picture {
 public:
  // The cells of a tensor, with the numbers of its rows and columns.
  void grid(const svg_grid& of, int x, int y) {
    of.for_each([&](const std::vector<std::int64_t>& index) {
      int cx = 0, cy = 0;
      of.place(index, cx, cy);
      writer_.rectangle(x + cx, y + cy, svg_grid::cell, svg_grid::cell, "#ffffff", "#b8b8b8");
    });
    for (int i = 0; i < of.columns(); ++i)
      writer_.text(x + svg_grid::label + i * svg_grid::cell + svg_grid::cell / 2, y + svg_grid::label - 4,
                   std::to_string(i), svg_axis);
    for (int i = 0; i < of.rows(); ++i)
      writer_.text(x + svg_grid::label - 8, y + svg_grid::label + i * svg_grid::cell + svg_grid::cell / 2 + 3,
                   std::to_string(i), svg_axis);
  }
  // Colours a cell; what has been coloured before shows around it.
  void mark(const svg_grid& of, int x, int y, const std::vector<std::int64_t>& index, int colour, int times) {
    int cx = 0, cy = 0;
    if (!of.place(index, cx, cy)) return;
    const int inset = 1 + (times < 3 ? times : 3) * 4;
    writer_.rectangle(x + cx + inset, y + cy + inset, svg_grid::cell - 2 * inset, svg_grid::cell - 2 * inset,
                      svg_colours[colour], "none");
    if (times == 0)
      writer_.text(x + cx + svg_grid::cell / 2, y + cy + svg_grid::cell / 2 + 4, std::to_string(colour + 1), svg_mark);
  }
  void heading(int x, int y, std::string_view words) { writer_.text(x, y, words, svg_heading); }
  void code(int x, int y, std::string_view words) { writer_.text(x, y, words, svg_code); }

  std::string finish(int width, int height) const {
    const std::string size = std::to_string(width) + "\" height=\"" + std::to_string(height);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size + "\" viewBox=\"0 0 " + std::to_string(width) +
           " " + std::to_string(height) +
           "\">\n<style>text{font-family:sans-serif}.h{font-size:13px;font-weight:bold}"
           ".c{font-size:12px;font-family:monospace;white-space:pre}.a{font-size:9px;fill:#666;text-anchor:middle}"
           ".m{font-size:11px;fill:#fff;font-weight:bold;text-anchor:middle}</style>\n<rect width=\"" +
           size + "\" fill=\"#ffffff\"/>\n" + writer_.out + "</svg>\n";
  }

 private:
  svg_writer writer_;
};

// Elements that show how a map behaves: the first, one in the middle, the last.
inline std::vector<std::vector<std::int64_t>> typical_elements(const ints& shape) {
  const svg_grid grid(shape);
  std::vector<std::vector<std::int64_t>> chosen(3);
  for (int axis = 0; axis < shape.size; ++axis) {
    const std::int64_t last = grid.shown(axis) - 1;
    chosen[0].push_back(0);
    chosen[1].push_back((last + 1) / 2);
    chosen[2].push_back(last);
  }
  if (chosen[1] == chosen[2] || chosen[1] == chosen[0]) chosen.erase(chosen.begin() + 1);
  if (chosen.size() > 1 && chosen.front() == chosen.back()) chosen.pop_back();
  return chosen;
}

// Calls visit(index) for every element that one element leads to, runtime variables being at their lower bounds. At
// most 4096 are looked at.
template <class Map, class Visit>
void for_each_read(const Map& map, const std::vector<std::int64_t>& element, Visit visit) {
  if (!map.is_defined() || static_cast<int>(element.size()) != map.dimension_count) return;
  std::vector<std::int64_t> symbols;
  for (int i = 0; i < map.range_count; ++i) symbols.push_back(map.range_bounds[i].lower);
  for (int i = 0; i < map.runtime_count; ++i) symbols.push_back(map.runtime_bounds[i].lower);
  for (int steps = 0; steps < 4096; ++steps) {
    if (in_domain(map, element, symbols)) {
      const auto found = evaluate(map, element, symbols);
      visit(std::vector<std::int64_t>(found.at, found.at + found.size));
    }
    int i = map.range_count - 1;
    while (i >= 0 && symbols[static_cast<std::size_t>(i)] == map.range_bounds[i].upper) {
      symbols[static_cast<std::size_t>(i)] = map.range_bounds[i].lower;
      --i;
    }
    if (i < 0) return;
    ++symbols[static_cast<std::size_t>(i)];
  }
}

}  // namespace detail

// The result and the operands as grids: up to four elements of the result in colours, and in the same colours the
// elements of each operand that they need; below, the maps. Without chosen elements, some that are typical.
// @post a cell of an operand has the colour of an element exactly if one of the maps leads there from it, the runtime
//       variables being at their lower bounds
template <class Map>
std::string to_svg(std::string_view name, const ints& result, const std::vector<read_panel<Map>>& operands,
                   std::vector<std::vector<std::int64_t>> chosen = {}) {
  using detail::svg_grid;
  constexpr int margin = 16, line = 17, between = 40;
  if (chosen.empty()) chosen = detail::typical_elements(result);
  if (chosen.size() > 4) chosen.resize(4);
  detail::svg_picture picture;
  const auto title = [](std::string_view of, const ints& shape) {
    return std::string(of) + " " + detail::svg_list({shape.begin(), shape.end()}) +
           (svg_grid(shape).is_cut() ? ", the beginning" : "");
  };
  int x = margin, height = 0, width = 0;
  const int top = margin + 12;
  const svg_grid output(result);
  picture.heading(x, top, title(name, result));
  picture.grid(output, x, top + 8);
  for (std::size_t i = 0; i < chosen.size(); ++i) picture.mark(output, x, top + 8, chosen[i], static_cast<int>(i), 0);
  const auto advance = [&](const svg_grid& grid, const std::string& words) {
    const int text_width = static_cast<int>(words.size()) * 8;
    x += (grid.width() > text_width ? grid.width() : text_width) + between;
    if (grid.height() > height) height = grid.height();
  };
  advance(output, title(name, result));
  for (const read_panel<Map>& operand : operands) {
    const svg_grid grid(operand.shape);
    picture.heading(x, top, title(operand.name, operand.shape));
    picture.grid(grid, x, top + 8);
    std::vector<std::vector<std::int64_t>> marked;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      // Several maps may lead to one element.
      const std::size_t before = marked.size();
      for (const Map& map : operand.maps)
        detail::for_each_read(map, chosen[i], [&](const std::vector<std::int64_t>& index) {
          int times = 0;
          for (std::size_t k = 0; k < marked.size(); ++k) {
            if (marked[k] != index) continue;
            if (k >= before) return;
            ++times;
          }
          marked.push_back(index);
          picture.mark(grid, x, top + 8, index, static_cast<int>(i), times);
        });
    }
    advance(grid, title(operand.name, operand.shape));
  }
  width = x - between + margin;
  int y = top + 8 + height + 28;
  std::size_t longest = 0;
  for (const read_panel<Map>& operand : operands) {
    for (const Map& map : operand.maps) {
      std::string first = operands.size() > 1 || operand.maps.size() > 1 ? std::string(operand.name) + ": " : "";
      const auto printed = print(map);
      std::string_view rest = printed.view();
      first += rest.substr(0, rest.find('\n'));
      picture.code(margin, y, first);
      y += line;
      if (first.size() > longest) longest = first.size();
      // Bounds that are not those of the shape: of ranges and runtime variables, and constraints.
      std::string more;
      for (int skipped = 0; rest.find('\n') != std::string_view::npos; ++skipped) {
        rest.remove_prefix(rest.find('\n') + 1);
        if (skipped < map.dimension_count && map.dimension_bounds[skipped] == interval{0, result[skipped] - 1})
          continue;
        more += (more.empty() ? "    " : ",  ") + std::string(rest.substr(0, rest.find('\n')));
      }
      if (more.empty()) continue;
      picture.code(margin, y, more);
      y += line;
      if (more.size() > longest) longest = more.size();
    }
  }
  const int text_width = 2 * margin + static_cast<int>(longest) * 8;
  return picture.finish(width > text_width ? width : text_width, y + margin - line);
}

// One map, from a result to an operand of this shape.
// @post as above
template <class Map>
std::string to_svg(const Map& map, const ints& operand, const std::vector<std::vector<std::int64_t>>& chosen = {}) {
  ints result;
  for (int i = 0; i < map.dimension_count; ++i)
    result.push(map.dimension_bounds[i].upper < INT32_MAX ? map.dimension_bounds[i].upper + 1 : 1);
  return to_svg<Map>("result", result, {{"operand", operand, {map}}}, chosen);
}

}  // namespace tenon::indexing
