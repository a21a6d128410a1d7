// Files: recordings, PTX and tables of accesses, opened from the disk, dropped, or fetched.
import { ask, ask_with_file } from "./client.js";
import { by_id, download, show_error, words, working } from "./page_parts.js";
import { show_opened, shown } from "./views.js";

let ptx = null; // The name of the PTX that is to be launched

const extension_of = (name) => name.slice(name.lastIndexOf(".")).toLowerCase();
/// A name that cannot leave the module's folder.
const safe_name = (name) => name.replaceAll(/[/\\\0]/g, "_").replace(/^\.+/, "_");

async function open_named(name, extra = {}, files = []) {
  show_opened(await ask({ do: "open", subject: name, cc: by_id("rules").value, ...extra }, { files }));
}

export async function open_bytes(given_name, bytes, show_patterns, from = "file") {
  const name = safe_name(given_name), extension = extension_of(name);
  by_id("file_launch").hidden = true;
  if (extension === ".csv") return show_patterns(new TextDecoder().decode(bytes));
  if (![".wlr", ".ptx", ".cu", ".cuh", ".py"].includes(extension)) throw { what: `${given_name}: ${words.no_file}` };
  ptx = extension === ".ptx" ? name : null;
  shown.from = from;
  by_id("files").open = true;
  try {
    await open_named(name, {}, [{ name, bytes }]);
  } catch (error) {
    by_id("file_launch").hidden = ptx === null; // What is missing can be said there
    throw error;
  }
}

/// Fetches by the rules of other sites (CORS), and says so where they forbid it.
export async function open_address(address, show_patterns) {
  let response;
  try {
    response = await fetch(address, { credentials: "omit" });
  } catch {
    throw { what: words.no_fetch, where: address };
  }
  if (!response.ok) throw { what: `${response.status} ${response.statusText}`, where: address };
  const name = decodeURIComponent(new URL(address, location.href).pathname.split("/").at(-1));
  await open_bytes(name, new Uint8Array(await response.arrayBuffer()), show_patterns, "address");
}

function launch_ptx() {
  const lines = by_id("arguments").value.split("\n").map((line) => line.trim()).filter(Boolean);
  return open_named(ptx, { entry: by_id("entry").value, grid: by_id("grid").value, block: by_id("block_shape").value, arguments: lines });
}

export function listen(show_patterns) {
  const open = (file) => file && working(async () => open_bytes(file.name, new Uint8Array(await file.arrayBuffer()), show_patterns));
  by_id("file").addEventListener("change", ({ target }) => open(target.files[0]));
  document.addEventListener("dragover", (event) => (event.preventDefault(), document.body.classList.add("over")));
  document.addEventListener("dragleave", () => document.body.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("over");
    open(event.dataTransfer.files[0]);
  });
  by_id("file_launch").addEventListener("submit", (event) => (event.preventDefault(), working(launch_ptx)));
  by_id("save").addEventListener("click", () => working(async () => {
    const name = `${safe_name(shown.opened.kernel).replaceAll(/[^\w.-]/g, "_")}.wlr`;
    const { file } = await ask_with_file({ do: "save", file: name }, { reads: name });
    download(file, name, "application/octet-stream");
  }));
}
