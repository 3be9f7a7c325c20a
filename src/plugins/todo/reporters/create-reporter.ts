// The reporters that the configuration names, as one.
import type { Clock } from '../../../base/clock.ts';
import type { TodoSettings } from '../settings.ts';
import type { Warn } from '../stores/store.ts';
import { consoleReporter } from './console-reporter.ts';
import { fileReporter } from './file-reporter.ts';
import type { Reporter } from './reporter.ts';
import { webhookReporter } from './webhook-reporter.ts';

export interface ReporterParts {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly warn: Warn;
  print(line: string): void;
}

export function createReporter(settings: TodoSettings['reporters'], parts: ReporterParts): Reporter {
  const reporters = settings.map((one): Reporter => {
    switch (one.type) {
      case 'console':
        return consoleReporter(one, (line) => parts.print(line));
      case 'webhook':
        return webhookReporter(one, parts);
      case 'file':
        return fileReporter(one.basePath, parts);
    }
  });
  return {
    report: (event, plan) => {
      for (const reporter of reporters) reporter.report(event, plan);
    },
    close: async () => void (await Promise.all(reporters.map((reporter) => reporter.close()))),
  };
}
