// MCP: checks of tools, prompts and resources.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { shown } from '../base/text.ts';
import { validator } from '../definition/schema/validator.ts';
import { methods } from '../dialect/mcp/schema.ts';
import {
  group,
  passed,
  failed,
  doesNotApply,
  verdict,
  answersWith,
  answered,
  recordedResult,
} from './check.ts';
import type { Conversation } from './conversation.ts';
import { Unmet } from './conversation.ts';
import { codeOf } from './driver.ts';
import { expectCapability } from './mcp.ts';
import { demandingTool } from './probes.ts';
import type { Subject } from './subject.ts';

const INVALID_PARAMS = -32602;

export const mcpToolChecks = group('Tools', [
  {
    id: 'mcp:server:tools-list',
    title: 'Every tool has a name and a schema of its arguments',
    fix: 'Give each tool "name" and "inputSchema", a JSON Schema with "type": "object"; { "type": "object" } where it takes nothing.',
    async run(subject) {
      const tools = await listedTools(subject);
      const wrong = tools.find((tool) => !isTool(tool));
      if (wrong !== undefined) return failed(`It lists ${shown(wrong, 200)}`);
      return passed(`${tools.length} tools.`);
    },
  },
  {
    id: 'mcp:tools:names',
    title: 'No two tools have the same name',
    fix: 'Rename one of them: clients call tools by their names.',
    async run(subject) {
      const names = (await listedTools(subject)).map((tool) =>
        isJsonObject(tool) ? tool['name'] : undefined,
      );
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      return verdict(
        twice === undefined,
        twice === undefined ? 'All differ.' : `There are two ${shown(twice)}`,
      );
    },
  },
  {
    id: 'mcp:server:cursor-invalid',
    title: 'A cursor that is none is refused with -32602',
    severity: 'warning',
    fix: 'Answer tools/list with the error -32602 when the cursor is not one that you gave out.',
    run: answersWith(INVALID_PARAMS, ({ conversation }) =>
      conversation.request(methods.listTools, { cursor: 'no such cursor' }),
    ),
  },
  {
    id: 'mcp:server:call-result',
    title: 'A call is answered with content',
    fix: 'Answer tools/call with "content", an array of parts such as { "type": "text", "text": "…" }; name a tool that works with --tool.',
    async run(subject) {
      const { content } = await recordedResult(subject);
      const isGood = isJsonArray(content) && content.every(isPart);
      return verdict(isGood, `content is ${shown(content, 200)}`);
    },
  },
  {
    id: 'mcp:server:structured-content',
    title: 'A tool with an output schema answers with what fits it',
    fix: 'Put "structuredContent" that fits the outputSchema into every result that is not an error.',
    async run(subject) {
      const { handshake, call } = await subject.session();
      const schema = handshake.tools.find(({ name }) => name === call.probe.tool)?.outputSchema;
      if (!isJsonObject(schema)) return doesNotApply(`"${call.probe.tool}" has no output schema.`);
      const { structuredContent, isError } = await recordedResult(subject);
      if (isError === true) return doesNotApply('The call failed.');
      const checked = validator(schema)(structuredContent ?? null);
      const problems = 'problems' in checked ? `: ${checked.problems.join('; ')}` : '';
      return verdict(problems === '', `structuredContent is ${shown(structuredContent, 200)}${problems}`);
    },
  },
  {
    id: 'mcp:server:unknown-tool',
    title: 'An unknown tool is refused with -32602',
    severity: 'warning',
    fix: 'Answer tools/call with the error -32602 when you have no such tool.',
    run: answersWith(INVALID_PARAMS, ({ conversation, probe }) =>
      conversation.call({ ...probe, tool: 'no_such_tool', args: {} }),
    ),
  },
  {
    id: 'mcp:server:invalid-arguments',
    title: 'Arguments that do not fit make the tool fail, in words',
    severity: 'warning',
    fix: 'Check the arguments, and answer with "isError": true and a text that a model can learn from.',
    async run(subject) {
      const { conversation, handshake, probe } = await subject.connect();
      const tool = demandingTool(handshake.tools);
      if (tool === undefined) return doesNotApply('No tool requires an argument.');
      const { ok, message } = await conversation.call({ ...probe, tool: tool.name, args: {} });
      // Until 2025-06-18 the specification had an error for it.
      const isRefused = codeOf(message) === INVALID_PARAMS || ('result' in message && !ok);
      return verdict(isRefused, `Without arguments "${tool.name}" answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'mcp:server:malformed',
    title: 'A call that names no tool is refused with -32602',
    fix: 'Answer tools/call with the error -32602 when "name" is missing or no string.',
    run: answersWith(INVALID_PARAMS, ({ conversation }) =>
      conversation.request(methods.callTool, { name: 17, arguments: {} }),
    ),
  },
]);

/** The first page, as received. */
async function listedTools(subject: Subject): Promise<readonly Json[]> {
  return listed((await subject.connect()).conversation, methods.listTools, 'tools');
}

/** @throws Unmet */
async function listed(conversation: Conversation, method: string, key: string): Promise<readonly Json[]> {
  const { result } = await conversation.request(method, {});
  const items = isJsonObject(result) ? result[key] : undefined;
  if (isJsonArray(items)) return items;
  throw new Unmet(`Expected ${method} to be answered with "${key}"; it answered ${shown(result, 200)}`);
}

function isTool(tool: Json): boolean {
  if (!isJsonObject(tool)) return false;
  const { name, inputSchema } = tool;
  return (
    typeof name === 'string' && name !== '' && isJsonObject(inputSchema) && inputSchema['type'] === 'object'
  );
}

function isPart(part: Json): boolean {
  return isJsonObject(part) && typeof part['type'] === 'string';
}

export const mcpPromptChecks = group('Prompts', [
  {
    id: 'mcp:server:prompts',
    title: 'Prompts are listed with their names and arguments',
    fix: 'Answer prompts/list with "prompts": [{ "name", "description"?, "arguments"?: [{ "name", "required"? }] }].',
    async run(subject) {
      await expectCapability(subject, 'prompts');
      const { conversation } = await subject.connect();
      const prompts = await listedPrompts(conversation);
      const wrong = prompts.find((prompt) => !isPrompt(prompt));
      return wrong === undefined
        ? passed(`${prompts.length} prompts.`)
        : failed(`It lists ${shown(wrong, 200)}`);
    },
  },
  {
    id: 'mcp:server:prompts-invalid',
    title: 'An unknown prompt is refused with -32602',
    severity: 'warning',
    fix: 'Answer prompts/get with the error -32602 when you have no such prompt.',
    async run(subject) {
      await expectCapability(subject, 'prompts');
      const { conversation } = await subject.connect();
      const answer = await conversation.request(methods.getPrompt, { name: 'no_such_prompt', arguments: {} });
      return answered(codeOf(answer) === -32602, answer);
    },
  },
  {
    id: 'mcp:server:completion',
    title: 'Completions are at most a hundred texts',
    fix: 'Answer completion/complete with "completion": { "values": [ … ] }, no more than 100 strings, and "hasMore".',
    async run(subject) {
      await expectCapability(subject, 'completions');
      const { conversation } = await subject.connect();
      const argument = (await listedPrompts(conversation))
        .map(firstArgument)
        .find((found) => found !== undefined);
      if (argument === undefined) return doesNotApply('No prompt has an argument.');
      const answer = await conversation.request(methods.complete, argument);
      return answered(isCompletion(answer['result']), answer);
    },
  },
]);

function listedPrompts(conversation: Conversation): Promise<readonly Json[]> {
  return listed(conversation, methods.listPrompts, 'prompts');
}

function isPrompt(prompt: Json): boolean {
  if (!isJsonObject(prompt)) return false;
  const { name, arguments: parameters = [] } = prompt;
  return typeof name === 'string' && name !== '' && isJsonArray(parameters) && parameters.every(isNamed);
}

function isNamed(parameter: Json): boolean {
  return isJsonObject(parameter) && typeof parameter['name'] === 'string';
}

/** The argument to complete; undefined when the prompt has none. */
function firstArgument(prompt: Json): JsonObject | undefined {
  const { name, arguments: parameters } = isJsonObject(prompt) ? prompt : ({} as JsonObject); // has none
  const [first] = isJsonArray(parameters) ? parameters : [];
  if (name === undefined || first === undefined || !isJsonObject(first)) return undefined;
  return { ref: { type: 'ref/prompt', name }, argument: { name: first['name'] ?? '', value: '' } };
}

function isCompletion(result: Json | undefined): boolean {
  const completion = isJsonObject(result) ? result['completion'] : undefined;
  const values = isJsonObject(completion) ? completion['values'] : undefined;
  return isJsonArray(values) && values.length <= 100 && values.every((value) => typeof value === 'string');
}
