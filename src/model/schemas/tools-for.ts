// Tools as a provider of models takes them: names, schemas, descriptions and their number. Every change is noted, a tool that cannot be
// declared does not affect the others, and arguments are restored.
import { toError } from '../../base/error.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { safeName } from '../../base/names.ts';
import type { Tool } from '../../definition/tool.ts';
import {
  declare,
  type Declared,
  type Provider,
  type ProviderOptions,
  providers,
  type ProviderTool,
} from './declare.ts';
import { Notes, type Quarantined, type Repair, ROOT, Unrepairable } from './repair.ts';
import { restored } from './restore.ts';

export interface ToolsFor<Kind extends Provider> {
  readonly tools: readonly ProviderTool<Kind>[];
  /** From the name that the provider knows to the tool's own. */
  readonly names: ReadonlyMap<string, string>;
  readonly repairs: readonly Repair[];
  /** Left out, each with its reason. */
  readonly quarantined: readonly Quarantined[];
  /**
   * Arguments of a model as the tool takes them: with its own names, and without additions for the provider. Invalid ones are left to the check
   * before the call.
   */
  argumentsFrom(providerName: string, args: JsonObject): JsonObject;
}

/** Never throws, whatever the schemas are. */
export function toolsFor<Kind extends Provider>(
  provider: Kind,
  tools: readonly Tool[],
  options: ProviderOptions = {},
): ToolsFor<Kind> {
  const rules = providers[provider];
  const repairs: Repair[] = [];
  const quarantined: Quarantined[] = [];
  const declared = new Map<string, Declared<Kind>>();
  const own = new Map<string, string>();
  for (const tool of tools) {
    const refuse = (reason: string) => void quarantined.push({ tool: tool.name, reason });
    const name = safeName(tool.name, rules.toolName);
    if (declared.has(name)) {
      refuse('a tool before it has the same name');
      continue;
    }
    if (declared.size >= rules.toolsMax) {
      refuse(`${rules.title} takes ${rules.toolsMax} tools at once`);
      continue;
    }
    const notes = new Notes(tool.name);
    try {
      if (name !== tool.name)
        notes.add(ROOT, `declared as "${name}"`, `${rules.title} does not take the name`, 'none');
      declared.set(name, declare(provider, tool, name, options, notes));
      own.set(name, tool.name);
      repairs.push(...notes.repairs);
    } catch (thrown) {
      refuse(
        thrown instanceof Unrepairable
          ? thrown.message
          : `its schema cannot be read: ${toError(thrown).message}`,
      );
    }
  }
  return {
    tools: [...declared.values()].map(({ tool }) => tool),
    names: own,
    repairs,
    quarantined,
    argumentsFrom(providerName, args) {
      const back = restored(args, declared.get(providerName)?.restore);
      return isJsonObject(back) ? back : args;
    },
  };
}
