// Whether the providers of models take the tools of a plugin, and what becomes of them there.
import type { Tool } from '../../definition/tool.ts';
import { providers, type Provider } from '../../model/schemas/providers.ts';
import { toolsFor } from '../../model/schemas/tools-for.ts';
import { finding, type Finding } from './finding.ts';

/** One finding for each tool and kind, whatever providers have it in common. */
export function schemaFindings(plugin: string, tools: readonly Tool[]): Finding[] {
  const refused = new Told();
  const changed = new Told();
  for (const provider of Object.keys(providers) as Provider[]) {
    const { title } = providers[provider];
    const { quarantined, repairs } = toolsFor(provider, tools);
    for (const { tool, reason } of quarantined) refused.add(tool, reason, title);
    for (const { tool, what, why, effect, where } of repairs)
      if (effect === 'narrower' || effect === 'both')
        changed.add(tool, `${where === '' ? '' : `${where}: `}${what}, since ${why}`, title);
  }
  return [
    ...refused.list().map(({ tool, words }) =>
      finding({
        code: 'schema-refused',
        plugin,
        what: `Tool ${quoted(tool)} is left out: ${words}.`,
        fix: 'Change its input schema or its name; docs/tool-schemas.md says what each provider takes.',
      }),
    ),
    ...changed.list().map(({ tool, words }) =>
      finding({
        code: 'schema-changed',
        plugin,
        what: `Tool ${quoted(tool)} is declared otherwise: ${words}.`,
        fix: 'Nothing has to be done; a simpler schema would be the same everywhere.',
      }),
    ),
  ];
}

/** By tool and reason, who says it. */
class Told {
  readonly #byTool = new Map<string, Map<string, string[]>>();

  add(tool: string, reason: string, who: string): void {
    const reasons = this.#byTool.get(tool) ?? new Map<string, string[]>();
    this.#byTool.set(tool, reasons);
    const all = reasons.get(reason);
    if (all === undefined) reasons.set(reason, [who]);
    else if (!all.includes(who)) all.push(who);
  }

  list(): { readonly tool: string; readonly words: string }[] {
    return [...this.#byTool].slice(0, TOOLS_MAX).map(([tool, reasons]) => {
      const words = [...reasons].slice(0, REASONS_MAX).map(([reason, who]) => `${who.join(', ')}: ${reason}`);
      const more = reasons.size > REASONS_MAX ? [`and ${reasons.size - REASONS_MAX} more`] : [];
      return { tool, words: [...words, ...more].join('; ') };
    });
  }
}

const TOOLS_MAX = 50;
const REASONS_MAX = 3;

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
