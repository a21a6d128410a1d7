// Asks the worker. Of requests of one kind that wait, only the last is asked.
let worker = start_worker();
const waiting = new Map(); // Identity to what resolves and rejects
const latest = new Map(); // Kind to what is to be asked next, or null while one is under way
let asked = 0;

function start_worker() {
  const started = new Worker("worker.js", { type: "module" });
  started.onmessage = ({ data }) => {
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.ended !== undefined) reject({ crashed: true, what: data.ended, where: "", hint: "" });
    else if (data.answer.error) reject(data.answer.error);
    else resolve(data);
  };
  return started;
}

/// Ends what the worker does, and starts another one, in which nothing is open. What was asked fails with `what`.
export function stop(what) {
  worker.terminate();
  worker = start_worker();
  const left = [...waiting.values()];
  waiting.clear();
  for (const { reject } of left) reject({ what, where: "", hint: "" });
}

/// The answer. Rejects with {what, where, hint}. `more`: files that the module is to see, and the name of one
/// that it writes.
export async function ask(request, more = {}) {
  return (await ask_with_file(request, more)).answer;
}

export function ask_with_file(request, more = {}) {
  return new Promise((resolve, reject) => {
    waiting.set(++asked, { resolve, reject });
    worker.postMessage({ id: asked, request, ...more });
  });
}

/// Calls `use` with the answer, unless another request of the kind has come since.
export async function ask_latest(kind, request, use, fail) {
  if (latest.has(kind)) {
    latest.set(kind, { request, use, fail });
    return;
  }
  latest.set(kind, null);
  try {
    const answer = await ask(request);
    if (latest.get(kind) === null) use(answer);
  } catch (error) {
    if (latest.get(kind) === null) fail(error);
  }
  const next = latest.get(kind);
  latest.delete(kind);
  if (next !== null) ask_latest(kind, next.request, next.use, next.fail);
}
