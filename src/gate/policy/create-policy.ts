// The policy at work: files and session, and a decision on each call.
import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { isOwner } from '../../definition/caller.ts';
import { isInside } from '../../fleet/trust/paths.ts';
import type { Sandbox, SandboxMissing } from '../sandbox/sandbox.ts';
import { decideCall } from './decide.ts';
import type { Permissions } from './file/permissions-file.ts';
import type { Policy, Subject, Verdict } from './policy.ts';
import { ForbiddenTexts } from './rules/forbidden-text.ts';
import type { PolicyCall } from './rules/matching.ts';
import { isExactly, ruleFor } from './rules/call-rule.ts';
import { type EffectiveRules, effectiveRules } from './rules/effective-rules.ts';
import { ruleForLine } from './shell/command-pattern.ts';
import { createSanitizer, type Objection, target } from './sanitization/sanitize.ts';
import { PolicySession } from './policy-session.ts';
import { readOnlyCommand } from './shell/read-only.ts';
import { commandsOf, type LineReading, readLine } from './shell/read-line.ts';
import { type ShellUse, shellUseOf, signatureOf } from './signature.ts';

export interface PolicyParts {
  /** From `readPermissions`. @default none, and then everything is asked about */
  readonly permissions?: Permissions;
  /** Where command lines run, and relative paths of theirs start. */
  readonly cwd: string;
  readonly home: string;
  /** What commands are confined with. @default nothing */
  readonly sandbox?: SandboxLookup;
  /** What was answered and allowed so far, where the files are others now. @default nothing */
  readonly session?: PolicySession;
  /** @default the system's */
  readonly clock?: Clock;
}

/** At once where it was looked for before. */
export type SandboxLookup = () => Sandbox | SandboxMissing | Promise<Sandbox | SandboxMissing>;

export function createPolicy(parts: PolicyParts): Policy {
  const { permissions, cwd, home, clock = systemClock, session = new PolicySession(clock) } = parts;
  const { sandbox = () => noSandbox } = parts;
  const sources = permissions?.sources ?? [];
  const rules = effectiveRules(sources);
  const sanitizer = createSanitizer(sources, { cwd, home });

  const decided = (call: PolicyCall): Verdict | Promise<Verdict> => {
    const state = {
      rules,
      session,
      watchesCommands: sanitizer.watchesCommands,
      remembered: session.answers.get(call.subject),
    };
    // What a person types is held against deny rules alone.
    const objection = isOwner(call.subject.caller) ? undefined : sanitizer.check(call);
    const verdictOn = (one: Objection | undefined): Verdict => {
      const verdict = decideCall(call, state, one);
      return call.shell?.isElsewhere ? { ...verdict, isElsewhere: true } : verdict;
    };
    return objection instanceof Promise ? objection.then(verdictOn) : verdictOn(objection);
  };

  return {
    decide(subject) {
      try {
        session.answers.touch();
        const call = callOf(subject, { rules, session, cwd, home, sandbox });
        const verdict = call instanceof Promise ? call.then(decided) : decided(call);
        return verdict instanceof Promise ? verdict.catch(undecided) : verdict;
      } catch (error) {
        return undecided(error);
      }
    },
    signatureOf: (subject) => signatureOf(subject, rules.shellTools),
    ruleFor(subject, covers) {
      const use = shellUseOf(subject, rules.shellTools);
      if (!use) return ruleFor(subject, covers);
      // Where rules for commands do not allow the tool, one would allow the line elsewhere alone.
      const isCovered = use.isMeant && (use.isOurs || subject.isConfined === true);
      return covers === 'call' && isCovered && use.line
        ? ruleForLine(use.line.command, use.line.args)
        : undefined;
    },
    isNamed: (subject) =>
      [rules.allowRules, session.allowRules].some(({ tools, calls }) =>
        [tools, calls].some((list) => list.find(subject, (rule) => isExactly(rule, subject))),
      ),
    remember: (subject, answer, scope, covers) => session.answers.set(subject, answer, scope, covers),
    allowAll: (caller) => session.allowAll(caller),
    endTurn: () => session.answers.forget(({ scope }) => scope === 'turn'),
    forgetAccess: (accessId) => session.forgetAccess(accessId),
    onChanged: (listener) => session.changed.add(listener),
    session,
    view: () => ({
      defaultPolicy: rules.defaultPolicy,
      allow: rules.allowRules.shown,
      deny: rules.denyRules.shown,
      session: {
        allowAll: session.allowedAll,
        ...(session.defaultPolicy && { defaultPolicy: session.defaultPolicy }),
        allow: session.allowRules.shown,
        deny: session.denyRules.shown,
      },
      sources: sources.map(({ file, trusted }) => ({ file, trusted })),
    }),
  };
}

const noSandbox: SandboxMissing = {
  missing: 'this program was started without one.',
  fix: 'Allow single commands with "unsandboxed": true.',
};

interface CallParts extends Required<Pick<PolicyParts, 'cwd' | 'home' | 'sandbox'>> {
  readonly rules: EffectiveRules;
  readonly session: PolicySession;
}

function callOf(subject: Subject, parts: CallParts): PolicyCall | Promise<PolicyCall> {
  const { rules, cwd, home, sandbox } = parts;
  const texts = new ForbiddenTexts(subject.args, { cwd, home });
  const use = shellUseOf(subject, rules.shellTools);
  if (!use) return { subject, texts };
  const signature = signatureOf(subject, rules.shellTools);
  const shell = { signature, use, reading: readingOf(use) };
  // What a person types is not confined, and neither is what another tool runs.
  const found = isOwner(subject.caller) || !use.isOurs ? undefined : sandbox();
  const decided = (one: Sandbox | SandboxMissing | undefined) => {
    const missing = one !== undefined && 'missing' in one ? one : undefined;
    const needsPlaces = missing !== undefined && isListed(parts);
    // To follow links takes time, so the many calls that name no folder are decided on without.
    if (use.cwd === undefined && !needsPlaces)
      return { subject, texts, shell: { ...shell, missing, isElsewhere: false, plainReads: noReads } };
    const reads = needsPlaces ? plainReadsIn(shell.reading, use, cwd) : Promise.resolve(noReads);
    return Promise.all([leadsElsewhere(cwd, use.cwd), reads]).then(([isElsewhere, plainReads]) => ({
      subject,
      texts,
      shell: { ...shell, missing, isElsewhere, plainReads },
    }));
  };
  return found instanceof Promise ? found.then(decided) : decided(found);
}

const noReads: ReadonlySet<readonly string[]> = new Set();

/** Whether a rule names the list of commands that only read. */
function isListed({ rules, session }: CallParts): boolean {
  const lists = [rules.allowRules, session.allowRules, rules.readOnly.rules];
  return lists.some(({ patterns }) => patterns.some(({ grant }) => grant.isListed));
}

/** Commands that read files of the project and no others. */
async function plainReadsIn(
  reading: LineReading,
  use: ShellUse,
  cwd: string,
): Promise<ReadonlySet<readonly string[]>> {
  if (reading.kind === 'other') return noReads;
  const folder = path.resolve(cwd, use.cwd ?? '.');
  const found = new Set<readonly string[]>();
  for (const words of commandsOf(reading.steps)) {
    const { paths } = readOnlyCommand(words) ?? {};
    const places = paths && (await Promise.all(paths.map((one) => leadsOutOf(cwd, folder, one))));
    if (places?.every((isOutside) => !isOutside)) found.add(words);
  }
  return found;
}

/** Tools may make a path of it by its words or let the system go step by step: both have to end inside. */
async function leadsElsewhere(folder: string, asked: string | undefined): Promise<boolean> {
  return asked !== undefined && leadsOutOf(folder, folder, asked);
}

async function leadsOutOf(project: string, start: string, given: string): Promise<boolean> {
  const ways = [target(start, given), target(start, path.resolve(start, given))];
  const [inside, ...ends] = await Promise.all([target(project, '.'), ...ways]);
  return inside === undefined || !ends.every((end) => end !== undefined && isInside(inside, end));
}

function readingOf({ line }: ShellUse): LineReading {
  return line
    ? readLine(line.command, line.args)
    : { kind: 'other', reason: 'has arguments that are not those of a command' };
}

function undecided(error: unknown): Verdict {
  const reason = `It could not be decided: ${error instanceof Error ? error.message : String(error)}`;
  return { kind: 'deny', method: 'broken', reason };
}
