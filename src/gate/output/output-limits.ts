// How much of a result its caller gets, in the words of the key `gate.output` of pluglot.json.
import type { Caller } from '../../definition/caller.ts';
import { ownPart } from '../../definition/full-name.ts';

export interface OutputOptions extends OutputLimits {
  /** By `plugin__tool`, or by the own name of a tool for all plugins that have such a one. */
  readonly tools?: Readonly<Record<string, OutputLimits>>;
  /** Whose results are bounded; a person at a terminal wants to see all. @default ['model', 'job', 'client'] */
  readonly callers?: readonly Caller['kind'][];
  /** Whether results are held against the output schema of their tool. @default true */
  readonly checkSchema?: boolean;
}

export interface OutputLimits {
  /** Characters of text. @default 50000 */
  readonly textCharacters?: number;
  /** Bytes of data as JSON. @default 262144 */
  readonly dataBytes?: number;
}

export function outputLimits(
  options: OutputOptions,
): (tool: string, caller: Caller) => Required<OutputLimits> {
  const { textCharacters = 50_000, dataBytes = 256 * 1024, tools = {} } = options;
  const usual = { textCharacters, dataBytes };
  const own = new Map(Object.entries(tools).map(([name, limits]) => [name, { ...usual, ...limits }]));
  const callers = new Set(options.callers ?? ['model', 'job', 'client']);
  return (tool, { kind }) =>
    callers.has(kind) ? (own.get(tool) ?? own.get(ownPart(tool)) ?? usual) : unlimited;
}

const unlimited: Required<OutputLimits> = { textCharacters: Infinity, dataBytes: Infinity };
