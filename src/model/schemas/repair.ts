// What was changed for a provider, where, why, and how that affects the calls that a model can make.

export interface Repair {
  readonly tool: string;
  /** A JSON pointer into the schema; empty for the tool itself. */
  readonly where: string;
  readonly what: string;
  readonly why: string;
  readonly effect: Effect;
}

/**
 * `none`: the same arguments pass. `wider`: more pass, and the check before the call refuses them. `narrower`: a model cannot make some calls
 * that would be valid. `both`: either may be.
 */
export type Effect = 'none' | 'wider' | 'narrower' | 'both';

export interface Quarantined {
  readonly tool: string;
  readonly reason: string;
}

/** A tool that cannot be declared to a provider. */
export class Unrepairable extends Error {}

/** A place in a schema. */
export interface Site {
  readonly path: string;
  /** False under `not`, `oneOf` and `if`: there, a wider part may make the whole narrower. */
  readonly isDirect: boolean;
}

export const ROOT: Site = { path: '', isDirect: true };

const PATH_MAX = 300;

export function inside(site: Site, ...steps: readonly (string | number)[]): Site {
  const added = steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  const path = site.path.length > PATH_MAX ? site.path : `${site.path}${added.slice(0, PATH_MAX)}`;
  return { ...site, path };
}

export function indirect(site: Site): Site {
  return { ...site, isDirect: false };
}

/** Notes of one tool; the list is bounded, since schemas may be hostile. */
const NOTES_MAX = 200;

export class Notes {
  readonly #tool: string;
  readonly #repairs: Repair[] = [];
  #more = 0;
  #effects = new Set<Effect>();

  constructor(tool: string) {
    this.#tool = tool;
  }

  add(site: Site, what: string, why: string, effect: Effect): void {
    const overall = effect !== 'none' && !site.isDirect ? 'both' : effect;
    this.#effects.add(overall);
    if (this.#repairs.some((one) => one.where === site.path && one.what === what)) return;
    if (this.#repairs.length < NOTES_MAX)
      this.#repairs.push({ tool: this.#tool, where: site.path, what, why, effect: overall });
    else this.#more += 1;
  }

  /** For a conversion that may fail. */
  branch(): Notes {
    return new Notes(this.#tool);
  }

  take(other: Notes): void {
    for (const { where, what, why, effect } of other.#repairs)
      this.add({ path: where, isDirect: true }, what, why, effect);
    this.#more += other.#more;
    for (const effect of other.#effects) this.#effects.add(effect);
  }

  get repairs(): readonly Repair[] {
    if (this.#more === 0) return this.#repairs;
    const wider = this.#effects.has('wider');
    const narrower = this.#effects.has('narrower');
    const effect =
      this.#effects.has('both') || (wider && narrower)
        ? 'both'
        : wider
          ? 'wider'
          : narrower
            ? 'narrower'
            : 'none';
    return [
      ...this.#repairs,
      {
        tool: this.#tool,
        where: '',
        what: `${this.#more} more like these`,
        why: 'the list would be too long',
        effect,
      },
    ];
  }
}
