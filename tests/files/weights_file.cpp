// SPDX-License-Identifier: Apache-2.0
#include <tenon/files/weights_file.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

using namespace tenon;
using namespace tenon::detail;

namespace {

struct temporary_file {
  std::string path = std::string("weights_") + std::to_string(reinterpret_cast<std::uintptr_t>(this));
  explicit temporary_file(std::string_view bytes) { write(bytes); }
  ~temporary_file() { std::remove(path.c_str()); }
  void write(std::string_view bytes) const {
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
  }
};

std::string bytes_of(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes += char(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return bytes;
}

std::string safetensors(std::string header, std::string_view data) {
  while (header.size() % 8 != 0) header += ' ';
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += char(header.size() >> 8 * i & 0xFF);
  return bytes + header + std::string(data);
}
const std::string two = safetensors(
    R"({"__metadata__":{"a":"} \"","b":[1,{"c":null}]},"layers.0.w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
    R"("layers.0.b":{"shape":[],"data_offsets":[8,12],"dtype":"I32"}})",
    {"\0\0\x80\x3f\0\0\0\x40\x07\0\0\0", 12});

constexpr tensor_type two_floats = type_of(dtype::f32, {2}), one_whole = type_of(dtype::i32, ints{});

// What it throws, or nothing.
std::string message_of(std::string_view bytes) {
  const temporary_file file(bytes);
  try {
    const weights_file read(file.path.c_str());
  } catch (const error& problem) {
    return std::string(problem.what()).substr(file.path.size());
  }
  return "";
}

std::string inflated(std::string_view digits, std::size_t size) {
  const std::string packed = bytes_of(digits);
  std::string result(size, '\0');
  inflater unpacked({reinterpret_cast<const std::byte*>(packed.data()), packed.size()},
                    {reinterpret_cast<std::byte*>(result.data()), size});
  return unpacked.run() ? result : "refused";
}

// The same text by a fixed code, and by one of its own.
constexpr std::string_view fixed =
    "33d031d431d1b1d43134d33132d53136d331b1d43133d1b130d431d63132d13131d73137d231d23136d43133d2b104aa30d63137d03134"
    "d23135d6b104aa06ea051a00649be8981ae858e89899ea1899eb5858e8989ae81819e958004d031a65aa6368a86361a66306d461a1636c"
    "a4630854a96369ac6361aa636ea9630e248dc108cc050a02a5cc408a804a811a80da809a0dc106018d031a0a341a6801d01aa065402b2d"
    "4096039d00728821d851662007029d09742cd0c940879b813d6104f20ed05340af19833c09f42ad0c3c660cf0383c0121816863a069485"
    "0900";
constexpr std::string_view own =
    "a590c90d04210c0413aac7d80603f927b60529ac8410479ffe080687687252cd38f46007450ec6622549059d1c11c5fa88641647b45c05"
    "3c0fe6c7a627b9d89b39c864aba6d42482ddb48c4d25219253ecc93a2cf77aeb5d7df4ab2f48a8046992e30929a7a8d21a68a39996fb9a"
    "1be1068917aa6f40631ad6c806ef57226f1d4b59ad6e49ab5ab85e7947709c45f0fd37931f";
// numpy.savez_compressed(c=numpy.asfortranarray(numpy.arange(12, dtype=numpy.int16).reshape(3, 4)))
constexpr std::string_view archive =
    "504b03042d00000008000000210068ab4826ffffffffffffffff05001400632e6e70790100100098000000000000005d00000000000000"
    "9bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a4aea3a09e965f54529498179f5f94920a120f292a4d050a17672416a402b9"
    "1ac63a0a269a3a0ab50ae4032e060616060e06460656064e06260636062e06660676066e0600504b01022d032d00000008000000210068"
    "ab48265d00000098000000050000000000000000000000800100000000632e6e7079504b05060000000001000100330000009400000000"
    "00";

}  // namespace

TEST_CASE("deflated data are read, and nothing is read beyond them") {
  std::string text;
  for (int i = 0; i < 120; ++i) text += std::to_string(i * i % 97) + ",";
  CHECK(inflated(fixed, text.size()) == text);
  CHECK(inflated(own, text.size()) == text);
  CHECK(inflated("010500faff68656c6c6f", 5) == "hello");
  CHECK(inflated("010500faff68656c6c", 5) == "refused");
  CHECK(inflated("07", 0) == "refused");
  for (const std::string_view all : {fixed, own}) {
    CHECK(inflated(all, text.size() - 1) == "refused");
    CHECK(inflated(all, text.size() + 1) == "refused");
    for (std::size_t size = 0; size + 2 < all.size(); size += 2)
      CHECK(inflated(all.substr(0, size), text.size()) == "refused");
    for (std::size_t at = 0; at < all.size(); ++at)
      for (const char digit : std::string_view("07f")) {
        std::string changed(all);
        changed[at] = digit;
        inflated(changed, text.size());
      }
  }
}

TEST_CASE("a file of safetensors is read by name") {
  const temporary_file file(two);
  const weights_file weights(file.path.c_str());
  const wanted_weight wanted[] = {
      {"params['layers'][0]['b']", "arg0", one_whole}, {"layers/0/w", "", two_floats}, {"x", "", two_floats}};
  const std::vector<int> entries = weights.find(wanted);
  CHECK(entries == std::vector<int>{1, 0, -1});
  f32 w[2]{};
  weights.check(0, "w", two_floats);
  weights.read(0, two_floats, {reinterpret_cast<std::byte*>(w), sizeof w});
  CHECK(w[0] == 1);
  CHECK(w[1] == 2);
  CHECK_THROWS_WITH(weights.check(0, "argument 1", one_whole),
                    (file.path + ": argument 1 is tensor<i32>, the file holds tensor<2xf32> as layers.0.w").c_str());
  CHECK_THROWS_WITH(weights.find({wanted, 1}), (file.path + ": nothing asks for layers.0.w").c_str());
  const wanted_weight twice[] = {{"layers.0.w", "", two_floats}, {"net.layers.0.w", "", two_floats}};
  CHECK_THROWS_WITH(weights.find(twice),
                    (file.path + ": layers.0.w is asked for twice, as layers.0.w and as net.layers.0.w").c_str());
}

TEST_CASE("a path without its first part is looked for last, and only if there is one such") {
  const temporary_file file(safetensors(
      R"({"a.w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b.w":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},)"
      R"("a.v":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}})",
      "xy"));
  const weights_file weights(file.path.c_str());
  const tensor_type type = type_of(dtype::ui8, {1});
  const wanted_weight each[] = {{"a.w", "", type}, {"b.w", "", type}, {"v", "", type}};
  CHECK(weights.find(each) == std::vector<int>{0, 1, 2});
  const wanted_weight ambiguous[] = {{"w", "", type}, {"a.w", "", type}, {"b.w", "", type}, {"a.v", "", type}};
  CHECK(weights.find(ambiguous)[0] == -1);
}

TEST_CASE("a deflated array of another order is read") {
  const temporary_file file(bytes_of(archive));
  const weights_file weights(file.path.c_str());
  REQUIRE(weights.count() == 1);
  CHECK(weights.name(0) == "c");
  const tensor_type type = type_of(dtype::i16, {3, 4});
  weights.check(0, "c", type);
  i16 elements[12]{};
  weights.read(0, type, {reinterpret_cast<std::byte*>(elements), sizeof elements});
  for (int i = 0; i < 12; ++i) CHECK(elements[i] == i);
}

TEST_CASE("garbage is an error") {
  CHECK_THROWS_WITH(weights_file("no_such_file.npz"), "no_such_file.npz: the file cannot be opened");
  CHECK(message_of("") == ": the file is no .safetensors file");
  CHECK(message_of("\x93NUMPY").find("one array without a name") != std::string::npos);
  CHECK(message_of(safetensors("{}", "")) == "");
  CHECK(message_of(safetensors(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "abcd")) != "");
  CHECK(message_of(safetensors(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "abcd")) != "");
  CHECK(message_of(safetensors(R"({"w":{"dtype":"F9","shape":[1],"data_offsets":[0,4]}})", "abcd")) != "");
  CHECK(message_of(safetensors(R"({"w":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", "")) !=
        "");
  CHECK(message_of(safetensors(R"({"w":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}})", "a")) != "");
  CHECK(message_of(safetensors(R"({"__metadata__":)" + std::string(100000, '['), "")) != "");
  CHECK(message_of(safetensors(R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})", "a")) != "");
  for (const std::string& all : {two, bytes_of(archive)}) {
    for (std::size_t size = 0; size < all.size(); size += 3) CHECK(message_of(all.substr(0, size)) != "");
    for (std::size_t at = 0; at < all.size(); ++at) {
      std::string changed = all;
      changed[at] = char(changed[at] ^ 0x41);
      message_of(changed);
    }
  }
}
