// Children that misbehave, each in its own way, under a host in a process of its own: the host stays small, says clearly what
// happened, and nothing stays under way.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { execute, root } from '../support/project.ts';

/** How much the host may grow above its start. */
const GROWTH_MAX_MIB = 100;

type Report = {
  readonly result: unknown;
  readonly ending: unknown;
  readonly stderr: string;
  readonly troubles: Readonly<Record<string, { count: number; size: number; first: string }>>;
  readonly notifications: number;
  readonly left: number;
  readonly duplicateResponses: number;
  readonly unknownResponses: number;
  readonly invalidMessages: number;
  readonly grownMiB: number;
};

const works = { value: 'works' };
const framings = ['lines', 'length-prefix'] as const;

describe('a child that writes too much', () => {
  test('1 GiB without a newline: the call it answers fails with the size, and the next ones work', async () => {
    const report = await host('calls', 'writes-1gib-without-newline.mjs', 'lines');
    expect(report.result).toEqual([
      {
        code: 'FRAME_TOO_LARGE',
        message:
          'The answer of writes-1gib-without-newline to "work" has 1073741860 bytes, which is over the limit for receiving (receiveLimit).',
      },
      works,
      works,
    ]);
    expect(report.troubles).toEqual({ oversize: { count: 1, size: 1_073_741_860, first: '' } });
  });

  test('1 GiB without a newline and then its end: the call fails with the exit code', async () => {
    const report = await host('calls', 'writes-1gib-and-never-a-newline.mjs', 'lines');
    expect(report.result).toEqual(
      all(over('writes-1gib-and-never-a-newline', 'the process exited with code 4')),
    );
    expect(report.troubles).toMatchObject({ oversize: { count: 1, size: 1_073_741_824 } });
  });

  test('1 GiB without a newline where frames are expected is noise, and the next calls work', async () => {
    const report = await host('call with a limit of 1 s', 'writes-1gib-without-newline.mjs', 'length-prefix');
    expect(report.result).toMatchObject([{ code: 'CALL_TIMEOUT' }, works]);
    expect(report.troubles).toMatchObject({ noise: { size: 1_073_741_861 } });
  });

  test('a length of 4 GiB: the call it answers fails with the size, and the next ones work', async () => {
    const report = await host('calls', 'claims-4gib-length.mjs', 'length-prefix');
    expect(report.result).toEqual([
      {
        code: 'FRAME_TOO_LARGE',
        message:
          'The answer of claims-4gib-length to "work" has 4294967295 bytes, which is over the limit for receiving (receiveLimit).',
      },
      works,
      works,
    ]);
    expect(report.troubles).toMatchObject({ oversize: { count: 1, size: 4_294_967_295 } });
  });

  test('a frame of 100 MiB is skipped, and the next calls work', async () => {
    const report = await host('calls', 'sends-a-frame-of-100-mib.mjs', 'length-prefix');
    expect(report.result).toMatchObject([{ code: 'FRAME_TOO_LARGE' }, works, works]);
    expect(report.troubles).toEqual({ oversize: { count: 1, size: 104_857_636, first: '' } });
  });

  test.each(framings)('half a million notifications are all heard, over %s', async (framing) => {
    const report = await host('calls', 'floods-notifications.mjs', framing);
    expect(report.result).toEqual([works, works, works]);
    expect(report.notifications).toBe(500_000);
  });

  test.each(framings)('256 MiB of printed text are survived, over %s', async (framing) => {
    const report = await host('calls', 'floods-noise.mjs', framing);
    expect(report.result).toEqual([works, works, works]);
    const kind = framing === 'lines' ? 'invalid' : 'noise';
    expect(report.troubles[kind]?.first).toMatch(/^All work and no play/);
  });

  test.each(framings)('a batch of millions is refused as a whole, over %s', async (framing) => {
    // What it takes to parse a message within the limit is the limit's business: 16 MiB of JSON can be a lot of values.
    const report = await host('calls', 'sends-a-batch-of-millions.mjs', framing, { growthMaxMiB: 500 });
    expect(report.result).toEqual([works, works, works]);
    expect(report.invalidMessages).toBe(3);
  });

  test.each(framings)('an answer a million levels deep is an answer, over %s', async (framing) => {
    const report = await host('calls', 'answers-a-million-levels-deep.mjs', framing, { growthMaxMiB: 500 });
    expect(report.result).toEqual(all({ value: 'an object' }));
  });
});

describe.each(framings)('a child that does not read, over %s', (framing) => {
  test('stops a sender that waits as it should; the wait ends when the child is killed, with the reason', async () => {
    const report = await host('sends 1 GiB politely', 'never-reads-stdin.mjs', framing);
    expect(report.result).toEqual({
      waits: 'for room',
      sentMiB: expect.toSatisfy((sent: number) => sent < 2) as unknown,
      sending: over('never-reads-stdin', 'the process was ended by SIGKILL'),
    });
  });

  test('stops a sender that does not wait with PIPE_FULL and the way out', async () => {
    const report = await host('sends 1 GiB carelessly', 'never-reads-stdin.mjs', framing);
    expect(report.result).toEqual({
      sentMiB: 16,
      sending: {
        code: 'PIPE_FULL',
        message:
          '16777216 bytes wait in the pipe and the other end does not read them. ' +
          'When write() or notify() returns false, await drained() before sending more.',
      },
    });
  });

  test('keeps requests waiting up to their time limit, or until it is killed', async () => {
    const report = await host('sends 1 GiB of requests', 'never-reads-stdin.mjs', framing);
    expect(report.result).toMatchObject({
      timeLimits: [
        {
          code: 'CALL_TIMEOUT',
          message:
            'No answer to "work" from never-reads-stdin within 1000 ms. Give the call a larger timeoutMs if it needs longer.',
        },
        {
          code: 'CALL_TIMEOUT',
          message:
            'A request could not be sent to never-reads-stdin within 1000 ms: the pipe is full, as the other end does not read.',
        },
      ],
      kinds: ['PIPE_ENDED: The pipe to never-reads-stdin is over: the process was ended by SIGKILL.'],
    });
  });

  test('and asks without end is given up, with the reason', async () => {
    const report = await host('answers with 10 KiB', 'floods-requests-and-never-reads.mjs', framing);
    const why =
      'floods-requests-and-never-reads asked for more than it read: its answers have filled the pipe for 1000 ms';
    expect(report.result).toMatchObject({
      call: over('floods-requests-and-never-reads', why),
      ending: { kind: 'failed', error: why },
    });
  });

  test('because it closed its stdin: calls fail with that', async () => {
    const report = await host('calls a child that closed its stdin', 'closes-stdin-but-lives.mjs', framing);
    const gone = {
      code: 'PIPE_ENDED',
      message:
        'Nothing more can be sent through this pipe: the other end does not read any more (write EPIPE).',
    };
    // Whether the first one is answered the pipe cannot tell; its time limit does.
    expect(report.result).toMatchObject([{ code: 'CALL_TIMEOUT' }, gone, gone]);
  });
});

describe.each(framings)('a child that ends, over %s', (framing) => {
  test.each([
    ['in the middle of a frame', 'dies-in-mid-frame', 'the process exited with code 3'],
    ['by a signal', 'kills-itself', 'the process was ended by SIGKILL'],
    ['at once', 'crashes-at-once', 'the process exited with code 7'],
    [
      'though a grandchild keeps its pipes',
      'leaves-its-stdout-to-a-grandchild',
      'the process exited with code 5',
    ],
    ['only in what it says', 'closes-stdout-but-lives', 'the other end closed it'],
  ])('%s: calls fail with the reason', async (_, name, why) => {
    const report = await host('calls', `${name}.mjs`, framing);
    expect(report.result).toEqual(all(over(name, why)));
  });

  test('in the middle of a frame: the torn frame is told', async () => {
    const report = await host('calls', 'dies-in-mid-frame.mjs', framing);
    expect(report.troubles).toMatchObject(
      framing === 'lines' ? { invalid: { count: 1, size: 518 } } : { torn: { count: 1, size: 520 } },
    );
  });

  test('at once: what it printed to stderr is there to be shown', async () => {
    const report = await host('calls', 'crashes-at-once.mjs', framing);
    expect(report.stderr).toBe('Error: cannot find the model file\n');
  });
});

describe.each(framings)('a child that answers oddly, over %s', (framing) => {
  test('twice: the second answers are counted and ignored', async () => {
    const report = await host('calls', 'answers-every-id-twice.mjs', framing);
    expect(report.result).toEqual([works, works, works]);
    // The last one may still be on its way when the host closes.
    expect(report.duplicateResponses).toBeGreaterThanOrEqual(2);
  });

  test('what nobody asked: that is counted and ignored', async () => {
    const report = await host('calls', 'answers-with-unknown-ids.mjs', framing);
    expect(report).toMatchObject({ result: [works, works, works], unknownResponses: 15 });
  });

  test('with nonsense: the call fails and says what is wrong', async () => {
    const report = await host('calls', 'answers-with-nonsense.mjs', framing);
    expect(report.result).toEqual(
      all({
        code: 'INVALID_RESPONSE',
        message:
          'The answer of answers-with-nonsense to "work" is not a JSON-RPC response: a response has both "result" and "error".',
      }),
    );
  });

  test('only after the end of its stdin: the answers still count', async () => {
    const report = await host('calls, then the end of stdin', 'answers-after-stdin-eof.mjs', framing);
    expect(report.result).toEqual([works, works, works]);
  });

  test.each(['prints-noise-between-frames', 'prints-noise-then-works'])(
    'and prints to stdout: that is told and survived (%s)',
    async (name) => {
      const report = await host('calls', `${name}.mjs`, framing);
      expect(report.result).toEqual([works, works, works]);
      expect(report.troubles[framing === 'lines' ? 'invalid' : 'noise']?.first).toMatch(
        /^(Loading|\[INFO\])/,
      );
    },
  );
});

/** What the host saw; its memory and that nothing is left are checked for each. */
async function host(
  scenario: string,
  fixture: string,
  framing: 'lines' | 'length-prefix',
  { growthMaxMiB = GROWTH_MAX_MIB } = {},
): Promise<Report> {
  const program = path.join(root, 'test/hosts/one-child.mjs');
  const { exitCode, stdout, stderr } = await execute(process.execPath, [program, scenario, fixture, framing]);
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  const report = JSON.parse(stdout) as Report;
  expect(report.left).toBe(0);
  expect(report.grownMiB).toBeLessThan(growthMaxMiB);
  return report;
}

function over(name: string, why: string) {
  return { code: 'PIPE_ENDED', message: `The pipe to ${name} is over: ${why}.` };
}

function all<T>(outcome: T): T[] {
  return [outcome, outcome, outcome];
}
