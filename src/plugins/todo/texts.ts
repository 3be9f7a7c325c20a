// How long what models write may be: plans are kept, printed and sent.
import { fail } from '../../definition/failure.ts';

export const STEPS_MAX = 100;

/** In characters. */
const longest = {
  title: 200,
  description: 1000,
  result: 4000,
  error: 4000,
  summary: 4000,
  message: 1000,
} as const;

export type TextKind = keyof typeof longest;

/** Trimmed, and not empty. */
export function requiredText(text: string, where: string, kind: TextKind): string {
  const trimmed = text.trim();
  if (trimmed === '')
    fail({ code: 'INVALID_ARGUMENTS', message: `"${where}" is empty; say in words what is meant.` });
  return checkedLength(trimmed, where, kind);
}

/** Null where there is nothing in it. */
export function optionalText(text: string | undefined, kind: TextKind): string | null {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : checkedLength(trimmed, kind, kind);
}

function checkedLength(text: string, where: string, kind: TextKind): string {
  const most = longest[kind];
  if (text.length <= most) return text;
  return fail({
    code: 'INVALID_ARGUMENTS',
    message: `"${where}" has ${text.length} characters, and at most ${most} are kept. Say it in fewer words.`,
  });
}
