// What a plugin said that was no message, as a line of its log.
import type { PeerTrouble } from '../../../channel/peer/options.ts';
import type { LogRecord } from './log-book.ts';

export function describeTrouble(trouble: PeerTrouble): Omit<LogRecord, 'at'> {
  switch (trouble.kind) {
    case 'noise':
      return { source: 'stdout', level: 'info', message: trouble.text };
    case 'invalid':
      return { source: 'stdout', level: 'warn', message: `no message (${trouble.reason}): ${trouble.text}` };
    case 'oversize':
      return {
        source: 'host',
        level: 'warn',
        message: `a message of ${trouble.size} bytes is over the limit and was skipped; it begins with: ${trouble.head}`,
      };
    case 'torn':
      return {
        source: 'host',
        level: 'warn',
        message: `the output ended within a message, after ${trouble.size} bytes`,
      };
    case 'thrown':
      return { source: 'host', level: 'error', message: `${trouble.where} threw: ${trouble.error.message}` };
  }
}
