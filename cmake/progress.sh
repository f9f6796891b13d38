#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# To be sourced: says how far a script has come. On a terminal one line that changes every second, elsewhere a line a
# minute.

# progress LABEL: reads what ninja or ctest prints.
progress() {
  local line at=starting began=$SECONDS shown=$SECONDS status
  while true; do
    status=0
    IFS= read -r -t 1 line || status=$?
    if [ $status -gt 0 ] && [ $status -le 128 ]; then break; fi
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]]; then
      at="${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}: ${BASH_REMATCH[3]##* }"
    elif [[ $line =~ ^\ *([0-9]+)/([0-9]+)\ Test\ +#[0-9]+:\ ([^ ]+) ]]; then
      at="${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}: ${BASH_REMATCH[3]}"
    fi
    if [ -t 1 ]; then
      line="$1, $((SECONDS - began)) s, $at"
      printf '\r\033[K%s' "${line::$((${COLUMNS:-$(tput cols 2>/dev/null || echo 80)} - 1))}"
    elif [ $((SECONDS - shown)) -ge 60 ]; then
      echo "$1, $((SECONDS - began)) s, $at"
      shown=$SECONDS
    fi
  done
  if [ -t 1 ]; then printf '\r\033[K'; fi
}
