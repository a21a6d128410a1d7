// warplens.wasm as a function from a request to its answer, both objects.
import { Files } from "./files.js";

export class Module {
  /// `compiled`: a WebAssembly.Module.
  constructor(compiled) {
    this.compiled = compiled;
    this.files = new Files();
    this.start();
  }

  start() {
    this.files.open.clear();
    const instance = new WebAssembly.Instance(this.compiled, { wasi_snapshot_preview1: this.files.imports() });
    this.functions = instance.exports;
    this.files.memory = instance.exports.memory;
    instance.exports._initialize();
  }

  /// The answer as the module wrote it. Throws what the module ended with; it is started anew then, with
  /// nothing open.
  answer_text(request) {
    try {
      const bytes = new TextEncoder().encode(JSON.stringify(request));
      const at = this.functions.warplens_allocate(bytes.length);
      new Uint8Array(this.files.memory.buffer, at, bytes.length).set(bytes);
      const answer = this.functions.warplens_answer(at, bytes.length) >>> 0;
      const count = this.functions.warplens_answer_bytes() >>> 0;
      return new TextDecoder().decode(new Uint8Array(this.files.memory.buffer, answer, count).slice());
    } catch (ended) {
      this.start();
      throw ended;
    }
  }

  answer(request) {
    return JSON.parse(this.answer_text(request));
  }
}
