// Lessons, scene by scene: a question is answered before its answer is shown.
import { ask } from "./client.js";
import { by_id, element, is_dark, svg_element, words, words_with_code, working } from "./page_parts.js";
import { fields_of, kernel_of, parts_of } from "./launch.js";
import { remember, size_for } from "./views.js";

export const given = { name: "", scenes: 0, scene: 0, shown: null, covered: false };

export function set_lessons(lessons) {
  const chosen = given.name || by_id("lesson").value;
  by_id("lesson").replaceChildren(...lessons.map(({ name, title }) => element("option", { value: name, textContent: title })));
  if (chosen) by_id("lesson").value = chosen;
}

/// `text`: of a lesson that does not ship.
export async function open_lesson(name, scene = 0, text = "") {
  const files = text === "" ? [] : [{ name, bytes: new TextEncoder().encode(text) }];
  const lesson = await ask({ do: "lesson", name }, { files });
  Object.assign(given, { name, scenes: lesson.scenes });
  by_id("lesson").value = name;
  by_id("lesson_title").textContent = lesson.title;
  by_id("lesson_about").textContent = lesson.about;
  await go(Math.min(Math.max(scene, 0), lesson.scenes - 1));
}

/// To a scene, as the lesson has it.
async function go(scene) {
  given.shown = await ask({ do: "scene", scene });
  given.scene = scene;
  given.covered = given.shown.question !== null;
  show_scene();
  show_launch(given.shown.launch);
  await draw_scene();
  remember();
}

/// Fields for the values of the scene's kernel, if it is one of the menus.
function show_launch(launch) {
  const { subject, values } = parts_of(launch), kernel = kernel_of(subject);
  by_id("scene_launch").hidden = kernel === undefined || given.covered;
  by_id("as_in_lesson").disabled = true;
  if (kernel === undefined) return;
  if (values.has("size")) for (const { name } of kernel.extents) if (!values.has(name)) values.set(name, values.get("size"));
  by_id("scene_fields").replaceChildren(...fields_of(kernel, values));
}

/// The scene with the values of the fields. What it says then is of its access.
async function try_values() {
  const { subject, values } = parts_of(given.shown.launch);
  values.delete("size");
  for (const field of by_id("scene_fields").querySelectorAll("input, select")) values.set(field.name, field.value);
  const launch = `${subject}:${[...values].map((pair) => pair.join("=")).join(",")}`;
  given.shown = await ask({ do: "scene", scene: given.scene, launch });
  given.shown.sentence = given.shown.place.sentence;
  show_scene();
  by_id("as_in_lesson").disabled = false;
  await draw_scene();
}

function show_question({ asks, answers }) {
  by_id("asks").replaceChildren(...words_with_code(asks));
  by_id("answers").replaceChildren(...answers.map((answer, i) => element("label", {},
    element("input", { type: "radio", name: "answer", value: i }), element("span", {}, ...words_with_code(answer)))));
}

function show_scene() {
  const scene = given.shown, question = scene.question;
  by_id("scene_number").textContent = `${words.scene} ${given.scene + 1} / ${given.scenes}`;
  by_id("scene_back").disabled = given.scene === 0;
  by_id("scene_forward").disabled = given.scene + 1 === given.scenes;
  by_id("scene_title").textContent = scene.title;
  by_id("question").hidden = question === null;
  by_id("verdict").textContent = "";
  if (question !== null) show_question(question);
  by_id("scene_step").max = Math.max(0, scene.steps - 1);
  by_id("scene_step").value = scene.step;
  show_answer_parts();
}

/// The sentence and the figures, which a question may hide.
function show_answer_parts() {
  const { question, sentence, figures } = given.shown;
  const hides = (what) => given.covered && question[what];
  by_id("question").querySelector("button").hidden = !given.covered;
  by_id("scene_step_label").hidden = given.covered || given.shown.steps < 2;
  by_id("sentence").replaceChildren(...(hides("hides_sentence") ? [] : words_with_code(sentence)));
  by_id("figures").replaceChildren(...(hides("hides_figures") ? [] : figures.flatMap(({ label, text, meaning }) =>
    [element("dt", { textContent: label, title: meaning }), element("dd", { textContent: text })])));
}

async function view_element({ id, title, hidden }, container) {
  if (given.covered && hidden) return element("figure", { className: "hidden_view", textContent: `${title}: ${words.hidden_view}` });
  const request = { do: "scene_picture", view: id, step: Number(by_id("scene_step").value), dark: is_dark(), ...size_for(container) };
  const { svg } = await ask(request);
  return element("figure", { className: "picture" }, svg_element(svg));
}

export async function draw_scene() {
  if (given.shown === null) return;
  by_id("scene_step_text").textContent = `${Number(by_id("scene_step").value) + 1} / ${given.shown.steps}`;
  const made = [];
  for (const row of given.shown.views) {
    const narrow = matchMedia("(max-width: 760px)").matches, all = by_id("scene_views").clientWidth;
    const container = { clientWidth: narrow ? all : (all - 8 * (row.length - 1)) / row.length };
    made.push(element("div", { className: "row" }, ...(await Promise.all(row.map((view) => view_element(view, container))))));
  }
  by_id("scene_views").replaceChildren(...made);
}

function uncover() {
  const { right } = given.shown.question, chosen = new FormData(by_id("question")).get("answer");
  given.covered = false;
  [...by_id("answers").children].forEach((label, i) => label.classList.toggle("is_right", i === right));
  for (const input of by_id("answers").querySelectorAll("input")) input.disabled = true;
  by_id("verdict").textContent = chosen === null ? words.is_not_right : Number(chosen) === right ? words.is_right : words.is_not_right;
  show_answer_parts();
  show_launch(given.shown.launch);
  return draw_scene();
}

export function listen(explore) {
  by_id("lesson").addEventListener("change", ({ target }) => working(() => open_lesson(target.value)));
  by_id("lesson_choice").addEventListener("submit", (event) => event.preventDefault());
  const move = (by) => working(async () => {
    await go(given.scene + by);
    by_id("scene_title").focus();
  });
  by_id("scene_back").addEventListener("click", () => move(-1));
  by_id("scene_forward").addEventListener("click", () => move(1));
  by_id("question").addEventListener("submit", (event) => (event.preventDefault(), working(uncover)));
  by_id("scene_launch").addEventListener("change", () => working(try_values));
  by_id("scene_launch").addEventListener("submit", (event) => event.preventDefault());
  by_id("as_in_lesson").addEventListener("click", () => working(() => go(given.scene)));
  by_id("scene_step").addEventListener("input", () => working(draw_scene));
  by_id("try_it").addEventListener("click", () => explore(given.shown));
}
