// The gate: every call of a tool or command, and every resource and prompt, passes its pipeline (pipeline.ts).
import { randomBytes } from 'node:crypto';
import { systemClock, type Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import { maskedText } from '../secrets/masked-text.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { isOwner, type Caller } from '../definition/caller.ts';
import { SchemaChecks } from '../fleet/plugin/validation/schema-checks.ts';
import type { Call } from '../definition/call.ts';
import type { CallGate, CallSource } from '../fleet/registry/contract.ts';
import { Approvals, type RuleKeeper, type Unattended } from './approval/approvals.ts';
import type { Approver } from './approval/approver.ts';
import type { Audit } from './audit/audit.ts';
import { CallRecords } from './audit/call-records.ts';
import { redactor } from './audit/redact.ts';
import { CallArguments } from './call-arguments.ts';
import { GatedCalls } from './gated-call.ts';
import { Admission } from './limits/admission.ts';
import type { GateLimits } from './limits/limit-options.ts';
import { CallObservers, type CallObserver } from './observer.ts';
import type { OutputOptions } from './output/bounded-answer.ts';
import { readSpill } from './output/read-spill.ts';
import { Results } from './output/results.ts';
import { SpillStore, type SpillPart, type SpillReading } from './output/spill-store.ts';
import {
  CallPipeline,
  type Explanation,
  type GateCallOptions,
  type Permission,
  type PipelineParts,
} from './pipeline.ts';
import { resolvedContent, type PluginContent } from './plugin-content.ts';
import { DefinitionPins } from './pins/definition-pins.ts';
import { pinsInMemory, type PinKeeper } from './pins/pin-file.ts';
import type { Policy, Verdict } from './policy/policy.ts';
import { subjectOf } from './subject.ts';
import { permitTalk, type TalkPermission } from './talk-permission.ts';

export type { GateCallOptions } from './pipeline.ts';
export type { TalkPermission } from './talk-permission.ts';

export interface Gate extends CallGate {
  call(tool: string, args: JsonObject, options: GateCallOptions): Call;
  run(command: string, args: JsonObject, options: GateCallOptions): Call;
  /** Permits a conversation that begins with the tool. Limits, observers and the audit log count it as one call. */
  talk(tool: string, args: JsonObject, options: GateCallOptions): TalkPermission;
  /** Reads a resource or prompt of a plugin, as a call whose `data` is the content. */
  content(content: PluginContent, args: JsonObject, options: GateCallOptions): Call;
  /** Whether it is allowed without asking anyone. */
  mayHave(content: PluginContent, args: JsonObject, caller: Caller): Promise<boolean>;
  /** What would be decided, without asking anyone and without calling. */
  check(name: string, args: JsonObject, caller: Caller, kind?: 'tool' | 'command'): Promise<Verdict>;
  /** The same, with what would allow it. */
  explain(name: string, args: JsonObject, caller: Caller, kind?: 'tool' | 'command'): Promise<Explanation>;
  /** Asks as for a call, without calling: the tool `askPermission`. `intent`: the purpose, as the caller states it. */
  askPermission(name: string, args: JsonObject, caller: Caller, intent: string): Promise<Permission>;
  /** Tools that are held until a person looks at them, by name: new since their plugin was approved, or changed. */
  held(tools: readonly string[]): Promise<ReadonlyMap<string, 'new' | 'changed'>>;
  /**
   * Reads a part of a result that was too large, by its handle. Undefined: it has expired, or belongs to another caller.
   * Reads of `caller` are recorded. @default the owner of this host
   */
  readSpill(
    handle: string,
    reading?: SpillReading & { readonly caller?: Caller },
  ): Promise<SpillPart | undefined>;
  readonly policy: Policy;
  /** Replaces settings for new calls. Limits count from zero. */
  reconfigure(settings: GateReconfiguration): void;
  /** Observes all calls from now on; the returned function ends it. */
  observe(observer: CallObserver): () => void;
  /** Forgets the answers that hold for a turn. */
  endTurn(): void;
  /** A token was revoked: forgets what was answered for its callers, and removes their large results. */
  forgetAccess(accessId: string): void;
  /** Cancels the calls in progress and denies new ones. */
  close(): Promise<void>;
}

export interface GateParts {
  readonly source: CallSource;
  readonly policy: Policy;
  readonly audit: Audit;
  /** Undefined: no one can be asked, and calls that need an answer are denied. */
  readonly approver?: Approver;
  /** Why no one can be asked where there is no approver, and how to fix it. */
  readonly unattended?: Unattended;
  /** Where the answer "always" writes its rules. @default nowhere: the answer holds for the session */
  readonly rules?: RuleKeeper;
  /** How long an answer may take, where the approver has no limit of its own. @default 30000 */
  readonly approvalMs?: number;
  /** @default none */
  readonly limits?: GateLimits;
  readonly output?: OutputOptions;
  /** Where results go that are too large. Undefined: they are cut. */
  readonly spill?: { readonly folder: string; readonly totalBytes?: number };
  /** Where approved definitions are kept, and for which project. @default in memory */
  readonly pins?: { readonly keeper: PinKeeper; readonly scope?: string };
  /** The secrets to mask in questions and records. @default values that look like secrets */
  readonly secrets?: Pick<Secrets, 'mask'>;
  /** @default one of its own */
  readonly checks?: SchemaChecks;
  /** @default the real one */
  readonly clock?: Clock;
  /** @default the time of the system */
  readonly now?: () => Date;
  /** Makes the ids of calls. @default unguessable ids */
  readonly newId?: () => string;
}

interface GateReconfiguration {
  readonly limits?: GateLimits;
  readonly output?: OutputOptions;
  /** null: no one can be asked. */
  readonly approver?: Approver | null;
}

export function createGate(parts: GateParts): Gate {
  const { source, policy, audit, clock = systemClock, now = () => new Date() } = parts;
  let { approver } = parts;
  const calls = new GatedCalls(clock);
  const observers = new CallObservers();
  const checks = parts.checks ?? new SchemaChecks();
  const args = new CallArguments(checks);
  const pins = new DefinitionPins({ keeper: pinsInMemory(), ...parts.pins, now });
  const secrets = parts.secrets ?? { mask: maskedText };
  const masks = { value: redactor(secrets), text: (text: string) => secrets.mask(text) };
  const records = new CallRecords(audit, clock, observers, masks.value);
  const limitMs = parts.approvalMs ?? 30_000;
  const spill = parts.spill === undefined ? undefined : new SpillStore(parts.spill);
  let results = new Results(parts.output ?? {}, checks, spill);
  let admission = new Admission(parts.limits ?? {}, clock);
  const approvals = new Approvals({
    source,
    args,
    policy,
    pins,
    get approver() {
      return approver;
    },
    limitMs,
    now,
    masks,
    rules: parts.rules,
    unattended: parts.unattended,
    noted: (what, data) => records.noted(what, data),
  });
  const stages: PipelineParts = {
    source,
    args,
    policy,
    pins,
    approvals,
    records,
    calls,
    observers,
    clock,
    newId: parts.newId ?? ids(),
    get admission() {
      return admission;
    },
    get results() {
      return results;
    },
  };
  const pipeline = new CallPipeline(stages);
  const unfollow = policy.onChanged?.(() => approvals.reconsider());
  return {
    policy,
    reconfigure(settings) {
      if (settings.limits !== undefined) admission = new Admission(settings.limits, clock);
      if (settings.output !== undefined) results = new Results(settings.output, checks, spill);
      if (settings.approver !== undefined) approver = settings.approver ?? undefined;
    },
    observe: (observer) => observers.add(observer),
    call: (tool, args, options) => pipeline.call('tool', tool, args, options),
    run: (command, args, options) => pipeline.call('command', command, args, options),
    content(given, args, options) {
      const content = resolvedContent(given, clock);
      return pipeline.call(content.kind, content.name, args, options, content);
    },
    async mayHave(given, args, caller) {
      const content = resolvedContent(given, clock);
      const { verdict } = await pipeline.explain(content.kind, content.name, args, caller, content);
      return verdict.kind === 'allow';
    },
    talk: (tool, args, options) => permitTalk(pipeline, stages, tool, args, options),
    check: async (name, args, caller, kind = 'tool') =>
      (await pipeline.explain(kind, name, args, caller)).verdict,
    explain: (name, args, caller, kind = 'tool') => pipeline.explain(kind, name, args, caller),
    askPermission: (name, args, caller, intent) => pipeline.askPermission(name, args, caller, intent),
    async held(tools) {
      const targets = tools.flatMap((name) => source.resolveTool(name) ?? []);
      const found = new Map(await pins.heldOf(targets));
      for (const target of targets)
        // A rule that names the tool releases it with its next call.
        if (
          found.get(target.name) === 'new' &&
          policy.isNamed?.(subjectOf(target, {}, { kind: 'model' })) === true
        )
          found.delete(target.name);
      return found;
    },
    async readSpill(handle, { caller, ...reading } = {}) {
      if (spill === undefined || caller === undefined || isOwner(caller)) return spill?.read(handle, reading);
      return readSpill(pipeline, stages, spill, handle, caller, reading);
    },
    endTurn: () => policy.endTurn(),
    forgetAccess(accessId) {
      policy.forgetAccess?.(accessId);
      void spill?.forgetAccess(accessId);
    },
    async close() {
      unfollow?.();
      await pipeline.close();
    },
  };
}

/** Answers to questions refer to them. */
function ids(): () => string {
  const prefix = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${prefix}-${(count += 1)}`;
}
