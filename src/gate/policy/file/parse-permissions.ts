// Reads the text of a permissions.json. One thing wrong and it is broken: half of a rule may be the half that allows.
import type { Json } from '../../../base/json.ts';
import { complaintsAbout, type PublishedSchema } from '../../../fleet/discovery/config-schema.ts';
import { countingMembers, type JsonNode, nodeAt, readJson } from '../../../fleet/discovery/json-reader.ts';
import { type Problem, syntaxProblem } from '../../../fleet/discovery/problem.ts';
import { shown } from '../../../base/text.ts';
import { callRule, malformedCall } from '../rules/call-rule.ts';
import type { PermissionsFile } from './permissions-file.ts';

export interface PermissionsReading {
  /** Undefined when anything is wrong. */
  readonly content?: PermissionsFile;
  readonly problems: readonly Problem[];
}

/** No person reads more. */
const TOLD_LIMIT = 20;

export async function parsePermissions(file: string, text: string): Promise<PermissionsReading> {
  const reading = readJson(text, { syntax: 'jsonc' });
  if (!reading.ok) {
    return { problems: [syntaxProblem(file, reading, 'Fix the line.')] };
  }
  const twice = reading.duplicates.map(({ key, line }): Problem => {
    const reason = `"${key.slice(0, 80)}" stands there twice, and only one of them would count`;
    return { file, line, severity: 'error', reason, wayOut: 'Join them.' };
  });
  const complaints = await complaintsAbout(file, reading.root, schema);
  const all = [...twice, ...complaints.map(({ problem }) => problem)];
  const malformed = all.length > 0 ? [] : malformedRules(reading.root);
  const rules = malformed.map((one): Problem => ({ file, ...one }));
  const problems = [...all, ...rules].slice(0, TOLD_LIMIT);
  const isBroken = [...all, ...rules].some(({ severity }) => severity === 'error');
  // What the schema has found nothing wrong with is one.
  return isBroken ? { problems } : { content: reading.root.value as PermissionsFile, problems };
}

type MalformedRule = Pick<Problem, 'severity' | 'reason' | 'wayOut'> & Pick<JsonNode, 'line'>;

/** Rules that look like calls and cannot be read as such. One that forbids would forbid nothing, so the file counts as broken. */
function malformedRules(root: JsonNode): MalformedRule[] {
  const listsAt = (...paths: string[]) =>
    paths
      .flatMap((path) => nodeOf(root, path)?.items ?? [])
      .flatMap(({ line, value }) => ruleAt(line, value));
  const keysAt = (path: string) =>
    countingMembers(nodeOf(root, path)).map(({ line, key }) => ({ line, rule: key }));
  const forbidding = [
    ...listsAt('deny', 'blacklist.tools', 'blacklist.patterns'),
    ...listsAt('classes.destructive.tools', 'classes.destructive.patterns'),
    ...keysAt('blacklist.arguments'),
  ].flatMap((one) => problemWith(one, malformedCall(one.rule, 'deny'), 'error'));
  const paths = keysAt('sanitization.path_scope.arguments').flatMap((one) =>
    problemWith(one, callRule(one.rule) ? undefined : 'expected the name of a tool', 'error'),
  );
  const allowing = [
    ...listsAt('allow', 'whitelist.tools', 'whitelist.patterns'),
    ...listsAt('classes.readOnly.tools', 'classes.readOnly.patterns'),
    ...keysAt('whitelist.arguments'),
  ].flatMap((one) => problemWith(one, malformedCall(one.rule, 'allow'), 'warning'));
  return [...forbidding, ...paths, ...allowing];
}

function nodeOf(root: JsonNode, path: string): JsonNode | undefined {
  const steps = path.split('.');
  return steps.every((_, index) => nodeAt(root, steps.slice(0, index)).byKey?.has(steps[index] ?? ''))
    ? nodeAt(root, steps)
    : undefined;
}

function ruleAt(line: number, value: Json): { readonly line: number; readonly rule: string }[] {
  return typeof value === 'string' ? [{ line, rule: value }] : [];
}

function problemWith(
  { line, rule }: { readonly line: number; readonly rule: string },
  why: string | undefined,
  severity: Problem['severity'],
): MalformedRule[] {
  if (why === undefined) return [];
  const reason = `the rule ${shown(rule)} is not one: ${why}`;
  const wayOut =
    severity === 'error'
      ? 'Fix it; until then everything is denied.'
      : 'Fix it; until then it allows nothing.';
  return [{ line, severity, reason, wayOut }];
}

const schema: PublishedSchema = {
  // Beside src/ and beside dist/ alike.
  url: new URL('../../../../schemas/permissions.schema.json', import.meta.url),
  page: 'docs/permissions.md',
};
