// docs/permissions.md, the schema and the tables in the code say the same.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, documents, read } from '../../../test/support/markdown.ts';
import { root } from '../../../test/support/project.ts';
import { describeProblem } from '../../fleet/discovery/problem.ts';
import { parsePermissions } from './file/parse-permissions.ts';
import { dangerousCommands } from './sanitization/dangerous-commands.ts';
import { type EscapeRow, escapeTable } from './shell/escape-table.ts';

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
  const example = examples.find(({ document }) => document === 'docs/permissions.md')?.text ?? '';
  const rare = new Set(['$schema', 'endpoint', 'headers', 'auth_token', 'base_path', 'poll_interval']);
  const missing = keys().filter(
    (key) =>
      !example.includes(`"${key}":`) &&
      !(rare.has(key) && (key === '$schema' || page.includes(`\`${key}\``))),
  );
  expect(missing).toEqual([]);
});

test('every program that can run another one is there, with the words', () => {
  expect(page.split('\n')).toEqual(expect.arrayContaining(escapeTable.map(rowOf)));
});

test('every dangerous command is there', () => {
  const [, list = ''] = page.split('## Dangerous commands');
  const [first = ''] = list.split('## ');
  expect([...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name)).toEqual([...dangerousCommands]);
});

function rowOf(row: EscapeRow): string {
  const programs = row.programs.split(' ').map(code).join(' ');
  const words = [
    ...(row.everything ? ['every argument'] : []),
    ...(row.options ? [row.options.split(' ').map(code).join(' ')] : []),
    ...(row.subcommands ? [row.subcommands.split(' ').map(code).join(' ')] : []),
    ...(row.script ? ['scripts that run, write or read something'] : []),
    ...(row.start ? [`words like ${code(row.start.source.startsWith('^\\+') ? '+…' : 'NAME=…')}`] : []),
    ...(row.readsInput ? ['nothing but options'] : []),
  ];
  return `| ${programs} | ${words.join('; ')} |`;
}

function code(word: string): string {
  return `\`${word}\``;
}

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
