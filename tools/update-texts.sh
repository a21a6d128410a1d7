#!/usr/bin/env bash
# Collects the texts of the sources (kernels/base/texts.h) and of the shipped lessons into texts/warplens.pot, which translations are made from, and brings every texts/LANGUAGE.po
# up to date with it. Run it after changing a text, and commit what it makes.
#   tools/update-texts.sh             needs gettext and what reads lessons (tools/setup.sh test)
#   tools/update-texts.sh --check     changes nothing; fails where the template is not that of the sources, or a translation is not whole
set -euo pipefail
cd "$(dirname "$0")/.."
readonly kTemplate=texts/warplens.pot
collected="$(mktemp)"
trap 'rm -f "$collected"' EXIT

# Without line numbers and dates, so that the template changes when a text does. Sorted, because git lists a file that is not committed yet before the others.
git ls-files --cached --others --exclude-standard 'app/*.cpp' 'app/*.h' 'kernels/*.cpp' 'kernels/*.h' 'viz/*.cpp' 'viz/*.h' | LC_ALL=C sort |
  xgettext --files-from=- --language=C++ --from-code=UTF-8 --keyword --keyword=tr --keyword=marked --keyword=tr_n:2,3 --add-comments=Translators: \
    --add-location=file --package-name=Warplens --output=- |
  msgcat --use-first --sort-output --no-wrap --output-file=- - <(.venv/bin/python tools/lesson_texts.py assets/lessons/*.toml) |
  sed -e "/^#, /d" -e '1,/^$/ { /^#/d; /^"\(POT-Creation-Date\|PO-Revision-Date\|Last-Translator\|Language-Team\|Report-Msgid-Bugs-To\)/d; s/charset=CHARSET/charset=UTF-8/ }' >"$collected"

# Each translation has all texts of the template, none of them fuzzy, and their arguments.
check_translations() {
  local language
  for language in texts/*.po; do
    msgcmp --use-untranslated "$language" "$kTemplate" || return 1
    if [[ -n "$(msgattrib --untranslated --no-obsolete "$language")$(msgattrib --only-fuzzy --no-obsolete "$language")" ]]; then
      { msgattrib --untranslated --no-obsolete "$language"; msgattrib --only-fuzzy --no-obsolete "$language"; } | grep -A3 '^msgid "..*' | head -40 >&2
      echo "$language is not whole: translate what is listed here (docs/texts.md)" >&2
      return 1
    fi
  done
}

if [[ "${1:-}" == --check ]]; then
  if diff -u "$kTemplate" "$collected"; then
    check_translations
    echo "$(grep -c '^msgid ' "$kTemplate") texts, in $(ls texts/*.po | wc -l) translations"
    exit
  fi
  echo "$kTemplate is not that of the sources: run tools/update-texts.sh, and commit what it makes" >&2
  exit 1
fi
mv "$collected" "$kTemplate"
chmod 644 "$kTemplate"
for language in texts/*.po; do
  [[ -f "$language" ]] && msgmerge --quiet --update --no-fuzzy-matching --backup=none "$language" "$kTemplate"
done
echo "$(grep -c '^msgid ' "$kTemplate") texts in $kTemplate"
