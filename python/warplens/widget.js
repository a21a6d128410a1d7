// Two sliders and a picture. Python draws the picture whenever a slider has moved.
function slider(label, model, name, most) {
  const row = document.createElement("label");
  const range = document.createElement("input");
  const shown = document.createElement("output");
  row.style.cssText = "display:flex;gap:.6em;align-items:center;font:13px sans-serif;margin:.2em 0";
  range.type = "range";
  range.min = 1;
  range.style.flex = "1";
  range.setAttribute("aria-label", label);
  range.dataset.lmSuppressShortcuts = "true"; // JupyterLab would take the arrow keys
  const update = () => {
    range.max = Math.max(1, most());
    range.value = Math.min(model.get(name), range.max);
    shown.textContent = `${label} ${range.value} of ${range.max}`;
  };
  range.addEventListener("input", () => {
    model.set(name, Number(range.value));
    model.save_changes();
    update();
  });
  row.append(range, shown);
  return { row, update };
}

function render({ model, el }) {
  const steps = () => model.get("steps")[model.get("phase") - 1] ?? 1;
  const phase = slider("phase", model, "phase", () => model.get("steps").length);
  const step = slider("step", model, "step", steps);
  const kind = document.createElement("div");
  const picture = document.createElement("div");
  const error = document.createElement("div");
  kind.style.cssText = "font:13px sans-serif;opacity:.7";
  error.style.cssText = "font:13px sans-serif;color:#c33";
  const draw = () => {
    phase.update();
    step.update();
    kind.textContent = `${model.get("kinds")[model.get("phase") - 1] ?? ""}, ${steps()} accesses of the warp`;
    // As an image, so that nothing in a kernel's names can be more than a picture
    const image = new Image();
    image.style.maxWidth = "100%";
    image.alt = `phase ${model.get("phase")}, step ${model.get("step")}`;
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(model.get("svg"));
    picture.replaceChildren(image);
    error.textContent = model.get("error");
  };
  for (const name of ["phase", "step", "svg", "error"]) model.on(`change:${name}`, draw);
  draw();
  el.append(phase.row, step.row, kind, error, picture);
}

export default { render };
