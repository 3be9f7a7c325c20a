// The parts of a gate for tests, each with behaviour that a test sets.
import { PluglotError } from '../../../src/base/error.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Approval, Approver, Question } from '../../../src/gate/approval/approver.ts';
import type { Audit, AuditEvent } from '../../../src/gate/audit/audit.ts';
import { createGate, type Gate, type GateParts } from '../../../src/gate/gate.ts';
import type { Policy, Subject, Verdict } from '../../../src/gate/policy/policy.ts';
import type { CommandManifest } from '../../../src/definition/manifest.ts';
import type { Answer, CallEvent } from '../../../src/definition/outcome.ts';
import type { Tool } from '../../../src/definition/tool.ts';
import { PendingCall, type CallOptions } from '../../../src/definition/call.ts';
import type {
  CallSource,
  PluginOrigin,
  ResolvedCommand,
  ResolvedTool,
} from '../../../src/fleet/registry/contract.ts';
import { fakeClock, type FakeClock } from '../../../src/testing/fake-clock.ts';

export const model = { kind: 'model' } as const;
export const user = { kind: 'user' } as const;

export const allow: Verdict = { kind: 'allow', method: 'allow-rule', reason: 'a rule says so' };
export const deny: Verdict = { kind: 'deny', method: 'deny-rule', reason: 'a rule forbids it' };
export const ask: Verdict = {
  kind: 'ask',
  method: 'default',
  reason: 'no rule names it',
  remembers: 'the tool',
};

export interface FakePolicy extends Policy {
  /** What it says from now on. */
  verdict: Verdict | ((subject: Subject) => Verdict | Promise<Verdict>);
  readonly remembered: (readonly [tool: string, answer: string, scope: string])[];
  readonly decided: Subject[];
}

export function fakePolicy(verdict: FakePolicy['verdict'] = allow): FakePolicy {
  const policy: FakePolicy = {
    verdict,
    remembered: [],
    decided: [],
    decide(subject) {
      policy.decided.push(subject);
      return typeof policy.verdict === 'function' ? policy.verdict(subject) : policy.verdict;
    },
    remember(subject, answer, scope) {
      policy.remembered.push([subject.name, answer, scope]);
      policy.verdict = answer === 'allow' ? { ...allow, method: 'session-allow' } : deny;
    },
    allowAll: () => (policy.verdict = { ...allow, method: 'allow-all' }),
    endTurn: () => policy.remembered.push(['', 'turn', 'ended']),
    session: { allow: () => {}, deny: () => {}, setDefault: () => {}, clear: () => {} },
    view: () => ({
      defaultPolicy: 'ask',
      allow: [],
      deny: [],
      session: { allowAll: [], allow: [], deny: [] },
      sources: [],
    }),
  };
  return policy;
}

export interface FakeAudit extends Audit {
  readonly events: AuditEvent[];
  /** What becomes of what is written. */
  outcome: () => Promise<void>;
}

export function fakeAudit(): FakeAudit {
  const audit: FakeAudit = {
    events: [],
    outcome: () => Promise.resolve(),
    write(event) {
      audit.events.push(event);
      return audit.outcome();
    },
    close: () => Promise.resolve(),
  };
  return audit;
}

/** Calls as they reach the plugin. */
interface MadeCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly options: CallOptions | undefined;
  readonly held: PendingCall;
  cancelled: string | undefined;
  event(event: CallEvent): void;
  end(answer?: Answer): void;
}

export interface FakeSource extends CallSource {
  readonly tools: Map<string, ResolvedTool>;
  readonly commands: Map<string, ResolvedCommand>;
  readonly made: MadeCall[];
  add(
    tool: Tool,
    more?: Partial<Pick<ResolvedTool, 'plugin' | 'origin' | 'isForClients' | 'isAutoApproved' | 'describe'>>,
  ): void;
  addCommand(command: CommandManifest, origin?: PluginOrigin): void;
  /** Ends each call at once; undefined lets it run. */
  answer: ((call: MadeCall) => Answer | undefined) | undefined;
}

export function fakeSource(clock: FakeClock = fakeClock(), listsTools = false): FakeSource {
  const source: FakeSource = {
    tools: new Map(),
    commands: new Map(),
    made: [],
    answer: () => ({ ok: true, text: 'done' }),
    add(tool, more = {}) {
      source.tools.set(tool.name, {
        kind: 'tool',
        name: tool.name,
        clientName: tool.name,
        isUnique: true,
        plugin: 'plugin',
        origin: 'built-in',
        isForClients: true,
        isAutoApproved: false,
        tool,
        call: (args, options) => make(tool.name, args, options),
        ...more,
      });
    },
    addCommand(command, origin = 'built-in') {
      source.commands.set(command.name, {
        kind: 'command',
        name: command.name,
        clientName: command.name,
        isUnique: true,
        plugin: 'plugin',
        origin,
        isForClients: true,
        command,
        call: (args, options) => make(command.name, args, options),
        complete: () => Promise.resolve([]),
      });
    },
    resolveTool: (name) => source.tools.get(name),
    resolveCommand: (name) => source.commands.get(name),
    ...(listsTools && {
      toolsOf: (plugin: string) => [...source.tools.values()].filter((one) => one.plugin === plugin),
    }),
    whyNot: (name, kind) => new PluglotError('UNKNOWN_TOOL', `There is no ${kind} "${name}".`),
  };
  const make = (tool: string, args: JsonObject, options: CallOptions | undefined) => {
    const held = new PendingCall({
      id: `inner-${source.made.length}`,
      tool,
      clock,
      onCancel: (reason) => {
        call.cancelled = reason;
      },
    });
    const call: MadeCall = {
      tool,
      args,
      options,
      held,
      cancelled: undefined,
      event: (event) => held.event(event),
      end: (answer = { ok: true, text: 'done' }) => held.end(answer),
    };
    source.made.push(call);
    const answer = source.answer?.(call);
    if (answer !== undefined) held.end(answer);
    return held;
  };
  return source;
}

export interface FakeApprover extends Approver {
  readonly questions: Question[];
  readonly signals: AbortSignal[];
  /** To the oldest question that waits. */
  answer(approval: Approval): void;
  /** Answers by itself from now on. */
  always: Approval | undefined;
}

export function fakeApprover(always?: Approval): FakeApprover {
  const waiting: ((approval: Approval) => void)[] = [];
  const approver: FakeApprover = {
    questions: [],
    signals: [],
    always,
    answer: (approval) => waiting.shift()?.(approval),
    ask(question, signal) {
      approver.questions.push(question);
      approver.signals.push(signal);
      if (approver.always !== undefined) return Promise.resolve(approver.always);
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
  return approver;
}

export const yes = { kind: 'allow', scope: 'once', by: 'tester' } as const;
export const no = { kind: 'deny', scope: 'once', by: 'tester' } as const;

export interface FakeWorld {
  readonly gate: Gate;
  readonly clock: FakeClock;
  readonly source: FakeSource;
  readonly policy: FakePolicy;
  readonly audit: FakeAudit;
}

/** A tool that was added. */
export function found(source: FakeSource, name: string): ResolvedTool {
  const tool = source.resolveTool(name);
  if (tool === undefined) throw new Error(`There is no ${name}.`);
  return tool;
}

/** A gate before one tool, `echo`, and one command, `say`, that answer at once. */
export function gateWorld(more: Partial<GateParts> & { readonly policy?: FakePolicy } = {}): FakeWorld {
  const clock = fakeClock();
  const source = fakeSource(clock);
  source.add({ name: 'echo' });
  source.addCommand({ name: 'say', parameters: [{ name: 'words', required: true }], shareWithModel: false });
  const policy = more.policy ?? fakePolicy();
  const audit = fakeAudit();
  const gate = createGate({ source, audit, clock, ...more, policy });
  return { gate, clock, source, policy, audit };
}

/** Lets promises and what hangs on them go on. */
export async function rounds(count = 3): Promise<void> {
  for (let round = 0; round < count; round++) await new Promise((resolve) => setImmediate(resolve));
}
