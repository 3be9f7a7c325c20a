// No secret in logs, errors or the console: a plugin tells its secrets wherever it can, and they are looked for wherever anybody looks.
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cli, fixture, startCli, type CliOptions } from '../support/surface/command-line.ts';
import { mcpHttpServer, type McpHttpServer } from '../support/dialect/mcp/raw-http-server.ts';
import { helloResult } from '../support/dialect/mcp/raw-server.ts';
import {
  callOverHttp,
  mcpClient,
  servedAt,
  userHeaders,
  type Served,
} from '../support/surface/running-up.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** None of them has a name or a shape that tells what it is. */
const secrets = {
  variable: 'plum orchard 41 velvet',
  file: 'granite "lantern" 77\\moss',
  argument: 'walrus_9_parade_ink',
  header: 'tulip-88-harbour-fog',
  config: 'ember/55+saddle?rain',
  profile: 'copper-13-meadow-sail',
  lines: 'birch 12 kettle\nsorrel-7-lamp',
};

/** As somebody may meet them. */
const forms = Object.values(secrets).flatMap((secret) => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  encodeURIComponent(secret),
  encodeURIComponent(encodeURIComponent(secret)),
  encodeURI(secret),
  secret.replaceAll('"', '&quot;'),
  secret.replaceAll('\\', '\\\\'),
  ...secret.split('\n'),
  Buffer.from(secret).toString('base64').slice(0, 16),
  Buffer.from(`me:${secret}`).toString('base64').slice(4, 20),
]);

/** What was seen, by where. */
type Surfaces = Record<string, string>;

/** By where, the first of each. */
function leaksIn(surfaces: Surfaces, others: readonly string[] = []): string[] {
  return Object.entries(surfaces).flatMap(([where, text]) => {
    const found = [...forms, ...others, 'hunter2'].find((form) => text.includes(form));
    const at = found === undefined ? -1 : text.indexOf(found);
    return at === -1 ? [] : [`${where}: ${text.slice(Math.max(0, at - 80), at + 80)}`];
  });
}

/** Many commands, one after the other, on a machine that may be busy. */
const timeout = 300_000;

test(
  'a secret that plugins tell everywhere is seen by nobody but whoever called for it',
  { timeout },
  async () => {
    const { options, home } = await place();
    const up = startCli(['up', '--port', '0', '-vv'], options);
    await up.until('stdout', /plugins are ready\.|plugin is ready\./);
    const served = servedAt(up.stdout);
    const events = await follow(served, '/api/v1/events?traffic=true');
    const logs = await follow(served, '/api/v1/plugins/teller/logs?follow=true');
    const recording = await send(served, 'POST', '/api/v1/recordings', { plugin: 'teller', file: 'told' });
    const seen: Surfaces = { 'start of recording': recording };

    const told = await callOverHttp(served, 'tell', {});
    expect(told).toMatchObject({ ok: true });
    const all = `${secrets.variable} and ${secrets.file} and ${secrets.argument}`;
    expect(told['text']).toBe(`stream: ${all} result: ${all}`);
    expect(await callOverHttp(served, 'told.config', {})).toMatchObject({ ok: true, text: secrets.config });
    expect(await callOverHttp(served, 'echo', {})).toMatchObject({ ok: true, text: secrets.header });

    for (const tool of ['fail', 'told.failure', 'break', 'die']) {
      const failed = await callOverHttp(served, tool, { note: secrets.variable });
      expect(failed).toMatchObject({ ok: false });
      seen[`failure of ${tool}`] = JSON.stringify(failed);
    }
    const { error } = await callOverHttp(served, 'refuse', {});
    seen['failure of refuse'] = JSON.stringify(error);
    seen['failed start'] = await send(served, 'POST', '/api/v1/plugins/quitter/start', {});
    expect(seen['failed start']).toContain('"status":502');

    // A model has to be allowed to, and what it wants is shown to whoever is asked.
    const client = await mcpClient(served);
    seen['tools of a client'] = JSON.stringify(await client.listTools());
    const wanted = client.callTool({ name: 'tell', arguments: { note: `with ${secrets.header}` } });
    await up.until('stderr', /wants to call tell/);
    seen['questions'] = await get(served, '/api/v1/approvals');
    expect(seen['questions']).toContain('with ***');
    const [, question = ''] = /"id":"([^"]+)"/.exec(seen['questions']) ?? [];
    await send(served, 'POST', `/api/v1/approvals/${question}`, { kind: 'deny', scope: 'once', by: 'me' });
    expect((await wanted).isError).toBe(true);

    const [, id = ''] = /"id":"([^"]+)"/.exec(recording) ?? [];
    seen['end of recording'] = await send(served, 'DELETE', `/api/v1/recordings/${id}`);
    const asked = ['health', 'plugins', 'tools', 'commands', 'traffic', 'audit', 'approvals', 'recordings'];
    for (const name of ['teller', 'configured', 'remote', 'quitter'])
      asked.push(`plugins/${name}`, `plugins/${name}/logs`);
    for (const name of ['teller', 'configured', 'remote']) asked.push(`traffic/cassette?plugin=${name}`);
    for (const one of asked) seen[one] = await get(served, `/api/v1/${one}`);
    seen['metrics'] = await get(served, '/metrics');

    const attached = `logs teller|logs quitter|plugins|tools|status|audit -n 0|inspect teller|inspect configured|inspect remote
    |inspect quitter|call fail|call told.failure|call die|start quitter|run mcp list`;
    Object.assign(seen, await commands(attached, options));
    for (const { text } of [events, logs]) expect(text()).toContain('***');
    Object.assign(seen, { events: events.text(), 'log stream': logs.text() });
    up.child.kill('SIGINT');
    expect(await up.ended).toBe(130);
    Object.assign(seen, { 'stderr of up': up.stderr, 'stdout of up': up.stdout });
    expect(up.stderr).toMatch(/← .*error: \*\*\* and \*\*\*/);

    // What keeps nothing to itself is its owner's: the configuration and the results for callers.
    Object.assign(seen, filesIn(path.join(home, 'pluglot/state')));
    for (const name of ['logs/teller.log', 'recordings/told.jsonl'])
      expect(Object.keys(seen)).toContain(name);
    expect(Object.keys(seen).filter((name) => /^audit\/audit-.*\.jsonl$/.test(name))).not.toEqual([]);
    expect(leaksIn(seen)).toEqual([]);
    // People have to see what lets them in, there and nowhere else.
    const { 'stdout of up': _, 'access-tokens.json': kept, ...others } = seen;
    expect(kept).toContain(served.token);
    expect(leaksIn(others, [served.token])).toEqual([]);
  },
);

test('commands with a host of their own tell nothing either', { timeout }, async () => {
  const { options, home } = await place();
  const typed = ['--', process.execPath, fixture('gassist/tells-its-secrets.mjs'), '${env:TELLER_ARGUMENT}'];
  const configured = `doctor|inspect -vv teller|call fail|call -vv die|call told.failure|start quitter|logs teller`;
  const seen = {
    ...(await commands(configured, options)),
    ...(await commands('call fail|inspect|check --only gassist:initialize', options, typed)),
    ...(await commands(`record ${home}/typed.jsonl --call fail`, options, typed)),
  };
  Object.assign(seen, filesIn(path.join(home, 'pluglot/state')));
  const cassette = fs.readFileSync(path.join(home, 'typed.jsonl'), 'utf8');
  expect(cassette).toContain('***');
  expect(leaksIn({ ...seen, cassette })).toEqual([]);
});

/** Each with and without --json. What a tool gives its caller is its business; how it failed is not. */
async function commands(
  lines: string,
  options: CliOptions,
  typed: readonly string[] = [],
): Promise<Surfaces> {
  const seen: Surfaces = {};
  const run = async (args: readonly string[]) => {
    const { stdout, stderr } = await cli([...args, ...typed], options);
    expect(stdout + stderr, args.join(' ')).not.toBe('');
    seen[args.join(' ')] = `${stdout}\n${stderr}`;
  };
  for (const line of lines.split('|')) {
    const words = line.trim().split(' ');
    await Promise.all([run(words), ...(words[0] === 'record' ? [] : [run([...words, '--json'])])]);
  }
  return seen;
}

function filesIn(folder: string): Surfaces {
  const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true });
  return Object.fromEntries(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(folder, file), fs.readFileSync(file, 'latin1')]),
  );
}

/** A home with plugins of all kinds that are handed secrets in all ways. */
async function place(): Promise<{ options: CliOptions; home: string }> {
  const server = await tellingServer();
  const elsewhere = temporaryFolder({ page: `${secrets.file}\n` });
  const teller = {
    command: process.execPath,
    args: [fixture('gassist/tells-its-secrets.mjs'), '${env:TELLER_ARGUMENT}'],
    dialect: 'gassist',
    env: { WORD: '${env:TELLER_WORD}', KEY: '${env:TELLER_KEY}', PAGE: `\${file:${elsewhere}/page}` },
  };
  const plugins = {
    teller,
    quitter: { ...teller, args: [...teller.args, '--dies'], restart: { max: 0 } },
    configured: {
      command: process.execPath,
      args: [fixture('yams/tells-its-configuration.mjs')],
      dialect: 'yams',
      config: { password: secrets.config },
    },
    remote: { url: server.url, headers: { 'X-Place': '${env:TELLER_HEADER}' } },
  };
  const profiles = { small: { plugins: ['teller'], token: '${env:TELLER_PROFILE}' } };
  const home = temporaryFolder({ 'pluglot/pluglot.json': { plugins, profiles } });
  const env = {
    TELLER_WORD: secrets.variable,
    TELLER_KEY: secrets.lines,
    TELLER_ARGUMENT: secrets.argument,
    TELLER_HEADER: secrets.header,
    TELLER_PROFILE: secrets.profile,
  };
  return { home, options: { home, cwd: temporaryFolder({ '.git/HEAD': '' }), env } };
}

/** An MCP server that tells the header it was sent. */
function tellingServer(): Promise<McpHttpServer> {
  return mcpHttpServer(({ method, message, headers }, reply) => {
    const word = String(headers['x-place']);
    const result = (value: object) => reply.json({ jsonrpc: '2.0', id: message?.id, result: value });
    if (method !== 'POST' || message?.id === undefined) return false;
    if (message.method === 'initialize') result({ ...helloResult(), instructions: `say ${word}` });
    else if (message.method === 'tools/list')
      result({
        tools: ['echo', 'break'].map((name) => ({
          name,
          description: `${name} ${word}`,
          inputSchema: { type: 'object' },
        })),
      });
    else if (message.params?.['name'] === 'echo') result({ content: [{ type: 'text', text: word }] });
    else if (message.params?.['name'] === 'break')
      reply.json({
        jsonrpc: '2.0',
        id: message.id,
        error: { code: -32000, message: `broken by ${word}`, data: [word] },
      });
    else return false;
    return true;
  });
}

async function get(served: Served, where: string): Promise<string> {
  const answer = await fetch(`${served.url}${where}`, { headers: await userHeaders(served) });
  expect(answer.status, where).toBe(200);
  return answer.text();
}

async function send(served: Served, method: string, where: string, body?: object): Promise<string> {
  const headers = await userHeaders(served);
  const answer = await fetch(`${served.url}${where}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return `${answer.status} ${await answer.text()}`;
}

/** All that comes, until the test is over. */
async function follow(served: Served, where: string): Promise<{ text: () => string }> {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const answer = await fetch(`${served.url}${where}`, {
    headers: { ...(await userHeaders(served)), accept: 'text/event-stream' },
    signal: over.signal,
  });
  let text = '';
  void (async () => {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of answer.body ?? [])
        text += decoder.decode(chunk as Uint8Array, { stream: true });
    } catch {
      // The host has ended, or the test.
    }
  })();
  return { text: () => text };
}
