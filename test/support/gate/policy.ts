// Policies and calls for tests: rules written down in the test, a shell tool, any caller.
import type { JsonObject } from '../../../src/base/json.ts';
import { createPolicy, type PolicyParts } from '../../../src/gate/policy/create-policy.ts';
import type { PermissionsFile } from '../../../src/gate/policy/file/permissions-file.ts';
import type { Policy, Subject, Verdict } from '../../../src/gate/policy/policy.ts';
import type { Sandbox, SandboxMissing } from '../../../src/gate/sandbox/sandbox.ts';

/** For a policy, which only asks whether there is one. */
export const someSandbox: Sandbox = {
  kind: 'bubblewrap',
  limits: { memoryBytes: true, processes: true },
  confine: (program) => program,
};

export const noSandbox: SandboxMissing = { missing: 'It is not installed.', fix: 'Install it.' };

export function policyOf(content: PermissionsFile, parts: Partial<PolicyParts> = {}): Policy {
  const sources = [{ file: '/home/me/permissions.json', folder: '/work', trusted: true, content }];
  return createPolicy({
    permissions: { sources, problems: [] },
    cwd: '/work',
    home: '/home/me',
    sandbox: () => someSandbox,
    ...parts,
  });
}

export function call(name: string, args: JsonObject = {}, more: Partial<Subject> = {}): Subject {
  return {
    kind: 'tool',
    name,
    ownName: name,
    isUnique: (more.ownName ?? name) === name,
    plugin: 'some',
    origin: 'in-process',
    args,
    caller: { kind: 'model' },
    isAutoApproved: false,
    ...more,
  };
}

export function shellCall(command: string, args?: readonly string[], more: Partial<Subject> = {}): Subject {
  const given: JsonObject = args ? { command, args: [...args] } : { command };
  return call('cli_based_tool', given, { plugin: 'cli', origin: 'built-in', ...more });
}

/** What rules for commands say of a line, where everything else is asked about. */
export async function verdictOn(
  rules: { readonly allow?: readonly string[]; readonly forbid?: readonly string[] },
  command: string,
  args?: readonly string[],
): Promise<Verdict> {
  const policy = policyOf({
    defaultPolicy: 'ask',
    whitelist: { patterns: rules.allow ?? [] },
    blacklist: { patterns: rules.forbid ?? [] },
  });
  return policy.decide(shellCall(command, args));
}

/** Where a line ends up: nothing of what is not literal, or not named, may be `free`. */
export function endOf(verdict: Verdict): 'asked' | 'denied' | 'confined' | 'free' {
  if (verdict.kind !== 'allow') return verdict.kind === 'ask' ? 'asked' : 'denied';
  const { execution } = verdict;
  if (execution?.kind !== 'words') return 'free';
  const commands = execution.steps.flatMap(({ pipeline }) => pipeline);
  return commands.every(({ sandbox }) => sandbox !== undefined) ? 'confined' : 'free';
}
