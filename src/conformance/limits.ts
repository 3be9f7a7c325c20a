// How long the checks wait. Generous, since a machine may be busy; a check knows the numbers of its specification.

export interface CheckLimits {
  /** From the start of a process to the end of the handshake. */
  readonly startMs: number;
  /** For the answer to a cheap request. */
  readonly answerMs: number;
  /** For the end of a call. */
  readonly callMs: number;
  /** For the exit of a process that should exit. */
  readonly exitMs: number;
  /** For a whole check. */
  readonly checkMs: number;
}

export const defaultCheckLimits: CheckLimits = {
  startMs: 10_000,
  answerMs: 5000,
  callMs: 30_000,
  exitMs: 5000,
  checkMs: 60_000,
};

/** After a slow first handshake, because of the machine or the plugin, everything else may take longer too. */
export function patientLimits(limits: CheckLimits, handshakeMs: number): CheckLimits {
  const factor = Math.min(Math.max(handshakeMs / USUAL_HANDSHAKE_MS, 1), MOST_PATIENT);
  return {
    ...limits,
    answerMs: Math.round(limits.answerMs * factor),
    callMs: Math.round(limits.callMs * factor),
    exitMs: Math.round(limits.exitMs * factor),
    checkMs: Math.round(limits.checkMs * factor),
  };
}

const USUAL_HANDSHAKE_MS = 500;
const MOST_PATIENT = 4;
