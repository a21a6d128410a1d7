// The launch: a kernel, its sizes and parameters, from menus.
import { by_id, element, words } from "./page_parts.js";

let kernels = [];

/// Fields for a kernel's sizes and parameters, with other values than its own where `values` has some.
export function fields_of(kernel, values) {
  const fields = [...kernel.extents.map(number_field), ...kernel.parameters.map(value_field)];
  for (const label of fields) {
    const field = label.querySelector("input, select");
    if (values.has(field.name)) field.value = values.get(field.name);
  }
  return fields;
}

export const kernel_of = (id) => kernels.find((kernel) => kernel.id === id);

/// "tiled:T=16,size=512,cc=1.0", as lessons write a launch, as its kernel's name and its values.
export function parts_of(launch) {
  const [subject, values = ""] = launch.split(":");
  return { subject, values: new Map(values.split(",").filter(Boolean).map((part) => part.split("="))) };
}

function number_field(extent) {
  const input = element("input", { type: "number", name: extent.name, value: extent.default, min: 1, max: extent.most, required: true, title: extent.label });
  return element("label", {}, element("span", { textContent: extent.name }), input);
}

function value_field(parameter) {
  const select = element("select", { name: parameter.name, title: parameter.label });
  for (const value of parameter.values) select.append(element("option", { value, textContent: value, selected: value === parameter.default }));
  return element("label", {}, element("span", { textContent: parameter.label }), select);
}

export const chosen_kernel = () => kernel_of(by_id("kernel").value);

/// Fields of the kernel that is chosen; those that the last one had too keep their values.
export function show_fields() {
  const kernel = chosen_kernel(), kept = new FormData(by_id("launch"));
  by_id("extents").replaceChildren(...kernel.extents.map(number_field));
  by_id("parameters").replaceChildren(...kernel.parameters.map(value_field));
  by_id("type").replaceChildren(...kernel.types.map((type) => element("option", { value: type, textContent: type })));
  by_id("type_label").hidden = kernel.types.length < 2;
  by_id("shows").textContent = kernel.shows;
  for (const [name, value] of kept) set_field(name, value);
}

/// Sets a field to a value that it can have.
export function set_field(name, value) {
  const field = by_id("launch").elements[name];
  if (field instanceof HTMLSelectElement && [...field.options].some((option) => option.value === String(value))) field.value = value;
  if (field instanceof HTMLInputElement && Number(value) >= 1 && Number(value) <= Number(field.max)) field.value = value;
}

export function set_kernels(of_module, rules) {
  const kernel = by_id("kernel"), before = kernel.value || "tiled", cc = by_id("rules").value || "9.0";
  kernels = of_module;
  const groups = new Map();
  for (const { id, group } of kernels) {
    if (!groups.has(group)) groups.set(group, element("optgroup", { label: group }));
    groups.get(group).append(element("option", { value: id, textContent: id }));
  }
  kernel.replaceChildren(...groups.values());
  kernel.value = before;
  for (const select of [by_id("rules"), ...document.querySelectorAll(".all_rules")]) {
    const chosen = select.value || cc;
    select.replaceChildren(...rules.map((rule) => element("option", { value: rule.cc, textContent: `${rule.cc} ${rule.architecture}`, title: rule.note })));
    select.value = chosen;
  }
  show_fields();
}

/// The request that opens what the menus say.
export function launch_request() {
  const kernel = chosen_kernel(), fields = by_id("launch").elements;
  const request = { do: "open", subject: kernel.id, cc: by_id("rules").value, type: by_id("type").value };
  for (const { name } of kernel.extents) request[name] = Number(fields[name].value);
  request.set = kernel.parameters.map(({ name }) => `${name}=${fields[name].value}`);
  return request;
}
