import fs from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { PLUGIN_NAME } from '../../definition/plugin-spec.ts';
import { parseConfig, readConfigFile } from './config-file.ts';
import { describeProblem } from './problem.ts';

test('reads plugins, folders and limits, with comments and last commas', async () => {
  const parsed = await parseConfig(
    'pluglot.json',
    `{
  // Plugins of ours
  "plugins": {
    "gh": { "command": "gh-plugin", "args": ["serve"], "limits": { "callMs": 5000, }, },
    /* reached */ "docs": { "url": "https://example.com/mcp" },
  },
  "folders": ["./plugins", "~/plugins"],
  "limits": { "startMs": 20000 },
  "gate": { "builtIns": false }, "model": {}, "server": {}, "profiles": {},
}`,
  );
  expect(parsed).toEqual({
    usable: true,
    problems: [],
    plugins: [
      { name: 'gh', line: 4, entry: { command: 'gh-plugin', args: ['serve'], limits: { callMs: 5000 } } },
      { name: 'docs', line: 5, entry: { url: 'https://example.com/mcp' } },
    ],
    folders: [
      { folder: './plugins', line: 7 },
      { folder: '~/plugins', line: 7 },
    ],
    limits: { startMs: 20_000 },
    gate: { value: { builtIns: false }, line: 9, isBroken: false },
    server: { value: {}, line: 9, isBroken: false },
    profiles: { value: {}, line: 9, isBroken: false },
  });
});

test.for([
  [
    `{\n "plugins": {\n  "a": {"command": "x"\n  "b": {}\n }\n}`,
    `p.json:4:3: invalid JSON: expected "," or "}", found text in quotes. Correct the line; until then the file is left out.`,
  ],
  [`{"plugin": {}}`, `p.json:1: plugin: unknown key. Did you mean "plugins"?`],
  [`{"plugins": {"a": {"comand": "x"}}}`, `p.json:1: plugins.a.comand: unknown key. Did you mean "command"?`],
  [
    `{"plugins": {"a": {\n"command": "x",\n"idleStop": 5}}}`,
    `p.json:3: plugins.a.idleStop: unknown key. Did you mean "idleStopMs"?`,
  ],
  [
    `{"limits": {"whatever": 5}}`,
    `p.json:1: limits.whatever: unknown key. Known are startMs, callMs, pingEveryMs, pingMs, ackMs, talkMs, healthMs, shutdownMs, termMs, cancelMs, messageBytes.`,
  ],
  [
    `{"limits": {"callMs": "30s"}}`,
    `p.json:1: limits.callMs: expected whole milliseconds, found text "30s". Write 30000.`,
  ],
  [
    `{"limits": {"callMs": 1.5}}`,
    `p.json:1: limits.callMs: expected whole milliseconds, found a number with a fraction. Write 5000 for five seconds.`,
  ],
  [`{"limits": {"callMs": -1}}`, `p.json:1: limits.callMs: expected at least 0, found -1. Raise it.`],
  [
    `{"limits": {"callMs": 1e12}}`,
    `p.json:1: limits.callMs: expected at most 2147483647, found 1000000000000. Lower it.`,
  ],
  [
    `{"plugins": {"a": {"command": "x", "args": "serve"}}}`,
    `p.json:1: plugins.a.args: expected a list, found text. Write it like ["one", "two"].`,
  ],
  [
    `{"plugins": {"a": {"command": "x", "env": {"TOKEN": 12345}}}}`,
    `p.json:1: plugins.a.env.TOKEN: expected text, found a number. Write it like "text".`,
  ],
  [
    `{"plugins": {"a": {"command": "x", "dialect": "gasist"}}}`,
    `p.json:1: plugins.a.dialect: expected one of gassist, gevals, mcp, planner, yams, found text "gasist". Did you mean "gassist"?`,
  ],
  [
    `{"plugins": {"a": {"command": "x", "liveness": 3}}}`,
    `p.json:1: plugins.a.liveness: expected one of lenient, strict, off, found a number. Write "lenient".`,
  ],
  [
    `{"plugins": {"a": {"command": ""}}}`,
    `p.json:1: plugins.a.command: expected some text, found an empty one. Fill it in, or leave the key out.`,
  ],
  [
    `{"plugins": {"a": {"command": "x", "url": "https://x"}}}`,
    `p.json:1: plugins.a: both command and url; a plugin is either started or reached. Leave one of them out.`,
  ],
  [
    `{"plugins": {"a": {"args": ["x"]}}}`,
    `p.json:1: plugins.a.args: it needs "command" as well. Add "command", or leave "args" out.`,
  ],
  [
    `{"plugins": {"a": {"url": "ftp://x"}}}`,
    `p.json:1: plugins.a.url: expected an address that begins with http:// or https://. Write "https://…".`,
  ],
  [
    `{"plugins": {\n"a b": {"command": "x"}}}`,
    `p.json:2: plugins.a b: not a name for a plugin. Expected ${PLUGIN_NAME}. Call it "a-b", also in rules and settings that name it.`,
  ],
  [
    `{"plugins": {\n"my__gh": {"command": "x"}}}`,
    `p.json:2: plugins.my__gh: not a name for a plugin. Expected ${PLUGIN_NAME}. Call it "my-gh", also in rules and settings that name it.`,
  ],
  [`[]`, `p.json:1: expected an object, found a list. Write it like { "key": "value" }.`],
  [`{"folders": ["a", 5]}`, `p.json:1: folders.1: expected text, found a number. Write it like "text".`],
  [
    `{"gate": true}`,
    `p.json:1: gate: expected an object, found true or false. Write it like { "key": "value" }.`,
  ],
  [
    `{"plugins": {"a": {"command": "x"},\n"a": {"command": "y"}}}`,
    `p.json:2: "a" is defined twice; the last one counts. Remove one of them.`,
  ],
] as const)('%s', async ([text, expected]) => {
  const { problems } = await parseConfig('p.json', text);
  expect(problems.map(describeProblem)).toEqual([expected]);
});

test('what is wrong costs itself alone', async () => {
  const parsed = await parseConfig(
    'p.json',
    JSON.stringify({
      plugins: { good: { command: 'x' }, bad: { comand: 'x' }, off: { what: 1, disabled: true } },
      folders: [5, 'here'],
      limits: { callMs: 'soon' },
      unknown: 1,
    }),
  );
  expect(parsed.plugins.map(({ name, entry }) => [name, entry])).toEqual([
    ['good', { command: 'x' }],
    ['off', { disabled: true }],
  ]);
  expect(parsed.folders.map(({ folder }) => folder)).toEqual(['here']);
  expect(parsed.limits).toEqual({});
  expect(parsed.problems.map(({ plugin }) => plugin)).toEqual(
    expect.arrayContaining(['bad', 'off', undefined]),
  );
});

test('the last of two entries of a name counts', async () => {
  const { plugins } = await parseConfig(
    'p.json',
    `{"plugins": {"a": {"command": "x"}, "a": {"command": "y"}}}`,
  );
  expect(plugins).toEqual([{ name: 'a', line: 1, entry: { command: 'y' } }]);
});

test('__proto__ is no plugin and changes nothing', async () => {
  const { plugins } = await parseConfig(
    'p.json',
    `{"plugins": {"__proto__": {"command": "x"}}, "__proto__": {"folders": ["x"]}}`,
  );
  expect(plugins).toEqual([]);
  expect(({} as { command?: unknown }).command).toBeUndefined();
});

test('a file is read with its hash; none is no problem', async () => {
  const folder = temporaryFolder({ 'pluglot.json': { folders: ['x'] } });
  fs.chmodSync(`${folder}/pluglot.json`, 0o600);
  const { config, problems } = await readConfigFile(`${folder}/pluglot.json`);
  expect(config).toMatchObject({
    file: `${folder}/pluglot.json`,
  });
  expect(config?.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(problems).toEqual([]);
  expect(await readConfigFile(`${folder}/none.json`)).toEqual({ problems: [] });
});

test('a file that cannot be read is a problem', async () => {
  const folder = temporaryFolder();
  const { config, problems } = await readConfigFile(folder);
  expect(config).toBeUndefined();
  expect(problems.map(describeProblem)).toEqual([`${folder}: the file is a directory. It is left out.`]);
});

test('whatever stands there, it is read without a throw, and all that counts has the right types', async () => {
  const keys = fc.constantFrom(
    'plugins',
    'folders',
    'limits',
    'command',
    'args',
    'env',
    'url',
    'disabled',
    'callMs',
    'a',
    '__proto__',
    '',
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>('x', 5, true, null, -1, 'https://x', ''),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(keys, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(keys, tree, { maxKeys: 4 }), async (value) => {
      const { plugins, folders, problems } = await parseConfig('p.json', JSON.stringify(value));
      for (const { entry } of plugins) {
        expect(['string', 'undefined']).toContain(typeof entry.command);
        expect(entry.args ?? []).toSatisfy(Array.isArray);
      }
      for (const { folder } of folders) expect(folder).toBeTypeOf('string');
      for (const problem of problems) expect(problem.line).toBe(1);
    }),
    { numRuns: runs(300) },
  );
});
