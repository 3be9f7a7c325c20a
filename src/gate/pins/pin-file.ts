// The file behind the pinned definitions: read with suspicion, written in one piece, and shared by all hosts of the user.
import { isJsonObject, type Json } from '../../base/json.ts';
import { MiB } from '../../base/units.ts';
import { changeFile, readTextFile } from '../../fleet/trust/files.ts';
import { otherWriters } from '../../fleet/trust/paths.ts';

export interface Pin {
  /** `plugin`: it was approved, and all it had then is pinned; what it has since is new. */
  readonly kind: 'tool' | 'command' | 'plugin';
  readonly plugin: string;
  /** Empty for a plugin. */
  readonly name: string;
  /** Apart from others of the same name: the folder of the project. */
  readonly scope: string;
  readonly sha256: string;
  readonly approvedAt: string;
  /** To show later what has changed; the hash is what counts. */
  readonly definition?: string;
}

/** Where pins are kept. */
export interface PinKeeper {
  /** @throws Error when they cannot be read: nothing is known then */
  read(): Promise<readonly Pin[]>;
  /** No other process changes them meanwhile. @throws Error when they cannot be read or written */
  change(change: (pins: readonly Pin[]) => readonly Pin[]): Promise<void>;
}

const FILE_MAX = 16 * MiB;
const PINS_MAX = 50_000;
/** A definition that is longer is pinned by its hash alone. */
const DEFINITION_MAX = 16 * 1024;

export function pinFile(file: string): PinKeeper {
  const read = async () => {
    const found = await readTextFile(file, FILE_MAX);
    if (found.kind === 'absent') return [];
    if (found.kind === 'unreadable') throw new Error(`${file} ${found.reason}`);
    // Who can change it decides which definitions were approved.
    const open = otherWriters(file, 'state');
    if (open !== undefined) throw new Error(`${open.place} ${open.reason} (${open.fix})`);
    const pins = parse(found.text);
    if (pins === undefined) throw new Error(`${file} is damaged; repair it or move it away`);
    return pins;
  };
  return {
    read,
    change: (change) =>
      changeFile(file, { mode: 0o600, enforceMode: true }, async () => written(change(await read()), file)),
  };
}

/** The next call of it is looked at as that of a tool that is new. @throws Error when they cannot be read or written */
export async function forgetPin(
  keeper: PinKeeper,
  named: Pick<Pin, 'plugin' | 'name' | 'scope'>,
): Promise<void> {
  const isNamed = ({ kind, plugin, name, scope }: Pin) =>
    kind !== 'plugin' && plugin === named.plugin && name === named.name && scope === named.scope;
  if ((await keeper.read()).some(isNamed)) await keeper.change((pins) => pins.filter((pin) => !isNamed(pin)));
}

/** For hosts that keep no state. */
export function pinsInMemory(): PinKeeper {
  let kept: readonly Pin[] = [];
  return {
    read: () => Promise.resolve(kept),
    change: async (change) => {
      const next = change(kept);
      written(next, 'the list of pinned definitions');
      kept = next;
    },
  };
}

/** @throws Error when there are too many: a dropped pin would let a changed definition pass */
function written(pins: readonly Pin[], file: string): string {
  if (pins.length > PINS_MAX) throw new Error(`${file} is full (${PINS_MAX} definitions)`);
  const short = pins.map((pin) => ((pin.definition?.length ?? 0) > DEFINITION_MAX ? withoutText(pin) : pin));
  const text = textOf(short);
  if (text.length <= FILE_MAX / 2) return text;
  return textOf(short.map(withoutText));
}

function textOf(pins: readonly Pin[]): string {
  // A line each, so that people can read it and version control can compare it.
  return `{ "version": 1, "pins": [\n${pins.map((pin) => JSON.stringify(pin)).join(',\n')}\n] }\n`;
}

function withoutText(pin: Pin): Pin {
  const { definition: _, ...rest } = pin;
  return rest;
}

function parse(text: string): Pin[] | undefined {
  try {
    // Checked below.
    const value = JSON.parse(text) as Json;
    if (!isJsonObject(value) || value['version'] !== 1 || !Array.isArray(value['pins'])) return undefined;
    const pins = value['pins'].map(pinOf);
    return pins.every((pin) => pin !== undefined) ? pins : undefined;
  } catch {
    return undefined;
  }
}

function pinOf(value: Json): Pin | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, plugin, name, scope, sha256, approvedAt, definition } = value;
  if (
    (kind !== 'tool' && kind !== 'command' && kind !== 'plugin') ||
    typeof plugin !== 'string' ||
    typeof name !== 'string' ||
    typeof scope !== 'string' ||
    typeof sha256 !== 'string' ||
    !/^[0-9a-f]{64}$/.test(sha256) ||
    typeof approvedAt !== 'string' ||
    (definition !== undefined && !isText(definition))
  )
    return undefined;
  return {
    kind,
    plugin,
    name,
    scope,
    sha256,
    approvedAt,
    ...(definition === undefined ? {} : { definition }),
  };
}

/** One that is not JSON could not be shown. */
function isText(definition: Json): definition is string {
  if (typeof definition !== 'string') return false;
  JSON.parse(definition);
  return true;
}
