// Node modules for code that a plugin loads at its start. An `import` of one loads all of its dependencies, such as streams for `fs` and sockets for
// `tty`, which takes as long as everything else that a plugin loads; here they are loaded on first use.

/** Call it where the module is used, not at the top of a file. `node:child_process` is not here: layer rules must see its importers. */
export const builtins = {
  get buffer() {
    return process.getBuiltinModule('node:buffer');
  },
  get console() {
    return process.getBuiltinModule('node:console');
  },
  get crypto() {
    return process.getBuiltinModule('node:crypto');
  },
  get fs() {
    return process.getBuiltinModule('node:fs');
  },
  get https() {
    return process.getBuiltinModule('node:https');
  },
  get module() {
    return process.getBuiltinModule('node:module');
  },
  get net() {
    return process.getBuiltinModule('node:net');
  },
  get os() {
    return process.getBuiltinModule('node:os');
  },
  get path() {
    return process.getBuiltinModule('node:path');
  },
  get stream() {
    return process.getBuiltinModule('node:stream');
  },
  get stringDecoder() {
    return process.getBuiltinModule('node:string_decoder');
  },
  get threads() {
    return process.getBuiltinModule('node:worker_threads');
  },
  get tty() {
    return process.getBuiltinModule('node:tty');
  },
  get util() {
    return process.getBuiltinModule('node:util');
  },
  get vm() {
    return process.getBuiltinModule('node:vm');
  },
};
