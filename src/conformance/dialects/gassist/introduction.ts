// How a plugin answers initialize.
import { isJsonArray, isJsonObject, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { verdict, type Check, type Finding } from '../../check.ts';
import type { Subject } from '../../subject/subject.ts';

const theme = 'Introduction';

export const gassistIntroductionChecks: readonly Check[] = [
  {
    id: 'gassist:initialize:result-name',
    title: 'The plugin says its name',
    severity: 'error',
    theme,
    fix: 'Answer initialize with "name", a string that is not empty.',
    run: (subject) => hasText(subject, 'name'),
  },
  {
    id: 'gassist:initialize:result-version',
    title: 'The plugin says its version',
    severity: 'error',
    theme,
    fix: 'Answer initialize with "version" such as "1.0.0".',
    run: (subject) => hasText(subject, 'version'),
  },
  {
    id: 'gassist:initialize:result-capabilities',
    title: 'The plugin says what it is capable of',
    // Its own SDKs leave them out, and engines take that for "unknown".
    severity: 'warning',
    theme,
    fix: 'Answer initialize with "capabilities": ["streaming"], and "passthrough" beside it where you take inputs.',
    async run(subject) {
      const { capabilities } = await introductionOf(subject);
      const isGood = isJsonArray(capabilities) && capabilities.every((one) => typeof one === 'string');
      return verdict(isGood, `capabilities is ${shown(capabilities)}`);
    },
  },
  {
    id: 'gassist:author:introduction',
    title: 'The plugin says which version of the protocol it speaks, and which commands it has',
    severity: 'info',
    theme,
    fix: 'Answer initialize with "protocol_version": "2.0" and "commands": [{ "name", "description" }], as official plugins do.',
    async run(subject) {
      const { protocol_version: version, commands } = await introductionOf(subject);
      const isGood = version === '2.0' && isJsonArray(commands) && commands.every(isCommand);
      return verdict(isGood, `protocol_version is ${shown(version)}, commands is ${shown(commands)}`);
    },
  },
  {
    id: 'gassist:author:other-version-refused',
    title: 'An engine of another version is refused',
    severity: 'info',
    theme,
    fix: 'Answer initialize with the error -32602 when protocol_version is there and is not 2.x.',
    async run(subject) {
      const conversation = await subject.start();
      const answer = await conversation.request('initialize', { protocol_version: '1.0' });
      return verdict('error' in answer, `It answered ${shown(answer, 200)}`);
    },
  },
];

async function introductionOf(subject: Subject): Promise<JsonObject> {
  const { introduction } = await subject.session();
  return isJsonObject(introduction.raw) ? introduction.raw : {};
}

async function hasText(subject: Subject, field: string): Promise<Finding> {
  const value = (await introductionOf(subject))[field];
  return verdict(typeof value === 'string' && value.trim() !== '', `${field} is ${shown(value)}`);
}

function isCommand(command: unknown): boolean {
  return (
    isJsonObject(command) && typeof command['name'] === 'string' && typeof command['description'] === 'string'
  );
}
