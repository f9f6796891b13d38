// SPDX-License-Identifier: Apache-2.0
//
// Runs records of indexing maps, one line each: name, pass or fail or unsupported, detail.
#include "record.hpp"

#include <algorithm>
#include <iostream>

int main(int count, char** arguments) {
  int totals[3] = {};
  for (int i = 1; i < count; ++i)
    for (const records::record& one : records::read_records(arguments[i])) {
      const records::outcome outcome = one.has("hlo") ? records::run_analysis(one) : records::run_map_operation(one);
      std::string detail = outcome.detail;
      std::replace(detail.begin(), detail.end(), '\n', ' ');
      std::replace(detail.begin(), detail.end(), '\t', ' ');
      const char* const words[] = {"pass", "fail", "unsupported"};
      std::cout << one["name"] << '\t' << words[static_cast<int>(outcome.state)] << '\t' << detail << '\n';
      ++totals[static_cast<int>(outcome.state)];
    }
  std::cout << totals[0] << " passed, " << totals[1] << " failed, " << totals[2] << " unsupported\n";
  return totals[1] == 0 ? 0 : 1;
}
