// A command as it was typed in some folder, in the words of a configuration file that lies elsewhere.
import { stat } from 'node:fs/promises';
import path from 'node:path';

export interface TypedWordsOptions {
  /** Where the configuration lies. */
  readonly folder: string;
  /** How paths are written: a user's file holds for every folder, a project's file moves with the project. */
  readonly keep: 'absolute' | 'relative';
}

/** Words that name something that is there mean just that, wherever they are read; all others stay. */
export async function typedWords(
  words: readonly string[],
  cwd: string,
  { folder, keep }: TypedWordsOptions,
): Promise<string[]> {
  return Promise.all(
    words.map(async (word, index) => {
      // A program without a slash is one of PATH.
      if (word === '' || word.startsWith('-') || path.isAbsolute(word)) return word;
      if (index === 0 && !word.includes('/')) return word;
      if (keep === 'relative' && path.resolve(cwd) === path.resolve(folder)) return word;
      const place = path.resolve(cwd, word);
      if (!(await exists(place))) return word;
      if (keep === 'absolute') return place;
      const relative = path.relative(folder, place);
      return relative.startsWith('..') ? place : index === 0 ? `./${relative}` : relative || '.';
    }),
  );
}

async function exists(place: string): Promise<boolean> {
  try {
    await stat(place);
    return true;
  } catch {
    return false;
  }
}
