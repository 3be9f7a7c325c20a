// How a plugin answers a ping. The engine ends one that misses two.
import { isJsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { verdict, type Check } from '../../check.ts';
import { interview, TIMESTAMP, valueOf } from './interview.ts';

const theme = 'Signs of life';

export const gassistPingChecks: readonly Check[] = [
  {
    id: 'gassist:ping:timestamp',
    title: 'A ping is answered with its timestamp',
    severity: 'error',
    theme,
    fix: 'Answer ping with { "timestamp": … }, the one that came: by this key the engine knows a pong.',
    async run(subject) {
      const answer = valueOf((await subject.shared(interview)).pong);
      const { result } = answer;
      const isGood = isJsonObject(result) && result['timestamp'] === TIMESTAMP;
      return verdict(isGood, `It answered ${shown(answer, 200)}`);
    },
  },
  {
    id: 'gassist:ping:within-1s',
    title: 'A ping is answered within one second',
    severity: 'error',
    theme,
    fix: 'Answer ping where it is read, before any other work: the engine ends a plugin that misses two.',
    async run(subject) {
      const took = valueOf((await subject.shared(interview)).pingMs);
      return verdict(took <= 1000, `The fastest answer took ${took} ms.`);
    },
  },
];
