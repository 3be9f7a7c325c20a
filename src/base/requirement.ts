// What a specification demands, by name. A catalogue per specification lists them; test/requirements.test.ts sees that each is tested.

export interface Requirement {
  /** `specification:subject:demand`, as tests cite it. */
  readonly id: string;
  /** What is demanded, in our own words. */
  readonly text: string;
}
