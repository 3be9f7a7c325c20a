// What a plugin is and what it can do, for people.
import { isJsonObject, type Json } from '../../base/json.ts';
import type { CommandProfile } from '../../definition/backend.ts';
import { fullName } from '../../definition/full-name.ts';
import type { Health } from '../../definition/manifest.ts';
import type { Tool } from '../../definition/tool.ts';
import { usageOf } from './command-arguments.ts';
import { PluglotError } from '../../base/error.ts';
import type { PluginDetails, ShownManifest } from '../../runtime/api.ts';
import { printable, printableLine } from '../../base/printable.ts';
import type { Terminal } from './terminal.ts';
import { wrap } from './wrap.ts';

export interface Inspection {
  readonly plugin: Pick<PluginDetails, 'name' | 'command'>;
  readonly manifest: ShownManifest;
  readonly health: Health;
  readonly commands: readonly CommandProfile[];
}

/** Of a plugin that was asked. */
export function inspectionOf({ name, command, manifest, health, commands }: PluginDetails): Inspection {
  if (manifest === undefined)
    throw new PluglotError('NOT_INITIALIZED', `Plugin "${name}" has not introduced itself.`);
  return { plugin: { name, command }, manifest, health, commands: commands.map((view) => view.command) };
}

export function describePlugin(
  { plugin, manifest, health, commands }: Inspection,
  terminal: Terminal,
): string[] {
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

function runsOf({ dialect }: ShownManifest, { colours: { dim } }: Terminal): string {
  return dialect === 'in-process' ? dim('runs in this host') : `${dim('speaks')} ${dialect}`;
}

function instructionLines({ instructions = '' }: ShownManifest, columns: number): string[] {
  const shown =
    instructions.length > INSTRUCTIONS_MAX ? `${instructions.slice(0, INSTRUCTIONS_MAX)}…` : instructions;
  return printable(shown)
    .trimEnd()
    .split('\n')
    .flatMap((line) => (line.trim() === '' ? [''] : wrap(line, columns, '  ')));
}

/** More is read in `--json`. */
const INSTRUCTIONS_MAX = 4000;

/** How its first tool can be called, for somebody who has just seen it; undefined when that cannot be told in a line. */
export function exampleCall(
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

function factsOf(manifest: ShownManifest, command: string): [string, string][] {
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
  // What was said by its own field is not said again.
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

function describeCommand(command: CommandProfile, { colours, columns }: Terminal): string[] {
  const { cyan, dim } = colours;
  const told = command.parameters.filter(({ description }) => description);
  return [
    `  ${cyan(printableLine(usageOf(command)))}`,
    ...(command.description ? wrap(printable(command.description), columns, '    ') : []),
    ...told.flatMap(({ name, description = '' }) => [
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
