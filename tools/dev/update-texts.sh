#!/usr/bin/env bash
# Collects the texts of the sources (kernels/base/texts.h) and of the shipped lessons into texts/warplens.pot, which translations are made from, and brings every texts/LANGUAGE.po
# up to date with it. Run it after changing a text, and commit what it makes.
#   tools/dev/update-texts.sh                     needs gettext and what reads lessons (tools/setup.sh test)
#   tools/dev/update-texts.sh --check             changes nothing; fails where the template is not the sources' or a
#                                                 translation does not fit; counts texts that are not translated yet
#   tools/dev/update-texts.sh --check --release   fails where a text is not translated too
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly kTemplate=texts/warplens.pot
collected="$(mktemp)"
trap 'rm -f "$collected"' EXIT

# Without line numbers and dates, so that the template changes when a text does. Sorted, because git lists a file that is not committed yet before the others.
git ls-files --cached --others --exclude-standard 'app/*.cpp' 'app/*.h' 'kernels/*.cpp' 'kernels/*.h' 'viz/*.cpp' 'viz/*.h' | LC_ALL=C sort |
  xgettext --files-from=- --language=C++ --from-code=UTF-8 --keyword --keyword=tr --keyword=marked --keyword=tr_n:2,3 --add-comments=Translators: \
    --add-location=file --package-name=Warplens --output=- |
  msgcat --use-first --sort-output --no-wrap --output-file=- - <(.venv/bin/python tools/dev/lesson_texts.py assets/lessons/*.toml) |
  sed -e "/^#, /d" -e '1,/^$/ { /^#/d; /^"\(POT-Creation-Date\|PO-Revision-Date\|Last-Translator\|Language-Team\|Report-Msgid-Bugs-To\)/d; s/charset=CHARSET/charset=UTF-8/ }' >"$collected"

# check_translations [--release]: a text that is not translated is shown in English
check_translations() {
  local language missing
  for language in texts/*.po; do
    msgcmp --use-untranslated "$language" "$kTemplate" || return 1
    missing="$( (msgattrib --untranslated --no-obsolete "$language"; msgattrib --only-fuzzy --no-obsolete "$language") |
      grep -A3 '^msgid "..*' || true)"
    [[ -n "$missing" ]] || continue
    echo "$language: $(grep -c '^msgid ' <<<"$missing") texts are not translated" >&2
    if [[ "${1:-}" == --release ]]; then
      head -40 <<<"$missing" >&2
      return 1
    fi
  done
}

if [[ "${1:-}" == --check ]]; then
  if diff -u "$kTemplate" "$collected"; then
    check_translations "${2:-}"
    echo "$(grep -c '^msgid ' "$kTemplate") texts, in $(ls texts/*.po | wc -l) translations"
    exit
  fi
  echo "$kTemplate is not that of the sources: run tools/dev/update-texts.sh, and commit what it makes" >&2
  exit 1
fi
mv "$collected" "$kTemplate"
chmod 644 "$kTemplate"
for language in texts/*.po; do
  [[ -f "$language" ]] && msgmerge --quiet --update --no-fuzzy-matching --backup=none "$language" "$kTemplate"
done
echo "$(grep -c '^msgid ' "$kTemplate") texts in $kTemplate"
