// The processor time of each task of a page, from the browser's trace, so that other load on the machine does not count.
import type { BrowserContext, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Of the thread, in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** @returns what ends it, with the longest task in milliseconds */
export async function traceTasks(context: BrowserContext, page: Page): Promise<() => Promise<number>> {
  const session = await context.newCDPSession(page);
  const mains = new Set<string>();
  const longest = new Map<string, number>();
  session.on('Tracing.dataCollected', ({ value }) => {
    // As the browser writes its traces.
    for (const event of value as unknown as TraceEvent[]) {
      const thread = `${event.pid} ${event.tid}`;
      if (event.name === 'thread_name' && event.args.name === 'CrRendererMain') mains.add(thread);
      if (event.name.endsWith('RunTask'))
        longest.set(thread, Math.max(longest.get(thread) ?? 0, event.tdur ?? 0));
    }
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'], excludedCategories: ['*'] },
  });
  return async () => {
    const ended = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
    await session.send('Tracing.end');
    await ended;
    await session.detach();
    return Math.max(...[...mains].map((thread) => longest.get(thread) ?? 0)) / 1000;
  };
}
