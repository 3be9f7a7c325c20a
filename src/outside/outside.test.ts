// The contract of every way to reach a person or program outside.
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import type { Json } from '../base/json.ts';
import { fakeClock, type FakeClock } from '../testing/fake-clock.ts';
import { files, writeJson } from './files.ts';
import type { Outside } from './outside.ts';
import { terminal } from './terminal.ts';
import { webhook } from './webhook.ts';

/** The other side: answers with a text, not at all, or is not there. */
type Behaviour = { readonly answers: string } | 'silent' | 'absent';

interface Reached {
  readonly outside: Outside;
  /** What has arrived there: texts of questions and notices. */
  readonly arrived: () => readonly string[];
}

const LIMIT_MS = 5000;

const ways: Readonly<Record<string, (behaviour: Behaviour, clock: FakeClock) => Promise<Reached> | Reached>> =
  {
    terminal(behaviour, clock) {
      const arrived: string[] = [];
      const port = {
        ask: (shown: string) => {
          arrived.push(shown);
          // It also ignores the signal.
          return typeof behaviour === 'object'
            ? Promise.resolve(behaviour.answers)
            : new Promise<never>(() => {});
        },
      };
      const print = (line: string) => {
        if (behaviour === 'absent') throw new Error('EPIPE');
        arrived.push(line);
      };
      const isThere = behaviour !== 'absent';
      return {
        outside: terminal({ port: isThere ? port : undefined, print, limitMs: LIMIT_MS, clock }),
        arrived: () => arrived,
      };
    },
    files(behaviour, clock) {
      const folder = path.join(
        temporaryFolder({ taken: 'a file' }),
        behaviour === 'absent' ? 'taken' : 'exchange',
      );
      const textsIn = (name: string) => {
        const inside = path.join(folder, name);
        const names = fs.existsSync(inside)
          ? fs.readdirSync(inside).filter((one) => one.endsWith('.json'))
          : [];
        // A file may be removed between the listing and the reading.
        return names.flatMap((one) => {
          try {
            return [fs.readFileSync(path.join(inside, one), 'utf8')];
          } catch {
            return [];
          }
        });
      };
      const seen = new Set<string>();
      const responder = setInterval(() => {
        for (const text of textsIn('requests')) {
          if (seen.has(text) || typeof behaviour === 'string') continue;
          seen.add(text);
          fs.writeFileSync(path.join(folder, 'responses', 'question-1.json'), behaviour.answers);
          clock.advance(100);
        }
      }, 1);
      onTestFinished(() => clearInterval(responder));
      return {
        outside: files({ folder, limitMs: LIMIT_MS, pollMs: 100, maxReads: 1, clock }),
        arrived: () => [
          ...seen,
          ...(behaviour === 'absent' ? [] : [...textsIn('requests'), ...textsIn('results')]),
        ],
      };
    },
    async webhook(behaviour, clock) {
      const arrived: string[] = [];
      const server = http.createServer((request, response) => {
        let body = '';
        request.setEncoding('utf8').on('data', (text: string) => (body += text));
        request.on('end', () => {
          arrived.push(body);
          if (typeof behaviour === 'object') response.end(behaviour.answers);
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const close = () => {
        server.closeAllConnections();
        server.close();
      };
      onTestFinished(close);
      // It listens on a port.
      const { port } = server.address() as AddressInfo;
      if (behaviour === 'absent') close();
      const endpoint = `http://127.0.0.1:${port}/hook?key=hidden`;
      return {
        outside: webhook({ endpoint, limitMs: LIMIT_MS, token: 'hidden' }, { fetch, clock }),
        arrived: () => arrived,
      };
    },
  };

const question = {
  id: 'question-1',
  body: { text: 'Which?' },
  readAnswer(value: Json): string {
    if (typeof value !== 'string') throw new Error('the answer is not a text');
    return value;
  },
  async dialog(readLine: (shown: string, prompt: string) => Promise<string | undefined>): Promise<string> {
    const typed = await readLine('Which?', '> ');
    return question.readAnswer(JSON.parse(typed ?? 'null') as Json);
  },
};

const notice = {
  lines: () => ['Done.'],
  body: { text: 'Done.' },
  write: (folder: string) => writeJson(path.join(folder, 'results', 'latest.json'), { text: 'Done.' }),
};

const { signal } = new AbortController();

describe.each(Object.entries(ways))('%s', (_, reach) => {
  test('a question reaches the other side, and its answer comes back', async () => {
    const { outside, arrived } = await reach({ answers: '"this one"' }, fakeClock());
    expect(await outside.ask(question, signal)).toEqual({ kind: 'answered', answer: 'this one' });
    expect(arrived().join()).toContain('Which?');
  });

  test.each(['42', '{"text":', ''])('%j is not an answer', async (answers) => {
    const { outside } = await reach({ answers }, fakeClock());
    expect(await outside.ask(question, signal)).toMatchObject({ kind: 'failed' });
  });

  test('without an answer the question ends at the time limit', async () => {
    const clock = fakeClock();
    const { outside, arrived } = await reach('silent', clock);
    const asked = outside.ask(question, signal);
    await expect.poll(arrived, { interval: 1 }).not.toEqual([]);
    clock.advance(LIMIT_MS);
    expect(await asked).toEqual({ kind: 'late' });
    expect(clock.waiting).toBe(0);
  });

  test('a question can be withdrawn before and after it was sent', async () => {
    const clock = fakeClock();
    const { outside, arrived } = await reach('silent', clock);
    expect(await outside.ask(question, AbortSignal.abort())).toEqual({ kind: 'withdrawn' });
    expect(arrived()).toEqual([]);
    const caller = new AbortController();
    const asked = outside.ask(question, caller.signal);
    await expect.poll(arrived, { interval: 1 }).not.toEqual([]);
    caller.abort();
    expect(await asked).toEqual({ kind: 'withdrawn' });
    expect(clock.waiting).toBe(0);
  });

  test('a notice is delivered', async () => {
    const { outside, arrived } = await reach({ answers: '' }, fakeClock());
    expect(await outside.notify(notice, signal)).toEqual({ kind: 'sent' });
    expect(arrived().join()).toContain('Done.');
  });

  test('failures have a reason, which holds no secret, and nothing is thrown', async () => {
    const { outside } = await reach('absent', fakeClock());
    const asked = await outside.ask(question, signal);
    const sent = await outside.notify(notice, signal);
    expect([asked, sent]).toMatchObject([{ kind: 'failed' }, { kind: 'failed' }]);
    expect(JSON.stringify([asked, sent, outside.name])).not.toContain('hidden');
  });
});
