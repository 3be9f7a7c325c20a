// The validation of one value: its problems, and how much work it took so far.
import type { Json, JsonObject } from '../../base/json.ts';

/** Thrown when a validation would take too long or is too deep. */
export class GivenUp extends Error {}

/** More than any real value needs; well under a second. */
const STEPS_MAX = 3_000_000;
const DEPTH_MAX = 400;
/** More problems do not help a reader. */
const PROBLEMS_MAX = 5;
/** Of a long list in which every item is wrong. */
const COLLECTED_MAX = 100;

export class Run {
  #stepsLeft = STEPS_MAX;
  #depth = 0;
  /** Undefined while only the result counts. */
  #problems: Set<string> | undefined = new Set();

  get isQuiet(): boolean {
    return this.#problems === undefined;
  }

  /** @throws GivenUp */
  enter(): void {
    if (++this.#depth > DEPTH_MAX) throw new GivenUp(`they are more than ${DEPTH_MAX} levels deep`);
    this.work(1);
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** @throws GivenUp */
  work(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new GivenUp('that would take too long');
  }

  /** Always false, to be returned. */
  wrong(place: Place | undefined, words: () => string): false {
    const problems = this.#problems;
    if (problems !== undefined && problems.size < COLLECTED_MAX)
      problems.add(`${describe(place)}: ${words()}`);
    return false;
  }

  /** Whether a check passes, without collecting problems. */
  quietly(check: () => boolean): boolean {
    const problems = this.#problems;
    this.#problems = undefined;
    const fits = check();
    this.#problems = problems;
    return fits;
  }

  /** The problems of one check alone. */
  apart(check: () => boolean): string[] {
    const problems = this.#problems;
    this.#problems = new Set();
    check();
    const found = [...this.#problems];
    this.#problems = problems;
    return found;
  }

  problems(): string[] {
    const problems = [...(this.#problems ?? [])];
    const more = problems.length - PROBLEMS_MAX;
    if (more <= 0) return problems;
    return [
      ...problems.slice(0, PROBLEMS_MAX),
      problems.length < COLLECTED_MAX ? `and ${more} more` : 'and many more',
    ];
  }
}

export interface Place {
  readonly parent: Place | undefined;
  /** The name of a property, or the index of an item. */
  readonly key: string | number;
}

const LONGEST = 200;

/** `user.tags[2]`; the whole is `they`, for the arguments and settings that are checked. */
function describe(place: Place | undefined): string {
  if (place === undefined) return 'they';
  const steps: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent)
    steps.push(typeof at.key === 'number' ? `[${at.key}]` : `.${at.key}`);
  const path = steps.toReversed().join('').replace(/^\./, '');
  return path.length > LONGEST ? `${path.slice(0, LONGEST)}…` : path;
}

/** Whether a value is valid; problems are added to the run. */
export type Check = (value: Json, place: Place | undefined, run: Run) => boolean;

/**
 * From the value of a keyword, and the schema it stands in, to a check. Undefined when there is nothing to check, such as for a keyword
 * that another one looks at, or whose value makes no sense.
 */
export type Keyword = (keyword: Json, schema: JsonObject, compile: Compile) => Check | undefined;

/** @throws Error when the schema is invalid */
export interface Compile {
  (schema: Json): Check;
  reference(reference: string): Check;
  /** Whether a text has a match. */
  pattern(source: string): TestPattern;
}

/** @throws GivenUp when it takes too long */
export type TestPattern = (text: string) => boolean;
