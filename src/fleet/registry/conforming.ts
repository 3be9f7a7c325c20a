// What somebody hands over as a plugin: a definition, of whichever copy of the SDK, or an object of the specification's shape.
import { PluglotError } from '../../base/error.ts';
import type { Definition } from '../../definition/definition.ts';
import { isPluginName, PLUGIN_NAME } from '../../definition/plugin-name.ts';
import { isRecord } from '../../definition/shape.ts';
import { shown } from '../../base/shown.ts';
import { sentence } from '../../base/sentence.ts';
import type { ToolPlugin } from './tool-plugin.ts';

export type Conforming =
  | { readonly kind: 'definition'; readonly definition: Definition }
  | { readonly kind: 'object'; readonly object: ToolPlugin };

/**
 * @param who to begin a sentence with
 * @throws PluglotError DEFINITION_INVALID
 */
export function conforming(value: unknown, who: string): Conforming {
  // An instance of a class has its methods elsewhere than a plain object, so nothing is asked but whether they can be called.
  if (!isRecord(value)) throw invalid(who, `${shown(value)} is no object`);
  const { name } = value;
  if (typeof name !== 'string' || !isPluginName(name))
    throw invalid(who, `its name is ${shown(name)}; expected ${PLUGIN_NAME}`);
  if (isToolPlugin(value)) return { kind: 'object', object: value };
  if (isDefinition(value)) return { kind: 'definition', definition: value };
  throw invalid(
    who,
    'it is neither made by definePlugin nor has getFunctionDeclarations() and getExecutors()',
  );
}

function isToolPlugin(value: object): value is ToolPlugin {
  return ['getFunctionDeclarations', 'getExecutors'].every(
    (method) => typeof Reflect.get(value, method) === 'function',
  );
}

/** As `definePlugin` makes it. */
function isDefinition(
  value: Readonly<Record<string, unknown>>,
): value is Definition & Record<string, unknown> {
  const { version, tools, commands, autoApprove, requires } = value;
  return (
    typeof version === 'string' &&
    [tools, commands, autoApprove, requires].every(Array.isArray) &&
    (tools as readonly unknown[]).every(isToolDefinition) &&
    (commands as readonly unknown[]).every(hasHandler)
  );
}

function isToolDefinition(tool: unknown): boolean {
  return (
    hasHandler(tool) &&
    isRecord(tool) &&
    isRecord(tool['input']) &&
    typeof tool['input']['check'] === 'function'
  );
}

function hasHandler(value: unknown): boolean {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['handler'] === 'function';
}

function invalid(who: string, why: string): PluglotError {
  return new PluglotError('DEFINITION_INVALID', `${who} makes no plugin: ${sentence(why)}`);
}
