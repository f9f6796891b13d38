// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// How another program ended.
struct process_end {
  bool succeeded = false;
  // Of what it said: the first line that tells of an error, else the first one; the last line.
  std::string first_error, last_line;
  std::string command;  // as a shell reads it
};

// Runs a program, found by PATH; what it says goes to a file.
process_end run_process(const std::vector<std::string>& words, const std::string& said);

// A folder that nobody else has, removed with all that is in it.
class work_folder {
 public:
  // The name begins with this path.
  explicit work_folder(const std::string& path);
  work_folder(const work_folder&) = delete;
  work_folder& operator=(const work_folder&) = delete;
  ~work_folder();
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void write_file(const std::string& path, std::string_view text);
