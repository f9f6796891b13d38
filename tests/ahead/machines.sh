#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# machines.sh PLANNED_FOLDER TEXT_FOLDER INCLUDE: for other machines, too, programs that were planned ahead have the memory
# and the steps of those that their compiler plans. Needs one of the cross compilers.
set -eu
planned=$1 text=$2 include=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for library in /usr/include/hwy /usr/include/eigen3/Eigen; do ln -s "$library" "$folder/${library##*/}"; done
for name in regions integers; do
  mkdir -p "$folder/text" "$folder/planned"
  cp "$text/$name.mlir.inc" "$folder/text/"
  cp "$planned/$name.mlir.inc" "$folder/planned/"
done
cat >"$folder/main.cpp" <<'END'
#include <tenon/programs.hpp>
struct regions {
  static constexpr std::string_view text =
#include "text/regions.mlir.inc"
      ;
};
struct planned_regions {
  static constexpr std::string_view text =
#include "planned/regions.mlir.inc"
      ;
};
struct integers {
  static constexpr std::string_view text =
#include "text/integers.mlir.inc"
      ;
};
struct planned_integers {
  static constexpr std::string_view text =
#include "planned/integers.mlir.inc"
      ;
};
template <class Text, class Planned>
constexpr bool are_alike() {
  constexpr auto a = tenon::program<Text>::code::plan(), b = tenon::program<Planned>::code::plan();
  static_assert(a.arena_bytes == b.arena_bytes && a.constant_bytes == b.constant_bytes && a.steps.size == b.steps.size);
  for (int s = 0; s < a.steps.size; ++s)
    if (a.steps[s].scratch_bytes != b.steps[s].scratch_bytes || a.steps[s].range_bytes != b.steps[s].range_bytes ||
        a.steps[s].scratch.offset != b.steps[s].scratch.offset || a.steps[s].first_block != b.steps[s].first_block)
      return false;
  for (int v = 0; v < a.places.size; ++v)
    if (a.places[v].base != b.places[v].base || a.places[v].offset != b.places[v].offset) return false;
  return true;
}
static_assert(are_alike<regions, planned_regions>());
static_assert(are_alike<integers, planned_integers>());
END
checked=0
while read -r compiler flags; do
  command -v "$compiler" >/dev/null || continue
  # shellcheck disable=SC2086
  "$compiler" $flags -std=c++20 -fsyntax-only -DEIGEN_NO_MALLOC -isystem "$folder" -I "$include" "$folder/main.cpp"
  checked=$((checked + 1))
done <<'END'
arm-none-eabi-g++ -mcpu=cortex-m4 -mthumb -mfloat-abi=hard
aarch64-linux-gnu-g++ -O0
END
[ $checked -gt 0 ] || echo "skipped: no cross compiler"
