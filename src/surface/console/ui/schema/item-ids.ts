// Items of a list have no names: each row gets a number that stays its own when others go.

export class ItemIds {
  #ids: number[] = [];
  #next = 0;

  /** One for each of so many; where there are more or less of them than before, the last ones are new or gone. */
  of(count: number): readonly number[] {
    this.#ids.length = Math.min(this.#ids.length, count);
    while (this.#ids.length < count) this.#ids.push(this.#next++);
    return this.#ids;
  }

  remove(index: number): void {
    this.#ids.splice(index, 1);
  }
}
