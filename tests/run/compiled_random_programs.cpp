// SPDX-License-Identifier: Apache-2.0
//
// Random programs of a new seed in each run, compiled for the lanes of this machine, give what they give when they are
// read, bit for bit. TENON_SEED repeats a run, or the one program of TENON_RANDOM_PROGRAMS=1 and TENON_TYPE;
// TENON_COMPILE is the command that compiles a library.
#include <run/random_kernels.hpp>
#include <run/random_program.hpp>
#include <run/random_runs.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#if __has_include(<dlfcn.h>)
#include <dlfcn.h>

namespace tenon::test {

namespace {

using run_function = void(const void* const*, void* const*);

unsigned from_environment(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : unsigned(std::strtoul(text, nullptr, 10));
}

random_program program_of(unsigned seed) {
  return random_program(seed, seed % 4 == 0 ? random_program::sort::sparse : random_program::sort::small);
}

// The element type of a run beside f32, which two of three programs have: TENON_TYPE, else one that the seed picks.
dtype type_of_run(unsigned seed) {
  constexpr dtype others[] = {dtype::f64, dtype::bf16, dtype::f16, dtype::i64, dtype::i16, dtype::i8};
  const char* const wanted = std::getenv("TENON_TYPE");
  return wanted != nullptr ? dtype_named(wanted) : others[seed % std::size(others)];
}

dtype type_of(unsigned each, dtype other) {
  return std::getenv("TENON_TYPE") != nullptr || each % 3 == 0 ? other : dtype::f32;
}

void write_programs(const std::string& file, unsigned seed, unsigned count, dtype other) {
  std::ofstream out(file);
  out << "#include <run/random_kernels.hpp>\n#include <tenon/run/program.hpp>\n";
  for (unsigned each = seed; each < seed + count; ++each)
    out << "struct seed_" << each << " {\n  static constexpr std::string_view text = R\"(\n"
        << program_of(each).text(random_program::results::some, type_of(each, other))
        << ")\";\n};\nextern \"C\" void run_seed_" << each
        << "(const void* const* from, void* const* to) {\n  tenon::program<seed_" << each
        << ">::code::run(from, to);\n}\n";
  out << "extern \"C\" tenon::core::kernel find_kernel(const tenon::planning::kernel_key& key) {\n  return "
         "tenon::test::find_random_kernel<tenon::dtype::"
      << name(other) << ">(key);\n}\n";
}

TEST_CASE("compiled programs of a new seed give what they give when they are read") {
  const char* const compile = std::getenv("TENON_COMPILE");
  if (compile == nullptr) {
    MESSAGE("skipped: TENON_COMPILE says how to compile a library");
    return;
  }
  const unsigned count = from_environment("TENON_RANDOM_PROGRAMS", 24),
                 seed = from_environment("TENON_SEED", std::random_device()() % 1000000000);
  const dtype other = type_of_run(seed);
  const std::string folder = std::filesystem::temp_directory_path() / ("tenon_seed_" + std::to_string(seed)),
                    source = folder + "/programs.cpp", library = folder + "/programs.so", log = folder + "/log";
  INFO("TENON_SEED=", seed, " TENON_RANDOM_PROGRAMS=", count);
  std::filesystem::create_directories(folder);
  write_programs(source, seed, count, other);
  INFO("TENON_TYPE=", name(other));
  const std::string command = compile + (" -shared -fPIC " + source) + " -o " + library + " >" + log + " 2>&1";
  if (std::system(command.c_str()) != 0) {
    std::ifstream words(log);
    FAIL(command, "\n", std::string(std::istreambuf_iterator<char>(words), {}).substr(0, 20000));
  }
  void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(opened != nullptr, dlerror());
  const auto find_other = reinterpret_cast<kernel_finder>(dlsym(opened, "find_kernel"));
  REQUIRE(bool(find_other != nullptr));
  for (unsigned each = seed; each < seed + count; ++each) {
    const random_program source_of = program_of(each);
    const dtype element = type_of(each, other);
    const std::string text = source_of.text(random_program::results::some, element);
    INFO("TENON_SEED=", each, " TENON_RANDOM_PROGRAMS=1 TENON_TYPE=", name(element), "\n", text);
    auto* const run = reinterpret_cast<run_function*>(dlsym(opened, ("run_seed_" + std::to_string(each)).c_str()));
    REQUIRE(bool(run != nullptr));
    const kernel_finder find = element == dtype::f32 ? &find_random_kernel<dtype::f32> : find_other;
    shared_program read(text, find), apart(source_of.text(random_program::results::apart, element), find);
    REQUIRE_MESSAGE(!read.error(), read.error().label, " ", read.error().sentence);
    REQUIRE_MESSAGE(!apart.error(), apart.error().label, " ", apart.error().sentence);
    for (const numbers wanted : {numbers::halves, numbers::any}) {
      CAPTURE(int(wanted));
      const auto compiled = results_of(read, wanted, run), expected = results_of(read, wanted),
                 single = results_of(apart, wanted);
      std::size_t at = 0;
      for (std::size_t v = 0; v < single.size(); ++v) {
        if (!source_of.hands_over(random_program::results::some, source_of.arguments() + v)) continue;
        CAPTURE(v);
        CHECK(same_bits(compiled[at], expected[at]));
        if (!multiplies_moved_vectors(read)) CHECK(same_bits(expected[at], single[v]));
        ++at;
      }
      CHECK(at == compiled.size());
    }
  }
  dlclose(opened);
  std::filesystem::remove_all(folder);
}

}  // namespace

}  // namespace tenon::test

#endif
