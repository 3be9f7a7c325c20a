// What an end says of itself, where it does.
import { isJsonArray, isJsonObject, textsIn, type Json, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { doesNotApply, failed, passed, verdict, type Check } from '../../check.ts';
import { codeOf } from '../../drivers/responses.ts';

const theme = 'Introduction';

export const plannerIntroductionChecks: readonly Check[] = [
  {
    id: 'planner:discover:question',
    title: 'rpc.discover is answered with roles and methods, or with -32601',
    severity: 'error',
    theme,
    fix: 'Answer rpc.discover with { roles, methods, gzip, batch, auth }, or with -32601 as any unknown method.',
    async run(subject) {
      const conversation = await subject.start();
      const answer = await conversation.request('rpc.discover', { gzip: true, batch: true });
      if (codeOf(answer) === -32601) return passed('It is a plain end.');
      const { result } = answer;
      return verdict(isJsonObject(result) && isDiscovery(result), `It answered ${shown(answer, 300)}`);
    },
  },
  {
    id: 'planner:discover:tools',
    title: 'Every tool that it lists is one of its methods and has a schema',
    severity: 'warning',
    theme,
    fix: 'List a tool as { name, description, input_schema }, and its name in "methods".',
    async run(subject) {
      const { introduction } = await subject.session();
      const { raw } = introduction;
      const tools: Json | undefined = isJsonObject(raw) ? raw['tools'] : undefined;
      if (!isJsonObject(raw) || tools === undefined) return doesNotApply('It lists no tools.');
      if (!isJsonArray(tools)) return failed(`tools is ${shown(tools)}`);
      const named = textsIn(raw['methods']);
      const wrong = tools.find((tool) => !isTool(tool, named));
      return verdict(wrong === undefined, wrong === undefined ? `${tools.length} tools.` : shown(wrong));
    },
  },
];

function isDiscovery({ roles, methods, gzip, batch, auth }: JsonObject): boolean {
  const areFlags = [gzip, batch, auth].every((flag) => flag === undefined || typeof flag === 'boolean');
  return (
    areFlags && isJsonArray(roles) && roles.every(isRole) && isJsonArray(methods) && methods.every(isName)
  );
}

function isRole(role: Json): boolean {
  return role === 'planner' || role === 'executor';
}

function isName(name: Json): boolean {
  return typeof name === 'string';
}

function isTool(tool: Json, named: readonly string[]): boolean {
  if (!isJsonObject(tool)) return false;
  const { name, input_schema: schema } = tool;
  return typeof name === 'string' && named.includes(name) && isJsonObject(schema);
}
