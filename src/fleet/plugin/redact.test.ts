import { describe, expect, it } from 'vitest';
import { fakeWorld, settled } from '../../../test/support/fleet/fake-world.ts';
import type { Json } from '../../base/json.ts';
import { createSecrets } from '../../secrets/secrets.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { CallEvent } from '../../definition/outcome.ts';
import { redactAnswer, redactManifest } from './redact.ts';

const secret = 'correct-horse-battery';
const secrets = createSecrets([secret]);

describe('what a plugin says of itself', () => {
  const manifest: Manifest = {
    name: `x of ${secret}`,
    version: `1 ${secret}`,
    description: `uses ${secret}`,
    author: secret,
    instructions: `say ${secret}`,
    dialect: 'mcp',
    capabilities: [secret],
    configApplied: { key: secret },
    tools: [
      { name: 'plain', description: 'nothing to hide' },
      {
        name: 'told',
        title: secret,
        description: `with ${secret}`,
        inputSchema: {
          type: 'object',
          description: secret,
          properties: {
            description: { type: 'string', title: secret, enum: [secret, 'b'], default: secret },
            other: { examples: [secret], const: secret },
          },
        },
      },
    ],
    raw: { deep: [secret] },
  };

  it('is shown without what is known; what calls are made by stays', () => {
    expect(redactManifest(manifest, secrets)).toEqual({
      name: 'x of ***',
      version: '1 ***',
      description: 'uses ***',
      author: '***',
      instructions: 'say ***',
      dialect: 'mcp',
      capabilities: ['***'],
      configApplied: { key: '***' },
      tools: [
        { name: 'plain', description: 'nothing to hide' },
        {
          name: 'told',
          title: '***',
          description: 'with ***',
          inputSchema: {
            type: 'object',
            description: '***',
            properties: {
              description: { type: 'string', title: '***', enum: [secret, 'b'], default: secret },
              other: { examples: ['***'], const: secret },
            },
          },
        },
      ],
      raw: { deep: ['***'] },
    });
  });

  it('is the same object where there is nothing to hide', () => {
    expect(redactManifest(manifest, createSecrets(['something else']))).toBe(manifest);
  });

  it('is shown as far as it can be where it is nested too deeply', () => {
    let deep: Json = secret;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const { raw, description } = redactManifest({ ...manifest, raw: deep }, secrets);
    expect([raw, description]).toEqual(['(nested too deeply to be shown)', 'uses ***']);
  });
});

it('a failure is shown without what is known, and guessed at only in what was printed', () => {
  const failure = {
    code: 'TOOL_FAILED',
    message: `Invalid token: ${secret}`,
    data: { list: [secret] },
    details: secret,
    reason: secret,
    suggestions: [`not ${secret}`],
    stderr: `password=hunter2 ${secret} ${secret.slice(0, 10)}`,
  } as const;
  expect(redactAnswer({ ok: false, error: failure, text: secret }, secrets)).toEqual({
    ok: false,
    text: secret,
    error: {
      code: 'TOOL_FAILED',
      message: 'Invalid token: ***',
      data: { list: ['***'] },
      details: '***',
      reason: '***',
      suggestions: ['not ***'],
      stderr: 'password=*** *** ***',
    },
  });
});

describe('a plugin that tells what it knows', () => {
  const spec = { secrets: [secret], start: { kind: 'program', command: 'x' } } as const;

  it('answers its caller as it will, and its logs, progress and failures are shown without it', async () => {
    const { plugin, process } = await started();
    const call = plugin.call('echo');
    await settled();
    process.call.stream(`text ${secret}`);
    process.call.sink.event({ kind: 'log', level: 'info', message: `log ${secret}`, data: [secret] });
    process.call.sink.event({ kind: 'progress', progress: 1, message: `at ${secret}` });
    process.call.end({ ok: true, text: `done ${secret}`, data: secret });
    const events: CallEvent[] = [];
    for await (const event of call) events.push(event);
    expect(events).toEqual([
      { kind: 'text', text: `text ${secret}` },
      { kind: 'log', level: 'info', message: 'log ***', data: ['***'] },
      { kind: 'progress', progress: 1, message: 'at ***' },
    ]);
    expect(await call).toMatchObject({ ok: true, text: `done ${secret}`, data: secret });
    expect(JSON.stringify(plugin.logs.entries)).not.toContain(secret);

    const failing = plugin.call('echo');
    await settled();
    process.call.end({ ok: false, text: secret, error: { code: 'TOOL_FAILED', message: `no ${secret}` } });
    expect(await failing).toMatchObject({ ok: false, text: secret, error: { message: 'no ***' } });
  });

  it('ends without telling it to others', async () => {
    const { plugin, process } = await started();
    const call = plugin.call('echo');
    await settled();
    process.stderrText = `leaving with ${secret}`;
    process.exit(1);
    expect(await call).toMatchObject({ error: { code: 'PLUGIN_EXITED', stderr: 'leaving with ***' } });
    expect(plugin.status.reason?.stderr).toBe('leaving with ***');
  });

  it('does not start, and the reason does not tell it', async () => {
    const world = fakeWorld({ spec, onStart: () => {}, secretsOf: ({ secrets: own = [] }) => own });
    const starting = world.plugin.start();
    await settled();
    world.process.stderrText = secret;
    world.process.refuse(new Error(`wrong key: ${secret}`));
    await expect(starting).rejects.toMatchObject({
      code: 'START_FAILED',
      message: 'Plugin "fake" could not be started: wrong key: ***',
      stderr: '***',
    });
  });

  async function started() {
    const world = fakeWorld({
      spec,
      secretsOf: ({ secrets: own = [] }) => own,
      manifest: { description: `has ${secret}` },
    });
    expect(await world.plugin.start()).toMatchObject({ description: 'has ***' });
    return { plugin: world.plugin, process: world.process };
  }
});
