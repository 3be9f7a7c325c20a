#!/usr/bin/env node
// A planner and an executor in one program, on Node alone: one line of JSON a message.
import readline from 'node:readline';

const methods = {
  'rpc.discover': () => ({
    name: 'words',
    version: '1.0.0',
    description: 'Plans and does small work on texts.',
    roles: ['planner', 'executor'],
    methods: Object.keys(methods),
    gzip: false,
    batch: true,
    auth: false,
  }),

  /** One task for each sentence of the request. */
  create_plan({ user_request: request, constraints }) {
    const sentences = request.split(/[.;\n]+/).map((sentence) => sentence.trim());
    const tasks = sentences
      .filter((sentence) => sentence !== '')
      .slice(0, constraints?.max_tasks ?? 10)
      .map((description, index) => ({
        id: `task_${String(index + 1).padStart(3, '0')}`,
        type: 'analysis',
        description,
        dependencies: index === 0 ? [] : [`task_${String(index).padStart(3, '0')}`],
        priority: index + 1,
        estimated_time_seconds: 1,
      }));
    return {
      plan: {
        tasks,
        estimated_time_seconds: tasks.length,
        explanation: `${tasks.length} sentences, one task each.`,
      },
    };
  },

  /** What can be said of the words of the prompt, streamed line by line. */
  execute_task({ task_type: type, prompt, context }, stream) {
    const words = prompt.split(/\s+/).filter((word) => word !== '');
    if (words.length === 0) throw failure('The prompt is empty.', ['Write a few words.']);
    const lines =
      type === 'code_generation'
        ? [`export const words = ${JSON.stringify(words)};`]
        : [`${words.length} words`, `longest: ${longest(words)}`];
    for (const line of lines) stream(`${line}\n`);
    return {
      status: 'success',
      output: {
        code: lines.map((line) => `${line}\n`).join(''),
        explanation: `Looked at the prompt, in ${context?.current_directory ?? 'no folder'}.`,
        files_modified: [],
        files_created: [],
      },
      metadata: { execution_time_ms: 0, tokens_used: words.length, model: 'none' },
    };
  },

  validate_code({ code, rules = ['no-tabs'] }) {
    const findings = code.split('\n').flatMap((line, index) =>
      rules.includes('no-tabs') && line.includes('\t')
        ? [
            {
              rule: 'no-tabs',
              line: index + 1,
              column: line.indexOf('\t') + 1,
              severity: 'warning',
              message: 'A tab.',
              fix: line.replaceAll('\t', '  '),
            },
          ]
        : [],
    );
    return { valid: findings.length === 0, findings };
  },

  update_context: () => ({ status: 'ok' }),
};

/** What a method cannot do without. */
const required = {
  create_plan: ['user_request'],
  execute_task: ['task_type', 'prompt'],
  validate_code: ['code'],
  update_context: ['action', 'context_type'],
};

let streams = 0;

/** One request, or several in an array: those are answered with an array. */
function take(line) {
  const message = parse(line);
  if (message === undefined) return write(refusal(null, -32700, 'Parse error'));
  const isBatch = Array.isArray(message) && message.length > 0;
  const responses = (isBatch ? message : [message]).map(answer).filter((response) => response !== undefined);
  if (responses.length > 0) write(isBatch ? responses : responses[0]);
}

/** Undefined for what wants no answer. */
function answer(request) {
  if (typeof request?.method !== 'string') return refusal(request?.id ?? null, -32600, 'Invalid Request');
  const { id, method, params = {} } = request;
  if (id === undefined) return undefined;
  if (!Object.hasOwn(methods, method)) return refusal(id, -32601, 'Method not found');
  const missing = (required[method] ?? []).filter((name) => typeof params?.[name] !== 'string');
  if (missing.length > 0) return refusal(id, -32602, `Invalid params: ${missing.join(', ')} missing`);
  const stream = streamOf(id);
  try {
    const result = methods[method](params, (chunk) => stream.chunk(chunk));
    stream.end();
    return { jsonrpc: '2.0', id, result };
  } catch ({ message, details = message, suggestions = [] }) {
    stream.end();
    return refusal(id, -32000, message, 'EXECUTION_ERROR', details, suggestions);
  }
}

/** What comes before the answer to this request; its first chunk begins it. */
function streamOf(task_id) {
  const stream_id = `stream_${(streams += 1)}`;
  let sequence = 0;
  return {
    chunk(chunk) {
      if (sequence === 0) notify('stream_start', { stream_id, task_id });
      sequence += 1;
      notify('stream_data', { stream_id, chunk, sequence });
    },
    end() {
      if (sequence > 0) notify('stream_end', { stream_id, total_chunks: sequence });
    },
  };
}

function refusal(id, code, message, type = 'PARSE_ERROR', details = message, suggestions = []) {
  const data = { type, details, recovery_suggestions: suggestions };
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}

function failure(details, suggestions) {
  return Object.assign(new Error('Execution failed'), { details, suggestions });
}

function longest(words) {
  return words.reduce((best, word) => (word.length > best.length ? word : best), '');
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function notify(method, params) {
  write({ jsonrpc: '2.0', method, params });
}

function write(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  if (line.trim() !== '') take(line);
});
