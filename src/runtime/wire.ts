// Registry, gate and built-in plugins, wired to a fleet.
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Emitter } from '../base/emitter.ts';
import { toError } from '../base/error.ts';
import { problemOfSafeEndpoint } from '../outside/webhook.ts';
import { sentences } from '../base/text.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { Discovery } from '../fleet/discovery/discover.ts';
import type { Problem } from '../fleet/discovery/problem.ts';
import { projectFiles } from '../fleet/discovery/config-places.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { createRegistry, type DiscoverChoice } from '../fleet/registry/registry.ts';
import type { Approver } from '../gate/approval/approver.ts';
import { firstOf } from '../gate/approval/first-of.ts';
import type { HeadTarget } from '../gate/audit/head-sender.ts';
import { openAudit } from '../gate/audit/open-audit.ts';
import { createGate } from '../gate/gate.ts';
import { pinFile } from '../gate/pins/pin-file.ts';
import { changedRules, unreported } from '../gate/policy/file/read-permissions.ts';
import type { Permissions } from '../gate/policy/file/permissions-file.ts';
import { isSandbox } from '../gate/sandbox/find-sandbox.ts';
import type { Sandbox, SandboxMissing } from '../gate/sandbox/sandbox.ts';
import type { SandboxView } from './api.ts';
import { writeRule } from '../gate/policy/file/write-rule.ts';
import { approverOf, channelSettings, expanded } from './approvers.ts';
import { builtInsOf, type Servers } from './built-ins.ts';
import type { FleetParts } from './fleet-parts.ts';
import { gateSettings, type GateSettings, needsNewStart } from './gate-settings.ts';
import { livePolicy } from './live-policy.ts';
import { permissionsOf } from './permissions.ts';
import { openTokens } from './tokens/tokens.ts';
import type { PluginLogged, RuntimeOptions, RuntimeParts } from './runtime-parts.ts';

export interface WireParts {
  readonly parts: FleetParts;
  /** Where the registry puts plugins with processes of their own. */
  readonly fleet: Fleet;
  /** `builtIns`: the names of those that this host brings itself. */
  readonly servers: Servers;
  readonly discover: (choice: Required<DiscoverChoice>, builtIns: readonly string[]) => Promise<Discovery>;
}

export interface Wired extends RuntimeParts {
  /** Plugins in this process are taken down, and nothing is called any more; the fleet stays its owner's. */
  close(): Promise<void>;
}

export async function wire(
  { parts, fleet, servers, discover }: WireParts,
  options: RuntimeOptions,
): Promise<Wired> {
  const { env, cwd, home } = options;
  const { folders, trust, secrets } = parts;
  const files = { cwd, home, env, configFile: options.configFile, trust };
  let settings = await gateSettings(files);
  let permissions = await permissionsOf(settings, files);
  parts.places.add(settings, permissions);
  if (options.print !== undefined)
    for (const text of await unreported(
      changedRules(permissions.sources),
      path.join(folders.state, 'reported-rules.json'),
    ))
      options.print(`! ${text}`);
  const logged = new Emitter<PluginLogged>();
  const registry = createRegistry({
    fleet,
    env,
    stateFolder: folders.state,
    discover: (choice) => look(choice),
    trustsAutoApprove: (plugin) => settings.autoApprove.includes(plugin),
    secrets,
    log(plugin, entry) {
      options.log?.(plugin, entry);
      logged.emit({ plugin, entry });
    },
  });
  const tokens = openTokens(folders.state, { learn: (secret) => secrets.learn([secret]) });
  const { folder: auditFolder, index: auditIndex, sendHead } = settings.audit;
  const head = sendHead && headTarget(sendHead, options, secrets);
  const audit = openAudit({
    folder: auditFolder,
    index: auditIndex,
    secrets,
    ...(head && { sendHead: head.target }),
    ...(options.print && { report: options.print }),
  });
  const asked = approverFor(options, settings, permissions, secrets);
  const { approver } = asked;
  let { problem } = asked;
  const policy = livePolicy({
    permissions,
    cwd,
    home,
    sandbox: parts.sandbox,
    allowed: options.allowedTools,
  });
  const ruleFile = path.join(folders.config, 'permissions.json');
  const gate = createGate({
    source: registry,
    policy,
    audit,
    rules: {
      file: ruleFile,
      async write(rule) {
        // Without any file the rest is asked about, and stays so.
        const defaultPolicy = permissions.sources.length === 0 ? 'ask' : undefined;
        await writeRule({ file: ruleFile, owner: 'user', defaultPolicy }, rule);
        await reloadGate();
      },
    },
    ...(approver === undefined ? {} : { approver }),
    ...(options.unattended && { unattended: options.unattended }),
    limits: settings.limits,
    output: settings.output,
    spill: { folder: path.join(folders.state, 'results') },
    pins: {
      keeper: pinFile(path.join(folders.state, 'definitions.json')),
      scope: (await projectFiles(cwd)).top,
    },
    secrets,
    checks: parts.schemas,
  });
  registry.useGate(gate);
  tokens.onRevoked(({ id }) => gate.forgetAccess(id));
  const builtIns = builtInsOf(
    { registry, gate: () => gate, isOn: settings.builtIns, parts, servers },
    options,
  );
  let version = 0;
  const reloadGate: Wired['reloadGate'] = async () => {
    const next = await gateSettings(files, settings);
    const rules = await permissionsOf(next, files);
    const isBroken = rules.sources.some((source) => source.broken !== undefined);
    const chosen = approverFor(options, next, rules, secrets);
    const later = needsNewStart(settings, next);
    const isSame = (key: keyof GateSettings) => isDeepStrictEqual(settings[key], next[key]);
    policy.use(rules);
    gate.reconfigure({
      ...(!isSame('limits') && { limits: next.limits }),
      ...(!isSame('output') && { output: next.output }),
      ...((!isSame('approver') || !isDeepStrictEqual(channelsOf(permissions), channelsOf(rules))) && {
        approver: chosen.approver ?? null,
      }),
    });
    // Rules that are broken deny everything: their problem shows it.
    if (
      !isBroken &&
      !isDeepStrictEqual([withoutFiles(settings), permissions.sources], [withoutFiles(next), rules.sources])
    )
      version += 1;
    settings = next;
    permissions = rules;
    parts.places.add(settings, permissions);
    problem = chosen.problem;
    const problems = [...next.problems, ...rules.problems, ...(problem ? [problem] : []), ...later];
    return { version, problems };
  };
  let found: Discovery | undefined;
  const look = async (choice: Required<DiscoverChoice>) => {
    found = builtIns.follow(await discover(choice, builtIns.names));
    return found;
  };
  return {
    registry,
    gate,
    fleet: parts.fleet,
    secrets,
    tokens,
    folders: { state: folders.state, audit: auditFolder, auditIndex, sentHeads: sendHead?.file },
    sandbox: async () => shownSandbox(await parts.sandbox()),
    get found() {
      return found;
    },
    onLog: (listener) => logged.add(listener),
    get problems() {
      return [
        ...settings.problems,
        ...permissions.problems,
        ...(problem ? [problem] : []),
        ...(head?.problem ? [head.problem] : []),
        ...registry.problems,
      ];
    },
    reloadGate,
    async close() {
      await gate.close();
      await registry.close();
      await audit.close();
      await tokens.close();
    },
  };
}

/** Where references in it cannot be replaced, sending fails with that reason. */
function headTarget(
  sendHead: NonNullable<GateSettings['audit']['sendHead']>,
  { env, fetch = globalThis.fetch }: RuntimeOptions,
  secrets: Secrets,
): { readonly target: HeadTarget; readonly problem?: Problem } {
  const { url, token } = sendHead;
  try {
    const parts = { env, secrets };
    const setting = 'gate.audit.sendHead';
    const secret = token === undefined ? {} : { token: expanded(token, setting, parts) };
    if (secret.token !== undefined) secrets.learn([secret.token]);
    const address = url === undefined ? {} : { url: expanded(url, setting, parts) };
    const problem = address.url === undefined ? undefined : problemOfSafeEndpoint(address.url);
    if (problem !== undefined) throw new Error(`the webhook of ${setting} cannot be used: ${problem}`);
    return { target: { ...sendHead, ...address, ...secret, fetch } };
  } catch (thrown) {
    const reason = toError(thrown).message;
    const wayOut = sendHead.required === true ? 'Until then no call is made.' : 'Until then nothing is sent.';
    return {
      target: { ...sendHead, fetch },
      problem: {
        file: 'gate.audit.sendHead',
        severity: 'error',
        reason,
        wayOut: `Fix it. ${wayOut}`,
        ...(sendHead.required === true && { denies: true }),
      },
    };
  }
}

function approverFor(
  options: RuntimeOptions,
  settings: GateSettings,
  permissions: Permissions,
  secrets: Secrets,
): ReturnType<typeof chosenApprover> {
  const chosen = chosenApprover(options, settings, permissions, secrets);
  return { ...chosen, approver: beside(chosen.approver, options, settings, permissions) };
}

/** Without where it was read and what was wrong there. */
function withoutFiles({ entries: _entries, problems: _problems, ...settings }: GateSettings): unknown {
  return settings;
}

function channelsOf({ sources }: Permissions): unknown {
  return sources.map(({ content, trusted }) => [trusted, content?.channel]);
}

/** The first answer counts. `none` turns off all approvers. */
function beside(
  chosen: Approver | undefined,
  { approvals }: RuntimeOptions,
  { approver: settings }: GateSettings,
  permissions: Permissions,
): Approver | undefined {
  if (approvals === undefined || settings?.type === 'none') return chosen;
  const either = chosen === undefined ? approvals : firstOf(approvals, chosen);
  const { timeoutMs } = settings ?? channelSettings(permissions);
  if (timeoutMs === undefined) return either;
  return { limitMs: chosen?.limitMs ?? timeoutMs, ask: (question, signal) => either.ask(question, signal) };
}

function chosenApprover(
  { approver, terminal, env, fetch = globalThis.fetch }: RuntimeOptions,
  { approver: settings }: GateSettings,
  permissions: Permissions,
  secrets: Secrets,
): { readonly approver?: Approver | undefined; readonly problem?: Problem } {
  if (approver !== undefined) return { approver };
  try {
    return { approver: approverOf({ settings, permissions, terminal, env, fetch, secrets }) };
  } catch (thrown) {
    const reason = toError(thrown).message;
    const wayOut = 'Until it is fixed, everything that has to be asked about is denied.';
    return {
      approver: { ask: () => Promise.reject(new Error(reason)) },
      problem: { file: 'gate.approver', severity: 'error', reason, wayOut, denies: true },
    };
  }
}

function shownSandbox(found: Sandbox | SandboxMissing): SandboxView {
  if (!isSandbox(found))
    return { missing: sentences(found.missing, found.fix), limits: { memory: false, processes: false } };
  const { kind, limits } = found;
  return { kind, limits: { memory: limits.memoryBytes, processes: limits.processes } };
}
