// How an extension goes.
import { shown } from '../../../base/shown.ts';
import { failed, verdict, type Check } from '../../check.ts';
import { describeExit } from '../../subject/conversation.ts';

const theme = 'Shutdown and one-shot mode';

export const gevalsEndChecks: readonly Check[] = [
  {
    id: 'gevals:shutdown:response-example',
    title: 'Shutdown is answered',
    severity: 'warning',
    theme,
    fix: 'Answer shutdown with the result {} before you exit, and let the answer be written first.',
    async run(subject) {
      const { goodbye } = await subject.session();
      return verdict(goodbye !== undefined && 'result' in goodbye, `It answered ${shown(goodbye)}`);
    },
  },
  {
    id: 'gevals:shutdown:exit-after-response',
    title: 'It exits after shutdown',
    severity: 'error',
    theme,
    fix: 'Exit with code 0 once shutdown is answered: close stdin, stop timers.',
    async run(subject) {
      const { exit } = await subject.session();
      if (exit === undefined) return failed('It still runs.');
      return verdict(exit.kind === 'exited' && exit.exitCode === 0, describeExit(exit));
    },
  },
  {
    id: 'gevals:one-shot:executes',
    title: 'One execute on stdin, without initialize, is answered, and then it exits',
    severity: 'error',
    theme,
    fix: 'Take execute without initialize, and at the end of stdin write the result and exit with code 0.',
    async run(subject) {
      const { call } = await subject.session();
      const conversation = await subject.start();
      const id = conversation.startCall(call.probe);
      conversation.endInput();
      const { message } = await conversation.endOfCall(id, call.probe);
      const exit = await conversation.exit('after its one answer');
      const isGood = 'result' in message && exit.kind === 'exited' && exit.exitCode === 0;
      return verdict(isGood, `It answered ${shown(message, 200)}, and ${describeExit(exit)}.`);
    },
  },
];
