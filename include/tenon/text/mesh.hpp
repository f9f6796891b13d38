// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/attribute_list.hpp>

namespace tenon::text {

// Reads replica groups that the axes of a mesh decide.
class mesh_reader : public attribute_list_reader {
 public:
  using attribute_list_reader::attribute_list_reader;

 protected:
  struct mesh {
    static constexpr int most_axes = 8;
    word names[most_axes];
    index_t sizes[most_axes]{};
    int axes = 0;
    bool ordered = true;  // device_ids are 0, 1, 2 ...
    index_t device_ids[ints_table::capacity]{};
    int device_count = 0;
  };

  // `#stablehlo.replica_group_mesh_axes<mesh = ..., axes = [...]>`. Where the mesh is not to be seen, the groups stay
  // undecided.
  constexpr bool read_mesh_axes(ints_table& field) {
    const int start = at++;
    read_name();
    const int first = state.attributes.size;
    if (!expect('<', "< is expected") || !read_dictionary('>', false)) return false;
    int mesh_position = -1, axes_position = -1;
    for (int i = first; i < state.attributes.size; ++i) {
      const attribute_entry& entry = state.attributes.data[i];
      if (is(entry.name, "mesh")) mesh_position = entry.position;
      if (is(entry.name, "axes")) axes_position = entry.position;
    }
    state.attributes.size = first;
    if (mesh_position < 0 || axes_position < 0)
      return fail("attribute", "a mesh and the axes of groups are expected", start);
    const int after = at;
    at = mesh_position;
    mesh grid;
    bool known = false;
    if (!find_mesh(grid, known)) return false;
    at = axes_position;
    if (!read_groups(grid, known, field)) return false;
    at = after;
    return true;
  }
  // `#stablehlo.mesh<...>`, or the name of a mesh.
  constexpr bool find_mesh(mesh& grid, bool& known) {
    if (!follow_aliases()) return false;
    if (peek() == '#') {
      ++at;
      read_name();
      known = true;
      return expect('<', "< is expected") && read_mesh_attribute(grid);
    }
    const int start = at;
    word name;
    if (!read_symbol(name)) return false;
    state.symbols.push({0, start, name});
    for (const alias& each : state.aliases) {
      if (each.kind != alias::what::mesh || !same(each.text, name)) continue;
      at = each.position;
      known = true;
      return read_mesh_definition(grid);
    }
    return true;
  }
  // `<["x"=2, "y"=4], device_ids=[...]>`.
  constexpr bool read_mesh_definition(mesh& grid) {
    if (!expect('<', "< is expected") || !expect('[', "[ is expected")) return false;
    if (!accept(']')) {
      do {
        word name;
        index_t extent = 0;
        if (!read_quoted(name) || !expect('=', "= is expected") || !read_natural(extent) ||
            !add_axis(grid, name, extent))
          return false;
      } while (accept(','));
      if (!expect(']', "] is expected")) return false;
    }
    if (accept(',')) {
      if (!accept("device_ids") || !expect('=', "= is expected") || !read_device_ids(grid))
        return fail("syntax", "device_ids = [...] is expected");
    }
    return expect('>', "> is expected");
  }
  // `axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<...>>`.
  constexpr bool read_mesh_attribute(mesh& grid) {
    while (!accept('>')) {
      const word name = read_word();
      if (!expect('=', "= is expected")) return false;
      if (is(name, "axes")) {
        if (!read_references(
                [&](const word& axis, index_t extent, index_t, index_t) { return add_axis(grid, axis, extent); }))
          return false;
      } else if (is(name, "device_ids")) {
        if (!read_device_ids(grid)) return false;
      } else {
        return fail("attribute", "a mesh has axes and device_ids", name.first);
      }
      if (!accept(',') && peek() != '>') return fail("syntax", ", or > is expected");
    }
    return true;
  }
  constexpr bool add_axis(mesh& grid, const word& name, index_t extent) {
    if (grid.axes == mesh::most_axes) return fail("too_large", "a mesh has at most 8 axes", name.first);
    if (extent < 1) return fail("attribute", "the axes of a mesh have positive sizes", name.first);
    if (extent > ints_table::capacity) return fail("too_large", "the mesh has more than 64 processes", name.first);
    for (int i = 0; i < grid.axes; ++i)
      if (same(grid.names[i], name)) return fail("attribute", "the mesh has two axes of that name", name.first);
    grid.names[grid.axes] = name;
    grid.sizes[grid.axes++] = extent;
    return true;
  }
  constexpr bool read_device_ids(mesh& grid) {
    grid.ordered = false;
    return read_integers([&](index_t value, index_t) {
      if (grid.device_count < ints_table::capacity) grid.device_ids[grid.device_count] = value;
      ++grid.device_count;
    });
  }
  // `[#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>, ...]`, and likewise `mesh_axis<name = "x", size = 2>`.
  // take(name, size, what comes before the part of an axis, its size; -1: not given)
  template <class Take>
  constexpr bool read_references(Take take) {
    if (!expect('[', "[ is expected")) return false;
    if (accept(']')) return true;
    do {
      word name;
      index_t extent = -1, before = -1, part = -1;
      if (!follow_aliases()) return false;
      const int start = at;
      if (accept('#')) read_name();
      if (!expect('<', "< is expected before the name of an axis")) return false;
      while (!accept('>')) {
        const word key = read_word();
        if (!expect('=', "= is expected")) return false;
        if (is(key, "name")) {
          if (!read_quoted(name)) return false;
        } else if (is(key, "size")) {
          if (!read_integer(extent)) return false;
        } else if (is(key, "sub_axis_info")) {
          if (!expect('(', "( is expected") || !read_natural(before) || !expect(')', ") is expected") ||
              !read_natural(part))
            return false;
        } else {
          return fail("attribute", "an axis has a name and a size", key.first);
        }
        if (!accept(',') && peek() != '>') return fail("syntax", ", or > is expected");
      }
      if (name.size == 0) return fail("attribute", "an axis has a name", start);
      if (!take(name, extent, before, part)) return false;
    } while (accept(','));
    return expect(']', "] is expected");
  }
  // The processes that differ in the named axes only are a group; the last of these axes goes round fastest.
  constexpr bool read_groups(const mesh& grid, bool known, ints_table& field) {
    const int start = at;
    struct digit {
      index_t stride = 1, size = 1;
    };
    digit digits[mesh::most_axes];
    int count = 0;
    index_t columns = 1, total = 1;
    for (int i = 0; i < grid.axes; ++i)
      if ((total *= grid.sizes[i]) > ints_table::capacity)
        return fail("too_large", "the mesh has more than 64 processes", start);
    const auto take = [&](const word& name, index_t, index_t before, index_t part) {
      if (!known) return true;
      index_t stride = total;
      for (int i = 0; i < grid.axes; ++i) {
        stride /= grid.sizes[i];
        if (!same(grid.names[i], name)) continue;
        if (before < 0) before = 1, part = grid.sizes[i];
        if (before < 1 || part < 1 || before > grid.sizes[i] || part > grid.sizes[i] ||
            grid.sizes[i] % (before * part) != 0)
          return fail("attribute", "the axis has no such part", name.first);
        if (count == mesh::most_axes) return fail("too_large", "groups have at most 8 axes", name.first);
        digits[count++] = {stride * (grid.sizes[i] / (before * part)), part};
        columns *= part;
        return true;
      }
      return fail("attribute", "the mesh has no axis of that name", name.first);
    };
    if (!read_references(take)) return false;
    if (!known) return true;
    if (total % columns != 0) return fail("attribute", "an axis is named twice", start);
    if (!grid.ordered && grid.device_count != total)
      return fail("attribute", "the mesh has another number of device_ids than of processes", start);
    index_t row_of[ints_table::capacity]{};
    bool taken[ints_table::capacity]{};
    index_t rows = 0;
    for (index_t process = 0; process < total; ++process) {
      index_t base = process, position = 0;
      for (int i = 0; i < count; ++i) {
        const index_t value = process / digits[i].stride % digits[i].size;
        base -= value * digits[i].stride;
        position = position * digits[i].size + value;
      }
      if (base < 0) return fail("attribute", "an axis is named twice", start);
      if (position == 0) row_of[base] = rows++;
      const index_t cell = row_of[base] * columns + position;
      if (cell >= total || taken[cell]) return fail("attribute", "an axis is named twice", start);
      taken[cell] = true;
      field.at[cell] = grid.ordered ? process : grid.device_ids[process];
    }
    field.rows = int(rows);
    field.columns = int(columns);
    return true;
  }
};

}  // namespace tenon::text
