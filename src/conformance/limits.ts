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

/** Where the first hello took long, be it for a busy machine or a slow plugin, all else may take longer too. */
export function patientLimits(limits: CheckLimits, helloMs: number): CheckLimits {
  const factor = Math.min(Math.max(helloMs / USUAL_HELLO_MS, 1), MOST_PATIENT);
  return {
    ...limits,
    answerMs: Math.round(limits.answerMs * factor),
    callMs: Math.round(limits.callMs * factor),
    exitMs: Math.round(limits.exitMs * factor),
    checkMs: Math.round(limits.checkMs * factor),
  };
}

const USUAL_HELLO_MS = 500;
const MOST_PATIENT = 4;
