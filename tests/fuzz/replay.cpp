// SPDX-License-Identifier: Apache-2.0
//
// replay SECONDS FOLDER...: takes the programs of the folders, and mutations of them that are the same every time,
// through what the fuzzer does, for about so long. For compilers without libFuzzer.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fuzz/exercise.hpp>
#include <fuzz/mutate.hpp>

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: replay SECONDS FOLDER...\n");
    return 2;
  }
  std::vector<std::filesystem::path> paths;
  for (int i = 2; i < count; ++i)
    if (std::filesystem::is_directory(arguments[i]))
      for (const auto& entry : std::filesystem::directory_iterator(arguments[i]))
        if (entry.file_size() < 16384) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  if (paths.empty()) {
    std::fprintf(stderr, "there are no programs\n");
    return 1;
  }
  std::vector<std::string> programs;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    programs.emplace_back((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  }
  using clock = std::chrono::steady_clock;
  const auto last = clock::now() + std::chrono::duration<double>(std::atof(arguments[1]));
  fuzz::dice random(1);
  std::size_t done = 0;
  for (; clock::now() < last; ++done) {
    const std::string& text = programs[done < programs.size() ? done : random.throw_one(programs.size())];
    if (done < programs.size())
      fuzz::exercise(text);
    else
      fuzz::exercise(fuzz::mutated(text, programs[random.throw_one(programs.size())], random));
  }
  std::printf("%zu programs, of which %zu as they stand\n", done, std::min(done, programs.size()));
  return 0;
}
