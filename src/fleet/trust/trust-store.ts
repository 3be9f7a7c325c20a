// What the user allowed to be executed: canonical paths, each with the hashes of the files that determine what is run.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { PluglotError } from '../../base/error.ts';
import { shellWord } from '../../base/text.ts';
import { canonical, isInside } from './paths.ts';
import type { PinnedFile } from '../supervisor/launcher.ts';
import { hashFile } from './files.ts';
import { changeTrustList, readTrustList, type TrustedPath } from './trust-list.ts';

export type Trust =
  | {
      readonly trusted: true;
      /** The files that are run, as they were trusted. */
      readonly pinned?: readonly PinnedFile[];
    }
  | { readonly trusted: false; readonly reason: string; readonly wayOut: string };

/** What has to be trusted before a plugin is run. */
export interface Claim {
  /** The path that a user would trust: the project or the folder of plugins. */
  readonly root: string;
  /** Paths that are run or passed on the way: all have to be inside a trusted path. */
  readonly subjects: readonly string[];
  /** The files that determine what is run. */
  readonly evidence: readonly Evidence[];
}

export interface Evidence {
  readonly file: string;
  /** Of the bytes that were read, so that the file cannot be replaced in between. Without it the file itself is run. */
  readonly sha256?: string;
  /**
   * A hash of the parts of the file that determine what is run. Pinned instead of the bytes, it lets a plugin rewrite the rest of its
   * manifest.
   */
  readonly launch?: string;
  /** A place that the start looks at, whatever it finds there: nothing, a file, or a link out of the trusted path. Each is pinned as it is. */
  readonly isOptional?: boolean;
}

export interface TrustStore {
  readonly file: string;
  /**
   * Trusts the current content of the files. Those that lead outside the path are left out.
   * @throws PluglotError CONFIG_INVALID when the store cannot be read; then nothing is written
   */
  add(path: string, files: readonly (string | Evidence)[]): Promise<TrustAdded>;
  /**
   * For a file that the user changed with pluglot. If its old content was trusted, the new one is; a new file is trusted.
   * Returns whether anything was pinned.
   * @throws PluglotError CONFIG_INVALID when the store cannot be read
   */
  follow(file: string, edit: { readonly before?: string; readonly after: string }): Promise<boolean>;
  /** @throws PluglotError CONFIG_INVALID when the store cannot be read */
  remove(path: string): Promise<TrustRemoved>;
  /** With a `problem` nothing is trusted. */
  list(): Promise<{ readonly trusted: readonly TrustedPath[]; readonly problem?: string }>;
  /** A snapshot of the store, for any number of checks. */
  checker(): Promise<(claim: Claim) => Promise<Trust>>;
}

export interface TrustAdded extends TrustedPath {
  readonly outside: readonly { readonly file: string; readonly leadsTo?: string }[];
  readonly unreadable: readonly { readonly file: string; readonly reason: string }[];
}

interface TrustRemoved {
  readonly removed: boolean;
  /** Other trusted paths that still contain this one. */
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
      // A path that is gone from the disk can still be removed from the list.
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
        const known = hashes.get(one) ?? hashOfFile(one);
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
  const links = await evidenceLinks(claim);
  const leaving = links.find((link) => !link.staysInRoot);
  if (leaving) {
    return refuse(
      `"${leaving.file}" is a link to "${leaving.leadsTo}", and a file is trusted only for the folder that it lies in`,
      `Replace the link by a copy of the file, then: pluglot trust add ${shellWord(claim.root)}`,
    );
  }
  // With a link inside the root, trust in its target is not enough: the root determines what the content means.
  const places = links.length === 0 ? [] : [claim.root];
  const required = claim.evidence.filter((one) => one.isOptional !== true);
  const paths = [...claim.subjects, ...places, ...required.map((one) => one.file)];
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
    return refuse(`"${claim.root}" is not trusted yet`, wayOut);
  }
  let first: string | undefined;
  for (const one of covering) {
    const compared = await compare(one, claim, hashOf);
    if (typeof compared !== 'string') return compared;
    first ??= compared;
  }
  return refuse(first ?? '', wayOut);
}

interface EvidenceLink {
  readonly file: string;
  readonly leadsTo: string;
  readonly staysInRoot: boolean;
}

/**
 * The evidence that a link replaces by a file of another folder. Relative paths, working folder and scope of such a file depend on the
 * place of the link, so that the link would transfer the trust in one folder to another. A claim of a single file has no folder.
 */
export async function evidenceLinks({ root, evidence }: Claim): Promise<EvidenceLink[]> {
  const realRoot = (await canonical(root)) ?? root;
  const found = await Promise.all(
    evidence.map(async ({ file, isOptional }): Promise<EvidenceLink[]> => {
      if (isOptional === true) return [];
      const [leadsTo, folder] = await Promise.all([canonical(file), canonical(path.dirname(file))]);
      if (file === root || leadsTo === undefined || path.dirname(leadsTo) === folder) return [];
      return [{ file, leadsTo, staysInRoot: isInside(realRoot, leadsTo) }];
    }),
  );
  return found.flat();
}

/** A text is what differs. */
async function compare(
  entry: TrustedPath,
  claim: Claim,
  hashOf: (file: string) => Promise<string | undefined>,
): Promise<Trust | string> {
  const pins = new Map(Object.entries(entry.pins));
  const pinned: PinnedFile[] = [];
  const placesNow = claim.evidence
    .filter((one) => one.isOptional === true)
    .map(({ file }) => placeNow(entry.path, file, hashOf));
  for (const { file, name, real, pin } of await Promise.all(placesNow)) {
    const before = pins.get(name);
    if (before === pin) {
      if (real !== undefined && pin !== undefined && !pin.startsWith(LEADS_TO))
        pinned.push({ file: real, sha256: pin });
      continue;
    }
    const what = before === undefined ? 'is new' : pin === undefined ? 'was removed' : 'has changed';
    return `"${file}", which decides what is started, ${what} since "${entry.path}" was trusted`;
  }
  for (const { file, sha256, launch, isOptional } of claim.evidence) {
    if (isOptional === true) continue;
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

interface PlaceNow {
  readonly file: string;
  /** Of its pin. */
  readonly name: string;
  /** What is there, after all links. */
  readonly real?: string;
  /** Undefined where there is no file. */
  readonly pin?: string;
}

/** A folder is as good as nothing: it cannot be started. What cannot be read has a pin that no other file has. */
async function placeNow(
  root: string,
  file: string,
  hashOf: (file: string) => Promise<string | undefined>,
): Promise<PlaceNow> {
  const folder = await canonical(path.dirname(file));
  const isWithin = folder !== undefined && isInside(root, folder);
  const name = relative(root, isWithin ? path.join(folder, path.basename(file)) : file);
  const real = await canonical(file);
  if (real === undefined || (await stat(real).catch(() => undefined))?.isDirectory() !== false)
    return { file, name };
  if (!isInside(root, real)) return { file, name, real, pin: LEADS_TO + real };
  return { file, name, real, pin: (await hashOf(real)) ?? UNREADABLE };
}

const LEADS_TO = 'leads-to:';
const UNREADABLE = 'unreadable';
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
    if (given.isOptional === true) {
      const { name, pin } = await placeNow(root, given.file, hashOfFile);
      // One that cannot be read is not trusted: it is new later.
      if (pin !== undefined && pin !== UNREADABLE) pins.push([name, pin]);
    } else evidence.set(given.file, { ...given, ...evidence.get(given.file) });
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
    else unreadable.push({ file, reason: read.kind === 'absent' ? 'does not exist' : read.reason });
  }
  pins.sort(([one], [other]) => (one < other ? -1 : 1));
  return { pins: Object.fromEntries(pins), outside, unreadable };
}

async function hashOfFile(file: string): Promise<string | undefined> {
  const read = await hashFile(file);
  return read.kind === 'read' ? read.sha256 : undefined;
}

function relative(root: string, file: string): string {
  return path.relative(root, file).split(path.sep).join('/') || '.';
}

function refuse(reason: string, wayOut: string): Trust {
  return { trusted: false, reason, wayOut };
}
