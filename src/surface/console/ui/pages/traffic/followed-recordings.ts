// Recordings as they go on: the host tells those that do; those that ended stay until somebody has seen where they are.
import type { RecordingView } from '../../api/types.ts';

export interface HeldRecording extends RecordingView {
  readonly isOver: boolean;
}

const OVER_MAX = 10;

export function followed(
  before: readonly HeldRecording[],
  told: readonly RecordingView[],
): readonly HeldRecording[] {
  const going = told.map((one): HeldRecording => ({ ...one, isOver: false }));
  const ids = new Set(going.map(({ id }) => id));
  const over = before
    .filter(({ id }) => !ids.has(id))
    .map((one): HeldRecording => ({ ...one, isOver: true }));
  return [...going, ...over.slice(0, OVER_MAX)];
}
