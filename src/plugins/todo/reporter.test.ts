import fs from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { origin, story, tell } from '../../../test/support/plugins/plan-story.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { systemClock } from '../../base/clock.ts';
import { deferred, type Deferred } from '../../base/async.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { createReporter, type ReporterParts } from './reporter.ts';

type Config = Parameters<typeof createReporter>[0]['reporter_config'];

const plain: Config = {
  show_timestamps: true,
  progress_bar: true,
  colors: false,
  width: 20,
  compact: false,
  timeout: 10,
  headers: {},
};

function reporterTo(
  type: 'console' | 'webhook' | 'file' | ('console' | 'webhook' | 'file')[],
  config: Partial<Config>,
  parts: Partial<ReporterParts> = {},
) {
  return createReporter(
    { reporter_type: type, reporter_config: { ...plain, ...config } },
    {
      env: {},
      cwd: '/',
      dataFolder: () => expect.fail('not needed'),
      clock: systemClock,
      warn: (message) => expect.fail(message),
      print: () => {},
      fetch: () => Promise.reject(new Error('not expected')),
      ...parts,
    },
  );
}

describe('console', () => {
  const printed = async (settings: Partial<Config>, events = story()) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const reporter = reporterTo('console', settings, { print });
    tell(reporter, events);
    await reporter.close();
    return lines;
  };

  test('shows the plan, each step and the end', async () => {
    expect(await printed({})).toEqual([
      '====================',
      'PLAN: Tidy up',
      '====================',
      '  ○ 1. look',
      '  ○ 2. sweep',
      '[                              ] 0/2 (0%)',
      '[12:30:15] PLAN STARTED: Tidy up',
      '[12:30:15] ● [1/2] IN_PROGRESS: look',
      '    [                              ] 0/2 (0%)',
      '[12:30:15] ✓ [1/2] COMPLETED: look',
      '    → 3 things',
      '    [===============>              ] 1/2 (50%)',
      '[12:30:15] ○ [3/3] ADDED: wash',
      '    [=========>                    ] 1/3 (33%)',
      '[12:30:15] ✗ [2/3] FAILED: sweep',
      '    ✗ Error: no broom',
      '    [=========>                    ] 1/3 (33%)',
      '[12:30:15] ⊘ [3/3] SKIPPED: wash',
      '    [=========>                    ] 1/3 (33%)',
      '====================',
      'PLAN COMPLETED: Tidy up',
      '   Steps: 1 completed, 1 failed, 1 skipped',
      '   Summary: Cleaner now',
      '====================',
    ]);
  });

  test('prints less when it is configured so', async () => {
    const lines = await printed({ compact: true, progress_bar: false, show_timestamps: false });
    expect(lines.filter((line) => /IN_PROGRESS|%|\d\d:/.test(line))).toEqual([]);
    expect(lines).toContain('✓ [1/2] COMPLETED: look');
  });

  test('colours are our own, and a terminal interprets nothing that a model writes', async () => {
    const hostile = story('\u001B[2Jgone\nPLAN: fake', 'a\u0007\u202Eb\r\nc');
    const isObeyed = (line: string) =>
      ['\u001B', '\u0007', '\u202E', '\n', '\r'].some((character) => line.includes(character));
    expect((await printed({}, hostile)).filter(isObeyed)).toEqual([]);
    const coloured = await printed({ colors: true }, hostile);
    expect(coloured.some((line) => line.includes('\u001B[92m✓\u001B[0m'))).toBe(true);
    const own = ['0', '1', '90', '91', '92', '93', '94'].map((code) => `\u001B[${code}m`);
    const without = coloured.map((line) => own.reduce((text, code) => text.replaceAll(code, ''), line));
    expect(without.filter(isObeyed)).toEqual([]);
  });

  test('a closed terminal is reported once, and the plan goes on', async () => {
    const warnings: string[] = [];
    const print = () => {
      throw new Error('EPIPE');
    };
    const warn = (message: string) => void warnings.push(message);
    const reporter = reporterTo('console', {}, { print, warn });
    expect(() => tell(reporter)).not.toThrow();
    await reporter.close();
    expect(warnings).toEqual([
      'Some plan events were not delivered to the terminal: the terminal is closed.',
      '8 plan events were never delivered to the terminal.',
    ]);
  });
});

describe('file', () => {
  const read = (folder: string, ...names: string[]): unknown =>
    JSON.parse(fs.readFileSync(path.join(folder, ...names), 'utf8'));

  test('writes the plan, its progress, its events and the latest plan', async () => {
    const folder = path.join(temporaryFolder(), 'state');
    const warnings: string[] = [];
    const events = story();
    const reporter = reporterTo(
      'file',
      { base_path: folder },
      {
        warn: (message) => void warnings.push(message),
      },
    );
    tell(reporter, events);
    await expect
      .poll(() => fs.readdirSync(path.join(folder, 'plans', id(events), 'events')), { interval: 1 })
      .toHaveLength(8);
    await reporter.close();
    const plan = ['plans', id(events)] as const;
    expect(warnings).toEqual([]);
    expect(fs.readdirSync(path.join(folder, ...plan, 'events'))).toEqual([
      '001_plan_created.json',
      '002_plan_started.json',
      '003_step_in_progress.json',
      '004_step_completed.json',
      '005_step_added.json',
      '006_step_failed.json',
      '007_step_skipped.json',
      '008_plan_completed.json',
    ]);
    expect(read(folder, ...plan, 'plan.json')).toEqual(events.at(-1)?.[1]);
    const progress = {
      total: 3,
      completed: 1,
      failed: 1,
      skipped: 1,
      status: 'completed',
      updated_at: origin.now().toISOString(),
    };
    expect(read(folder, ...plan, 'progress.json')).toMatchObject(progress);
    expect(read(folder, ...plan, 'events', '004_step_completed.json')).toMatchObject({
      event_type: 'step_completed',
    });
    expect(read(folder, 'latest.json')).toMatchObject({
      plan_id: id(events),
      title: 'Tidy up',
      status: 'completed',
      progress,
    });
    expect(fs.statSync(path.join(folder, 'latest.json')).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(path.join(folder, ...plan)).toSorted()).toEqual([
      'events',
      'plan.json',
      'progress.json',
    ]);
  });

  test('continues the numbers of an earlier process', async () => {
    const folder = temporaryFolder();
    const events = story();
    for (const some of [events.slice(0, 2), events.slice(2, 3)]) {
      const reporter = reporterTo('file', { base_path: folder });
      tell(reporter, some);
      await expect
        .poll(() => fs.readdirSync(path.join(folder, 'plans', id(events), 'events')), { interval: 1 })
        .toContain(some.length === 2 ? '002_plan_started.json' : '003_step_in_progress.json');
      await reporter.close();
    }
  });

  test('a folder that cannot be written is reported, and the plan goes on', async () => {
    const folder = temporaryFolder({ taken: 'a file' });
    const warnings: string[] = [];
    const reporter = reporterTo(
      'file',
      { base_path: path.join(folder, 'taken') },
      {
        warn: (message) => void warnings.push(message),
      },
    );
    tell(reporter, story().slice(0, 1));
    await expect.poll(() => warnings, { interval: 1 }).toHaveLength(1);
    expect(warnings[0]).toMatch(/^Some plan events were not delivered to the folder .*taken/);
  });

  function id(events: ReturnType<typeof story>): string {
    return events[0]?.[1].plan_id ?? '';
  }
});

describe('webhook', () => {
  interface Sent {
    readonly body: { readonly event_type: string };
    readonly headers: Headers;
    readonly answer: Deferred<Response>;
  }
  function setUp() {
    const sent: Sent[] = [];
    const warnings: string[] = [];
    const clock = fakeClock();
    const fetch: typeof globalThis.fetch = (_, options) => {
      const answer = deferred<Response>();
      options?.signal?.addEventListener('abort', () => answer.reject(new Error('aborted')));
      // Only texts are sent.
      const body = JSON.parse(options?.body as string) as Sent['body'];
      sent.push({ body, headers: new Headers(options?.headers), answer });
      return answer.promise;
    };
    const reporter = reporterTo(
      'webhook',
      {
        endpoint: 'https://user:secret@hooks.example/T0/private?key=1',
        headers: { 'X-Service': 'pluglot' },
        auth_token: 'Bearer hidden',
      },
      { fetch, clock, warn: (message) => void warnings.push(message) },
    );
    return { sent, warnings, clock, reporter };
  }

  test('sends one after the other, in order, with the token', async () => {
    const { sent, reporter, warnings } = setUp();
    tell(reporter);
    for (let index = 0; index < 8; index++) {
      await expect.poll(() => sent, { interval: 1 }).toHaveLength(index + 1);
      await nextRound();
      expect(sent).toHaveLength(index + 1);
      sent[index]?.answer.resolve(new Response('ok'));
    }
    expect(sent.map(({ body }) => body.event_type)).toEqual(story().map(([type]) => type));
    expect(sent[3]?.body).toMatchObject({
      event_id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      timestamp: origin.now().toISOString(),
      plan_title: 'Tidy up',
      step: { sequence: 1, description: 'look', status: 'completed', result: '3 things' },
      progress: { total: 2, completed: 1, pending: 1, percent: 50 },
    });
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer hidden');
    expect(sent[0]?.headers.get('x-service')).toBe('pluglot');
    await reporter.close();
    expect(warnings).toEqual([]);
  });

  test('an event that is not delivered is lost with a warning without secrets, and the next is sent', async () => {
    const { sent, reporter, warnings, clock } = setUp();
    tell(reporter, story().slice(0, 4));
    await expect.poll(() => sent, { interval: 1 }).toHaveLength(1);
    clock.advance(10_000);
    await expect.poll(() => sent, { interval: 1 }).toHaveLength(2);
    sent[1]?.answer.resolve(new Response('', { status: 500 }));
    await expect.poll(() => sent, { interval: 1 }).toHaveLength(3);
    sent[2]?.answer.reject(
      new TypeError('fetch failed for secret', {
        cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
      }),
    );
    await expect.poll(() => sent, { interval: 1 }).toHaveLength(4);
    sent[3]?.answer.resolve(new Response('ok'));
    await reporter.close();
    expect(warnings).toEqual([
      'Some plan events were not delivered to the webhook https://hooks.example: it took too long.',
      'The plan events are delivered to the webhook https://hooks.example again; 3 were lost.',
    ]);
  });

  test('never holds more than its queue, and keeps the latest', async () => {
    const { sent, reporter, warnings } = setUp();
    const [first] = story();
    for (let index = 0; index < 500; index++) tell(reporter, first === undefined ? [] : [first]);
    tell(reporter, story().slice(-1));
    await expect.poll(() => sent, { interval: 1 }).toHaveLength(1);
    for (let index = 0; index < 101; index++) {
      sent[index]?.answer.resolve(new Response('ok'));
      const next = Math.min(index + 2, 101);
      await expect.poll(() => sent.length, { interval: 1 }).toBeGreaterThanOrEqual(next);
    }
    expect(sent).toHaveLength(101);
    expect(sent.at(-1)?.body.event_type).toBe('plan_completed');
    expect(warnings[0]).toContain('more than 100 wait');
  });

  test('closing waits a moment, then drops the rest', async () => {
    const { sent, reporter, warnings, clock } = setUp();
    tell(reporter, story().slice(0, 3));
    await expect.poll(() => sent, { interval: 1 }).toHaveLength(1);
    const closed = reporter.close();
    clock.advance(3000);
    await closed;
    expect(warnings).toEqual(['3 plan events were never delivered to the webhook https://hooks.example.']);
    tell(reporter);
    await nextRound();
    expect(sent).toHaveLength(1);
  });

  test('over a real wire; a redirect is not followed, so that the token is sent nowhere else', async () => {
    const requests: { url: string; authorization: string | undefined }[] = [];
    const server = createServer((request: IncomingMessage, response) => {
      requests.push({ url: request.url ?? '', authorization: request.headers.authorization });
      request.resume();
      if (request.url === '/old') response.writeHead(302, { location: '/new' });
      response.end('x'.repeat(10));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const warnings: string[] = [];
    const reporterFor = (way: string) =>
      reporterTo(
        'webhook',
        { endpoint: `http://127.0.0.1:${port}${way}`, timeout: 20, auth_token: 't' },
        { fetch, warn: (message) => void warnings.push(message) },
      );
    for (const way of ['/right', '/old']) {
      const reporter = reporterFor(way);
      tell(reporter, story().slice(0, 1));
      await reporter.close();
    }
    expect(requests).toEqual([
      { url: '/right', authorization: 'Bearer t' },
      { url: '/old', authorization: 'Bearer t' },
    ]);
    expect(warnings.join()).toContain('status 302');
  });
});

test('several channels get the same event', async () => {
  const folder = temporaryFolder();
  const lines: string[] = [];
  const bodies: unknown[] = [];
  const reporter = reporterTo(
    ['console', 'file', 'webhook'],
    { base_path: folder, endpoint: 'http://localhost/' },
    {
      print: (line) => void lines.push(line),
      fetch: (_, options) => {
        bodies.push(options?.body);
        return Promise.resolve(new Response(''));
      },
    },
  );
  tell(reporter, story().slice(0, 1));
  await expect.poll(() => fs.existsSync(path.join(folder, 'latest.json')), { interval: 1 }).toBe(true);
  await reporter.close();
  expect([lines.length > 0, bodies.length]).toEqual([true, 1]);
});
