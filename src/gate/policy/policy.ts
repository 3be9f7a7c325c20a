// May this call happen? The answer of the rules alone, before anybody is asked.
import type { JsonObject } from '../../base/json.ts';
import type { Caller } from '../../definition/caller.ts';
import type { ToolHints } from '../../definition/tool.ts';
import type { PluginOrigin } from '../../fleet/registry/resolved.ts';

/** What is decided on. */
export interface Subject {
  readonly kind: 'tool' | 'command';
  /** As it is exposed; rules go by it and by `plugin`. */
  readonly name: string;
  /** The name the plugin itself gives it. */
  readonly ownName: string;
  readonly plugin: string;
  readonly origin: PluginOrigin;
  /** Checked, defaults filled in. */
  readonly args: JsonObject;
  readonly caller: Caller;
  readonly isAutoApproved: boolean;
  /** What the plugin says of its tool: a destructive one is asked about, a read-only one is not believed. */
  readonly hints?: ToolHints;
}

/** How a verdict came about, in the order in which these are looked at; the first four are the gate's own, around the rules. */
export type Method =
  | 'unknown'
  | 'arguments'
  | 'definition'
  | 'broken'
  | 'user'
  | 'allow-all'
  | 'dangerous'
  | 'unreadable'
  | 'paths'
  | 'session-blacklist'
  | 'blacklist'
  | 'session-whitelist'
  | 'whitelist'
  | 'class'
  | 'auto-approved'
  | 'session-default'
  | 'default';

export type Verdict =
  | { readonly kind: 'allow'; readonly method: Method; readonly reason: string }
  | { readonly kind: 'deny'; readonly method: Method; readonly reason: string }
  | {
      readonly kind: 'ask';
      readonly method: Method;
      readonly reason: string;
      /** What a lasting answer would be about, in words: the commands as they are, or the tool as such. */
      readonly remembers: string;
    };

/** How long an answer holds: for this call; until the turn of the model ends; until nothing was called for a while; until the gate is closed. */
export type Scope = 'once' | 'turn' | 'idle' | 'session';

export interface Policy {
  /** At once where no shell syntax has to be read. Never throws: what cannot be decided is denied. */
  decide(subject: Subject): Verdict | Promise<Verdict>;
  /** In one line, what would be done; as rules see it. @default `tool(key=value, …)`, and the command of the tool for commands */
  signatureOf?(subject: Subject): string;
  /** Keeps the answer that somebody gave for this subject. */
  remember(subject: Subject, answer: 'allow' | 'deny', scope: Exclude<Scope, 'once'>): void;
  /** Everything from now on that the blacklists do not name. */
  allowAll(): void;
  endTurn(): void;
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
  readonly whitelist: readonly string[];
  readonly blacklist: readonly string[];
  readonly session: {
    readonly allowAll: boolean;
    readonly defaultPolicy?: DefaultPolicy;
    readonly whitelist: readonly string[];
    readonly blacklist: readonly string[];
  };
  /** The files it was read from, each with whether it may loosen. */
  readonly sources: readonly { readonly file: string; readonly trusted: boolean }[];
}
