// Holds the module to the desktop's program: for every kernel its report, and every view's picture and table,
// byte for byte; the words and figures of every lesson, in every language.
//
//   node compare_with_desktop.mjs build/web/page build/release/warplens [KERNEL..]
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [page, warplens, ...chosen] = process.argv.slice(2);
const { Module } = await import(pathToFileURL(join(resolve(page), "module.js")));
const module = new Module(new WebAssembly.Module(readFileSync(join(page, "warplens.wasm"))));
const folder = mkdtempSync(join(tmpdir(), "warplens-web-"));
const run = (...words) => execFileSync(warplens, words, { stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28 });

let compared = 0;
const different = [];
function compare(what, of_module, of_desktop) {
  ++compared;
  if (of_module !== of_desktop) different.push(what);
}

// A kernel that is wrong on purpose ends with status 1, after it has written everything.
function printed(...words) {
  try {
    return run(...words).toString();
  } catch (failed) {
    return failed.stdout.toString();
  }
}

function exported(kernel, view, extension) {
  const file = join(folder, view + extension);
  rmSync(file, { force: true });
  printed("export", kernel, "--view", view, "-o", file);
  return readFileSync(file, "utf8");
}

function compare_lessons(language) {
  for (const { name } of module.answer({ do: "start", language }).lessons) {
    const lesson = JSON.parse(run("lesson", name, "--language", language, "--json"));
    module.answer({ do: "lesson", name });
    lesson.scenes.forEach((expected, scene) => {
      const { title, sentence, select, figures, question, error } = module.answer({ do: "scene", scene });
      const texts = (all) => (all ?? []).map(({ text }) => text);
      compare(`${language}: scene ${scene + 1} of ${name}`,
        JSON.stringify([title, sentence, select, texts(figures), question?.asks, error]),
        JSON.stringify([expected.title, expected.sentence, expected.select, texts(expected.figures), expected.question?.asks, undefined]));
    });
  }
}

try {
  const start = module.answer({ do: "start", language: "en" });
  for (const { id } of start.kernels) {
    if (chosen.length > 0 && !chosen.includes(id)) continue;
    const opened = module.answer({ do: "open", subject: id });
    if (opened.error) throw new Error(`${id}: ${opened.error.what}`);
    compare(`${id}: report`, module.answer({ do: "report" }).report, printed("report", id, "--json"));
    for (const view of start.views) {
      compare(`${id}: ${view.id}.svg`, module.answer({ do: "picture", view: view.id }).svg, exported(id, view.id, ".svg"));
      if (view.table) compare(`${id}: ${view.id}.csv`, module.answer({ do: "table", view: view.id }).csv, exported(id, view.id, ".csv"));
    }
  }
  if (chosen.length === 0) for (const { tag } of start.languages) compare_lessons(tag);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${compared} compared, ${different.length} different`);
for (const what of different) console.log(`  ${what}`);
process.exitCode = different.length === 0 && compared > 0 ? 0 : 1;
