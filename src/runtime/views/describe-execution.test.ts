import { expect, test } from 'vitest';
import { describeExecution } from './local-runtime.ts';

test('says of each command where it runs', () => {
  const sandbox = { access: 'read-only', network: false, folders: [] } as const;
  const install = {
    access: 'writable',
    network: true,
    folders: [{ path: '~/.npm', access: 'writable' }],
  } as const;
  expect(
    describeExecution({
      kind: 'words',
      steps: [
        { after: ';', pipeline: [{ words: ['git', 'log', 'a b'], sandbox }] },
        {
          after: '&&',
          pipeline: [
            { words: ['npm', 'install'], sandbox: install },
            { words: ['tee'], sandbox: undefined },
          ],
        },
      ],
    }),
  ).toEqual([
    "git log 'a b': in the sandbox, project read-only, no network",
    'npm install: in the sandbox, project writable, with network, ~/.npm writable',
    'tee: without a shell, outside of the sandbox',
  ]);
  expect(describeExecution({ kind: 'as-written' })).toEqual([
    'in bash as it is written, outside of the sandbox',
  ]);
});
