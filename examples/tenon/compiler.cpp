// SPDX-License-Identifier: Apache-2.0
#include "compiler.hpp"

#include "process.hpp"

#include <tenon/core/fail.hpp>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace {

namespace fs = std::filesystem;
using words = std::vector<std::string>;

struct known_target {
  std::string_view name, compiler;
  const char* flags;
  bool hosted;
};
constexpr known_target targets[] = {
    {"cortex-m4", "arm-none-eabi-g++", "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mthumb -mfloat-abi=hard", false},
    {"cortex-m7", "arm-none-eabi-g++", "-mcpu=cortex-m7 -mfpu=fpv5-d16 -mthumb -mfloat-abi=hard -mfp16-format=ieee",
     false},
    {"cortex-m33", "arm-none-eabi-g++", "-mcpu=cortex-m33 -mfpu=fpv5-sp-d16 -mthumb -mfloat-abi=hard", false},
    {"cortex-m55", "arm-none-eabi-g++", "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard", false},
    {"aarch64", "aarch64-linux-gnu-g++", "", true},
    {"riscv64", "riscv64-linux-gnu-g++", "", true}};

const known_target* target_of(const compiler_settings& how) {
  if (how.target.empty()) return nullptr;
  for (const known_target& each : targets)
    if (each.name == how.target) return &each;
  tenon::fail("--target ", how.target, ": unknown; known are ", names_of_targets());
}

words split(std::string_view text) {
  std::istringstream in{std::string(text)};
  words result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

words compiler_of(const compiler_settings& how) {
  const known_target* const target = target_of(how);
  if (!how.compiler.empty()) return split(how.compiler);
  if (target != nullptr) return {std::string(target->compiler)};
  const char* const usual = std::getenv("CXX");
  return usual != nullptr && *usual != '\0' ? split(usual) : words{"g++"};
}

void run(const words& all, const std::string& folder) {
  const process_end end = run_process(all, folder + "/said");
  if (!end.succeeded) throw std::runtime_error("the compiler failed: " + end.first_error + "\n" + end.command);
}

// Where the headers of tenon are: beside the installed program, or where it was built.
words include_folders(const compiler_settings& how) {
  words result = how.include_folders;
  std::error_code none;
  const fs::path self = fs::read_symlink("/proc/self/exe", none);
  if (!none) result.push_back((self.parent_path().parent_path() / "include").string());
  const std::string_view built = TENON_INCLUDE_FOLDERS;
  for (std::size_t first = 0; first < built.size();) {
    const std::size_t end = std::min(built.find('|', first), built.size());
    result.emplace_back(built.substr(first, end - first));
    first = end + 1;
  }
  return result;
}

// One folder for each library. A cross compiler must not see the rest of this machine's headers.
words include_flags(const compiler_settings& how, const std::string& folder) {
  constexpr struct {
    const char *probe, *name, *message;
  } libraries[] = {{"tenon/tenon.hpp", "tenon", "the headers of tenon"},
                   {"hwy/highway.h", "hwy", "Highway (libhwy-dev)"},
                   {"Eigen/Core", "Eigen", "Eigen (libeigen3-dev)"}};
  words folders = include_folders(how), result;
  for (const char* each : {"/usr/local/include", "/usr/include", "/usr/include/eigen3"}) folders.emplace_back(each);
  fs::create_directories(folder + "/include");
  for (const auto& library : libraries) {
    std::string found;
    for (const std::string& each : folders)
      if (found.empty() && fs::exists(fs::path(each) / library.probe)) found = each;
    if (found.empty()) tenon::fail(library.message, " were not found; --include says where they are");
    fs::create_directory_symlink(fs::absolute(fs::path(found) / library.name), folder + "/include/" + library.name);
  }
  return {"-isystem", folder + "/include"};
}

}  // namespace

std::string names_of_targets() {
  std::string text;
  for (const known_target& each : targets) text += (text.empty() ? "" : ", ") + std::string(each.name);
  return text;
}

bool is_hosted(const compiler_settings& how) {
  const known_target* const target = target_of(how);
  return target == nullptr || target->hosted;
}

void compile_object(const compiler_settings& how, const std::string& folder, const std::string& source,
                    const std::string& object) {
  const known_target* const target = target_of(how);
  words all = compiler_of(how);
  const auto add = [&](std::string_view flags) {
    for (const std::string& word : split(flags)) all.push_back(word);
  };
  add("-std=c++20 -w -DNDEBUG -fno-exceptions -fno-rtti -ffunction-sections -fdata-sections -fvisibility=hidden "
      "-fvisibility-inlines-hidden");
  if (is_hosted(how))
    add("-O3 -fPIC");
  else
    add("-Os -fno-threadsafe-statics -fno-use-cxa-atexit -fno-asynchronous-unwind-tables "
        "-fno-tree-loop-distribute-patterns "
        "-DEIGEN_NO_MALLOC -DEIGEN_NO_IO -DEIGEN_DONT_VECTORIZE");
  const bool is_clang = all.front().find("clang") != std::string::npos;
  if (is_clang) add("-fconstexpr-steps=1000000000 -fbracket-depth=2048");
  if (target != nullptr)
    add(target->flags);
  else if (how.march != "none")
    add("-march=" + how.march);
  bool has_lanes = false;
  for (const std::string& flag : how.flags) has_lanes = has_lanes || flag.find("HWY_COMPILE_ONLY_") != flag.npos;
  if (!has_lanes && is_hosted(how)) add("-DHWY_COMPILE_ONLY_STATIC -DHWY_DISABLE_PCLMUL_AES");
  for (const std::string& flag : how.flags) add(flag);
  for (const std::string& word : include_flags(how, folder)) all.push_back(word);
  for (const std::string& word : words{"-I", folder, "-c", source, "-o", object}) all.push_back(word);
  run(all, folder);
}

void link_shared(const compiler_settings& how, const std::string& folder, const std::string& object,
                 const std::string& library) {
  words all = compiler_of(how);
  for (const std::string& word : {std::string("-shared"), "-Wl,-soname," + fs::path(library).filename().string(),
                                  object, std::string("-o"), library})
    all.push_back(word);
  run(all, folder);
}

void make_archive(const compiler_settings& how, const std::string& folder, const std::string& object,
                  const std::string& library) {
  std::string archiver = "ar";
  const std::string compiler = compiler_of(how).front();
  if (const std::size_t at = compiler.rfind("-g++"); at != compiler.npos) archiver = compiler.substr(0, at) + "-ar";
  if (archiver.find('/') == archiver.npos && how.target.empty()) archiver = "ar";
  run({archiver, "rcs", library, object}, folder);
}
