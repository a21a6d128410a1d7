#!/usr/bin/env python3
"""Writes the texts of lessons, and the labels of the figures that they list, as a GNU gettext template to standard output, in the form in which Warplens
looks them up (app/lesson/lesson.cpp: lines run on, a blank line begins a paragraph).

    lesson_texts.py LESSON.toml ...
"""

import re
import sys

import polib
import tomli


def in_paragraphs(text):
    paragraphs = re.split(r"\n[ \t\r]*\n", text.strip())
    return "\n".join(" ".join(line.strip() for line in paragraph.splitlines() if line.strip()) for paragraph in paragraphs if paragraph.strip())


def texts_of(lesson):
    yield lesson["title"]
    if "about" in lesson:
        yield lesson["about"]
    for scene in lesson["scene"]:
        yield from (scene[key] for key in ("title", "sentence", "notes") if key in scene)
        if question := scene.get("question"):
            yield question["asks"]
            yield from question["answers"]
        yield from (label_of(field) for field in scene.get("figures", []) if len(field) > 1)


def label_of(field):
    """As app/lesson/words.cpp has it. One letter is a parameter's name."""
    return field.replace(".", " ").replace("_", " ")


def main():
    catalogue = polib.POFile(wrapwidth=0)
    catalogue.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Content-Transfer-Encoding": "8bit"}
    entries = {}
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            lesson = tomli.load(file)
        for text in map(in_paragraphs, texts_of(lesson)):
            occurrences = entries.setdefault(text, polib.POEntry(msgid=text)).occurrences
            if (path, "") not in occurrences:
                occurrences.append((path, ""))
    catalogue.extend(entries.values())
    print(catalogue)


if __name__ == "__main__":
    main()
