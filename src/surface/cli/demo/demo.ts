// `pluglot demo`: two real plugins, one per framing, through the life of a call. Shows only what it saw happen.
import os from 'node:os';
import { toError } from '../../../base/error.ts';
import { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { type DemoPlugin, framingNames, startPlugin } from './demo-plugin.ts';
import { type Figures, measure } from './figures.ts';
import { type Report, jsonReport, textReport } from './report.ts';
import * as scenes from './scenes.ts';

export interface DemoOptions {
  readonly version: string;
  readonly stdout: NodeJS.WriteStream;
  readonly out: Terminal;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the demonstration early. */
  readonly signal: AbortSignal;
  readonly json: boolean;
}

export async function demo(options: DemoOptions): Promise<ExitCode> {
  const { version, stdout, out, env, signal, json } = options;
  const about = { version, node: process.versions.node, cores: os.availableParallelism() };
  const report = json ? jsonReport(stdout, about) : textReport(out, about);
  const plugins = framingNames.map((framing) => startPlugin(framing, env));
  try {
    await Promise.race([play(plugins, report, signal), aborted(signal)]);
    report.end({ ok: true });
    return ExitCode.ok;
  } catch (thrown) {
    report.end({ ok: false, reason: toError(thrown).message });
    return ExitCode.broken;
  } finally {
    await Promise.all(plugins.map(({ running }) => running.stop({ stdinMs: 500, termMs: 500 })));
  }
}

async function play(plugins: readonly DemoPlugin[], report: Report, signal: AbortSignal): Promise<void> {
  const [first, ...others] = plugins;
  const show = async (
    name: string,
    scene: scenes.Scene,
    cast: readonly (DemoPlugin | undefined)[] = plugins,
  ) => {
    report.begin(name);
    for (const plugin of cast) if (plugin) report.shown(name, plugin.framing, await scene(plugin));
  };
  report.begin('start');
  const started = await Promise.all(plugins.map(scenes.start));
  for (const [index, shown] of started.entries()) report.shown('start', plugins[index]?.framing ?? '', shown);

  await show('call', scenes.call);
  await show('stream', scenes.stream);
  await show('cancel', scenes.cancel);
  await show('limit', scenes.limit);
  await show('noise', scenes.noise);

  const figures = new Map<string, Figures>();
  for (const { framing, peer } of plugins) {
    report.begin(`measuring ${framing}`);
    figures.set(framing, await measure(peer, signal));
  }
  await show('kill', scenes.kill, [first]);
  await show('call', scenes.call, others);
  await show('stop', scenes.stop, others);
  report.figures(figures);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = () => reject(new Error('Interrupted.'));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
