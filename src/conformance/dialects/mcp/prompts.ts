// Prompts, for servers that have some.
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { methods } from '../../../dialect/mcp/schema.ts';
import { doesNotApply, failed, passed, Unmet, verdict, type Check } from '../../check.ts';
import { codeOf } from '../../drivers/responses.ts';
import type { Conversation } from '../../subject/conversation.ts';
import { capabilityOf } from './hello.ts';

const theme = 'Prompts';

export const mcpPromptChecks: readonly Check[] = [
  {
    id: 'mcp:server:prompts',
    title: 'Prompts are listed with their names and arguments',
    severity: 'error',
    theme,
    fix: 'Answer prompts/list with "prompts": [{ "name", "description"?, "arguments"?: [{ "name", "required"? }] }].',
    async run(subject) {
      if ((await capabilityOf(subject, 'prompts')) === undefined)
        return doesNotApply('It declares no prompts.');
      const { conversation } = await subject.greet();
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
    theme,
    fix: 'Answer prompts/get with the error -32602 when you have no such prompt.',
    async run(subject) {
      if ((await capabilityOf(subject, 'prompts')) === undefined)
        return doesNotApply('It declares no prompts.');
      const { conversation } = await subject.greet();
      const answer = await conversation.request(methods.getPrompt, { name: 'no_such_prompt', arguments: {} });
      return verdict(codeOf(answer) === -32602, `It answered ${shown(answer, 200)}`);
    },
  },
  {
    id: 'mcp:server:completion',
    title: 'Completions are at most a hundred texts',
    severity: 'error',
    theme,
    fix: 'Answer completion/complete with "completion": { "values": [ … ] }, no more than 100 strings, and "hasMore".',
    async run(subject) {
      if ((await capabilityOf(subject, 'completions')) === undefined)
        return doesNotApply('It declares no completions.');
      const { conversation } = await subject.greet();
      const argument = (await listedPrompts(conversation))
        .map(firstArgument)
        .find((found) => found !== undefined);
      if (argument === undefined) return doesNotApply('No prompt has an argument.');
      const answer = await conversation.request(methods.complete, argument);
      return verdict(isCompletion(answer['result']), `It answered ${shown(answer, 200)}`);
    },
  },
];

/** @throws Unmet */
async function listedPrompts(conversation: Conversation): Promise<readonly Json[]> {
  const { result } = await conversation.request(methods.listPrompts, {});
  const prompts = isJsonObject(result) ? result['prompts'] : undefined;
  if (isJsonArray(prompts)) return prompts;
  throw new Unmet(`Expected prompts/list to be answered with "prompts"; it answered ${shown(result, 200)}`);
}

function isPrompt(prompt: Json): boolean {
  if (!isJsonObject(prompt)) return false;
  const { name, arguments: parameters = [] } = prompt;
  return typeof name === 'string' && name !== '' && isJsonArray(parameters) && parameters.every(isNamed);
}

function isNamed(parameter: Json): boolean {
  return isJsonObject(parameter) && typeof parameter['name'] === 'string';
}

/** What to ask of it; undefined when it has no arguments. */
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
