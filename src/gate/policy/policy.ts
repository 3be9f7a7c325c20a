// May this call happen? The verdict of the rules alone, before a person is asked.
import type { JsonObject } from '../../base/json.ts';
import type { Caller, Execution } from '../../definition/caller.ts';
import type { ToolHints } from '../../definition/tool.ts';
import type { PluginOrigin } from '../../fleet/registry/contract.ts';

/** Resources and prompts of plugins are decided on like calls. */
export type CallKind = 'tool' | 'command' | 'resource' | 'prompt';

/** What is decided on. */
export interface Subject {
  readonly kind: CallKind;
  /** `plugin__tool`. */
  readonly name: string;
  /** No other plugin has one of this own name. */
  readonly isUnique: boolean;
  /** The name the plugin itself gives it. */
  readonly ownName: string;
  readonly plugin: string;
  readonly origin: PluginOrigin;
  /** Checked, defaults filled in. */
  readonly args: JsonObject;
  readonly caller: Caller;
  readonly isAutoApproved: boolean;
  /** Its plugin runs in the sandbox. @default false */
  readonly isConfined?: boolean;
  /** The plugin's own hints: a tool it calls destructive is asked about; read-only is not believed. */
  readonly hints?: ToolHints;
}

/** What decided, in the order of the checks; the first four are the gate's own, before the rules. */
export type Method =
  | 'unknown'
  | 'not-offered'
  | 'arguments'
  | 'definition'
  | 'broken'
  | 'user'
  | 'program'
  | 'allow-all'
  | 'dangerous'
  | 'unreadable'
  | 'paths'
  | 'sandbox'
  | 'session-deny'
  | 'deny-rule'
  | 'session-allow'
  | 'allow-rule'
  | 'class'
  | 'auto-approved'
  | 'session-default'
  | 'default';

export type Verdict = {
  /** A command line that is to run outside of the project, where no rule for commands allows it. */
  readonly isElsewhere?: true;
  readonly method: Method;
  readonly reason: string;
} & (
  | {
      readonly kind: 'allow';
      /** Of a tool that runs a command line: how this one may run. */
      readonly execution?: Execution | undefined;
      /** Those that decided it, where some did. */
      readonly rules?: readonly DecidingRule[];
    }
  | { readonly kind: 'deny'; readonly rules?: readonly DecidingRule[] }
  | {
      readonly kind: 'ask';
      /** What a lasting answer would be about, in words: this very call, by this caller. */
      readonly remembers: string;
      /** The same for every call of the tool; left out where that may not be chosen. */
      readonly remembersTool?: string;
    }
);

export interface DecidingRule {
  readonly rule: string;
  /** Undefined for one of the session. */
  readonly file?: string;
}

/** How long an answer holds: for this call; until the turn of the model ends; until nothing was called for a while; until the gate is closed. */
export type Scope = 'once' | 'turn' | 'idle' | 'session';

/** What an answer is about: the call with exactly these arguments, or every call of the tool. */
export type Covers = 'call' | 'tool';

export interface Policy {
  /** At once where no shell syntax has to be read. Never throws: what cannot be decided is denied. */
  decide(subject: Subject): Verdict | Promise<Verdict>;
  /** In one line, what would be done; as rules see it. @default `tool(key=value, …)`, and the command of the tool for commands */
  signatureOf?(subject: Subject): string;
  /** The rule that is equivalent to a lasting answer; undefined where there is none. @default none */
  ruleFor?(subject: Subject, covers: Covers): string | undefined;
  /** Whether a rule that allows names this very tool or command, rather than several. @default none does */
  isNamed?(subject: Subject): boolean;
  /** Keeps a person's answer for this subject. It holds for the same caller alone. @param covers @default 'call' */
  remember(subject: Subject, answer: 'allow' | 'deny', scope: Exclude<Scope, 'once'>, covers?: Covers): void;
  /** Everything from now on that this caller wants and no rule forbids. */
  allowAll(caller: Caller): void;
  endTurn(): void;
  /** Forgets what was answered for callers with this token: it was revoked. */
  forgetAccess?(accessId: string): void;
  /** Calls when other rules hold; the returned function ends that. */
  onChanged?(listener: () => void): () => void;
  readonly session: SessionRules;
  view(): PolicyView;
}

/** What a person changes while it runs; patterns as in permissions.json. */
export interface SessionRules {
  allow(pattern: string): void;
  deny(pattern: string): void;
  setDefault(policy: DefaultPolicy | undefined): void;
  /** Forgets all of it, also remembered answers and allow-all. */
  clear(): void;
}

export type DefaultPolicy = 'allow' | 'deny' | 'ask';

/** For people: `permissions show`. */
export interface PolicyView {
  readonly defaultPolicy: DefaultPolicy;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly session: {
    /** Callers that may do everything, in words. */
    readonly allowAll: readonly string[];
    readonly defaultPolicy?: DefaultPolicy;
    readonly allow: readonly string[];
    readonly deny: readonly string[];
  };
  /** The files it was read from, each with whether it may loosen. */
  readonly sources: readonly { readonly file: string; readonly trusted: boolean }[];
}
