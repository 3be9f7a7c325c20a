// How tools and commands of all plugins are listed and called: `plugin__tool`. Names of plugins have no `__` in them, so the first one divides.
import { didYouMean } from '../base/suggest.ts';

export function fullName(plugin: string, own: string): string {
  return `${plugin}${BETWEEN}${own}`;
}

export interface SplitName {
  readonly plugin: string;
  /** As the plugin calls it. */
  readonly own: string;
}

/** Undefined for a name without a plugin. */
export function splitName(name: string): SplitName | undefined {
  const at = name.indexOf(BETWEEN);
  return at <= 0 ? undefined : { plugin: name.slice(0, at), own: name.slice(at + BETWEEN.length) };
}

/** All that a name can mean; other hosts write the tools of MCP servers as `mcp__server__tool`. */
export function readingsOf(name: string): readonly SplitName[] {
  const full = splitName(name);
  const server = name.startsWith(SERVER) ? splitName(name.slice(SERVER.length)) : undefined;
  return [full, server].filter((one) => one !== undefined);
}

/** Whether this may mean what the plugin calls so. */
export function isNameOf(name: string, plugin: string, own: string): boolean {
  return name === own || readingsOf(name).some((one) => one.plugin === plugin && one.own === own);
}

/** Without that of the plugin. */
export function ownPart(name: string): string {
  return splitName(name)?.own ?? name;
}

/** ` Did you mean …?` of full names: a word without a plugin is compared with the tools alone. */
export function didYouMeanTool(word: string, names: Iterable<string>): string {
  return didYouMean(word, names, splitName(word) === undefined ? ownPart : undefined);
}

const BETWEEN = '__';
const SERVER = 'mcp__';
