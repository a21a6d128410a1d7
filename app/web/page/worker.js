// Runs the module, so that the page never waits for it.
import { Module } from "./module.js";

const started = start();

async function start() {
  const response = await fetch("warplens.wasm");
  if (!response.ok) throw new Error(`warplens.wasm: ${response.status} ${response.statusText}`);
  // Some servers do not know the type, without which the module cannot be compiled while it arrives.
  return new Module(await WebAssembly.compile(await response.arrayBuffer()));
}

function answer_of(module, { request, files, reads }) {
  for (const { name, bytes } of files ?? []) module.files.contents.set(name, bytes);
  const answer = module.answer(request);
  return reads === undefined ? { answer } : { answer, file: module.files.contents.get(reads) };
}

onmessage = async ({ data }) => {
  try {
    postMessage({ id: data.id, ...answer_of(await started, data) });
  } catch (ended) {
    postMessage({ id: data.id, ended: String(ended.message ?? ended) });
  }
};
