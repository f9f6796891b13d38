#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# errors.sh PLANNER COMPILE...: a wrong text is refused where it is wrong, with nothing written; what was planned for
# another tenon or another machine does not compile and says so; <tenon/planned_programs.hpp> includes what it promises.
set -u
planner=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
expect() {  # NAME TEXT FILE
  if ! grep -qF -- "$2" "$3"; then
    echo "$1: no '$2' in:"
    head -20 "$3"
    failures=$((failures + 1))
  fi
}
refuses() {  # NAME MESSAGE
  if "$planner" model.mlir model.mlir.inc 2>message; then
    echo "$1: was not refused"
    failures=$((failures + 1))
  fi
  expect "$1" "$2" message
  if [ -n "$(ls | grep -vE '^(message|model.mlir)$')" ]; then
    echo "$1: something was written"
    failures=$((failures + 1))
    rm -f model.mlir.inc*
  fi
}

cat >model.mlir <<'END'
func.func @main(%x: tensor<4xf32>, %y: tensor<3xf32>) -> tensor<4xf32> {
  %z = stablehlo.add %x, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
END
refuses types "model.mlir:2:8: error: add_c1: type(lhs) = type(rhs) = type(result)"
expect "line of the text" "  %z = stablehlo.add %x, %y" message
printf 'func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %%y : tensor<4xf32>\n}\n' >model.mlir
refuses name "model.mlir:2:10: error: name:"
printf 'func.func @main(%%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %%x : tensor<?xf32>\n}\n' >model.mlir
refuses "open sizes" "sizes are open"
printf 'module {\n}\n' >model.mlir
refuses "no function" "the program has no function to run"
printf 'func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n  %%y = call @main(%%x) : (tensor<4xf32>) -> tensor<4xf32>\n  return %%y : tensor<4xf32>\n}\n' >model.mlir
refuses recursion "recursive"
rm model.mlir
refuses "no file" "it cannot be read"

cat >model.mlir <<'END'
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
END
"$planner" model.mlir model.mlir.inc || failures=$((failures + 1))
if "$planner" model.mlir no/model.mlir.inc 2>message; then failures=$((failures + 1)); fi
expect "no folder" "it cannot be written" message
cat >main.cpp <<'END'
#include <tenon/planned_programs.hpp>
struct model {
  static constexpr std::string_view text =
#include "model.mlir.inc"
      ;
};
tenon::tensor<float, 4> twice(const tenon::tensor<float, 4>& x) { return tenon::program<model>{}(x); }
END
"$@" -I . -MD -MF files main.cpp || failures=$((failures + 1))
if [ ! -s files ] || grep -nE 'tenon/(text|graph/passes|quantized)/|graph/plan/(planner|fuse)' files; then
  failures=$((failures + 1))
fi
# With the header of texts, too, and beside it.
sed 's/planned_programs/programs/' main.cpp >other.cpp
"$@" -I . other.cpp || failures=$((failures + 1))
# The preprocessor alone says so.
if "$@" -I . -E -U__SIZEOF_POINTER__ -D__SIZEOF_POINTER__=2 main.cpp 2>message >/dev/null; then failures=$((failures + 1)); fi
expect "another machine" "the program was planned for machines with pointers of 32 or 64 bits" message
sed -i 's/stamp_of_tables() == [0-9]*/stamp_of_tables() == 1/' model.mlir.inc
if "$@" -I . main.cpp 2>message; then failures=$((failures + 1)); fi
expect "another version" "the program was planned by another version of tenon: plan it again" message
printf '"a text"' >model.mlir.inc
if "$@" -I . main.cpp 2>message; then failures=$((failures + 1)); fi
expect "no plan" "tenon_add_program(target AHEAD model.mlir)" message
[ $failures -eq 0 ]
