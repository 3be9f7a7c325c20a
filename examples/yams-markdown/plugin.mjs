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

  'extractor.supports': ({ mime_type: type, extension }) => {
    if (type === undefined && extension === undefined)
      throw invalid('mime_type, extension or both have to be given');
    return { supported: isSupported(type, extension), method: 'markdown' };
  },

  'extractor.extract': async ({ source, options = {} }) => {
    const { mime_type: type, extension } = options;
    if ((type ?? extension) !== undefined && !isSupported(type, extension))
      throw failure(-32001, `Unsupported file format: ${type ?? extension}`, {
        reason: 'UnsupportedFormat',
        mime_type: type,
        extension,
        supported_formats: formats,
      });
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
    if (typeof text !== 'string') throw invalid('text has to be a string');
    const headings = headingsOf(text, depth);
    return {
      text: headings.map(({ level, text }) => `${'  '.repeat(level - 1)}- ${text}`).join('\n'),
      headings,
    };
  },
};

function isSupported(type, extension) {
  return formats.includes(type) || extensions.includes(extension?.toLowerCase());
}

async function read(source) {
  if (source?.type === 'bytes') return decoded(source.data);
  if (source?.type !== 'path') throw invalid('source.type has to be "path" or "bytes"');
  try {
    return await fs.readFile(source.path, 'utf8');
  } catch (error) {
    throw failure(-32000, `Extraction failed: ${error.message}`, { reason: error.code, recoverable: false });
  }
}

/** Strictly: what a lenient decoder makes of broken data is not what was sent. */
function decoded(data) {
  if (typeof data !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(data))
    throw invalid('source.data has to be base64');
  return Buffer.from(data, 'base64').toString('utf8');
}

function invalid(message) {
  return failure(-32602, message, { reason: 'InvalidParams' });
}

function failure(code, message, data) {
  return Object.assign(new Error(message), { rpc: { code, message, data } });
}

/** What a line is answered with, an array with an array; undefined for what wants no answer. */
async function answerLine(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return refusal(null, { code: -32700, message: 'Parse error' });
  }
  if (!Array.isArray(message) || message.length === 0) return answer(message);
  const responses = await Promise.all(message.map(answer));
  const wanted = responses.filter((response) => response !== undefined);
  return wanted.length === 0 ? undefined : wanted;
}

async function answer(message) {
  const { id, method, params = {} } = message ?? {};
  if (typeof method !== 'string') return refusal(id ?? null, { code: -32600, message: 'Invalid Request' });
  if (id === undefined) return undefined;
  try {
    if (!Object.hasOwn(methods, method)) throw failure(-32601, `Method not found: ${method}`, { method });
    return { jsonrpc: '2.0', id, result: await methods[method](params) };
  } catch (error) {
    return refusal(id, error.rpc ?? { code: -32603, message: String(error), data: { reason: 'Internal' } });
  }
}

function refusal(id, error) {
  return { jsonrpc: '2.0', id, error };
}

const input = readline.createInterface({ input: process.stdin });
for await (const line of input) {
  if (line.trim() === '') continue;
  const response = await answerLine(line);
  if (response !== undefined) console.log(JSON.stringify(response));
}
