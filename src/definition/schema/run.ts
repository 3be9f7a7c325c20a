// One check of one value: what was found wrong, and how much work it has been so far.
import { describe, type Place } from './place.ts';

/** Thrown when a check would take too long or too deep. */
export class GivenUp extends Error {}

/** Far more than a real value takes, and well under a second. */
const STEPS_MAX = 3_000_000;
const DEPTH_MAX = 400;
/** More help nobody. */
const PROBLEMS_MAX = 5;
/** All that is collected of a long list in which all is wrong. */
const COLLECTED_MAX = 100;

export class Run {
  #stepsLeft = STEPS_MAX;
  #depth = 0;
  /** Undefined while nobody wants to know why. */
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

  /** Whether a check passes, without a word of why not. */
  quietly(check: () => boolean): boolean {
    const problems = this.#problems;
    this.#problems = undefined;
    const fits = check();
    this.#problems = problems;
    return fits;
  }

  /** What a check finds wrong, apart from all else. */
  apart(check: () => boolean): string[] {
    const problems = this.#problems;
    this.#problems = new Set();
    check();
    const found = [...this.#problems];
    this.#problems = problems;
    return found;
  }

  told(): string[] {
    const problems = [...(this.#problems ?? [])];
    const more = problems.length - PROBLEMS_MAX;
    if (more <= 0) return problems;
    return [
      ...problems.slice(0, PROBLEMS_MAX),
      problems.length < COLLECTED_MAX ? `and ${more} more` : 'and many more',
    ];
  }
}
