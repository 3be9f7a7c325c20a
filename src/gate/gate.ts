// Every call of a tool or a command passes here: known and exposed → arguments → policy → definition → approval → rates → budget and
// turns → the call → its output → audit. What is broken on the way denies.
import { randomBytes } from 'node:crypto';
import { systemClock, type Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import { maskedText } from '../base/masked-text.ts';
import type { Secrets } from '../base/secrets.ts';
import { isOwner, type Caller } from '../definition/caller.ts';
import { SchemaChecks } from '../fleet/plugin/validation/schema-checks.ts';
import type { Call } from '../fleet/plugin/call.ts';
import type { CallGate, CallSource } from '../fleet/registry/resolved.ts';
import type { Approver } from './approval/approver.ts';
import { Attempts } from './attempt.ts';
import type { Audit } from './audit/audit.ts';
import { redactor } from './audit/redact.ts';
import type { GateLimits } from './limits/limit-options.ts';
import { CallObservers, type CallObserver } from './observer.ts';
import type { OutputOptions } from './output/output-limits.ts';
import { Results } from './output/results.ts';
import { SpillStore, type SpillPart, type SpillReading } from './output/spill-store.ts';
import { Passage, type Explanation, type GateCallOptions, type Permission } from './passage.ts';
import { resolvedContent, type PluginContent } from './plugin-content.ts';
import { DefinitionPins } from './pins/definition-pins.ts';
import { pinsInMemory, type PinKeeper } from './pins/pin-file.ts';
import type { Policy, Verdict } from './policy/policy.ts';
import { Admission } from './stages/admitted.ts';
import { Approvals, type RuleKeeper, type Unattended } from './stages/approved.ts';
import { CheckedArguments } from './stages/checked-arguments.ts';
import { subjectOf } from './stages/decided.ts';
import { Records } from './stages/recorded.ts';
import type { TalkPassage } from './talk-passage.ts';

export type { GateCallOptions } from './passage.ts';
export type { TalkPassage } from './talk-passage.ts';

export interface Gate extends CallGate {
  call(tool: string, args: JsonObject, options: GateCallOptions): Call;
  run(command: string, args: JsonObject, options: GateCallOptions): Call;
  /** Asks as for a call of the tool, for a conversation that begins with it. It counts for limits, is watched and written down as one call. */
  talk(tool: string, args: JsonObject, options: GateCallOptions): TalkPassage;
  /** A resource or a prompt of a plugin: decided on, counted and written down like a call, and given as its `data`. */
  content(content: PluginContent, args: JsonObject, options: GateCallOptions): Call;
  /** Whether it may be had without asking anybody. */
  mayHave(content: PluginContent, args: JsonObject, caller: Caller): Promise<boolean>;
  /** What would be decided, without asking anybody and without calling. */
  check(name: string, args: JsonObject, caller: Caller, kind?: 'tool' | 'command'): Promise<Verdict>;
  /** The same, with what would allow it. */
  explain(name: string, args: JsonObject, caller: Caller, kind?: 'tool' | 'command'): Promise<Explanation>;
  /** Asks as for a call, without calling: the tool `askPermission`. `intent` is what the asker says it is for. */
  askPermission(name: string, args: JsonObject, caller: Caller, intent: string): Promise<Permission>;
  /** Tools that are held until somebody looks at them, by name: new since their plugin was approved, or defined otherwise. */
  held(tools: readonly string[]): Promise<ReadonlyMap<string, 'new' | 'changed'>>;
  /**
   * A part of a result that was too large, by the handle that stood in its place. Undefined: it is not there any more, or is that of another
   * caller. `caller`: who reads it, which is written down. @default the owner of this host
   */
  readSpill(
    handle: string,
    reading?: SpillReading & { readonly caller?: Caller },
  ): Promise<SpillPart | undefined>;
  readonly policy: Policy;
  /** From now on others hold; calls under way go on as they were let through. What was counted for limits begins anew. */
  reconfigure(settings: GateReconfiguration): void;
  /** Looks at all calls from now on; the returned function ends that. */
  observe(observer: CallObserver): () => void;
  /** Answers that hold for a turn are over. */
  endTurn(): void;
  /** Calls under way are cancelled, new ones are denied. */
  close(): Promise<void>;
}

export interface GateParts {
  readonly source: CallSource;
  readonly policy: Policy;
  readonly audit: Audit;
  /** Undefined: nobody can be asked, and what would have to be is denied. */
  readonly approver?: Approver;
  /** Why nobody can be asked where there is no approver, and what to do about it. */
  readonly unattended?: Unattended;
  /** Where the answer "always" writes its rules. @default nowhere: it holds for the session */
  readonly rules?: RuleKeeper;
  /** How long an answer may take, where the approver does not say it. @default 30000 */
  readonly approvalMs?: number;
  /** @default none */
  readonly limits?: GateLimits;
  readonly output?: OutputOptions;
  /** Where results go that are too large. Undefined: what is over the limit is lost. */
  readonly spill?: { readonly folder: string; readonly totalBytes?: number };
  /** Where approved definitions are kept, and for which project. @default in memory */
  readonly pins?: { readonly keeper: PinKeeper; readonly scope?: string };
  /** Knows the values that nobody who is asked may see. @default what looks like a secret is masked, and no more */
  readonly secrets?: Pick<Secrets, 'mask'>;
  /** @default one of its own */
  readonly checks?: SchemaChecks;
  /** @default the real one */
  readonly clock?: Clock;
  /** @default the time of the system */
  readonly now?: () => Date;
  /** Of calls. @default unguessable ones */
  readonly newId?: () => string;
}

export interface GateReconfiguration {
  readonly limits?: GateLimits;
  readonly output?: OutputOptions;
  /** In the place of the one that was asked before; null: nobody. */
  readonly approver?: Approver | null;
}

export function createGate(parts: GateParts): Gate {
  const { source, policy, audit, clock = systemClock, now = () => new Date() } = parts;
  let { approver } = parts;
  const attempts = new Attempts(clock);
  const observers = new CallObservers();
  const checks = parts.checks ?? new SchemaChecks();
  const checked = new CheckedArguments(checks);
  const pins = new DefinitionPins({ keeper: pinsInMemory(), ...parts.pins, now });
  const secrets = parts.secrets ?? { mask: maskedText };
  const masks = { value: redactor(secrets), text: (text: string) => secrets.mask(text) };
  const records = new Records(audit, clock, observers, masks.value);
  const limitMs = parts.approvalMs ?? 30_000;
  const spill = parts.spill === undefined ? undefined : new SpillStore(parts.spill);
  let results = new Results(parts.output ?? {}, checks, spill);
  let admission = new Admission(parts.limits ?? {}, clock);
  const passage = new Passage({
    source,
    policy,
    checked,
    pins,
    clock,
    attempts,
    records,
    get results() {
      return results;
    },
    get admission() {
      return admission;
    },
    approvals: new Approvals({
      source,
      policy,
      checked,
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
    }),
    newId: parts.newId ?? ids(),
    observers,
  });
  return {
    policy,
    reconfigure(settings) {
      if (settings.limits !== undefined) admission = new Admission(settings.limits, clock);
      if (settings.output !== undefined) results = new Results(settings.output, checks, spill);
      if (settings.approver !== undefined) approver = settings.approver ?? undefined;
    },
    observe: (observer) => observers.add(observer),
    call: (tool, args, options) => passage.call('tool', tool, args, options),
    run: (command, args, options) => passage.call('command', command, args, options),
    content(given, args, options) {
      const content = resolvedContent(given, clock);
      return passage.call(content.kind, content.name, args, options, content);
    },
    async mayHave(given, args, caller) {
      const content = resolvedContent(given, clock);
      const { verdict } = await passage.explain(content.kind, content.name, args, caller, content);
      return verdict.kind === 'allow';
    },
    talk: (tool, args, options) => passage.talk(tool, args, options),
    check: async (name, args, caller, kind = 'tool') =>
      (await passage.explain(kind, name, args, caller)).verdict,
    explain: (name, args, caller, kind = 'tool') => passage.explain(kind, name, args, caller),
    askPermission: (name, args, caller, intent) => passage.askPermission(name, args, caller, intent),
    async held(tools) {
      const targets = tools.flatMap((name) => source.resolveTool(name) ?? []);
      const found = new Map(await pins.heldOf(targets));
      const asked = { id: '', kind: 'tool', name: '', caller: { kind: 'model' } } as const;
      for (const target of targets)
        // A rule that names it lets it go with its next call.
        if (found.get(target.name) === 'new' && policy.isNamed?.(subjectOf(target, {}, asked)) === true)
          found.delete(target.name);
      return found;
    },
    async readSpill(handle, { caller, ...reading } = {}) {
      if (spill === undefined || caller === undefined || isOwner(caller)) return spill?.read(handle, reading);
      return passage.readSpill(spill, handle, caller, reading);
    },
    endTurn: () => policy.endTurn(),
    close: () => passage.close(),
  };
}

/** Whoever answers questions names them by these. */
function ids(): () => string {
  const prefix = randomBytes(9).toString('base64url');
  let count = 0;
  return () => `${prefix}-${(count += 1)}`;
}
