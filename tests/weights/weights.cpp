// SPDX-License-Identifier: Apache-2.0
#include <tenon/weights.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <string>

using namespace tenon;

namespace {

struct layer {
  BOOST_HANA_DEFINE_STRUCT(layer, (tensor<f32, 2>, w), (tensor<i32>, b));
};
struct network {
  BOOST_HANA_DEFINE_STRUCT(network, (std::array<layer, 2>, layers), (float, rate));
};

// A .safetensors file of one byte in each element.
void write(const char* path, const std::string& entries, const std::string& data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += char(entries.size() >> 8 * i & 0xFF);
  bytes += entries + data;
  std::FILE* const file = std::fopen(path, "wb");
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
}
std::string entry(const char* name, const char* type, const char* shape, int from, int to) {
  return std::string("\"") + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
         std::to_string(from) + "," + std::to_string(to) + "]}";
}
constexpr const char* path = "tests_weights.safetensors";

std::string message_for(const std::string& entries) {
  write(path, "{" + entries + "}", std::string(32, '\1'));
  network net{};
  net.layers[0].b = 5;
  std::string message;
  try {
    load_weights(path, net);
  } catch (const error& problem) {
    message = problem.what();
  }
  CHECK((message.empty() || net.layers[0].b() == 5));
  std::remove(path);
  return message;
}

}  // namespace

TEST_CASE("members are read by their paths, all or none") {
  const std::string w0 = entry("layers.0.w", "F32", "[2]", 0, 8), b0 = entry("layers.0.b", "I32", "[]", 8, 12),
                    w1 = entry("layers/1/w", "F32", "[2]", 12, 20), b1 = entry("net.layers.1.b", "I32", "[]", 20, 24),
                    rate = entry("rate", "F32", "[]", 24, 28);
  const std::string file = "tests_weights.safetensors: ";
  CHECK(message_for(w1 + "," + b1 + "," + rate + "," + w0 + "," + b0) == "");
  CHECK(message_for(w1 + "," + b1 + "," + rate + "," + w0) ==
        file + "member layers.0.b, tensor<i32>, is not in the file");
  CHECK(message_for(w0 + "," + b0 + "," + w1 + "," + b1 + "," + rate + "," + entry("more", "I8", "[1]", 0, 1)) ==
        file + "nothing asks for more");
  CHECK(message_for(entry("layers.0.w", "F32", "[1,2]", 0, 8) + "," + b0 + "," + w1 + "," + b1 + "," + rate) ==
        file + "member layers.0.w is tensor<2xf32>, the file holds tensor<1x2xf32> as layers.0.w");
  CHECK(message_for(w0 + "," + entry("layers.0.b", "F32", "[]", 8, 12) + "," + w1 + "," + b1 + "," + rate) ==
        file + "member layers.0.b is tensor<i32>, the file holds tensor<f32> as layers.0.b");

  write(path, "{" + w1 + "," + b1 + "," + rate + "," + w0 + "," + b0 + "}",
        std::string(8, '\0') + "\7" + std::string(23, '\0'));
  network net{};
  net.rate = 1;
  load_weights(path, net);
  std::remove(path);
  CHECK(net.layers[0].b() == 7);
  CHECK(net.rate == 0);
}
