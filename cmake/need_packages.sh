#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# need_packages.sh PACKAGE...: says which of the Debian packages are missing, and installs them, as root or through sudo.
# Without either it prints the line to run and fails. Where there is no dpkg, the packages are taken to be there under
# other names.
set -euo pipefail

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  exit 0
fi

missing=()
for package in "$@"; do
  if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" != installed ]; then
    missing+=("$package")
  fi
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    as_root=(sudo)
  else
    echo "Packages are missing. Run this as root, then start again:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
fi

echo "Installing with apt-get: ${missing[*]}"
started=$SECONDS
# Another apt may be at work. It is waited for where packages are installed; lists that it keeps from being renewed are as
# new as can be.
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=1800 "$@" 2>&1; }
updated=$(apt update) || true
if ! installed=$(apt install --no-install-recommends "${missing[@]}"); then
  printf '%s\n' "$updated" "$installed" >&2
  exit 1
fi
echo "Installed in $((SECONDS - started)) s"
