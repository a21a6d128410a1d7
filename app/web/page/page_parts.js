// What the parts of the page share: its elements, its words, messages. Whatever a file, an address or an
// answer says is set as text, never as markup.
export const by_id = (id) => document.getElementById(id);
export const words = {};

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export function set_words(of_language) {
  Object.assign(words, of_language);
  for (const place of document.querySelectorAll("[data-word]")) place.textContent = words[place.dataset.word];
}

export const say = (text) => (by_id("status").textContent = text);

export function show_error(error) {
  const what = error.crashed ? words.crashed ?? error.what : error.what ?? String(error);
  by_id("error").textContent = [error.where ? `${error.where}: ${what}` : what, error.hint].filter(Boolean).join("\n");
  say("");
}
export const clear_error = () => (by_id("error").textContent = "");

/// Runs what asks the module, and shows what goes wrong.
export async function working(work) {
  clear_error();
  say(words.working ?? "Loading.");  // The words come with the module
  document.body.setAttribute("aria-busy", "true");
  const offers_stop = setTimeout(() => (by_id("stop").hidden = words.stop === undefined), 1000);
  try {
    const result = await work();
    say(words.ready ?? "");
    return result;
  } catch (error) {
    show_error(error);
    return undefined;
  } finally {
    clearTimeout(offers_stop);
    by_id("stop").hidden = true;
    document.body.removeAttribute("aria-busy");
  }
}

/// An SVG document as an element. Scripts in it do not run (the page's policy forbids them too).
export function svg_element(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  for (const script of parsed.querySelectorAll("script")) script.remove();
  const svg = document.importNode(parsed, true);
  const title = svg.querySelector("title")?.textContent ?? "", says = svg.querySelector("desc")?.textContent ?? "";
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", says ? `${title}. ${says}` : title);
  return svg;
}

export const is_dark = () => matchMedia("(prefers-color-scheme: dark)").matches;

/// Rows of comma-separated values (RFC 4180).
function rows_of(csv) {
  const rows = [[""]];
  let quoted = false;
  for (let i = 0; i < csv.length; ++i) {
    const c = csv[i], row = rows.at(-1);
    if (quoted && c === '"' && csv[i + 1] === '"') (row[row.length - 1] += '"', ++i);
    else if (c === '"') quoted = !quoted;
    else if (!quoted && c === ",") row.push("");
    else if (!quoted && c === "\n") rows.push([""]);
    else if (c !== "\r") row[row.length - 1] += c;
  }
  return rows.filter((row) => row.length > 1 || row[0] !== "");
}

const kMostRows = 2000;
export function table_element(csv) {
  const [head, ...rows] = rows_of(csv);
  if (head === undefined) return element("p");
  const table = element("table");
  table.append(element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col", textContent: text })))),
    element("tbody", {}, ...rows.slice(0, kMostRows).map((row) => element("tr", {}, ...row.map((text) => element("td", { textContent: text }))))));
  return table;
}

export function download(bytes, name, type) {
  const link = element("a", { href: URL.createObjectURL(new Blob([bytes], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/// Text in which what stands between backquotes is code.
export function words_with_code(text) {
  return text.split("`").map((part, i) => (i % 2 === 1 ? element("code", { textContent: part }) : document.createTextNode(part)));
}
