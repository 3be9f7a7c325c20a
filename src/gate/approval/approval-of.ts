// Answers of approvers, which may be foreign programs: an answer that does not clearly allow the call denies it.
import { isJsonObject, type Json } from '../../base/json.ts';
import { plainJson } from '../../definition/run/plain-json.ts';
import type { Covers, Scope } from '../policy/policy.ts';
import type { Approval } from './approver.ts';

const scopes = new Set<unknown>(['once', 'turn', 'idle', 'session', 'always']);
const COMMENT_MAX = 4000;

/** @throws Error when it is not a valid answer */
export function approvalOf(given: unknown): Approval {
  const plain = plainJson(given, 'it');
  if ('problem' in plain || !isJsonObject(plain.json)) throw new Error('the answer is not an object');
  const { kind, scope, by, args, comment, covers } = plain.json;
  const who = typeof by === 'string' && by !== '' ? by.slice(0, 200) : 'a person';
  if (covers !== undefined && covers !== 'call' && covers !== 'tool')
    throw new Error('"covers" has to be call or tool');
  const breadth: { covers?: Covers } = covers === 'tool' ? { covers } : {};
  if (kind === 'deny') {
    if (!isScope(scope)) throw new Error('the answer does not say for how long it holds');
    return { kind, scope, by: who, ...breadth, ...commentOf(comment) };
  }
  if (kind !== 'allow') throw new Error('the answer is neither allow nor deny');
  if (scope !== 'all' && !isScope(scope)) throw new Error('the answer does not say for how long it holds');
  if (args !== undefined && !isJsonObject(args))
    throw new Error('the arguments of the answer are not an object');
  return { kind, scope, by: who, ...breadth, ...(args === undefined ? {} : { args }) };
}

const decisions = new Map<unknown, Pick<Approval, 'kind' | 'scope'>>([
  ['allow', { kind: 'allow', scope: 'once' }],
  ['allow_once', { kind: 'allow', scope: 'once' }],
  ['allow_turn', { kind: 'allow', scope: 'turn' }],
  ['allow_idle', { kind: 'allow', scope: 'idle' }],
  ['allow_session', { kind: 'allow', scope: 'session' }],
  ['allow_always', { kind: 'allow', scope: 'always' }],
  ['allow_all', { kind: 'allow', scope: 'all' }],
  ['deny', { kind: 'deny', scope: 'once' }],
  ['deny_session', { kind: 'deny', scope: 'session' }],
  ['deny_always', { kind: 'deny', scope: 'always' }],
  ['timeout', { kind: 'deny', scope: 'once' }],
]);

/**
 * Of `{ decision, scope?, covers?, comment?, arguments? }`, as programs write it: a webhook, a file. `scope` is for `allow` and `deny`, whose
 * word does not say it.
 * @throws Error when it is not a valid answer
 */
export function decisionOf(answer: Json, by: string): Approval {
  if (!isJsonObject(answer)) throw new Error('the answer is not an object');
  const { decision, scope, comment, covers, arguments: args } = answer;
  const decided = decisions.get(decision);
  if (decided === undefined)
    throw new Error(`"decision" has to be one of ${[...decisions.keys()].join(', ')}`);
  const isOpen = decision === 'allow' || decision === 'deny';
  if (isOpen && scope === 'all') throw new Error('"scope" cannot be all; the decision for that is allow_all');
  return approvalOf({
    kind: decided.kind,
    scope: isOpen && scope !== undefined ? scope : decided.scope,
    by,
    ...(covers === undefined ? {} : { covers }),
    ...(args === undefined ? {} : { args }),
    ...(decision === 'timeout'
      ? { comment: 'No answer came in time.' }
      : comment === undefined
        ? {}
        : { comment }),
  });
}

function isScope(scope: Json | undefined): scope is Scope | 'always' {
  return scopes.has(scope);
}

function commentOf(comment: Json | undefined): { comment?: string } {
  return typeof comment === 'string' && comment.trim() !== ''
    ? { comment: comment.slice(0, COMMENT_MAX) }
    : {};
}
