// SPDX-License-Identifier: Apache-2.0
#include <tenon/files/npy.hpp>

#include <tenon/core/element.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace tenon;

namespace {

using bytes = std::vector<std::byte>;

bytes as_bytes(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// A file of that version, padded as NumPy pads.
bytes npy_file(std::string_view dictionary, std::string_view data, int version = 1) {
  const std::size_t start = version == 1 ? 10 : 12;
  std::string header(dictionary);
  while ((start + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += {char(version), '\0', char(header.size() & 0xFF), char(header.size() >> 8)};
  if (version > 1) file += std::string(2, '\0');
  return as_bytes(file + header + std::string(data));
}
bytes npy_file_of(std::string_view type, std::string_view shape, std::string_view data, bool fortran = false) {
  return npy_file("{'descr': '" + std::string(type) + "', 'fortran_order': " + (fortran ? "True" : "False") +
                      ", 'shape': " + std::string(shape) + ", }",
                  data);
}

template <class T>
struct read_result {
  npy_error error;
  std::vector<T> values;
};
template <class T>
read_result<T> read(const bytes& file, const ints& shape) {
  const auto count = std::size_t(shape.product());
  const auto values = std::make_unique<T[]>(count);
  const auto error = read_npy(file, dtype_of<T>, shape, std::as_writable_bytes(std::span(values.get(), count)));
  return {error, std::vector<T>(values.get(), values.get() + count)};
}
template <class T>
npy_error error_of(const bytes& file, const ints& shape) {
  return read<T>(file, shape).error;
}

std::string header_text(dtype type, const ints& shape) {
  std::array<std::byte, npy_written_header_size> buffer;
  const std::size_t size = write_npy_header(buffer, type, shape);
  return {reinterpret_cast<const char*>(buffer.data()), size};
}

npy_error header_error(std::string_view dictionary) { return read_npy_header(npy_file(dictionary, "")).error; }

// What numpy.save(file, numpy.array([[1.5, -2], [0, 3]], dtype="<f4")) writes.
constexpr std::string_view saved_by_numpy =
    "\x93NUMPY\1\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }"
    "                                                          \n"
    "\0\0\xC0\x3F\0\0\0\xC0\0\0\0\0\0\0\x40\x40";

}  // namespace

TEST_CASE("a file by numpy") {
  const std::string_view file(saved_by_numpy.data(), 128 + 16);
  const auto header = read_npy_header(as_bytes(file));
  CHECK(header.error == npy_error::none);
  CHECK(header.header.element == dtype::f32);
  CHECK(header.header.shape == ints{2, 2});
  CHECK(!header.header.fortran_order);
  CHECK(!header.header.swapped);
  CHECK(header.header.data_offset == 128);
  const auto [error, values] = read<f32>(as_bytes(file), {2, 2});
  CHECK(error == npy_error::none);
  CHECK(values == std::vector<f32>{1.5f, -2, 0, 3});
  CHECK(header_text(dtype::f32, {2, 2}) == file.substr(0, 128));
}

TEST_CASE("headers") {
  CHECK(header_text(dtype::f64, {}).find("{'descr': '<f8', 'fortran_order': False, 'shape': (), }") == 10);
  CHECK(header_text(dtype::i1, {3}).find("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }") == 10);
  CHECK(header_text(dtype::ui8, {0, 2, 1}).find("'|u1', 'fortran_order': False, 'shape': (0, 2, 1), }") == 20);
  CHECK(header_text(dtype::bf16, {2}).find("'<V2'") == 20);
  CHECK(header_text(dtype::i4, {2}).find("'<V1'") == 20);
  const ints largest = ints::filled(max_rank, INT64_MAX);
  CHECK(read_npy_header(as_bytes(header_text(dtype::complex_f64, largest))).header.shape == largest);
  CHECK(header_text(dtype::token, {}) == "");
  CHECK(header_text(dtype::tf32, {}) == "");
  CHECK(header_text(dtype::f32, {-1}) == "");
  CHECK(header_text(dtype::f32, ints::filled(max_rank + 1, 1)) == "");
  std::array<std::byte, 127> small;
  CHECK(write_npy_header(small, dtype::f32, {2, 2}) == 0);

  for (int i = 0; i < dtype_count; ++i) {
    if (!is_element(dtype(i))) continue;
    CAPTURE(name(dtype(i)));
    const auto [header, error] = read_npy_header(as_bytes(header_text(dtype(i), {4, 5})));
    CHECK(error == npy_error::none);
    CHECK(header.item_bytes == storage_bytes(dtype(i)));
    CHECK(header.shape == ints{4, 5});
    for (int j = 0; j < dtype_count; ++j) {
      const bool nameless = header.element == dtype::none;
      if (i == j || !nameless) CHECK(header.holds(dtype(j)) == (i == j));
    }
  }
  CHECK(!npy_header{dtype::none, 1}.holds(dtype::i8));
  CHECK(!npy_header{dtype::none, 1}.holds(dtype::none));
  CHECK(!npy_header{dtype::none, 2}.holds(dtype::f16));
}

TEST_CASE("versions, and what Python may write differently") {
  constexpr std::string_view dictionary = "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }";
  const std::vector<i16> expected{258, -1};
  for (const int version : {1, 2, 3})
    CHECK(read<i16>(npy_file(dictionary, "\x02\x01\xFF\xFF", version), {2}).values == expected);
  CHECK(read<i16>(npy_file("{\"shape\":(2L,),\"fortran_order\":True,\"descr\":\"<i2\"}", "\x02\x01\xFF\xFF"), {2})
            .values == expected);
  CHECK(header_error("{'descr':'=f4','fortran_order':False,'shape':()}") == npy_error::none);
  CHECK(header_error(" { 'descr' : 'f4' , 'fortran_order' : False , 'shape' : ( 1 , 2 ) } ") == npy_error::none);
  for (const auto& [text, type] : {std::pair{"bfloat16", dtype::bf16},
                                   {"float8_e4m3fn", dtype::f8E4M3FN},
                                   {"<f1", dtype::f8E5M2},
                                   {"uint4", dtype::ui4},
                                   {"|b1", dtype::i1},
                                   {"<c16", dtype::complex_f64}})
    CHECK(read_npy_header(npy_file_of(text, "()", "")).header.element == type);
}

TEST_CASE("bytes in another order") {
  CHECK(read<i32>(npy_file_of(">i4", "(2,)", {"\0\0\1\2\xFF\xFF\xFF\xFE", 8}), {2}).values ==
        std::vector<i32>{258, -2});
  CHECK(read<f64>(npy_file_of(">f8", "()", {"\x3F\xF8\0\0\0\0\0\0", 8}), {}).values == std::vector<f64>{1.5});
  CHECK(read<f16>(npy_file_of(">f2", "()", {"\x3E\0", 2}), {}).values[0] == f16(1.5f));
  CHECK(read<complex<f32>>(npy_file_of(">c8", "()", {"\x3F\xC0\0\0\xC0\0\0\0", 8}), {}).values[0] ==
        complex<f32>{1.5f, -2});
}

TEST_CASE("the first axis running fastest") {
  const auto file = npy_file_of("|i1", "(2, 3, 2)", "\1\2\3\4\5\6\7\x8\x9\xA\xB\xC", true);
  CHECK(read<i8>(file, {2, 3, 2}).values == std::vector<i8>{1, 7, 3, 9, 5, 11, 2, 8, 4, 10, 6, 12});
  CHECK(read<i8>(npy_file_of("|i1", "(3,)", "\1\2\3", true), {3}).values == std::vector<i8>{1, 2, 3});
  CHECK(read<i16>(npy_file_of(">i2", "(2, 2)", {"\0\1\0\2\0\3\0\4", 8}, true), {2, 2}).values ==
        std::vector<i16>{1, 3, 2, 4});
  CHECK(error_of<i8>(npy_file_of("|i1", "(0, 3)", "", true), {0, 3}) == npy_error::none);
}

TEST_CASE("bits that an element does not have are ignored") {
  const auto logical = npy_file_of("|b1", "(4,)", {"\0\1\2\xFF", 4});
  CHECK(read<i1>(logical, {4}).values == std::vector<i1>{false, true, true, true});
  const auto nibbles = npy_file_of("|V1", "(3,)", {"\x0F\xF8\x17", 3});
  CHECK(read<i4>(nibbles, {3}).values == std::vector<i4>{i4(-1), i4(-8), i4(7)});
  CHECK(read<ui4>(nibbles, {3}).values == std::vector<ui4>{ui4(15), ui4(8), ui4(7)});
  CHECK(read<ui2>(nibbles, {3}).values == std::vector<ui2>{ui2(3), ui2(0), ui2(3)});
  CHECK(to_bits(read<f4E2M1FN>(nibbles, {3}).values[1]) == 8);
  CHECK(to_bits(read<f8E4M3FN>(nibbles, {3}).values[1]) == 0xF8);
}

TEST_CASE("every error") {
  const auto file = npy_file_of("<f4", "(2, 2)", std::string(16, '\0'));
  CHECK(error_of<f32>(file, {2, 2}) == npy_error::none);
  CHECK(error_of<i32>(file, {2, 2}) == npy_error::wrong_type);
  CHECK(error_of<f64>(file, {2, 2}) == npy_error::wrong_type);
  CHECK(error_of<bf16>(npy_file_of("<f2", "()", "  "), {}) == npy_error::wrong_type);
  CHECK(error_of<f32>(file, {4}) == npy_error::wrong_shape);
  CHECK(error_of<f32>(file, {2, 3}) == npy_error::wrong_shape);
  CHECK(error_of<f32>(file, {2, 2, 1}) == npy_error::wrong_shape);
  std::array<std::byte, 15> small;
  CHECK(read_npy(file, dtype::f32, {2, 2}, small) == npy_error::wrong_size);
  CHECK(error_of<f32>(npy_file_of("<f4", "(2, 2)", std::string(15, '\0')), {2, 2}) == npy_error::truncated);
  CHECK(error_of<f32>(npy_file_of("<f4", "(2, 2)", std::string(17, '\0')), {2, 2}) == npy_error::none);
  CHECK(error_of<f32>({}, {}) == npy_error::truncated);
  CHECK(error_of<f32>(as_bytes("PK"), {}) == npy_error::bad_magic);
  CHECK(error_of<f32>(npy_file("", "", 4), {}) == npy_error::bad_version);
  CHECK(error_of<f32>(npy_file("", ""), {}) == npy_error::bad_header);

  for (const std::string_view text :
       {"{}", "{'descr': '<f4', 'fortran_order': False}", "{'descr': '<f4', 'shape': (), 'fortran_order': false}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "{'descr': 4",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': ()}", "{'descr': '<f4', 'fortran_order': False, 'shape': ()",
        "{'descr", "x"}) {
    CAPTURE(text);
    CHECK(header_error(text) == npy_error::bad_header);
  }
  for (const std::string_view type : {"'<f3'", "'<f16'", "'|O'", "'<U4'", "'<M8[ns]'", "'|V3'", "'<V4'", "''", "'<'",
                                      "'<f'", "'<f44'", "'<fx'", "[('a', '<f4')]", "'<c4'", "'complex32'"}) {
    CAPTURE(type);
    CHECK(header_error("{'descr': " + std::string(type) + ", 'fortran_order': False, 'shape': ()}") ==
          npy_error::unsupported_type);
  }
  CHECK(header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1)}") ==
        npy_error::too_many_dimensions);
  CHECK(header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}") ==
        npy_error::too_large);
  CHECK(header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 0)}") ==
        npy_error::none);
  CHECK(header_error(std::string(2000, ' ')) == npy_error::bad_header);
  for (int i = 0; i <= int(npy_error::wrong_size); ++i) CHECK(message(npy_error(i)) != "unknown error");
}

TEST_CASE("garbage is an error or a tensor, whatever byte it is in") {
  const auto file = npy_file_of("<f4", "(2, 2)", std::string(16, '\0'), true);
  for (std::size_t size = 0; size < file.size(); ++size)
    CHECK(error_of<f32>({file.begin(), file.begin() + std::ptrdiff_t(size)}, {2, 2}) == npy_error::truncated);
  int read_well = 0;
  for (std::size_t at = 0; at < 80; ++at) {
    for (int value = 0; value < 256; ++value) {
      auto changed = file;
      changed[at] = std::byte(value);
      read_well += error_of<f32>(changed, {2, 2}) == npy_error::none;
    }
  }
  // What does no harm: its own value in every place, less padding, and other spaces and orders of bytes.
  CHECK(read_well > 80);
  CHECK(read_well < 210);
}

TEST_CASE("a header is read in constant evaluation") {
  static constexpr auto file = [] {
    std::array<std::byte, npy_written_header_size> buffer{};
    write_npy_header(buffer, dtype::bf16, {7, 9});
    return buffer;
  }();
  constexpr auto read = read_npy_header(file);
  static_assert(read.error == npy_error::none && read.header.holds(dtype::bf16) && read.header.shape == ints{7, 9});
}

TEST_CASE("to a file and back") {
  const std::string path = (std::filesystem::temp_directory_path() / "tenon_tests_run_npy.npy").string();
  // Longer than what is read at once.
  std::vector<complex<f64>> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {f64(i), -0.5 * f64(i)};
  const auto data = std::as_bytes(std::span(values));
  REQUIRE(save_npy(path.c_str(), dtype::complex_f64, {10, 100}, data) == npy_error::none);
  const auto header = load_npy_header(path.c_str());
  CHECK(header.error == npy_error::none);
  CHECK(header.header.shape == ints{10, 100});
  std::vector<complex<f64>> loaded(1000);
  const auto room = std::as_writable_bytes(std::span(loaded));
  CHECK(load_npy(path.c_str(), dtype::complex_f64, {10, 100}, room) == npy_error::none);
  CHECK(loaded == values);
  CHECK(load_npy(path.c_str(), dtype::complex_f64, {100, 10}, room) == npy_error::wrong_shape);
  CHECK(load_npy(path.c_str(), dtype::f64, {10, 100}, room) == npy_error::wrong_type);
  CHECK(load_npy(path.c_str(), dtype::complex_f64, {10, 100}, room.first(8)) == npy_error::wrong_size);

  std::filesystem::resize_file(path, 128 + 15999);
  CHECK(load_npy(path.c_str(), dtype::complex_f64, {10, 100}, room) == npy_error::truncated);
  std::filesystem::resize_file(path, 100);
  CHECK(load_npy_header(path.c_str()).error == npy_error::truncated);
  std::filesystem::resize_file(path, 3);
  CHECK(load_npy_header(path.c_str()).error == npy_error::truncated);

  CHECK(save_npy(path.c_str(), dtype::f32, {}, data) == npy_error::wrong_size);
  CHECK(save_npy(path.c_str(), dtype::token, {}, data) == npy_error::wrong_type);
  CHECK(save_npy(path.c_str(), dtype::f32, {-1}, data) == npy_error::wrong_shape);
  CHECK(save_npy(path.c_str(), dtype::f32, {INT64_MAX, 2}, data) == npy_error::too_large);
  REQUIRE(save_npy(path.c_str(), dtype::f32, {0, 7}, {}) == npy_error::none);
  CHECK(load_npy(path.c_str(), dtype::f32, {0, 7}, {}) == npy_error::none);
  std::filesystem::remove(path);
  CHECK(load_npy(path.c_str(), dtype::f32, {}, room) == npy_error::cannot_open);
  CHECK(save_npy((path + "/x").c_str(), dtype::f32, {0}, {}) == npy_error::cannot_open);
}

TEST_CASE("columns longer than what is read at once") {
  const std::string path = (std::filesystem::temp_directory_path() / "tenon_tests_run_npy_columns.npy").string();
  std::string data;
  for (int i = 0; i < 3 * 2000; ++i) data += {char(i & 0xFF), char(i >> 8)};
  const auto file = npy_file_of("<u2", "(2000, 3)", data, true);
  std::FILE* handle = std::fopen(path.c_str(), "wb");
  REQUIRE(handle != nullptr);
  REQUIRE(std::fwrite(file.data(), 1, file.size(), handle) == file.size());
  std::fclose(handle);
  std::vector<ui16> loaded(6000);
  CHECK(load_npy(path.c_str(), dtype::ui16, {2000, 3}, std::as_writable_bytes(std::span(loaded))) == npy_error::none);
  CHECK(loaded == read<ui16>(file, {2000, 3}).values);
  for (int i = 0; i < 6000; ++i) REQUIRE(loaded[std::size_t(i)] == i % 3 * 2000 + i / 3);
  std::filesystem::remove(path);
}
