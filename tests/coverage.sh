#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/coverage.sh [FOLDER]
#
# Compares the tables ops.tsv and constraints.tsv of the specification in FOLDER (../shared/spec if none is given) with the
# sources: every op has a header and a place in the list of ops, every operand a rule about its kind, every constraint a
# rule, and every rule a test that breaks it and compares the label. Without the tables only the last is checked. Every op
# says something about its gradient: a rule, no_gradient or refused.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$top/../shared/spec}
cd "$top" || exit 1

# Constraints without a rule of their own: why they cannot be broken by themselves, or which rule finds them broken.
declare -A without_rule=(
  [quantized_element_c1]="text writes storage_min as a number, whose type is storage_type; quantized_element_c3 has its range"
  [quantized_element_c2]="text writes storage_max as a number, whose type is storage_type; quantized_element_c3 has its range"
  [quantized_element_c4]="text writes scales as numbers, whose type is expressed_type; quantized_element_c6 has their range"
  [quantized_element_c8]="text writes zero points as numbers, whose type is storage_type; quantized_element_c7 has their range"
  [quantized_element_c9]="text writes each zero point behind its scale, and one that is not written is 0"
  [complex_constant_c2]="the parts are constants of their own: float_constant_c1, float_constant_c2"
  [quantized_tensor_constant_c1]="text writes a tensor of the storage type: tensor_constant_c1, integer_constant_c1"
  [quantized_tensor_constant_c2]="text writes a tensor of the storage type: tensor_constant_c2"
)

gaps=0
complain() {
  echo "$1"
  gaps=$((gaps + 1))
}

# All of a file on one line, so that no line break parts what belongs together.
flat() { find "$@" -print0 | xargs -0 cat | tr -s '[:space:]' ' '; }
words() { grep -oE '"[a-z0-9_]+"' | tr -d '"'; }

ops=$(flat include/tenon/ops -name '*.hpp')
rules=$({
  flat include/tenon -name '*.hpp' | grep -oE '"[a-z][a-z0-9_]*_[cio][0-9]+"' | words
  grep -oE '\brule(\.result(_shape|_element)?)?\( ?"[a-z0-9_]+"' <<<"$ops" | words
  # The rules that several ops share: rule_labels::of<ops::x>() gives constraint(3) of x, input(1) of x ...
  numbers=$(grep -oE '\b(constraint|input)\([0-9]+\)' <<<"$ops" | sort -u | tr '()' '  ')
  for op in $(grep -oE 'rule_labels::of<[a-z_:]+>\(\)' <<<"$ops" | sed -E 's/.*<(ops::)?(.*)>.*/\2/'); do
    while read -r kind number; do echo "${op}_${kind:0:1}$number"; done <<<"$numbers"
  done
} | sort -u)
broken=$(flat tests -name '*.cpp' | grep -oE '== ?"[a-z0-9_]+"' | words | sort -u)

# Calls and composites stand for their bodies.
said=$({
  echo call composite | tr ' ' '\n'
  flat include/tenon/gradients -name '*.hpp' |
    grep -oE '\b((partial|transposed|is_bilinear|pullback|pushforward|decomposed|no_gradient|refused)\( ?const [^)]*|same_as<Op, ops::[a-z0-9_]+)' |
    grep -oE 'ops::[a-z0-9_]+' | sed 's/^ops:://'
} | sort -u)
while read -r op; do
  complain "$op: says nothing about its gradient"
done < <(comm -23 <(flat include/tenon/ops/list.hpp | grep -oE '\bstruct [a-z0-9_]+[,>]' | tr -d ',>' | cut -d' ' -f2 | sort -u) \
  <(echo "$said"))

if [ -f "$folder/ops.tsv" ] && [ -f "$folder/constraints.tsv" ]; then
  list=$(cat include/tenon/ops/list.hpp)
  constraints=$(awk -F'\t' 'NR > 1 {
    section = $1
    if (sub(/^constant:/, "", section)) section = section "_constant"
    sub(/^type:/, "", section)
    print section "_" tolower($2)
  }' "$folder/constraints.tsv" | sort -u)

  count=0
  while IFS=$'\t' read -r op inputs _; do
    count=$((count + 1))
    headers=(include/tenon/ops/*/"$op".hpp)
    [ -f "${headers[0]}" ] || complain "$op: no header include/tenon/ops/*/$op.hpp"
    grep -qE "\bstruct ${op}_?[,;>]" <<<"$list" || complain "$op: not in include/tenon/ops/list.hpp"
    number=0
    while IFS=: read -r input kind type; do
      number=$((number + 1))
      if [ "$kind" != value ] || [[ $type == *"any value" ]]; then continue; fi
      grep -qx "${op}_i$number" <<<"$rules" || complain "${op}_i$number: no rule says what ${input# } may be"
    done < <(tr ';' '\n' <<<"$inputs")
  done < <(tail -n +2 "$folder/ops.tsv")

  while read -r label; do
    if [ -z "${without_rule[$label]+listed}" ]; then complain "$label: no rule"; fi
  done < <(comm -23 <(echo "$constraints") <(echo "$rules"))
  # A label with a number that the specification does not have would pass for one of its constraints.
  while read -r label; do
    if grep -qP "^${label%_c*}\t" "$folder/ops.tsv"; then complain "$label: the specification has no such constraint"; fi
  done < <(comm -13 <(echo "$constraints") <(grep -E '_c[0-9]+$' <<<"$rules"))
  echo "$count ops, $(wc -l <<<"$constraints") constraints, ${#without_rule[@]} of them without a rule of their own"
else
  echo "skipped: the tables of the specification are not there ($folder), only the tests of the rules are looked for"
fi

while read -r label; do
  complain "$label: no test breaks this rule"
done < <(comm -23 <(echo "$rules") <(echo "$broken"))
echo "$(wc -l <<<"$rules") rules, $gaps gaps"
[ $gaps -eq 0 ]
