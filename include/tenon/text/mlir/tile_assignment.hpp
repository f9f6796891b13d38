// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/mlir/divided_values.hpp>

namespace tenon::text::mlir {

// Reads how XLA's own notation divides tensors, `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`, and the custom calls
// that go from wholes to parts and back.
class tile_assignment_reader : public reader_part {
 public:
  constexpr explicit tile_assignment_reader(divided_values& of_values) : reader_part(of_values), divided(of_values) {}

  // The result is the part of the operand that the sharding says whose result the operand is.
  constexpr bool write_part(op_parts& parts) {
    const int after = in.at, result = parts.results;
    for (in.at = parts.name; in.data[in.at] != '%';) ++in.at;
    ++in.at;
    in.at = state.names.data[state.name_slots.at[build.slot_of_name(in.read_name())] - 1].text.end();
    const int sharding = in.accept('=') ? find_sharding(in.at) : -1;
    in.at = after;
    division how;
    int value = g.operands.data[parts.operands];
    if (!read_division(parts, sharding, value, result, how)) return false;
    g.values.size = result;
    if (!divided.take_part(value, how, parts.name)) return false;
    parts.results = value;
    return true;
  }
  // The operand is a part of the result, as the attribute of the call says.
  constexpr bool write_whole(const op_parts& parts, int sharding) {
    const int part = g.operands.data[parts.operands];
    division how;
    if (!read_division(parts, sharding, parts.results, part, how)) return false;
    state.divided.push({parts.results, part, -1, -1, true, how});
    return true;
  }

 private:
  divided_values& divided;

  constexpr bool read_division(const op_parts& parts, int sharding, int whole, int part, division& how) {
    const tensor_type of_whole = g.type_of_value(whole);
    if (sharding < 0 || in.data[sharding] != '"')
      return in.fail("attribute", "a call of Sharding is to say how the tensor is divided", parts.name);
    const int after = in.at;
    if (!read(sharding, of_whole.rank(), how)) return false;
    in.at = after;
    return how.divides(of_whole, g.type_of_value(part)) ||
           in.fail("attribute", "a part has the sizes of the whole, divided by the devices along each dimension",
                   parts.name);
  }
  // Where the string of `mhlo.sharding` begins in the rest of a line, or -1.
  constexpr int find_sharding(int from) {
    constexpr keyword name = "mhlo.sharding";
    const int end = in.find('\n', from);
    for (int at = in.find('.', from); at < end; at = in.find('.', at + 1)) {
      if (at + 9 > in.size || !in.stands_before(at + 9, name)) continue;
      in.at = at + 9;
      if (in.accept('=') && in.peek() == '"') return in.at;
    }
    return -1;
  }
  // `[2,4]`
  constexpr bool read_list(char open, char close, ints& list) {
    if (!in.expect(open, "a list such as [2,4] is expected")) return false;
    do {
      index_t value = 0;
      if (!in.read_natural(value)) return false;
      list.push(value);
    } while (in.accept(','));
    return in.expect(close, "the list is not closed");
  }

  // `"{devices=[tiles]<=[sizes]T(order) ...}"` or `"{devices=[tiles]0,1,2 ...}"` of a tensor with `rank` dimensions.
  constexpr bool read(int position, int rank, division& how) {
    in.at = position + 1;
    ints tiles, sizes, order;
    table<index_t>& devices = state.constants;
    if (in.accept('{') && (in.accept("replicated") || in.accept("manual"))) return true;
    if (!in.accept("devices") || !in.accept('='))
      return in.fail("attribute", "a sharding such as {devices=[2,1]<=[2]} is expected", position);
    if (!read_list('[', ']', tiles)) return false;
    devices.size = 0;
    if (in.accept('<', '=')) {
      if (!read_list('[', ']', sizes)) return false;
      order = ints::range(sizes.size);
      if (in.accept('T') && !read_list('(', ')', order = {})) return false;
    }
    const bool counted = sizes.size > 0;
    const bool good = tiles.size >= rank && tiles.positive() && tiles.dropped == 0 && sizes.positive() &&
                      order.size == sizes.size && order.unique() && order.within(0, sizes.size) &&
                      tiles.product() <= id_table::most_processes && (!counted || sizes.product() == tiles.product());
    if (!good) return in.fail("attribute", "a sharding has a number of devices for each dimension", position);
    if (counted)
      for_each_index(sizes.select(order), [&](const ints& index) {
        index_t device = 0;
        for (int i = 0; i < index.size; ++i) device += index[i] * strides_of(sizes)[int(order[i])];
        devices.push(device);
      });
    do {
      index_t value = 0;
      if (counted || !in.read_natural(value)) break;
      devices.push(value);
    } while (in.accept(','));
    how.processes = int(tiles.product());
    if (devices.overflow || in.error) return !in.error;
    return (devices.size == how.processes && find_digits(tiles, rank, how)) ||
           in.fail("not_supported", "the devices of a sharding are in an order that no mesh has", position);
  }
  // Each dimension of the tiles as digits of prime size, the slowest first, unless the devices do not go by digits.
  constexpr bool find_digits(const ints& tiles, int rank, division& how) {
    const index_t* const devices = state.constants.data;
    for (const index_t device : state.constants)
      if (device >= how.processes) return false;
    mesh_digit digits[16];
    int digit_count = 0;
    for (int d = 0, inner = int(tiles.product()); d < tiles.size; ++d) {
      for (int rest = int(tiles[d]), prime = 2; rest > 1; ++prime)
        for (; rest % prime == 0; rest /= prime) {
          inner /= prime;
          if (digit_count == 16) return false;
          digits[digit_count++] = {d, int(devices[inner]), prime};
        }
    }
    for (int i = 0; i < how.processes; ++i) {
      index_t expected = 0;
      for (int d = digit_count, rest = i; d-- > 0; rest /= digits[d].size)
        expected += rest % digits[d].size * digits[d].stride;
      if (devices[i] != expected || expected >= how.processes) return false;
    }
    for (int d = 0; d < digit_count && digits[d].dimension < rank; ++d) {
      mesh_digit* const last = how.count > 0 ? how.digits + how.count - 1 : nullptr;
      if (last && last->dimension == digits[d].dimension && last->stride == digits[d].stride * digits[d].size) {
        last->stride = digits[d].stride, last->size *= digits[d].size;
        continue;
      }
      if (how.count == division::most_digits) return false;
      how.digits[how.count++] = digits[d];
    }
    return true;
  }
};

}  // namespace tenon::text::mlir
