// SPDX-License-Identifier: Apache-2.0
#include "record.hpp"

#include <cstdlib>
#include <fstream>

namespace records {

bool record::has(const std::string& key) const {
  for (const auto& field : fields)
    if (field.first == key) return true;
  return false;
}

std::string record::operator[](const std::string& key) const {
  for (const auto& field : fields)
    if (field.first == key) return field.second;
  return {};
}

std::vector<record> read_records(const std::string& path) {
  std::vector<record> records(1);
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    auto& fields = records.back().fields;
    if (line == "---") {
      records.emplace_back();
    } else if (starts_with(line, "  ") && !fields.empty()) {
      std::string& value = fields.back().second;
      if (!value.empty()) value += '\n';
      value += line.substr(2);
    } else if (const std::size_t colon = line.find(':'); colon != std::string::npos) {
      fields.emplace_back(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    }
  }
  std::vector<record> filled;
  for (record& one : records)
    if (!one.fields.empty()) filled.push_back(std::move(one));
  return filled;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    const std::string part = trimmed(text.substr(begin, end == std::string::npos ? end : end - begin));
    if (!part.empty()) parts.push_back(part);
    if (end == std::string::npos) return parts;
    begin = end + separator.size();
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::vector<std::int64_t> integers_in(const std::string& text) {
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < text.size();) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    const bool negative = text[i] == '-' && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9';
    if (!digit && !negative) {
      ++i;
      continue;
    }
    char* end = nullptr;
    values.push_back(std::strtoll(text.c_str() + i, &end, 10));
    i = static_cast<std::size_t>(end - text.c_str());
  }
  return values;
}

bool starts_with(const std::string& text, const std::string& prefix) { return text.rfind(prefix, 0) == 0; }

std::string without_spaces(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c != ' ' && c != '\n' && c != '\t') result += c;
  return result;
}

outcome failure(const std::string& detail) { return {status::fail, detail}; }
outcome unsupported(const std::string& detail) { return {status::unsupported, detail}; }

}  // namespace records
