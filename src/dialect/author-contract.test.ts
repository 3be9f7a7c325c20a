// One contract that the two ends of every dialect keep with each other.
import { describe, expect, onTestFinished, test } from 'vitest';
import { authorDialects } from './authors.ts';
import { gassistAuthor } from './gassist/author.ts';
import { gassist } from './gassist/host.ts';
import { gevalsAuthor } from './gevals/author.ts';
import { gevals } from './gevals/host.ts';
import { hostDialects } from './hosts.ts';
import { mcpAuthor } from './mcp/author.ts';
import { mcp } from './mcp/host.ts';
import { plannerAuthor } from './planner/author.ts';
import { planner } from './planner/host.ts';
import { yamsAuthor } from './yams/author.ts';
import { yams } from './yams/host.ts';
import { systemClock } from '../base/clock.ts';
import { deferred } from '../base/async.ts';
import { isJsonArray, isJsonObject, textsIn, type JsonObject } from '../base/json.ts';
import { linkedPipes } from '../channel/bytes/stream-pipe.ts';
import type { ServedPort } from '../definition/plugin-port.ts';
import { definePlugin } from '../definition/define-plugin.ts';
import type { Definition } from '../definition/definition.ts';
import { fail } from '../definition/failure.ts';
import { result, type CallEvent } from '../definition/outcome.ts';
import { runDefinition } from '../definition/run/run-definition.ts';
import type { AuthorDialect, Served } from './author-dialect.ts';
import { toolResult } from './mcp/server-tools.ts';
import type { HostDialect, WirePort } from './host-dialect.ts';
import { callAndHear, hear, recordingServices, type Told } from '../../test/support/dialect/dialect-host.ts';

/** What an author may fail with. */
const neutralCodes = [
  'INTERNAL',
  'INVALID_ARGUMENTS',
  'NOT_INITIALIZED',
  'RATE_LIMITED',
  'REQUIREMENT_MISSING',
  'TIMEOUT',
  'TOOL_FAILED',
  'UNAUTHENTICATED',
  'UNAVAILABLE',
  'UNSUPPORTED',
] as const;

const careful = [{ kind: 'log', level: 'warn', message: 'careful' }] as const;

const kits: Readonly<Record<string, EndsKit>> = {
  gassist: {
    host: gassist,
    author: gassistAuthor,
    early: 'one two',
    whole: 'one\ntwo\nthree',
    logged: careful,
    cancels: 'occupied',
    data: { text: '{"count":3,"name":"x"}' },
    outputs: {},
    codes: ['INTERNAL', 'INVALID_ARGUMENTS', 'RATE_LIMITED', 'TIMEOUT', 'TOOL_FAILED'],
  },
  gevals: {
    host: gevals,
    author: gevalsAuthor,
    early: 'one two',
    whole: 'one\ntwo\nthree',
    logged: careful,
    cancels: 'occupied',
    data: { outputs: { count: '3', name: 'x' } },
    outputs: { outputs: { path: '/tmp/x' } },
    codes: neutralCodes,
  },
  mcp: {
    host: mcp,
    author: mcpAuthor,
    early: 'one two',
    whole: 'one\ntwo\nthree',
    logged: careful,
    cancels: 'free',
    data: { data: { count: 3, name: 'x' } },
    outputs: {},
    codes: neutralCodes,
  },
  planner: {
    host: planner,
    author: plannerAuthor,
    early: 'one two',
    whole: 'one\ntwo\nthree',
    logged: [],
    cancels: 'occupied',
    data: { data: { count: 3, name: 'x' } },
    outputs: {},
    codes: neutralCodes,
  },
  yams: {
    host: yams,
    author: yamsAuthor,
    early: '',
    whole: 'one\ntwo\nthree',
    logged: [],
    cancels: 'occupied',
    data: { data: { count: 3, name: 'x' } },
    outputs: {},
    codes: neutralCodes,
  },
};

test('every dialect has both ends', () => {
  expect(Object.keys(authorDialects).sort()).toEqual(Object.keys(hostDialects).sort());
});

describe.each(Object.keys(hostDialects))('%s', (name) => {
  const kit = kits[name];
  if (kit === undefined) throw new Error(`${name} needs a kit here, so that the contract is held.`);
  endsContract(kit);
});

// What every dialect's author end promises to our own host end of that dialect: one definition, both ends, real bytes between them.

/** Both ends of a dialect, and how it says what others say otherwise. */
interface EndsKit {
  readonly host: HostDialect;
  readonly author: AuthorDialect;
  /** What is heard of `one` and `two` before the end: nothing where streams come with it. */
  readonly early: '' | 'one two';
  /** The whole text of a call that streamed them and ended with `three`. */
  readonly whole: string;
  /** What is heard of a warning `careful`. */
  readonly logged: readonly { readonly kind: 'log'; readonly level: 'warn'; readonly message: 'careful' }[];
  readonly cancels: 'free' | 'occupied';
  /** What becomes of `{ count: 3, name: 'x' }`. */
  readonly data: object;
  /** What becomes of the output `path`. */
  readonly outputs: object;
  /** The neutral codes that survive both translations. */
  readonly codes: readonly string[];
}

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

function endsContract(kit: EndsKit): void {
  const { host, author } = kit;

  test('introduces itself: who it is and what it can', async () => {
    const { end } = await open(plugin());
    expect(end.manifest).toMatchObject({ dialect: host.name, version: '1.2.3' });
    expect(end.manifest.name.replaceAll('-', '_')).toBe('contract_plugin');
    expect(end.manifest.tools).toContainEqual(
      expect.objectContaining({ name: 'echo', description: 'Gives back what it gets' }),
    );
  });

  test('answers a call, whatever characters are in it', async () => {
    const { end } = await open(plugin());
    const said = 'Grüße, 世界 😀 "quoted" \\ \n\t\u0001\u2028 {"jsonrpc":"2.0"}';
    expect(await call(end, 'echo', { text: said })).toMatchObject({ ok: true, text: said });
  });

  test('gives each of many calls its own answer', async () => {
    const { end } = await open(plugin());
    const numbers = Array.from(
      { length: host.traits.concurrency === 1 ? 1 : 100 },
      (_, index) => `n${index}`,
    );
    const answers = await Promise.all(numbers.map((number) => call(end, 'echo', { text: number })));
    expect(answers.map((answer) => answer.text)).toEqual(numbers);
  });

  test('what is streamed arrives in its order, before the end where the dialect can', async () => {
    const goOn = deferred<void>();
    const { end } = await open(
      plugin({
        count: {
          input: { type: 'object' },
          async *handler() {
            yield 'one\n';
            yield 'two\n';
            await goOn.promise;
            return 'three';
          },
        },
      }),
    );
    const { events, answer } = callAndHear(end, { tool: 'count' });
    await expect.poll(() => streamed(events)).toBe(kit.early);
    goOn.resolve();
    expect(await answer).toMatchObject({ ok: true, text: kit.whole });
    expect(streamed(events)).toBe(kit.early);
  });

  test('what is logged belongs to its call, where the dialect has logs', async () => {
    const { end } = await open(
      plugin({
        chatty: {
          handler: (
            _: JsonObject,
            context: { log(level: 'warn', message: string, data: JsonObject): void },
          ) => {
            context.log('warn', 'careful', { why: 7 });
            return 'done';
          },
        },
      }),
    );
    const { events, answer } = callAndHear(end, { tool: 'chatty' });
    expect(await answer).toMatchObject({ ok: true, text: 'done' });
    expect(events).toMatchObject(kit.logged);
  });

  test('data comes back', async () => {
    const { end } = await open(plugin({ facts: { handler: () => ({ count: 3, name: 'x' }) } }));
    expect(await call(end, 'facts')).toMatchObject({ ok: true, ...kit.data });
  });

  test('a failure keeps its words, and its code where the dialect has one for it', async () => {
    const { end } = await open(
      plugin({
        failing: {
          input: text,
          handler: ({ text: wanted }) => {
            const code = neutralCodes.find((known) => known === wanted) ?? 'INTERNAL';
            return fail({ code, message: `It is ${code}.` });
          },
        },
      }),
    );
    const kept: string[] = [];
    for (const code of neutralCodes) {
      const answer = await call(end, 'failing', { text: code });
      expect(answer).toMatchObject({
        ok: false,
        error: { message: expect.stringContaining(`It is ${code}.`) as string },
      });
      if (!answer.ok && answer.error.code === code) kept.push(code);
    }
    expect(kept).toEqual(kit.codes);
  });

  test('what a failure suggests is told once: to our host apart, to others in the text', async () => {
    const failure = {
      message: 'Nobody has an empty name.',
      suggestions: ['Give a name.', 'Or ask for one.'],
    };
    const { end } = await open(plugin({ failing: { handler: () => fail(failure) } }));
    const answer = await call(end, 'failing');
    expect(answer).toMatchObject({ ok: false, error: failure });
    expect(answer).not.toHaveProperty('text');
    const passedOn = textOf(toolResult(answer, undefined));
    expect(passedOn).toBe('Nobody has an empty name. (Give a name.; Or ask for one.)');
  });

  test('what throws fails its call with its message, and the plugin lives on', async () => {
    const { end } = await open(
      plugin({
        throwing: {
          handler: () => {
            throw new TypeError('a bug of the author');
          },
        },
      }),
    );
    const answer = await call(end, 'throwing');
    expect(answer).toMatchObject({ ok: false });
    expect(JSON.stringify(answer)).toContain('a bug of the author');
    expect(JSON.stringify(answer)).not.toContain('author-contract.ts');
    expect(await call(end, 'echo', { text: 'alive' })).toMatchObject({ ok: true, text: 'alive' });
  });

  test('an unknown tool is refused by its name', async () => {
    const { end } = await open(plugin());
    const answer = await call(end, 'ecko', { text: 'x' });
    expect(answer).toMatchObject({ ok: false, error: { code: 'UNKNOWN_TOOL' } });
    expect(JSON.stringify(answer)).toContain('ecko');
  });

  test('arguments that do not fit are refused in words that help', async () => {
    const { end } = await open(plugin());
    for (const args of [{}, { text: 7 }]) {
      const answer = await call(end, 'echo', args);
      expect(answer).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
      expect(JSON.stringify(answer)).toContain('text');
    }
  });

  test('a call that never ends is ended by the time limit of its tool', async () => {
    const { end } = await open(plugin({ endless: { timeoutMs: 20, handler: () => new Promise(() => {}) } }));
    const answer = await call(end, 'endless');
    expect(answer).toMatchObject({ ok: false });
    expect(JSON.stringify(answer)).toContain('longer');
    expect(await call(end, 'echo', { text: 'alive' })).toMatchObject({ ok: true, text: 'alive' });
  });

  test('signs of life come while a call runs', async () => {
    const release = deferred<string>();
    const { end } = await open(plugin({ slow: { handler: () => release.promise } }));
    const { answer } = callAndHear(end, { tool: 'slow' });
    await end.ping?.(30_000);
    await end.health?.(30_000);
    release.resolve('slow but sure');
    expect(await answer).toMatchObject({ ok: true, text: 'slow but sure' });
  });

  test('a call that is given up has its signal fired, where the dialect can say so', async () => {
    const started = deferred<void>();
    const over = deferred<string>();
    const { end } = await open(
      plugin({
        waiting: {
          handler: (_, { signal }) => {
            signal.addEventListener('abort', () => over.resolve('given up'));
            started.resolve();
            return over.promise;
          },
        },
      }),
    );
    const { wireCall, answer } = callAndHear(end, { tool: 'waiting' });
    await started.promise;
    expect(wireCall.cancel('No longer needed.')).toBe(kit.cancels);
    if (kit.cancels === 'occupied') over.resolve('finished');
    expect(await over.promise).toBe(kit.cancels === 'occupied' ? 'finished' : 'given up');
    expect((await answer).ok).toBe(kit.cancels === 'occupied');
    expect(await call(end, 'echo', { text: 'alive' })).toMatchObject({ ok: true });
  });

  test('a goodbye takes it down, and it is over with 0', async () => {
    const steps: string[] = [];
    const { end, served } = await open({
      ...plugin(),
      setup: () => void steps.push('setup'),
      teardown: () => void steps.push('teardown'),
    });
    await call(end, 'echo', { text: 'x' });
    await end.shutdown(30_000);
    end.close();
    expect(await served.over).toEqual({ exitCode: 0 });
    expect(steps).toEqual(['setup', 'teardown']);
  });

  test.each([
    ['closed', 'Plugin "contract_plugin" ends.'],
    ['taken down and closed', 'Out of order.'],
  ])('%s by its own side, it answers what runs first', async (how, said) => {
    const started = deferred<void>();
    const { end, served, backend } = await open(
      plugin({
        hang: {
          handler: () => {
            started.resolve();
            return new Promise(() => {});
          },
        },
      }),
    );
    const { answer } = callAndHear(end, { tool: 'hang' });
    await started.promise;
    if (how !== 'closed') await backend.teardown({ code: 'INTERNAL', message: said });
    served.close();
    const told = await answer;
    expect(told).toMatchObject({ ok: false });
    expect(told.ok ? '' : told.error.message).toContain(said);
    expect(await served.over).toEqual({ exitCode: 0 });
  });

  test('a host that goes away without a word is no reason to stay', async () => {
    const { end, served } = await open(plugin());
    end.close();
    expect(await served.over).toEqual({ exitCode: 0 });
  });

  test('text and data of any size that fits come whole', async () => {
    const { end } = await open(plugin());
    const long = 'lorem ipsum '.repeat(4000);
    expect((await call(end, 'echo', { text: long })).text).toBe(long);
  });

  test('what a result says beside its text is kept where there is a place for it', async () => {
    const { end } = await open(
      plugin({ rich: { handler: () => result({ text: 'done', outputs: { path: '/tmp/x' } }) } }),
    );
    const answer = await call(end, 'rich');
    expect(answer).toMatchObject({ ok: true, ...kit.outputs });
    expect(answer.text).toContain('done');
  });

  test('a session goes on until an answer comes that keeps it no longer', async () => {
    const { end } = await open(talkative());
    expect(await call(end, 'chat')).toEqual({ ok: true, text: 'Who?', keepSession: true });
    expect(await say(end, 'Ada')).toMatchObject({ ok: true, text: 'Ada, go on.', keepSession: true });
    const last = await say(end, 'bye');
    expect(last).toMatchObject({ ok: true, text: 'So long.' });
    expect(last.keepSession).not.toBe(true);
    expect(await say(end, 'again')).toMatchObject({ ok: false, error: { code: 'NOT_TALKING' } });
  });

  test('what keeps a session says its data as well, and may fail', async () => {
    const { end } = await open(talkative());
    const answer = await call(end, 'ask');
    expect(answer).toMatchObject({ ok: true, keepSession: true, ...kit.data });
    expect(await say(end, 'oops')).toMatchObject({
      ok: false,
      keepSession: true,
      error: { message: expect.stringContaining('Once more.') as string },
    });
    expect(await say(end, 'Ada')).toMatchObject({ ok: true, keepSession: true });
  });

  test('nobody is talked to before a tool has asked for it, nor after another was called', async () => {
    const { end } = await open(talkative());
    expect(await say(end, 'hello?')).toMatchObject({ ok: false, error: { code: 'NOT_TALKING' } });
    await call(end, 'chat');
    expect(await call(end, 'echo', { text: 'between' })).toMatchObject({ ok: true, text: 'between' });
    expect(await say(end, 'Ada')).toMatchObject({ ok: false, error: { code: 'NOT_TALKING' } });
    await call(end, 'chat');
    expect(await say(end, 'Ada')).toMatchObject({ ok: true, keepSession: true });
  });

  test('a tool of its own may have the name under which others are talked to', async () => {
    const { end } = await open(
      talkative({ say: { handler: () => 'said' }, say_2: { handler: () => 'too' } }),
    );
    await call(end, 'chat');
    expect(await say(end, 'Ada')).toMatchObject({ ok: true, text: 'Ada, go on.' });
    expect(await call(end, 'say')).toMatchObject({ ok: true, text: 'said' });
    expect(await call(end, 'say_2')).toMatchObject({ ok: true, text: 'too' });
  });

  test('who takes part in no conversation offers none', async () => {
    const { end } = await open(plugin());
    expect(end.manifest.tools.filter(({ name, facet }) => name === 'say' || facet === 'talk')).toEqual([]);
    // An engine of G-Assist offers it to all: what a plugin says of itself does not rule it out.
    expect(end.talk !== undefined).toBe(host.name === 'gassist');
  });

  async function open(
    definition: Definition,
  ): Promise<{ end: WirePort; served: Served; backend: ServedPort; told: Told }> {
    const [hostPipe, authorPipe] = linkedPipes();
    const surroundings = {
      clock: systemClock,
      dataFolder: () => '.',
      hasCommand: () => true,
      readFile: () => Promise.reject(new Error('There is no file.')),
      log: () => {},
    };
    const backend = runDefinition(definition, surroundings);
    const served = author.serve(authorPipe, backend, { clock: systemClock, print: () => {} });
    const { services, told } = recordingServices();
    const start = { kind: 'program', command: 'in-this-process' } as const;
    const end = await host.connect(hostPipe, { name: 'the-plugin', start }, services);
    onTestFinished(async () => {
      end.close();
      await served.over;
    });
    return { end, served, backend, told };
  }
}

/** What an MCP client reads. */
function textOf({ content }: JsonObject): string {
  const parts = isJsonArray(content) ? content : [];
  return parts.flatMap((part) => (isJsonObject(part) ? textsIn([part['text'] ?? '']) : [])).join('\n');
}

function plugin(tools: Parameters<typeof definePlugin>[0]['tools'] = {}): Definition {
  return definePlugin({
    name: 'contract_plugin',
    version: '1.2.3',
    description: 'Does what the contract asks for',
    tools: {
      echo: {
        description: 'Gives back what it gets',
        input: text,
        handler: ({ text: said }) => said,
      },
      ...tools,
    },
  });
}

/** It goes on until it hears `bye`. */
function talkative(tools: Parameters<typeof definePlugin>[0]['tools'] = {}): Definition {
  return {
    ...plugin({
      chat: { handler: () => result({ text: 'Who?', keepSession: true }) },
      ask: {
        handler: (_: JsonObject, { keepSession }: { keepSession: () => void }) => {
          keepSession();
          return { count: 3, name: 'x' };
        },
      },
      ...tools,
    }),
    onInput(content, { keepSession }) {
      if (content === 'bye') return 'So long.';
      if (content === 'oops') fail({ message: 'Once more.', partial: { keepSession: true } });
      keepSession();
      return `${content}, go on.`;
    },
  };
}

async function say(end: WirePort, content: string) {
  const { talk } = end;
  if (talk === undefined) throw new Error('It does not talk.');
  return hear((sink) => talk.input(content, sink)).answer;
}

function call(end: WirePort, tool: string, args: JsonObject = {}) {
  return callAndHear(end, { tool, args }).answer;
}

/** The words that were streamed, as text or as what stands for it: some dialects pass on whole lines alone. */
function streamed(events: readonly CallEvent[]): string {
  return events
    .map((event) => (event.kind === 'text' ? event.text : (event.message ?? '')).trim())
    .filter((said) => said !== '')
    .join(' ');
}
