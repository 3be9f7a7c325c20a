// Calls that somebody has to allow, tools that have to be searched for, and clients beside each other.
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { definePlugin } from '../../src/definition/define-plugin.ts';
import type { LimitTable } from '../../src/gate/limits/limit-options.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { policyOf } from '../support/gate/policy.ts';
import { ask, fakePolicy } from '../support/gate/gate.ts';
import {
  connectClient,
  connectOverPipe,
  testEndpoint,
  type ClientSetup,
  type TestEndpoint,
} from '../support/surface/mcp-endpoint.ts';

const plugin = definePlugin({
  name: 'files',
  version: '1.0.0',
  tools: {
    remove: {
      input: { type: 'object', properties: { path: { type: 'string' } } },
      describe: ({ path }) => ({ summary: `Removes ${String(path)}.\u001b[2J` }),
      handler: ({ path }) => `removed ${String(path)}`,
    },
    count: {
      async *handler({ from }: { from?: unknown }) {
        for (let n = 0; n < 5; n += 1) {
          yield `${String(from)}${n} `;
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    },
  },
  commands: { clean: { handler: () => 'clean' } },
});

type Connect = (at: TestEndpoint, setup?: ClientSetup) => Promise<Client>;

const ways: readonly (readonly [string, Connect])[] = [
  ['HTTP before 2026', (at, setup) => connectClient(at.url, setup)],
  ['HTTP since 2026', (at, setup) => connectClient(at.url, { era: 'modern', ...setup })],
  ['a pipe before 2026', (at, setup) => connectOverPipe(at.endpoint, setup)],
  ['a pipe since 2026', (at, setup) => connectOverPipe(at.endpoint, { era: 'modern', ...setup })],
];

const forms = { capabilities: { elicitation: { form: {} } } };

describe.each(ways)('approval over %s', (way, connect) => {
  const asking = (at: TestEndpoint, answer: object, asked: string[] = []) =>
    connect(at, forms).then((client) => {
      client.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(`${params.message}\n${JSON.stringify(params)}`);
        return answer as { action: 'accept' };
      });
      return client;
    });

  it('the user of the client is shown what would happen, and allows it', async () => {
    const asked: string[] = [];
    const at = await testEndpoint({ definitions: [plugin], policy: fakePolicy(ask) });
    const client = await asking(at, { action: 'accept', content: { decision: 'allow' } }, asked);
    const result = await client.callTool({ name: 'remove', arguments: { path: '/tmp/x' } });
    expect(result.content).toEqual([{ type: 'text', text: 'removed /tmp/x' }]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('remove(path=');
    expect(asked[0]).toContain('no rule names it');
    expect(asked[0]).not.toContain('\u001b');
  });

  it.each([
    [
      'denies it',
      { action: 'accept', content: { decision: 'deny', comment: 'Not that one.' } },
      'Not that one.',
    ],
    ['declines', { action: 'decline' }, 'not allowed'],
    ['says nothing clear', { action: 'accept', content: { decision: 'maybe' } }, 'not allowed'],
    ['cancels', { action: 'cancel', content: { decision: 'allow' } }, 'not allowed'],
  ])('a user who %s is obeyed', async (_, answer, words) => {
    const at = await testEndpoint({ definitions: [plugin], policy: fakePolicy(ask) });
    const client = await asking(at, answer);
    const result = await client.callTool({ name: 'remove', arguments: { path: '/tmp/x' } });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain(words);
  });

  it('a yes for the connection holds there, for the same arguments, and nowhere else', async () => {
    const asked: string[] = [];
    const policy = { ...fakePolicy(), ...policyOf({ defaultPolicy: 'ask' }) };
    const at = await testEndpoint({ definitions: [plugin], policy });
    const lasts = !way.includes('HTTP since');
    const decision = lasts ? 'allow for this connection' : 'allow';
    const client = await asking(at, { action: 'accept', content: { decision } }, asked);
    const remove = (path: string) => client.callTool({ name: 'remove', arguments: { path } });
    await remove('a');
    await remove('a');
    expect(asked).toHaveLength(lasts ? 1 : 2);
    await remove('b');
    expect(asked).toHaveLength(lasts ? 2 : 3);
    expect(asked[0]?.includes('allow for this connection')).toBe(lasts);
    expect(asked[0]?.includes('over this connection')).toBe(lasts);
    const other = await asking(at, { action: 'decline' });
    expect((await other.callTool({ name: 'remove', arguments: { path: 'a' } })).isError).toBe(true);
  });

  it('commands are asked about too', async () => {
    const at = await testEndpoint({ definitions: [plugin], policy: fakePolicy(ask) });
    const client = await asking(at, { action: 'accept', content: { decision: 'allow' } });
    const { messages } = await client.getPrompt({ name: 'clean' });
    expect(messages[0]?.content).toMatchObject({ text: 'clean' });
  });

  it('a client without forms leaves it to whoever else can be asked, else it is denied', async () => {
    const approver = {
      ask: () => Promise.resolve({ kind: 'allow', scope: 'once', by: 'somebody' } as const),
    };
    const at = await testEndpoint({ definitions: [plugin], policy: fakePolicy(ask), gate: { approver } });
    expect((await (await connect(at)).callTool({ name: 'remove', arguments: {} })).isError).toBeUndefined();
    const alone = await testEndpoint({ definitions: [plugin], policy: fakePolicy(ask) });
    const denied = await (await connect(alone)).callTool({ name: 'remove', arguments: {} });
    expect(JSON.stringify(denied.content)).toContain('no one can be asked');
  });
});

it('a profile can keep its clients from allowing anything', async () => {
  const at = await testEndpoint({
    definitions: [plugin],
    policy: fakePolicy(ask),
    profiles: { strict: { approvals: false } },
  });
  const client = await connectClient(new URL('?profile=strict', at.url), forms);
  client.setRequestHandler('elicitation/create', () => ({
    action: 'accept',
    content: { decision: 'allow' },
  }));
  expect((await client.callTool({ name: 'remove', arguments: {} })).isError).toBe(true);
});

it('who brings back an answer for a call that is not theirs is refused', async () => {
  const at = await testEndpoint({ definitions: [plugin], policy: fakePolicy(ask), profiles: { other: {} } });
  const client = await connectClient(at.url, {
    era: 'modern',
    ...forms,
    inputRequired: { autoFulfill: false },
  });
  const params = { name: 'remove', arguments: { path: 'x' } };
  const first = (await client.callTool(params, { allowInputRequired: true })) as unknown as {
    requestState: string;
    inputRequests: object;
  };
  const [question] = Object.keys(first.inputRequests);
  const inputResponses = { [question ?? '']: { action: 'accept', content: { decision: 'allow' } } };
  const again = { ...params, inputResponses, requestState: first.requestState };
  const stranger = await connectClient(new URL('?profile=other', at.url), { era: 'modern', ...forms });
  await expect(stranger.callTool(again)).rejects.toThrow(/over, or was not made here/);
  const made = { ...again, requestState: 'made-up' };
  await expect(client.callTool(made)).rejects.toThrow(/over, or was not made here/);
  expect((await client.callTool(again)).content).toEqual([{ type: 'text', text: 'removed x' }]);
  await expect(client.callTool(again)).rejects.toThrow(/over, or was not made here/);
});

it.each([ways[1], ways[3]].flatMap((way) => (way === undefined ? [] : [way])))(
  'questions that nobody answers do not use up what a client may have open, over %s',
  async (_, connect) => {
    const clock = fakeClock();
    const limits = { sessionCalls: 2, profileCalls: 2, answerMs: 1000 };
    const at = await testEndpoint({ definitions: [plugin], policy: fakePolicy(ask), clock, limits });
    const client = await connect(at, { ...forms, inputRequired: { autoFulfill: false } });
    const call = () =>
      client.callTool({ name: 'remove', arguments: { path: 'x' } }, { allowInputRequired: true });
    for (let time = 0; time < 3; time += 1) {
      for (let left = 0; left < 2; left += 1) expect(await call()).toHaveProperty('requestState');
      expect(JSON.stringify(await call())).toContain('2 calls of');
      clock.advance(1000);
      // They are cancelled by now, and hear of it in a moment.
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
);

describe('many tools', () => {
  const many = definePlugin({
    name: 'many',
    version: '1.0.0',
    tools: Object.fromEntries(
      Array.from({ length: 120 }, (_, n) => [
        `tool_${n}`,
        {
          description: n === 77 ? 'Translates a text into Latin.' : `Does the ${n}th thing.`,
          handler: () => `did ${n}`,
        },
      ]),
    ),
  });

  it('are searched for instead of listed, and called by what was found', async () => {
    const client = await connectClient((await testEndpoint({ definitions: [many] })).url);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'call_tool']);
    const found = await client.callTool({
      name: 'search_tools',
      arguments: { query: 'latin translation text', limit: 3 },
    });
    expect(found.structuredContent).toMatchObject({
      tools: [{ name: 'many__tool_77', inputSchema: { type: 'object' } }],
      of: 120,
    });
    const result = await client.callTool({
      name: 'call_tool',
      arguments: { name: 'many__tool_77', arguments: {} },
    });
    expect(result.content).toEqual([{ type: 'text', text: 'did 77' }]);
    await expect(client.callTool({ name: 'call_tool', arguments: { name: 'tool_999' } })).rejects.toThrow(
      /tool_999/,
    );
  });

  it('are listed where the profile says so, in pages that the client joins', async () => {
    const profiles = {
      whole: { search: false },
      some: { tools: ['tool_1*'], search: 100 },
      few: { tools: ['tool_77'], search: true },
    };
    const at = await testEndpoint({ definitions: [many], profiles });
    const listed = async (profile: string) =>
      (await (await connectClient(new URL(`?profile=${profile}`, at.url))).listTools()).tools.length;
    expect(await listed('whole')).toBe(120);
    expect(await listed('some')).toBe(31);
    expect(await listed('few')).toBe(2);
  });
});

it.each(['legacy', 'modern'] as const)('two clients do not hear each other, in the %s era', async (era) => {
  const { url } = await testEndpoint({ definitions: [plugin] });
  const heard = async (from: string) => {
    const client = await connectClient(url, { era, name: from });
    const texts: string[] = [];
    const calls = Array.from({ length: 5 }, () =>
      client.callTool(
        { name: 'count', arguments: { from } },
        { onprogress: ({ message = '' }) => void texts.push(message) },
      ),
    );
    const results = await Promise.all(calls);
    for (const { content } of results)
      expect(content).toEqual([{ type: 'text', text: [0, 1, 2, 3, 4].map((n) => `${from}${n} `).join('') }]);
    return texts.join('');
  };
  const [a, b] = await Promise.all([heard('a'), heard('b')]);
  expect(a).toMatch(/^(?:a\d )+$/);
  expect(b).toMatch(/^(?:b\d )+$/);
});

it('limits of the gate hold for each connection by itself, where clients have one', async () => {
  const { busy, other } = await twoClients('legacy', { session: 2 });
  expect([await isRefused(busy), await isRefused(busy), await isRefused(busy)]).toEqual([false, false, true]);
  expect(await isRefused(other)).toBe(false);
});

it.each(['legacy', 'modern'] as const)(
  'limits of the gate for a caller hold for all with one token, whatever they call themselves, in the %s era',
  async (era) => {
    const { busy, other } = await twoClients(era, { caller: 2 });
    expect([await isRefused(busy), await isRefused(other), await isRefused(busy)]).toEqual([
      false,
      false,
      true,
    ]);
    expect(await isRefused(other)).toBe(true);
  },
);

async function twoClients(era: 'legacy' | 'modern', perMinute: LimitTable) {
  const { url } = await testEndpoint({ definitions: [plugin], gate: { limits: { perMinute } } });
  const busy = await connectClient(url, { era, name: 'busy' });
  const other = await connectClient(url, { era, name: 'other' });
  return { busy, other };
}

async function isRefused(client: Client): Promise<boolean> {
  return (await client.callTool({ name: 'remove', arguments: {} })).isError ?? false;
}
