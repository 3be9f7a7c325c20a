// What pluglot itself reads and keeps, where it lies in a folder that a confined program can write to.
import path from 'node:path';
import { CONFIGURATION_FILES } from '../../fleet/discovery/project-files.ts';
import { isInside, placesOnTheWay } from '../../fleet/trust/containment.ts';
import type { OwnPlaces } from './sandbox.ts';

/** The files in a folder that stay as they are, and the links that lead to them: one that is replaced would lead to another file. */
export function keptIn(folder: string, { kept }: OwnPlaces): string[] {
  const usual = CONFIGURATION_FILES.map((name) => path.join(folder, name));
  return [...new Set([...usual, ...kept.flatMap(placesOnTheWay)])].filter((file) => isBelow(folder, file));
}

/** What is hidden in a folder, whether it is there or not, and the links that lead to it. */
export function hiddenIn(folder: string, { hidden, hiddenFiles }: OwnPlaces): Hidden {
  const ways = [...hidden, ...hiddenFiles].map(placesOnTheWay);
  const below = (places: readonly string[]) => places.filter((place) => isBelow(folder, place));
  return {
    places: below(ways.flatMap((way) => way.slice(-1))),
    links: below(ways.flatMap((way) => way.slice(0, -1))),
  };
}

interface Hidden {
  readonly places: readonly string[];
  readonly links: readonly string[];
}

function isBelow(folder: string, file: string): boolean {
  return file !== folder && isInside(folder, file);
}
