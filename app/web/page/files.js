// The files that the module sees: those that were opened in the page, in its memory, below one folder.
// Written as WASI's preview 1 has it; what the module does not call is not here.
const kBadDescriptor = 8, kExists = 20, kNoEntry = 44, kNotSupported = 58;
const kRegularFile = 4, kFolder = 3, kFolderDescriptor = 3;

export class Files {
  constructor() {
    this.contents = new Map(); // Name to Uint8Array
    this.open = new Map(); // Descriptor to {name, at}
    this.printed = "";
    this.memory = null; // Of the module, once there is one
  }

  /// The functions that the module imports.
  imports() {
    const view = () => new DataView(this.memory.buffer);
    const bytes = (at, count) => new Uint8Array(this.memory.buffer, at, count);
    const text = (at, count) => new TextDecoder().decode(bytes(at, count).slice());
    const pieces = (at, count) => Array.from({ length: count }, (_, i) => {
      const address = view().getUint32(at + 8 * i, true);
      return bytes(address, view().getUint32(at + 8 * i + 4, true));
    });
    const write_status = (at, type, size) => {
      bytes(at, 64).fill(0);
      view().setUint8(at + 16, type);
      view().setBigUint64(at + 32, BigInt(size), true);
    };
    return {
      environ_sizes_get: (count, size) => (view().setUint32(count, 0, true), view().setUint32(size, 0, true), 0),
      environ_get: () => 0,
      clock_time_get: (clock, precision, at) => {
        view().setBigUint64(at, BigInt(Math.round((clock === 0 ? Date.now() : performance.now()) * 1e6)), true);
        return 0;
      },
      fd_prestat_get: (descriptor, at) => {
        if (descriptor !== kFolderDescriptor) return kBadDescriptor;
        view().setUint32(at, 0, true);
        view().setUint32(at + 4, 1, true);
        return 0;
      },
      fd_prestat_dir_name: (descriptor, at) => (bytes(at, 1)[0] = "/".charCodeAt(0), 0),
      fd_fdstat_get: (descriptor, at) => {
        bytes(at, 24).fill(0);
        view().setUint8(at, descriptor === kFolderDescriptor ? kFolder : kRegularFile);
        view().setBigUint64(at + 8, 0xffffffffffffffffn, true);
        view().setBigUint64(at + 16, 0xffffffffffffffffn, true);
        return 0;
      },
      fd_fdstat_set_flags: () => 0,
      path_filestat_get: (folder, flags, at, count, status) => {
        const name = text(at, count);
        if (name === "." || name === "") return write_status(status, kFolder, 0), 0;
        const found = this.contents.get(name);
        if (found === undefined) return kNoEntry;
        write_status(status, kRegularFile, found.length);
        return 0;
      },
      path_open: (folder, lookup, at, count, how, rights, inherited, flags, opened) => {
        const name = text(at, count), creates = (how & 1) !== 0, exclusive = (how & 4) !== 0;
        if (!creates && !this.contents.has(name)) return kNoEntry;
        if (exclusive && this.contents.has(name)) return kExists;
        if (!this.contents.has(name) || (how & 8) !== 0) this.contents.set(name, new Uint8Array(0));
        let descriptor = kFolderDescriptor + 1;
        while (this.open.has(descriptor)) ++descriptor;
        this.open.set(descriptor, { name, at: 0 });
        view().setUint32(opened, descriptor, true);
        return 0;
      },
      fd_close: (descriptor) => (this.open.delete(descriptor) ? 0 : kBadDescriptor),
      fd_read: (descriptor, at, count, read) => {
        const file = this.open.get(descriptor);
        if (file === undefined) return kBadDescriptor;
        let total = 0;
        for (const piece of pieces(at, count)) {
          const part = this.contents.get(file.name).subarray(file.at, file.at + piece.length);
          piece.set(part);
          file.at += part.length;
          total += part.length;
        }
        view().setUint32(read, total, true);
        return 0;
      },
      fd_write: (descriptor, at, count, written) => {
        let total = 0;
        for (const piece of pieces(at, count)) {
          this.write(descriptor, piece);
          total += piece.length;
        }
        view().setUint32(written, total, true);
        return 0;
      },
      fd_seek: (descriptor, offset, whence, at) => {
        const file = this.open.get(descriptor);
        if (file === undefined) return kBadDescriptor;
        const from = [0, file.at, this.contents.get(file.name).length][whence];
        file.at = from + Number(offset);
        view().setBigUint64(at, BigInt(file.at), true);
        return 0;
      },
      fd_readdir: (descriptor, at, size, cookie, used) => (view().setUint32(used, 0, true), 0),
      path_unlink_file: (folder, at, count) => (this.contents.delete(text(at, count)) ? 0 : kNoEntry),
      path_readlink: () => kNotSupported,
      path_create_directory: () => kNotSupported,
      path_remove_directory: () => kNotSupported,
      poll_oneoff: () => kNotSupported,
      sched_yield: () => 0,
      proc_exit: (status) => {
        throw new Error(`the module ended with status ${status}`);
      },
    };
  }

  write(descriptor, piece) {
    const file = this.open.get(descriptor);
    if (file === undefined) {
      this.printed += new TextDecoder().decode(piece.slice());
      return;
    }
    const before = this.contents.get(file.name), end = file.at + piece.length;
    const after = new Uint8Array(Math.max(before.length, end));
    after.set(before);
    after.set(piece, file.at);
    this.contents.set(file.name, after);
    file.at = end;
  }
}
