// How long the checks wait. Generous, since a machine may be busy; where a specification has a number, its check knows it.

export interface CheckLimits {
  /** From the start of a process until it has introduced itself. */
  readonly startMs: number;
  /** For an answer to what costs no work. */
  readonly answerMs: number;
  /** For the end of a call. */
  readonly callMs: number;
  /** For the exit of a process that has a reason to. */
  readonly exitMs: number;
  /** For a whole check, whatever the plugin does. */
  readonly checkMs: number;
}

export const usualCheckLimits: CheckLimits = {
  startMs: 10_000,
  answerMs: 5000,
  callMs: 30_000,
  exitMs: 5000,
  checkMs: 60_000,
};
