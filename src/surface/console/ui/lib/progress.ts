// How far something is, in words and as a part of the whole.
import { shortNumber } from './format.ts';

export interface ProgressTold {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Who says how far it is may leave out of how much: what was said of that before still holds. */
export function nextProgress(before: ProgressTold | undefined, told: ProgressTold): ProgressTold {
  const total = told.total ?? before?.total;
  return total === undefined ? told : { ...told, total };
}

export interface ProgressShown {
  readonly words: string;
  /** From 0 to 1; undefined where nobody knows of how much. */
  readonly part?: number;
}

export function progressShown({ progress, total }: ProgressTold): ProgressShown {
  if (total === undefined || !(total > 0) || !Number.isFinite(progress / total))
    return { words: shortNumber(progress) };
  const part = Math.min(1, Math.max(0, progress / total));
  const isShare = total === 1 || total === 100;
  return {
    words: isShare ? `${Math.floor(part * 100)} %` : `${shortNumber(progress)} of ${shortNumber(total)}`,
    part,
  };
}
