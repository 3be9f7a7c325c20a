// A plugin of one dialect, served in another by the built command, and asked there by our own host end: what comes through.
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { Answer } from '../../src/definition/outcome.ts';
import type { DialectName } from '../../src/definition/plugin-spec.ts';
import type { WirePort } from '../../src/dialect/host-dialect.ts';
import { hostDialects } from '../../src/dialect/hosts.ts';
import { spawn } from '../../src/fleet/supervisor/spawn.ts';
import { environment, program } from '../support/surface/command-line.ts';
import { callAndHear, hear, recordingServices, type Told } from '../support/dialect/dialect-host.ts';
import { root } from '../support/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface ServedPair {
  readonly end: WirePort;
  readonly told: Told;
}

/** The command line that serves a fixture of one dialect as another. */
export function serveWords(source: DialectName, target: DialectName): readonly string[] {
  const plugin = path.join(root, 'test/plugins/served', `${source}.mjs`);
  return serveAgainWords([plugin], { source, target });
}

/** The command line that serves what another one starts. */
export function serveAgainWords(
  words: readonly string[],
  { source, target }: { readonly source: DialectName; readonly target: DialectName },
): readonly string[] {
  return [program, 'serve', '--as', target, '--dialect', source, '--', process.execPath, ...words];
}

export function servePair(
  source: DialectName,
  target: DialectName,
  config?: JsonObject,
): Promise<ServedPair> {
  return connectTo(serveWords(source, target), target, config);
}

/** Its process group is gone when the test is over. */
export async function connectTo(
  words: readonly string[],
  target: DialectName,
  config?: JsonObject,
): Promise<ServedPair> {
  const running = spawn({
    command: process.execPath,
    args: words,
    env: environment({ home: temporaryFolder() }),
  });
  onTestFinished(async () => {
    await running.stop({ stdinMs: 0, termMs: 10_000 });
  });
  const dialect = await hostDialects[target]?.();
  if (dialect === undefined) throw new Error(`There is no host end of ${target}.`);
  const { services, told } = recordingServices();
  const start = { kind: 'program', command: 'started already' } as const;
  const end = await dialect.connect(
    running.pipe,
    { name: 'served', start, ...(config === undefined ? {} : { config }) },
    services,
  );
  return { end, told };
}

/** What of all that a plugin may say or be asked comes through, by the names of the table in docs/serve-as.md. */
export async function passages(source: DialectName, target: DialectName): Promise<Record<string, boolean>> {
  const { end, told } = await servePair(source, target);
  const { manifest } = end;
  const greet = manifest.tools.find(({ name }) => name === 'greet');
  const greeted = callAndHear(end, { tool: 'greet', args: { name: 'Ada' } });
  const greeting = await greeted.answer;
  const failed = errorOf(await callAndHear(end, { tool: 'fail' }).answer);
  const limited = errorOf(await callAndHear(end, { tool: 'hurry' }).answer);
  const logs = () => [
    ...greeted.events.flatMap((event) => (event.kind === 'log' ? [event] : [])),
    ...told.logs,
  ];
  const facets = await facetsThrough(end);
  const session = await sessionThrough(end);
  const seen = {
    'name and version': manifest.name === 'served' && manifest.version === '1.2.3',
    'description of the plugin': manifest.description === 'Greets.',
    author: manifest.author === 'The tests',
    instructions: manifest.instructions === 'Greet before you fail.',
    'descriptions of tools': greet?.description === 'Greets somebody.',
    'schemas of arguments': JSON.stringify(greet?.inputSchema ?? null).includes('"name":{"type":"string"'),
    hints: greet?.hints?.readOnly === true,
    'text of an answer': greeting.text === 'Hello, Ada!',
    'streamed text': greeted.events.some((event) => event.kind === 'text' && event.text === 'Hello, '),
    logs: logs().some(({ message }) => message === 'greet begins'),
    progress: greeted.events.some(({ kind }) => kind === 'progress'),
    'data beside the text': /"length":"?3/.test(JSON.stringify([greeting.data, greeting.outputs])),
    'message of a failure': failed?.message.includes('No more today.') === true,
    'that it was asked too often': limited?.code === 'RATE_LIMITED',
    'reason of a failure': failed?.reason === 'OutOfGreetings',
    'details of a failure': failed?.details === 'There were ten of them.',
    recoverable: failed?.recoverable === true,
    suggestions: failed?.suggestions?.[0] === 'Come back tomorrow.',
    'a session': session,
    ...facets,
    health: (await end.health?.(5000))?.status === 'degraded',
    'prompts and resources': end.prompts !== undefined && end.resources !== undefined,
    configuration: await configurationThrough(source, target),
    cancellation: await cancellationThrough(end, told),
  };
  return seen;
}

async function facetsThrough(end: WirePort): Promise<Record<string, boolean>> {
  const { extractor, planner, executor } = end;
  const bytes = Buffer.from('hi');
  const extracted = await (
    extractor === undefined
      ? callAndHear(end, { tool: 'extract', args: { path: 'a.txt', content: bytes.toString('base64') } })
      : hear((sink) =>
          extractor.extract({ source: { kind: 'bytes', bytes }, type: { extension: '.txt' } }, sink),
        )
  ).answer;
  const planned = await (
    planner === undefined
      ? callAndHear(end, { tool: 'create_plan', args: { userRequest: 'a cake' } })
      : hear((sink) => planner.createPlan({ userRequest: 'a cake' }, sink))
  ).answer;
  const done = await (
    executor === undefined
      ? callAndHear(end, { tool: 'execute_task', args: { type: 'analysis', prompt: 'bake' } })
      : hear((sink) => executor.executeTask({ type: 'analysis', prompt: 'bake' }, sink))
  ).answer;
  return {
    'an extractor': extracted.text === 'hi',
    'a planner': JSON.stringify(planned.data ?? planned.text ?? null).includes('a cake'),
    'an executor': JSON.stringify(done.data ?? done.text ?? null).includes('did bake'),
  };
}

async function sessionThrough(end: WirePort): Promise<boolean> {
  const opened = await callAndHear(end, { tool: 'chat' }).answer;
  if (opened.keepSession !== true || end.talk === undefined) return false;
  const { talk } = end;
  const said = await hear((sink) => talk.input('bye', sink)).answer;
  return said.text === 'You said bye.' && said.keepSession !== true;
}

/** A second one, since the first was begun without. Hosts of the other dialects never configure anything. */
async function configurationThrough(source: DialectName, target: DialectName): Promise<boolean> {
  if (target === 'gassist' || target === 'mcp') return false;
  const { end } = await servePair(source, target, { greeting: 'Good day' });
  return (await callAndHear(end, { tool: 'greet', args: { name: 'Ada' } }).answer).text === 'Good day, Ada!';
}

/** The last that is asked: elsewhere the plugin may wait on. */
async function cancellationThrough(end: WirePort, told: Told): Promise<boolean> {
  const waiting = callAndHear(end, { tool: 'wait' });
  if (waiting.wireCall.cancel('Enough.') === 'occupied') return false;
  // Answered after the plugin has heard of it, since it hears in order.
  const after = callAndHear(end, { tool: 'greet', args: { name: 'Ada' } });
  await after.answer;
  return [...after.events, ...told.logs].some(
    (said) => 'message' in said && said.message === 'heard that it was cancelled',
  );
}

export function errorOf(answer: Answer) {
  return answer.ok ? undefined : answer.error;
}
