// The host of G-Assist with real programs that keep the specification, in Node and in Python.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { gassist } from '../../src/dialect/gassist/host.ts';
import type { WirePort } from '../../src/dialect/host-dialect.ts';
import type { TalkPort } from '../../src/definition/plugin-port.ts';
import { callAndHear, hear, hostAndProgram } from '../support/dialect/dialect-host.ts';
import { root } from '../support/project.ts';
import { hasPython } from '../support/python.ts';

describe.each(['well-behaved.mjs', 'well-behaved.py'])('%s', (file) => {
  test('introduces itself', async ({ skip }) => {
    const { end } = await started(file, skip);
    expect(end.manifest).toMatchObject({
      name: 'well-behaved',
      version: '1.2.3',
      capabilities: ['streaming'],
      tools: [
        { name: 'count', description: 'The count' },
        { name: 'echo' },
        { name: 'surroundings' },
        { name: 'chat' },
        { name: 'rate_limited' },
        { name: 'no_such_city' },
      ],
    });
    await expect(end.ping?.(10_000)).resolves.toBeUndefined();
  });

  // requirement: gassist:stream:during-execution, gassist:complete:ends
  test('streams, logs and completes', async ({ skip }) => {
    const { end, told } = await started(file, skip);
    const { answer, events } = callAndHear(end, { tool: 'count', args: { to: 3 } });
    expect(await answer).toEqual({ ok: true, text: '1 2 3 done', keepSession: false });
    expect(events).toEqual([
      { kind: 'log', level: 'info', message: 'count begins' },
      { kind: 'text', text: '1 ' },
      { kind: 'text', text: '2 ' },
      { kind: 'text', text: '3 ' },
    ]);
    expect(told.troubles).toEqual([]);
  });

  // requirement: gassist:execute:context, gassist:execute:system-info, gassist:framing:any-character, gassist:complete:data
  test('gets what it is given, and nothing that is not there', async ({ skip }) => {
    const { end } = await started(file, skip);
    for (const value of ['é😀\u0000\n<<END>>', { deep: [1, null, { x: 'y' }] }, [1], 'x'.repeat(1_000_000)]) {
      const { answer } = callAndHear(end, { tool: 'echo', args: { value } });
      expect(await answer).toEqual({
        ok: true,
        ...(typeof value === 'string' ? { text: value } : { data: value }),
        keepSession: false,
      });
    }
    const conversation = [{ role: 'user', content: 'Hi' }];
    const full = callAndHear(end, {
      tool: 'surroundings',
      context: { conversation, systemInfo: 'RTX' },
    });
    expect(await full.answer).toMatchObject({ data: { context: conversation, system_info: 'RTX' } });
    expect(await callAndHear(end, { tool: 'surroundings' }).answer).toMatchObject({ data: {} });
  });

  // requirement: gassist:codes:method-not-found, gassist:codes:rate-limited, gassist:error:code, gassist:complete:success
  test('fails in each way there is', async ({ skip }) => {
    const { end } = await started(file, skip);
    expect(await callAndHear(end, { tool: 'rate_limited' }).answer).toEqual({
      ok: false,
      error: { code: 'RATE_LIMITED', wireCode: -3, message: 'too many requests' },
    });
    expect(await callAndHear(end, { tool: 'no_such_city' }).answer).toEqual({
      ok: false,
      keepSession: false,
      error: { code: 'TOOL_FAILED', message: 'no such city' },
    });
    expect(await callAndHear(end, { tool: 'nonsense' }).answer).toMatchObject({
      ok: false,
      error: { code: 'UNKNOWN_TOOL', wireCode: -32601 },
    });
  });

  // requirement: gassist:complete:keep-session, gassist:input:acknowledged-first, gassist:input:content
  test('keeps a session until the user leaves it', async ({ skip }) => {
    const { end } = await started(file, skip);
    expect(await callAndHear(end, { tool: 'chat' }).answer).toEqual({
      ok: true,
      text: 'Go on.',
      keepSession: true,
    });
    const more = hear((sink) => talkOf(end).input('more', sink));
    expect(await more.answer).toEqual({ ok: true, text: 'You said more', keepSession: true });
    expect(more.events).toEqual([{ kind: 'text', text: 'You said ' }]);
    const bye = hear((sink) => talkOf(end).input('bye', sink));
    expect(await bye.answer).toMatchObject({ text: 'You said bye', keepSession: false });
  });

  // requirement: gassist:shutdown:exit, gassist:shutdown:no-response
  test('leaves when it is asked to', async ({ skip }) => {
    const { end, running } = await started(file, skip);
    await end.shutdown(5000);
    expect(await running.exited).toMatchObject({ exitCode: 0, signal: null, stderr: '' });
    expect(await end.ended).toMatchObject({ kind: 'exited', exitCode: 0 });
  });
});

describe('the example of the specification', () => {
  // requirement: gassist:sdk:example, gassist:sdk:framing, gassist:sdk:json-rpc, gassist:sdk:ping
  test('searches, streaming, and tells the weather', async ({ skip }) => {
    const { end } = await started('sdk-example.py', skip);
    expect(end.manifest).toMatchObject({
      name: 'my-plugin',
      version: '1.0.0',
      protocolVersion: '2.0',
      tools: [
        { name: 'search_web', description: 'Search the web for information.' },
        { name: 'get_weather', description: 'Get weather for a location.' },
      ],
    });
    const search = callAndHear(end, {
      tool: 'search_web',
      args: { query: 'NVIDIA' },
      context: { conversation: [] },
    });
    expect(await search.answer).toEqual({
      ok: true,
      text: 'Searching...',
      data: { results: ['All about NVIDIA'] },
      keepSession: false,
    });
    expect(search.events).toEqual([{ kind: 'text', text: 'Searching...' }]);
    expect(await callAndHear(end, { tool: 'get_weather', args: { location: 'Rome' } }).answer).toMatchObject({
      ok: true,
      text: 'Rain in Rome',
    });
    await expect(end.ping?.(10_000)).resolves.toBeUndefined();
  });

  // requirement: gassist:sdk:errors, gassist:sdk:acknowledgement, gassist:sdk:shutdown
  test('reports its errors, acknowledges inputs, and leaves in good order', async ({ skip }) => {
    const { end, running } = await started('sdk-example.py', skip);
    expect(await callAndHear(end, { tool: 'get_weather', args: { location: 'Atlantis' } }).answer).toEqual({
      ok: false,
      error: { code: 'TOOL_FAILED', wireCode: -1, message: 'Atlantis is under water' },
    });
    expect(await hear((sink) => talkOf(end).input('hello', sink)).answer).toMatchObject({
      ok: true,
      text: 'You said hello',
    });
    await end.shutdown(5000);
    expect(await running.exited).toMatchObject({ exitCode: 0 });
  });
});

describe('examples/gassist-countdown', () => {
  const folder = path.join(root, 'examples/gassist-countdown');
  // Our own file.
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as JsonObject;
  const countdown = '../../../examples/gassist-countdown/plugin.mjs';

  test('counts down, and answers pings meanwhile', async ({ skip }) => {
    const { end, running } = await started(countdown, skip, { manifest });
    expect(end.manifest.tools).toMatchObject([
      { name: 'countdown', inputSchema: { required: ['from'] } },
      { name: 'launch' },
    ]);
    const { answer, events } = callAndHear(end, { tool: 'countdown', args: { from: 2 } });
    await expect(end.ping?.(10_000)).resolves.toBeUndefined();
    expect(await answer).toEqual({ ok: true, text: '2… 1… Liftoff!' });
    expect(events).toHaveLength(2);
    await end.shutdown(5000);
    expect(await running.exited).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('holds a launch until the user says bye', async ({ skip }) => {
    const { end } = await started(countdown, skip, { manifest });
    expect(await callAndHear(end, { tool: 'launch' }).answer).toMatchObject({ keepSession: true });
    const said = async (words: string) => hear((sink) => talkOf(end).input(words, sink)).answer;
    expect(await said('soon')).toEqual({
      ok: true,
      text: 'A number from 1 to 20, or bye.',
      keepSession: true,
    });
    expect(await said('1')).toEqual({ ok: true, text: '1… Liftoff!', keepSession: true });
    expect(await said('bye')).toEqual({ ok: true, text: 'Launch control out.', keepSession: false });
    expect(await callAndHear(end, { tool: 'land' }).answer).toMatchObject({
      error: { code: 'UNKNOWN_TOOL' },
    });
  });
});

async function started(
  file: string,
  skip: (condition: boolean, note: string) => void,
  spec: { manifest?: JsonObject } = {},
) {
  skip(file.endsWith('.py') && !hasPython, 'there is no python3');
  const { running, connected, told } = hostAndProgram(gassist, `gassist/${file}`, { spec });
  return { running, told, end: await connected };
}

function talkOf({ talk }: WirePort): TalkPort {
  if (talk === undefined) throw new Error('A G-Assist plugin can be talked with.');
  return talk;
}
