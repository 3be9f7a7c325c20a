#!/usr/bin/env node
// A gevals extension on Node alone: puts files into the workspace of a task, and checks what an agent made of them.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';

const text = { type: 'string' };

const operations = {
  write: {
    description: 'Write a file into the workspace',
    params: {
      type: 'object',
      properties: {
        file: { ...text, description: 'Path below the workspace' },
        text: { ...text, default: '', description: 'What is in it' },
      },
      required: ['file'],
    },
    run({ file, text = '' }, { workdir }) {
      const target = inside(workdir, file);
      log('info', `Writing ${target}`);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, text);
      return done(`Wrote ${file}`, { path: target, bytes: String(Buffer.byteLength(text)) });
    },
  },
  contains: {
    description: 'Check that a file of the workspace is there and contains a text',
    params: {
      type: 'object',
      properties: { file: text, text: { ...text, default: '' } },
      required: ['file'],
    },
    run({ file, text = '' }, { workdir }) {
      const target = inside(workdir, file);
      if (!fs.existsSync(target)) return failed(`${file} is not there`);
      const found = fs.readFileSync(target, 'utf8');
      return found.includes(text)
        ? done(`${file} is as expected`)
        : failed(`${file} does not contain "${text}"`, { found: found.slice(0, 200) });
    },
  },
  said: {
    description: 'Check that the agent said something (in the verify phase)',
    params: { type: 'object', properties: { text }, required: ['text'] },
    run({ text }, { agent }) {
      if (agent?.output === undefined) return failed('There is no agent in this phase');
      return agent.output.includes(text)
        ? done('The agent said so')
        : failed(`The agent did not say "${text}"`);
    },
  },
  clear: {
    description: 'Remove a file or folder from the workspace',
    params: { type: 'object', properties: { file: text }, required: ['file'] },
    run({ file }, { workdir }) {
      fs.rmSync(inside(workdir, file), { recursive: true, force: true });
      return done(`Removed ${file}`);
    },
  },
};

const manifest = {
  name: 'workspace',
  version: '1.0.0',
  protocolVersion: '0.0.1',
  description: 'Files in the workspace of a task',
  operations: Object.fromEntries(
    Object.entries(operations).map(([name, { description, params }]) => [name, { description, params }]),
  ),
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue;
  const message = parsed(line);
  if (message === undefined) send({ id: null, error: { code: -32700, message: 'This is no JSON' } });
  else if (typeof message?.method !== 'string')
    send({ id: null, error: { code: -32600, message: 'This is no request' } });
  else if (message.id !== undefined)
    send({ id: message.id, ...answer(message.method, message.params ?? {}) });
  if (message?.method === 'shutdown') break;
}
// Without a shutdown, the end of stdin ends it too: one request in a shell pipe is enough.
process.stdin.destroy();

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function answer(method, { protocolVersion, operation, args, context }) {
  if (method === 'initialize') {
    if (protocolVersion === manifest.protocolVersion) return { result: manifest };
    return { error: { code: -32602, message: `Expected protocolVersion ${manifest.protocolVersion}` } };
  }
  if (method === 'shutdown') return { result: {} };
  if (method !== 'execute') return { error: { code: -32601, message: `Unknown method: ${method}` } };
  if (!Object.hasOwn(operations, operation))
    return { error: { code: -32601, message: `Unknown operation: ${operation}` } };
  const missing = operations[operation].params.required.find((name) => typeof args?.[name] !== 'string');
  if (missing !== undefined) return { error: { code: -32602, message: `${missing} has to be a string` } };
  try {
    return { result: operations[operation].run(args, context) };
  } catch (error) {
    return { result: failed(String(error)) };
  }
}

/** Nothing outside of the workspace is touched. */
function inside(workdir, file) {
  const target = path.resolve(workdir, file);
  if (!target.startsWith(workdir + path.sep)) throw new Error(`${file} is not inside of the workspace`);
  return target;
}

function done(message, outputs) {
  return { success: true, message, outputs };
}

function failed(error, outputs) {
  return { success: false, error, outputs };
}

function log(level, message) {
  send({ method: 'log', params: { level, message } });
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
