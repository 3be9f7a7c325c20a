import { expect, it } from 'vitest';
import type { Manifest } from '../../../definition/manifest.ts';
import { createTerminals } from '../terminal.ts';
import { manifestDiff, manifestLines } from './stage.ts';

const before: Manifest = {
  name: 'dice',
  version: '1.0.0',
  dialect: 'mcp',
  tools: [{ name: 'roll', description: 'Rolls.' }, { name: 'old' }],
  raw: null,
};

it('finds nothing where nothing is different', async () => {
  expect(await manifestDiff(before, structuredClone(before))).toBeUndefined();
});

it('tells what was added, removed and changed, and the facts', async () => {
  const after: Manifest = {
    ...before,
    version: '1.1.0',
    tools: [{ name: 'roll', description: 'Rolls dice.' }, { name: 'flip' }],
  };
  const diff = await manifestDiff(before, after);
  expect(diff).toEqual({
    added: ['flip'],
    removed: ['old'],
    changed: [{ tool: 'roll', diff: ' {\n-  "description": "Rolls."\n+  "description": "Rolls dice."\n }' }],
    facts: [{ what: 'version', before: '1.0.0', after: '1.1.0' }],
  });
  const { out } = createTerminals({
    stdout: process.stdout,
    stderr: process.stderr,
    env: { FORCE_COLOR: '0' },
  });
  expect(manifestLines(after, diff, out)).toEqual([
    '✓ dice 1.1.0 speaks mcp · 2 tools',
    '  ~ version: 1.0.0 → 1.1.0',
    '  + flip',
    '  - old',
    '  ~ roll',
    '       {',
    '      -  "description": "Rolls."',
    '      +  "description": "Rolls dice."',
    '       }',
  ]);
});
