import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { decided, written } from '../../../test/support/gate/audit-log.ts';
import { someSandbox } from '../../../test/support/gate/policy.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { PluglotError, type ErrorCode } from '../../base/error.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { examineMachine, type MachineParts } from './examine-machine.ts';
import { schemaFindings, startFailure } from './examine-plugin.ts';

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

describe('this machine', () => {
  const partsIn = (folder: string): MachineParts => ({
    env: { PATH: '' },
    cwd: folder,
    nodeVersion: '22.1.0',
    stateFolder: path.join(folder, 'state'),
    audit: { folder: path.join(folder, 'audit'), index: path.join(folder, 'audit-index') },
    containment: () => Promise.resolve('warden'),
    sandbox: () => Promise.resolve(someSandbox),
  });
  const codes = async (parts: MachineParts) => (await examineMachine(parts)).findings.map(({ code }) => code);

  it('says how to install a sandbox, and which limits do not hold', async () => {
    const parts = partsIn(temporaryFolder());
    const sandbox = () => Promise.resolve({ missing: 'bubblewrap is not installed', fix: 'Install it' });
    const { machine, findings } = await examineMachine({ ...parts, sandbox });
    expect(machine.sandbox).toBeUndefined();
    expect(findings[0]).toMatchObject({
      code: 'sandbox-missing',
      severity: 'warning',
      what: expect.stringContaining('bubblewrap is not installed.') as string,
      fix: 'Install it.',
    });
    const limits = { memoryBytes: false, processes: true };
    const unlimited = await examineMachine({
      ...parts,
      sandbox: () => Promise.resolve({ ...someSandbox, limits }),
    });
    expect(unlimited.machine.sandbox).toBe('bubblewrap');
    expect(unlimited.findings[0]).toMatchObject({
      code: 'sandbox-unlimited',
      what: 'No limit on memory holds for confined programs: no control group is writable.',
    });
  });

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
    fs.chmodSync(path.join(open, 'state'), 0o700);
    fs.chmodSync(open, 0o777);
    expect((await examineMachine(partsIn(open))).findings[0]).toMatchObject({
      code: 'state-folder-open',
      what: `${open} can be changed by other users, who can thereby replace what pluglot keeps in ${path.join(open, 'state')}: nothing is trusted.`,
      command: `chmod go-w ${open}`,
    });
    const file = temporaryFolder({ state: 'no folder' });
    expect(await codes(partsIn(file))).toContain('state-folder-unusable');
  });

  it('tells weak containment, and a log that is not as it was written', async () => {
    const folder = temporaryFolder({ 'audit/audit-000001.jsonl': 'nonsense\n' });
    const found = await codes({ ...partsIn(folder), containment: () => Promise.resolve('group') });
    expect(found).toEqual(expect.arrayContaining(['containment-weak', 'audit-broken']));
  });

  it('tells an audit log that others can read, and how to close it', async () => {
    const parts = partsIn(temporaryFolder());
    const { folder, index } = parts.audit;
    const place = await written([decided('1')], {}, { folder, index });
    const { machine, findings } = await examineMachine(parts);
    expect([machine.audit, findings.map(({ code }) => code)]).toEqual([1, ['python-missing']]);
    fs.chmodSync(path.join(index, 'audit.key'), 0o644);
    expect((await examineMachine(parts)).findings).toContainEqual(
      expect.objectContaining({
        code: 'audit-open',
        severity: 'warning',
        command: `chmod 600 ${path.join(index, 'audit.key')}`,
      }),
    );
    fs.rmSync(place.file());
    expect(await codes(parts)).toContain('audit-broken');
  });
});
