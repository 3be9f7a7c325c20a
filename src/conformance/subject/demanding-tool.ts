// A tool that cannot be called without arguments.
import { isJsonObject, textsIn } from '../../base/json.ts';
import type { Tool } from '../../definition/tool.ts';

/** Undefined when all can. */
export function demandingTool(tools: readonly Tool[]): Tool | undefined {
  return tools.find(
    ({ inputSchema }) => isJsonObject(inputSchema) && textsIn(inputSchema['required']).length > 0,
  );
}
