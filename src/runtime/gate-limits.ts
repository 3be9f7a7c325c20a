// Limits of calls and results from several files: a trusted file replaces earlier limits, others can only lower them.
import type { BudgetTable, GateLimits, LimitTable } from '../gate/limits/limit-options.ts';
import { outputLimits, type OutputLimits, type OutputOptions } from '../gate/output/bounded-answer.ts';

/** `only`: nothing gets looser by it. */
export function mergeLimits(base: GateLimits, next: GateLimits, only?: 'tighter'): GateLimits {
  const isTighter = only === 'tighter';
  const perMinute = mergeTable(base.perMinute, next.perMinute, isTighter);
  const concurrent = mergeTable(base.concurrent, next.concurrent, isTighter);
  const budget = mergeTable(base.budget, next.budget, isTighter);
  const waiting = mergeNumbers(
    isTighter ? { ...usualWaiting, ...base.waiting } : base.waiting && { ...base.waiting },
    next.waiting && { ...next.waiting },
    isTighter,
  );
  return {
    ...(perMinute && { perMinute }),
    ...(concurrent && { concurrent }),
    ...(budget && { budget }),
    ...(waiting && { waiting }),
  };
}

/** The defaults, so that a file that is not trusted cannot raise them. */
const usualWaiting = { all: 1000, caller: 250, ms: 30_000 };

/** Both tables have maps of names and single numbers. */
function mergeTable<Table extends LimitTable | BudgetTable>(
  base: Table | undefined,
  next: Table | undefined,
  isTighter: boolean,
): Table | undefined {
  if (next === undefined || base === undefined) return next ?? base;
  const before: LimitTable = base;
  const { tools, plugins, callers }: LimitTable = next;
  const merged: LimitTable = {
    ...before,
    ...mergeNumbers(numbersOf(before), numbersOf(next), isTighter),
    ...named('tools', before.tools, tools, (name) => own(before.tools, name) ?? before.tool, isTighter),
    ...named(
      'plugins',
      before.plugins,
      plugins,
      (name) => own(before.plugins, name) ?? before.plugin,
      isTighter,
    ),
    ...named('callers', before.callers, callers, (name) => callerLimit(before, name), isTighter),
  };
  // What is merged of two tables has the keys of both.
  return merged as Table;
}

/** What holds for a caller so far: by its name, by its kind, or for each. */
function callerLimit({ callers, caller }: LimitTable, name: string): number | undefined {
  const [kind = name] = name.split(':', 1);
  // Profiles and tokens are those of clients.
  return (
    own(callers, name) ?? own(callers, kind === 'profile' || kind === 'token' ? 'client' : kind) ?? caller
  );
}

function named(
  key: 'tools' | 'plugins' | 'callers',
  base: Readonly<Record<string, number>> | undefined,
  next: Readonly<Record<string, number>> | undefined,
  limitOf: (name: string) => number | undefined,
  isTighter: boolean,
): LimitTable {
  if (next === undefined) return {};
  const entries = Object.entries(next).map(([name, limit]) => {
    // A name of its own holds instead of what holds for each, so it may not be more than that.
    const lower = isTighter ? Math.min(limit, limitOf(name) ?? Infinity) : limit;
    return [name, lower] as const;
  });
  return { [key]: { ...base, ...Object.fromEntries(entries) } };
}

type Numbers = Readonly<Partial<Record<string, number>>>;

function mergeNumbers(
  base: Numbers | undefined,
  next: Numbers | undefined,
  isTighter: boolean,
): Numbers | undefined {
  if (next === undefined || base === undefined) return next ?? base;
  const before = new Map(Object.entries(base));
  const entries = Object.entries(next).map(([key, limit]) => {
    const known = isTighter ? before.get(key) : undefined;
    return [key, known === undefined || limit === undefined ? limit : Math.min(known, limit)] as const;
  });
  return { ...base, ...Object.fromEntries(entries) };
}

function numbersOf(table: LimitTable): Numbers {
  const { tools: _tools, plugins: _plugins, callers: _callers, ...numbers } = table;
  return numbers;
}

function own(table: Readonly<Record<string, number>> | undefined, name: string): number | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** `only`: nothing gets looser by it. */
export function mergeOutput(base: OutputOptions, next: OutputOptions, only?: 'tighter'): OutputOptions {
  if (only === undefined) {
    const tools = base.tools || next.tools ? { tools: { ...base.tools, ...next.tools } } : {};
    return { ...base, ...next, ...tools };
  }
  const { callers = ['model', 'job', 'client'] } = base;
  const held = outputLimits({ ...base, callers: ['model'] });
  // The user decides for whom a limit holds; the name of a tool alone does not matter then.
  const limitsOf = (tool: string) => held(tool, { kind: 'model' });
  const names = [...new Set([...Object.keys(base.tools ?? {}), ...Object.keys(next.tools ?? {})])];
  const own = new Map(Object.entries(next.tools ?? {}));
  const tools = names.map((name) => [name, lower(limitsOf(name), own.get(name) ?? next)] as const);
  // Without a name of its own: the usual.
  const usual = outputLimits({ ...base, tools: {}, callers: ['model'] })('', { kind: 'model' });
  return {
    ...base,
    ...lower(usual, next),
    callers,
    ...(names.length > 0 && { tools: Object.fromEntries(tools) }),
    ...(next.checkSchema === true && { checkSchema: true }),
  };
}

function lower(held: Required<OutputLimits>, next: OutputLimits): Required<OutputLimits> {
  return {
    textCharacters: Math.min(held.textCharacters, next.textCharacters ?? Infinity),
    dataBytes: Math.min(held.dataBytes, next.dataBytes ?? Infinity),
  };
}

const SESSION = 32;
const CLIENTS = 256;

/** After all files were read: a limit for each caller holds for clients too. */
export function withUsualLimits(limits: GateLimits): GateLimits {
  const { concurrent = {} } = limits;
  return {
    ...limits,
    concurrent: {
      session: SESSION,
      ...concurrent,
      ...(!saysClients(concurrent) && { callers: { ...concurrent.callers, client: CLIENTS } }),
    },
  };
}

/** The limits of a file that is not trusted: not more than what would hold without it. */
export function underUsualLimits(next: GateLimits, before: GateLimits): GateLimits {
  const { concurrent } = next;
  if (concurrent === undefined) return next;
  const { session, caller, callers = {} } = concurrent;
  const known = before.concurrent ?? {};
  const lower = (limit: number) => Math.min(limit, saysClients(known) ? Infinity : CLIENTS);
  return {
    ...next,
    concurrent: {
      ...concurrent,
      ...(session !== undefined && { session: Math.min(session, known.session ?? SESSION) }),
      ...(caller !== undefined && { caller: lower(caller) }),
      ...(concurrent.callers !== undefined && {
        callers: Object.fromEntries(Object.entries(callers).map(([name, limit]) => [name, lower(limit)])),
      }),
    },
  };
}

function saysClients({ caller, callers = {} }: LimitTable): boolean {
  return caller !== undefined || Object.hasOwn(callers, 'client');
}
