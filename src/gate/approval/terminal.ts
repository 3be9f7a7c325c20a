// Asks a person at a terminal. What is not clearly a yes is a no.
import { randomInt } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { sentence } from '../../base/sentence.ts';
import { readJson } from '../../fleet/discovery/json-reader.ts';
import type { Approval, Approver, Question } from './approver.ts';
import { framed } from './framed.ts';
import { choicesFor, colourless, shownQuestion, type Colours } from './shown-question.ts';

/** Whoever sits there. Nothing else is written to the terminal between what is shown and the answer. */
export interface TerminalPort {
  /** Shows the text, then reads one line; undefined at the end of the input or when the signal fires. */
  ask(shown: string, prompt: string, signal: AbortSignal): Promise<string | undefined>;
  /** @default none */
  readonly colours?: Colours;
  /** @default 80 */
  readonly columns?: number;
}

export interface TerminalApproverOptions {
  /** How long a person may take. @default 300000 */
  readonly limitMs?: number;
}

const LIMIT_MS = 5 * 60_000;
const ANSWERS_MAX = 5;
const EDITS_MAX = 3;

export function terminalApprover(
  port: TerminalPort,
  { limitMs = LIMIT_MS }: TerminalApproverOptions = {},
): Approver {
  return { limitMs, ask: (question, signal) => new Asking(port, question, signal).ask() };
}

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

class Asking {
  readonly #port: TerminalPort;
  readonly #question: Question;
  readonly #signal: AbortSignal;
  /** Nobody who prints something can know it before. */
  readonly #code = randomCode();

  constructor(port: TerminalPort, question: Question, signal: AbortSignal) {
    this.#port = port;
    this.#question = question;
    this.#signal = signal;
  }

  async ask(): Promise<Approval> {
    const { colours = colourless, columns = 80 } = this.#port;
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

  /** Undefined for what was not offered: there is nothing for "any" to mean, or nothing that "always" could write. */
  #offered(answer: Approval | 'comment' | 'edit' | undefined): Approval | 'comment' | 'edit' | undefined {
    if (answer === undefined || typeof answer === 'string') return answer;
    const { remembersTool, always } = this.#question;
    const { scope, covers = 'call' } = answer;
    if (covers === 'tool' && remembersTool === undefined) return undefined;
    return scope === 'always' && always?.[covers] === undefined ? undefined : answer;
  }

  async #comment(): Promise<Approval> {
    const comment = await this.#read(
      `┗━━ ${this.#code} ━━ It is denied. What shall ${this.#asker()} read?`,
      'Comment',
    );
    return comment === undefined || comment.trim() === '' ? denied : { ...denied, comment: comment.trim() };
  }

  /** Undefined when it was left as it is. */
  async #edit(): Promise<Approval | undefined> {
    let shown = `┃ The arguments are:\n${this.#arguments()}\n┗━━ ${this.#code} ━━ Type others, as one line of JSON; an empty line changes nothing.`;
    for (let tries = 0; tries < EDITS_MAX; tries++) {
      const typed = await this.#read(shown, 'Arguments');
      if (typed === undefined) return denied;
      if (typed.trim() === '') return undefined;
      const args = argumentsOf(typed);
      if (typeof args !== 'string') return { kind: 'allow', scope: 'once', by, args };
      shown = `┃ ${args}\n┗━━ ${this.#code} ━━ Again, please.`;
    }
    return denied;
  }

  #arguments(): string {
    const { columns = 80 } = this.#port;
    const json = JSON.stringify(this.#question.args, undefined, 2);
    return framed(json, { mark: '┃   ┊ ', columns, maxLines: 60 }).join('\n');
  }

  #asker(): string {
    return this.#question.caller.kind === 'model' ? 'the model' : 'the caller';
  }

  #read(shown: string, prompt: string): Promise<string | undefined> {
    return this.#port.ask(shown, `${this.#code} ${prompt} > `, this.#signal);
  }
}

function argumentsOf(typed: string): JsonObject | string {
  const read = readJson(typed, { syntax: 'json' });
  if (!read.ok) return `That is no JSON: ${sentence(read.reason)}`;
  return isJsonObject(read.root.value) ? read.root.value : 'That is no object, such as {"path": "a.txt"}.';
}

/** Letters and digits that nobody takes for others. */
const SIGNS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

function randomCode(): string {
  return Array.from({ length: 4 }, () => SIGNS[randomInt(SIGNS.length)]).join('');
}
