// Rules for command lines alone, in one line of text. A single word could be the name of a tool too, so it is written in the long form:
// `{ "rule": "make" }`.
import { isJsonObject, type Json } from '../../../base/json.ts';
import type { AllowRule } from '../file/permissions-file.ts';
import { commandsOf, readLine } from '../shell/read-line.ts';
import { callRule } from './call-rule.ts';

/** The rule for exactly this command; undefined where none can be written: several commands, or words that mean something in a rule. */
export function ruleForLine(command: string, args: readonly string[]): string | undefined {
  const reading = readLine(command, args);
  const [words = [], ...others] = reading.kind === 'literal' ? commandsOf(reading.steps) : [];
  // A name with `@` before it is a list of commands.
  const isPlain = /^[\w./]/.test(words[0] ?? '') && words.every((word) => /^[\w@%+=:,./-]+$/.test(word));
  return isPlain && others.length === 0 ? ruleText({ rule: words.join(' ') }) : undefined;
}

/** As people read it. The long form is kept where the rule would name a tool without it. */
export function ruleText(rule: AllowRule): string {
  if (typeof rule === 'string') return rule;
  return callRule(rule.rule) === undefined ? rule.rule : `{ "rule": ${JSON.stringify(rule.rule)} }`;
}

/** As it stands in a file. */
export function ruleIn(text: string): AllowRule {
  return text.startsWith('{') ? (longForm(text) ?? text) : text;
}

function longForm(text: string): AllowRule | undefined {
  try {
    // Looked at below.
    const value = JSON.parse(text) as Json;
    if (!isJsonObject(value) || Object.keys(value).length !== 1) return undefined;
    const { rule } = value;
    return typeof rule === 'string' ? { rule } : undefined;
  } catch {
    return undefined;
  }
}
