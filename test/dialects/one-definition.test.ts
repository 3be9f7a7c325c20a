// One definition of twenty lines, in every dialect: it passes the checks, and says what the specifications show, in their shape.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import fs from 'node:fs';
import { dialectNames, type DialectName } from '../../src/definition/plugin-spec.ts';
import { checkPlugin } from '../../src/testing/check-plugin.ts';
import { root } from '../support/project.ts';
import { RawEnd, type FramingName } from '../support/channel/raw-end.ts';

const file = path.join(root, 'examples/word-tools/plugin.mjs');

test('it has about twenty lines', () => {
  expect(fs.readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(22);
});

describe.each(dialectNames)('%s', (dialect) => {
  test('nothing is to be mended in it', async () => {
    const { results, grade } = await checkPlugin({ command: [process.execPath, file], dialect });
    // None of its calls takes long, which is told and has no remedy.
    const told = results.filter(({ verdict, id }) => verdict === 'failed' && id !== 'fault:long-call');
    expect(told).toEqual([]);
    expect(grade).toBe('A');
  });

  test('answers as the specification shows it, message by message', async () => {
    const { framing, turns, exits } = transcripts[dialect];
    const { raw, exited } = start(framing);
    for (const { say, hear } of turns) {
      raw.send({ jsonrpc: '2.0', ...say });
      for (const expected of hear) expect(await raw.next()).toEqual({ jsonrpc: '2.0', ...expected });
    }
    if (exits === 'with its input') raw.end();
    expect(await exited).toBe(0);
  });
});

interface Transcript {
  readonly framing: FramingName;
  readonly turns: readonly { readonly say: object; readonly hear: readonly object[] }[];
  /** When the program ends. */
  readonly exits: 'after the goodbye' | 'with its input';
}

const count = expect.stringMatching(/^2 words, 2 of them different$/) as string;
const args = { text: 'hello world' };
const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const description = 'Small things that people do with words';
const identity = { name: 'word_tools', version: '1.0.0' };

const transcripts: Readonly<Record<DialectName, Transcript>> = {
  gassist: {
    framing: 'length-prefix',
    turns: [
      {
        say: {
          id: 1,
          method: 'initialize',
          params: {
            protocol_version: '2.0',
            engine_version: '1.0.0',
            capabilities: ['streaming', 'passthrough'],
          },
        },
        hear: [
          {
            id: 1,
            result: {
              ...identity,
              description,
              protocol_version: '2.0',
              capabilities: ['streaming'],
              commands: [{ name: 'count_words', description: 'Counts the words of a text' }],
            },
          },
        ],
      },
      {
        say: { id: 2, method: 'ping', params: { timestamp: 1234567890 } },
        hear: [{ id: 2, result: { timestamp: 1234567890 } }],
      },
      {
        say: { id: 3, method: 'execute', params: { function: 'count_words', arguments: args } },
        hear: [
          { method: 'complete', params: { request_id: 3, success: true, data: count, keep_session: false } },
        ],
      },
      { say: { method: 'shutdown', params: {} }, hear: [] },
    ],
    exits: 'after the goodbye',
  },
  gevals: {
    framing: 'lines',
    turns: [
      {
        say: { id: 1, method: 'initialize', params: { protocolVersion: '0.0.1' } },
        hear: [
          {
            id: 1,
            result: {
              ...identity,
              protocolVersion: '0.0.1',
              description,
              operations: { count_words: { description: 'Counts the words of a text', params: inputSchema } },
            },
          },
        ],
      },
      {
        say: {
          id: 2,
          method: 'execute',
          params: { operation: 'count_words', args, context: { workdir: '/tmp', phase: 'setup' } },
        },
        hear: [{ id: 2, result: { success: true, message: count } }],
      },
      { say: { id: 3, method: 'shutdown', params: {} }, hear: [{ id: 3, result: {} }] },
    ],
    exits: 'after the goodbye',
  },
  yams: {
    framing: 'lines',
    turns: [
      {
        say: { id: 1, method: 'handshake.manifest' },
        hear: [
          {
            id: 1,
            result: {
              ...identity,
              description,
              interfaces: ['pluglot_tools_v1'],
              capabilities: {
                tools: [
                  {
                    name: 'count_words',
                    description: 'Counts the words of a text',
                    input_schema: inputSchema,
                  },
                ],
              },
            },
          },
        ],
      },
      {
        say: { id: 2, method: 'plugin.init', params: { config: {} } },
        hear: [{ id: 2, result: { status: 'initialized' } }],
      },
      {
        say: { id: 3, method: 'plugin.health' },
        hear: [{ id: 3, result: expect.objectContaining({ status: 'ok', started: true }) as object }],
      },
      {
        say: { id: 4, method: 'count_words', params: args },
        hear: [{ id: 4, result: count }],
      },
      { say: { id: 5, method: 'plugin.shutdown' }, hear: [{ id: 5, result: null }] },
    ],
    exits: 'after the goodbye',
  },
  planner: {
    framing: 'lines',
    turns: [
      {
        say: {
          id: 'task_001',
          method: 'execute_task',
          params: {
            task_type: 'analysis',
            prompt: 'hello world',
            context: { files: [], current_directory: '/project/src', dependencies: [], constraints: [] },
            options: { language: 'javascript' },
          },
        },
        hear: [
          {
            id: 'task_001',
            result: {
              status: 'success',
              output: expect.objectContaining({ files_modified: [], files_created: [] }) as object,
              metadata: expect.objectContaining({
                execution_time_ms: expect.any(Number) as number,
              }) as object,
            },
          },
        ],
      },
    ],
    exits: 'with its input',
  },
  mcp: {
    framing: 'lines',
    turns: [
      {
        say: {
          id: 1,
          method: 'initialize',
          params: {
            protocolVersion: '2025-06-18',
            capabilities: {},
            clientInfo: { name: 'test', version: '1' },
          },
        },
        hear: [
          {
            id: 1,
            result: expect.objectContaining({
              protocolVersion: '2025-06-18',
              serverInfo: expect.objectContaining(identity) as object,
              capabilities: expect.objectContaining({ tools: expect.any(Object) as object }) as object,
            }) as object,
          },
        ],
      },
      { say: { method: 'notifications/initialized' }, hear: [] },
      {
        say: { id: 2, method: 'tools/list' },
        hear: [
          {
            id: 2,
            result: {
              tools: [
                {
                  name: 'count_words',
                  description: 'Counts the words of a text',
                  inputSchema,
                  annotations: { readOnlyHint: true },
                },
              ],
            },
          },
        ],
      },
      {
        say: { id: 3, method: 'tools/call', params: { name: 'count_words', arguments: args } },
        hear: [{ id: 3, result: { content: [{ type: 'text', text: count }] } }],
      },
    ],
    exits: 'with its input',
  },
};

function start(framing: FramingName): { raw: RawEnd; exited: Promise<number | null> } {
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  return { raw: new RawEnd(child.stdout, child.stdin, framing), exited };
}
