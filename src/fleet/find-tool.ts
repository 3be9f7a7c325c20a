// Which plugin has the tool of this name?
import { PluglotError, toError } from '../base/error.ts';
import { didYouMeanTool, fullName, readingsOf } from '../definition/full-name.ts';
import type { Tool } from '../definition/tool.ts';
import type { Plugin } from './plugin/plugin.ts';

export interface FoundTool {
  readonly plugin: Plugin;
  readonly tool: Tool;
}

export async function findTool(plugins: readonly Plugin[], name: string): Promise<FoundTool> {
  const named = await findByFullName(plugins, name);
  if (named !== undefined) return named;
  const [only, ...others] = plugins;
  if (only !== undefined && others.length === 0) return findInOne(only, name);
  const unasked: string[] = [];
  const ask = async (some: readonly Plugin[]) => {
    await Promise.all(some.map((plugin) => introduced(plugin).catch(noteIn(unasked, plugin))));
    return some.flatMap((plugin) => {
      const tool = plugin.tools().find((tool) => tool.name === name);
      return tool === undefined ? [] : [{ plugin, tool }];
    });
  };
  const [eager, lazy] = [plugins.filter((plugin) => !rests(plugin)), plugins.filter(rests)];
  let found = await ask(eager);
  if (found.length === 0) found = await ask(lazy);
  const [first, second] = found;
  if (first === undefined) throw unknown(plugins, name, unasked);
  if (second === undefined) return first;
  const names = found.map(({ plugin }) => `"${fullName(plugin.name, name)}"`).join(', ');
  throw new PluglotError(
    'UNKNOWN_TOOL',
    `Several plugins have a tool "${name}": name it as one of ${names}.`,
  );
}

/** Who has one plugin means that one: also with a tool that it does not list, and what is wrong with it is what is wrong. */
async function findInOne(plugin: Plugin, name: string): Promise<FoundTool> {
  await introduced(plugin);
  const tool = plugin.findTool(name);
  if (tool === undefined) throw unknown([plugin], name, []);
  return { plugin, tool };
}

/** `plugin__tool`, and `mcp__server__tool` as clients of MCP write it. */
async function findByFullName(plugins: readonly Plugin[], name: string): Promise<FoundTool | undefined> {
  for (const { plugin: owner, own } of readingsOf(name)) {
    const plugin = plugins.find((one) => one.name === owner);
    if (plugin === undefined) continue;
    await introduced(plugin);
    const tool = plugin.findTool(own);
    if (tool !== undefined) return { plugin, tool };
  }
  return undefined;
}

/** Who has failed before is not tried anew for every name that is looked for. */
export async function introduced(plugin: Plugin): Promise<void> {
  if (plugin.manifest !== undefined) return;
  const { state, reason } = plugin.status;
  if ((state === 'failed' || state === 'backoff') && reason !== undefined) throw reason;
  await plugin.start();
}

/** Nobody has started it yet, and it wants to be started late. */
function rests({ spec, manifest }: Plugin): boolean {
  return spec.lazy === true && manifest === undefined;
}

function noteIn(unasked: string[], plugin: Plugin) {
  return (error: unknown) => void unasked.push(`${plugin.name} (${inShort(toError(error).message)})`);
}

/** The first line, and of a long one what ends with a whole word. */
export function inShort(message: string): string {
  const [line = ''] = message.split('\n', 1);
  return line.length <= SHORT ? line : `${line.slice(0, SHORT).replace(/\s+\S*$/, '')} …`;
}

const SHORT = 200;

function unknown(plugins: readonly Plugin[], name: string, unasked: readonly string[]): PluglotError {
  const names = plugins.flatMap((plugin) => plugin.tools().map((tool) => fullName(plugin.name, tool.name)));
  const notAsked = unasked.length === 0 ? '' : ` Could not be asked: ${unasked.join(', ')}.`;
  return new PluglotError(
    'UNKNOWN_TOOL',
    `No plugin has a tool "${name.slice(0, 100)}".${didYouMeanTool(name, names)}${notAsked}`,
  );
}
