// What the user has said may be executed: canonical paths, each with the hashes of the files that decide what is run.
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { shellWord } from '../../base/shell-word.ts';
import { canonical, isInside } from './containment.ts';
import type { PinnedFile } from '../supervisor/launcher.ts';
import { hashFile } from './regular-file.ts';
import { changeTrustList, readTrustList, type TrustedPath } from './trust-list.ts';

export type Trust =
  | {
      readonly trusted: true;
      /** The files that are run, as they were trusted. */
      readonly pinned?: readonly PinnedFile[];
    }
  | { readonly trusted: false; readonly reason: string; readonly wayOut: string };

/** What somebody would have to trust before something is run. */
export interface Claim {
  /** What a user would name: the project or the folder of plugins. */
  readonly root: string;
  /** What is run or lies in between: all of it has to be inside of what is trusted. */
  readonly subjects: readonly string[];
  /** The files that decide what is run. */
  readonly evidence: readonly Evidence[];
}

export interface Evidence {
  readonly file: string;
  /** Of the bytes that were read, where they were: then nobody can exchange the file in between. Without it the file itself is run. */
  readonly sha256?: string;
  /**
   * A digest of all that the file says of what is run. Pinned instead of the bytes, it lets a plugin rewrite the rest of its own
   * manifest.
   */
  readonly launch?: string;
}

export interface TrustStore {
  readonly file: string;
  /**
   * Trusts the files as they are now. Those that lead outside of the path are left out.
   * @throws PluglotError CONFIG_INVALID when the store cannot be read: nothing is written then
   */
  add(path: string, files: readonly (string | Evidence)[]): Promise<TrustAdded>;
  /**
   * For a file that the user has changed through us. Where it was trusted as it was, it is as it is now; one that is new is trusted.
   * Gives whether anything was pinned.
   * @throws PluglotError CONFIG_INVALID when the store cannot be read
   */
  follow(file: string, edit: { readonly before?: string; readonly after: string }): Promise<boolean>;
  /** @throws PluglotError CONFIG_INVALID when the store cannot be read */
  remove(path: string): Promise<TrustRemoved>;
  /** Nothing is trusted while there is a `problem`. */
  list(): Promise<{ readonly trusted: readonly TrustedPath[]; readonly problem?: string }>;
  /** A look at the store as it is now, for any number of checks. */
  checker(): Promise<(claim: Claim) => Promise<Trust>>;
}

export interface TrustAdded extends TrustedPath {
  readonly outside: readonly { readonly file: string; readonly leadsTo?: string }[];
  readonly unreadable: readonly { readonly file: string; readonly reason: string }[];
}

interface TrustRemoved {
  readonly removed: boolean;
  /** Other trusted paths that still hold this one. */
  readonly coveredBy: readonly string[];
}

export interface TrustStoreOptions {
  readonly file: string;
  /** @default the time of the system */
  readonly now?: () => Date;
}

export function trustStore({ file, now = () => new Date() }: TrustStoreOptions): TrustStore {
  return {
    file,
    list: () => readTrustList(file),

    async add(given, files) {
      const root = await canonical(given);
      if (root === undefined) {
        throw new PluglotError('CONFIG_INVALID', `There is nothing at "${given}" that could be trusted.`);
      }
      const { pins, outside, unreadable } = await pinsOf(root, files);
      const entry: TrustedPath = { path: root, addedAt: now().toISOString(), pins };
      await changeTrustList(file, (trusted) => [...trusted.filter((one) => one.path !== root), entry]);
      return { ...entry, outside, unreadable };
    },

    async follow(given, { before, after }) {
      const real = await canonical(given);
      if (real === undefined) return false;
      const folder = path.dirname(real);
      let isPinned = false;
      await changeTrustList(file, (trusted) => {
        if (before === undefined) {
          isPinned = true;
          const entry = trusted.find((one) => one.path === folder) ?? {
            path: folder,
            addedAt: now().toISOString(),
            pins: {},
          };
          const pins = { ...entry.pins, [relative(folder, real)]: after };
          return [...trusted.filter((one) => one.path !== folder), { ...entry, pins }];
        }
        return trusted.map((one) => {
          const name = relative(one.path, real);
          if (!isInside(one.path, real) || one.pins[name] !== before) return one;
          isPinned = true;
          return { ...one, pins: { ...one.pins, [name]: after } };
        });
      });
      return isPinned;
    },

    async remove(given) {
      // What is gone from the disk can still be taken from the list.
      const root = (await canonical(given)) ?? path.resolve(given);
      let before: readonly TrustedPath[] = [];
      await changeTrustList(file, (trusted) => {
        before = trusted;
        return trusted.filter((one) => one.path !== root);
      });
      return {
        removed: before.some((one) => one.path === root),
        coveredBy: before.map((one) => one.path).filter((one) => one !== root && isInside(one, root)),
      };
    },

    async checker() {
      const { trusted, problem } = await readTrustList(file);
      const hashes = new Map<string, Promise<string | undefined>>();
      const hashOf = (one: string): Promise<string | undefined> => {
        const known =
          hashes.get(one) ?? hashFile(one).then((read) => (read.kind === 'read' ? read.sha256 : undefined));
        hashes.set(one, known);
        return known;
      };
      return (claim) => check(claim, file, trusted, problem, hashOf);
    },
  };
}

async function check(
  claim: Claim,
  file: string,
  trusted: readonly TrustedPath[],
  problem: string | undefined,
  hashOf: (file: string) => Promise<string | undefined>,
): Promise<Trust> {
  if (problem !== undefined) {
    return refuse(
      `nothing is trusted, since ${problem}`,
      `Repair ${file} or move it away, then trust again.`,
    );
  }
  const wayOut = `Read it, then: pluglot trust add ${shellWord(claim.root)}`;
  const paths = [...claim.subjects, ...claim.evidence.map((one) => one.file)];
  const real = await Promise.all(paths.map(canonical));
  const gone = paths.find((_, index) => real[index] === undefined);
  if (gone !== undefined) return refuse(`"${gone}" is not there`, wayOut);
  // All are defined: the line above.
  const canonicals = real as string[];

  const root = (await canonical(claim.root)) ?? claim.root;
  const near = trusted.filter(
    (one) => canonicals.some((file) => isInside(one.path, file)) || isInside(one.path, root),
  );
  const covering = near
    .filter((one) => canonicals.every((file) => isInside(one.path, file)))
    .sort((one, other) => other.path.length - one.path.length);
  if (covering.length === 0) {
    const [inside] = near;
    const stray = paths.findIndex((_, index) => inside && !isInside(inside.path, canonicals[index] ?? ''));
    if (inside && stray !== -1) {
      const leadsTo = canonicals[stray] ?? '';
      return refuse(
        `"${paths[stray]}" leads to "${leadsTo}", outside of the trusted "${inside.path}"`,
        `Read it, then: pluglot trust add ${shellWord(leadsTo)}`,
      );
    }
    return refuse(`nobody has said that what "${claim.root}" brings may be run`, wayOut);
  }
  let first: string | undefined;
  for (const one of covering) {
    const compared = await compare(one, claim, hashOf);
    if (typeof compared !== 'string') return compared;
    first ??= compared;
  }
  return refuse(first ?? '', wayOut);
}

/** A text is what differs. */
async function compare(
  entry: TrustedPath,
  claim: Claim,
  hashOf: (file: string) => Promise<string | undefined>,
): Promise<Trust | string> {
  const pins = new Map(Object.entries(entry.pins));
  const pinned: PinnedFile[] = [];
  for (const { file, sha256, launch } of claim.evidence) {
    const real = (await canonical(file)) ?? file;
    const pin = pins.get(relative(entry.path, real));
    if (pin === undefined) return `"${file}" is new since "${entry.path}" was trusted`;
    if (launch !== undefined && pin === launchPin(launch)) continue;
    if (pin !== (sha256 ?? (await hashOf(real))))
      return pin.startsWith(LAUNCH)
        ? `"${file}" starts the plugin in another way since "${entry.path}" was trusted`
        : `"${file}" has changed since "${entry.path}" was trusted`;
    if (sha256 === undefined) pinned.push({ file: real, sha256: pin });
  }
  return pinned.length === 0 ? { trusted: true } : { trusted: true, pinned };
}

const LAUNCH = 'launch:';

function launchPin(launch: string): string {
  return LAUNCH + launch;
}

async function pinsOf(
  root: string,
  files: readonly (string | Evidence)[],
): Promise<Pick<TrustAdded, 'pins' | 'outside' | 'unreadable'>> {
  const pins: [string, string][] = [];
  const outside: { file: string; leadsTo?: string }[] = [];
  const unreadable: { file: string; reason: string }[] = [];
  const evidence = new Map<string, Evidence>();
  for (const one of files) {
    const given = typeof one === 'string' ? { file: one } : one;
    evidence.set(given.file, { ...given, ...evidence.get(given.file) });
  }
  for (const [file, { launch }] of [...evidence].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const real = await canonical(file);
    if (real === undefined || !isInside(root, real)) {
      outside.push({ file, ...(real !== undefined && { leadsTo: real }) });
      continue;
    }
    const read = launch === undefined ? await hashFile(real) : ({ kind: 'launch', launch } as const);
    if (read.kind === 'read') pins.push([relative(root, real), read.sha256]);
    else if (read.kind === 'launch') pins.push([relative(root, real), launchPin(read.launch)]);
    else unreadable.push({ file, reason: read.kind === 'absent' ? 'is not there' : read.reason });
  }
  return { pins: Object.fromEntries(pins), outside, unreadable };
}

function relative(root: string, file: string): string {
  return path.relative(root, file).split(path.sep).join('/') || '.';
}

function refuse(reason: string, wayOut: string): Trust {
  return { trusted: false, reason, wayOut };
}
