// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <tenon/core/fail.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace {

std::string shown(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool is_plain = word.find_first_of(" '\"$&|;<>()*?\\") == word.npos;
    text += (text.empty() ? "" : " ") + (is_plain ? word : "'" + word + "'");
  }
  return text;
}

void read_lines(const std::string& path, process_end& to) {
  std::ifstream file(path);
  bool tells_of_error = false;
  for (std::string line; std::getline(file, line);) {
    if (line.find_first_not_of(" \r") == line.npos) continue;
    const bool tells = line.find("error: ") != line.npos || line.find("Error: ") != line.npos;
    if (to.first_error.empty() || (tells && !tells_of_error)) to.first_error = line;
    tells_of_error = tells_of_error || tells;
    to.last_line = line;
  }
}

}  // namespace

process_end run_process(const std::vector<std::string>& words, const std::string& said) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) tenon::fail("no process can be started for ", words.front());
  if (child == 0) {
    const int file = open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, STDERR_FILENO) < 0 || dup2(file, STDOUT_FILENO) < 0) _exit(126);
    setenv("LC_ALL", "C", 1);
    execvp(arguments[0], arguments.data());
    dprintf(STDERR_FILENO, "error: %s: %s\n", arguments[0], std::strerror(errno));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  process_end end;
  end.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  end.command = shown(words);
  read_lines(said, end);
  if (WIFSIGNALED(status)) {
    const std::string message = "it was ended by signal " + std::to_string(WTERMSIG(status));
    end.first_error = message + (end.first_error.empty() ? "" : ": " + end.first_error);
    end.last_line = message;
  }
  return end;
}

work_folder::work_folder(const std::string& path) {
  std::string name = path + ".XXXXXX";
  if (mkdtemp(name.data()) == nullptr) tenon::fail(path, ": the file cannot be written");
  path_ = std::filesystem::absolute(name).string();
}

work_folder::~work_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) tenon::fail(path, ": the file cannot be written");
}
