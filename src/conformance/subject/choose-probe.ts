// Which tool the checks call when nobody has named one: what does the least harm and asks for the least.
import { isJsonObject, textsIn } from '../../base/json.ts';
import type { Tool } from '../../definition/tool.ts';
import type { Probe } from '../drivers/driver.ts';
import { minimalArguments } from './minimal-arguments.ts';

export function chooseProbe(tools: readonly Tool[]): Probe | undefined {
  const [best] = tools.toSorted((a, b) => riskOf(a) - riskOf(b));
  return best === undefined ? undefined : probeOf(best);
}

/** All that only look, by their own words: a hint, or a name that tells. */
export function harmlessProbes(tools: readonly Tool[]): readonly Probe[] {
  return tools.filter(isHarmless).map(probeOf);
}

function isHarmless({ hints, name }: Tool): boolean {
  if (hints?.destructive === true) return false;
  return hints?.readOnly ?? (HARMLESS.test(name) && !HARMFUL.test(name));
}

function probeOf({ name, inputSchema }: Tool): Probe {
  return { tool: name, args: minimalArguments(inputSchema) };
}

function riskOf({ hints, inputSchema, name }: Tool): number {
  const required = isJsonObject(inputSchema) ? textsIn(inputSchema['required']).length : 0;
  return (
    (hints?.readOnly === true ? -1000 : 0) +
    (hints?.destructive === true ? 1000 : 0) +
    (HARMLESS.test(name) ? -100 : 0) +
    (HARMFUL.test(name) ? 100 : 0) +
    required
  );
}

const HARMLESS = /^(?:get|list|read|show|echo|search|find|describe|status|check|exists|contains)(?![a-z])/i;
const HARMFUL = /delete|remove|clear|drop|kill|stop|write|create|send|install|update|exec|wait|sleep|fail/i;
