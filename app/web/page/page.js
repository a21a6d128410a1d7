// The page: what its address says is opened, and its parts are put to work.
import { ask, stop } from "./client.js";
import * as launch from "./launch.js";
import * as lessons from "./lessons.js";
import * as opening from "./opening.js";
import { by_id, element, set_words, words, working } from "./page_parts.js";
import * as trials from "./trials.js";
import * as views from "./views.js";

const address = new URLSearchParams(location.search);
let mode = "explore";

function show_mode(chosen) {
  mode = chosen;
  document.body.dataset.mode = mode;
  for (const section of document.querySelectorAll("[data-for]")) section.hidden = !section.dataset.for.split(" ").includes(mode);
  for (const button of document.querySelectorAll(".mode")) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
}

async function choose_mode(chosen) {
  show_mode(chosen);
  if (mode === "explore") await run();
  if (mode === "lessons") await lessons.open_lesson(by_id("lesson").value, lessons.given.scene);
  if (mode === "playground") trials.play();
  if (mode === "patterns") await trials.predict();
  remember();
}

async function run(select) {
  views.shown.from = "menus";
  views.show_opened(await ask(launch.launch_request()));
  if (select) {
    const { place } = await ask({ do: "place", select });
    views.show_place(place);
    views.draw();
  }
}

function remember() {
  const now = new URLSearchParams();
  if (by_id("language").value !== "en") now.set("lang", by_id("language").value);
  if (location.hash !== "") return; // The lesson is in the address itself
  if (address.has("alone")) now.set("alone", 1);
  if (mode === "lessons") {
    now.set("lesson", lessons.given.name);
    now.set("scene", lessons.given.scene + 1);
  } else if (mode !== "explore") {
    now.set("mode", mode);
  } else if (views.shown.from === "address") {
    now.set("url", address.get("url"));
  } else if (views.shown.from === "menus") {
    const { subject, cc, type, set, m, p, n } = launch.launch_request();
    now.set("kernel", subject);
    for (const [name, value] of Object.entries({ m, p, n })) if (value !== undefined) now.set(name, value);
    if (set.length > 0) now.set("set", set.join(","));
    if (type && type !== "f32") now.set("type", type);
    now.set("cc", cc);
    now.set("view", views.shown.view);
    if (views.shown.place) now.set("select", views.shown.place.select);
  }
  history.replaceState(null, "", `?${now}`);
}

/// Sets the menus to what an address says of a launch.
function follow(said) {
  if (said.has("kernel")) by_id("kernel").value = said.get("kernel");
  if (by_id("kernel").value === "") by_id("kernel").value = "tiled";
  launch.show_fields();
  for (const name of ["m", "p", "n"]) launch.set_field(name, said.get(name) ?? said.get("size") ?? "");
  for (const text of (said.get("set") ?? "").split(",")) launch.set_field(...text.split("="));
  if (said.has("type")) by_id("type").value = said.get("type");
  if ([...by_id("rules").options].some((option) => option.value === said.get("cc"))) by_id("rules").value = said.get("cc");
}

/// Opens the launch of a scene, where it is.
function explore_scene({ launch: text, rules, select, views: rows }) {
  const { subject, values } = launch.parts_of(text);
  const said = new URLSearchParams({ kernel: subject, cc: rules });
  const others = [];
  for (const [name, value] of values)
    if (["m", "p", "n", "size", "cc", "type"].includes(name)) said.set(name, value);
    else others.push(`${name}=${value}`);
  said.set("set", others.join(","));
  follow(said);
  show_mode("explore");
  views.choose_view(rows[0]?.[0]?.id);
  working(() => run(select));
}

function show_patterns(csv) {
  by_id("csv").value = csv;
  return choose_mode("patterns");
}

async function speak(language) {
  const start = await ask({ do: "start", language });
  document.documentElement.lang = start.language;
  by_id("language").replaceChildren(...start.languages.map(({ tag, name }) => element("option", { value: tag, textContent: name, lang: tag })));
  by_id("language").value = start.language;
  set_words(start.words);
  launch.set_kernels(start.kernels, start.rules);
  views.set_views(start.views);
  lessons.set_lessons(start.lessons);
}

/// What the reader chose before, where the browser keeps anything: in a frame it may refuse.
function kept_language(chosen) {
  try {
    if (chosen !== undefined) localStorage.setItem("language", chosen);
    return localStorage.getItem("language");
  } catch {
    return null;
  }
}

const language_of_reader = () => (address.get("lang") ?? kept_language() ?? navigator.language).split("-")[0];

async function open_address() {
  document.body.classList.toggle("alone", address.has("alone"));
  if (address.has("view")) views.choose_view(address.get("view"));
  follow(address);
  if (address.has("lesson")) {
    show_mode("lessons");
    const text = decodeURIComponent(location.hash.slice(1));
    await lessons.open_lesson(address.get("lesson"), Number(address.get("scene") ?? 1) - 1, text);
  } else if (address.has("url")) {
    await opening.open_address(address.get("url"), show_patterns);
  } else if (["playground", "patterns", "lessons"].includes(address.get("mode"))) {
    await choose_mode(address.get("mode"));
  } else {
    await run(address.get("select"));
  }
}

// The new module speaks the language again; what it says of kernels is on the page already.
by_id("stop").addEventListener("click", () => {
  stop(words.stopped);
  ask({ do: "start", language: by_id("language").value });
});
views.set_remember(remember);
views.listen();
lessons.listen(explore_scene);
trials.listen();
opening.listen(show_patterns);
for (const button of document.querySelectorAll(".mode")) button.addEventListener("click", () => working(() => choose_mode(button.dataset.mode)));
by_id("kernel").addEventListener("change", () => (launch.show_fields(), working(() => run())));
by_id("launch").addEventListener("submit", (event) => (event.preventDefault(), working(() => run())));
by_id("language").addEventListener("change", ({ target }) => working(async () => {
  kept_language(target.value);
  await speak(target.value);
  await choose_mode(mode);
}));
const redraw = () => (mode === "lessons" ? working(lessons.draw_scene) : views.draw());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
let resized = 0, width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  clearTimeout(resized);
  resized = setTimeout(redraw, 150);
});

await working(async () => {
  await speak(language_of_reader());
  await open_address();
});
