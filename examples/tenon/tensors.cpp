// SPDX-License-Identifier: Apache-2.0
#include "tensors.hpp"

#include <tenon/core/bounded_tensor.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/files/npy.hpp>

#include <zip.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <span>

#include "print.hpp"

namespace {

struct close_archive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using archive = std::unique_ptr<zip_t, close_archive>;

bool is_archive(const std::string& path) { return std::filesystem::path(path).extension() == ".npz"; }

void open_members(const std::string& path, std::vector<array_file>& arrays) {
  int code = 0;
  const archive opened(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (opened == nullptr) tenon::fail(path, ": the file cannot be opened, or is no .npz file");
  const zip_int64_t count = zip_get_num_entries(opened.get(), 0);
  for (zip_uint64_t i = 0; i < zip_uint64_t(count); ++i) {
    zip_stat_t about;
    zip_file_t* const member = zip_fopen_index(opened.get(), i, 0);
    if (member == nullptr || zip_stat_index(opened.get(), i, 0, &about) != 0)
      tenon::fail(path, ": a member of the file cannot be read");
    array_file array{path, about.name};
    array.bytes.resize(about.size);
    const zip_int64_t read = zip_fread(member, array.bytes.data(), about.size);
    zip_fclose(member);
    if (read != zip_int64_t(about.size)) tenon::fail(array.name(), ": the member cannot be read");
    arrays.push_back(std::move(array));
  }
}

// Whether an argument may have this shape.
bool fits(const tenon::tensor_type& type, const tenon::ints& shape) {
  if (shape.size != type.rank()) return false;
  for (int d = 0; d < type.rank(); ++d)
    if (type.is_bounded(d) ? shape[d] > type.dim(d) : shape[d] != type.dim(d)) return false;
  return true;
}

std::size_t bytes_of(const tenon::tensor_type& type) { return std::size_t(tenon::byte_size(type)); }

// Without the room behind the sizes that it has.
std::vector<std::byte> dense(const value& of) {
  std::vector<std::byte> result(bytes_of(of.type.with_shape(of.shape)) + 1);
  tenon::collect_from_bounds(of.shape, of.type.shape, tenon::storage_bytes(of.type.element), of.bytes.data(),
                             result.data());
  result.pop_back();
  return result;
}

}  // namespace

std::vector<array_file> open_arrays(const std::vector<std::string>& paths) {
  std::vector<array_file> arrays;
  for (const std::string& path : paths) {
    if (is_archive(path)) {
      open_members(path, arrays);
    } else {
      arrays.push_back({path, ""});
    }
  }
  for (array_file& array : arrays) {
    const tenon::npy_header_result header =
        array.member.empty() ? tenon::load_npy_header(array.path.c_str()) : tenon::read_npy_header(array.bytes);
    if (header.error != tenon::npy_error::none) tenon::fail(array.name(), ": ", tenon::message(header.error));
    array.shape = header.header.shape;
  }
  return arrays;
}

value read_array(const array_file& file, int argument, const tenon::tensor_type& type) {
  const tenon::npy_header_result header =
      file.member.empty() ? tenon::load_npy_header(file.path.c_str()) : tenon::read_npy_header(file.bytes);
  const bool right = header.header.holds(type.element) && fits(type, file.shape);
  if (!right) {
    const tenon::dtype element = header.header.element;
    const tenon::tensor_type found = tenon::type_of(element == tenon::dtype::none ? type.element : element, file.shape);
    tenon::fail(file.name(), ": argument ", argument, " is ", text_of(type), ", the file holds ", text_of(found));
  }
  std::vector<std::byte> elements(bytes_of(type.with_shape(file.shape)));
  const tenon::npy_error error = file.member.empty()
                                     ? tenon::load_npy(file.path.c_str(), type.element, file.shape, elements)
                                     : tenon::read_npy(file.bytes, type.element, file.shape, elements);
  if (error != tenon::npy_error::none)
    tenon::fail(file.name(), ": ", tenon::message(error), " (argument ", argument, ": ", text_of(type), ")");
  value result = zeros(type);
  result.shape = file.shape;
  tenon::spread_to_bounds(file.shape, type.shape, tenon::storage_bytes(type.element), elements.data(),
                          result.bytes.data());
  return result;
}

value zeros(const tenon::tensor_type& type) { return {type, type.shape, std::vector<std::byte>(bytes_of(type) + 1)}; }

value random_value(const tenon::tensor_type& type, std::uint64_t seed) {
  value result = zeros(type);
  std::mt19937_64 source(seed);
  std::uniform_real_distribution<float> floats(-1, 1);
  std::uniform_int_distribution<int> integers(0, 9);
  tenon::visit(type.element, [&]<class T>() {
    T* const elements = reinterpret_cast<T*>(result.bytes.data());
    for (tenon::index_t i = 0; i < type.size(); ++i) {
      if constexpr (tenon::is_complex(tenon::dtype_of<T>)) {
        const float real = floats(source);
        elements[i] = T(real, floats(source));
      } else if constexpr (tenon::is_float(tenon::dtype_of<T>)) {
        elements[i] = tenon::convert_to<T>(floats(source));
      } else {
        elements[i] = tenon::convert_to<T>(integers(source) % (tenon::num_bits(type.element) < 5 ? 2 : 10));
      }
    }
  });
  return result;
}

void check_output(const std::string& prefix) {
  const std::string path = is_archive(prefix) ? prefix : prefix + "0.npy";
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    tenon::fail(path, ": there is no folder ", folder.string());
  const bool existed = std::filesystem::exists(path);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "ab"), &std::fclose);
  if (file == nullptr) tenon::fail(path, ": the file cannot be written");
  if (!existed) std::filesystem::remove(path);
}

void write_results(const std::string& prefix, const std::vector<value>& results) {
  archive written;
  int code = 0;
  if (is_archive(prefix)) written.reset(zip_open(prefix.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (is_archive(prefix) && written == nullptr) tenon::fail(prefix, ": the file cannot be written");
  std::vector<std::vector<std::byte>> kept;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const tenon::tensor_type type = results[i].type.with_shape(results[i].shape);
    const std::vector<std::byte> elements = dense(results[i]);
    std::string path = prefix + std::to_string(i) + ".npy";
    if (written == nullptr) {
      const tenon::npy_error error = tenon::save_npy(path.c_str(), type.element, type.shape, elements);
      if (error != tenon::npy_error::none) tenon::fail(path, ": ", tenon::message(error));
    } else {
      std::byte header[tenon::npy_written_header_size];
      std::vector<std::byte>& file = kept.emplace_back();
      file.assign(header, header + tenon::write_npy_header(header, type.element, type.shape));
      file.insert(file.end(), elements.begin(), elements.end());
      const std::string member = "result" + std::to_string(i) + ".npy";
      path = prefix + ":" + member;
      zip_source_t* const source = zip_source_buffer(written.get(), file.data(), file.size(), 0);
      const zip_int64_t index = zip_file_add(written.get(), member.c_str(), source, ZIP_FL_OVERWRITE);
      if (index < 0) tenon::fail(path, ": the file cannot be written");
      zip_set_file_compression(written.get(), zip_uint64_t(index), ZIP_CM_STORE, 0);
    }
    std::printf("%s: %s\n", path.c_str(), text_of(type).c_str());
  }
  if (written == nullptr) return;
  if (zip_close(written.get()) != 0) tenon::fail(prefix, ": the file cannot be written");
  (void)written.release();
}
