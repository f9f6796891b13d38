#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# docs/site/build.sh [FOLDER]
#
# Makes the site of the documentation in FOLDER/html, build/site/html if none is named: README.md, docs/*.md, and the
# reference, which is written from the headers. Needs no server to be read. On Debian 12 it installs what it needs. Fails
# where a function has no comment or no example, where a link leads nowhere, and, if there is a Chromium, where the search
# does not find matmul.
set -euo pipefail
cd "$(dirname "$0")/../.."
bash cmake/need_packages.sh python3-sphinx furo python3-myst-parser

folder=${1:-build/site}
pages=$folder/pages
rm -rf "$pages" "$folder/html"
mkdir -p "$pages/_static" "$pages/extra/demo"

cp docs/*.md docs/*.svg "$pages"
cp -r docs/pictures docs/decisions "$pages"
printf '\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n' >>"$pages/decisions/README.md"
cp docs/demo/index.html "$pages/extra/demo"
cp docs/site/conf.py "$pages"
cp docs/site/tenon.css "$pages/_static"
# The front page is README.md, seen from the folder of the pages, with the table of contents.
sed -E 's/\]\(docs\//](/g' README.md | cat - docs/site/contents.md >"$pages/index.md"
# Blocks that tests look for are ordinary text; the demo is no page of Sphinx; sources are not part of the site.
sed -E -i 's/^( *)```output$/\1```text/; s/\[([^]]*)\]\((demo\/index\.html)\)/<a href="\2">\1<\/a>/g; s/\[([^]]*)\]\(\.\.\/[^)]*\)/\1/g' \
  "$pages"/*.md

python3 docs/site/reference.py "$pages"
sphinx-build -q -W --keep-going -b html -d "$folder/doctrees" "$pages" "$folder/html"
python3 docs/site/check_links.py "$folder/html"

browser=$(command -v chromium-headless-shell || command -v chromium || true)
if [ -n "$browser" ]; then
  found=$("$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=10000 --dump-dom \
    "file://$(realpath "$folder")/html/search.html?q=matmul" 2>/dev/null | grep -c 'reference/arrays.html#matmul' || true)
  if [ "$found" = 0 ]; then
    echo "the search does not find matmul" >&2
    exit 1
  fi
  echo "the search finds matmul"
fi
echo "$folder/html/index.html"
