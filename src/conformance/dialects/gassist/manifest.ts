// The manifest.json beside a plugin, where one was found.
import { isJsonArray, isJsonObject } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { doesNotApply, verdict, type Check, type Severity } from '../../check.ts';

const theme = 'manifest.json';

export const gassistManifestChecks: readonly Check[] = [
  field('manifest-version', 'manifestVersion', 'error', (value) => value === 1, {
    title: 'manifest.json has manifestVersion 1',
    fix: 'Put "manifestVersion": 1 into manifest.json: engines take no other.',
  }),
  field('protocol-version', 'protocol_version', 'warning', (value) => value === '2.0', {
    title: 'manifest.json names the version of the protocol',
    fix: 'Put "protocol_version": "2.0" into manifest.json: without it the plugin is taken for one of V1.',
  }),
  field('executable', 'executable', 'error', isText, {
    title: 'manifest.json names the program to be started',
    fix: 'Put "executable" into manifest.json, such as "plugin.py".',
  }),
  field('name', 'name', 'info', isText, {
    title: 'manifest.json has the name of the plugin',
    fix: 'Put "name" into manifest.json.',
  }),
  field('version', 'version', 'info', isText, {
    title: 'manifest.json has the version of the plugin',
    fix: 'Put "version" into manifest.json.',
  }),
  field('functions', 'functions', 'error', (value) => isJsonArray(value) && value.every(isFunction), {
    title: 'manifest.json lists the functions, each with a name and a description',
    fix: 'Put "functions": [{ "name", "description", "tags", "properties", "required" }] into manifest.json.',
  }),
];

function field(
  demand: string,
  key: string,
  severity: Severity,
  isGood: (value: unknown) => boolean,
  words: Pick<Check, 'title' | 'fix'>,
): Check {
  return {
    id: `gassist:manifest:${demand}`,
    severity,
    theme,
    ...words,
    async run({ manifest }) {
      if (manifest === undefined) return doesNotApply('There is no manifest.json beside the plugin.');
      return verdict(isGood(manifest[key]), `${key} is ${shown(manifest[key], 200)}`);
    },
  };
}

function isFunction(one: unknown): boolean {
  return isJsonObject(one) && isText(one['name']) && isText(one['description']);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
