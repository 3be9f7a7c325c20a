import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gateWorld, model, user } from '../../../test/support/gate/gate.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Caller } from '../../definition/caller.ts';
import type { Answer } from '../../definition/outcome.ts';
import { bounded } from './bounded-answer.ts';
import { SpillStore } from './spill-store.ts';

describe('the output schema', () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number', default: 1 } }, required: ['n'] };
  const answered = async (answer: Answer, schema: unknown = outputSchema) => {
    const { gate, source } = gateWorld();
    source.add({ name: 'echo', outputSchema: schema as JsonObject });
    source.answer = () => answer;
    return gate.call('echo', {}, { caller: model });
  };

  test('is held against what a tool answers, and what was said is kept', async () => {
    expect(await answered({ ok: true, text: 'one', data: { n: 1 } })).toMatchObject({
      ok: true,
      data: { n: 1 },
    });
    expect(await answered({ ok: true, text: 'one', data: { n: 'x' }, outputs: { a: 'b' } })).toMatchObject({
      ok: false,
      text: 'one',
      data: { n: 'x' },
      outputs: { a: 'b' },
      error: {
        code: 'OUTPUT_INVALID',
        message:
          'What the tool "echo" of plugin "plugin" answered does not match its output schema: n: must be number',
        details: { problems: ['n: must be number'] },
      },
    });
    expect(await answered({ ok: true, text: 'one' })).toMatchObject({
      error: { code: 'OUTPUT_INVALID', message: expect.stringContaining('it gave no data') as string },
    });
  });

  test('does not fill anything in, and says nothing of a failure', async () => {
    expect(await answered({ ok: true, data: { n: 1 } }, { properties: { m: { default: 2 } } })).toMatchObject(
      { data: { n: 1 } },
    );
    expect(await answered({ ok: false, error: { code: 'TOOL_FAILED', message: 'no' } })).toMatchObject({
      error: { code: 'TOOL_FAILED' },
    });
  });

  test.each([{ type: 17 }, { $ref: '#/nowhere' }, false])(
    '%j is of no use, and takes nothing',
    async (schema) => {
      expect(await answered({ ok: true, data: {} }, schema)).toMatchObject({
        error: { code: 'OUTPUT_INVALID' },
      });
    },
  );

  test('can be left out', async () => {
    const { gate, source } = gateWorld({ output: { checkSchema: false } });
    source.add({ name: 'echo', outputSchema: false });
    expect(await gate.call('echo', {}, { caller: model })).toMatchObject({ ok: true });
  });
});

describe('what is too large', () => {
  test('text goes to a file that only the user can read, its beginning and a handle stay', async () => {
    const folder = path.join(temporaryFolder(), 'spill');
    const { gate, source, audit } = gateWorld({ spill: { folder } });
    const text = `${'ä'.repeat(60_000)}the end`;
    source.answer = () => ({ ok: true, text });
    const outcome = await gate.call('echo', {}, { caller: model });
    const { spilled } = outcome.data as { spilled: { handle: string } };
    expect(spilled).toEqual({
      of: 'text',
      characters: 60_007,
      bytes: 120_007,
      shownCharacters: 50_000,
      handle: expect.stringMatching(/^spill-[\w-]{22}$/) as string,
    });
    expect(outcome.text).toBe(
      `${'ä'.repeat(50_000)}\n… (the first 50000 of 60007 characters. The whole text can be read under the handle ${spilled.handle}.)`,
    );
    expect(audit.events.at(-1)).toMatchObject({ bytes: 120_007, spilled: spilled.handle });
    const [own = ''] = fs.readdirSync(folder);
    const file = path.join(folder, own, spilled.handle);
    expect([fs.statSync(file).mode & 0o777, fs.statSync(path.join(folder, own)).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);

    let read = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part = await gate.readSpill(spilled.handle, { offset, maxBytes: 9999 });
      read += part?.text;
      offset = part?.nextOffset;
    }
    expect(read).toBe(text);
    expect(await gate.readSpill('spill-nothing')).toBeUndefined();
    expect(await gate.readSpill(`../${own}`)).toBeUndefined();
    await gate.close();
    expect(fs.readdirSync(folder)).toEqual([]);
    expect(await gate.readSpill(spilled.handle)).toBeUndefined();
  });

  test('data too, with a preview', async () => {
    const { gate, source } = gateWorld({ spill: { folder: temporaryFolder() } });
    const data = Array.from({ length: 30_000 }, (_, index) => ({ index }));
    source.answer = () => ({ ok: true, text: 'short', data });
    const outcome = await gate.call('echo', {}, { caller: model });
    expect(outcome).toMatchObject({
      ok: true,
      text: 'short',
      data: {
        spilled: {
          of: 'data',
          bytes: JSON.stringify(data).length,
          preview: expect.stringMatching(/^\[\n {2}\{/) as string,
        },
      },
    });
    const { handle } = (outcome.data as { spilled: { handle: string } }).spilled;
    let read = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part = await gate.readSpill(handle, { offset, maxBytes: 1e9 });
      read += part?.text;
      offset = part?.nextOffset;
    }
    expect(JSON.parse(read)).toEqual(data);
    await gate.close();
  });

  test('limits are set for each tool, and a person gets all of it', async () => {
    const { gate, source } = gateWorld({
      output: { textCharacters: 5, tools: { big: { textCharacters: 50 } } },
    });
    source.add({ name: 'big' });
    source.answer = () => ({ ok: true, text: 'x'.repeat(40) });
    expect((await gate.call('big', {}, { caller: model })).text).toHaveLength(40);
    expect((await gate.call('echo', {}, { caller: user })).text).toHaveLength(40);
    expect((await gate.call('echo', {}, { caller: model })).text).toBe(
      'xxxxx\n… (the first 5 of 40 characters. The rest is lost: no folder for large results is configured.)',
    );
  });

  test('outputs, messages and details are bounded as well', async () => {
    const limits = { textCharacters: 100, dataBytes: 1000 };
    const answer: Answer = {
      ok: false,
      text: 'x'.repeat(101),
      outputs: { long: 'y'.repeat(5000), short: 'z' },
      error: {
        code: 'TOOL_FAILED',
        message: 'm'.repeat(5000),
        data: 'd'.repeat(5000),
        details: ['e'.repeat(5000)],
      },
    };
    const { answer: short, bytes } = await bounded(answer, limits, undefined, model);
    expect(bytes).toBeGreaterThan(20_000);
    expect(JSON.stringify(short).length).toBeLessThan(5000);
    expect(short).toMatchObject({
      ok: false,
      outputs: { short: 'z', long: expect.stringMatching(/^y{125}… \(the rest is lost/) as string },
      error: { code: 'TOOL_FAILED', message: 'm'.repeat(100), data: { spilled: { of: 'data' } } },
    });
  });

  test('what cannot be written is told', async () => {
    const folder = path.join(temporaryFolder({ file: 'no folder' }), 'file');
    const { gate, source } = gateWorld({ spill: { folder }, output: { textCharacters: 5, dataBytes: 5 } });
    source.answer = () => ({ ok: true, text: 'too long' });
    expect(await gate.call('echo', {}, { caller: model })).toMatchObject({
      ok: true,
      text: expect.stringContaining('The rest is lost') as string,
    });
    let deep: JsonObject = {};
    for (let n = 0; n < 100_000; n++) deep = { a: deep };
    source.answer = () => ({ ok: true, data: deep });
    expect(await gate.call('echo', {}, { caller: model })).toMatchObject({
      ok: true,
      data: { spilled: { lost: expect.stringContaining('too deeply') as string } },
    });
  });

  test('no half of a character is shown', async () => {
    const { answer } = await bounded(
      { ok: true, text: '😀😀' },
      { textCharacters: 3, dataBytes: 100 },
      undefined,
      model,
    );
    expect(answer.text?.startsWith('😀\n')).toBe(true);
  });
});

describe('who may read what was too large', () => {
  test('the caller whose call it was, by the same token and profile, and the owner; each reading is written down', async () => {
    const { gate, source, audit } = gateWorld({
      spill: { folder: temporaryFolder() },
      output: { textCharacters: 5 },
    });
    source.answer = () => ({ ok: true, text: 'a secret text' });
    const access = { access: 'laptop', accessId: 'first' };
    const one = { kind: 'client', name: 'ide', ...access, profile: 'p', connection: '1' } as const;
    const { data } = await gate.call('echo', {}, { caller: one });
    const { handle } = (data as { spilled: { handle: string } }).spilled;
    audit.events.length = 0;
    const read = async (caller?: Caller) =>
      (await gate.readSpill(handle, caller === undefined ? {} : { caller }))?.text;
    for (const caller of [undefined, user, one, { ...one, name: 'other', connection: '2' }])
      expect(await read(caller)).toBe('a secret text');
    const others: Caller[] = [
      { ...one, access: 'phone' },
      { ...one, accessId: 'second' },
      { ...one, profile: 'q' },
      { kind: 'client', connection: '1' },
      { kind: 'model' },
    ];
    for (const caller of others) expect(await read(caller)).toBeUndefined();
    const decided = audit.events.flatMap((event) => (event.kind === 'decided' ? [event] : []));
    expect(decided.map(({ what, name, allowed }) => [what, name, allowed])).toEqual([
      ...[1, 2].map(() => ['resource', `pluglot:result:${handle}`, true]),
      ...others.map(() => ['resource', `pluglot:result:${handle}`, false]),
    ]);
    expect(audit.events.filter(({ kind }) => kind === 'ended')).toHaveLength(2);
    audit.outcome = () => Promise.reject(new Error('full'));
    await expect(read(one)).rejects.toThrow('audit log');
    await gate.close();
  });

  test('no one, once the token was revoked', async () => {
    const folder = temporaryFolder();
    const store = new SpillStore({ folder });
    const caller = { kind: 'client', access: 'laptop', accessId: 'first' } as const;
    const [revoked, kept] = await Promise.all([
      store.put('x', caller),
      store.put('y', { ...caller, accessId: 'second' }),
    ]);
    await store.forgetAccess('first');
    expect([await store.read(revoked.handle), (await store.read(kept.handle))?.text]).toEqual([
      undefined,
      'y',
    ]);
    const files = fs.readdirSync(folder, { recursive: true }).map((file) => path.basename(String(file)));
    expect([files.includes(revoked.handle), files.includes(kept.handle)]).toEqual([false, true]);
  });

  test('without a token it is the connection that made the call', async () => {
    const store = new SpillStore({ folder: temporaryFolder() });
    const { handle } = await store.put('x', { kind: 'client', connection: '1' });
    expect(store.isFor({ kind: 'client', connection: '1' }, handle)).toBe(true);
    expect(store.isFor({ kind: 'client', connection: '2' }, handle)).toBe(false);
    expect(store.isFor({ kind: 'client' }, 'spill-unknown')).toBe(false);
    await store.close();
  });
});

describe('the store', () => {
  test('keeps no more than its limit; the oldest goes first', async () => {
    const folder = temporaryFolder();
    const store = new SpillStore({ folder, totalBytes: 250 });
    const handles: string[] = [];
    for (let n = 0; n < 4; n++) handles.push((await store.put('x'.repeat(100), model)).handle);
    const kept = await Promise.all(handles.map(async (handle) => (await store.read(handle)) !== undefined));
    expect(kept).toEqual([false, false, true, true]);
    expect(sizeOf(folder)).toBe(200);
    await expect(store.put('x'.repeat(251), model)).rejects.toThrow('larger than all that is kept');
    await Promise.allSettled(Array.from({ length: 20 }, () => store.put('y'.repeat(60), model)));
    expect(sizeOf(folder)).toBeLessThanOrEqual(250);
    await store.close();
    expect(fs.readdirSync(folder)).toEqual([]);
    await expect(store.put('x', model)).rejects.toThrow('the gate is closed');
  });

  test('removes what a host left that was killed a week ago, and nothing else', async () => {
    const folder = temporaryFolder({ 'spill-old/file': 'x', 'spill-new/file': 'x', 'other/file': 'x' });
    const old = new Date(Date.now() - 8 * 24 * 3_600_000);
    for (const name of ['spill-old', 'other']) fs.utimesSync(path.join(folder, name), old, old);
    const store = new SpillStore({ folder });
    await store.put('x', model);
    expect(fs.existsSync(path.join(folder, 'spill-old'))).toBe(false);
    expect(['spill-new', 'other'].every((name) => fs.existsSync(path.join(folder, name)))).toBe(true);
    await store.close();
  });

  test('gives whole characters, from any offset', async () => {
    const store = new SpillStore({ folder: temporaryFolder() });
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(50),
        async (text, maxBytes, from) => {
          const { handle, bytes } = await store.put(text, model);
          let read = '';
          for (let offset: number | undefined = 0; offset !== undefined;) {
            const part = await store.read(handle, { offset, maxBytes });
            read += part?.text;
            offset = part?.nextOffset;
          }
          expect(read).toBe(text);
          const part = await store.read(handle, { offset: from, maxBytes });
          expect(part?.text).not.toContain('\uFFFD');
          expect(part?.totalBytes).toBe(bytes);
        },
      ),
      { numRuns: 30 },
    );
    expect(await store.read('x', { offset: -1 })).toBeUndefined();
    await store.close();
  });
});

function sizeOf(folder: string): number {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => fs.statSync(path.join(folder, name)))
    .filter((stats) => stats.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}
