// Accesses of one's own: the playground, and tables of them.
import { ask, ask_latest } from "./client.js";
import { by_id, clear_error, show_error, table_element, working } from "./page_parts.js";
import { show_opened, shown } from "./views.js";

const kExample = `op,bytes_per_lane,active_mask,lane_byte_offsets
shared_load,4,0xffffffff,${Array.from({ length: 32 }, (_, lane) => lane * 4).join(" ")}
shared_load,4,0xffffffff,${Array.from({ length: 32 }, (_, lane) => lane * 128).join(" ")}
`;

function playground_request() {
  const request = { do: "playground" };
  for (const [name, value] of new FormData(by_id("playground")))
    request[name] = ["space", "op", "items", "cc"].includes(name) ? value : Math.trunc(Number(value));
  return request;
}

export function play() {
  const request = playground_request();
  shown.view = request.space === "global" ? "coalescing" : "banks";
  ask_latest("playground", request, (answer) => (clear_error(), show_opened(answer)), show_error);
}

export async function predict() {
  const { csv } = await ask({ do: "pattern", csv: by_id("csv").value, cc: by_id("pattern_rules").value });
  by_id("predictions").replaceChildren(table_element(csv));
}

export function listen() {
  by_id("csv").value = kExample;
  by_id("playground").addEventListener("input", play);
  by_id("playground").addEventListener("submit", (event) => event.preventDefault());
  by_id("patterns").addEventListener("submit", (event) => (event.preventDefault(), working(predict)));
}
