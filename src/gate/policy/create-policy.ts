// The policy at work: files and session, and a decision on each call.
import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { isInside } from '../../fleet/trust/containment.ts';
import { decideCall } from './decide.ts';
import type { Permissions } from './file/permissions.ts';
import type { Policy, Subject, Verdict } from './policy.ts';
import type { PolicyCall } from './rules/call.ts';
import { effectiveRules } from './rules/effective-rules.ts';
import { createSanitizer } from './sanitization/sanitize.ts';
import { target } from './sanitization/target.ts';
import { createSession } from './session/session.ts';
import { readCommandLine, readSimpleCommand } from './shell/command-line.ts';
import { readShell } from './shell/reading.ts';
import { type ShellReading, unread } from './shell/shell-command.ts';
import { type ShellTools, type ShellUse, shellUseOf } from './shell-tools.ts';
import { signatureOf } from './signature.ts';

export interface PolicyParts {
  /** From `readPermissions`. @default none, and then everything is asked about */
  readonly permissions?: Permissions;
  /** Where command lines run, and relative paths of theirs start. */
  readonly cwd: string;
  readonly home: string;
  /** What was answered and allowed so far, where the files are others now. @default nothing */
  readonly session?: PolicySession;
  /** @default the system's */
  readonly clock?: Clock;
}

export type PolicySession = ReturnType<typeof createSession>;

export function createPolicy(parts: PolicyParts): Policy {
  const { permissions, cwd, home, clock = systemClock, session = createSession(clock) } = parts;
  const sources = permissions?.sources ?? [];
  const rules = effectiveRules(sources);
  const sanitizer = createSanitizer(sources, { cwd, home });

  const keyOf = (subject: Subject): string => {
    const use = shellUseOf(subject, rules.shellTools);
    const { kind, plugin, ownName, caller } = subject;
    // Who trusts one program has not said anything of another.
    const who = [caller.kind, caller.name ?? caller.kind];
    return JSON.stringify([who, kind, plugin, ownName, ...(use ? [use.line, use.cwd] : [])]);
  };
  const decided = (call: PolicyCall): Verdict | Promise<Verdict> => {
    const state = {
      rules,
      session,
      watchesCommands: sanitizer.watchesCommands,
      remembered: session.remembered.get(keyOf(call.subject)),
    };
    // What a person types is held against the blacklists alone.
    const objection = call.subject.caller.kind === 'user' ? undefined : sanitizer.check(call);
    return objection instanceof Promise
      ? objection.then((one) => decideCall(call, state, one))
      : decideCall(call, state, objection);
  };

  return {
    decide(subject) {
      try {
        session.remembered.touch();
        const call = callOf(subject, rules.shellTools, cwd);
        const verdict = call instanceof Promise ? call.then(decided) : decided(call);
        return verdict instanceof Promise ? verdict.catch(undecided) : verdict;
      } catch (error) {
        return undecided(error);
      }
    },
    signatureOf: (subject) => signatureOf(subject, rules.shellTools),
    remember(subject, answer, scope) {
      session.remembered.set(keyOf(subject), answer, scope);
    },
    allowAll: () => session.allowAll(),
    endTurn: () => session.remembered.endTurn(),
    session,
    view: () => ({
      defaultPolicy: rules.defaultPolicy,
      whitelist: rules.whitelist.shown,
      blacklist: rules.blacklist.shown,
      session: {
        allowAll: session.isAllowAll,
        ...(session.defaultPolicy && { defaultPolicy: session.defaultPolicy }),
        whitelist: session.whitelist.shown,
        blacklist: session.blacklist.shown,
      },
      sources: sources.map(({ file, trusted }) => ({ file, trusted })),
    }),
  };
}

function callOf(subject: Subject, shellTools: ShellTools, cwd: string): PolicyCall | Promise<PolicyCall> {
  const use = shellUseOf(subject, shellTools);
  if (!use) return { subject };
  const signature = signatureOf(subject, shellTools);
  const reading = readingOf(use);
  // To follow links takes time, so the many calls that name no folder are decided on without.
  if (use.cwd === undefined && !(reading instanceof Promise))
    return { subject, shell: { signature, use, reading, isElsewhere: false } };
  return Promise.all([reading, leadsElsewhere(cwd, use.cwd)]).then(([one, isElsewhere]) => ({
    subject,
    shell: { signature, use, reading: one, isElsewhere },
  }));
}

/** Tools may make a path of it by its words or let the system go step by step: both have to end inside. */
async function leadsElsewhere(folder: string, asked: string | undefined): Promise<boolean> {
  if (asked === undefined) return false;
  const ways = [target(folder, asked), target(folder, path.resolve(folder, asked))];
  const [inside, ...ends] = await Promise.all([target(folder, '.'), ...ways]);
  return inside === undefined || !ends.every((end) => end !== undefined && isInside(inside, end));
}

function readingOf({ line }: ShellUse): ShellReading | Promise<ShellReading> {
  if (!line) return unread('its arguments are not those of a command');
  const simple = readSimpleCommand(line.command, line.args);
  return simple ? readShell(simple) : readCommandLine(line.command, line.args).then(readShell);
}

function undecided(error: unknown): Verdict {
  const reason = `It could not be decided: ${error instanceof Error ? error.message : String(error)}`;
  return { kind: 'deny', method: 'broken', reason };
}
