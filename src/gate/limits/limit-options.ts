// How much may be called, in the words of the key `gate.limits` of pluglot.json.
import type { Account, Caller } from '../../definition/caller.ts';

export interface GateLimits {
  /** How often, in any 60 s. */
  readonly perMinute?: LimitTable;
  /** How many at once; who is over it waits for a turn. */
  readonly concurrent?: LimitTable;
  /** How often at all, while the gate lives. */
  readonly budget?: BudgetTable;
  readonly waiting?: WaitingLimits;
}

/** Each holds for each of its kind; a name of its own holds instead of it. Left out: no limit. */
export interface LimitTable {
  /** All calls together. */
  readonly all?: number;
  readonly tool?: number;
  readonly plugin?: number;
  /** One caller: `model`, or `client:NAME` where it has a name; of clients with an account, all of one profile together. */
  readonly caller?: number;
  /** One connection of a client that lasts. */
  readonly session?: number;
  /** By the name it is exposed under. */
  readonly tools?: Readonly<Record<string, number>>;
  readonly plugins?: Readonly<Record<string, number>>;
  /** By kind, by kind and name (`client:NAME`), or `profile:NAME`. A name that a client with an account gives itself can only lower it. */
  readonly callers?: Readonly<Record<string, number>>;
}

export interface BudgetTable {
  /** By kind of caller; all of a kind together. */
  readonly callers?: Readonly<Partial<Record<Caller['kind'], number>>>;
  /** Each tool. */
  readonly tool?: number;
  readonly tools?: Readonly<Record<string, number>>;
}

export interface WaitingLimits {
  /** Calls that may wait for a turn, all together. @default 1000 */
  readonly all?: number;
  /** @default 250 */
  readonly caller?: number;
  /** How long each may wait. @default 30000 */
  readonly ms?: number;
}

/** What a call is counted under. */
export interface Place {
  /** As it is exposed. */
  readonly tool: string;
  readonly plugin: string;
  readonly caller: Caller;
  readonly account?: Account | undefined;
}

/** One limit that holds for a call. */
export interface Held {
  /** Apart from all others. */
  readonly key: string;
  readonly limit: number;
  /** Of what, in words: `plugin "gh"`. */
  readonly of: string;
  /** The name of the setting. */
  readonly setting: string;
}

export function callerKey({ kind, name }: Caller): string {
  return name === undefined ? kind : `${kind}:${name}`;
}

/** Who takes turns with others: nothing of it is to be chosen freely where there is an account. */
export function turnKey(caller: Caller, account: Account | undefined): string {
  if (account === undefined) return callerKey(caller);
  return `${caller.kind}@${account.profile}#${account.session ?? ''}`;
}

/** What holds for a call; nothing is made for what has no limit. */
export function limitsOf(name: string, table: LimitTable = {}): (place: Place) => Held[] {
  const tools = new Map(Object.entries(table.tools ?? {}));
  const plugins = new Map(Object.entries(table.plugins ?? {}));
  const callers = new Map(Object.entries(table.callers ?? {}));
  const isEmpty =
    [table.all, table.tool, table.plugin, table.caller, table.session].every(
      (limit) => limit === undefined,
    ) && tools.size + plugins.size + callers.size === 0;
  if (isEmpty) return () => [];
  return ({ tool, plugin, caller, account }) => {
    const held: Held[] = [];
    const add = (
      kind: string,
      of: string,
      whose: string,
      own: number | undefined,
      each: number | undefined,
    ) => {
      const limit = own ?? each;
      if (limit !== undefined)
        held.push({
          key: `${kind}:${whose}`,
          limit,
          of,
          setting: `limits.${name}.${own === undefined ? kind : `${kind}s`}`,
        });
    };
    add('tool', `"${tool}"`, tool, tools.get(tool), table.tool);
    add('plugin', `plugin "${plugin}"`, plugin, plugins.get(plugin), table.plugin);
    const key = callerKey(caller);
    const ofKind = callers.get(caller.kind);
    if (account === undefined)
      add('caller', `caller "${key}"`, key, callers.get(key) ?? ofKind, table.caller);
    else {
      const { profile, session } = account;
      add(
        'caller',
        clientsOf(profile),
        `@${profile}`,
        callers.get(`profile:${profile}`) ?? ofKind,
        table.caller,
      );
      add('caller', `caller "${key}"`, `${key}@${profile}`, callers.get(key), undefined);
      if (session !== undefined)
        add('session', 'this connection', `${profile}#${session}`, undefined, table.session);
    }
    add('all', 'all', '', undefined, table.all);
    return held;
  };
}

function clientsOf(profile: string): string {
  return profile === '' ? 'clients with the token of this host' : `clients of the profile "${profile}"`;
}
