// What somebody is asked, from what is known of the call: secrets masked, and nothing longer than anybody reads.
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { CallDescription } from '../../fleet/registry/resolved.ts';
import { redactedText, type Redact } from '../audit/redact.ts';
import type { Attempt } from '../attempt.ts';
import type { Subject, Verdict } from '../policy/policy.ts';
import { signatureOf } from '../policy/signature.ts';
import type { PinFinding } from '../pins/definition-pins.ts';
import type { Question } from './approver.ts';

export interface QuestionParts {
  readonly subject: Subject;
  readonly verdict: Extract<Verdict, { kind: 'ask' }>;
  readonly pin: PinFinding;
  readonly description: CallDescription | undefined;
  readonly intent: string | undefined;
  readonly expiresAt: number;
}

const TEXT_MAX = 20_000;
const LINE_MAX = 4000;

export function questionOf(
  { id, kind }: Attempt,
  { subject, verdict, pin, description, intent, expiresAt }: QuestionParts,
  redact: Redact,
): Question {
  const { summary, details, diff } = description ?? {};
  return {
    id,
    kind,
    tool: subject.name,
    plugin: subject.plugin,
    caller: subject.caller,
    args: shownArguments(subject.args, redact),
    signature: cut(redactedText(signatureOf(subject)), LINE_MAX),
    reason: cut(redactedText(verdict.reason), LINE_MAX),
    remembers: cut(redactedText(verdict.remembers), LINE_MAX),
    ...textOf('intent', intent, LINE_MAX),
    ...textOf('summary', summary, LINE_MAX),
    ...textOf('details', details, TEXT_MAX),
    ...textOf('diff', diff, TEXT_MAX),
    ...(pin.kind === 'changed' ? textOf('changedDefinition', pin.difference, TEXT_MAX) : {}),
    expiresAt,
  };
}

export function shownArguments(args: JsonObject, redact: Redact): JsonObject {
  const shown = redact(args);
  return isJsonObject(shown) ? shown : {};
}

/** What a plugin says may be anything. */
function textOf<Key extends string>(key: Key, value: unknown, limit: number): Partial<Record<Key, string>> {
  if (typeof value !== 'string' || value === '') return {};
  // One key, of the type that was asked for.
  return { [key]: cut(redactedText(value), limit) } as Partial<Record<Key, string>>;
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length - limit} more characters)`;
}
