// What pluglot itself reads and keeps, and the secrets of common programs, where they lie in a folder that a confined program is shown.
import path from 'node:path';
import { CONFIGURATION_FILES } from '../../fleet/discovery/config-places.ts';
import { isInside, placesOnTheWay } from '../../fleet/trust/paths.ts';
import { statOf } from './places.ts';
import type { OwnPlaces, SandboxHost } from './sandbox.ts';

/** Below the home folder: keys, tokens and passwords of common programs. */
const SECRET_FOLDERS = [
  '.aws',
  '.azure',
  '.config/gcloud',
  '.config/gh',
  '.config/pluglot',
  '.docker',
  '.gnupg',
  '.kube',
  '.local/share/keyrings',
  '.local/state/pluglot',
  '.password-store',
  '.ssh',
];
const SECRET_FILES = [
  '.bash_history',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.git-credentials',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.pypirc',
  '.zsh_history',
];

/** What pluglot reads and keeps, with the secrets of the home folder among what is hidden. */
export function ownPlacesOf(host: SandboxHost): OwnPlaces {
  const { kept, hidden, hiddenFiles } = host.own();
  const below = (name: string) => path.join(host.home, name);
  return {
    kept,
    hidden: [...hidden, ...SECRET_FOLDERS.map(below)],
    hiddenFiles: [...hiddenFiles, ...SECRET_FILES.filter((name) => isOneOfCargo(name, host.home)).map(below)],
  };
}

/** cargo reads one of its two files. Where the other one is missing it stays so: if it were made, cargo would take it instead. */
function isOneOfCargo(name: string, home: string): boolean {
  const other = name.endsWith('.toml') ? name.slice(0, -'.toml'.length) : `${name}.toml`;
  const isThere = (file: string) => statOf(path.join(home, file)) !== undefined;
  return !name.startsWith('.cargo/') || isThere(name) || (name.endsWith('.toml') && !isThere(other));
}

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
