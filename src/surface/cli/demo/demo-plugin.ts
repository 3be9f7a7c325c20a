// One of the two plugins as the host of the demonstration holds it.
import { fileURLToPath } from 'node:url';
import { lengthPrefix } from '../../../channel/frame/length-prefix.ts';
import { lines } from '../../../channel/frame/lines.ts';
import { framedLink } from '../../../channel/link/framed-link.ts';
import type { PeerTrouble } from '../../../channel/peer/options.ts';
import { Peer } from '../../../channel/peer/peer.ts';
import { type Running, spawn } from '../../../fleet/supervisor/spawn.ts';
import { cancelWords } from './cancel-words.ts';

const framings = { lines, 'length-prefix': lengthPrefix };
export type FramingName = keyof typeof framings;
export const framingNames = Object.keys(framings) as FramingName[]; // The keys of a literal are its names.

export interface DemoPlugin {
  readonly framing: FramingName;
  readonly startedAt: number;
  readonly running: Running;
  readonly peer: Peer;
  /** Resolves when something came on stderr. */
  readonly printed: Promise<void>;
  readonly troubles: readonly PeerTrouble[];
}

export function startPlugin(framing: FramingName, env: NodeJS.ProcessEnv): DemoPlugin {
  const program = fileURLToPath(new URL('./plugin.js', import.meta.url));
  const { PATH, NODE_OPTIONS } = env;
  const startedAt = performance.now();
  let onStderr = () => {};
  const printed = new Promise<void>((resolve) => (onStderr = resolve));
  const running = spawn(
    { command: process.execPath, args: [program, framing], env: { PATH, NODE_OPTIONS } },
    { onStderr: () => onStderr() },
  );
  const troubles: PeerTrouble[] = [];
  const peer = new Peer(framedLink(running.pipe, framings[framing]()), {
    name: `the ${framing} plugin`,
    cancel: cancelWords,
    answerInvalid: false,
    onTrouble: (trouble) => troubles.push(trouble),
  });
  return { framing, startedAt, running, peer, printed, troubles };
}
