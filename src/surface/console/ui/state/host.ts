// What this page knows of its host, kept up to date by events. Components read its signals and call its methods.
import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { createApi, messageOf, type Api } from '../api/client.ts';
import { Live, type Connection } from '../api/live.ts';
import type { PluginView, Problem, Question, ToolView, TrafficEntry } from '../api/types.ts';
import { TrafficFeed } from '../pages/traffic/traffic-feed.ts';
import { TrafficStore } from '../pages/traffic/traffic-store.ts';
import { entryOf, OLD_LINK_REFUSED, routeOf, type Route } from './address.ts';
import { ActivityList, LastTools, PageStates, sinceMoment, type KeyHandler } from './memory.ts';
import { coalesced, nextFrame } from './pace.ts';

interface Notice {
  readonly text: string;
  readonly kind: 'done' | 'failed';
}

export interface Host {
  readonly api: Api;
  /** `out`: the host does not accept this page's cookie. */
  readonly session: ReadonlySignal<'connecting' | 'in' | 'out'>;
  readonly connection: ReadonlySignal<Connection>;
  readonly plugins: ReadonlySignal<readonly PluginView[]>;
  readonly problems: ReadonlySignal<readonly Problem[]>;
  readonly tools: ReadonlySignal<readonly ToolView[]>;
  /** The tool as it was last listed: a stopped plugin lists none. */
  lastSeen(tool: string): ToolView | undefined;
  readonly questions: ReadonlySignal<readonly Question[]>;
  /** Changes when the audit log gets an entry. */
  readonly audited: ReadonlySignal<number>;
  /** Milliseconds since 1970, updated once a second. */
  readonly now: ReadonlySignal<number>;
  readonly traffic: TrafficStore;
  readonly notice: Signal<Notice | undefined>;
  readonly route: ReadonlySignal<Route>;
  readonly activity: ActivityList;
  readonly pageStates: PageStates;
  /** Of the components that are shown; the last one comes first. */
  readonly keyHandlers: KeyHandler[];
  refreshPlugins(): Promise<void>;
  refreshQuestions(): Promise<void>;
  /** Exchanges the code of a one-time link for a session. On failure `refusal` says why. */
  enter(code: string): Promise<void>;
  readonly refusal: Signal<string | undefined>;
  /** Connects at once, without waiting for the next attempt. */
  reconnect(): void;
  /** Runs the action and shows a notice: `done` on success, or the error. */
  attempt(action: () => Promise<unknown>, done?: string): Promise<boolean>;
  /** Turns the stream of traffic on or off. */
  wantTraffic(isWanted: boolean): void;
}

const HostContext = createContext<Host | undefined>(undefined);
export const HostProvider = HostContext.Provider;

export function useHost(): Host {
  const host = useContext(HostContext);
  if (host === undefined) throw new Error('This component is outside of the HostProvider.');
  return host;
}

/** State that a page keeps while other pages are shown. */
export function usePageState<Value>(name: string, create: () => Value): Value {
  return useHost().pageStates.of(name, create);
}

/** Refreshes what the host sends no events about, except while the page is hidden or the host does not respond. */
export function useRefreshed(refresh: () => Promise<void>, everyMs: number): void {
  const host = useHost();
  const isOpen = host.connection.value === 'open';
  useEffect(() => {
    if (!isOpen) return;
    const run = () => {
      if (!document.hidden) refresh().catch(() => {});
    };
    run();
    const timer = setInterval(run, everyMs);
    return () => clearInterval(timer);
  }, [host, isOpen, everyMs]);
}

/** After this time, a list is requested again that events have overtaken. */
const SETTLED_MS = 250;

export function createHost(window: Window & typeof globalThis): Host {
  const session = signal<'connecting' | 'in' | 'out'>('connecting');
  const plugins = signal<readonly PluginView[]>([]);
  const problems = signal<readonly Problem[]>([]);
  const tools = signal<readonly ToolView[]>([]);
  const lastTools = new LastTools();
  const questions = signal<readonly Question[]>([]);
  const audited = signal(0);
  const now = signal(Date.now());
  const notice = signal<Notice>();
  const api = createApi(window.fetch.bind(window), () => (session.value = 'out'));
  const traffic = new TrafficStore(nextFrame(window));
  const feed = trafficFeed(api, traffic);
  let isTrafficWanted = false;

  /** How many events arrived: a response that was requested before them is older than they are. */
  const events = { plugins: 0, questions: 0 };
  const refreshPlugins = coalesced(async () => {
    const before = events.plugins;
    const answer = await api.get('/plugins');
    if (events.plugins !== before) window.setTimeout(() => quietly(refreshPlugins), SETTLED_MS);
    plugins.value = answer.plugins.map((plugin) => sinceMoment(plugin, Date.now()));
    problems.value = answer.problems;
  });
  const refreshTools = coalesced(async () => {
    tools.value = (await api.get('/tools')).tools;
    lastTools.add(tools.value);
  });
  const refreshQuestions = coalesced(async () => {
    const before = events.questions;
    const { pending } = await api.get('/approvals');
    // An event carries the complete list.
    if (events.questions === before) questions.value = pending;
  });
  // The connection shows when the host is gone; everything is requested again when it is back.
  const quietly = (work: () => Promise<void>) => void work().catch(() => {});
  const refreshAll = () => {
    for (const refresh of [refreshPlugins, refreshTools, refreshQuestions]) quietly(refresh);
  };

  const live = new Live({
    api,
    wantsTraffic: () => isTrafficWanted,
    sleep: (ms, stop) =>
      new Promise((resolve) => {
        const timer = window.setTimeout(resolve, ms);
        stop.addEventListener('abort', () => (window.clearTimeout(timer), resolve()), { once: true });
      }),
    onOpen: () => {
      session.value = 'in';
      refreshAll();
      if (isTrafficWanted) feed.opened();
    },
    onEvent: (name, data) => {
      // The host has the version of this page, so the data has these types.
      switch (name) {
        case 'plugin':
          events.plugins += 1;
          plugins.value = withPlugin(plugins.value, sinceMoment(data as PluginView, Date.now()));
          break;
        case 'plugin-removed':
          events.plugins += 1;
          plugins.value = plugins.value.filter((plugin) => plugin.name !== (data as { name: string }).name);
          break;
        case 'dropped':
          // Events were lost.
          refreshAll();
          break;
        case 'tools':
          quietly(refreshTools);
          break;
        case 'approvals':
          events.questions += 1;
          questions.value = (data as { pending: Question[] }).pending;
          break;
        case 'audit':
          audited.value += 1;
          break;
        case 'traffic':
          feed.live((data as { entries: TrafficEntry[] }).entries);
          break;
      }
    },
  });

  const start = () => void live.run();
  const refusal = signal<string>();
  const enter = async (code: string) => {
    refusal.value = undefined;
    try {
      await api.enter(code);
    } catch (error) {
      refusal.value = messageOf(error);
    }
    // There may be a valid cookie from an earlier link.
    start();
  };
  const open = () => {
    const entry = entryOf(window.location);
    // The address must not keep a code or token.
    if (entry.kind !== 'plain') window.history.replaceState(null, '', '/');
    if (entry.kind === 'old') refusal.value = OLD_LINK_REFUSED;
    if (entry.kind === 'code') void enter(entry.code);
    else start();
  };
  open();
  // Opening a link in a tab that shows the page already only changes the hash.
  window.addEventListener('hashchange', () => {
    if (entryOf(window.location).kind !== 'plain') open();
  });
  window.setInterval(() => (now.value = Date.now()), 1000);
  window.document.addEventListener('visibilitychange', () => {
    // Another tab may have got a cookie.
    if (!window.document.hidden && session.value === 'out') start();
  });

  return {
    api,
    session,
    connection: live.connection,
    plugins,
    problems,
    tools,
    lastSeen: (tool) => lastTools.of(tool),
    questions,
    audited,
    now,
    traffic,
    notice,
    route: routeOf(window),
    activity: new ActivityList(),
    pageStates: new PageStates(),
    keyHandlers: [],
    refreshPlugins,
    refreshQuestions,
    refusal,
    enter,
    reconnect: () => (session.value === 'out' ? start() : live.renew()),
    async attempt(action, done) {
      try {
        await action();
        if (done !== undefined) notice.value = { text: done, kind: 'done' };
        return true;
      } catch (error) {
        notice.value = { text: messageOf(error), kind: 'failed' };
        return false;
      }
    },
    wantTraffic(isWanted) {
      if (isWanted === isTrafficWanted) return;
      isTrafficWanted = isWanted;
      if (!isWanted) feed.closed();
      live.renew();
    },
  };
}

/** About the size of an entry without its text. */
const ENTRY_CHARACTERS = 150;

function trafficFeed(api: Api, store: TrafficStore): TrafficFeed {
  return new TrafficFeed(store, async (since, limit, signal) => {
    const { entries, last } = await api.get(`/traffic?since=${since}&limit=${limit}`, signal);
    const size = entries.reduce((sum, { text = '' }) => sum + text.length + ENTRY_CHARACTERS, 0);
    return { entries, last, size };
  });
}

function withPlugin(plugins: readonly PluginView[], changed: PluginView): readonly PluginView[] {
  if (typeof changed.name !== 'string') return plugins;
  const isKnown = plugins.some(({ name }) => name === changed.name);
  return isKnown
    ? plugins.map((plugin) => (plugin.name === changed.name ? changed : plugin))
    : [...plugins, changed];
}
