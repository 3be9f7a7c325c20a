// Names of tools as MCP allows them. What it allows keeps its name; the rest gets one that nothing else has, and the table leads back.
import { createHash } from 'node:crypto';

const ALLOWED = /^[\w.-]{1,128}$/;
const LENGTH_MAX = 128;

/** By name, the one on the wire. */
export function wireNames(names: readonly string[]): ReadonlyMap<string, string> {
  const fitting = new Set(names.filter((name) => ALLOWED.test(name)));
  const table = new Map<string, string>();
  const taken = new Set(fitting);
  for (const name of names) {
    const wire = fitting.has(name) ? name : madeFor(name, taken);
    taken.add(wire);
    table.set(name, wire);
  }
  return table;
}

function madeFor(name: string, taken: ReadonlySet<string>): string {
  for (let turn = 0; ; turn += 1) {
    const mark = createHash('sha256').update(`${turn}:${name}`).digest('hex').slice(0, 8);
    const plain = name.slice(0, LENGTH_MAX - mark.length - 1).replaceAll(/[^\w.-]/g, '_');
    const wire = `${plain}_${mark}`;
    if (!taken.has(wire)) return wire;
  }
}
