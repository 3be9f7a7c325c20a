// The order in which rules are looked at: what forbids, then what allows, then what holds for the rest.
import { describeCaller } from '../../base/describe.ts';
import { sentences, shellWord, shortened } from '../../base/text.ts';
import { isOwner, type Caller, type Execution } from '../../definition/caller.ts';
import type { DecidingRule, DefaultPolicy, Method, Verdict } from './policy.ts';
import {
  type Allowance,
  allowedBy,
  type GrantOf,
  toolGrant,
  type PolicyCall,
  type ShellCall,
  forbiddenBy,
} from './rules/matching.ts';
import { type EffectiveRules, stricter } from './rules/effective-rules.ts';
import type { RuleList } from './rules/rule-list.ts';
import type { Objection } from './sanitization/sanitize.ts';
import type { PolicySession } from './policy-session.ts';
import type { Grant } from './shell/command-pattern.ts';
import { readOnlyCommand } from './shell/read-only.ts';

interface PolicyState {
  readonly rules: EffectiveRules;
  readonly session: PolicySession;
  /** A person's answer to this call that still holds. */
  readonly remembered: 'allow' | 'deny' | undefined;
  readonly watchesCommands: boolean;
}

export function decideCall(call: PolicyCall, state: PolicyState, objection: Objection | undefined): Verdict {
  const { rules, session, remembered } = state;
  const { caller } = call.subject;
  const isOwn = isOwner(caller);
  const ending = endingOf(state);

  if (!isOwn && rules.broken !== undefined) {
    return deny('broken', `Nothing is allowed until the permissions are fixed: ${rules.broken}`);
  }
  if (objection?.kind === 'deny') return deny(objection.method, sentence(objection.reason));
  const listed = forbidden(call, state);
  if (listed) return listed;
  if (isOwn)
    return caller.kind === 'user'
      ? approved(call, 'user', "It is the user's own call.")
      : approved(call, 'program', 'The program that embeds this host calls it.');
  if (remembered === 'deny') return deny('session-deny', 'A person has denied this before.');

  const doubt = objection ?? unreadable(call);
  // A command is made for people and may change what is allowed: a permission for everything does not include it.
  const mustName = call.subject.kind === 'command';
  if (session.isAllowedAll(caller) && !mustName && !(doubt && hasCommandRules(state)))
    return approved(call, 'allow-all', 'A person has allowed everything to this caller.');
  if (remembered === 'allow') return approved(call, 'session-allow', 'A person has allowed this before.');
  // What may be something that is forbidden is at best asked about.
  if (doubt)
    return ending.policy === 'deny'
      ? deny(doubt.method, sentence(doubt.reason))
      : ask(call, doubt.method, sentence(doubt.reason));

  const allowance = allowedBy([rules.allowRules, session.allowRules], call, mustName);
  if (allowance.isAllowed) {
    const method = allowance.list === 0 ? 'allow-rule' : 'session-allow';
    const reason = `A rule allows it: ${shortened(allowance.rules.join(', '), 200)}.`;
    const decided = allow(call, method, reason, allowance.grantOf);
    if (decided.kind !== 'allow') return decided;
    return { ...decided, rules: allowance.rules.map((rule) => deciding(rule, rules.allowRules)) };
  }
  const owned = classOf(call, rules, ending.policy, mustName);
  if (owned)
    return verdict(
      owned.policy,
      call,
      'class',
      `The rules class it as one that ${owned.what}.`,
      owned.grantOf,
    );
  // Whatever the commands of ours do, they do it to the project alone.
  const isSaidDestructive = call.subject.hints?.destructive === true && call.shell?.use.isOurs !== true;
  if (call.subject.isAutoApproved && !isSaidDestructive) {
    return allow(call, 'auto-approved', 'Its plugin says that it needs no question.');
  }
  if (ending.policy === 'allow' && isSaidDestructive)
    return ask(call, 'class', 'Its plugin says that it destroys something.');
  if (ending.policy === 'allow' && mustName)
    return ask(call, ending.method, 'It is a command for people, and no rule names it for others.');
  return verdict(ending.policy, call, ending.method, endingReason(call, allowance, ending.method));
}

interface Ending {
  readonly policy: DefaultPolicy;
  readonly method: 'session-default' | 'default';
}

function endingOf({ rules, session }: PolicyState): Ending {
  return session.defaultPolicy
    ? { policy: session.defaultPolicy, method: 'session-default' }
    : { policy: rules.defaultPolicy, method: 'default' };
}

interface Doubt {
  readonly kind: 'ask';
  readonly method: Method;
  readonly reason: string;
}

function forbidden(
  call: PolicyCall,
  { rules, session }: PolicyState,
): (Verdict & { kind: 'deny' }) | undefined {
  const bySession = forbiddenBy(session.denyRules, call);
  const rule = bySession ?? forbiddenBy(rules.denyRules, call);
  if (rule === undefined) return undefined;
  const method = bySession === undefined ? 'deny-rule' : 'session-deny';
  const decided = deny(
    method,
    call.texts.isTooMuch
      ? `It has more values than can be compared with the rules that forbid, such as ${shortened(rule, 200)}. Send less in one call.`
      : `A rule forbids it: ${shortened(rule, 200)}.`,
  );
  return { ...decided, rules: [deciding(rule, rules.denyRules)] };
}

function deciding(rule: string, { files }: RuleList): DecidingRule {
  // One that was made from a table has its argument behind the name.
  const file = files.get(rule) ?? files.get(rule.replace(/\(.*/s, ''));
  return file === undefined ? { rule } : { rule, file };
}

function unreadable({ shell }: PolicyCall): Doubt | undefined {
  if (shell?.reading.kind !== 'other') return undefined;
  return {
    kind: 'ask',
    method: 'unreadable',
    reason: `no rule can allow it, since it ${shell.reading.reason}`,
  };
}

/** Whether there is anything that a command which cannot be read could hide. */
function hasCommandRules({ rules, session, watchesCommands }: PolicyState): boolean {
  return (
    watchesCommands ||
    [rules.denyRules, session.denyRules].some((list) => list.patterns.length > 0 || list.tables.length > 0)
  );
}

function endingReason({ shell }: PolicyCall, allowance: Allowance, method: Ending['method']): string {
  const where = method === 'session-default' ? 'the default of this session' : 'the default';
  if (shell?.isElsewhere)
    return `It is to run in another folder, where rules for commands do not hold, so ${where} holds.`;
  const what =
    shell && !allowance.isAllowed && allowance.uncovered
      ? `No rule covers \`${shortened(allowance.uncovered.map(shellWord).join(' '), 120)}\``
      : 'No rule names it';
  return `${what}, so ${where} holds.`;
}

function verdict(
  policy: DefaultPolicy,
  call: PolicyCall,
  method: Method,
  reason: string,
  grantOf?: GrantOf,
): Verdict {
  switch (policy) {
    case 'allow':
      return allow(call, method, reason, grantOf);
    case 'deny':
      return deny(method, reason);
    case 'ask':
      return ask(call, method, reason);
  }
}

/** A person has approved this, or more than this. */
function approved({ shell }: PolicyCall, method: Method, reason: string): Verdict {
  return { kind: 'allow', method, reason, ...(shell && { execution: asWritten }) };
}

/** A command line runs as the rules say, or it is asked about. */
function allow(
  call: PolicyCall,
  method: Method,
  reason: string,
  grantOf: GrantOf = toolGrant(call),
): Verdict {
  if (!call.shell) return { kind: 'allow', method, reason };
  const execution = executionOf(call.shell, call.subject.isConfined === true, grantOf);
  if (execution && 'blocked' in execution) return ask(call, 'sandbox', sentence(execution.blocked));
  return { kind: 'allow', method, reason, execution };
}

function deny(method: Method, reason: string): Verdict & { kind: 'deny' } {
  return { kind: 'deny', method, reason };
}

function ask({ subject, shell }: PolicyCall, method: Method, reason: string): Verdict {
  const who = byWhom(subject.caller);
  if (shell) {
    const line = shortened(shell.signature, 300);
    return { kind: 'ask', method, reason, remembers: `exactly this call: ${line}${who}` };
  }
  const name = `${subject.kind} ${subject.name}`;
  return {
    kind: 'ask',
    method,
    reason,
    remembers: `the ${name} with exactly these arguments${who}`,
    remembersTool: `the ${name} with any arguments${who}`,
  };
}

/** An answer holds for the one who was asked for, by the same token, profile and connection. */
function byWhom(caller: Caller): string {
  const who = describeCaller({ ...caller, ...(caller.name && { name: shortened(caller.name, 60) }) });
  return `, by the ${who}${caller.connection === undefined ? '' : ', over this connection'}`;
}

function sentence(reason: string): string {
  return `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}${reason.endsWith('.') ? '' : '.'}`;
}

interface Owned {
  readonly policy: DefaultPolicy;
  readonly what: string;
  /** How each command of a line may run. */
  readonly grantOf?: GrantOf;
}

function classOf(
  call: PolicyCall,
  { readOnly, destructive, cautious }: EffectiveRules,
  usual: DefaultPolicy,
  mustName: boolean,
): Owned | undefined {
  // One destroying command of many is enough; all have to only read.
  if (forbiddenBy(destructive.rules, call)) return { policy: destructive.policy, what: 'destroys' };
  const reads = allowedBy([readOnly.rules], call, mustName && readOnly.policy === 'allow');
  if (reads.isAllowed) {
    const grantOf: GrantOf = (words) => ({ ...reads.grantOf(words), access: 'read-only' });
    return { policy: readOnly.policy, what: 'only reads', grantOf };
  }
  // An untrusted file can add a question, and never loosens a default that denies.
  return forbiddenBy(cautious, call) ? { policy: stricter('ask', usual), what: 'may destroy' } : undefined;
}

/** What a person has typed or approved. */
const asWritten: Execution = { kind: 'as-written' };

/** In words, why it cannot run as the rules say: then it is asked about. */
interface Blocked {
  readonly blocked: string;
}

/** Undefined for a tool of another plugin, which runs the line itself. */
function executionOf(
  { reading, use, isElsewhere, missing, plainReads }: ShellCall,
  isConfined: boolean,
  grantOf: (words: readonly string[]) => Grant,
): Execution | Blocked | undefined {
  if (reading.kind === 'other') return { blocked: `It ${reading.reason}` };
  if (!use.isOurs) {
    const isFree = reading.steps.every(({ pipeline }) =>
      pipeline.every((words) => grantOf(words).isUnsandboxed),
    );
    return isFree || isConfined
      ? undefined
      : { blocked: 'Its plugin runs the command in a shell of its own and is not confined' };
  }
  if (isElsewhere) return { blocked: 'It is to run outside of the folder of the project' };
  let blocked: Blocked | undefined;
  const steps = reading.steps.map(({ after, pipeline }) => ({
    after,
    pipeline: pipeline.map((words) => {
      const { isUnsandboxed, isListed, access, network, folders } = grantOf(words);
      const listed = isListed ? readOnlyCommand(words) : undefined;
      const command = { words: listed?.words ?? words, ...(listed?.env && { env: listed.env }) };
      if (isUnsandboxed || (missing && isListed && plainReads.has(words)))
        return { ...command, sandbox: undefined };
      if (missing)
        blocked = {
          blocked: `Commands run in the sandbox, and there is none here: ${sentences(missing.missing, missing.fix)}`,
        };
      return { ...command, sandbox: { access, network, folders } };
    }),
  }));
  return blocked ?? { kind: 'words', steps };
}
