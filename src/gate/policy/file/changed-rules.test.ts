import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { changedRules, unreported } from './read-permissions.ts';
import type { PermissionsFile } from './permissions-file.ts';

function changed(content: PermissionsFile): readonly string[] {
  return changedRules([{ file: '/p.json', folder: '/', trusted: true, content }]);
}

test('says what rules allow now that they did not, and the other way', () => {
  expect(
    changed({
      whitelist: { tools: ['g*'], patterns: ['read(path=src/*)'] },
      classes: { readOnly: { patterns: ['get(a=1, b=2)'] } },
    }),
  ).toEqual([
    '/p.json: the rule "g*" names tools by their own names now, of no matter which plugin. For all tools of a plugin, write PLUGIN__*.',
    '/p.json: the rule "read(path=src/*)" allows calls with further arguments too now. For those without, write "read(path=src/*, !*)".',
    '/p.json: the rule "get(a=1, b=2)" allows calls with further arguments too now. For those without, write "get(a=1, b=2, !*)".',
  ]);
});

test('says nothing of rules that mean what they did', () => {
  expect(
    changed({
      whitelist: {
        tools: ['*', 'gh__*', 'read'],
        patterns: ['read(*)', 'read(path=a, *)', 'read()', 'git *'],
      },
      blacklist: { patterns: ['read(path=a)'] },
      allow: ['read(path=src/*)', 'g*'],
    }),
  ).toEqual([]);
});

test('each is reported once, also by another process', async () => {
  const file = `${temporaryFolder()}/state/reported-rules.json`;
  expect(await unreported(['a', 'b'], file)).toEqual(['a', 'b']);
  expect(await unreported(['a', 'b', 'c'], file)).toEqual(['c']);
  expect(await unreported(['a', 'c'], file)).toEqual([]);
});
