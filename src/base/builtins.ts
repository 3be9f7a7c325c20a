// Modules of Node for what a plugin loads at its start. An `import` of one loads all that it could ever need, streams for `fs` and sockets for
// `tty`, which takes as long as everything else that a plugin loads; from here they are loaded when they are first used.

/** To be asked where they are used, not at the top of a module. Whoever starts processes imports `node:child_process`, where it is seen. */
export const builtins = {
  get buffer() {
    return process.getBuiltinModule('node:buffer');
  },
  get console() {
    return process.getBuiltinModule('node:console');
  },
  get fs() {
    return process.getBuiltinModule('node:fs');
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
