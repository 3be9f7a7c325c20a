// No line of 65,536 bytes or more is ever sent, whatever a call brings along.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callAndHear } from '../../../test/support/dialect/dialect-host.ts';
import { introducedTo, plainManifest } from '../../../test/support/dialect/gevals/host-end.ts';
import { fitParams, LINE_LIMIT, sizeOf } from './line-limit.ts';
import type { AgentContext, ExecuteParams } from './schema.ts';

describe('a call that makes too long a line', () => {
  test('is not sent when it is the arguments that are long: the error names size and way out', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const { answer, wireCall } = callAndHear(end, {
      tool: 'apply',
      args: { text: 'x'.repeat(70_000) },
      context: { workdir: '/' },
      timeoutMs: Infinity,
    });
    expect(await answer).toEqual({
      ok: false,
      error: {
        code: 'FRAME_TOO_LARGE',
        message:
          'Operation "apply" of plugin "the-plugin" was not run: its arguments and context take 70082 bytes, and an extension of gevals reads lines of up to 65535 bytes. Put what is large into a file and pass its path.',
      },
    });
    expect(wireCall.cancel('over')).toBe('free');
    expect(raw.received).toHaveLength(1);
  });

  // requirement: gevals:scope:no-binary-data
  test('goes through with the path of a file instead', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const { answer } = callAndHear(end, { tool: 'apply', args: { file: 'large.bin' } });
    raw.answer((await raw.nextRequest()).id, { success: true });
    expect(await answer).toEqual({ ok: true });
  });

  test('is sent with a shorter agent.output, which says so, and the caller is told', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const output = `first words ${'x'.repeat(100_000)} last words`;
    const { answer, events } = callAndHear(end, {
      tool: 'apply',
      context: { workdir: '/', agent: { prompt: 'Do it', output } },
    });
    const request = (await raw.nextRequest()) as unknown as { id: number; params: ExecuteParams };
    const sent = request.params.context.agent;
    expect(sent?.prompt).toBe('Do it');
    expect(sent?.output).toMatch(
      /^first words x+ \[… 100023 characters were too many for one line; some are left out here …\] x+ last words$/,
    );
    expect(sizeOf(request)).toBeLessThanOrEqual(LINE_LIMIT);
    expect(sizeOf(request)).toBeGreaterThan(LINE_LIMIT - 100);
    raw.answer(request.id, { success: true });
    expect(await answer).toEqual({ ok: true });
    expect(events).toEqual([
      {
        kind: 'log',
        level: 'warn',
        message: `agent.output was shortened from 100023 to ${sizeOf(sent?.output) - 2} bytes: an extension reads lines of up to 65535 bytes.`,
      },
    ]);
  });

  test('is sent with a shorter agent.prompt too where that is needed', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const agent = { prompt: 'p'.repeat(200_000), output: 'o'.repeat(200_000) };
    const { events } = callAndHear(end, { tool: 'apply', context: { phase: 'verify', agent } });
    const request = await raw.nextRequest();
    expect(sizeOf(request)).toBeLessThanOrEqual(LINE_LIMIT);
    expect(request).toHaveProperty(
      'params.context.agent.prompt',
      expect.stringMatching(/^p+ \[… 200000 .* …\] p+$/),
    );
    expect(request).toHaveProperty(
      'params.context.agent.output',
      expect.stringMatching(/^ \[… 200000 .* …\] $/),
    );
    expect(events).toHaveLength(2);
  });

  test('is not sent when shortening does not help', async () => {
    const { end, raw } = await introducedTo(plainManifest);
    const agent = { prompt: 'p'.repeat(1000), output: 'o'.repeat(1000) };
    const args = { text: 'x'.repeat(70_000) };
    const { answer, events } = callAndHear(end, { tool: 'apply', args, context: { agent } });
    expect(await answer).toMatchObject({ ok: false, error: { code: 'FRAME_TOO_LARGE' } });
    expect(events).toEqual([]);
    expect(raw.received).toHaveLength(1);
  });
});

test.each([
  ['65,535 bytes are sent', 0, 2],
  ['65,536 bytes are not', 1, 1],
])('a line of %s', async (_, more, sent) => {
  const { end, raw } = await introducedTo(plainManifest);
  const request = { tool: 'apply', context: { workdir: '/' }, timeoutMs: Infinity };
  const empty = sizeOf({
    jsonrpc: '2.0',
    id: 2,
    method: 'execute',
    params: { operation: 'apply', args: { é: '' }, context: { workdir: '/', phase: 'setup' } },
  });
  callAndHear(end, { ...request, args: { é: 'x'.repeat(LINE_LIMIT - empty + more) } });
  void end.shutdown(1000);
  for (let method = ''; method !== 'shutdown';) method = (await raw.nextRequest()).method;
  expect(raw.received).toHaveLength(sent + 1);
});

describe('fitted', () => {
  const awkward = fc.constantFrom('x', 'é', '😀', '"', '\\', '\n', '\u0001', '\ud83d', '\ude00', '\u2028');
  const long = fc
    .tuple(fc.array(awkward, { minLength: 1, maxLength: 20 }), fc.integer({ min: 0, max: 8000 }))
    .map(([pieces, times]) => pieces.join('').repeat(times));
  const agent: fc.Arbitrary<AgentContext> = fc.record({ prompt: long, output: long });

  test('always fits, says what was cut and keeps begin and end, without halves of characters', () => {
    fc.assert(
      fc.property(agent, fc.nat(60_000), (agent, argumentSize) => {
        const params: ExecuteParams = {
          operation: 'apply',
          args: { text: 'a'.repeat(argumentSize) },
          context: { workdir: '/', phase: 'verify', agent },
        };
        const fit = fitParams(params);
        expect(fit).toBeDefined();
        if (fit === undefined) return;
        const request = {
          jsonrpc: '2.0',
          id: Number.MAX_SAFE_INTEGER,
          method: 'execute',
          params: fit.params,
        };
        const after = fit.params.context.agent;
        const changed = (['output', 'prompt'] as const).filter((field) => after?.[field] !== agent[field]);
        expect({
          size: sizeOf(request) <= LINE_LIMIT,
          cuts: fit.cuts.map((cut) => cut.split(' ')[0]),
          pieces: changed.every((field) => isCutOf(after?.[field] ?? '', agent[field] ?? '')),
          args: fit.params.args,
        }).toEqual({
          size: true,
          cuts: changed.map((field) => `agent.${field}`),
          pieces: true,
          args: params.args,
        });
      }),
      { numRuns: 50 },
    );
  });

  test('shortens what takes less room afterwards, even if it has more characters then', () => {
    const params: ExecuteParams = {
      operation: 'apply',
      args: { text: 'a'.repeat(60_000) },
      context: { workdir: '/', phase: 'verify', agent: { prompt: '', output: '\u0001'.repeat(910) } },
    };
    const fit = fitParams(params);
    expect(fit?.params.context.agent?.output?.length).toBeGreaterThan(910);
    expect(fit?.cuts).toEqual([
      'agent.output was shortened from 5460 to 5345 bytes: an extension reads lines of up to 65535 bytes.',
    ]);
  });

  function isCutOf(short: string, text: string): boolean {
    const [start = '', end = ''] = short.split(/ \[….*…\] /s);
    const next = text.charCodeAt(start.length);
    const splits = /[\ud800-\udbff]$/.test(start) && next >= 0xdc00 && next <= 0xdfff;
    return text.startsWith(start) && text.endsWith(end) && start.length + end.length < text.length && !splits;
  }
});
