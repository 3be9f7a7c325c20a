#!/usr/bin/env node
// A YAMS external plugin in plain Node: takes Markdown, gives its text and its headings.
// One JSON-RPC request a line comes in on stdin, one response a line goes out on stdout.
import fs from 'node:fs/promises';
import readline from 'node:readline';
import { headingsOf, plainText } from './markdown.mjs';

const { entry: _, ...manifest } = JSON.parse(
  await fs.readFile(new URL('yams-plugin.json', import.meta.url), 'utf8'),
);
const { extensions, formats } = manifest.capabilities.content_extraction;
let maxDepth = 6;

const methods = {
  'handshake.manifest': () => manifest,

  'plugin.init': ({ config = {} }) => {
    maxDepth = config.max_depth ?? maxDepth;
    return { status: 'initialized', config_applied: { max_depth: maxDepth } };
  },

  'plugin.health': () => ({ status: 'ok', uptime_sec: Math.round(process.uptime()) }),

  'plugin.shutdown': () => {
    input.close();
    return null;
  },

  'extractor.supports': ({ mime_type: type, extension }) => ({
    supported: formats.includes(type) || extensions.includes(extension?.toLowerCase()),
    method: 'markdown',
  }),

  'extractor.extract': async ({ source }) => {
    const markdown = await read(source);
    const headings = headingsOf(markdown, maxDepth);
    return {
      success: true,
      content: plainText(markdown),
      metadata: { title: headings[0]?.text ?? '', headings: String(headings.length) },
      stats: { headings: headings.length, characters: markdown.length },
    };
  },

  'markdown.outline': ({ text, depth = maxDepth }) => {
    if (typeof text !== 'string') throw failure(-32602, 'text has to be a string');
    const headings = headingsOf(text, depth);
    return {
      text: headings.map(({ level, text }) => `${'  '.repeat(level - 1)}- ${text}`).join('\n'),
      headings,
    };
  },
};

async function read(source) {
  if (source?.type === 'bytes') return Buffer.from(source.data, 'base64').toString('utf8');
  if (source?.type !== 'path') throw failure(-32602, 'source.type has to be "path" or "bytes"');
  try {
    return await fs.readFile(source.path, 'utf8');
  } catch (error) {
    throw failure(-32000, `Extraction failed: ${error.message}`, { reason: error.code, recoverable: false });
  }
}

function failure(code, message, data) {
  return Object.assign(new Error(message), { rpc: { code, message, data } });
}

/** Undefined for what wants no answer. */
async function answer(line) {
  const message = parsed(line);
  if (typeof message?.method !== 'string')
    return { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'This is no JSON-RPC' } };
  const { id, method, params = {} } = message;
  if (id === undefined) return undefined;
  try {
    if (!Object.hasOwn(methods, method)) throw failure(-32601, `Method not found: ${method}`, { method });
    return { jsonrpc: '2.0', id, result: await methods[method](params) };
  } catch (error) {
    return { jsonrpc: '2.0', id, error: error.rpc ?? { code: -32603, message: String(error) } };
  }
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const input = readline.createInterface({ input: process.stdin });
for await (const line of input) {
  if (line.trim() === '') continue;
  const response = await answer(line);
  if (response !== undefined) console.log(JSON.stringify(response));
}
