# SPDX-License-Identifier: Apache-2.0
"""check_links.py FOLDER: every link of the pages in FOLDER that stays among them leads to a file, and to a place in it."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.places, self.links = set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.places.add(value)
            elif name in ("href", "src") and value:
                self.links.append((self.getpos()[0], value))


folder = Path(sys.argv[1])
pages = {path.resolve(): Page(path) for path in folder.rglob("*.html")}
links = dead = 0
for path, page in pages.items():
    for line, link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        links += 1
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.exists() or target.is_dir():
            problem = "there is no such file"
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
            problem = "there is no such place"
        else:
            continue
        dead += 1
        print(f"{path.relative_to(folder.resolve())}:{line}: {link}: {problem}", file=sys.stderr)
print(f"{len(pages)} pages, {links} links among them, {dead} dead")
sys.exit(dead > 0)
