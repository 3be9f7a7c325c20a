// A G-Assist plugin and its twins.
import { setTimeout as pause } from 'node:timers/promises';
import { broken, notify, Refusal, refuseUnknown, send, serve } from './core.mjs';

/** What `chat` keeps: a session is open until the user says "bye". */
let isTalking = false;

/**
 * A member of an object, unless this is the twin that leaves it out.
 * @param {string} id
 * @param {Record<string, unknown>} member
 */
function unless(id, member) {
  return broken(id) ? {} : member;
}

/**
 * @param {unknown} id
 * @param {unknown} data
 */
function end(id, data) {
  return {
    request_id: id,
    ...unless('gassist:complete:success', { success: true }),
    ...unless('gassist:complete:data', { data }),
    ...unless('gassist:complete:keep-session', { keep_session: isTalking }),
  };
}

/** @param {unknown} id */
function stream(id) {
  notify('stream', {
    ...unless('gassist:stream:request-id', { request_id: id }),
    ...unless('gassist:stream:data', { data: 'You said: ' }),
  });
}

function log() {
  const params = {
    ...unless('gassist:log:level', { level: 'info' }),
    ...unless('gassist:log:message', { message: 'repeating' }),
  };
  if (broken('gassist:overview:json-rpc')) send({ jsonrpc: '1.0', method: 'log', params });
  else notify('log', params);
}

/**
 * @param {unknown} id
 * @param {unknown} args
 */
function repeat(id, args) {
  log();
  stream(id);
  const words = end(id, broken('gassist:author:data-is-text') ? args : JSON.stringify(args));
  if (broken('gassist:author:no-response-to-execute')) return words;
  if (!broken('gassist:complete:ends')) notify('complete', words);
  return undefined;
}

if (broken('gassist:author:silent-stderr')) process.stderr.write('starting\n');

serve({
  framing: 'length-prefix',
  largestMessage: 10 * 1024 * 1024,
  calls: ['execute'],
  goodbye: 'shutdown',
  staysAfterGoodbye: broken('gassist:shutdown:exit'),
  ignoresBadJson: broken('gassist:codes:parse-error'),
  mistakesNoMethod: broken('gassist:codes:invalid-request'),
  methods: {
    initialize({ protocol_version: version }) {
      if (version === '1.0' && !broken('gassist:author:other-version-refused'))
        throw new Refusal(-32602, 'Only version 2.0 is spoken here');
      return {
        ...unless('gassist:initialize:result-name', { name: 'twin' }),
        ...unless('gassist:initialize:result-version', { version: '1.0.0' }),
        ...unless('gassist:initialize:result-capabilities', { capabilities: ['streaming', 'passthrough'] }),
        ...unless('gassist:author:introduction', { protocol_version: '2.0' }),
        commands: [
          { name: 'repeat', description: 'Repeats a text' },
          { name: 'chat', description: 'Opens a session' },
        ],
      };
    },
    async ping({ timestamp }) {
      if (broken('gassist:ping:within-1s')) await pause(1500);
      return broken('gassist:ping:timestamp') ? { alive: true } : { timestamp };
    },
    execute({ function: name, arguments: args }, id) {
      if (typeof name !== 'string')
        throw new Refusal(broken('gassist:codes:invalid-params') ? -1 : -32602, 'function is required');
      if (name === 'repeat') return repeat(id, args);
      if (name === 'chat') {
        isTalking = true;
        notify('complete', end(id, 'Go on.'));
        return undefined;
      }
      const code = broken('gassist:author:unknown-function') ? -1 : -32601;
      const message = broken('gassist:error:message') ? '' : `Unknown function: ${name}`;
      return refuseUnknown(id, new Refusal(code, message));
    },
    async input({ content }, id) {
      if (!isTalking && broken('fault:input-without-session')) return;
      if (broken('gassist:timeouts:ack')) await pause(2500);
      if (broken('gassist:input:acknowledged-first')) stream(id);
      send({ id, result: { acknowledged: true } });
      isTalking &&= content !== 'bye';
      if (broken('gassist:input:answer-by-notifications')) return;
      stream(id);
      notify('complete', end(id, String(content)));
    },
    shutdown: () => (broken('gassist:author:shutdown-request') ? undefined : {}),
  },
  notifications: broken('gassist:shutdown:no-response')
    ? {
        shutdown() {
          send({ id: null, result: {} });
          process.exit(0);
        },
      }
    : {},
});
