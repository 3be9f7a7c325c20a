// What this page knows of its host, kept up to date by events. Components read signals of it and ask it for changes.
import { signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { createApi, wordsOf, type Api } from '../api/client.ts';
import { Live, type Connection } from '../api/live.ts';
import type { PluginList, PluginView, Problem, Question, ToolView, TrafficEntry } from '../api/types.ts';
import { nextFrame } from '../lib/next-frame.ts';
import { TrafficFeed } from '../pages/traffic/traffic-feed.ts';
import { TrafficStore } from '../pages/traffic/traffic-store.ts';
import { entryOf, OLD_LINK } from './entry.ts';
import { keptThings, type Kept } from './kept.ts';
import { latest } from './latest.ts';
import { sinceMoment } from './since-moment.ts';
import { routeOf, type Route } from './route.ts';
import { SeenTools } from './seen-tools.ts';
import { underWayList, type UnderWayList } from './under-way.ts';

interface Notice {
  readonly text: string;
  readonly kind: 'done' | 'failed';
}

export interface Host {
  readonly api: Api;
  /** Whether the host knows this page: `out` is for whoever has no cookie yet. */
  readonly session: ReadonlySignal<'asking' | 'in' | 'out'>;
  readonly connection: ReadonlySignal<Connection>;
  readonly plugins: ReadonlySignal<readonly PluginView[]>;
  readonly problems: ReadonlySignal<readonly Problem[]>;
  readonly tools: ReadonlySignal<readonly ToolView[]>;
  /** As it was when it was last listed: a plugin that is stopped lists none. */
  lastSeen(tool: string): ToolView | undefined;
  readonly questions: ReadonlySignal<readonly Question[]>;
  /** Changes when something was written to the audit. */
  readonly audited: ReadonlySignal<number>;
  /** Milliseconds since 1970, once a second. */
  readonly now: ReadonlySignal<number>;
  readonly traffic: TrafficStore;
  readonly notice: Signal<Notice | undefined>;
  readonly route: ReadonlySignal<Route>;
  /** What goes on, whichever page is shown. */
  readonly underWay: UnderWayList;
  /** What pages keep while others are shown. */
  readonly kept: Kept;
  refreshPlugins(): Promise<void>;
  refreshQuestions(): Promise<void>;
  /** By the code of a one-time link, where there is no cookie yet. Where that does not let in, `refusal` says why. */
  enter(code: string): Promise<void>;
  /** Why what somebody came by does not let in. */
  readonly refusal: Signal<string | undefined>;
  /** Connects at once, without waiting for the next try. */
  reconnect(): void;
  /** Does something and tells how it went where somebody looks. */
  attempt(work: () => Promise<unknown>, done?: string): Promise<boolean>;
  /** While it is wanted, traffic comes. */
  wantTraffic(isWanted: boolean): void;
}

/** How long after events a list is asked for again that they overtook. */
const SETTLED_MS = 250;

export function createHost(window: Window & typeof globalThis): Host {
  const session = signal<'asking' | 'in' | 'out'>('asking');
  const plugins = signal<readonly PluginView[]>([]);
  const problems = signal<readonly Problem[]>([]);
  const tools = signal<readonly ToolView[]>([]);
  const seen = new SeenTools();
  const questions = signal<readonly Question[]>([]);
  const audited = signal(0);
  const now = signal(Date.now());
  const notice = signal<Notice>();
  const api = createApi(window.fetch.bind(window), () => (session.value = 'out'));
  const traffic = new TrafficStore(nextFrame(window));
  const feed = trafficFeed(api, traffic);
  let isTrafficWanted = false;

  /** How many events told of each: an answer that was on its way meanwhile is older than they are. */
  const told = { plugins: 0, questions: 0 };
  const refreshPlugins = latest(async () => {
    const before = told.plugins;
    const answer = await api.get<PluginList>('/plugins');
    // What the events left out is in the next answer.
    if (told.plugins !== before) window.setTimeout(() => quietly(refreshPlugins), SETTLED_MS);
    plugins.value = answer.plugins.map((plugin) => sinceMoment(plugin, Date.now()));
    problems.value = answer.problems;
  });
  const refreshTools = latest(async () => {
    tools.value = (await api.get<{ tools: ToolView[] }>('/tools')).tools;
    seen.add(tools.value);
  });
  const refreshQuestions = latest(async () => {
    const before = told.questions;
    const { pending } = await api.get<{ pending: Question[] }>('/approvals');
    // An event has all of them.
    if (told.questions === before) questions.value = pending;
  });
  // The connection tells when the host is gone; a question that failed with it is asked again when it is back.
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
      switch (name) {
        case 'plugin':
          told.plugins += 1;
          // Of our own host, of this version.
          plugins.value = withPlugin(plugins.value, sinceMoment(data as PluginView, Date.now()));
          break;
        case 'plugin-removed':
          told.plugins += 1;
          plugins.value = plugins.value.filter((plugin) => plugin.name !== (data as { name: string }).name);
          break;
        case 'dropped':
          // Something was missed; what is now is asked for.
          refreshAll();
          break;
        case 'tools':
          quietly(refreshTools);
          break;
        case 'approvals':
          told.questions += 1;
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
      refusal.value = wordsOf(error);
    }
    // Whoever was let in before does not need it.
    start();
  };
  const come = () => {
    const entry = entryOf(window.location);
    // What lets in stays in no address.
    if (entry.kind !== 'plain') window.history.replaceState(null, '', '/');
    if (entry.kind === 'old') refusal.value = OLD_LINK;
    if (entry.kind === 'code') void enter(entry.code);
    else start();
  };
  come();
  // A link that is opened where the page is already changes no more than this.
  window.addEventListener('hashchange', () => {
    if (entryOf(window.location).kind !== 'plain') come();
  });
  window.setInterval(() => (now.value = Date.now()), 1000);
  window.document.addEventListener('visibilitychange', () => {
    // Whoever comes back from the terminal may have a cookie now.
    if (!window.document.hidden && session.value === 'out') start();
  });

  return {
    api,
    session,
    connection: live.connection,
    plugins,
    problems,
    tools,
    lastSeen: (tool) => seen.of(tool),
    questions,
    audited,
    now,
    traffic,
    notice,
    route: routeOf(window),
    underWay: underWayList(),
    kept: keptThings(),
    refreshPlugins,
    refreshQuestions,
    refusal,
    enter,
    reconnect: () => (session.value === 'out' ? start() : live.renew()),
    async attempt(work, done) {
      try {
        await work();
        if (done !== undefined) notice.value = { text: done, kind: 'done' };
        return true;
      } catch (error) {
        notice.value = { text: wordsOf(error), kind: 'failed' };
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

function trafficFeed(api: Api, store: TrafficStore): TrafficFeed {
  return new TrafficFeed({
    async page(since, limit, signal) {
      const path = `/traffic?since=${since}&limit=${limit}`;
      const { entries, last } = await api.get<{ entries: TrafficEntry[]; last: number }>(path, signal);
      const size = entries.reduce((sum, { text = '' }) => sum + text.length + HEAD_CHARACTERS, 0);
      return { entries, last, size };
    },
    receive: (entries) => store.receive(entries),
    lost: (count) => store.lost(count),
    lastSeq: () => store.lastSeq,
    restarted: () => store.restarted(),
    settled: () => store.settled(),
  });
}

/** What an entry is beside its text, about. */
const HEAD_CHARACTERS = 150;

function withPlugin(plugins: readonly PluginView[], changed: PluginView): readonly PluginView[] {
  if (typeof changed.name !== 'string') return plugins;
  const isKnown = plugins.some(({ name }) => name === changed.name);
  return isKnown
    ? plugins.map((plugin) => (plugin.name === changed.name ? changed : plugin))
    : [...plugins, changed];
}
