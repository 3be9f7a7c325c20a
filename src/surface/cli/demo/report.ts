// How the demonstration looks: as text for people, as JSON for programs.
import type { Peer } from '../../../channel/peer/peer.ts';
import type { Terminal } from '../terminal.ts';

export interface Shown {
  /** One short line for people. */
  readonly text: string;
  /** More than fits a line, such as the message of an error. */
  readonly detail?: string;
  readonly tookMs?: number;
}

export interface Report {
  /** A scene begins; it may take a moment. */
  begin(scene: string): void;
  shown(scene: string, framing: string, shown: Shown): void;
  figures(figures: ReadonlyMap<string, Figures>): void;
  end(outcome: { ok: true } | { ok: false; reason: string }): void;
}

export interface About {
  readonly version: string;
  readonly node: string;
  readonly cores: number;
}

export function jsonReport(out: NodeJS.WriteStream, about: About): Report {
  const scenes: object[] = [];
  const measured: Record<string, Figures> = {};
  return {
    begin: () => {},
    shown: (scene, framing, shown) => scenes.push({ scene, framing, ...shown }),
    figures: (figures) => Object.assign(measured, Object.fromEntries(figures)),
    end: (outcome) =>
      void out.write(`${JSON.stringify({ ...about, ...outcome, scenes, figures: measured })}\n`),
  };
}

const SCENE_WIDTH = 9;
const FRAMING_WIDTH = 15;
const TIME_WIDTH = 10;
/** The table of figures without its bars. */
const FIGURES_WIDTH = 60;

export function textReport(terminal: Terminal, { version, node, cores }: About): Report {
  const { colours, line, progress } = terminal;
  const width = Math.min(Math.max(terminal.columns, 60), 100);
  const indent = ' '.repeat(4 + SCENE_WIDTH + FRAMING_WIDTH);
  const textWidth = width - indent.length - TIME_WIDTH;
  let lastScene = '';

  line();
  line(`  ${colours.bold('pluglot')} ${version}   two plugins, one per framing, called over their stdio`);
  line(colours.dim(`  Node ${node}, ${cores} cores`));
  line();

  return {
    begin: (scene) => progress(`  … ${scene}`),

    shown(scene, framing, { text, detail, tookMs }) {
      const isNew = scene !== lastScene;
      lastScene = scene;
      const head = isNew
        ? `${colours.green('✓')} ${colours.bold(scene.padEnd(SCENE_WIDTH))}`
        : ' '.repeat(2 + SCENE_WIDTH);
      const took = tookMs === undefined ? '' : colours.dim(duration(tookMs).padStart(TIME_WIDTH));
      line(
        `  ${head}${colours.cyan(framing.padEnd(FRAMING_WIDTH))}${text.padEnd(textWidth)}${took}`.trimEnd(),
      );
      for (const part of wrap(detail ?? '', width - indent.length)) line(`${indent}${colours.yellow(part)}`);
    },

    figures(figures) {
      const most = Math.max(...[...figures.values()].flatMap((one) => Object.values(one.callsPerSecond)));
      const barWidth = Math.min(40, width - FIGURES_WIDTH);
      line();
      line(colours.dim(`  small calls         p50       p99  under way     calls/s`));
      for (const [framing, { p50Us, p99Us, callsPerSecond }] of figures) {
        const latency = [p50Us, p99Us].map((us) => duration(us / 1000).padStart(10)).join('');
        let left = `${colours.cyan(framing.padEnd(FRAMING_WIDTH - 2))}${latency}`;
        for (const [inFlight, calls] of Object.entries(callsPerSecond)) {
          const bar = '▇'.repeat(Math.max(1, Math.round((calls / most) * barWidth)));
          const rate = colours.bold(calls.toLocaleString('en').padStart(12));
          line(`  ${left}${inFlight.padStart(11)}${rate}  ${colours.green(bar)}`);
          left = ' '.repeat(FRAMING_WIDTH - 2 + 20);
        }
      }
    },

    end(outcome) {
      line();
      if (outcome.ok)
        line(
          `  ${colours.green('All of it went as it should')}; both plugins are gone. ${colours.dim('More: npx pluglot --help')}`,
        );
      else line(`  ${colours.red('✗')} ${outcome.reason}`);
      line();
    },
  };
}

function duration(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export interface Figures {
  readonly p50Us: number;
  readonly p99Us: number;
  /** Calls per second by how many are under way at once. */
  readonly callsPerSecond: { readonly [inFlight: string]: number };
}

const levels = [1, 64, 1024];
const WARM_UP_MS = 150;
const WINDOW_MS = 350;

/** About 120 bytes on the wire, as most calls of tools are. */
const params = { tool: 'search', arguments: { query: 'the quick brown fox', limit: 10 } };

export async function measure(peer: Peer, signal: AbortSignal): Promise<Figures> {
  const latencies: number[] = [];
  const callsPerSecond: Record<string, number> = {};
  await callFor(peer, 64, WARM_UP_MS, signal);
  for (const inFlight of levels) {
    const record = inFlight === 1 ? latencies : undefined;
    callsPerSecond[inFlight] = await callFor(peer, inFlight, WINDOW_MS, signal, record);
  }
  latencies.sort((a, b) => a - b);
  return { p50Us: quantile(latencies, 0.5), p99Us: quantile(latencies, 0.99), callsPerSecond };
}

/** Keeps so many calls under way for a while; gives calls per second. */
async function callFor(
  peer: Peer,
  inFlight: number,
  durationMs: number,
  signal: AbortSignal,
  latencies?: number[],
): Promise<number> {
  const startedAt = performance.now();
  let now = startedAt;
  let calls = 0;
  const lane = async (): Promise<void> => {
    while (now - startedAt < durationMs && !signal.aborted) {
      const sentAt = latencies ? performance.now() : 0;
      await peer.request('echo', params);
      calls += 1;
      // Looking at the clock costs: with many lanes, one look in 64 calls is enough.
      if (latencies) latencies.push((now = performance.now()) - sentAt);
      else if (calls % 64 === 0) now = performance.now();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return Math.round((calls / (performance.now() - startedAt)) * 1000);
}

function quantile(sortedMs: readonly number[], share: number): number {
  return Math.round((sortedMs[Math.floor((sortedMs.length - 1) * share)] ?? 0) * 1000);
}
