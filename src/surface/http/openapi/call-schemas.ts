// Calls, questions about them, and what is kept of them.
import type { JsonObject } from '../../../base/json.ts';
import { callerKinds } from '../../../definition/caller.ts';
import {
  amount,
  anything,
  anyObject,
  described,
  list,
  object,
  oneOf,
  ref,
  text,
  whole,
  yesNo,
} from './schema.ts';

const kind = oneOf(...callerKinds);
const caller = object({
  kind,
  'name?': described(text, 'As it calls itself.'),
  'access?': described(text, 'The name of its bearer token.'),
  'profile?': text,
  'isProfileChosen?': described(yesNo, 'It named the profile itself; limits count by its token.'),
  'connection?': described(text, 'The connection that it came by.'),
});

const request = {
  'args?': described(anyObject, 'Of the tool, by name.'),
  'timeoutMs?': { type: 'number', exclusiveMinimum: 0, maximum: 86_400_000 },
  'context?': object({
    'conversation?': list(anything),
    'systemInfo?': text,
    'workdir?': text,
    'phase?': oneOf('setup', 'verify', 'cleanup'),
    'env?': { type: 'object', additionalProperties: text },
    'agent?': object({ 'prompt?': text, 'output?': text }),
  }),
  'caller?': described(
    object({ 'kind?': kind, 'name?': text }),
    'For whom the user asks; whoever has a token says no more than its name.',
  ),
};

const approved = { by: text, scope: oneOf('once', 'turn', 'idle', 'session', 'always', 'all') };

export const callSchemas: Readonly<Record<string, JsonObject>> = {
  Caller: caller,
  CallRequest: object(request),
  TalkRequest: object({ tool: text, ...request }),
  Outcome: object({
    ok: yesNo,
    id: described(text, 'Of the call.'),
    durationMs: amount,
    'text?': text,
    'data?': anything,
    'outputs?': { type: 'object', additionalProperties: text },
    'keepSession?': described(yesNo, 'The plugin wants what the user says next.'),
    'error?': described(ref('CallFailure'), 'Where it is not ok.'),
  }),
  CallFailure: object({
    code: described(text, 'One of docs/errors.md.'),
    message: text,
    'wireCode?': { type: 'integer' },
    'data?': anything,
    'reason?': text,
    'details?': anything,
    'recoverable?': yesNo,
    'suggestions?': list(text),
    'stderr?': text,
  }),
  CallEvent: {
    oneOf: [
      object({ kind: { const: 'text' }, text }),
      object({
        kind: { const: 'log' },
        level: oneOf('debug', 'info', 'warn', 'error'),
        message: text,
        'data?': anything,
      }),
      object({
        kind: { const: 'progress' },
        progress: { type: 'number' },
        'total?': { type: 'number' },
        'message?': text,
      }),
    ],
  },
  ExplainRequest: object({ 'args?': anyObject, 'caller?': ref('Caller') }),
  Explanation: object({
    name: text,
    kind: oneOf('tool', 'command'),
    plugin: text,
    caller: ref('Caller'),
    decision: oneOf('allow', 'deny', 'ask'),
    method: described(text, 'How it came about, as in the audit log.'),
    reason: text,
    rules: described(list(object({ rule: text, 'file?': text })), 'Those that decided it.'),
    'fix?': described(text, 'What would allow it.'),
    'difference?': described(text, 'How its definition differs from the one that was approved.'),
  }),
  Question: object({
    id: described(text, 'Of the call.'),
    kind: oneOf('tool', 'command', 'resource', 'prompt'),
    tool: text,
    plugin: text,
    caller: ref('Caller'),
    args: described(anyObject, 'Secrets are masked.'),
    signature: text,
    reason: text,
    remembers: described(text, 'What an answer for longer than this call is about.'),
    'remembersTool?': described(text, 'The same, where it covers every call of the tool.'),
    'always?': described(
      object({ file: text, 'call?': text, 'tool?': text }),
      'The rules that an answer for good writes, and where.',
    ),
    'intent?': text,
    'summary?': text,
    'details?': text,
    'diff?': text,
    'changedDefinition?': text,
    expiresAt: described(amount, 'Milliseconds since 1970.'),
  }),
  Approval: {
    oneOf: [
      object({
        kind: { const: 'allow' },
        scope: described(
          oneOf('once', 'turn', 'idle', 'session', 'always', 'all'),
          'always writes a rule; all is everything that this caller wants.',
        ),
        'covers?': described(oneOf('call', 'tool'), 'Exactly this call, or every call of the tool.'),
        'by?': text,
        'args?': anyObject,
      }),
      object({
        kind: { const: 'deny' },
        scope: oneOf('once', 'turn', 'idle', 'session', 'always'),
        'covers?': oneOf('call', 'tool'),
        'by?': text,
        'comment?': text,
      }),
    ],
  },
  EventFrame: object({
    event: described(text, 'Its name, as of a stream.'),
    'id?': described(whole, 'Of the last message that it tells of, for since=.'),
    data: anything,
  }),
  TrafficEntry: object({
    seq: whole,
    at: described(amount, 'Milliseconds since 1970.'),
    plugin: text,
    from: oneOf('host', 'plugin'),
    kind: text,
    'method?': text,
    'id?': { type: ['string', 'number', 'null'] },
    'call?': described(text, 'The id of the call that it belongs to, where that is known.'),
    'trace?': described(text, 'The id of the trace that this call is a part of.'),
    size: whole,
    'text?': described(text, 'The message, cut where it is long; secrets are masked.'),
  }),
  Recording: object({
    id: text,
    plugin: text,
    file: text,
    startedAt: amount,
    messages: whole,
    isLive: described(yesNo, 'False: only processes that are started from now on are heard.'),
  }),
  AuditRecord: object({ seq: whole, at: text, event: ref('AuditEvent'), file: text, line: whole }),
  AuditEvent: {
    oneOf: [
      object({
        kind: { const: 'decided' },
        id: text,
        what: oneOf('tool', 'command', 'resource', 'prompt'),
        name: text,
        plugin: text,
        caller: ref('Caller'),
        args: anyObject,
        allowed: yesNo,
        method: text,
        reason: text,
        'trace?': text,
        'approval?': object(approved),
      }),
      object({
        kind: { const: 'ended' },
        id: text,
        ok: yesNo,
        'code?': text,
        durationMs: amount,
        bytes: whole,
        'spilled?': text,
      }),
      object({ kind: { const: 'noted' }, what: text, 'data?': anyObject }),
    ],
  },
  Problem: object({
    type: described(text, 'urn:pluglot:CODE'),
    title: text,
    status: whole,
    detail: text,
    code: text,
    'stderr?': described(text, 'The last that a plugin printed before it failed.'),
  }),
};
