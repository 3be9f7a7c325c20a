// How large results may be, of several files as one: a file that nobody trusts can only lower it.
import { outputLimits, type OutputLimits, type OutputOptions } from '../gate/output/output-limits.ts';

/** `only`: nothing gets looser by it. */
export function mergeOutput(base: OutputOptions, next: OutputOptions, only?: 'tighter'): OutputOptions {
  if (only === undefined) {
    const tools = base.tools || next.tools ? { tools: { ...base.tools, ...next.tools } } : {};
    return { ...base, ...next, ...tools };
  }
  const { callers = ['model', 'job', 'client'] } = base;
  const held = outputLimits({ ...base, callers: ['model'] });
  // Whom a limit holds for says the user; the name of a tool alone does not matter then.
  const limitsOf = (tool: string) => held(tool, { kind: 'model' });
  const names = [...new Set([...Object.keys(base.tools ?? {}), ...Object.keys(next.tools ?? {})])];
  const own = new Map(Object.entries(next.tools ?? {}));
  const tools = names.map((name) => [name, lower(limitsOf(name), own.get(name) ?? next)] as const);
  // Without a name of its own: the usual.
  const usual = outputLimits({ ...base, tools: {}, callers: ['model'] })('', { kind: 'model' });
  return {
    ...base,
    ...lower(usual, next),
    callers,
    ...(names.length > 0 && { tools: Object.fromEntries(tools) }),
    ...(next.checkSchema === true && { checkSchema: true }),
  };
}

function lower(held: Required<OutputLimits>, next: OutputLimits): Required<OutputLimits> {
  return {
    textCharacters: Math.min(held.textCharacters, next.textCharacters ?? Infinity),
    dataBytes: Math.min(held.dataBytes, next.dataBytes ?? Infinity),
  };
}
