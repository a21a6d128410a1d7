"use strict";
const scenes = [...document.querySelectorAll(".scene")];

function currentScene() {
  const middle = window.innerHeight * 0.4;
  let current = 0;
  scenes.forEach((scene, index) => { if (scene.getBoundingClientRect().top <= middle) current = index; });
  return current;
}

function goTo(index) {
  const scene = scenes[Math.max(0, Math.min(scenes.length - 1, index))];
  scene.focus({ preventScroll: true });
  scene.scrollIntoView({ block: "start" });
  mark();
}

function mark() {
  const current = currentScene();
  scenes.forEach((scene, index) => scene.classList.toggle("now", index === current));
}

/* Elements that steps share are in the file once: a step is a list of runs of them. */
function drawn(view, step) {
  return view.steps[step].map(([first, count]) => view.elements.slice(first, first + count).join("")).join("");
}

const scrubbers = new Map();
for (const scene of scenes) {
  const script = scene.querySelector("script");
  if (!script) continue;
  const data = JSON.parse(script.textContent);
  const range = scene.querySelector("input");
  const show = () => {
    const index = Number(range.value) - data.first;
    const step = data.steps[index];
    for (const view of data.views) {
      const svg = scene.querySelector(`svg[data-view="${view.place}"]`);
      svg.innerHTML = drawn(view, index);
      svg.setAttribute("aria-label", view.says[index]);
    }
    scene.querySelector("output").textContent = step.label;
    range.setAttribute("aria-valuetext", step.label);
    scene.querySelectorAll(".source span").forEach((line) => line.classList.toggle("now", Number(line.dataset.line) === step.line));
    scene.querySelectorAll(".figures dd").forEach((figure, place) => { figure.textContent = step.figures[place] ?? "–"; });
    scene.querySelector(".home").disabled = Number(range.value) === data.home;
  };
  const move = (by) => { range.value = Number(range.value) + by; show(); };
  range.addEventListener("input", show);
  scene.querySelector(".back").addEventListener("click", () => move(-1));
  scene.querySelector(".on").addEventListener("click", () => move(1));
  scene.querySelector(".home").addEventListener("click", () => { range.value = data.home; show(); });
  scrubbers.set(scene, move);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const onRange = event.target instanceof HTMLInputElement;
  const scene = currentScene();
  if (event.key === "PageDown" || (event.key === "ArrowRight" && !onRange)) goTo(scene + 1);
  else if (event.key === "PageUp" || (event.key === "ArrowLeft" && !onRange)) goTo(scene - 1);
  else if (event.key === "." || event.key === ",") scrubbers.get(scenes[scene])?.(event.key === "." ? 1 : -1);
  else if (event.key.toLowerCase() === "a") {
    const answer = scenes[scene].querySelector("details");
    if (answer) answer.open = !answer.open;
  } else return;
  event.preventDefault();
});
document.addEventListener("scroll", mark, { passive: true });

/* Paper has every answer, and is as it was afterwards. */
let closed = [];
window.addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  closed.forEach((details) => { details.open = true; });
});
window.addEventListener("afterprint", () => closed.forEach((details) => { details.open = false; }));
mark();

/* Other values are tried in the page of Warplens for browsers, in a frame below the scene. */
for (const button of document.querySelectorAll(".live button")) {
  button.addEventListener("click", () => {
    const frame = document.createElement("iframe");
    frame.src = button.dataset.page;
    frame.title = button.textContent;
    button.parentElement.replaceChildren(frame);
    frame.focus();
  });
}
