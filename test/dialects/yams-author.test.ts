// Plugins on the SDK under a YAMS host in plain Python that behaves like the real one: real processes on both sides.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hasPython } from '../support/python.ts';
import { execute, root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const host = path.join(root, 'test/raw-hosts/yams_host.py');
const manyFormats = [process.execPath, path.join(root, 'test/plugins/sdk/many-formats.mjs')];
const myExtractor = path.join(root, 'examples/yams-my-extractor');

/** What the host saw. Its limits are those of the real one, many times over: a busy machine is no slow plugin. */
async function hosted(plugin: readonly string[], plan: object): Promise<Record<string, unknown>> {
  const { exitCode, stdout, stderr } = await execute('python3', [
    host,
    JSON.stringify({ patience: 20, ...plan }),
    ...plugin,
  ]);
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const goodEnd = { answer: { result: null }, how: 'left by itself', exit_code: 0 };

test.runIf(hasPython)('a standalone plugin is probed, started again and used', async () => {
  const folder = temporaryFolder({ 'good.txt': 'one\ntwo ✓\n', 'bad.txt': 'bad', 'image.png': 'x' });
  const file = (name: string, mimeType: string) => ({
    path: path.join(folder, name),
    extension: path.extname(name),
    mime_type: mimeType,
  });
  const seen = await hosted(manyFormats, {
    config: { greeting: 'Hi' },
    files: [file('good.txt', 'text/plain'), file('bad.txt', 'text/plain'), file('image.png', 'image/png')],
    calls: [
      ['greet', { name: 'Ada' }],
      ['greet', {}],
      ['count', null],
      ['break', null],
      ['unknown_method', null],
    ],
    impatient: ['greet', { name: 'Bob' }],
  });
  const manifest = {
    name: 'many__formats',
    version: '1.2.3',
    description: 'For tests.',
    author: 'The tests',
    interfaces: ['content_extractor_v1', 'pluglot_tools_v1'],
    capabilities: { content_extraction: { formats: ['text/plain'], extensions: ['.txt'] } },
  };
  expect(seen).toMatchObject({
    probe: { result: manifest },
    probe_end: goodEnd,
    manifest,
    init: { result: { status: 'initialized', config_applied: { greeting: 'Hi' } } },
    health: { result: { status: 'ok', started: true } },
    files: [
      {
        text: 'one\ntwo ✓\n',
        result: {
          success: true,
          content: 'one\ntwo ✓\n',
          metadata: { from: 'bytes', extension: '.txt', mimeType: 'text/plain' },
          stats: { characters: 10 },
          error: null,
        },
      },
      { error: { code: -32000, message: 'It is bad.', data: { reason: 'BadContent', recoverable: false } } },
      {
        error: {
          code: -32001,
          data: {
            reason: 'UnsupportedFormat',
            mime_type: 'image/png',
            extension: '.png',
            supported_formats: ['text/plain'],
          },
        },
      },
    ],
    calls: [
      { result: 'Hi, Ada!' },
      { error: { code: -32602 } },
      { result: { text: 'one two ', data: { counted: 2 } } },
      { error: { code: -32603, message: 'broken' } },
      { error: { code: -32601, data: { method: 'unknown_method' } } },
    ],
    after_impatience: { result: 'Hi, Bob!' },
    end: goodEnd,
    noise: [],
    dropped: [expect.any(Number)],
  });
  const stderr = (seen['stderr'] as string[]).join('\n');
  expect(stderr).toContain('printed at setup');
  expect(stderr).toContain('greeting Ada');
  expect(stderr).toContain('debug: about to greet {"name":"Ada"}');
});

test.runIf(hasPython)(
  'a plugin that cannot be set up is refused, and says goodbye all the same',
  async () => {
    const seen = await hosted(manyFormats, { config: { ghidra: true }, calls: [['greet', { name: 'Ada' }]] });
    expect(seen).toMatchObject({
      init: {
        error: {
          code: -32603,
          data: {
            reason: 'DependencyMissing',
            dependency: 'ghidra',
            env_var: 'GHIDRA_INSTALL_DIR',
            config_key: 'ghidra_install',
          },
        },
      },
      health: { result: { status: 'error', started: false } },
      calls: [
        { error: { code: -32003, data: { reason: 'NotInitialized', required_method: 'plugin.init' } } },
      ],
      end: goodEnd,
    });
    const wrong = await hosted(manyFormats, { config: { greetings: 'Hi' } });
    expect(wrong).toMatchObject({ init: { error: { code: -32602 } }, end: goodEnd });
  },
);

test('a script of messages is answered to the end of it', () => {
  const [command = '', ...args] = manyFormats;
  const messages = [
    { id: 1, jsonrpc: '2.0', method: 'handshake.manifest' },
    { id: 2, jsonrpc: '2.0', method: 'plugin.init' },
    { id: 3, jsonrpc: '2.0', method: 'greet', params: { name: 'Ada' } },
  ];
  const input = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
  const { status, stdout } = spawnSync(command, args, { input, encoding: 'utf8' });
  expect(status).toBe(0);
  const answers = stdout.trimEnd().split('\n');
  expect(answers.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { id: 1, result: { name: 'many__formats' } },
    { id: 2, result: { status: 'initialized' } },
    { id: 3, result: 'Hello, Ada!' },
  ]);
});

// requirement: yams:sdk:manifest, yams:sdk:supports, yams:sdk:extract, yams:sdk:result, yams:sdk:run
test.runIf(hasPython)(
  'the extractor of the specification, in TypeScript, by its manifest on disk',
  async () => {
    const file = path.join(myExtractor, 'hello.myformat');
    const seen = await hosted([myExtractor], {
      files: [{ path: file, extension: '.myformat', mime_type: 'application/octet-stream' }],
      calls: [
        ['extractor.supports', { extension: '.myformat' }],
        ['extractor.supports', { extension: '.txt' }],
        ['extractor.extract', { source: { type: 'path', path: file } }],
      ],
    });
    const extracted = {
      result: {
        success: true,
        content: 'Hello from a file of my own format.',
        metadata: { title: 'A greeting' },
      },
    };
    const manifest = JSON.parse(
      fs.readFileSync(path.join(myExtractor, 'yams-plugin.json'), 'utf8'),
    ) as object;
    expect(seen).toMatchObject({
      manifest,
      init: { result: { status: 'initialized' } },
      files: [extracted],
      calls: [{ result: { supported: true } }, { result: { supported: false } }, extracted],
      end: goodEnd,
    });
  },
);
