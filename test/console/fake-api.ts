// A fake host: it serves the built page and a fake HTTP API for tests in a browser.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { JsonObject } from '../../src/base/json.ts';
import type { TrafficEntry } from '../../src/fleet/recording/traffic.ts';
import { consoleFiles } from '../../src/surface/console/console-files.ts';
import { root } from '../support/project.ts';
import { bodyOf, json, open, problem, say, textOf } from './fake-answers.ts';
import { fakeCall } from './fake-calls.ts';
import { logEntry, message, ping } from './fake-wires.ts';
import { fakeAudit, fakePlugins, fakeProblems, fakeQuestions, fakeTools } from './fake-world.ts';

export interface FakeApi {
  readonly address: string;
  /** What the page holds once it was let in. */
  readonly cookie: string;
  /** Lets in one browser, once. */
  link(): string;
  /** Method and path of all that was asked, and the body where there was one. */
  readonly asked: readonly string[];
  /** Messages a second, to everybody who looks at the traffic. */
  setTraffic(perSecond: number): void;
  /** So many at once, in batches as a host sends them. */
  burst(count: number): void;
  /** So many questions whether a plugin is still there. */
  ping(count: number): void;
  /** Ends all connections and refuses new ones, until `comeBack`. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** Somebody else begins a conversation with a plugin, or leaves it; another waits then. */
  setTaken(plugin: string, isTaken: boolean): void;
  /** Somebody else begins a recording. */
  record(plugin: string): void;
  /** Something was written to the audit log. */
  audited(): void;
  /** Takes the questions away, or brings them back. */
  setQuestions(isThere: boolean): void;
  stop(): Promise<void>;
}

const BATCH_MS = 100;
const BATCH_ENTRIES = 2000;
/** As many as a host keeps. */
const KEPT = 20_000;

export async function startFakeApi(port = 0): Promise<FakeApi> {
  const files = consoleFiles(path.join(root, 'dist/surface/console/ui'));
  const secret = 'a-cookie-for-tests';
  const codes = new Set<string>();
  const asked: string[] = [];
  const watchers = new Map<ServerResponse, boolean>();
  const plugins = fakePlugins(Date.now());
  const talks = new Map<string, number>();
  const recordings: JsonObject[] = [];
  let questions = fakeQuestions(Date.now());
  let seq = 0;
  const kept: TrafficEntry[] = [];
  let traffic: NodeJS.Timeout | undefined;
  let server: Server;

  const tell = (event: string, data: unknown) => {
    for (const response of watchers.keys()) say(response, event, data);
  };
  const broadcast = (count: number, make = message) => {
    const entries: TrafficEntry[] = [];
    for (let index = 0; index < count; index++) entries.push(make(++seq));
    kept.push(...entries);
    if (kept.length > 2 * KEPT) kept.splice(0, kept.length - KEPT);
    for (const [response, wantsTraffic] of watchers) if (wantsTraffic) say(response, 'traffic', { entries });
  };
  const answerQuestion = (id: string) => {
    questions = questions.filter((question) => question.id !== id);
    tell('approvals', { pending: questions });
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isKnown = request.headers.cookie === `pluglot=${secret}`;
    const cookie = { 'set-cookie': `pluglot=${secret}; HttpOnly; SameSite=Strict; Path=/` };
    if (url.pathname === '/' && request.method === 'POST') {
      const code = (await bodyOf(request))?.['code'];
      if (typeof code !== 'string' || !codes.delete(code))
        return problem(response, 401, 'UNAUTHENTICATED', 'This link was used before, or has expired.');
      return void response.writeHead(204, cookie).end();
    }
    const file = files.get(url.pathname);
    if (file !== undefined) {
      response.writeHead(200, file.headers).end(file.body);
      return;
    }
    if (!url.pathname.startsWith('/api/v1/'))
      return problem(response, 404, 'NOT_FOUND', 'Nothing is at this address.');
    if (!isKnown)
      return problem(response, 401, 'UNAUTHENTICATED', 'Open the address that `pluglot up` printed.');
    const body = await bodyOf(request);
    asked.push(
      `${request.method} ${url.pathname.slice(7)}${url.search}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`,
    );
    const parts = url.pathname.slice(8).split('/').map(decodeURIComponent);
    await route(request.method ?? 'GET', parts, { request, response, url, body: body ?? {} });
  };

  interface Asked {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly url: URL;
    readonly body: JsonObject;
  }

  const route = async (
    method: string,
    [what = '', name = '', action = '']: readonly string[],
    { request, response, url, body }: Asked,
  ) => {
    switch (`${method} ${what}`) {
      case 'GET events':
        open(response);
        say(response, 'hello', { version: '0.1.0' });
        watchers.set(response, url.searchParams.get('traffic') === '1');
        response.on('close', () => watchers.delete(response));
        return;
      case 'GET plugins': {
        if (name === '') return json(response, { plugins, problems: fakeProblems });
        const plugin = plugins.find((one) => one.name === name);
        if (plugin === undefined) return problem(response, 404, 'UNKNOWN_PLUGIN', `No plugin "${name}".`);
        if (action !== 'logs')
          return json(response, {
            ...plugin,
            tools: [],
            commands: [],
            health: { status: 'ok' },
            instructions: 'Use it kindly.',
            manifest: { name, version: '1.2.0' },
          });
        open(response);
        for (let index = 0; index < 12; index++) say(response, 'log', logEntry(name, index));
        return;
      }
      case 'POST plugins': {
        const at = plugins.findIndex((one) => one.name === name);
        const plugin = plugins[at];
        if (plugin === undefined) return problem(response, 404, 'UNKNOWN_PLUGIN', `No plugin "${name}".`);
        const { reason: _reason, ...rest } = plugin;
        const next = {
          ...rest,
          state: action === 'stop' ? 'stopped' : 'ready',
          sinceMs: Date.now(),
          pids: action === 'stop' ? [] : [4242],
          ...(action === 'stop' && { reason: `Plugin "${name}" was stopped.` }),
        };
        plugins[at] = next;
        tell('plugin', next);
        tell('tools', {});
        return json(response, next);
      }
      case 'GET tools':
        return json(response, {
          tools: fakeTools().filter(({ plugin }) =>
            plugins.some((one) => one.name === plugin && one.state !== 'stopped'),
          ),
        });
      case 'POST tools':
        await fakeCall(name, body, request, response);
        broadcast(2);
        return;
      case 'DELETE calls':
        return void response.writeHead(204).end();
      case 'POST talks': {
        if (name === '') {
          open(response);
          const taken = plugins.find((one) => one.talking === true && one.stats.waiting > 0);
          // Its turn comes when the other has left, which nobody does here.
          if (taken !== undefined) return say(response, 'talk', { talk: 'talk-2' });
          talks.set('talk-1', 0);
          say(response, 'talk', { talk: 'talk-1' });
          say(response, 'outcome', {
            ok: true,
            text: 'Which settings do you use **now**?',
            keepSession: true,
            durationMs: 12,
          });
          return void response.end();
        }
        const turns = (talks.get(name) ?? 0) + 1;
        talks.set(name, turns);
        open(response);
        for (const piece of ['Thank you. ', 'You said: ', textOf(body['content'])])
          say(response, 'text', { text: piece });
        const isLast = turns >= 3 || body['content'] === 'bye';
        say(response, 'outcome', {
          ok: true,
          text: `Thank you. You said: ${textOf(body['content'])}`,
          keepSession: !isLast,
          durationMs: 30,
        });
        return void response.end();
      }
      // Held open until the page leaves it.
      case 'GET talks':
        return open(response);
      case 'DELETE talks':
        talks.delete(name);
        return void response.writeHead(204).end();
      case 'GET approvals':
        return json(response, { pending: questions });
      case 'POST approvals':
        if (!questions.some(({ id }) => id === name))
          return problem(response, 404, 'NOT_FOUND', 'Nobody waits for an answer to this question any more.');
        answerQuestion(name);
        return void response.writeHead(204).end();
      case 'GET traffic': {
        const number = (key: string) => Number(url.searchParams.get(key) ?? 0);
        const entries = kept.slice(-KEPT).filter((entry) => entry.seq > number('since'));
        return json(response, { entries: entries.slice(0, number('limit')), last: seq });
      }
      case 'GET recordings':
        return json(response, { recordings });
      case 'POST recordings': {
        const id = `r${recordings.length + 1}`;
        const recording = {
          id,
          plugin: textOf(body['plugin']),
          file: `/state/recordings/${id}.jsonl`,
          startedAt: Date.now(),
          messages: 0,
          isLive: true,
        };
        recordings.push(recording);
        return json(response, recording);
      }
      case 'DELETE recordings': {
        const at = recordings.findIndex((one) => one['id'] === name);
        const [ended] = recordings.splice(at, 1);
        return json(response, { ...ended, messages: 17 });
      }
      case 'GET audit': {
        const { searchParams: query } = url;
        const records = fakeAudit(Date.now()).filter(({ event }) => {
          if (query.get('denied') === '1') return event.kind === 'decided' && !event.allowed;
          return query.get('tool') === null || (event.kind === 'decided' && event.name === query.get('tool'));
        });
        const lines = records.length;
        const verified = { ok: true, lines, files: 1, problems: [], torn: [], unfinished: 0 };
        return json(response, { records, ...(query.get('verify') === '1' && { verified }) });
      }
      default:
        return problem(response, 404, 'NOT_FOUND', 'Nothing is at this address.');
    }
  };

  const listen = (wanted: number) =>
    new Promise<void>((resolve) => {
      server = createServer((request, response) => {
        handle(request, response).catch(() => response.destroy());
      });
      server.listen(wanted, '127.0.0.1', resolve);
    });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });

  await listen(port);
  // It listens on a port, so it has one.
  const { port: taken } = server!.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${taken}`,
    cookie: secret,
    link() {
      const code = `code-${codes.size}-${Date.now()}`;
      codes.add(code);
      return `http://127.0.0.1:${taken}/#/enter/${code}`;
    },
    asked,
    setTraffic(perSecond) {
      clearInterval(traffic);
      if (perSecond === 0) return;
      // What is due by the clock, so that a late timer loses nothing.
      const began = performance.now();
      let sent = 0;
      traffic = setInterval(() => {
        const due = Math.floor(((performance.now() - began) / 1000) * perSecond) - sent;
        sent += due;
        broadcast(due);
      }, BATCH_MS);
    },
    burst(count) {
      for (let left = count; left > 0; left -= BATCH_ENTRIES) broadcast(Math.min(left, BATCH_ENTRIES));
    },
    ping: (count) => broadcast(count, ping),
    goAway: close,
    comeBack: () => listen(taken),
    setTaken(name, isTaken) {
      const at = plugins.findIndex((one) => one.name === name);
      const plugin = plugins[at];
      if (plugin === undefined) return;
      const stats = { ...plugin.stats, waiting: isTaken ? 1 : 0 };
      plugins[at] = { ...plugin, talking: isTaken, stats };
    },
    record(plugin) {
      const file = '/state/recordings/others.jsonl';
      recordings.push({ id: 'others', plugin, file, startedAt: Date.now(), messages: 5, isLive: true });
    },
    audited: () => tell('audit', {}),
    setQuestions(isThere) {
      questions = isThere ? fakeQuestions(Date.now()) : [];
      tell('approvals', { pending: questions });
    },
    async stop() {
      clearInterval(traffic);
      await close();
    },
  };
}
