// A running `pluglot up` as clients reach it: over the HTTP API and as an MCP server.
import fs from 'node:fs';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { startCli, type RunningCli } from './command-line.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface Served {
  readonly url: string;
  /** For clients of MCP. */
  readonly token: string;
  /** Lets in one browser; undefined where there is no page. */
  readonly link?: string;
}

export interface ServedUp extends Served {
  readonly up: RunningCli;
  readonly home: string;
  readonly cwd: string;
  /** Writes one of the user's own files anew. */
  readonly write: (file: 'pluglot.json' | 'permissions.json', content: unknown) => void;
}

/** One with these files of its user's own, in an empty project. Its clients may call everything. */
export async function servedUp(
  config: object,
  words: readonly string[] = [],
  around: { readonly env?: NodeJS.ProcessEnv; readonly files?: Parameters<typeof temporaryFolder>[0] } = {},
): Promise<ServedUp> {
  const permissions = { defaultPolicy: 'allow' };
  const home = temporaryFolder({ 'pluglot/pluglot.json': config, 'pluglot/permissions.json': permissions });
  const cwd = temporaryFolder({ '.git/HEAD': '', ...around.files });
  const env = around.env === undefined ? {} : { env: around.env };
  const up = startCli(['up', '--port', '0', ...words], { home, cwd, ...env });
  await up.until('stdout', /plugins? (?:is|are) ready/);
  const write: ServedUp['write'] = (file, content) =>
    fs.writeFileSync(
      path.join(home, 'pluglot', file),
      typeof content === 'string' ? content : JSON.stringify(content),
    );
  return { up, home, cwd, write, ...servedAt(up.stdout) };
}

/** From what it prints. */
export function servedAt(printed: string): Served {
  const [, url = ''] = /(http:\/\/[\d.]+:\d+)\/mcp/.exec(printed) ?? [];
  const [, token = ''] = /Bearer (plt_[\w-]+)/.exec(printed) ?? /"token":"(plt_[\w-]+)"/.exec(printed) ?? [];
  const [link] = /http:\/\/[\d.]+:\d+\/#\/enter\/[\w-]+/.exec(printed) ?? [];
  return { url, token, ...(link !== undefined && { link }) };
}

const entered = new Map<string, Promise<string>>();

/** As the page of the console asks, which is the user; the link is used once. */
export async function userHeaders({ url, link = '' }: Served): Promise<Record<string, string>> {
  const cookie = entered.get(link) ?? enter(url, link);
  entered.set(link, cookie);
  return { cookie: await cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
}

async function enter(url: string, link: string): Promise<string> {
  const answer = await fetch(`${url}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: link.split('/').at(-1) }),
  });
  if (!answer.ok) throw new Error(`The link does not let in: ${answer.status}`);
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** As the user by default, so that no question is asked. */
export async function callOverHttp(
  served: Served,
  tool: string,
  args: object,
  caller?: { readonly kind: string },
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${served.url}/api/v1/tools/${encodeURIComponent(tool)}/call`, {
    method: 'POST',
    headers: await userHeaders(served),
    body: JSON.stringify({ args, caller }),
  });
  // Of our own server.
  return (await answer.json()) as Record<string, unknown>;
}

export async function getJson(served: Served, path: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${served.url}${path}`, { headers: await userHeaders(served) });
  return (await answer.json()) as Record<string, unknown>;
}

export async function mcpClient(
  { url, token }: Served,
  query = '',
  options: ClientOptions = {},
  more: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const client = new Client({ name: 'a test', version: '1.0.0' }, options);
  const headers = { authorization: `Bearer ${token}`, ...more };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), {
    requestInit: { headers },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** A tool of each dialect of the bundled plugins, with arguments, and what is in the answer. */
export const ofEachDialect: readonly (readonly [
  dialect: string,
  tool: string,
  args: object,
  says: RegExp,
])[] = [
  ['gassist', 'countdown', { from: 1 }, /Liftoff/],
  ['yams', 'markdown.outline', { text: '# One\n## Two' }, /Two/],
  ['gevals', 'contains', { file: 'note.txt', text: 'hello' }, /as expected/],
  ['planner', 'execute_task', { task_type: 'analysis', prompt: 'two words' }, /2 words/],
  ['mcp', 'roll', { dice: '1d1' }, /1/],
];
