// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/mlir/attribute_scanner.hpp>

namespace tenon::text::mlir {

// Reads what the axes of a mesh decide: replica groups, and how tensors are divided.
class mesh_reader : public reader_part {
 public:
  constexpr explicit mesh_reader(attribute_scanner& of_attributes)
      : reader_part(of_attributes), scanner(of_attributes) {}

  // `#stablehlo.replica_group_mesh_axes<mesh = ..., axes = [...]>`. Where the mesh is not to be seen, the groups stay
  // undecided.
  constexpr bool read_mesh_axes(id_table& field) {
    const int start = in.at++;
    in.read_name();
    const int first = state.attributes.size;
    if (!in.expect('<', "< is expected") || !scanner.read_dictionary('>', false)) return false;
    const int mesh_position = scanner.find_noted("mesh", first), axes_position = scanner.find_noted("axes", first);
    state.attributes.size = first;
    if (mesh_position < 0 || axes_position < 0)
      return in.fail("attribute", "a mesh and the axes of groups are expected", start);
    const int after = in.at;
    in.at = mesh_position;
    mesh grid;
    bool known = false;
    state.constants.size = 0;
    if (!find_mesh(grid, known)) return false;
    in.at = axes_position;
    if (!read_groups(grid, known, field)) return false;
    in.at = after;
    return true;
  }

  // `<@mesh, [{"x"}, {"y":(1)2, ?}], ...>`, of which those axes count that are in the list at `manual`; -1: all.
  constexpr bool read_sharding(int manual, division& how) {
    if (in.accept('#')) in.read_name();
    const int start = in.at;
    mesh grid;
    bool known = false;
    how = {};
    if (!in.expect('<', "a sharding is expected: <@mesh, [{...}, ...]>")) return false;
    if (in.accept("mesh")) {
      if (!read_mesh_definition(grid)) return false;
      known = true;
    } else {
      const int name = in.at;
      if (!scanner.skip_value(false)) return false;
      const int after = in.at;
      in.at = name;
      if (!find_mesh(grid, known)) return false;
      in.at = after;
    }
    if (!known) return in.fail("attribute", "the mesh of a sharding is not known", start);
    if (!grid.ordered)
      return in.fail("not_supported", "tensors are divided among meshes in the order of processes only", start);
    if (!check_processes(grid, start)) return false;
    how.processes = int(grid.processes());
    if (!in.expect(',', ", is expected after a mesh") || !in.expect('[', "[ is expected")) return false;
    for (int dimension = 0; !in.accept(']'); ++dimension) {
      if (!in.expect('{', "{ is expected before the axes of a dimension")) return false;
      while (!in.accept('}')) {
        if (!in.accept('?') && !read_axis(grid, manual, dimension, how)) return false;
        if (!in.accept(',') && in.peek() != '}') return in.fail("syntax", ", or } is expected");
      }
      if (in.peek() == 'p') in.read_word();
      if (!in.accept(',') && in.peek() != ']') return in.fail("syntax", ", or ] is expected");
    }
    while (in.accept(',')) {
      const word name = in.read_word();
      if (!in.expect('=', "= is expected")) return false;
      if (in.is(name, "unreduced"))
        return in.fail("not_supported", "sums that have not been added up yet are not supported", name.first);
      if (!scanner.skip_value(false)) return false;
    }
    return in.expect('>', "> is expected after a sharding");
  }

  // The processes that differ in these digits only are a group, in which the last digit goes round fastest. The ids lie
  // among the constants, behind `ids` of them which are the numbers of devices, if there are any.
  constexpr bool write_groups(list<mesh_digit> digits, index_t total, int ids, id_table& field, int start) {
    index_t columns = 1;
    for (const mesh_digit& each : digits)
      if ((columns *= each.size) > total) break;
    if (total % columns != 0) return in.fail("attribute", "an axis is named twice", start);
    // The ids, then the row that begins with each process.
    for (index_t i = 0; i < 2 * total; ++i) state.constants.push(no_process);
    if (state.constants.overflow) return true;
    index_t* const cells = state.constants.data + ids;
    index_t rows = 0;
    for (index_t process = 0; process < total; ++process) {
      index_t base = process, position = 0;
      for (const mesh_digit& each : digits) {
        const index_t value = process / each.stride % each.size;
        base -= value * each.stride;
        position = position * each.size + value;
      }
      if (base < 0) return in.fail("attribute", "an axis is named twice", start);
      if (position == 0) cells[total + base] = rows++;
      const index_t cell = cells[total + base] * columns + position;
      if (cell < 0 || cell >= total || cells[cell] != no_process)
        return in.fail("attribute", "an axis is named twice", start);
      cells[cell] = ids == 0 ? process : state.constants.data[process];
    }
    field = id_table(int(rows), int(columns), cells);
    return true;
  }

 private:
  attribute_scanner& scanner;

  struct mesh {
    static constexpr int most_axes = 8;
    word names[most_axes];
    index_t sizes[most_axes]{};
    int axes = 0;
    bool ordered = true;   // device_ids are 0, 1, 2 ...
    int device_count = 0;  // in front of all other constants

    constexpr index_t processes() const {
      index_t total = 1;
      for (int i = 0; i < axes && total <= id_table::most_processes; ++i) total *= sizes[i];
      return total;
    }
    // How far apart processes are that are neighbours along an axis.
    constexpr index_t stride(int axis) const {
      index_t result = 1;
      for (int i = axis + 1; i < axes; ++i) result *= sizes[i];
      return result;
    }
  };
  constexpr bool check_processes(const mesh& grid, int start) {
    return grid.processes() <= id_table::most_processes ||
           in.fail("too_large", "the mesh has too many processes", start);
  }
  // Part `part` of an axis behind `before` others, which is all of it if these are negative.
  constexpr bool find_digit(const mesh& grid, const word& name, index_t before, index_t part, mesh_digit& digit) {
    for (int i = 0; i < grid.axes; ++i) {
      if (!in.same(grid.names[i], name)) continue;
      const index_t size = grid.sizes[i];
      if (before < 0) before = 1, part = size;
      if (before < 1 || part < 1 || before > size || part > size || size % (before * part) != 0)
        return in.fail("attribute", "the axis has no such part", name.first);
      digit.stride = int(grid.stride(i) * (size / (before * part)));
      digit.size = int(part);
      return true;
    }
    return in.fail("attribute", "the mesh has no axis of that name", name.first);
  }
  // `"x"` or `"x":(1)2`.
  constexpr bool read_axis(const mesh& grid, int manual, int dimension, division& how) {
    word name;
    index_t before = -1, part = -1;
    mesh_digit digit;
    if (!in.read_quoted(name)) return false;
    if (in.accept(':') && (!in.expect('(', "( is expected") || !in.read_natural(before) ||
                           !in.expect(')', ") is expected") || !in.read_natural(part)))
      return false;
    if (!find_digit(grid, name, before, part, digit)) return false;
    if (digit.size == 1 || !is_listed(name, manual)) return true;
    if (how.count == division::most_digits) return in.fail("too_large", "a sharding has at most 6 axes", name.first);
    digit.dimension = dimension;
    how.digits[how.count++] = digit;
    return true;
  }
  // Whether the name stands in the braces behind a position.
  constexpr bool is_listed(const word& name, int list) {
    if (list < 0) return true;
    const int after = in.at;
    bool found = false;
    in.at = list;
    while (in.at < in.size && in.data[in.at] != '{') ++in.at;
    ++in.at;
    for (word each; !found && in.peek() == '"' && in.read_quoted(each);) found = in.same(each, name), in.accept(',');
    in.at = after;
    return found;
  }

  // `#stablehlo.mesh<...>`, or the name of a mesh.
  constexpr bool find_mesh(mesh& grid, bool& known) {
    if (!scanner.follow_aliases()) return false;
    if (in.peek() == '#') {
      ++in.at;
      in.read_name();
      known = true;
      return in.expect('<', "< is expected") && read_mesh_attribute(grid);
    }
    const int start = in.at;
    word name;
    if (!scanner.read_symbol(name)) return false;
    state.symbols.push({0, start, name});
    for (const alias& each : state.aliases) {
      if (each.kind != alias::what::mesh || !in.same(each.text, name)) continue;
      in.at = each.position;
      known = true;
      return read_mesh_definition(grid);
    }
    return true;
  }
  // `<["x"=2, "y"=4], device_ids=[...]>`.
  constexpr bool read_mesh_definition(mesh& grid) {
    if (!in.expect('<', "< is expected") || !in.expect('[', "[ is expected")) return false;
    if (!in.accept(']')) {
      do {
        word name;
        index_t extent = 0;
        if (!in.read_quoted(name) || !in.expect('=', "= is expected") || !in.read_natural(extent) ||
            !add_axis(grid, name, extent))
          return false;
      } while (in.accept(','));
      if (!in.expect(']', "] is expected")) return false;
    }
    if (in.accept(',')) {
      if (!in.accept("device_ids") || !in.expect('=', "= is expected") || !read_device_ids(grid))
        return in.fail("syntax", "device_ids = [...] is expected");
    }
    return in.expect('>', "> is expected");
  }
  // `axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<...>>`.
  constexpr bool read_mesh_attribute(mesh& grid) {
    while (!in.accept('>')) {
      const word name = in.read_word();
      if (!in.expect('=', "= is expected")) return false;
      if (in.is(name, "axes")) {
        if (!read_references(
                [&](const word& axis, index_t extent, index_t, index_t) { return add_axis(grid, axis, extent); }))
          return false;
      } else if (in.is(name, "device_ids")) {
        if (!read_device_ids(grid)) return false;
      } else {
        return in.fail("attribute", "a mesh has axes and device_ids", name.first);
      }
      if (!in.accept(',') && in.peek() != '>') return in.fail("syntax", ", or > is expected");
    }
    return true;
  }
  constexpr bool add_axis(mesh& grid, const word& name, index_t extent) {
    if (grid.axes == mesh::most_axes) return in.fail("too_large", "a mesh has at most 8 axes", name.first);
    if (extent < 1) return in.fail("attribute", "the axes of a mesh have positive sizes", name.first);
    if (extent > id_table::most_processes) return in.fail("too_large", "the mesh has too many processes", name.first);
    for (int i = 0; i < grid.axes; ++i)
      if (in.same(grid.names[i], name)) return in.fail("attribute", "the mesh has two axes of that name", name.first);
    grid.names[grid.axes] = name;
    grid.sizes[grid.axes++] = extent;
    return true;
  }
  constexpr bool read_device_ids(mesh& grid) {
    grid.ordered = false;
    state.constants.size = grid.device_count = 0;
    return scanner.read_integers([&](index_t value, index_t) {
      state.constants.push(value);
      ++grid.device_count;
    });
  }
  // `[#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>, ...]`, and likewise `mesh_axis<name = "x", size = 2>`.
  // take(name, size, what comes before the part of an axis, its size; -1: not given)
  template <class Take>
  constexpr bool read_references(Take take) {
    if (!in.expect('[', "[ is expected")) return false;
    if (in.accept(']')) return true;
    do {
      word name;
      index_t extent = -1, before = -1, part = -1;
      if (!scanner.follow_aliases()) return false;
      const int start = in.at;
      if (in.accept('#')) in.read_name();
      if (!in.expect('<', "< is expected before the name of an axis")) return false;
      while (!in.accept('>')) {
        const word key = in.read_word();
        if (!in.expect('=', "= is expected")) return false;
        if (in.is(key, "name")) {
          if (!in.read_quoted(name)) return false;
        } else if (in.is(key, "size")) {
          if (!in.read_integer(extent)) return false;
        } else if (in.is(key, "sub_axis_info")) {
          if (!in.expect('(', "( is expected") || !in.read_natural(before) || !in.expect(')', ") is expected") ||
              !in.read_natural(part))
            return false;
        } else {
          return in.fail("attribute", "an axis has a name and a size", key.first);
        }
        if (!in.accept(',') && in.peek() != '>') return in.fail("syntax", ", or > is expected");
      }
      if (name.size == 0) return in.fail("attribute", "an axis has a name", start);
      if (!take(name, extent, before, part)) return false;
    } while (in.accept(','));
    return in.expect(']', "] is expected");
  }
  // The processes that differ in the named axes only are a group; the last of these axes goes round fastest.
  constexpr bool read_groups(const mesh& grid, bool known, id_table& field) {
    const int start = in.at;
    mesh_digit digits[mesh::most_axes];
    int count = 0;
    if (!check_processes(grid, start)) return false;
    const auto take = [&](const word& name, index_t, index_t before, index_t part) {
      if (!known) return true;
      if (count == mesh::most_axes) return in.fail("too_large", "groups have at most 8 axes", name.first);
      return find_digit(grid, name, before, part, digits[count++]);
    };
    if (!read_references(take)) return false;
    if (!known) return true;
    const index_t total = grid.processes();
    if (!grid.ordered && grid.device_count != total)
      return in.fail("attribute", "the mesh has another number of device_ids than of processes", start);
    return write_groups({digits, count}, total, grid.device_count, field, start);
  }
};

}  // namespace tenon::text::mlir
