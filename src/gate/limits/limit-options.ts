// How much may be called, in the words of the key `gate.limits` of pluglot.json.
import type { Caller } from '../../definition/caller.ts';
import { ownPart } from '../../definition/plugin-spec.ts';

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
  /** One caller: `model`, or `client:NAME` where it has a name; of clients, all with tokens of one profile together, or of one token. */
  readonly caller?: number;
  /** One connection of a client that lasts. */
  readonly session?: number;
  /** By `plugin__tool`, or by the own name of a tool for all plugins that have such a one. */
  readonly tools?: Readonly<Record<string, number>>;
  readonly plugins?: Readonly<Record<string, number>>;
  /** By kind, by kind and name (`client:NAME`), `profile:NAME` or `token:NAME`. A name that a client gives itself, or a profile that it chose, can only lower it. */
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
  /** `plugin__tool`. */
  readonly tool: string;
  readonly plugin: string;
  readonly caller: Caller;
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

function callerKey({ kind, name }: Caller): string {
  return name === undefined ? kind : `${kind}:${name}`;
}

/** Who takes turns with others: the name counts only where the host knows nothing else of the caller. */
export function turnKey(caller: Caller): string {
  const account = accountOf(caller);
  return account === undefined ? callerKey(caller) : `${caller.kind}@${account}#${caller.connection ?? ''}`;
}

/** The one whose questions are counted together, however many connections it has; without token and profile each connection is one. */
export function questionKey(caller: Caller): string {
  const account = accountOf(caller);
  return account === undefined || account === '' ? turnKey(caller) : `${caller.kind}@${account}`;
}

/**
 * What a caller cannot choose itself: the profile that its token is bound to, or its token. Undefined where it came by neither of them, nor by
 * a connection.
 */
function accountOf({ access, profile, isProfileChosen = false, connection }: Caller): string | undefined {
  if (profile !== undefined && !isProfileChosen) return `profile:${profile}`;
  if (access !== undefined) return `token:${access}`;
  return connection === undefined ? undefined : '';
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
  return ({ tool, plugin, caller }) => {
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
    add('tool', `"${tool}"`, tool, tools.get(tool) ?? tools.get(ownPart(tool)), table.tool);
    add('plugin', `plugin "${plugin}"`, plugin, plugins.get(plugin), table.plugin);
    const key = callerKey(caller);
    const ofKind = callers.get(caller.kind);
    const account = accountOf(caller);
    if (account === undefined)
      add('caller', `caller "${key}"`, key, callers.get(key) ?? ofKind, table.caller);
    else {
      const { connection, profile, isProfileChosen = false } = caller;
      add('caller', clientsOf(caller), `@${account}`, callers.get(account) ?? ofKind, table.caller);
      if (isProfileChosen) {
        const chosen = `profile:${profile ?? ''}`;
        add('caller', `caller "${chosen}"`, `${chosen}@${account}`, callers.get(chosen), undefined);
      }
      add('caller', `caller "${key}"`, `${key}@${account}`, callers.get(key), undefined);
      if (connection !== undefined)
        add('session', 'this connection', `${account}#${connection}`, undefined, table.session);
    }
    add('all', 'all', '', undefined, table.all);
    return held;
  };
}

function clientsOf({ profile, isProfileChosen = false, access }: Caller): string {
  if (profile !== undefined && !isProfileChosen) return `clients of the profile "${profile}"`;
  return access === undefined ? 'clients without a token' : `clients with the token "${access}"`;
}
