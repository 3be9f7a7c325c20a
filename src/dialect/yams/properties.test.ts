// Whatever JSON a plugin answers with, at whatever moment: a clear error or an outcome, never a throw.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordingServices } from '../../../test/support/dialect/dialect-host.ts';
import { pipeAndRawEnd, type RawEnd } from '../../../test/support/channel/raw-end.ts';
import { runs } from '../../../test/support/runs.ts';
import { errorCodes, PluglotError } from '../../base/error.ts';
import type { PeerTrouble } from '../../channel/peer/options.ts';
import type { Answer } from '../../definition/outcome.ts';
import type { WirePort } from '../host-dialect.ts';
import { yams } from './host.ts';

/** Keys and values that mean something in YAMS, among any others. */
const words = fc.constantFrom(
  ...(
    'name version interfaces capabilities content_extraction formats tools rpc_method status error message success ' +
    'content text metadata supported confidence data code reason recoverable config_applied input_schema __proto__ ' +
    'content_extractor_v1'
  ).split(' '),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.jsonValue(), words, fc.boolean(), fc.constant(-32603)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(words, fc.string()), tie('value'), { maxKeys: 5 }),
  ),
}));
/** How a request is answered: with a result, an error, or something invalid. */
const answer = fc.oneof(
  fc.record({ result: value }),
  fc.record({ error: fc.record({ code: fc.integer(), message: fc.string(), data: value }) }),
  fc.record({ error: value }),
  fc.record({ result: value, error: value }),
);

function host(answers: readonly object[]): {
  raw: RawEnd;
  connected: Promise<WirePort>;
  troubles: PeerTrouble[];
} {
  const { pipe, raw } = pipeAndRawEnd('lines');
  const { services, told } = recordingServices();
  const left = [...answers];
  raw.onMessage((message) => {
    const { id } = message as { id: number };
    raw.send({ jsonrpc: '2.0', id, ...left.shift() });
  });
  const connected = yams.connect(pipe, { name: 'x', start: { kind: 'program', command: 'x' } }, services);
  return { raw, connected, troubles: told.troubles };
}

/** What became of it: a value, or an error that says who. */
async function became<T>(promise: Promise<T>): Promise<T | 'a clear error'> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof PluglotError && error.message.includes('"x"')) return 'a clear error';
    throw error;
  }
}

/** A call of this tool, with the number of times that it ended. */
async function ended(end: WirePort, tool: string): Promise<{ answer: Answer; ends: number }> {
  let ends = 0;
  const answer = await new Promise<Answer>((resolve) => {
    const heard = (answer: Answer) => {
      ends += 1;
      resolve(answer);
    };
    end.call({ tool, args: { source: 'a' }, timeoutMs: 1000 }, { event: () => {}, end: heard });
  });
  return { answer, ends };
}

function isUsable(answer: Answer): boolean {
  return answer.ok || (answer.error.code in errorCodes && answer.error.message !== '');
}

function thrown(troubles: readonly PeerTrouble[]): PeerTrouble[] {
  return troubles.filter(({ kind }) => kind === 'thrown');
}

test('any manifest and any result of init', async () => {
  await fc.assert(
    fc.asyncProperty(answer, answer, async (manifest, init) => {
      const { connected, troubles } = host([manifest, init]);
      const end = await became(connected);
      const { name, version, tools } = end === 'a clear error' ? noManifest : end.manifest;
      expect([typeof name, typeof version]).toEqual(['string', 'string']);
      expect(new Set(tools.map((tool) => tool.name)).size).toBe(tools.length);
      expect(thrown(troubles)).toEqual([]);
      if (end !== 'a clear error') end.close();
    }),
    { numRuns: runs(300) },
  );
});

const noManifest = { name: '', version: '', tools: [] };

test('any health, any support, any extraction and any result', async () => {
  const good = { result: { interfaces: ['content_extractor_v1'] } };
  await fc.assert(
    fc.asyncProperty(fc.array(answer, { minLength: 5, maxLength: 5 }), async (answers) => {
      const { connected, troubles, raw } = host([good, good, ...answers]);
      const end = await connected;
      await end.ping!(1000);
      const health = await became(end.health!(1000));
      expect(['ok', 'degraded', 'error', undefined]).toContain(
        health === 'a clear error' ? undefined : health.status,
      );
      const support = await became(end.extractor!.supports({ extension: '.x' }, 1000));
      const confidence = support === 'a clear error' ? 1 : support.confidence;
      expect(confidence >= 0 && confidence <= 1).toBe(true);
      for (const tool of ['extractor.extract', 'other']) {
        const { answer, ends } = await ended(end, tool);
        expect(isUsable(answer)).toBe(true);
        expect(ends).toBe(1);
      }
      end.close();
      await raw.inputEnded;
      expect(thrown(troubles)).toEqual([]);
    }),
    { numRuns: runs(300) },
  );
});
