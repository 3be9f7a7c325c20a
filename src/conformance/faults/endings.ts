// The many ways in which a plugin learns that it is over. It has to go, and to finish what it can.
import type { Exit } from '../../fleet/supervisor/spawn.ts';
import { passed, verdict, type Check, type Finding } from '../check.ts';
import { callsUnderWay } from '../subject/calls-under-way.ts';
import { describeExit } from '../subject/conversation.ts';

const theme = 'The end';

export const endingFaults: readonly Check[] = [
  {
    id: 'fault:eof-idle',
    title: 'It exits with code 0 when its input is over',
    severity: 'error',
    theme,
    fix: 'Leave the reading loop at the end of stdin; let no timer, socket or thread keep the process alive.',
    async run(subject) {
      const { conversation } = await subject.greet();
      conversation.endInput();
      return cleanExit(await conversation.exit('at the end of its input'));
    },
  },
  {
    id: 'fault:eof-in-call',
    title: 'At the end of input a call under way is finished, then it exits',
    severity: 'error',
    theme,
    fix: 'At the end of stdin wait for the calls that run and for their answers to be written, then exit.',
    async run(subject) {
      const { conversation } = await subject.greet();
      const { start, probe, words } = await callsUnderWay(subject);
      const ids = start(conversation);
      conversation.endInput();
      for (const id of ids) await conversation.endOfCall(id, probe);
      return cleanExit(await conversation.exit('once its work was done'), words);
    },
  },
];

/** For dialects with a word for it; elsewhere the end of input is the goodbye. */
export const goodbyeFaults: readonly Check[] = [
  {
    id: 'fault:shutdown-in-call',
    title: 'A goodbye while a call runs ends it in good order',
    severity: 'error',
    theme,
    fix: 'Finish or abandon what runs at the goodbye, then exit with code 0.',
    async run(subject) {
      const { conversation } = await subject.greet();
      const { start, words } = await callsUnderWay(subject);
      start(conversation);
      conversation.sayGoodbye();
      return cleanExit(await conversation.exit('after a goodbye', subject.limits.callMs), words);
    },
  },
];

export const lossFaults: readonly Check[] = [
  {
    id: 'fault:sigterm',
    title: 'It ends at SIGTERM',
    severity: 'warning',
    theme,
    fix: 'Leave SIGTERM alone, or exit in its handler.',
    async run(subject) {
      const { conversation } = await subject.greet();
      conversation.signal('SIGTERM');
      return passed(sentence(await conversation.exit('at SIGTERM')));
    },
  },
  {
    id: 'fault:host-gone',
    title: 'It ends by itself when its host is gone',
    severity: 'error',
    theme,
    fix: 'Exit at the end of stdin, and when stdout cannot be written to any more.',
    async run(subject) {
      const { conversation } = await subject.greet();
      const { start, words } = await callsUnderWay(subject);
      start(conversation);
      // What was sent has to be under way before the pipes are gone.
      await conversation.flushed();
      conversation.hangUp();
      const exit = await conversation.exit('once nobody was at the other end', subject.limits.callMs);
      return passed(`${words} ${sentence(exit)}`);
    },
  },
];

function cleanExit(exit: Exit, before = ''): Finding {
  return verdict(exit.kind === 'exited' && exit.exitCode === 0, `${before} ${sentence(exit)}`.trim());
}

function sentence(exit: Exit): string {
  const text = describeExit(exit);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
