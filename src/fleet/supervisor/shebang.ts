// The first line of a script, which names its interpreter.
import fs from 'node:fs';
import path from 'node:path';

export interface Shebang {
  /** The line as it stands, without its end. */
  readonly line: string;
  /** The program that is named; for `/usr/bin/env NAME` the name that is looked up in PATH. */
  readonly program: string;
  readonly args: readonly string[];
  readonly viaEnv: boolean;
  /** The line ends in CR LF: the system takes the CR for a part of the name. */
  readonly hasCarriageReturn: boolean;
}

/** Undefined when the file has none or cannot be read. */
export function readShebang(file: string): Shebang | undefined {
  const start = firstBytes(file);
  if (!start.startsWith('#!')) return undefined;
  const [first = ''] = start.split('\n', 1);
  const line = first.trimEnd();
  const [interpreter = '', ...rest] = line.slice(2).trim().split(/\s+/);
  const viaEnv = path.basename(interpreter) === 'env';
  const words = viaEnv ? rest.filter((word) => word !== '-S') : [interpreter, ...rest];
  const [program = '', ...args] = words;
  return { line, program, args, viaEnv, hasCarriageReturn: first.endsWith('\r') };
}

/** The first bytes of Windows programs. */
export function isWindowsProgram(file: string): boolean {
  return firstBytes(file).startsWith('MZ');
}

function firstBytes(file: string): string {
  const buffer = Buffer.alloc(512);
  try {
    // To open a pipe would wait for ever.
    if (!fs.statSync(file).isFile()) return '';
    const descriptor = fs.openSync(file, 'r');
    try {
      return buffer.toString('latin1', 0, fs.readSync(descriptor, buffer));
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return '';
  }
}
