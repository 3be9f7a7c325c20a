// The user of a client is asked whether a call may happen, with a form that the client shows.
import { printableLine, revealed } from '../../base/printable.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Approval, Approver, Question } from '../../gate/approval/approver.ts';
import { framed } from '../../gate/approval/framed.ts';

export interface ApprovalFormParts {
  readonly clientName: string;
  readonly limitMs: number;
  /** The connection lasts, so that an answer can hold for as long as it does. */
  readonly isLasting: boolean;
  readonly ask: (params: JsonObject, signal: AbortSignal) => Promise<Json>;
}

const ONCE = 'allow';
const HERE = 'allow for this connection';
const DENY = 'deny';

export function approvalForm({ clientName, limitMs, isLasting, ask }: ApprovalFormParts): Approver {
  const by = `client:${printableLine(clientName, 100)}`;
  return {
    limitMs,
    async ask(question, signal) {
      const decisions = isLasting ? [ONCE, HERE, DENY] : [ONCE, DENY];
      const answer = await ask(formOf(question, decisions), signal);
      const { decision, comment } = contentOf(answer);
      if (!decisions.includes(decision) || decision === DENY) return denied(by, comment);
      // It is bound to this connection by the caller of the call.
      return { kind: 'allow', scope: decision === HERE ? 'session' : 'once', by };
    },
  };
}

function denied(by: string, comment: string): Approval {
  return { kind: 'deny', scope: 'once', by, ...(comment === '' ? {} : { comment }) };
}

function formOf(question: Question, decisions: readonly string[]): JsonObject {
  return {
    mode: 'form',
    message: messageOf(question),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          description: decisions.includes(HERE)
            ? `"${HERE}" is about: ${revealed(question.remembers)}`
            : 'May it happen?',
          enum: decisions,
        },
        comment: { type: 'string', title: 'Comment', description: 'For the model to read, if you deny it.' },
      },
      required: ['decision'],
    },
  };
}

/** Words of others stand in lines of their own, each marked. */
function messageOf(question: Question): string {
  const { kind, tool, plugin, signature, args, reason } = question;
  const said = (title: string, text: string | undefined, maxLines: number) =>
    text === undefined ? [] : [title, ...framed(text, { mark: '  > ', columns: 120, maxLines })];
  return [
    `May the ${kind} "${revealed(tool)}" of plugin "${revealed(plugin)}" be called?`,
    ...framed(signature, { mark: '  ', columns: 120, maxLines: 30 }),
    ...said('With these arguments:', signature.startsWith(`${tool}(`) ? undefined : JSON.stringify(args), 10),
    `Why you are asked: ${revealed(reason)}`,
    ...said('What the plugin says it would do (its own words):', question.summary, 5),
    ...said('More, in the words of the plugin:', question.details, 20),
    ...said('What would change, as the plugin says:', question.diff, 60),
    ...said(
      'It is not what was approved before. How its definition differs:',
      question.changedDefinition,
      60,
    ),
  ].join('\n');
}

/** Nothing clear is a no. */
function contentOf(answer: Json): { readonly decision: string; readonly comment: string } {
  const { action, content } = isJsonObject(answer) ? answer : {};
  const { decision, comment } = isJsonObject(content) ? content : {};
  return {
    decision: action === 'accept' && typeof decision === 'string' ? decision : DENY,
    comment: typeof comment === 'string' ? comment : '',
  };
}
