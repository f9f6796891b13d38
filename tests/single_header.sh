#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# single_header.sh COMPILER [FLAG...]
#
# The single header compiles and runs a program, without the headers that it is made of.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir "$folder/tenon"
bash cmake/single_header.sh >"$folder/tenon/tenon.hpp"
"$1" -std=c++20 -O0 -I "$folder" "${@:2}" examples/quickstart.cpp -o "$folder/quickstart"
"$folder/quickstart" | diff - examples/quickstart.expected
(! grep '#include <tenon/' "$folder/tenon/tenon.hpp")
echo "$(wc -l <"$folder/tenon/tenon.hpp") lines in one header"
