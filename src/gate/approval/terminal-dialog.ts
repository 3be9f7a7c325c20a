// The dialog about a call with a person at a terminal. What is not clearly a yes is a no.
import { randomInt } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { sentence } from '../../base/text.ts';
import { readJson } from '../../fleet/discovery/json-reader.ts';
import type { ReadLine } from '../../outside/outside.ts';
import type { TerminalPort } from '../../outside/terminal.ts';
import type { Approval, Question } from './approver.ts';
import { framed } from './framed.ts';
import { choicesFor, colourless, shownQuestion } from './shown-question.ts';

export type TerminalLook = Pick<TerminalPort, 'colours' | 'columns'>;

export function askAtTerminal(question: Question, look: TerminalLook, readLine: ReadLine): Promise<Approval> {
  return new Dialog(question, look, readLine).ask();
}

const ANSWERS_MAX = 5;
const EDITS_MAX = 3;

const by = 'terminal';
const denied = { kind: 'deny', scope: 'once', by } as const;

const answers = new Map<string, Approval | 'comment' | 'edit'>();
for (const word of ['', 'n', 'no']) answers.set(word, denied);
for (const word of ['y', 'yes', 'once']) answers.set(word, { kind: 'allow', scope: 'once', by });
for (const word of ['c', 'comment']) answers.set(word, 'comment');
for (const word of ['e', 'edit']) answers.set(word, 'edit');
answers.set('all', { kind: 'allow', scope: 'all', by });
const lasting: readonly (readonly [string[], Approval])[] = [
  [['t', 'turn'], { kind: 'allow', scope: 'turn', by }],
  [['i', 'idle'], { kind: 'allow', scope: 'idle', by }],
  [['s', 'session'], { kind: 'allow', scope: 'session', by }],
  [['a', 'always'], { kind: 'allow', scope: 'always', by }],
  [['never'], { kind: 'deny', scope: 'always', by }],
];
for (const [words, answer] of lasting)
  for (const word of words) {
    answers.set(word, answer);
    answers.set(`${word} any`, { ...answer, covers: 'tool' });
  }

class Dialog {
  readonly #question: Question;
  readonly #look: TerminalLook;
  readonly #readLine: ReadLine;
  /** Other output cannot know it in advance. */
  readonly #code = randomCode();

  constructor(question: Question, look: TerminalLook, readLine: ReadLine) {
    this.#question = question;
    this.#look = look;
    this.#readLine = readLine;
  }

  async ask(): Promise<Approval> {
    const { colours = colourless, columns = 80 } = this.#look;
    let shown = shownQuestion(this.#question, { code: this.#code, columns, colours });
    for (let tries = 0; tries < ANSWERS_MAX; tries++) {
      const typed = await this.#read(shown, 'Allow it? (no)');
      if (typed === undefined) return denied;
      const answer = this.#offered(answers.get(typed.trim().toLowerCase().replace(/\s+/, ' ')));
      if (answer === 'comment') return this.#comment();
      const approval = answer === 'edit' ? await this.#edit() : answer;
      if (approval !== undefined) return approval;
      shown = `┃ ${answer === 'edit' ? 'Nothing was changed.' : 'That is not one of the answers.'}\n┗━━ ${this.#code} ━━ ${choicesFor(this.#question)}`;
    }
    return denied;
  }

  /** Undefined for an answer that was not offered. */
  #offered(answer: Approval | 'comment' | 'edit' | undefined): Approval | 'comment' | 'edit' | undefined {
    if (answer === undefined || typeof answer === 'string') return answer;
    const { remembersTool, always } = this.#question;
    const { scope, covers = 'call' } = answer;
    if (covers === 'tool' && remembersTool === undefined) return undefined;
    return scope === 'always' && always?.[covers] === undefined ? undefined : answer;
  }

  async #comment(): Promise<Approval> {
    const comment = await this.#read(
      `┗━━ ${this.#code} ━━ The call is denied. Comment for ${this.#asker()}:`,
      'Comment',
    );
    return comment === undefined || comment.trim() === '' ? denied : { ...denied, comment: comment.trim() };
  }

  /** Undefined when the arguments are unchanged. */
  async #edit(): Promise<Approval | undefined> {
    let shown = `┃ The arguments are:\n${this.#arguments()}\n┗━━ ${this.#code} ━━ Type new ones as one line of JSON; an empty line keeps them.`;
    for (let tries = 0; tries < EDITS_MAX; tries++) {
      const typed = await this.#read(shown, 'Arguments');
      if (typed === undefined) return denied;
      if (typed.trim() === '') return undefined;
      const args = argumentsOf(typed);
      if (typeof args !== 'string') return { kind: 'allow', scope: 'once', by, args };
      shown = `┃ ${args}\n┗━━ ${this.#code} ━━ Try again.`;
    }
    return denied;
  }

  #arguments(): string {
    const { columns = 80 } = this.#look;
    const json = JSON.stringify(this.#question.args, undefined, 2);
    return framed(json, { mark: '┃   ┊ ', columns, maxLines: 60 }).join('\n');
  }

  #asker(): string {
    return this.#question.caller.kind === 'model' ? 'the model' : 'the caller';
  }

  #read(shown: string, prompt: string): Promise<string | undefined> {
    return this.#readLine(shown, `${this.#code} ${prompt} > `);
  }
}

function argumentsOf(typed: string): JsonObject | string {
  const read = readJson(typed, { syntax: 'json' });
  if (!read.ok) return `That is not JSON: ${sentence(read.reason)}`;
  return isJsonObject(read.root.value) ? read.root.value : 'That is not an object such as {"path": "a.txt"}.';
}

/** Letters and digits that cannot be mistaken for each other. */
const SIGNS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

function randomCode(): string {
  return Array.from({ length: 4 }, () => SIGNS[randomInt(SIGNS.length)]).join('');
}
