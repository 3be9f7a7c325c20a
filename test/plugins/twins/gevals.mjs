// A gevals extension and its twins.
import { broken, notify, Refusal, refuseUnknown, send, serve } from './core.mjs';

/** @type {Record<string, unknown>} */
const manifest = {
  name: 'twin',
  version: broken('gevals:manifest:version') ? 'latest' : '1.0.0',
  protocolVersion: broken('gevals:manifest:protocol-version') ? '2' : '0.0.1',
  description: 'Repeats what it is told',
  requires: broken('gevals:manifest:requires') ? ['node'] : [{ command: 'node' }],
  operations: {
    repeat: {
      description: broken('gevals:operation:description') ? '' : 'Repeats a text',
      params: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
      },
    },
    rest: {
      description: 'Does nothing',
      ...(broken('gevals:operation:params') ? {} : { params: { type: 'object' } }),
    },
  },
};
if (broken('gevals:manifest:name')) delete manifest['name'];
if (broken('gevals:manifest:description')) delete manifest['description'];
if (broken('gevals:manifest:operations')) manifest['operations'] = [];

let isInitialized = false;

/** @param {unknown} args */
function repeat(args) {
  const text = args && typeof args === 'object' && 'text' in args ? args.text : undefined;
  if (typeof text !== 'string' && !broken('gevals:categories:missing-argument'))
    throw new Refusal(-32602, 'text is required');
  if (broken('gevals:lifecycle:result-each') && isInitialized) throw new Refusal(-32000, 'It failed');
  notify('log', {
    level: broken('gevals:log:level') ? 'notice' : 'info',
    message: broken('gevals:log:message') ? ['repeating'] : 'repeating',
    data: broken('gevals:log:data') ? 'once' : { times: 1 },
  });
  return {
    ...(broken('gevals:result:success') ? {} : { success: true }),
    message: broken('gevals:result:message') ? 17 : `Repeated ${String(text)}`,
    outputs: {
      length: broken('gevals:result:outputs') ? 5 : '5',
      copy: 'x'.repeat(broken('gevals:extension:line-limit') ? 70_000 : 7),
    },
  };
}

serve({
  framing: 'lines',
  largestMessage: 65_535,
  calls: ['execute'],
  goodbye: 'shutdown',
  staysAfterGoodbye: broken('gevals:shutdown:exit-after-response'),
  ignoresBadJson: broken('gevals:categories:invalid-json'),
  mistakesNoMethod: broken('gevals:errors:invalid-request'),
  limitOf({ context }) {
    const timeout = context && typeof context === 'object' && 'timeout' in context ? context.timeout : '';
    if (broken('gevals:errors:timeout') || timeout === '') return undefined;
    return Number.parseFloat(String(timeout));
  },
  methods: {
    initialize({ protocolVersion }) {
      if (protocolVersion !== '0.0.1' && !broken('gevals:extension:version-refused'))
        throw new Refusal(-32602, 'expected protocolVersion "0.0.1"');
      if (broken('gevals:extension:initialize-again') && isInitialized)
        throw new Refusal(-32600, 'initialize comes once');
      isInitialized = true;
      return manifest;
    },
    execute({ operation, args, context }, id) {
      if (broken('gevals:extension:real-context') && hasEmptyPhase(context))
        throw new Refusal(-32602, 'phase is one of setup, verify, cleanup');
      if (broken('gevals:extension:ids') && typeof id === 'string') {
        send({ id: 7, result: { success: true } });
        return undefined;
      }
      if (broken('gevals:one-shot:executes') && !isInitialized)
        throw new Refusal(-32600, 'initialize comes first');
      if (typeof operation !== 'string') throw new Refusal(-32602, 'operation is required');
      if (operation === 'rest') return { success: true };
      if (operation === 'repeat') return repeat(args);
      const message = `Unknown operation: ${operation}`;
      if (broken('gevals:categories:unknown-operation')) return { success: false, error: message };
      return refuseUnknown(id, new Refusal(-32601, message));
    },
    shutdown: () => (broken('gevals:shutdown:response-example') ? undefined : {}),
  },
});

/** @param {unknown} context */
function hasEmptyPhase(context) {
  return typeof context === 'object' && context !== null && 'phase' in context && context.phase === '';
}
