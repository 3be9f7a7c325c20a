import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { forever, request } from '../../../../test/support/selection-request.ts';
import { temporaryFolder, writeFiles } from '../../../../test/support/temporary-folder.ts';
import { fakeClock } from '../../../testing/fake-clock.ts';
import { fileChannel } from './file-channel.ts';

describe('file', () => {
  function setUp(basePath = path.join(temporaryFolder(), 'exchange')) {
    const clock = fakeClock();
    const warnings: string[] = [];
    const channel = fileChannel(
      { basePath, timeoutMs: 2000, pollMs: 500 },
      { clock, now: () => new Date(0), warn: (message) => void warnings.push(message) },
    );
    const asked = path.join(basePath, 'requests/r-1.json');
    return { basePath, clock, warnings, channel, asked };
  }

  test('writes the request, waits for a whole answer, and leaves nothing behind', async () => {
    const { basePath, clock, channel, asked } = setUp();
    const selection = channel.choose(request, forever);
    await expect.poll(() => clock.waiting, { interval: 1 }).toBe(1);
    expect(JSON.parse(fs.readFileSync(asked, 'utf8'))).toEqual(request);
    expect(fs.statSync(asked).mode & 0o777).toBe(0o600);
    writeFiles(basePath, { 'responses/r-1.json': '{ "selected_ids": ["ap' });
    clock.advance(500);
    await expect.poll(() => clock.waiting, { interval: 1 }).toBe(1);
    writeFiles(basePath, { 'responses/r-1.json': { request_id: 'r-1', selected_ids: ['api'] } });
    clock.advance(500);
    expect(await selection).toEqual({ kind: 'selected', ids: ['api'] });
    expect([fs.readdirSync(path.dirname(asked)), fs.readdirSync(path.join(basePath, 'responses'))]).toEqual([
      [],
      [],
    ]);
    await channel.tell('done', forever);
    expect(JSON.parse(fs.readFileSync(path.join(basePath, 'results/latest.json'), 'utf8'))).toEqual({
      timestamp: '1970-01-01T00:00:00.000Z',
      message: 'done',
    });
  });

  test('ends by its time, or when it is given up', async () => {
    const { clock, channel, asked } = setUp();
    const late = channel.choose(request, forever);
    for (let polls = 0; polls < 4; polls++) {
      await expect.poll(() => clock.waiting, { interval: 1 }).toBe(1);
      clock.advance(500);
    }
    expect(await late).toEqual({ kind: 'late' });
    expect(fs.existsSync(asked)).toBe(false);
    const caller = new AbortController();
    const left = channel.choose(request, caller.signal);
    await expect.poll(() => clock.waiting, { interval: 1 }).toBe(1);
    caller.abort();
    expect(await left).toEqual({ kind: 'none' });
    expect(clock.waiting).toBe(0);
  });

  test('a folder that cannot be written is told', async () => {
    const taken = path.join(temporaryFolder({ taken: 'a file' }), 'taken');
    const { channel, warnings } = setUp(taken);
    expect(await channel.choose(request, forever)).toMatchObject({ kind: 'unavailable' });
    await channel.tell('x', forever);
    expect(warnings).toHaveLength(2);
  });
});
