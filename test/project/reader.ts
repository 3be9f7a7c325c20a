// A reader who types what a document says, in a folder where the examples are.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { environment, program } from '../support/surface/command-line.ts';
import { execute, type Ran, root } from '../support/project.ts';
import { shellWords } from '../support/shell-words.ts';

export interface Reader {
  /** A line that begins with `pluglot`. */
  type(line: string): Promise<Ran>;
}

/** To be called where tests are declared: the folder is there for all of them, and gone after the last. */
export function temporaryReader(): Reader {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pluglot-reader-')));
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  const cwd = path.join(folder, 'project');
  fs.mkdirSync(cwd);
  fs.symlinkSync(path.join(root, 'examples'), path.join(cwd, 'examples'));
  // For examples in TypeScript: the one thing that a reader has to install for them.
  fs.mkdirSync(path.join(cwd, 'node_modules'));
  fs.symlinkSync(path.join(root, 'node_modules/tsx'), path.join(cwd, 'node_modules/tsx'));
  fs.copyFileSync(path.join(root, 'README.md'), path.join(cwd, 'README.md'));
  const bin = path.join(folder, 'bin');
  fs.mkdirSync(bin);
  fs.writeFileSync(
    path.join(bin, 'pluglot'),
    `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(program)} "$@"\n`,
    { mode: 0o755 },
  );
  const PATH = [bin, process.env['PATH']].join(path.delimiter);
  return {
    type(line) {
      const words = shellWords(line.replace(/^(npx )?pluglot\s*/, ''));
      const env = environment({ home: folder, env: { PATH } });
      return execute(process.execPath, [program, ...words], { cwd, env });
    },
  };
}
