// What holds where a dialect says nothing else.
import { DEFAULT_FRAME_LIMIT } from '../base/limits.ts';
import type { PluginLimits } from '../definition/plugin-spec.ts';

export const usualLimits: Required<PluginLimits> = {
  startMs: 10_000,
  callMs: 30_000,
  // No dialect asks for signs of life unless it says so.
  pingEveryMs: 0,
  pingMs: 1000,
  ackMs: 2000,
  talkMs: 300_000,
  healthMs: 3000,
  shutdownMs: 5000,
  termMs: 2000,
  cancelMs: 5000,
  messageBytes: DEFAULT_FRAME_LIMIT,
};
