// `pluglot inspect [NAME | -- COMMAND…]`: what a plugin is and what it can do.
import { PluglotError, toError } from '../../../base/error.ts';
import { isJsonObject, type Json } from '../../../base/json.ts';
import { printable, printableLine } from '../../../base/printable.ts';
import type { CommandManifest, Health, Manifest } from '../../../definition/manifest.ts';
import { fullName } from '../../../definition/plugin-spec.ts';
import type { Tool } from '../../../definition/tool.ts';
import type { PluginDetails, RuntimeApi } from '../../../runtime/api.ts';
import { defineCommand } from '../command.ts';
import { usageOf } from '../command-arguments.ts';
import { ExitCode, exitCodeOf } from '../exit-code.ts';
import { errorForPrograms, showFailure, withoutStderr } from '../failure.ts';
import { showLog } from '../log-lines.ts';
import { withRuntime, withoutBuiltIns } from '../open-runtime.ts';
import { hint, type Terminal } from '../terminal.ts';
import { wrap } from '../table.ts';
import { followLogs } from './call.ts';
import type { CommandContext } from '../context.ts';

type Flags = { readonly dialect?: string };

export const commands = {
  inspect: defineCommand<Flags, [name: string | undefined]>({
    description: 'Show what a plugin is: its dialect, manifest, tools, commands and health',
    examples: [
      'pluglot inspect dice',
      'pluglot inspect -- node server.mjs',
      'pluglot inspect --json -- ./plugin.py',
    ],
    uses: 'plugin',
    declare: (command) => command.argument('[name]', 'A plugin (default: all, or the one behind --)'),
    run: inspect,
  }),
};

async function inspect(context: CommandContext, flags: Flags, name: string | undefined): Promise<ExitCode> {
  const { err, command } = context;
  return withRuntime(context, flags, async (host) => {
    const names = name === undefined ? await namesIn(host) : [name];
    const isOne = name !== undefined || command !== undefined;
    if (names.length === 0) err.line('No plugins. Add one with: pluglot add NAME -- COMMAND…');
    err.progress(isOne ? `asking ${names.join()} …` : `asking ${names.length} plugins …`);
    // All at once: one that is slow or broken must not keep the others.
    const asked = names.map((each) => ask(context, host, each, isOne));
    if (isOne) return showOne(context, await asked[0]);
    return context.json ? listAll(context, await Promise.all(asked)) : showAll(context, asked);
  });
}

async function namesIn(host: RuntimeApi): Promise<readonly string[]> {
  const { plugins } = await host.plugins({ fresh: true });
  return withoutBuiltIns(plugins).map(({ name }) => name);
}

type Asked = { readonly name: string } & (
  | { readonly inspection: Inspection }
  | { readonly error: PluglotError }
);

async function ask(context: CommandContext, host: RuntimeApi, name: string, isOne: boolean): Promise<Asked> {
  const { err, verbosity } = context;
  let isPrintShown = false;
  const logs = followLogs(context, host, name, (line) => {
    // The failure itself has the reason.
    if (verbosity < 1 || (line.source === 'host' && line.level === 'error')) return;
    showLog(err, line, verbosity);
    // With several plugins the line has no owner.
    isPrintShown ||= isOne && line.source === 'stderr';
  });
  try {
    return { name, inspection: inspectionOf(await host.plugin(name, { ask: true })) };
  } catch (thrown) {
    const error = toError(thrown);
    if (error instanceof PluglotError)
      return { name, error: isPrintShown && !context.json ? withoutStderr(error) : error };
    throw error;
  } finally {
    await logs.end();
  }
}

function showOne(context: CommandContext, asked: Asked | undefined): ExitCode {
  if (asked === undefined) return ExitCode.ok;
  if ('error' in asked) throw asked.error;
  const { out, err, json } = context;
  if (json) out.line(JSON.stringify(forPrograms(asked.inspection)));
  else for (const line of describePlugin(asked.inspection, out)) out.line(line);
  const tip = exampleCall(asked.inspection, context.command);
  if (!json && err.live && tip !== undefined) hint(err, `\nTry: ${tip}`);
  return ExitCode.ok;
}

async function showAll(context: CommandContext, asked: readonly Promise<Asked>[]): Promise<ExitCode> {
  const { out } = context;
  const all: Asked[] = [];
  for (const each of asked) {
    const one = await each;
    if (all.length > 0) out.line();
    all.push(one);
    if ('error' in one) showFailure(one.error, context);
    else for (const line of describePlugin(one.inspection, out)) out.line(line);
  }
  return exitCodeOfAll(all);
}

function listAll({ out }: CommandContext, all: readonly Asked[]): ExitCode {
  const list = all.map((one) =>
    'error' in one ? { plugin: one.name, error: errorForPrograms(one.error) } : forPrograms(one.inspection),
  );
  out.line(JSON.stringify(list));
  return exitCodeOfAll(all);
}

/** A broken one counts most, then that none may be asked. */
function exitCodeOfAll(all: readonly Asked[]): ExitCode {
  const codes = all.map((one) => ('error' in one ? exitCodeOf(one.error.code) : ExitCode.ok));
  const isRefused = (code: ExitCode) => code === ExitCode.denied || code === ExitCode.usage;
  const broken = codes.filter((code) => code !== ExitCode.ok && !isRefused(code));
  if (broken.includes(ExitCode.interrupted)) return ExitCode.interrupted;
  if (broken.length > 0) return ExitCode.broken;
  return codes.length > 0 && codes.every(isRefused) ? (codes[0] ?? ExitCode.ok) : ExitCode.ok;
}

function forPrograms({ plugin, manifest, health, commands }: Inspection) {
  const { name, version, description, dialect, tools, raw, ...rest } = manifest;
  return {
    plugin: plugin.name,
    name,
    version,
    description,
    dialect,
    ...rest,
    health,
    tools,
    commands,
    command: plugin.command,
    manifest: raw,
  };
}

interface Inspection {
  readonly plugin: Pick<PluginDetails, 'name' | 'command'>;
  readonly manifest: Manifest;
  readonly health: Health;
  readonly commands: readonly CommandManifest[];
}

/** Of a plugin that was asked. */
function inspectionOf({ name, command, manifest, health, commands }: PluginDetails): Inspection {
  if (manifest === undefined)
    throw new PluglotError('NOT_INITIALIZED', `Plugin "${name}" has not sent its manifest.`);
  return { plugin: { name, command }, manifest, health, commands: commands.map((view) => view.command) };
}

function describePlugin({ plugin, manifest, health, commands }: Inspection, terminal: Terminal): string[] {
  const { colours, columns } = terminal;
  const { bold, dim } = colours;
  const named = manifest.name === plugin.name ? '' : dim(`  known as ${plugin.name}`);
  return [
    `${bold(printableLine(manifest.name))} ${printableLine(manifest.version)}  ${runsOf(manifest, terminal)}${named}`,
    ...(manifest.description ? wrap(printable(manifest.description), columns, '  ') : []),
    ...factsOf(manifest, plugin.command).map(
      ([title, text]) => `  ${dim(title.padEnd(12))} ${printableLine(text, Math.max(columns - 16, 20))}`,
    ),
    `  ${dim('health'.padEnd(12))} ${healthText(health, terminal)}`,
    '',
    bold(manifest.tools.length === 0 ? 'No tools' : 'Tools'),
    ...manifest.tools.flatMap((tool) => describeTool(tool, terminal)),
    ...(commands.length === 0
      ? []
      : ['', bold('Commands'), ...commands.flatMap((command) => describeCommand(command, terminal))]),
    ...(manifest.instructions ? ['', bold('Instructions'), ...instructionLines(manifest, columns)] : []),
  ];
}

function runsOf({ dialect }: Manifest, { colours: { dim } }: Terminal): string {
  return dialect === 'in-process' ? dim('runs in this host') : `${dim('speaks')} ${dialect}`;
}

function instructionLines({ instructions = '' }: Manifest, columns: number): string[] {
  const shown =
    instructions.length > INSTRUCTIONS_MAX ? `${instructions.slice(0, INSTRUCTIONS_MAX)}…` : instructions;
  return printable(shown)
    .trimEnd()
    .split('\n')
    .flatMap((line) => (line.trim() === '' ? [''] : wrap(line, columns, '  ')));
}

/** More is read in `--json`. */
const INSTRUCTIONS_MAX = 4000;

/** An example call of its first tool; undefined when it does not fit a line. */
function exampleCall(
  { plugin, manifest }: Inspection,
  command: readonly string[] | undefined,
): string | undefined {
  const [tool] = manifest.tools;
  if (tool === undefined) return undefined;
  const required = parametersOf(tool).filter((parameter) => parameter.required);
  const words = [fullName(plugin.name, tool.name), ...required.map(({ name }) => `${name}=…`)];
  const behind = command === undefined ? [] : ['--', ...command];
  const all = [...words, ...behind];
  return all.every((word) => /^[\w@%+=:,./…-]+$/.test(word)) ? `pluglot call ${all.join(' ')}` : undefined;
}

function factsOf(manifest: Manifest, command: string): [string, string][] {
  const { interfaces, extractor, requires, capabilities, configApplied } = manifest;
  const facts: [string, string | undefined][] = [
    ['command', command],
    ['author', manifest.author],
    ['protocol', manifest.protocolVersion],
    [
      'interfaces',
      interfaces?.map(({ id, version }) => (version === undefined ? id : `${id} ${version}`)).join(', '),
    ],
    ['extracts', extractor && [...extractor.formats, ...extractor.extensions].join(', ')],
    ['requires', requires?.map(({ command }) => command).join(', ')],
    ['capabilities', capabilities === undefined ? undefined : JSON.stringify(capabilities)],
    ['configured', configApplied === undefined ? undefined : JSON.stringify(configApplied)],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== '');
}

function healthText({ status, message, details }: Health, { colours, columns }: Terminal): string {
  const { green, yellow, red, dim } = colours;
  const paint = { ok: green, degraded: yellow, error: red }[status];
  // The status is shown already.
  const { status: _, ...others } = isJsonObject(details) ? details : {};
  const more = [message, Object.keys(others).length === 0 ? undefined : JSON.stringify(others)];
  const text = more.filter(Boolean).join('  ');
  const width = Math.max(columns - 18 - status.length, 20);
  return text === '' ? paint(status) : `${paint(status)}  ${dim(printableLine(text, width))}`;
}

function describeTool(tool: Tool, { colours, columns }: Terminal): string[] {
  const { cyan, dim } = colours;
  const tags =
    tool.tags === undefined || tool.tags.length === 0
      ? ''
      : dim(`  ${tool.tags.map((tag) => printableLine(tag)).join(', ')}`);
  return [
    `  ${cyan(printableLine(tool.name))}${tags}`,
    ...(tool.description ? wrap(printable(tool.description), columns, '    ') : []),
    ...parametersOf(tool).flatMap(({ name, type, required, description }) => [
      `    ${dim('·')} ${printableLine(name)}${dim(`: ${type}${required ? '' : ', optional'}`)}`,
      ...(description ? wrap(printable(description), columns, '      ').map(dim) : []),
    ]),
  ];
}

function describeCommand(command: CommandManifest, { colours, columns }: Terminal): string[] {
  const { cyan, dim } = colours;
  const described = command.parameters.filter(({ description }) => description);
  return [
    `  ${cyan(printableLine(usageOf(command)))}`,
    ...(command.description ? wrap(printable(command.description), columns, '    ') : []),
    ...described.flatMap(({ name, description = '' }) => [
      `    ${dim('·')} ${printableLine(name)}`,
      ...wrap(printable(description), columns, '      ').map(dim),
    ]),
  ];
}

function parametersOf({ inputSchema }: Tool) {
  const properties = isJsonObject(inputSchema) ? inputSchema['properties'] : undefined;
  const required = isJsonObject(inputSchema) ? inputSchema['required'] : undefined;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    required: Array.isArray(required) && required.includes(name),
    description:
      isJsonObject(schema) && typeof schema['description'] === 'string' ? schema['description'] : undefined,
  }));
}

function typeOf(schema: Json): string {
  if (!isJsonObject(schema)) return 'anything';
  const { type, enum: values, default: fallback } = schema;
  const kind = Array.isArray(values)
    ? values.map((value) => JSON.stringify(value)).join(' | ')
    : Array.isArray(type)
      ? type.join(' | ')
      : typeof type === 'string'
        ? type
        : 'anything';
  return printableLine(fallback === undefined ? kind : `${kind} = ${JSON.stringify(fallback)}`, 60);
}
