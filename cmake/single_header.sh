#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# single_header.sh [HEADER] > tenon.hpp
#
# One file in place of <tenon/HEADER>, by default tenon.hpp, with all that it includes of tenon: for a page that compiles,
# or a project that keeps one file. Highway, and whatever else is not tenon's, is included as before.
set -euo pipefail
cd "$(dirname "$0")/../include"

awk -v first="tenon/${1:-tenon.hpp}" '
  function add(file,   line, text) {
    if (file in seen) return
    seen[file] = 1
    while ((getline line < file) > 0) {
      if (line ~ /^#pragma once/ || (line ~ /SPDX-License-Identifier/ && file != first)) continue
      if (match(line, /^#include <tenon\/[^>]*>/)) {
        add(substr(line, 11, RLENGTH - 11))
      } else {
        print line
      }
    }
    close(file)
  }
  BEGIN {
    print "// Made of the headers of tenon by cmake/single_header.sh."
    print "#pragma once"
    add(first)
  }'
