import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { PluglotError, type ErrorCode } from '../../base/error.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { examineMachine, type MachineParts } from './examine-machine.ts';
import { schemaFindings } from './schema-findings.ts';
import { sharedNames } from './shared-names.ts';
import { startFailure } from './start-failure.ts';

const program: PluginSpec = {
  name: 'my plugin',
  start: { kind: 'program', command: 'node', args: ["it's.mjs", '--token', 'ghp_0123456789abcdef0123'] },
};

describe('a start that failed', () => {
  it.each<[ErrorCode, string]>([
    ['PROGRAM_NOT_FOUND', 'program-missing'],
    ['CONFIG_INVALID', 'value-missing'],
    ['PLUGIN_EXITED', 'exits-at-start'],
    ['START_TIMEOUT', 'start-timeout'],
    ['START_FAILED', 'start-refused'],
    ['DIALECT_UNKNOWN', 'dialect-unknown'],
    ['INVALID_RESPONSE', 'handshake-broken'],
    ['NOT_TRUSTED', 'not-trusted'],
    ['UNAUTHENTICATED', 'login-needed'],
  ])('%s is %s', (code, expected) => {
    expect(startFailure(program, new PluglotError(code, 'It is so.'))).toMatchObject({
      code: expected,
      severity: 'error',
      plugin: 'my plugin',
      what: 'It is so.',
    });
  });

  it('shows what was printed, and a command that a shell takes as it is, without secrets', () => {
    const error = new PluglotError('PLUGIN_EXITED', 'It is gone.', { stderr: 'no module' });
    expect(startFailure(program, error)).toMatchObject({
      stderr: 'no module',
      command: `node 'it'\\''s.mjs' --token '***'`,
    });
  });

  it('is another for a server', () => {
    const server: PluginSpec = { name: 'docs', start: { kind: 'http', url: 'http://127.0.0.1:1/mcp' } };
    expect(startFailure(server, new PluglotError('START_FAILED', 'x')).code).toBe('server-unreachable');
  });
});

describe('schemas', () => {
  const tool = (name: string, inputSchema: object) => ({ name, inputSchema }) as never;

  it('says nothing of a tool that all take', () => {
    const plain = tool('roll', { type: 'object', properties: { dice: { type: 'string' } } });
    expect(schemaFindings('p', [plain])).toEqual([]);
  });

  it('tells once which tool is refused, by whom and why', () => {
    const tools = Array.from({ length: 130 }, (_, index) => tool(`t${index}`, { type: 'object' }));
    const found = schemaFindings('p', tools).filter(({ code }) => code === 'schema-refused');
    expect(found).toHaveLength(2);
    expect(found[0]?.what).toMatch(/"t128" is left out: OpenAI: OpenAI takes 128 tools at once/);
  });
});

it('names who shares a tool, and what it is called then', () => {
  const shared = sharedNames([
    { plugin: 'a', tools: ['x', 'y'] },
    { plugin: 'b', tools: ['y'] },
    { plugin: 'c', tools: ['z', 'z'] },
  ]);
  expect(shared.get('a')?.map(({ what }) => what)).toEqual([
    'Its tool "y" is called "a__y", since b has one of that name.',
  ]);
  expect(shared.get('c')).toEqual([]);
});

describe('this machine', () => {
  const partsIn = (folder: string): MachineParts => ({
    env: { PATH: '' },
    cwd: folder,
    nodeVersion: '22.1.0',
    stateFolder: path.join(folder, 'state'),
    auditFolder: path.join(folder, 'audit'),
    containment: () => Promise.resolve('warden'),
  });
  const codes = async (parts: MachineParts) => (await examineMachine(parts)).findings.map(({ code }) => code);

  it('makes the folder that is needed, for the user alone', async () => {
    const folder = temporaryFolder();
    expect(await codes(partsIn(folder))).toEqual(['python-missing']);
    expect(fs.statSync(path.join(folder, 'state')).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['20.18.3', true],
    ['18.20.0', true],
    ['20.19.0', false],
    ['24.0.0', false],
  ])('Node %s is too old: %s', async (nodeVersion, isTooOld) => {
    const found = await codes({ ...partsIn(temporaryFolder()), nodeVersion });
    expect(found.includes('node-too-old')).toBe(isTooOld);
  });

  it('tells a folder that others can read, and one that is none', async () => {
    const open = temporaryFolder();
    fs.mkdirSync(path.join(open, 'state'), { mode: 0o755 });
    fs.chmodSync(path.join(open, 'state'), 0o755);
    const { findings } = await examineMachine(partsIn(open));
    expect(findings[0]).toMatchObject({
      code: 'state-folder-open',
      command: `chmod 700 ${path.join(open, 'state')}`,
    });
    const file = temporaryFolder({ state: 'no folder' });
    expect(await codes(partsIn(file))).toContain('state-folder-unusable');
  });

  it('tells weak containment, and a log that is not as it was written', async () => {
    const folder = temporaryFolder({ 'audit/audit.jsonl': 'nonsense\n' });
    const found = await codes({ ...partsIn(folder), containment: () => Promise.resolve('group') });
    expect(found).toEqual(expect.arrayContaining(['containment-weak', 'audit-broken']));
  });
});
