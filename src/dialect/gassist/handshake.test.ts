// How a plugin introduces itself, and which ones are refused.
import { describe, expect, test } from 'vitest';
import { hostAndRawEnd, type HostOptions } from '../../../test/support/dialect/dialect-host.ts';
import { connectedEnd } from '../../../test/support/dialect/gassist/host-end.ts';
import { gassist } from './host.ts';

describe('what a plugin says of itself', () => {
  // requirement: gassist:initialize:result-name, gassist:initialize:result-version, gassist:initialize:result-capabilities
  test('becomes its manifest', async () => {
    const result = {
      name: 'hello-world',
      version: '1.2.3',
      description: 'Counts.',
      protocol_version: '2.0',
      capabilities: ['streaming'],
      commands: [
        { name: 'count', description: 'Counts to n.' },
        { name: 'on_input', description: 'Input.' },
      ],
    };
    const { end } = await connectedEnd(result);
    expect(end.manifest).toEqual({
      name: 'hello-world',
      version: '1.2.3',
      description: 'Counts.',
      dialect: 'gassist',
      protocolVersion: '2.0',
      capabilities: ['streaming'],
      tools: [{ name: 'count', description: 'Counts to n.' }],
      raw: result,
    });
  });

  test('may be next to nothing: capabilities are unknown then, not none', async () => {
    const { end } = await connectedEnd({}, { spec: { name: 'quiet' } });
    expect(end.manifest).toEqual({
      name: 'quiet',
      version: 'unknown',
      dialect: 'gassist',
      tools: [],
      raw: {},
    });
    expect(end.manifest).not.toHaveProperty('capabilities');
  });

  test('may be what the emulator’s own example says', async () => {
    const { end } = await connectedEnd({
      success: true,
      protocol_version: '2.0',
      capabilities: { streaming: true },
    });
    expect(end.manifest).toMatchObject({
      name: 'the-plugin',
      protocolVersion: '2.0',
      capabilities: { streaming: true },
    });
  });

  test.each([null, 17, [], { x: 1 }])('may have %j where words are expected', async (junk) => {
    const result = {
      name: junk,
      version: junk,
      description: junk,
      commands: junk,
      capabilities: junk,
      success: junk,
    };
    const { end } = await connectedEnd(result);
    expect(end.manifest).toMatchObject({ name: 'the-plugin', version: 'unknown', tools: [] });
  });

  // requirement: gassist:manifest:example, gassist:manifest:protocol-version, gassist:manifest:manifest-version
  // requirement: gassist:manifest:name, gassist:manifest:version, gassist:manifest:executable
  test('is completed by its manifest.json', async () => {
    const manifest = {
      manifestVersion: 1,
      name: 'my-plugin',
      version: '1.0.0',
      protocol_version: '2.0',
      executable: './plugin.exe',
      description: 'From the file.',
      functions: [{ name: 'search_web', description: 'Searches.' }],
    };
    const { end } = await connectedEnd({}, { spec: { name: 'folder', manifest } });
    expect(end.manifest).toMatchObject({
      name: 'my-plugin',
      version: '1.0.0',
      description: 'From the file.',
      protocolVersion: '2.0',
      tools: [{ name: 'search_web', description: 'Searches.' }],
    });
  });

  test('wins over its manifest.json in name and version', async () => {
    const { end } = await connectedEnd(
      { name: 'new', version: '2' },
      { spec: { manifest: { name: 'old', version: '1', protocol_version: '2.0' } } },
    );
    expect(end.manifest).toMatchObject({ name: 'new', version: '2', protocolVersion: '2.0' });
  });

  // requirement: gassist:initialize:once
  test('is asked for once, before anything else', async () => {
    const { raw, allHandled } = await connectedEnd();
    await allHandled();
    expect(raw.received.map((message) => (message as { method: string }).method)).toEqual([
      'initialize',
      'ping',
    ]);
  });
});

describe('what comes before the introduction', () => {
  test('logs are heard, an error is logged, the rest is ignored', async () => {
    const { raw, connected, told } = hostAndRawEnd(gassist, 'length-prefix');
    raw.notify('log', { level: 'warning', message: 'no API key' });
    raw.notify('error', { code: -1, message: 'no config.json' });
    raw.notify('stream', { data: 'hello?' });
    raw.notify('complete');
    raw.answer((await raw.nextRequest()).id, { name: 'early' });
    expect((await connected).manifest.name).toBe('early');
    expect(told.logs).toEqual([
      { level: 'warn', message: 'no API key' },
      { level: 'error', message: 'no config.json (-1)' },
    ]);
    expect(told.troubles).toHaveLength(2);
  });

  test('printed text is noise', async () => {
    const { raw, connected, told } = hostAndRawEnd(gassist, 'length-prefix');
    raw.write('Loading libraries …\n');
    raw.answer((await raw.nextRequest()).id, { name: 'chatty' });
    expect((await connected).manifest.name).toBe('chatty');
    expect(told.troubles).toContainEqual({ kind: 'noise', text: 'Loading libraries …\n' });
  });
});

describe('a plugin is refused', () => {
  // requirement: gassist:overview:v1-refused
  test.each(['1.0', '1', 1, '3.0', '20', 'two', {}, false])(
    'whose answer names the version %j',
    async (version) => {
      const error = await refusal({ result: { protocol_version: version } });
      expect(error).toMatchObject({ code: 'UNSUPPORTED_PROTOCOL' });
      expect(error.message).toContain('Plugin "the-plugin" speaks G-Assist protocol');
    },
  );

  test.each(['2', '2.0', '2.7', 2, 2.1, 'v2.0', null])('not for the version %j', async (version) => {
    await expect(connectedEnd({ protocol_version: version })).resolves.toBeDefined();
  });

  // requirement: gassist:manifest:protocol-version
  test('whose manifest.json names another version, before anything is sent', async () => {
    const { raw, connected } = hostAndRawEnd(gassist, 'length-prefix', {
      spec: { manifest: { protocol_version: '1.0' } },
    });
    await expect(connected).rejects.toMatchObject({ code: 'UNSUPPORTED_PROTOCOL' });
    await raw.inputEnded;
    expect(raw.received).toEqual([]);
  });

  // requirement: gassist:overview:v1-refused
  test('that answers in the manner of V1, in whatever pieces', async () => {
    const { raw, connected } = hostAndRawEnd(gassist, 'length-prefix');
    await raw.nextRequest();
    raw.write('{"success": true, "message": "initialized"}<<E');
    await new Promise(setImmediate);
    raw.write('ND>>');
    await expect(connected).rejects.toMatchObject({ code: 'UNSUPPORTED_PROTOCOL' });
  });

  // requirement: gassist:migration:install-sdk, gassist:migration:replace-code, gassist:migration:protocol-version
  // requirement: gassist:migration:no-heartbeats, gassist:migration:no-pipes
  test('with what its author has to do', async () => {
    const { message } = await refusal({ result: { protocol_version: '1.0' } });
    expect(message).toMatch(
      /SDK \(pip install gassist_sdk\), move the code onto it, put "protocol_version": "2\.0" into manifest\.json, and remove its heartbeats, threads and pipes/,
    );
  });

  test('that stays silent and whose manifest.json names no version, as one of V1', async () => {
    const start = new AbortController();
    const { raw, connected } = hostAndRawEnd(gassist, 'length-prefix', {
      signal: start.signal,
      spec: { manifest: { manifestVersion: 1, executable: 'plugin.py', functions: [] } },
    });
    await raw.nextRequest();
    start.abort();
    await expect(connected).rejects.toMatchObject({
      code: 'UNSUPPORTED_PROTOCOL',
      message: expect.stringContaining('manifest.json names no "protocol_version"') as string,
    });
  });

  test.each([null, 17, 'hello', [], true])('that answers with %j', async (result) => {
    const error = await refusal({ result });
    expect(error).toMatchObject({ code: 'PROTOCOL_VIOLATION' });
    expect(error.message).toContain(
      `Plugin "the-plugin" answered initialize with ${JSON.stringify(result)};`,
    );
  });

  test('that answers with an error', async () => {
    const error = await refusal({ error: { code: -32603, message: 'no config' } });
    expect(error).toMatchObject({
      code: 'START_FAILED',
      message: 'Plugin "the-plugin" answered initialize with error -32603: no config.',
    });
  });

  test.each([
    [{ success: false, message: 'no key' }, 'no key'],
    [{ success: false, error: 'no key' }, 'no key'],
    [{ success: false, error: { message: 'no key' } }, 'no key'],
    [{ success: false }, 'no reason was given'],
  ])('that answers with %j', async (result, reason) => {
    expect(await refusal({ result })).toMatchObject({
      code: 'START_FAILED',
      message: `Plugin "the-plugin" refused to start: ${reason}.`,
    });
  });

  test('that answers with what is no response', async () => {
    expect(await refusal({ result: 1, error: { code: 1, message: '' } })).toMatchObject({
      code: 'PROTOCOL_VIOLATION',
    });
  });

  test('whose pipe ends', async () => {
    const { raw, connected } = hostAndRawEnd(gassist, 'length-prefix');
    await raw.nextRequest();
    raw.end();
    await expect(connected).rejects.toMatchObject({ code: 'PIPE_ENDED' });
  });
});

/** Why a plugin is refused that answers initialize so; its pipe is closed. */
async function refusal(answer: Record<string, unknown>, options?: HostOptions): Promise<Error> {
  const { raw, connected } = hostAndRawEnd(gassist, 'length-prefix', options);
  const { id } = await raw.nextRequest();
  raw.send({ jsonrpc: '2.0', id, ...answer });
  const error: unknown = await connected.then(
    () => new Error('It was taken.'),
    (error: unknown) => error,
  );
  await raw.inputEnded;
  return error as Error; // whatever is thrown here is one
}
