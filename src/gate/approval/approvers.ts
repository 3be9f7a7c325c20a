// The approvers outside of this process: a person at the terminal, a program that answers through files, a service. Anything but a clear yes is a no.
import type { Clock } from '../../base/clock.ts';
import { PluglotError } from '../../base/error.ts';
import { isJsonObject } from '../../base/json.ts';
import { sentence } from '../../base/text.ts';
import { files } from '../../outside/files.ts';
import type { Outside, OutsideQuestion } from '../../outside/outside.ts';
import { terminal, type TerminalPort } from '../../outside/terminal.ts';
import { problemOfSafeEndpoint, webhook } from '../../outside/webhook.ts';
import { decisionOf } from './approval-of.ts';
import type { Approval, Approver, Question } from './approver.ts';
import { askAtTerminal, type TerminalLook } from './terminal-dialog.ts';

export interface TerminalApproverOptions {
  /** How long a person may take. @default 300000 */
  readonly limitMs?: number;
}

export function terminalApprover(
  port: TerminalPort,
  { limitMs = 300_000 }: TerminalApproverOptions = {},
): Approver {
  return approverBy('terminal', terminal({ port, limitMs }), limitMs, port);
}

export interface FileExchangeOptions {
  /** Belongs to this user alone. Created when it does not exist. */
  readonly folder: string;
  /** @default 30000 */
  readonly limitMs?: number;
  /** How often an answer is looked for where the system does not report new files. @default 1000 */
  readonly pollMs?: number;
  /** @default the system clock */
  readonly clock?: Clock;
}

export function fileApprover({ limitMs = 30_000, ...options }: FileExchangeOptions): Approver {
  return approverBy('file', files({ ...options, limitMs, isPrivate: true, maxReads: 5 }), limitMs);
}

export interface WebhookOptions {
  /** https, or http where it is on this machine. */
  readonly url: string;
  /** Sent as `Authorization: Bearer …`. */
  readonly token?: string;
  /** @default 30000 */
  readonly limitMs?: number;
  /** Whether http may leave this machine, where any machine on the way can answer. @default false */
  readonly allowHttp?: boolean;
  readonly fetch: typeof fetch;
  /** @default the system clock */
  readonly clock?: Clock;
}

/** @throws PluglotError CONFIG_INVALID for an address or a token that cannot be used */
export function webhookApprover({
  url,
  token,
  limitMs = 30_000,
  allowHttp,
  ...parts
}: WebhookOptions): Approver {
  const problem =
    problemOfSafeEndpoint(url, allowHttp) ??
    (token === undefined || /^[!-~]+$/.test(token)
      ? undefined
      : 'its token is empty, or has characters that a header cannot carry');
  if (problem !== undefined)
    throw new PluglotError(
      'CONFIG_INVALID',
      `The webhook that approves calls cannot be used: ${sentence(problem)}`,
    );
  return approverBy('webhook', webhook({ endpoint: url, token, limitMs, answerStatus: 200 }, parts), limitMs);
}

function approverBy(
  by: 'terminal' | 'file' | 'webhook',
  outside: Outside,
  limitMs: number,
  look: TerminalLook = {},
): Approver {
  const outsideQuestion = (question: Question): OutsideQuestion<Approval> => ({
    id: question.id,
    body: { version: 1, ...question },
    readAnswer(value) {
      if (by === 'file' && (!isJsonObject(value) || value['id'] !== question.id))
        throw new Error('the answer does not name the id of the question');
      return decisionOf(value, by);
    },
    dialog: (readLine) => askAtTerminal(question, look, readLine),
  });
  return {
    limitMs,
    async ask(question, signal) {
      const asked = await outside.ask(outsideQuestion(question), signal);
      switch (asked.kind) {
        case 'answered':
          return asked.answer;
        case 'failed':
          throw new Error(asked.reason);
        case 'late':
          throw new Error('no answer came in time');
        case 'withdrawn':
          throw new Error('the question was withdrawn');
      }
    },
  };
}
