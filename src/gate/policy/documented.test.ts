// docs/permissions.md, the schema and the tables in the code say the same.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, documents, read } from '../../../test/support/markdown.ts';
import { root } from '../../../test/support/project.ts';
import { describeProblem } from '../../fleet/discovery/problem.ts';
import { parsePermissions } from './file/parse-permissions.ts';
import { dangerousCommands } from './sanitization/sanitize.ts';
import { readOnlyPrograms } from './shell/read-only.ts';

const page = read('docs/permissions.md');
const examples = documents()
  .flatMap(blocksOf)
  .filter(({ language, label }) => language === 'json' && label === 'permissions.json');

test.for(examples.map(({ at, text }) => [at, text] as const))(
  'the permissions.json at %s is right',
  async ([, text]) => {
    const { problems } = await parsePermissions('permissions.json', text);
    expect(problems.map(describeProblem)).toEqual([]);
  },
);

test('every key has an example, or a word', () => {
  const example = examples
    .filter(({ document }) => document === 'docs/permissions.md')
    .map(({ text }) => text)
    .join('\n');
  const rare = new Set(['$schema', 'endpoint', 'headers', 'auth_token', 'base_path', 'poll_interval']);
  const missing = keys().filter(
    (key) =>
      !example.includes(`"${key}":`) &&
      !(rare.has(key) && (key === '$schema' || page.includes(`\`${key}\``))),
  );
  expect(missing).toEqual([]);
});

test('every command that only reads is there', () => {
  const namesAt = (start: string) => {
    const line = page.split('\n').find((one) => one.startsWith(start)) ?? '';
    return [...line.matchAll(/`([\w-]+)(?: [^`]*)?`/g)].map(([, name]) => name);
  };
  expect(namesAt('- `git`: ')).toEqual(['git', ...readOnlyPrograms.git]);
  expect(namesAt('- `basename`')).toEqual(readOnlyPrograms.others);
});

test('every dangerous command is there', () => {
  const [, list = ''] = page.split('## Dangerous commands');
  const [first = ''] = list.split('## ');
  expect([...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name)).toEqual([...dangerousCommands]);
});

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

function keys(): string[] {
  // Our own file.
  const schema = JSON.parse(
    fs.readFileSync(path.join(root, 'schemas/permissions.schema.json'), 'utf8'),
  ) as Schema;
  const all = [schema, ...Object.values(schema.definitions ?? {})].flatMap(({ properties }) =>
    Object.keys(properties ?? {}),
  );
  return [...new Set(all)];
}
