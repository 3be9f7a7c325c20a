// What a form of a tool's arguments is made from, wherever it stands.
import type { Json } from '../../../../base/json.ts';
import type { ToolView } from '../api/types.ts';

/** Where nothing is known of the arguments any object is taken. */
export function argumentsSchema({ tool }: Pick<ToolView, 'tool'>): Json {
  return tool.inputSchema ?? true;
}
