// The question that a person is asked about a call: secrets masked, texts limited.
import { isJsonObject, type JsonObject, isJsonArray, type Json } from '../../base/json.ts';
import type { CallDescription } from '../../fleet/registry/contract.ts';
import type { Caller } from '../../definition/caller.ts';
import type { Redact } from '../audit/redact.ts';
import type { CallRequest } from '../call-request.ts';
import type { Subject, Verdict } from '../policy/policy.ts';
import type { PinFinding } from '../pins/definition-pins.ts';
import type { Question } from './approver.ts';
import { jsonText } from '../../base/text.ts';

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

/** Removes secrets. */
export interface Masks {
  readonly value: Redact;
  readonly text: (text: string) => string;
}

type TextField = 'intent' | 'summary' | 'details' | 'diff' | 'changedDefinition';

const TEXT_MAX = 20_000;
const LINE_MAX = 4000;

export function questionOf(
  { id, kind }: CallRequest,
  { subject, verdict, pin, description, intent, always, signatureOf, expiresAt }: QuestionParts,
  masks: Masks,
): Question {
  const { summary, details, diff } = description ?? {};
  const args = shownArguments(subject.args, masks);
  /** Plugins may send anything here. */
  const text = (key: TextField, value: unknown, limit: number): Partial<Record<TextField, string>> =>
    typeof value === 'string' && value !== '' ? { [key]: maskedCut(value, limit, masks) } : {};
  return {
    id,
    kind,
    // The name of a resource is its address, which clients write.
    tool: maskedCut(subject.name, LINE_MAX, masks),
    plugin: maskedCut(subject.plugin, LINE_MAX, masks),
    caller: maskedCaller(subject.caller, masks),
    args,
    signature: maskedCut(shownSignature(subject, args, signatureOf), LINE_MAX, masks),
    reason: maskedCut(verdict.reason, LINE_MAX, masks),
    remembers: maskedCut(verdict.remembers, LINE_MAX, masks),
    ...(verdict.remembersTool !== undefined && {
      remembersTool: maskedCut(verdict.remembersTool, LINE_MAX, masks),
    }),
    ...(always && { always }),
    ...text('intent', intent, LINE_MAX),
    ...(description !== undefined && subject.origin === 'built-in' && { describedBy: 'host' as const }),
    ...text('summary', summary, LINE_MAX),
    ...text('details', details, TEXT_MAX),
    ...text('diff', diff, TEXT_MAX),
    ...(pin.kind === 'changed' || pin.kind === 'held'
      ? text('changedDefinition', pin.difference, TEXT_MAX)
      : {}),
    expiresAt,
  };
}

/** Clients name themselves. */
function maskedCaller(caller: Caller, { text }: Masks): Caller {
  return caller.name === undefined ? caller : { ...caller, name: text(caller.name) };
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
): string {
  const signature = signatureOf(subject);
  const isCall = signature.startsWith(`${subject.name}(`);
  return isCall ? signatureOf({ ...subject, args }) : signature;
}

/** Far more than is shown is masked, so that no secret is cut in half; to mask megabytes would keep others waiting. */
function maskedCut(text: string, limit: number, masks: Masks): string {
  return cut(masks.text(cut(text, MASKED_MAX)), limit, text.length);
}

const MASKED_MAX = 200_000;

/** In the middle: the end is where something would hide. */
function cut(text: string, limit: number, length = text.length): string {
  if (text.length <= limit) return text;
  const end = Math.floor(limit / 4);
  const left = Math.max(length, text.length) - limit;
  return `${text.slice(0, limit - end)} … (${left} characters are not shown) … ${text.slice(-end)}`;
}

/**
 * Arguments that a person edited as they were shown, masked and cut: values that were left unchanged mean the original ones.
 * @throws Error where a text was changed of which a part was not shown
 */
export function restored(edited: JsonObject, shown: JsonObject, original: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(edited).map(([name, value]) => [
      name,
      restoredAt(value, own(shown, name), own(original, name), name),
    ]),
  );
}

function restoredAt(edited: Json, shown: Json | undefined, original: Json | undefined, path: string): Json {
  if (shown === undefined || original === undefined || jsonText(shown) === jsonText(original)) return edited;
  if (jsonText(edited) === jsonText(shown)) return original;
  if (isJsonArray(edited) && isJsonArray(shown) && isJsonArray(original))
    return edited.map((item, index) => restoredAt(item, shown[index], original[index], `${path}[${index}]`));
  if (isJsonObject(edited) && isJsonObject(shown) && isJsonObject(original))
    return Object.fromEntries(
      Object.entries(edited).map(([name, value]) => [
        name,
        restoredAt(value, own(shown, name), own(original, name), `${path}.${name}`),
      ]),
    );
  if (typeof edited === 'string' && /\*\*\*|… \(/.test(edited))
    throw new Error(`"${path.slice(0, 100)}" was changed, and a part of it was not shown; write it in full`);
  return edited;
}

function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
