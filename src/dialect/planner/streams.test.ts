// Faulty streams: what arrived is handed out in order, and faults are reported.
import { describe, expect, test } from 'vitest';
import { callAndHear } from '../../../test/support/dialect/dialect-host.ts';
import { discovered } from '../../../test/support/dialect/planner/ends.ts';
import { QueuedSender } from '../sender.ts';
import { OutgoingStream } from './streams.ts';
import { PluglotError } from '../../base/error.ts';

const task = { tool: 'execute_task', args: { task_type: 'analysis', prompt: 'p' } };

describe('chunks', () => {
  test.each<[string, (number | undefined)[], number, string, string[]]>([
    ['in order', [1, 2, 3], 3, 'abc', []],
    ['counted from 0', [0, 1, 2], 3, 'abc', []],
    ['out of order', [2, 3, 1], 3, 'cab', []],
    ['doubled', [1, 1, 2], 2, 'ac', ['chunk 1 was received twice; the second was dropped']],
    ['doubled while one waits', [2, 2, 1], 2, 'ca', ['chunk 2 was received twice; the second was dropped']],
    ['with a gap', [1, 3, 4], 3, 'abc', ['chunk 2 never arrived']],
    ['with a wide gap', [1, 9, 10], 3, 'abc', ['chunks 2 to 8 never arrived']],
    ['with a wrong total', [1, 2, 3], 9, 'abc', ['its total_chunks is 9, but 3 were received']],
    ['without numbers', [undefined, undefined, undefined], 3, 'abc', []],
  ])('%s', async (_, sequences, total_chunks, text, warnings) => {
    const { end, raw } = await discovered();
    const { answer, events } = callAndHear(end, task);
    const { id } = await raw.nextRequest();
    raw.notify('stream_start', { stream_id: 's', task_id: id });
    for (const [index, sequence] of sequences.entries())
      raw.notify('stream_data', { stream_id: 's', chunk: 'abc'[index], sequence });
    raw.notify('stream_end', { stream_id: 's', total_chunks });
    raw.answer(id, {});
    expect(await answer).toMatchObject({ ok: true, text });
    const logged = events.flatMap((event) => (event.kind === 'log' ? [[event.level, event.message]] : []));
    expect(logged).toEqual(warnings.map((warning) => ['warn', `Stream "s": ${warning}.`]));
  });

  test('that wait for a missing one do so no longer than there is room', async () => {
    const { end, raw } = await discovered();
    const { answer, events } = callAndHear(end, task);
    const { id } = await raw.nextRequest();
    raw.notify('stream_start', { stream_id: 's', task_id: id });
    for (let sequence = 2; sequence < 300; sequence += 1)
      raw.notify('stream_data', { stream_id: 's', chunk: 'x', sequence });
    raw.notify('stream_data', { stream_id: 's', chunk: 'late', sequence: 1 });
    raw.notify('stream_end', { stream_id: 's', total_chunks: 298 });
    raw.answer(id, {});
    expect(await answer).toMatchObject({ ok: true, text: 'x'.repeat(298) });
    expect(events.flatMap((event) => (event.kind === 'log' ? event.message : []))).toEqual([
      'Stream "s": chunk 1 never arrived.',
      'Stream "s": chunk 1 was received twice; the second was dropped.',
    ]);
  });

  test('that wait have one room for all streams together', async () => {
    const { end, raw } = await discovered();
    const { answer, events } = callAndHear(end, task);
    const { id } = await raw.nextRequest();
    const chunk = 'x'.repeat(9 * 1024 * 1024);
    for (const stream_id of ['one', 'two']) {
      raw.notify('stream_start', { stream_id, task_id: id });
      raw.notify('stream_data', { stream_id, chunk, sequence: 2 });
    }
    raw.notify('stream_data', { stream_id: 'one', chunk: 'first ', sequence: 1 });
    raw.answer(id, {});
    await answer;
    expect(events.map((event) => (event.kind === 'text' ? event.text.length : event))).toMatchObject([
      { message: 'Stream "two": chunk 1 never arrived.' },
      chunk.length,
      'first '.length,
      { message: expect.stringMatching(/^More than \d+ characters were streamed/) as string },
      chunk.length,
      { message: 'Stream "one": the task was answered before the stream ended.' },
      { message: 'Stream "two": the task was answered before the stream ended.' },
    ]);
  });

  test('are kept up to a limit, so that a plugin cannot fill the memory by streaming', async () => {
    const { end, raw } = await discovered(undefined, { spec: { limits: { messageBytes: 1000 } } });
    const { answer, events } = callAndHear(end, task);
    const { id } = await raw.nextRequest();
    raw.notify('stream_start', { stream_id: 's', task_id: id });
    for (let sequence = 1; sequence <= 10; sequence += 1)
      raw.notify('stream_data', { stream_id: 's', chunk: 'x'.repeat(300), sequence });
    raw.answer(id, {});
    expect((await answer).text).toHaveLength(1000);
    expect(events.filter(({ kind }) => kind === 'text')).toHaveLength(10);
    expect(events).toContainEqual({
      kind: 'log',
      level: 'warn',
      message: 'More than 1000 characters were streamed; the outcome has the first of them.',
    });
  });

  test('of a stream that never ends are kept', async () => {
    const { end, raw } = await discovered();
    const { answer, events } = callAndHear(end, task);
    const { id } = await raw.nextRequest();
    raw.notify('stream_start', { stream_id: 's', task_id: id });
    raw.notify('stream_data', { stream_id: 's', chunk: 'b', sequence: 2 });
    raw.answer(id, { status: 'success', output: { code: 'b' } });
    expect(await answer).toMatchObject({ ok: true, text: 'b' });
    expect(events.map((event) => (event.kind === 'log' ? event.message : event.kind))).toEqual([
      'Stream "s": chunk 1 never arrived.',
      'text',
      'Stream "s": the task was answered before the stream ended.',
    ]);
  });

  test('that were said before a failure, or the end of the plugin, are kept', async () => {
    const { end, raw } = await discovered();
    const calls = [callAndHear(end, task), callAndHear(end, task)];
    const ids = [(await raw.nextRequest()).id, (await raw.nextRequest()).id];
    for (const id of ids) {
      raw.notify('stream_start', { stream_id: `s${id}`, task_id: String(id) });
      raw.notify('stream_data', { stream_id: `s${id}`, chunk: 'half', sequence: 1 });
    }
    raw.send({ jsonrpc: '2.0', id: ids[0], error: { code: -32001, message: 'gone' } });
    expect(await calls[0]?.answer).toMatchObject({ ok: false, text: 'half', error: { code: 'UNAVAILABLE' } });
    raw.end();
    expect(await calls[1]?.answer).toMatchObject({ ok: false, text: 'half', error: { code: 'PIPE_ENDED' } });
  });
});

// requirement: planner:security:schema-validation, planner:security:input-sanitization
test.each([
  ['stream_start', {}, 'stream_start has no "stream_id" and "task_id"'],
  ['stream_start', { stream_id: 's', task_id: 'unknown' }, 'stream_start names a task that is not under way'],
  ['stream_start', { stream_id: 'open', task_id: 2 }, 'stream_start names a stream that is open'],
  ['stream_data', { stream_id: 's', chunk: 'x', sequence: 1 }, 'stream_data names a stream that is not open'],
  ['stream_data', undefined, 'stream_data names a stream that is not open'],
  ['stream_data', { stream_id: 'open', chunk: 5, sequence: 1 }, '"chunk" of stream_data is not a string'],
  [
    'stream_data',
    { stream_id: 'open', chunk: 'x', sequence: -1 },
    '"sequence" of stream_data is not an integer from 0',
  ],
  [
    'stream_end',
    { stream_id: 'open', total_chunks: '3' },
    '"total_chunks" of stream_end is not an integer from 0',
  ],
])('%s with %j is reported, and the host goes on', async (method, params, reason) => {
  const { end, raw, told } = await discovered();
  const { answer } = callAndHear(end, task);
  const { id } = await raw.nextRequest();
  raw.notify('stream_start', { stream_id: 'open', task_id: id });
  raw.notify(method, params);
  raw.answer(id, {});
  expect(await answer).toMatchObject({ ok: true });
  expect(told.troubles).toEqual([expect.objectContaining({ kind: 'invalid', reason })]);
});

test('no more streams are kept than there is a use for', async () => {
  const { end, raw, told } = await discovered();
  const { answer } = callAndHear(end, task);
  const { id } = await raw.nextRequest();
  for (let index = 0; index < 1030; index += 1)
    raw.notify('stream_start', { stream_id: `s${index}`, task_id: id });
  raw.answer(id, {});
  await answer;
  expect(told.troubles).toHaveLength(6);
});

describe('on the way out', () => {
  test('text that arrives while the pipe is full is joined, and sent before the end', async () => {
    const sent: [string, unknown][] = [];
    let drain = () => {};
    let room = false;
    const stream = new OutgoingStream(
      new QueuedSender({
        notify: (method, params) => {
          sent.push([method, params]);
          return room;
        },
        drained: () => new Promise((resolve) => (drain = resolve)),
      }),
      's',
      7,
    );
    for (const text of ['a', 'b', 'c']) stream.text(text);
    const over = stream.end();
    expect(sent).toEqual([['stream_start', { stream_id: 's', task_id: 7 }]]);
    room = true;
    drain();
    await over;
    expect(sent.slice(1)).toEqual([
      ['stream_data', { stream_id: 's', chunk: 'a', sequence: 1 }],
      ['stream_data', { stream_id: 's', chunk: 'bc', sequence: 2 }],
      ['stream_end', { stream_id: 's', total_chunks: 2 }],
    ]);
  });

  test('a full pipe loses nothing; one that is gone ends it', async () => {
    const sent: string[] = [];
    let failure: PluglotError | undefined = new PluglotError('PIPE_FULL', 'Full.');
    const stream = new OutgoingStream(
      new QueuedSender({
        notify: (method) => {
          if (failure !== undefined) throw failure;
          sent.push(method);
          return true;
        },
        async drained() {
          failure = undefined;
        },
      }),
      's',
      7,
    );
    stream.text('a');
    await stream.end();
    expect(sent).toEqual(['stream_start', 'stream_data', 'stream_end']);
    failure = new PluglotError('PIPE_ENDED', 'Gone.');
    stream.text('b');
    await stream.end();
    expect(sent).toHaveLength(3);
  });

  test('a long text goes in pieces that no escape makes too large, and no character is cut', async () => {
    const chunks: string[] = [];
    const stream = new OutgoingStream(
      new QueuedSender({
        notify(method, params) {
          if (method === 'stream_data') chunks.push((params as { chunk: string }).chunk);
          return true;
        },
        drained: () => Promise.resolve(),
      }),
      's',
      7,
    );
    const text = `x${'😀'.repeat(200_000)}`;
    stream.text(text);
    await stream.end();
    expect(chunks.join('')).toBe(text);
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) expect(chunk).toBe(Buffer.from(chunk).toString());
  });
});
