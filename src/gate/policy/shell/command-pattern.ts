// Rules for commands, word by word: `git *` is git with any words, `npm run test:*` has one word more, `git` is git alone.
import { isJsonObject, type Json } from '../../../base/json.ts';
import type { CommandSandbox } from '../../../definition/caller.ts';
import { coversText, matchesGlob } from '../glob.ts';
import type { AllowRule } from '../file/permissions-file.ts';
import { callRule } from '../rules/call-rule.ts';
import { commandsOf, readLine } from './read-line.ts';
import { READ_ONLY_LIST, readOnlyCommand } from './read-only.ts';

export interface CommandPattern {
  readonly source: string;
  /** `*` alone stands for any number of words. */
  readonly words: readonly string[];
  /** What it lets a command do. */
  readonly grant: Grant;
}

/** How a command may run. */
export interface Grant extends CommandSandbox {
  readonly isUnsandboxed: boolean;
  /** It is on the list of commands that only read, and covered by nothing else. */
  readonly isListed: boolean;
}

/** In the sandbox, where it may change the project and nothing else. */
export const usualGrant: Grant = {
  access: 'writable',
  network: false,
  folders: [],
  isUnsandboxed: false,
  isListed: false,
};

export function commandPattern(rule: AllowRule): CommandPattern {
  const {
    rule: line,
    unsandboxed,
    network,
    folders = {},
  }: Exclude<AllowRule, string> = typeof rule === 'string' ? { rule } : rule;
  return {
    source: ruleText(rule),
    words: line.split(/\s+/).filter((word) => word !== ''),
    grant:
      line.trim() === READ_ONLY_LIST
        ? { ...usualGrant, access: 'read-only', isListed: true }
        : {
            ...usualGrant,
            network: network === true,
            isUnsandboxed: unsandboxed === true,
            folders: Object.entries(folders).map(([path, access]) => ({ path, access })),
          },
  };
}

/** Whether a rule allows it. Names with a folder are covered by rules with one. */
export function covers({ words: pattern, grant }: CommandPattern, words: readonly string[]): boolean {
  if (grant.isListed) return readOnlyCommand(words) !== undefined;
  return fits(pattern, words.length, (one, index) => {
    const word = words[index] ?? '';
    if (one === '*') return true;
    return coversText(one, word) && !(index === 0 && word.includes('/') && !one.includes('/'));
  });
}

/** Whether a rule forbids it: by its name as it is written or without its folder, large or small. */
export function forbids({ words: pattern }: CommandPattern, words: readonly string[]): boolean {
  const [name = '', ...rest] = words;
  const names = new Set([name, name.slice(name.lastIndexOf('/') + 1)]);
  return [...names].some((one) => {
    const all = [one, ...rest];
    return fits(pattern, all.length, (part, index) => {
      const word = all[index] ?? '';
      return (
        part === '*' ||
        matchesGlob(part, word) ||
        (index === 0 && matchesGlob(part.toLowerCase(), word.toLowerCase()))
      );
    });
  });
}

/** What a command may do that several rules cover: all that any of them allows. */
export function joined(grants: readonly Grant[]): Grant {
  return {
    access: grants.some(({ access }) => access === 'writable') ? 'writable' : 'read-only',
    network: grants.some(({ network }) => network),
    folders: grants.flatMap(({ folders }) => folders),
    isUnsandboxed: grants.some(({ isUnsandboxed }) => isUnsandboxed),
    isListed: grants.every(({ isListed }) => isListed),
  };
}

/** All ways to lay the rule over the words are tried at once: at most as many steps as words times words of the rule. */
function fits(
  pattern: readonly string[],
  length: number,
  matches: (pattern: string, index: number) => boolean,
): boolean {
  let reached = pastStars(pattern, new Set([0]));
  for (let index = 0; index < length && reached.size > 0; index += 1) {
    const next = new Set<number>();
    for (const at of reached) {
      const one = pattern[at];
      if (one === undefined || !matches(one, index)) continue;
      next.add(one === '*' ? at : at + 1);
    }
    reached = pastStars(pattern, next);
  }
  return reached.has(pattern.length);
}

/** A `*` may stand for no word. */
function pastStars(pattern: readonly string[], reached: Set<number>): Set<number> {
  for (const at of reached) if (pattern[at] === '*') reached.add(at + 1);
  return reached;
}

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
