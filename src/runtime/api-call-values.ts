// Calls, questions about them and what is kept of them in the API: one schema each, from which the types come.
import { callerKinds, type Caller } from '../definition/caller.ts';
import type { CallFailure, CallerContext, Outcome } from '../definition/outcome.ts';
import type { TrafficEntry } from '../fleet/recording/traffic.ts';
import type { Approval, Question } from '../gate/approval/approver.ts';
import type { AuditEvent } from '../gate/audit/audit.ts';
import type { AuditRecord } from '../gate/audit/read-audit.ts';
import type { AuditVerdict } from '../gate/audit/verify-audit.ts';
import type { DecidingRule } from '../gate/policy/policy.ts';
import {
  amount,
  anything,
  anyObject,
  constant,
  described,
  either,
  is,
  list,
  named,
  object,
  oneOf,
  schema,
  text,
  texts,
  whole,
  yesNo,
  type ValueOf,
} from './api-schema.ts';

const millisecondsSince1970 = described(amount, 'Milliseconds since 1970.');
const logLevel = oneOf('debug', 'info', 'warn', 'error');
const kind = oneOf(...callerKinds);
const CallerSchema = named(
  'Caller',
  is<Caller>(
    object({
      kind,
      'name?': described(text, 'The name that it gives itself.'),
      'access?': described(text, 'The name of its bearer token.'),
      'accessId?': described(text, 'The id of that token; another token of the same name has another id.'),
      'profile?': text,
      'isProfileChosen?': described(yesNo, 'It named the profile itself; limits count by its token.'),
      'connection?': described(text, 'The connection of the request.'),
    }),
  ),
);

const request = {
  'args?': described(anyObject, 'Of the tool, by name.'),
  'pairs?': described(
    texts,
    'Further arguments of a tool as texts; its schema decides which of them are strings and which are JSON.',
  ),
  'logs?': described(
    object({ 'since?': amount }),
    'With a stream: the log of the plugin comes as events plugin-log until the call ends, from this moment on.',
  ),
  'timeoutMs?': schema<number>({ type: 'number', exclusiveMinimum: 0, maximum: 86_400_000 }),
  'context?': is<CallerContext>(
    object({
      'conversation?': list(anything),
      'systemInfo?': text,
      'workdir?': text,
      'phase?': oneOf('setup', 'verify', 'cleanup'),
      'env?': texts,
      'agent?': object({ 'prompt?': text, 'output?': text }),
    }),
  ),
  'caller?': described(
    is<Caller>(object({ 'kind?': kind, 'name?': text })),
    'The caller that the user calls for; a client with a token gives no more than its name.',
  ),
};
const CallRequest = named('CallRequest', object(request));
const TalkRequest = named('TalkRequest', object({ tool: text, ...request }));

const CallFailureSchema = named(
  'CallFailure',
  is<CallFailure>(
    object({
      code: described(text, 'One of docs/errors.md.'),
      message: text,
      'wireCode?': schema<number>({ type: 'integer' }),
      'data?': anything,
      'reason?': text,
      'details?': anything,
      'recoverable?': yesNo,
      'suggestions?': list(text),
      'stderr?': text,
    }),
  ),
);

const OutcomeSchema = named(
  'Outcome',
  is<Outcome & { readonly id: string }>(
    object({
      ok: yesNo,
      id: described(text, 'Of the call.'),
      durationMs: amount,
      'text?': text,
      'data?': anything,
      'outputs?': texts,
      'keepSession?': described(yesNo, 'The plugin waits for the next input of the user.'),
      'error?': described(CallFailureSchema, 'Where it is not ok.'),
    }),
  ),
);

const CallEvent = named(
  'CallEvent',
  either(
    object({ kind: constant('text'), text }),
    object({ kind: constant('log'), level: logLevel, message: text, 'data?': anything }),
    object({
      kind: constant('progress'),
      progress: schema<number>({ type: 'number' }),
      'total?': schema<number>({ type: 'number' }),
      'message?': text,
    }),
  ),
);

const ExplainRequest = named('ExplainRequest', object({ 'args?': anyObject, 'caller?': request['caller?'] }));
const Explanation = named(
  'Explanation',
  object({
    name: text,
    kind: oneOf('tool', 'command'),
    plugin: text,
    caller: CallerSchema,
    decision: oneOf('allow', 'deny', 'ask'),
    method: described(text, 'How it was decided, as in the audit log.'),
    reason: text,
    rules: described(
      is<readonly DecidingRule[]>(list(object({ rule: text, 'file?': text }))),
      'The rules that decided it.',
    ),
    'runs?': described(list(text), 'Of an allowed command line: where each of its commands runs.'),
    'fix?': described(text, 'What would allow it.'),
    'difference?': described(text, 'How its definition differs from the one that was approved.'),
  }),
);
export type ExplanationView = ValueOf<typeof Explanation>;

const QuestionSchema = named(
  'Question',
  is<Question>(
    object({
      id: described(text, 'Of the call.'),
      kind: oneOf('tool', 'command', 'resource', 'prompt'),
      tool: text,
      plugin: text,
      caller: CallerSchema,
      args: described(anyObject, 'Secrets are masked.'),
      signature: text,
      reason: text,
      remembers: described(text, 'What an answer for longer than this call is about.'),
      'remembersTool?': described(text, 'The same, where it covers every call of the tool.'),
      'always?': described(
        object({ file: text, 'call?': text, 'tool?': text }),
        'The rules that a permanent answer writes, and where.',
      ),
      'intent?': text,
      'describedBy?': oneOf('host', 'plugin'),
      'summary?': text,
      'details?': text,
      'diff?': text,
      'changedDefinition?': text,
      expiresAt: millisecondsSince1970,
    }),
  ),
);

const covers = described(oneOf('call', 'tool'), 'Exactly this call, or every call of the tool.');
const ApprovalSchema = named(
  'Approval',
  is<Approval>(
    either(
      object({
        kind: constant('allow'),
        scope: described(
          oneOf('once', 'turn', 'idle', 'session', 'always', 'all'),
          'always writes a rule; all allows every call of this caller.',
        ),
        'covers?': covers,
        'by?': text,
        'args?': anyObject,
      }),
      object({
        kind: constant('deny'),
        scope: oneOf('once', 'turn', 'idle', 'session', 'always'),
        'covers?': covers,
        'by?': text,
        'comment?': text,
      }),
    ),
  ),
);

const Traffic = named(
  'TrafficEntry',
  is<TrafficEntry>(
    object({
      seq: whole,
      at: millisecondsSince1970,
      plugin: text,
      from: oneOf('host', 'plugin'),
      kind: text,
      'method?': text,
      'id?': schema({ type: ['string', 'number', 'null'] }),
      'call?': described(text, 'The id of the call that it belongs to, where that is known.'),
      'trace?': described(text, 'The id of the trace that this call is a part of.'),
      size: whole,
      'text?': described(text, 'The message, cut where it is long; secrets are masked.'),
    }),
  ),
);

const Recording = named(
  'Recording',
  object({
    id: text,
    plugin: text,
    file: text,
    startedAt: millisecondsSince1970,
    messages: whole,
    isLive: described(yesNo, 'False: only processes that are started from now on are recorded.'),
  }),
);
export type RecordingView = ValueOf<typeof Recording>;

const Audited = named(
  'AuditEvent',
  is<AuditEvent>(
    either(
      object({
        kind: constant('decided'),
        id: text,
        what: oneOf('tool', 'command', 'resource', 'prompt'),
        name: text,
        plugin: text,
        caller: CallerSchema,
        args: anyObject,
        allowed: yesNo,
        method: text,
        reason: text,
        'trace?': text,
        'approval?': object({
          by: text,
          scope: oneOf('once', 'turn', 'idle', 'session', 'always', 'all'),
        }),
      }),
      object({
        kind: constant('ended'),
        id: text,
        ok: yesNo,
        'code?': text,
        durationMs: amount,
        bytes: whole,
        'spilled?': text,
      }),
      object({ kind: constant('noted'), what: text, 'data?': anyObject }),
    ),
  ),
);
const AuditLine = named(
  'AuditRecord',
  is<AuditRecord>(object({ seq: whole, at: text, event: Audited, file: text, line: whole })),
);
const verdict = is<AuditVerdict>(anyObject);

const ProblemSchema = named(
  'Problem',
  object({
    type: described(text, 'urn:pluglot:CODE'),
    title: text,
    status: whole,
    detail: text,
    code: text,
    'stderr?': described(text, 'The last output of a plugin before it failed.'),
  }),
);

export const callValues = {
  approval: ApprovalSchema,
  auditEvent: Audited,
  auditRecord: AuditLine,
  callEvent: CallEvent,
  callFailure: CallFailureSchema,
  caller: CallerSchema,
  callRequest: CallRequest,
  explainRequest: ExplainRequest,
  explanation: Explanation,
  outcome: OutcomeSchema,
  problem: ProblemSchema,
  question: QuestionSchema,
  recording: Recording,
  talkRequest: TalkRequest,
  traffic: Traffic,
  verdict,
};
