#!/usr/bin/env python3
"""Checks a site's pages: what they link to is there, and nothing is loaded from another host.
check_links.py FOLDER"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes by which a browser loads something by itself; of <link>, only these relations are loaded.
LOADED = {"src", "srcset", "poster", "data"}
LOADED_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "dns-prefetch", "manifest", "prefetch"}
OUTSIDE_IN_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")\s]+)")


class Page(HTMLParser):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = {""}
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        loads = LOADED | ({"href"} if LOADED_LINKS & set(given.get("rel", "").split()) and tag == "link" else set())
        for name, value in given.items():
            if name in loads:
                self.loaded.append(value)
            elif name == "href" and tag in ("a", "area"):
                self.links.append(value)


def target_of(page: Path, link: str) -> tuple[Path, str]:
    parts = urlsplit(link)
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page.resolve()
    return (path / "index.html" if path.is_dir() else path), unquote(parts.fragment)


def faults_of(root: Path) -> list[str]:
    pages = {path.resolve(): Page(path) for path in root.rglob("*.html")}
    faults = []
    for path, page in pages.items():
        name = path.relative_to(root.resolve())
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme in ("data", "blob", "mailto", "javascript", "about"):
                continue
            if parts.scheme or parts.netloc:
                if link in page.loaded:
                    faults.append(f"{name} loads {link[:100]}")
                continue
            target, anchor = target_of(path, link)
            if name.name == "404.html" and link.startswith("/"):
                continue
            if not target.exists():
                faults.append(f"{name} leads to {link[:100]}, which is not there")
            elif target in pages and anchor not in pages[target].anchors and not anchor.startswith("__"):
                faults.append(f"{name} leads to {link[:100]}, where nothing has that name")
    for path in root.rglob("*.css"):
        faults += [f"{path.relative_to(root)} loads {url}" for url in OUTSIDE_IN_STYLE.findall(path.read_text(encoding="utf-8"))]
    return faults


if __name__ == "__main__":
    root = Path(sys.argv[1])
    found = faults_of(root)
    print("\n".join(found[:50]), file=sys.stderr)
    print(f"{len(list(root.rglob('*.html')))} pages, {len(found)} faults")
    sys.exit(bool(found))
