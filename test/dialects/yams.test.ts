// YAMS plugins that are programs, written from the specification without our code, in Node and in Python.
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { WirePort } from '../../src/dialect/host-dialect.ts';
import { yams } from '../../src/dialect/yams/host.ts';
import { callAndHear, hear, hostAndProgram } from '../support/dialect/dialect-host.ts';
import { hasPython } from '../support/python.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function temporaryFile(name: string, text: string): string {
  return path.join(temporaryFolder({ [name]: text }), name);
}

function extract(end: WirePort, file: string, options = {}) {
  return hear((sink) => end.extractor!.extract({ source: { kind: 'path', path: file }, options }, sink))
    .answer;
}

function extractBytes(end: WirePort, text: string, type = {}) {
  const source = { kind: 'bytes', bytes: Buffer.from(text) } as const;
  return hear((sink) => end.extractor!.extract({ source, type }, sink)).answer;
}

// requirement: yams:process:spawn, yams:process:shutdown, yams:host:spawning, yams:host:piping, yams:transport:stdio
// requirement: yams:overview:json-rpc, yams:overview:any-language, yams:transport:message-flow
// requirement: yams:shutdown:when, yams:shutdown:cleanup, yams:principle:stateful, yams:host:parsing
test('a plugin in Node, from its start to its end', async () => {
  const { running, connected } = hostAndProgram(yams, 'yams/well-behaved.mjs', {
    spec: { config: { depth: 3 } },
  });
  const end = await connected;
  expect(end.manifest).toMatchObject({
    name: 'well_behaved',
    version: '1.2.3',
    author: 'The tests',
    extractor: { formats: ['text/plain'], extensions: ['.txt'] },
    configApplied: { depth: 3 },
  });
  expect(end.manifest.tools.map(({ name }) => name)).toEqual(['text.reverse', 'extractor.extract']);
  expect(await end.health!(3000)).toMatchObject({ status: 'ok', details: { extracted: 0 } });
  expect(await end.extractor!.supports({ mimeType: 'text/plain', extension: '.txt' }, 3000)).toEqual({
    supported: true,
    confidence: 0.9,
    method: 'read',
  });

  const file = temporaryFile('notes.txt', 'one\ntwo');
  expect(await extract(end, file, { max_functions: 5 })).toMatchObject({
    ok: true,
    text: 'one\ntwo',
    data: { metadata: { length: '7' }, stats: { extracted: 1, max_functions: 5 } },
  });
  expect(await extractBytes(end, 'three')).toMatchObject({ ok: true, data: { stats: { extracted: 2 } } });
  expect(await callAndHear(end, { tool: 'text.reverse', args: { text: 'abc' } }).answer).toEqual({
    ok: true,
    text: 'cba',
  });
  expect(await end.health!(3000)).toMatchObject({ details: { extracted: 2 } });

  const { scratch } = end.manifest.configApplied as { scratch: string };
  expect(fs.existsSync(scratch)).toBe(true);
  await end.shutdown(5000);
  expect(await running.exited).toMatchObject({ exitCode: 0, signal: null });
  expect(fs.existsSync(scratch)).toBe(false);
});

test('options that are not given are left to the defaults of the plugin', async () => {
  const { connected } = hostAndProgram(yams, 'yams/well-behaved.mjs');
  const end = await connected;
  expect(await extractBytes(end, 'a')).toMatchObject({
    data: { metadata: { length: '1' }, stats: { max_functions: 100, decompile: true, timeout_sec: 10 } },
  });
  const source = { type: 'bytes', data: '' };
  const options = { max_functions: 1, decompile: false, include_metadata: false, timeout_sec: 2 };
  expect(await callAndHear(end, { tool: 'extractor.extract', args: { source, options } }).answer).toEqual({
    ok: true,
    text: '',
    data: { metadata: {}, stats: { extracted: 2, max_functions: 1, decompile: false, timeout_sec: 2 } },
  });
});

test('a plugin in Node answers what it cannot do with the errors of the specification', async () => {
  const { connected } = hostAndProgram(yams, 'yams/well-behaved.mjs');
  const end = await connected;
  expect(await callAndHear(end, { tool: 'text.fold' }).answer).toMatchObject({
    ok: false,
    error: { code: 'UNKNOWN_TOOL', wireCode: -32601, data: { method: 'text.fold' } },
  });
  const args = { source: { type: 'url' } };
  expect(await callAndHear(end, { tool: 'extractor.extract', args }).answer).toMatchObject({
    ok: false,
    error: { code: 'INVALID_ARGUMENTS', wireCode: -32602, message: 'No source of type url' },
  });
  expect(await extract(end, '/nowhere/at/all')).toMatchObject({ ok: false, error: { code: 'INTERNAL' } });
});

// requirement: yams:sdk:manifest, yams:sdk:supports, yams:sdk:extract, yams:sdk:result, yams:sdk:run
// requirement: yams:transport:utf-8, yams:overview:any-language
test.runIf(hasPython)("the specification's own plugin in Python", async () => {
  const { running, connected, told } = hostAndProgram(yams, 'yams/well-behaved.py');
  const end = await connected;
  expect(end.manifest).toMatchObject({
    name: 'my_extractor',
    version: '1.0.0',
    interfaces: [{ id: 'content_extractor_v1' }],
  });
  const extractor = end.extractor!;
  expect(await extractor.supports({ extension: '.myformat' }, 3000)).toEqual({
    supported: true,
    confidence: 1,
  });
  expect(await extractor.supports({ mimeType: 'text/plain' }, 3000)).toEqual({
    supported: false,
    confidence: 1,
  });
  const file = temporaryFile('a.myformat', 'Käse 🧀\u2028und mehr');
  expect(await extract(end, file)).toEqual({
    ok: true,
    text: 'Käse 🧀\u2028und mehr',
    data: { metadata: {} },
  });
  expect(await callAndHear(end, { tool: 'text.upper', args: { text: 'äß' } }).answer).toEqual({
    ok: true,
    text: 'ÄSS',
    data: { text: 'ÄSS' },
  });
  expect(await callAndHear(end, { tool: 'text.upper', args: { words: 1 } }).answer).toMatchObject({
    error: { code: 'INVALID_ARGUMENTS', wireCode: -32602 },
  });
  await end.shutdown(5000);
  expect(await running.exited).toMatchObject({ exitCode: 0 });
  expect(told.troubles).toEqual([]);
});

test.runIf(hasPython)('a plugin that answers as those in the field do', async () => {
  const { running, connected, told } = hostAndProgram(yams, 'yams/answers-as-real-plugins-do.py');
  const end = await connected;
  expect(end.manifest).toMatchObject({
    version: '0.1',
    interfaces: [{ id: 'content_extractor_v1', version: '1' }],
    tools: [{ name: 'extractor.extract' }, { name: 'kg.entities' }],
  });
  expect(await end.health!(3000)).toMatchObject({ status: 'degraded', details: { score: null } });
  const type = { mimeType: 'text/plain', extension: '.txt' };
  expect(await end.extractor!.supports(type, 3000)).toEqual({ supported: true, confidence: 1 });
  expect(await extractBytes(end, 'äöü', type)).toEqual({
    ok: true,
    text: 'äöü',
    data: { metadata: { bytes: 6 } },
  });
  expect(await extractBytes(end, '', type)).toEqual({
    ok: false,
    data: { metadata: {} },
    error: { code: 'TOOL_FAILED', message: 'empty input' },
  });
  expect(await callAndHear(end, { tool: 'kg.entities' }).answer).toEqual({
    ok: true,
    data: { nodes: [{ id: 1 }], has_more: false },
  });
  await end.shutdown(5000);
  expect(await running.exited).toMatchObject({ exitCode: 0 });
  expect(told.troubles[0]).toMatchObject({ text: 'Loading models ...' });
});
