// What was changed so that a provider takes a tool, where, why, and what that does to the calls a model can make.

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
  /** False under `not`, `oneOf` and `if`: there, what lets more pass may let less pass as a whole. */
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

/** What was noted of one tool. A hostile schema gets no list without end. */
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

  /** For an attempt that may come to nothing. */
  branch(): Notes {
    return new Notes(this.#tool);
  }

  take(attempt: Notes): void {
    for (const { where, what, why, effect } of attempt.#repairs)
      this.add({ path: where, isDirect: true }, what, why, effect);
    this.#more += attempt.#more;
    for (const effect of attempt.#effects) this.#effects.add(effect);
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
