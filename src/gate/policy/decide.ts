// The order in which rules are looked at: what forbids, then what allows, then what holds for the rest.
import { jsonText, shortened } from '../../base/shown.ts';
import type { DefaultPolicy, Method, Subject, Verdict } from './policy.ts';
import { type Allowance, allowedBy } from './rules/allowing.ts';
import type { PolicyCall } from './rules/call.ts';
import { classOf } from './rules/classes.ts';
import type { EffectiveRules } from './rules/effective-rules.ts';
import { forbiddenBy } from './rules/forbidding.ts';
import type { Objection } from './sanitization/sanitize.ts';
import type { Session } from './session/session.ts';
import { uncoveredText } from './uncovered.ts';

export interface PolicyState {
  readonly rules: EffectiveRules;
  readonly session: Session;
  /** What somebody has answered for this very call, and still holds. */
  readonly remembered: 'allow' | 'deny' | undefined;
  readonly watchesCommands: boolean;
}

export function decideCall(call: PolicyCall, state: PolicyState, objection: Objection | undefined): Verdict {
  const { rules, session, remembered } = state;
  const isUser = call.subject.caller.kind === 'user';
  const ending = endingOf(state);

  if (!isUser && rules.broken !== undefined) {
    return deny('broken', `Nothing is allowed until the permissions are mended: ${rules.broken}`);
  }
  if (objection?.kind === 'deny') return deny(objection.method, sentence(objection.reason));
  const listed = forbidden(call, state);
  if (listed?.kind === 'deny') return listed;
  if (isUser) return allow('user', 'A person has typed it.');
  if (remembered === 'deny') return deny('session-blacklist', 'Somebody has said no to this before.');

  const doubt = objection ?? listed ?? unreadable(call);
  // A command is made for people, and may change what is allowed: nobody else runs it because anything may be called.
  const mustName = call.subject.kind === 'command';
  if (session.isAllowAll && !mustName && !(doubt && hasCommandRules(state)))
    return allow('allow-all', 'Somebody has said yes to everything.');
  if (remembered === 'allow') return allow('session-whitelist', 'Somebody has said yes to this before.');
  // What may be something that is forbidden is at best asked about.
  if (doubt)
    return ending.policy === 'deny'
      ? deny(doubt.method, sentence(doubt.reason))
      : ask(call, doubt.method, sentence(doubt.reason));

  const allowance = allowedBy([rules.whitelist, session.whitelist], call, mustName);
  if (allowance.isAllowed) {
    return allow(
      allowance.list === 0 ? 'whitelist' : 'session-whitelist',
      `A rule allows it: ${shortened(allowance.rule, 200)}.`,
    );
  }
  const owned = classOf(call, rules, ending.policy, mustName);
  if (owned) return verdict(owned.policy, call, 'class', `The owner has said that it ${owned.what}.`);
  const isSaidDestructive = call.subject.hints?.destructive === true;
  if (call.subject.isAutoApproved && !isSaidDestructive) {
    return allow('auto-approved', 'Its plugin says that it needs no question.');
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
): (Verdict & { kind: 'deny' }) | Doubt | undefined {
  const bySession = forbiddenBy(session.blacklist, call);
  const byFile = forbiddenBy(rules.blacklist, call);
  const certain = bySession?.isCertain ? bySession : byFile?.isCertain ? byFile : undefined;
  if (certain) {
    const method = certain === bySession ? 'session-blacklist' : 'blacklist';
    return { kind: 'deny', method, reason: `A rule forbids it: ${shortened(certain.rule, 200)}.` };
  }
  const possible = bySession ?? byFile;
  if (!possible) return undefined;
  const reason = `it may be what the rule "${shortened(possible.rule, 200)}" forbids: some of its words are only known to the shell`;
  return { kind: 'ask', method: 'unreadable', reason };
}

function unreadable({ shell }: PolicyCall): Doubt | undefined {
  const [reason] = shell?.reading.unreadable ?? [];
  return reason === undefined
    ? undefined
    : { kind: 'ask', method: 'unreadable', reason: `what it does cannot be read: ${reason}` };
}

/** Whether there is anything that a command which cannot be read could hide. */
function hasCommandRules({ rules, session, watchesCommands }: PolicyState): boolean {
  return (
    watchesCommands ||
    [rules.blacklist, session.blacklist].some((list) => list.patterns.length > 0 || list.arguments.length > 0)
  );
}

function endingReason({ shell }: PolicyCall, allowance: Allowance, method: Ending['method']): string {
  const where = method === 'session-default' ? 'the default of this session' : 'the default';
  if (shell?.isElsewhere)
    return `It is to run in another folder, where rules for commands do not hold, so ${where} holds.`;
  const what =
    shell && !allowance.isAllowed && allowance.uncovered
      ? uncoveredText(allowance.uncovered)
      : 'No rule names it';
  return `${what}, so ${where} holds.`;
}

function verdict(policy: DefaultPolicy, call: PolicyCall, method: Method, reason: string): Verdict {
  switch (policy) {
    case 'allow':
      return allow(method, reason);
    case 'deny':
      return deny(method, reason);
    case 'ask':
      return ask(call, method, reason);
  }
}

function allow(method: Method, reason: string): Verdict {
  return { kind: 'allow', method, reason };
}

function deny(method: Method, reason: string): Verdict & { kind: 'deny' } {
  return { kind: 'deny', method, reason };
}

function ask({ subject, shell }: PolicyCall, method: Method, reason: string): Verdict {
  const what = shell ? `exactly this: ${shortened(shell.signature, 300)}` : `every call of ${subject.name}`;
  return { kind: 'ask', method, reason, remembers: `${what}${byWhom(subject)}` };
}

/** An answer holds for the one who was asked for; unless it says more, a model is the only one of its kind. */
function byWhom({ caller: { kind, name } }: Subject): string {
  if (name !== undefined) return `, by the ${kind} ${jsonText(shortened(name, 60))}`;
  return kind === 'model' ? '' : `, by a ${kind}`;
}

function sentence(reason: string): string {
  return `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.`;
}
