// How an extension introduces itself.
import { isJsonArray, isJsonObject, type JsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { doesNotApply, failed, passed, verdict, type Check } from '../../check.ts';
import type { Subject } from '../../subject/subject.ts';

const theme = 'Manifest';

export const gevalsManifestChecks: readonly Check[] = [
  {
    id: 'gevals:manifest:name',
    title: 'The manifest has a name',
    severity: 'error',
    theme,
    fix: 'Answer initialize with "name", a string that is not empty.',
    run: (subject) => hasText(subject, 'name'),
  },
  {
    id: 'gevals:manifest:version',
    title: 'The manifest has a semantic version',
    severity: 'error',
    theme,
    fix: 'Answer initialize with "version" such as "1.0.0".',
    async run(subject) {
      const { version } = await manifestOf(subject);
      return verdict(typeof version === 'string' && SEMANTIC.test(version), `version is ${shown(version)}`);
    },
  },
  {
    id: 'gevals:manifest:protocol-version',
    title: 'The manifest names the version of the protocol',
    severity: 'error',
    theme,
    fix: 'Answer initialize with "protocolVersion": "0.0.1".',
    async run(subject) {
      const { protocolVersion } = await manifestOf(subject);
      return verdict(protocolVersion === '0.0.1', `protocolVersion is ${shown(protocolVersion)}`);
    },
  },
  {
    id: 'gevals:manifest:description',
    title: 'The manifest describes the extension',
    severity: 'info',
    theme,
    fix: 'Answer initialize with "description": people choose by it.',
    run: (subject) => hasText(subject, 'description'),
  },
  {
    id: 'gevals:manifest:requires',
    title: 'What the extension requires is a list of commands',
    severity: 'error',
    theme,
    fix: 'List requirements as [{ "command": "kubectl" }].',
    async run(subject) {
      const { requires } = await manifestOf(subject);
      // What Go writes for nothing.
      if (requires === undefined || requires === null) return doesNotApply('It requires nothing.');
      const isGood =
        isJsonArray(requires) &&
        requires.every((each) => isJsonObject(each) && typeof each['command'] === 'string');
      return verdict(isGood, `requires is ${shown(requires)}`);
    },
  },
  {
    id: 'gevals:manifest:operations',
    title: 'The manifest lists the operations',
    severity: 'error',
    theme,
    fix: 'Answer initialize with "operations", an object with an entry for each operation.',
    async run(subject) {
      const { operations } = await manifestOf(subject);
      if (!isJsonObject(operations)) return failed(`operations is ${shown(operations)}`);
      const names = Object.keys(operations);
      return verdict(names.length > 0, names.length === 0 ? 'There are none.' : names.join(', '));
    },
  },
  {
    id: 'gevals:operation:params',
    title: 'Every operation has the schema of its arguments',
    severity: 'error',
    theme,
    fix: 'Give each operation "params", a JSON Schema object such as { "type": "object", "properties": {} }.',
    async run(subject) {
      const operations = await operationsOf(subject);
      const [without] = operations.filter(([, { params }]) => !isJsonObject(params) && params !== true);
      if (without === undefined) return passed(`${operations.length} operations have one.`);
      return failed(`params of ${without[0]} is ${shown(without[1]['params'])}`);
    },
  },
  {
    id: 'gevals:operation:description',
    title: 'Every operation says what it is for',
    severity: 'info',
    theme,
    fix: 'Give each operation a "description": people and models choose by it.',
    async run(subject) {
      const operations = await operationsOf(subject);
      const [without] = operations.filter(([, { description }]) => !isText(description));
      if (without === undefined) return passed(`${operations.length} operations have one.`);
      return failed(`${without[0]} has none.`);
    },
  },
];

const SEMANTIC = /^v?\d+\.\d+\.\d+(?:[-+].*)?$/;

async function manifestOf(subject: Subject): Promise<JsonObject> {
  const { introduction } = await subject.session();
  return isJsonObject(introduction.raw) ? introduction.raw : {};
}

async function operationsOf(subject: Subject): Promise<[string, JsonObject][]> {
  const { operations } = await manifestOf(subject);
  if (!isJsonObject(operations)) return [];
  return Object.entries(operations).map(([name, one]) => [name, isJsonObject(one) ? one : {}]);
}

async function hasText(subject: Subject, field: string) {
  const value = (await manifestOf(subject))[field];
  return verdict(isText(value), `${field} is ${shown(value)}`);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
