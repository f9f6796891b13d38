#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# bench/planned_ahead.sh [--write] FOLDER...
#
# What compiling a program costs by g++ -O3 -march=native: from its text, with precompiled headers, and with these and
# planned ahead; in processor seconds and megabytes, the least of TIMES runs (2), and seconds of the front end alone.
# Each folder holds a model.mlir and is called like the program. --write writes the table in docs/headers.md.
set -euo pipefail
cd "$(dirname "$0")/.."
write=0
if [ "${1:-}" = --write ]; then write=1; shift; fi
folder=build/planned_ahead
mkdir -p $folder/headers
flags=(-std=c++20 -O3 -march=native -Wno-psabi -I include -I $folder/headers -isystem /usr/include/eigen3)

cost() {  # COMPILE...: seconds and megabytes
  local best="" now
  for ((i = 0; i < ${TIMES:-2}; ++i)); do
    /usr/bin/time -o $folder/time -f '%U %S %M' "$@"
    now=$(awk '{ printf "%.2f %.0f", $1 + $2, $3 / 1024 }' $folder/time)
    best=$(printf '%s\n%s\n' "$best" "$now" | grep . | sort -n | head -n 1)
  done
  echo "$best"
}

planner=$folder/tenon-plan
built=$(TIMES=1 cost g++ -std=c++20 -O0 -ffp-contract=off -DHWY_COMPILE_ONLY_SCALAR -I include examples/tenon/planner/plan.cpp \
  examples/tenon/planner/print.cpp -o $planner)
for header in tenon planned_programs; do
  echo "#include <tenon/$header.hpp>" >$folder/headers/only_$header.hpp
  cp $folder/headers/only_$header.hpp $folder/headers/pre_$header.hpp
  TIMES=1 cost g++ "${flags[@]}" -x c++-header $folder/headers/pre_$header.hpp -o $folder/headers/pre_$header.hpp.gch >/dev/null
done
cat >$folder/main.cpp <<'END'
#include HEADER
#include <tuple>
struct model {
  static constexpr std::string_view text =
#include MODEL
      ;
};
using net = tenon::program<model>;
template <int... I, int... R>
void run(std::integer_sequence<int, I...>, std::integer_sequence<int, R...>) {
  static std::tuple<net::argument<I>...> arguments;
  static std::tuple<net::result<R>...> results;
  net{}.into(std::get<R>(results)...)(std::get<I>(arguments)...);
}
int main() {
  run(std::make_integer_sequence<int, net::code::argument_count>{},
      std::make_integer_sequence<int, net::code::result_count>{});
}
END

{
  echo "| program | text, s | MB | precompiled, s | MB | and planned ahead, s | MB | planned alone, s | front end of each, s |"
  echo "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
  for each in "$@"; do
    name=$(basename "$each")
    cmake -D INPUT="$each/model.mlir" -D OUTPUT=$folder/$name.text -P cmake/tenon_add_program.cmake
    $planner "$each/model.mlir" $folder/$name.plan
    row="| $name" ends=""
    for how in only_tenon.text pre_tenon.text pre_planned_programs.plan only_planned_programs.plan; do
      compile=(g++ "${flags[@]}" -D HEADER="\"${how%.*}.hpp\"" -D MODEL="\"$PWD/$folder/$name.${how#*.}\"" $folder/main.cpp)
      read -r seconds megabytes < <(cost "${compile[@]}" -c -o $folder/main.o)
      row+=" | $seconds"
      if [ $how != only_planned_programs.plan ]; then row+=" | $megabytes"; fi
      read -r seconds megabytes < <(cost "${compile[@]}" -fsyntax-only)
      ends+=", $seconds"
    done
    echo "$row | ${ends#, } |"
  done
} | tee $folder/table >&2
awk -F'|' 'NR > 2 { print $3, $5, $7, $9 }' $folder/table >$folder/seconds
median() { cut -d' ' -f"$1" $folder/numbers | sort -n | awk '{ a[NR] = $1 } END { print (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2 }'; }
awk '{ print $1 + 0, $2 + 0, $3 + 0, $4 + 0 }' $folder/seconds >$folder/numbers
if [ $write -eq 1 ]; then
  begin='<!-- bench/planned_ahead.sh --write' end='<!-- end -->'
  {
    sed "/^$begin/q" docs/headers.md
    echo
    echo "Measured on $(date -u +%F) on one core of $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), which other work shared ($(g++ --version | head -n 1)). Medians: text $(median 1) s, precompiled $(median 2), and planned ahead $(median 3), planned ahead without precompiled headers $(median 4). The planner is built in ${built% *} s."
    echo
    cat $folder/table
    echo
    sed -n "/^$end/,\$p" docs/headers.md
  } >$folder/page
  cp $folder/page docs/headers.md
fi
