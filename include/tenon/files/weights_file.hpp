// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/loaded_programs.hpp>, <tenon/weights.hpp>.
#pragma once

#include <tenon/core/fail.hpp>
#include <tenon/core/tensor_type.hpp>
#include <tenon/files/npy.hpp>
#include <tenon/files/path_components.hpp>
#include <tenon/files/safetensors.hpp>
#include <tenon/files/zip.hpp>

#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon {

// A tensor that is looked for in a file: by its path, or by another name.
struct wanted_weight {
  std::string path, name;
  tensor_type type;
};

// The tensors of an .npz or .safetensors file, by name. Paths are compared by their parts, however these are written:
// "params['layers'][0]['w']", "params/layers/0/w" and "params.layers.0.w" are equal, and equal to "layers.0.w" where
// nothing else is. What is wrong with a file is a failure that names it.
class weights_file {
 public:
  explicit weights_file(const char* path) : path_(path) {
    read_bytes();
    constexpr unsigned char of_zip[] = {'P', 'K'}, of_npy[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    if (begins_with(of_npy)) fail(path_, ": one array without a name, where an .npz or .safetensors file is expected");
    if (begins_with(of_zip))
      read_members();
    else if (const std::string_view problem = detail::safetensors_reader(bytes_).read(entries_); !problem.empty())
      fail(path_, ": ", problem);
  }
  weights_file(const weights_file&) = delete;
  weights_file& operator=(const weights_file&) = delete;

  int count() const { return int(entries_.size()); }
  const std::string& name(int entry) const { return entries_[std::size_t(entry)].name; }

  // The entry for each of these, or -1. An entry that nothing asks for, or two things, is a failure.
  std::vector<int> find(std::span<const wanted_weight> wanted) const {
    std::map<std::string, int> whole, shortened;
    for (int i = 0; i < count(); ++i) {
      if (!whole.emplace(detail::joined_path(name(i), 0), i).second) fail(path_, ": two entries are called ", name(i));
      const auto [found, is_new] = shortened.emplace(detail::joined_path(name(i), 1), i);
      if (!is_new) found->second = -1;
    }
    const auto look = [](const std::map<std::string, int>& among, const std::string& key) {
      const auto found = key.empty() ? among.end() : among.find(key);
      return found == among.end() ? -1 : found->second;
    };
    std::vector<int> result;
    std::map<int, const wanted_weight*> takers;
    for (const wanted_weight& each : wanted) {
      int entry = -1;
      for (const auto& [path, first] : {std::pair(&each.path, 0), std::pair(&each.name, 0), std::pair(&each.path, 1)})
        if (entry < 0) entry = look(whole, detail::joined_path(*path, std::size_t(first)));
      if (entry < 0) entry = look(shortened, detail::joined_path(each.path, 0));
      result.push_back(entry);
      if (entry < 0) continue;
      if (const auto [other, is_first] = takers.emplace(entry, &each); !is_first)
        fail(path_, ": ", name(entry), " is asked for twice, as ", other->second->path, " and as ", each.path);
    }
    for (int i = 0; i < count(); ++i)
      if (!takers.contains(i)) fail(path_, ": nothing asks for ", name(i));
    return result;
  }

  // Fails unless the entry is a tensor of this type.
  void check(int entry, std::string_view what, const tensor_type& type) const {
    const npy_header& header = entries_[std::size_t(entry)].header;
    if (header.holds(type.element) && header.shape == type.shape) return;
    const dtype element = header.element == dtype::none ? type.element : header.element;
    fail(path_, ": ", what, " is ", type, ", the file holds ", type_of(element, header.shape), " as ", name(entry));
  }
  // Its elements, dense and row-major. @pre check(entry, what, type)
  void read(int entry, const tensor_type& type, std::span<std::byte> to) const {
    const detail::named_array& from = entries_[std::size_t(entry)];
    detail::place_npy_elements(from.header, type.element, from.data.data(), 0,
                               to.size() / std::size_t(storage_bytes(type.element)), to.data());
  }

 private:
  std::string path_;
  std::vector<std::byte> bytes_;
  std::deque<std::vector<std::byte>> unpacked_;
  std::vector<detail::named_array> entries_;

  template <std::size_t Size>
  bool begins_with(const unsigned char (&wanted)[Size]) const {
    for (std::size_t i = 0; i < Size; ++i)
      if (i >= bytes_.size() || bytes_[i] != std::byte(wanted[i])) return false;
    return true;
  }
  void read_bytes() {
    detail::npy_file file(path_.c_str(), "rb");
    if (file.handle == nullptr) fail(path_, ": the file cannot be opened");
    std::size_t size = 0;
    do {
      bytes_.resize(size + size / 2 + 65536);
      size += std::fread(bytes_.data() + size, 1, bytes_.size() - size, file.handle);
    } while (size == bytes_.size());
    if (std::ferror(file.handle) != 0) fail(path_, ": the file cannot be read");
    bytes_.resize(size);
  }
  void read_members() {
    std::vector<detail::zip_member> members;
    if (!detail::zip_reader(bytes_).read(members)) fail(path_, ": the .npz file is not well formed");
    for (const detail::zip_member& each : members) {
      detail::named_array next{std::string(each.name), {}, {}};
      if (next.name.ends_with(".npy")) next.name.resize(next.name.size() - 4);
      std::vector<std::byte>& bytes = unpacked_.emplace_back();
      if (!unpack(each, bytes)) fail(path_, ": ", next.name, ": the entry is not well formed");
      const npy_header_result read = read_npy_header(bytes);
      if (read.error != npy_error::none) fail(path_, ": ", next.name, ": ", message(read.error));
      next.header = read.header;
      next.data = std::span<const std::byte>(bytes).subspan(read.header.data_offset);
      std::size_t needed = 0;
      if (!detail::npy_byte_count(next.header.shape, next.header.item_bytes, needed) || next.data.size() < needed)
        fail(path_, ": ", next.name, ": ", message(npy_error::truncated));
      entries_.push_back(std::move(next));
    }
  }
};

}  // namespace tenon
