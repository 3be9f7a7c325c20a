// A folder with some files that is gone after the test.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** What a path is to hold: text or bytes, an object as JSON, or something by hand. */
export type Content = string | Uint8Array | object | ((file: string) => void);

export function temporaryFolder(files: Readonly<Record<string, Content>> = {}): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-test-')));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  writeFiles(folder, files);
  return folder;
}

export function writeFiles(folder: string, files: Readonly<Record<string, Content>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    if (typeof content === 'function') content(file);
    else if (typeof content === 'string' || content instanceof Uint8Array) fs.writeFileSync(file, content);
    else fs.writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
  }
}

/** Content that is a program. */
export function program(text = '#!/bin/sh\n'): Content {
  return (file) => fs.writeFileSync(file, text, { mode: 0o755 });
}

/** Content that is a symbolic link. */
export function link(target: string): Content {
  return (file) => fs.symlinkSync(target, file);
}

/** Content that is a named pipe: a reader waits for a writer. */
export function namedPipe(): (file: string) => void {
  return (file) => void execFileSync('/usr/bin/env', ['mkfifo', file], { stdio: 'ignore' });
}
