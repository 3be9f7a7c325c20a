// What MCP demands of a server.
import type { Check } from '../../check.ts';
import { mcpHelloChecks } from './hello.ts';
import { mcpMeanwhileChecks } from './meanwhile.ts';
import { mcpPromptChecks } from './prompts.ts';
import { mcpToolChecks } from './tools.ts';

export const mcpChecks: readonly Check[] = [
  ...mcpHelloChecks,
  ...mcpToolChecks,
  ...mcpMeanwhileChecks,
  ...mcpPromptChecks,
];
