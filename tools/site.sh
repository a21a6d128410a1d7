#!/usr/bin/env bash
# Makes the documentation as a site of static files in build/site, from docs/, packaging/site/ and what the program draws.
#   tools/site.sh [PROGRAM]      the program that draws: build/package/warplens or build/release/warplens, if not given
# The browser version, a folder with an index.html, is taken from build/web/page, or from where WARPLENS_TRY says. It stands on a page of
# its own, and where a page has a line <!-- try kernel=tiled&view=banks -->; handouts of lessons take other values by it.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
program=${1:-}
for built in build/package/warplens build/release/warplens; do
  [[ -n "$program" || ! -x $built ]] || program=$built
done
[[ -n "$program" ]] || { echo "site: there is no program to draw with: tools/build.sh makes it" >&2 && exit 1; }
program="$(realpath "$program")"
readonly kTools=$root/build/site_tools kLaidOut=$root/build/site_pages kTry=${WARPLENS_TRY:-$root/build/web/page}

if [[ ! -f $kTools/stamp || "$(<"$kTools/stamp")" != "$(sha256sum <tools/requirements/site.txt)" ]]; then
  rm -rf "$kTools"
  python3 -m venv "$kTools"
  "$kTools/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: -r tools/requirements/site.txt
  sha256sum <tools/requirements/site.txt >"$kTools/stamp"
fi

rm -rf "$kLaidOut"
mkdir -p "$kLaidOut/pages/gallery" "$kLaidOut/pages/lessons"
cp packaging/site/mkdocs.yml "$kLaidOut"
cd "$kLaidOut/pages"
cp -r "$root"/docs/* "$root/CHANGELOG.md" "$root"/packaging/site/*.{md,css} .
cp "$root/packaging/warplens.svg" images/
sed -i 's,](docs/,](,g' CHANGELOG.md
sed -i 's,](\.\./CHANGELOG.md,](CHANGELOG.md,g' ./*.md

live=()
if [[ -f $kTry/index.html ]]; then
  cp -r "$kTry" try
  live=(--page ../try)
  sed -i -E '/^<!-- try .* -->$/ { s/&/\&amp;/g; s,<!-- try (.*) -->,<details class="try"><summary>Try it here</summary><iframe src="try/index.html?alone=1\&amp;\1" title="Warplens" loading="lazy"></iframe></details>, }' ./*.md
fi

# The commands of the gallery, as the page has them.
sed -n 's/^warplens //p' gallery.md | while read -r command; do
  xargs "$program" <<<"$command --light --width 1400 --height 800" >"$kLaidOut/gallery.log" 2>&1 || { cat "$kLaidOut/gallery.log" >&2 && exit 1; }
done

{
  echo "# The lessons"
  echo
  echo "Each is one page that works without a network: the arrow keys step through its scenes. [How lessons are written and shown](lessons.md)."
  echo
  "$program" lesson --list --json | python3 -c 'import json, sys
for lesson in json.load(sys.stdin)["lessons"]: print(lesson["name"] + "\t" + lesson["title"] + "\t" + lesson.get("about", ""))' |
    while IFS=$'\t' read -r name title about; do
      "$program" lesson "$name" --handout "lessons/$name.html" "${live[@]}" >/dev/null 2>&1
      echo "- [$title](lessons/$name.html): $about"
    done
} >lesson_list.md

{
  printf -- '---\nhide: [navigation, toc]\n---\n'
  echo "# Try it in the browser"
  echo
  if ((${#live[@]})); then
    echo '<iframe src="try/index.html" title="Warplens"></iframe>'
    echo
    echo '[Open it in a window of its own](try/index.html). It replays kernels in this page; nothing is sent anywhere.'
  else
    echo 'The browser version is not part of this copy of the site. [Install Warplens](install.md), or look at [the gallery](gallery.md).'
  fi
} >try_it.md

cd "$kLaidOut"
rm -rf "$root/build/site"
NO_MKDOCS_2_WARNING=1 "$kTools/bin/mkdocs" build --quiet --strict
"$root/tools/dev/check_links.py" "$root/build/site"
echo "site: build/site/index.html"
