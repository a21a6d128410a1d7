#!/usr/bin/env python3
"""Makes C++ tables of translations (kernels/base/language_table.h) out of GNU gettext's catalogues.

    compile_texts.py FUNCTION OUTPUT.cpp LANGUAGE.po ...

OUTPUT.cpp defines `std::span<const warplens::LanguageTable> warplens::FUNCTION()`, by the files' order. Texts that are not translated, or fuzzy, stay
English. A translation whose arguments are not those of its English is an error: it could not be filled in when it is shown.
"""

import json
import pathlib
import re
import sys

import polib

PLURAL_RULE = re.compile(r"nplurals\s*=\s*(\d+)\s*;\s*plural\s*=\s*([n0-9\s?:()<>=!&|%]+);?\s*$")


def arguments(text):
    """'{size:.3g} of {n}' -> {'size:.3g', 'n'}"""
    return set(re.findall(r"\{([^{}]+)\}", text.replace("{{", "").replace("}}", "")))


def forms_of(entry, count):
    """The translation's forms, in order; raises ValueError where they do not fit."""
    if not entry.msgid_plural:
        forms = [entry.msgstr]
        wanted = arguments(entry.msgid)
        fits = all(arguments(form) == wanted for form in forms)
    else:
        forms = [entry.msgstr_plural[i] for i in sorted(entry.msgstr_plural)]
        wanted = arguments(entry.msgid_plural)
        # A form of few counts may do without the digits: "one line".
        fits = len(forms) == count and all(arguments(form) | {"n"} == wanted | {"n"} for form in forms)
    if not fits:
        raise ValueError(f"{forms} does not have the arguments or the plural forms of {entry.msgid!r}: {sorted(wanted)}")
    return forms


def with_decimal_sign(text):
    """'{share:.1f}' -> '{share:.1Lf}': fmt writes it with the language's sign."""
    return re.sub(r"(\{\w*:[^{}]*\.\d+)([efg]?\})", r"\1L\2", text)


def number_signs(catalogue):
    """From the header: X-Decimal-Sign, X-Thousands-Separator (`,` where none is given, `space` for a no-break space), X-Least-Grouped."""
    header = catalogue.metadata
    separator = header.get("X-Thousands-Separator", ",").replace("space", "\u00a0")
    return f"{{{literal(separator)}, {int(header.get('X-Least-Grouped', 4))}, '{header.get('X-Decimal-Sign', '.')}'}}"


def literal(text):
    """A C++ string literal; what is not ASCII stays UTF-8."""
    return json.dumps(text, ensure_ascii=False)


def table(path, index):
    catalogue = polib.pofile(str(path))
    rule = PLURAL_RULE.match(catalogue.metadata.get("Plural-Forms", ""))
    if rule is None:
        raise ValueError(f"{path}: its header has no Plural-Forms like 'nplurals=2; plural=(n != 1);'")
    entries = sorted((entry for entry in catalogue.translated_entries()), key=lambda entry: entry.msgid.encode())
    lines, rows = [], []
    for number, entry in enumerate(entries):
        try:
            forms = forms_of(entry, int(rule[1]))
        except ValueError as error:
            raise ValueError(f"{path}:{entry.linenum}: {error}") from None
        lines.append(f"constexpr const char* kForms{index}_{number}[] = {{{', '.join(literal(with_decimal_sign(form)) for form in forms)}}};")
        rows.append(f"    {{{literal(entry.msgid)}, kForms{index}_{number}, {len(forms)}}},")
    lines.append(f"constexpr std::array<Translation, {len(rows)}> kTexts{index}{{{{")
    lines += rows + ["}};", f"unsigned long form_of_{index}([[maybe_unused]] unsigned long n) {{", f"  return {rule[2].strip()};", "}"]
    name = catalogue.metadata.get("X-Native-Name", path.stem)
    return "\n".join(lines), f"{{{literal(path.stem)}, {literal(name)}, {number_signs(catalogue)}, kTexts{index}, form_of_{index}}}"


def main():
    function, output, files = sys.argv[1], pathlib.Path(sys.argv[2]), [pathlib.Path(name) for name in sys.argv[3:]]
    try:
        tables = [table(path, index) for index, path in enumerate(files)]
    except (OSError, ValueError) as error:
        sys.exit(f"compile_texts: {error}")
    languages = "\n".join(f"    LanguageTable{arguments}," for _, arguments in tables)
    output.write_text(f"""// Made by tools/dev/compile_texts.py
#include <array>
#include <span>

#include "kernels/base/language_table.h"

namespace warplens {{
namespace {{

{chr(10).join(code for code, _ in tables)}

}}  // namespace

std::span<const LanguageTable> {function}();
std::span<const LanguageTable> {function}() {{
  static const std::array<LanguageTable, {len(files)}> kLanguages{{{{
{languages}
  }}}};
  return kLanguages;
}}

}}  // namespace warplens
""")


if __name__ == "__main__":
    main()
