import fs from 'node:fs';
import { expect, it } from 'vitest';
import { findings } from './finding.ts';

it('docs/doctor.md has a line for each finding, as bad as it is, and for no other', () => {
  const text = fs.readFileSync(new URL('../../../docs/doctor.md', import.meta.url), 'utf8');
  const documented = [...text.matchAll(/^\| `([\w-]+)` \| (\w+) \| ([^|]+) \| [^|]+ \|$/gm)].map(
    ([, code, severity, what]) => [code, [severity, what]],
  );
  expect(Object.fromEntries(documented)).toEqual(findings);
});
