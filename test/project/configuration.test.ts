// docs/configuration.md, the schema and the reader of pluglot.json say the same.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { hostDialects } from '../../src/dialect/hosts.ts';
import { parseConfig } from '../../src/fleet/discovery/config-file.ts';
import { describeProblem } from '../../src/fleet/discovery/problem.ts';
import { readJson } from '../../src/fleet/discovery/json-reader.ts';
import { blocksOf, documents, read } from '../support/markdown.ts';
import { root } from '../support/project.ts';

interface Schema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly definitions: Readonly<
    Record<string, { readonly properties: Readonly<Record<string, { readonly enum?: string[] }>> }>
  >;
}

// Our own file.
const schema = JSON.parse(fs.readFileSync(path.join(root, 'schemas/pluglot.schema.json'), 'utf8')) as Schema;
const page = read('docs/configuration.md');
const blocks = documents()
  .flatMap(blocksOf)
  .filter(({ language }) => language === 'json');

test.for(blocks.map(({ at, text }) => [at, text] as const))('the JSON at %s can be read', ([, text]) => {
  expect(readJson(text, { syntax: 'jsonc' })).toMatchObject({ ok: true });
});

const examples = blocks.filter(({ label }) => label === 'pluglot.json');

test.for(examples.map(({ at, text }) => [at, text] as const))(
  'the pluglot.json at %s is right',
  async ([, text]) => {
    const { problems } = await parseConfig('pluglot.json', text);
    expect(problems.map(describeProblem)).toEqual([]);
  },
);

describe.each([
  ['pluglot.json', Object.keys(schema.properties)],
  ['A plugin', keysOf('plugin')],
  ['limits', keysOf('limits')],
  ['restart', keysOf('restart')],
  ['gate', keysOf('gate')],
  ['gate.limits', keysOf('gateLimits')],
  ['gate.output', keysOf('gateOutput')],
  ['gate.classes', keysOf('classes')],
  ['gate.approver', keysOf('approver')],
  ['gate.audit', keysOf('audit')],
  ['gate.audit.sendHead', keysOf('sendHead')],
  ['server', keysOf('server')],
  ['A profile', keysOf('profile')],
])('%s', (title, keys) => {
  test('every key has a row, and every row a key', () => {
    const rows = [...section(title).matchAll(/^\| `(\$?\w+)` \|/gm)].map(([, key]) => key);
    expect(rows).toEqual(keys);
  });

  test('every key that is used has an example', () => {
    const later = new Set(['model']);
    const text = examples.map((example) => example.text).join('');
    expect(keys.filter((key) => !later.has(key) && !text.includes(`"${key}":`))).toEqual([]);
  });
});

test('the schema knows the dialects that there are', () => {
  expect(schema.definitions['plugin']?.properties['dialect']?.enum).toEqual(Object.keys(hostDialects).sort());
});

function keysOf(definition: string): string[] {
  return Object.keys(schema.definitions[definition]?.properties ?? {});
}

/** From a heading to the next. */
function section(title: string): string {
  const [, rest = ''] = page.split(new RegExp(`^#+ ${title}$`, 'm'));
  return rest.split(/^#+ /m)[0] ?? '';
}
