// The plugin of references in a project of its own, with a person, a gate, pages and one MCP server.
import path from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { PendingCall } from '../../../src/definition/call.ts';
import type { Gate } from '../../../src/gate/gate.ts';
import type { TerminalPort } from '../../../src/outside/terminal.ts';
import { referencesPlugin } from '../../../src/plugins/references/references-plugin.ts';
import { fakeClock } from '../../../src/testing/fake-clock.ts';
import { around, running, started } from '../definition/running-definition.ts';
import { temporaryFolder, type Content } from '../temporary-folder.ts';

/** A source of each type. */
export const catalog = {
  version: '1.0',
  sources: [
    {
      id: 'rules',
      name: 'Rules',
      type: 'inline',
      content: '1. Use TypeScript',
      mode: 'auto',
      tags: ['rules'],
    },
    {
      id: 'api',
      name: 'API',
      description: 'The API',
      type: 'local',
      path: './api.md',
      tags: ['api', 'REST'],
    },
    { id: 'page', name: 'Page', type: 'url', url: 'https://example.org/page', tags: ['style'] },
    { id: 'wiki', name: 'Wiki', type: 'mcp', server: 'Wiki', tool: 'get', tags: ['auth', 'api'] },
  ],
};

interface Given {
  readonly files?: Readonly<Record<string, Content>>;
  readonly typed?: string;
  readonly person?: TerminalPort;
  readonly trusted?: { value: boolean };
  readonly tools?: Set<string>;
}

export function setUpReferences({
  files = { 'references.json': catalog, 'api.md': 'GET /users' },
  typed = 'all',
  person,
  trusted = { value: true },
  tools = new Set(['Wiki__get']),
}: Given = {}) {
  const cwd = temporaryFolder(files);
  const shown: string[] = [];
  const printed: string[] = [];
  const clock = fakeClock();
  const anyone: TerminalPort = {
    ask: (text) => {
      shown.push(text);
      return Promise.resolve(typed);
    },
  };
  // The part of a gate that is used.
  const gate = {
    check: () => Promise.resolve({ kind: 'allow', method: 'default', reason: '' }),
    call: (name: string) => {
      const call = new PendingCall({ id: '1', tool: name, clock: systemClock, onCancel: () => {} });
      call.end({ ok: true, text: 'From the wiki' });
      return call;
    },
  } as unknown as Gate;
  const definition = referencesPlugin(
    {
      env: {},
      cwd,
      configFolder: path.join(cwd, 'user'),
      fetch: () =>
        Promise.resolve(new Response('From the page', { headers: { 'content-type': 'text/plain' } })),
      now: () => new Date(0),
      gate: () => gate,
      findTool: (name) => (tools.has(name) ? { plugin: 'Wiki', tool: { name: 'get' } } : undefined),
      isTrusted: () => Promise.resolve(trusted.value),
      person: person ?? anyone,
      print: (line) => void printed.push(line),
    },
    { clock, addressesOf: () => Promise.resolve(['8.8.8.8']) },
  );
  const run = running(definition, { dataFolder: () => path.join(cwd, 'data') });
  const call = async (tool: string, args: JsonObject = {}) => (await run.call(tool, args)).answer;
  const command = async (tool: string, args: JsonObject = {}) =>
    (
      await started(
        (sink) =>
          run.backend.commands?.run({ ...around, tool, args }, sink) ?? { cancel: () => 'free' as const },
      ).ended
    ).answer;
  return { ...run, cwd, shown, printed, call, command, clock };
}
