// A question as a person at a terminal sees it. Only the host can draw this frame: all words of others stand inside of it, marked.
import { describeCaller } from '../../base/describe.ts';
import { revealed } from '../../base/printable.ts';
import type { Colours } from '../../outside/terminal.ts';
import type { Question } from './approver.ts';
import { framed } from './framed.ts';

export const colourless: Colours = {
  frame: (text) => text,
  strong: (text) => text,
  added: (text) => text,
  removed: (text) => text,
};

export interface ShownOptions {
  /** Of this question alone. */
  readonly code: string;
  readonly columns: number;
  readonly colours: Colours;
}

export function choicesFor({ always }: Question): string {
  const forGood = always?.call === undefined && always?.tool === undefined ? '' : '[a]lways [never] ';
  return `[y]es [n]o [t]urn [i]dle [s]ession ${forGood}[all] [c]omment [e]dit`;
}

export function shownQuestion(question: Question, options: ShownOptions): string {
  const { columns, colours, code } = options;
  const own = (text: string, maxLines = 4) =>
    // Names and reasons have words of others in them, which must not begin a line that looks like ours.
    framed(revealed(text), { mark: '', columns: columns - CONTINUED.length - 1, maxLines }).map(
      (line, index) => `${colours.frame('┃')}${index === 0 ? ' ' : CONTINUED}${line}`,
    );
  const foreign = (title: string, text: string | undefined, maxLines: number, paint = plain) =>
    text === undefined
      ? []
      : [
          ...own(title),
          ...framed(text, { mark: '', columns: columns - MARK.length, maxLines }).map(
            (line) => colours.frame(MARK) + paint(line),
          ),
        ];
  const diff = (line: string) =>
    line.startsWith('+') ? colours.added(line) : line.startsWith('-') ? colours.removed(line) : line;
  const { kind, tool, plugin, caller, signature, reason } = question;
  const titles = descriptionTitles(question);
  return [
    colours.frame(`┏━━ pluglot asks · ${code} ━━━━━━━━━━`),
    ...own(`${nameOf(caller)} wants to use the ${kind} "${tool}" of plugin "${plugin}":`).map((line) =>
      colours.strong(line),
    ),
    ...framed(signature, { mark: '', columns: columns - MARK.length, maxLines: 30 }).map(
      (line) => colours.frame(MARK) + colours.strong(line),
    ),
    // A command line is not all that the tool gets.
    ...foreign(
      'With these arguments:',
      signature.startsWith(`${tool}(`) ? undefined : JSON.stringify(question.args),
      10,
    ),
    ...own(`Why you are asked: ${reason}`),
    ...foreign('What it says this is for:', question.intent, 5),
    ...foreign(titles.summary, question.summary, 5),
    ...foreign(titles.details, question.details, 40),
    ...foreign(titles.diff, question.diff, 100, diff),
    ...foreign(
      'It is not what was approved before. How its definition differs:',
      question.changedDefinition,
      100,
      diff,
    ),
    ...own('What an answer covers:'),
    ...coverage(question).flatMap(([keys, what]) => own(`${keys.padEnd(8)}${what}`)),
    colours.frame(`┗━━ ${code} ━━ ${choicesFor(question)}`),
  ].join('\n');
}

/** Only the host's own description is given as a fact. */
export function descriptionTitles({
  describedBy,
}: Question): Readonly<Record<'summary' | 'details' | 'diff', string>> {
  return describedBy === 'host'
    ? { summary: 'What it would do:', details: 'Details:', diff: 'What would change:' }
    : {
        summary: 'What the plugin says it would do (not checked):',
        details: 'Details, as the plugin says:',
        diff: 'What would change, as the plugin says:',
      };
}

function coverage({ remembers, remembersTool, always }: Question): (readonly [keys: string, what: string])[] {
  const { file = '', call, tool } = always ?? {};
  return [
    ['y, n', 'this call alone'],
    ['t, i, s', `until the turn ends, 5 minutes pass without a call, or the session ends: ${remembers}`],
    ...(remembersTool === undefined ? [] : [['s any', remembersTool] as const]),
    ...(call === undefined ? [] : [['a', `for good and every caller, by the rule ${call}`] as const]),
    ...(tool === undefined ? [] : [['a any', `for good and every caller, by the rule ${tool}`] as const]),
    ...(always === undefined ? [] : [['never', `as a, and denied. Rules are written into ${file}`] as const]),
    ['all', 'everything that this caller wants and no rule denies, until this host ends'],
  ];
}

const MARK = '┃   ┊ ';
const CONTINUED = '   ↳ ';

function plain(line: string): string {
  return line;
}

function nameOf(caller: Question['caller']): string {
  switch (caller.kind) {
    case 'model':
      return caller.name === undefined ? 'The model' : `The model "${caller.name}"`;
    case 'user':
      return 'You';
    case 'program':
    case 'job':
    case 'client':
      return `The ${describeCaller(caller)}`;
  }
}
