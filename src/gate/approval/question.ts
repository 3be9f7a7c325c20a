// What somebody is asked, from what is known of the call: secrets masked, and nothing longer than anybody reads.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { CallDescription } from '../../fleet/registry/resolved.ts';
import type { Redact } from '../audit/redact.ts';
import type { Attempt } from '../attempt.ts';
import type { Subject, Verdict } from '../policy/policy.ts';
import type { PinFinding } from '../pins/definition-pins.ts';
import type { Question } from './approver.ts';

export interface QuestionParts {
  readonly subject: Subject;
  readonly verdict: Extract<Verdict, { kind: 'ask' }>;
  readonly pin: PinFinding;
  readonly description: CallDescription | undefined;
  readonly intent: string | undefined;
  /** What "always" would write. */
  readonly always: Question['always'];
  /** In one line, what would be done. */
  readonly signatureOf: (subject: Subject) => string;
  readonly expiresAt: number;
}

/** Takes away what nobody who is asked may see. */
export interface Masks {
  readonly value: Redact;
  readonly text: (text: string) => string;
}

type Words = 'intent' | 'summary' | 'details' | 'diff' | 'changedDefinition';

const TEXT_MAX = 20_000;
const LINE_MAX = 4000;

export function questionOf(
  { id, kind }: Attempt,
  { subject, verdict, pin, description, intent, always, signatureOf, expiresAt }: QuestionParts,
  masks: Masks,
): Question {
  const { summary, details, diff } = description ?? {};
  const args = shownArguments(subject.args, masks);
  /** What a plugin says may be anything. */
  const text = (key: Words, value: unknown, limit: number): Partial<Record<Words, string>> =>
    typeof value === 'string' && value !== '' ? { [key]: cut(masks.text(value), limit) } : {};
  return {
    id,
    kind,
    tool: subject.name,
    plugin: subject.plugin,
    caller: subject.caller,
    args,
    signature: cut(shownSignature(subject, args, signatureOf, masks), LINE_MAX),
    reason: cut(masks.text(verdict.reason), LINE_MAX),
    remembers: cut(masks.text(verdict.remembers), LINE_MAX),
    ...(verdict.remembersTool !== undefined && {
      remembersTool: cut(masks.text(verdict.remembersTool), LINE_MAX),
    }),
    ...(always && { always }),
    ...text('intent', intent, LINE_MAX),
    ...text('summary', summary, LINE_MAX),
    ...text('details', details, TEXT_MAX),
    ...text('diff', diff, TEXT_MAX),
    ...(pin.kind === 'changed' || pin.kind === 'held'
      ? text('changedDefinition', pin.difference, TEXT_MAX)
      : {}),
    expiresAt,
  };
}

export function shownArguments(args: JsonObject, { value }: Pick<Masks, 'value'>): JsonObject {
  const shown = value(args);
  return isJsonObject(shown) ? shown : {};
}

/** A command line is shown in full but for its secrets; of other arguments what is shown of them. */
function shownSignature(
  subject: Subject,
  args: JsonObject,
  signatureOf: QuestionParts['signatureOf'],
  masks: Masks,
): string {
  const signature = signatureOf(subject);
  const isCall = signature.startsWith(`${subject.name}(`);
  return masks.text(isCall ? signatureOf({ ...subject, args }) : signature);
}

/** In the middle: the end is where something would hide. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = Math.floor(limit / 4);
  const left = text.length - limit;
  return `${text.slice(0, limit - end)} … (${left} characters are not shown) … ${text.slice(-end)}`;
}
