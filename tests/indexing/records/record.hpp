// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing.hpp>

#include <string>
#include <utility>
#include <vector>

// Records: `key: value` lines, or `key:` and lines indented by two spaces, parted by lines `---`.
namespace records {

using map = tenon::indexing::basic_indexing_map<512, 32, 32, 48>;
using names = tenon::indexing::variable_names<map>;

struct record {
  std::vector<std::pair<std::string, std::string>> fields;

  bool has(const std::string& key) const;
  // The value of the first such field, or an empty text.
  std::string operator[](const std::string& key) const;
};

std::vector<record> read_records(const std::string& path);

std::string trimmed(const std::string& text);
std::vector<std::string> split(const std::string& text, const std::string& separator);
std::vector<std::string> lines_of(const std::string& text);
std::vector<std::int64_t> integers_in(const std::string& text);
bool starts_with(const std::string& text, const std::string& prefix);
std::string without_spaces(const std::string& text);

// What running a record came to. A record that asks for something this program does not know is unsupported.
enum class status { pass, fail, unsupported };

struct outcome {
  status state = status::pass;
  std::string detail;
};

outcome failure(const std::string& detail);
outcome unsupported(const std::string& detail);

outcome run_map_operation(const record& given);
outcome run_analysis(const record& given);

}  // namespace records
