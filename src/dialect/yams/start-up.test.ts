import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { hostAndRawEnd, recordingServices } from '../../../test/support/dialect/dialect-host.ts';
import { reply, replyError, started } from '../../../test/support/dialect/yams/host-end.ts';
import { streamPipe } from '../../channel/bytes/stream-pipe.ts';
import { yams } from './host.ts';

// requirement: yams:init:config, yams:init:order
test('a plugin without configuration is sent an empty one', async () => {
  const { raw, connected } = hostAndRawEnd(yams, 'lines');
  await reply(raw, 'handshake.manifest', {});
  expect(await reply(raw, 'plugin.init', { status: 'ok' })).toEqual({ config: {} });
  await connected;
});

// requirement: yams:principle:newline-delimited, yams:transport:ndjson, yams:host:call-line
// requirement: yams:overview:readable, yams:principle:compliant
test('what is sent is compact JSON, one line a message and never a blank one', async () => {
  const there = new PassThrough();
  const back = new PassThrough();
  const pipe = streamPipe(back, there);
  const sent: string[] = [];
  there.setEncoding('utf8').on('data', (text: string) => {
    sent.push(text);
    const { id } = JSON.parse(text) as { id: number };
    back.write(`{"jsonrpc":"2.0","id":${id},"result":{}}\n`);
  });
  const end = await yams.connect(
    pipe,
    { name: 'x', start: { kind: 'program', command: 'x' }, config: { a: 'ä\n' } },
    recordingServices().services,
  );
  await end.shutdown(1000);
  expect(sent.join('')).toBe(
    '{"jsonrpc":"2.0","id":1,"method":"handshake.manifest"}\n' +
      '{"jsonrpc":"2.0","id":2,"method":"plugin.init","params":{"config":{"a":"ä\\n"}}}\n' +
      '{"jsonrpc":"2.0","id":3,"method":"plugin.shutdown"}\n',
  );
  end.close();
});

// requirement: yams:init:status, yams:init:status-initialized
test.each([
  { status: 'initialized' },
  { status: 'ok' },
  { status: 'degraded', note: 'without its models' },
  { status: 17 },
  {},
  null,
  'ready',
  true,
])('the init result %j is fine', async (init) => {
  const { end } = await started({ init });
  expect(end.manifest.name).toBe('the_extractor');
});

// requirement: yams:init:config-applied
test('the applied configuration is kept', async () => {
  const { end } = await started({ init: { status: 'ok', config_applied: { folder: '/tmp/other' } } });
  expect(end.manifest.configApplied).toEqual({ folder: '/tmp/other' });
});

// requirement: yams:init:status-error
test.each([
  [{ status: 'error', message: 'No licence.' }, 'No licence.'],
  [{ status: 'error', error: { message: 'No model.' } }, 'No model.'],
  [{ status: 'error', port: 80 }, '{"status":"error","port":80}'],
])('the init result %j fails the start with the reason', async (init, reason) => {
  const { raw, connected } = hostAndRawEnd(yams, 'lines');
  await reply(raw, 'handshake.manifest', {});
  await reply(raw, 'plugin.init', init);
  await expect(connected).rejects.toMatchObject({
    code: 'START_FAILED',
    message: `Plugin "the-plugin" answered plugin.init with an error: ${reason}`,
  });
  await raw.inputEnded;
});

test('an init that is answered with an error fails the start', async () => {
  const { raw, connected } = hostAndRawEnd(yams, 'lines');
  await reply(raw, 'handshake.manifest', {});
  await replyError(raw, { code: -32602, message: 'config.depth is not a number' });
  await expect(connected).rejects.toMatchObject({
    code: 'START_FAILED',
    message: 'Plugin "the-plugin" answered plugin.init with error -32602: config.depth is not a number.',
  });
});

test('an init for which something is missing says what', async () => {
  const { raw, connected } = hostAndRawEnd(yams, 'lines');
  await reply(raw, 'handshake.manifest', {});
  const data = { reason: 'DependencyMissing', dependency: 'ghidra', env_var: 'GHIDRA_HOME' };
  await replyError(raw, { code: -32603, message: 'Ghidra not found.', data });
  await expect(connected).rejects.toMatchObject({
    code: 'REQUIREMENT_MISSING',
    message:
      'Plugin "the-plugin" answered plugin.init with error -32603: Ghidra not found. Set GHIDRA_HOME in the environment of the plugin.',
  });
});

// requirement: yams:init:required
test.each([
  ['is started when there is nothing to set up', undefined, 'started'],
  ['is started when the configuration is empty', {}, 'started'],
  ['is refused when it would not see its configuration', { depth: 3 }, 'START_FAILED'],
])('a plugin without plugin.init %s', async (_, config, expected) => {
  const { raw, connected } = hostAndRawEnd(yams, 'lines', { spec: config === undefined ? {} : { config } });
  await reply(raw, 'handshake.manifest', {});
  await replyError(raw, { code: -32601, message: 'Method not found' });
  const outcome = await connected.then(
    () => 'started',
    (error: unknown) => (error as { code: string }).code,
  );
  expect(outcome).toBe(expected);
});

// requirement: yams:manifest:required
test('a plugin without a manifest is refused, with what to do', async () => {
  const { raw, connected } = hostAndRawEnd(yams, 'lines');
  await replyError(raw, { code: -32601, message: 'Method not found' });
  await expect(connected).rejects.toMatchObject({
    code: 'PROTOCOL_VIOLATION',
    message:
      'Plugin "the-plugin" answered handshake.manifest with error -32601: Method not found. A YAMS plugin answers it with its manifest; does this one speak another dialect?',
  });
});

test('a plugin without a handshake is started when its manifest is on disk', async () => {
  const manifest = { name: 'on_disk', version: '2.0.0' };
  const { raw, connected } = hostAndRawEnd(yams, 'lines', { spec: { manifest } });
  await replyError(raw, { code: -32601, message: 'Method not found' });
  await reply(raw, 'plugin.init', {});
  expect((await connected).manifest).toMatchObject({ ...manifest, raw: {} });
});

test.each([17, null, 'name', ['name'], true])('the manifest %j is refused', async (manifest) => {
  const { raw, connected } = hostAndRawEnd(yams, 'lines');
  await reply(raw, 'handshake.manifest', manifest);
  await expect(connected).rejects.toMatchObject({
    code: 'PROTOCOL_VIOLATION',
    message: `Plugin "the-plugin" answered handshake.manifest with ${JSON.stringify(manifest)}; expected { name, version, interfaces, … }.`,
  });
});

test.each(['handshake.manifest', 'plugin.init'])(
  'a pipe that ends during %s ends the start',
  async (method) => {
    const { raw, connected } = hostAndRawEnd(yams, 'lines');
    if (method === 'plugin.init') await reply(raw, 'handshake.manifest', {});
    expect((await raw.nextRequest()).method).toBe(method);
    raw.end();
    await expect(connected).rejects.toMatchObject({ code: 'PIPE_ENDED' });
  },
);

test.each(['handshake.manifest', 'plugin.init'])('the start can be given up during %s', async (method) => {
  const controller = new AbortController();
  const { raw, connected } = hostAndRawEnd(yams, 'lines', { signal: controller.signal });
  if (method === 'plugin.init') await reply(raw, 'handshake.manifest', {});
  await raw.nextRequest();
  controller.abort();
  await expect(connected).rejects.toMatchObject({
    code: 'START_FAILED',
    message: `The start of plugin "the-plugin" was given up before it answered ${method}.`,
  });
  await raw.inputEnded;
});

test('what a plugin prints before and between its answers is reported, and nothing breaks', async () => {
  const { raw, connected, told } = hostAndRawEnd(yams, 'lines');
  raw.sendText('Loading models …', '{"progress":50}', '123', '', 'null', '[]');
  await reply(raw, 'handshake.manifest', {});
  raw.sendText('WARNING: no GPU', '{"jsonrpc":"2.0","id":999,"result":"stale"}');
  await reply(raw, 'plugin.init', {});
  await connected;
  const texts = told.troubles.map((trouble) => ('text' in trouble ? trouble.text : trouble.kind));
  expect(texts).toEqual(
    expect.arrayContaining(['Loading models …', '{"progress":50}', '123', 'WARNING: no GPU']),
  );
});
