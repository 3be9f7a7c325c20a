// Writes one rule into a permissions.json: `pluglot allow`, `pluglot deny`, and the answer "always". Everything else of the file stays as it is.
import { createHash } from 'node:crypto';
import { PluglotError } from '../../../base/error.ts';
import { MiB } from '../../../base/units.ts';
import { sentence, shown } from '../../../base/text.ts';
import { addItem } from '../../../fleet/discovery/json-edit.ts';
import { describeProblem } from '../../../fleet/discovery/problem.ts';
import { changeFile, readTextFile } from '../../../fleet/trust/files.ts';
import type { DefaultPolicy } from '../policy.ts';
import { malformedCall, RULE_MAX } from '../rules/call-rule.ts';
import { ruleIn, ruleText } from '../shell/command-pattern.ts';
import { parsePermissions } from './parse-permissions.ts';

export interface NewRule {
  readonly action: 'allow' | 'deny';
  /** One for command lines alone may be in the long form: `{ "rule": "make" }`. */
  readonly rule: string;
}

export interface RuleFile {
  readonly file: string;
  readonly owner: 'user' | 'project';
  /** The defaultPolicy of a new file: without one, a file denies the rest. @default left out */
  readonly defaultPolicy?: DefaultPolicy | undefined;
}

/** What a file was and is, by its hash; undefined when it was not there, or has the rule already. */
export interface WrittenRule {
  readonly before?: string;
  readonly after?: string;
}

/** @throws PluglotError INVALID_ARGUMENTS when it is not a rule */
export function checkedRule(given: string, action: NewRule['action']): string {
  const rule = given.trim();
  if (rule === '' || rule.length > RULE_MAX)
    throw notARule(rule, `it has ${rule.length} characters; expected 1 to ${RULE_MAX}`);
  const item = ruleIn(rule);
  if (typeof item !== 'string') return ruleText({ rule: checkedRule(item.rule, action) });
  if (rule.startsWith('{'))
    throw notARule(rule, 'only { "rule": "COMMAND" } can be given so; for more, edit the file');
  const malformed = malformedCall(rule, action);
  if (malformed !== undefined) throw notARule(rule, malformed);
  if (/\p{C}/u.test(rule)) throw notARule(rule, 'it has invisible characters');
  return rule;
}

function notARule(rule: string, why: string): PluglotError {
  return new PluglotError(
    'INVALID_ARGUMENTS',
    `${shown(rule)} is not a rule: ${sentence(why)} Rules are names (gh__list_issues, gh__*), calls (read_file(path=src/*)) and command lines (git status).`,
  );
}

/** @throws PluglotError CONFIG_INVALID when the file cannot be read or written; then it is left as it is */
export async function writeRule(
  { file, owner, defaultPolicy }: RuleFile,
  { action, rule }: NewRule,
): Promise<WrittenRule> {
  let written: WrittenRule = {};
  await changeFile(file, { mode: owner === 'user' ? 0o600 : 0o644 }, async () => {
    const read = await readTextFile(file, MiB);
    if (read.kind === 'unreadable')
      throw new PluglotError('CONFIG_INVALID', `${file} ${sentence(read.reason)}`);
    const text = read.kind === 'read' ? read.text : newFile(defaultPolicy);
    const { content, problems } = await parsePermissions(file, text);
    if (!content)
      throw new PluglotError(
        'CONFIG_INVALID',
        `The rule was not written, since the file is broken: ${problems.map(describeProblem)[0] ?? file}`,
      );
    const item = ruleIn(rule);
    if ((content[action] ?? []).some((one) => JSON.stringify(one) === JSON.stringify(item))) return undefined;
    const edited = addItem(text, [action], typeof item === 'string' ? item : { rule: item.rule });
    written = {
      ...(read.kind === 'read' && { before: read.sha256 }),
      after: createHash('sha256').update(edited).digest('hex'),
    };
    return edited;
  });
  return written;
}

function newFile(defaultPolicy: DefaultPolicy | undefined): string {
  return `${JSON.stringify({ version: '1.0', ...(defaultPolicy && { defaultPolicy }) }, undefined, 2)}\n`;
}
