// How a plugin goes, and what it leaves on stderr, which engines mix into the wire.
import { shown } from '../../../base/shown.ts';
import { failed, verdict, type Check } from '../../check.ts';
import { describeExit } from '../../subject/conversation.ts';

const theme = 'Shutdown';

export const gassistEndChecks: readonly Check[] = [
  {
    id: 'gassist:shutdown:exit',
    title: 'It exits after shutdown',
    severity: 'error',
    theme,
    fix: 'Exit with code 0 when shutdown comes: stop timers, close what is open.',
    async run(subject) {
      const { exit } = await subject.session();
      if (exit === undefined) return failed('It still runs.');
      return verdict(exit.kind === 'exited' && exit.exitCode === 0, describeExit(exit));
    },
  },
  {
    id: 'gassist:shutdown:no-response',
    title: 'A shutdown that is a notification is not answered',
    severity: 'warning',
    theme,
    fix: 'Answer only what has an id.',
    async run(subject) {
      const { transcript } = await subject.session();
      const stray = transcript.heard.find(({ message }) => message['id'] === null);
      return verdict(stray === undefined, stray === undefined ? 'Nothing came.' : shown(stray.message));
    },
  },
  {
    id: 'gassist:author:shutdown-request',
    title: 'A shutdown that has an id is answered',
    severity: 'info',
    theme,
    fix: 'Answer shutdown with the result {} when it has an id: the official emulator waits 5 s for that.',
    async run(subject) {
      const { conversation } = await subject.greet();
      const answer = await conversation.request('shutdown', {});
      return verdict('result' in answer, `It answered ${shown(answer, 200)}`);
    },
  },
  {
    id: 'gassist:author:silent-stderr',
    title: 'Nothing is written to stderr',
    severity: 'warning',
    theme,
    fix: 'Log with "log" notifications, or to a file: engines read stderr and stdout from one pipe, and lose the frame beside a print.',
    async run(subject) {
      const { exit } = await subject.session();
      const printed = exit?.stderr ?? '';
      return verdict(printed === '', printed === '' ? 'Nothing came.' : `It printed ${shown(printed, 200)}`);
    },
  },
];
