// Which tools a server says that it has, and what it answers when they are called.
import { isJsonArray, isJsonObject, type Json } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { validator } from '../../../definition/schema/validator.ts';
import { methods } from '../../../dialect/mcp/schema.ts';
import { doesNotApply, failed, passed, Unmet, verdict, type Check } from '../../check.ts';
import { codeOf } from '../../drivers/responses.ts';
import { demandingTool } from '../../subject/demanding-tool.ts';
import { recordedResult } from '../../subject/recorded-result.ts';
import type { Subject } from '../../subject/subject.ts';

const theme = 'Tools';
const INVALID_PARAMS = -32602;

export const mcpToolChecks: readonly Check[] = [
  {
    id: 'mcp:server:tools-list',
    title: 'Every tool has a name and a schema of its arguments',
    severity: 'error',
    theme,
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
    severity: 'error',
    theme,
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
    theme,
    fix: 'Answer tools/list with the error -32602 when the cursor is not one that you gave out.',
    async run(subject) {
      const { conversation } = await subject.greet();
      const answer = await conversation.request(methods.listTools, { cursor: 'no such cursor' });
      return verdict(codeOf(answer) === INVALID_PARAMS, `It answered ${shown(answer, 200)}`);
    },
  },
  {
    id: 'mcp:server:call-result',
    title: 'A call is answered with content',
    severity: 'error',
    theme,
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
    severity: 'error',
    theme,
    fix: 'Put "structuredContent" that fits the outputSchema into every result that is no error.',
    async run(subject) {
      const { introduction, call } = await subject.session();
      const schema = introduction.tools.find(({ name }) => name === call.probe.tool)?.outputSchema;
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
    theme,
    fix: 'Answer tools/call with the error -32602 when you have no such tool.',
    async run(subject) {
      const { conversation, probe } = await subject.greet();
      const { message } = await conversation.call({ ...probe, tool: 'no_such_tool', args: {} });
      return verdict(codeOf(message) === INVALID_PARAMS, `It answered ${shown(message, 200)}`);
    },
  },
  {
    id: 'mcp:server:invalid-arguments',
    title: 'Arguments that do not fit make the tool fail, in words',
    severity: 'warning',
    theme,
    fix: 'Check the arguments, and answer with "isError": true and a text that a model can learn from.',
    async run(subject) {
      const { conversation, introduction, probe } = await subject.greet();
      const tool = demandingTool(introduction.tools);
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
    severity: 'error',
    theme,
    fix: 'Answer tools/call with the error -32602 when "name" is missing or no string.',
    async run(subject) {
      const { conversation } = await subject.greet();
      const answer = await conversation.request(methods.callTool, { name: 17, arguments: {} });
      return verdict(codeOf(answer) === INVALID_PARAMS, `It answered ${shown(answer, 200)}`);
    },
  },
];

/** The first page, as it came. */
async function listedTools(subject: Subject): Promise<readonly Json[]> {
  const { conversation } = await subject.greet();
  const { result } = await conversation.request(methods.listTools, {});
  const tools = isJsonObject(result) ? result['tools'] : undefined;
  if (isJsonArray(tools)) return tools;
  throw new Unmet(`Expected tools/list to be answered with "tools"; it answered ${shown(result, 200)}`);
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
