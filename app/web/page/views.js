// The view that is shown, as a picture and as a table, and where one looks.
import { ask, ask_latest } from "./client.js";
import { by_id, clear_error, download, element, is_dark, show_error, svg_element, table_element, words } from "./page_parts.js";

/// `from`: "menus", "file" or "address", by which what is shown was opened.
export const shown = { views: [], view: "banks", opened: null, place: null, svg: "", from: "menus" };
const kRatio = 0.6, kLeastHeight = 360, kMostHeight = 900;

/// Size of a picture for a place in the page, in its pixels.
export function size_for(container) {
  const width = Math.max(300, Math.floor(container.clientWidth));
  return { width, height: Math.round(Math.min(kMostHeight, Math.max(kLeastHeight, width * kRatio))) };
}

export function set_views(views) {
  shown.views = views;
  const is_twice = ({ title }) => views.filter((view) => view.title === title).length > 1;
  by_id("views").replaceChildren(...views.map((view) => {
    const tab = element("button", { type: "button", id: `view_${view.id}`, textContent: is_twice(view) ? `${view.title} (${view.id})` : view.title, title: view.shows, onclick: () => choose_view(view.id) });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", "picture");
    return tab;
  }));
  mark_view();
}

function mark_view() {
  for (const { id } of shown.views) {
    by_id(`view_${id}`).setAttribute("aria-selected", String(id === shown.view));
    by_id(`view_${id}`).tabIndex = id === shown.view ? 0 : -1;
  }
  by_id("view_shows").textContent = shown.views.find((view) => view.id === shown.view)?.shows ?? "";
  by_id("picture").setAttribute("aria-labelledby", `view_${shown.view}`);
}

export function choose_view(id) {
  if (!shown.views.some((view) => view.id === id)) return;
  shown.view = id;
  mark_view();
  draw();
}

/// Arrow keys go from tab to tab, as a list of tabs is used by keyboard.
export function on_tab_key(event) {
  const at = shown.views.findIndex((view) => view.id === shown.view), count = shown.views.length;
  const to = { ArrowRight: (at + 1) % count, ArrowLeft: (at + count - 1) % count, Home: 0, End: count - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  choose_view(shown.views[to].id);
  by_id(`view_${shown.view}`).focus();
}

/// Draws the view anew, and lists what is unfolded.
export function draw() {
  if (shown.opened === null) return;
  const request = { do: "picture", view: shown.view, dark: is_dark(), ...size_for(by_id("picture")) };
  ask_latest("picture", request, ({ svg }) => {
    shown.svg = svg;
    by_id("picture").replaceChildren(svg_element(svg));
    by_id("save_picture").disabled = false;
    clear_error();
  }, show_error);
  list();
  remember();
}

export function list() {
  const has_table = shown.views.find((view) => view.id === shown.view)?.table;
  by_id("table_details").hidden = !has_table;
  if (has_table && by_id("table_details").open && shown.opened !== null)
    ask_latest("table", { do: "table", view: shown.view }, ({ csv }) => by_id("table").replaceChildren(table_element(csv)), show_error);
}

function show_range(name, at, count) {
  const range = by_id(`at_${name}`), of = Math.max(1, count);
  range.max = of - 1;
  range.value = at;
  range.disabled = of < 2;
  // Warps are counted from 0, as CUDA does, phases and steps from 1.
  by_id(`text_${name}`).textContent = name === "warp" ? `${at} / ${of - 1}` : `${at + 1} / ${of}`;
  range.setAttribute("aria-valuetext", by_id(`text_${name}`).textContent);
}

export function show_place(place) {
  shown.place = place;
  by_id("at_block").value = place.block;
  show_range("warp", place.warp, place.warps);
  show_range("phase", place.phase, place.phases);
  show_range("step", place.step, place.steps);
  by_id("access").replaceChildren(element("span", { className: "name", textContent: place.name }), place.sentence);
}

export function show_opened({ opened, place }) {
  shown.opened = opened;
  mark_view();
  by_id("at_block").replaceChildren(...opened.blocks.map((block, i) => element("option", { value: i, textContent: block.join(", ") })));
  by_id("at_block").disabled = opened.blocks.length < 2;
  by_id("found").hidden = opened.findings.length === 0;
  by_id("findings").replaceChildren(...opened.findings.map((text) => element("li", { textContent: text })));
  by_id("verified").textContent = opened.verified === null ? "" : opened.verified ? words.right : words.wrong;
  by_id("save").disabled = false;
  by_id("report_details").open = false;
  show_place(place);
  draw();
}

const go = (request) => ask_latest("place", { do: "place", ...request }, ({ place }) => (show_place(place), draw()), show_error);

export function listen() {
  for (const name of ["block", "warp", "phase", "step"])
    by_id(`at_${name}`).addEventListener("input", (event) => go({ to: { [name]: Number(event.target.value) } }));
  for (const button of document.querySelectorAll("[data-move]"))
    button.addEventListener("click", () => go({ move: button.dataset.move, by: Number(button.dataset.by) }));
  by_id("place").addEventListener("submit", (event) => event.preventDefault());
  by_id("views").addEventListener("keydown", on_tab_key);
  by_id("table_details").addEventListener("toggle", list);
  by_id("report_details").addEventListener("toggle", async () => {
    if (!by_id("report_details").open || shown.opened === null) return;
    try {
      by_id("report").textContent = (await ask({ do: "report" })).report;
    } catch (error) {
      show_error(error);
    }
  });
  by_id("save_picture").addEventListener("click", () => download(shown.svg, `${shown.view}.svg`, "image/svg+xml"));
}

/// What the address says after its question mark is what is on the screen, so that a link leads here.
export let remember = () => {};
export const set_remember = (function_) => (remember = function_);
