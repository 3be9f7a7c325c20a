// The policy of a host that lives for days: the rules are those of the files as they are now, what people answered stays.
import { createInTurns } from '../base/async.ts';
import { systemClock } from '../base/clock.ts';
import { createPolicy, type SandboxLookup } from '../gate/policy/create-policy.ts';
import type { Permissions } from '../gate/policy/file/permissions-file.ts';
import type { Policy } from '../gate/policy/policy.ts';
import { PolicySession } from '../gate/policy/policy-session.ts';

export interface LivePolicyParts {
  readonly permissions: Permissions;
  readonly cwd: string;
  readonly home: string;
  /** @default none */
  readonly sandbox?: SandboxLookup;
  /** Tools that the host brings and that need no question, as `plugin__tool`; returns a new list when they change. */
  readonly allowed?: (() => readonly string[]) | undefined;
}

export interface LivePolicy extends Policy {
  /** From now on these rules hold. */
  use(permissions: Permissions): void;
}

export function livePolicy({ permissions, cwd, home, sandbox, allowed = none }: LivePolicyParts): LivePolicy {
  const session = new PolicySession(systemClock);
  // Many calls that come at once must not keep the host from other clients.
  const inTurns = createInTurns(10);
  let rules = permissions;
  let tools = allowed();
  const make = () =>
    createPolicy({
      permissions: withAllowed(rules, tools, cwd),
      cwd,
      home,
      session,
      ...(sandbox && { sandbox }),
    });
  let made = make();
  const policy = () => {
    const now = allowed();
    if (now !== tools) {
      tools = now;
      made = make();
    }
    return made;
  };
  return {
    decide: (subject) => inTurns(() => policy().decide(subject)),
    signatureOf: (subject) => policy().signatureOf?.(subject) ?? subject.name,
    isNamed: (subject) => policy().isNamed?.(subject) ?? false,
    ruleFor: (...asked) => policy().ruleFor?.(...asked),
    remember: (...answer) => policy().remember(...answer),
    allowAll: (caller) => policy().allowAll(caller),
    endTurn: () => policy().endTurn(),
    forgetAccess: (accessId) => session.forgetAccess(accessId),
    onChanged: (listener) => session.changed.add(listener),
    session,
    view: () => policy().view(),
    use(permissions) {
      rules = permissions;
      made = make();
      session.changed.emit();
    },
  };
}

const nothing: readonly string[] = [];
const none = () => nothing;

/** An empty file denies; this source is not a file, and changes nothing but its own tools. */
function withAllowed(
  { sources, problems }: Permissions,
  tools: readonly string[],
  folder: string,
): Permissions {
  if (tools.length === 0) return { sources, problems };
  const usual = sources.length === 0 ? ({ defaultPolicy: 'ask' } as const) : {};
  const content = { ...usual, whitelist: { tools } };
  return { sources: [...sources, { file: 'pluglot', trusted: true, folder, content }], problems };
}
