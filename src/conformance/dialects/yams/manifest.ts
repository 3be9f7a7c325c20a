// How a plugin introduces itself.
import { isJsonArray, isJsonObject, type Json } from '../../../base/json.ts';
import { shown } from '../../../base/shown.ts';
import { doesNotApply, verdict, type Check } from '../../check.ts';
import { isExtractor } from '../../drivers/yams-extraction.ts';
import type { Subject } from '../../subject/subject.ts';
import { isText, manifestOf } from './words.ts';

const theme = 'Manifest';

export const yamsManifestChecks: readonly Check[] = [
  {
    id: 'yams:manifest:required',
    title: 'handshake.manifest is answered with a manifest',
    severity: 'error',
    theme,
    fix: 'Answer handshake.manifest with { name, version, interfaces }.',
    async run(subject) {
      const { introduction } = await subject.session();
      return verdict(isJsonObject(introduction.raw), `It answered ${shown(introduction.raw, 200)}`);
    },
  },
  {
    id: 'yams:manifest:name',
    title: 'The manifest has a name',
    severity: 'error',
    theme,
    fix: 'Put "name", a string that is not empty, into the manifest.',
    run: (subject) => hasText(subject, 'name'),
  },
  {
    id: 'yams:manifest:name-form',
    title: 'The name is of letters, digits and underscores',
    severity: 'error',
    theme,
    fix: 'Name the plugin like "my_plugin": hosts use the name as an identifier.',
    async run(subject) {
      const { name } = await manifestOf(subject);
      if (!isText(name)) return doesNotApply('It has no name.');
      return verdict(/^\w+$/.test(name), `name is ${shown(name)}`);
    },
  },
  {
    id: 'yams:manifest:version',
    title: 'The manifest has a semantic version',
    severity: 'error',
    theme,
    fix: 'Put "version" such as "1.0.0" into the manifest.',
    async run(subject) {
      const { version } = await manifestOf(subject);
      return verdict(typeof version === 'string' && SEMANTIC.test(version), `version is ${shown(version)}`);
    },
  },
  {
    id: 'yams:manifest:interfaces',
    title: 'The manifest lists the interfaces',
    severity: 'error',
    theme,
    fix: 'Put "interfaces", a list of ids such as "content_extractor_v1", into the manifest; it may be empty.',
    async run(subject) {
      const { interfaces } = await manifestOf(subject);
      return verdict(isListOfTexts(interfaces), `interfaces is ${shown(interfaces)}`);
    },
  },
  {
    id: 'yams:manifest:description',
    title: 'The manifest describes the plugin',
    severity: 'info',
    theme,
    fix: 'Put "description" into the manifest: people choose by it.',
    run: (subject) => hasText(subject, 'description'),
  },
  {
    id: 'yams:manifest:author',
    title: 'The author in the manifest is a text',
    severity: 'error',
    theme,
    fix: 'Make "author" a string, or leave it out.',
    async run(subject) {
      const { author } = await manifestOf(subject);
      if (author === undefined) return doesNotApply('It names none.');
      return verdict(isText(author), `author is ${shown(author)}`);
    },
  },
  {
    id: 'yams:manifest:capabilities',
    title: 'The capabilities of an extractor list its formats and extensions',
    severity: 'error',
    theme,
    fix: 'Put "content_extraction": { "formats": ["text/plain"], "extensions": [".txt"] } into the capabilities: by the formats a host chooses the plugin.',
    async run(subject) {
      const manifest = await manifestOf(subject);
      const { capabilities } = manifest;
      if (capabilities === undefined) return doesNotApply('It tells none.');
      return verdict(
        isJsonObject(capabilities) &&
          (!isExtractor(manifest) || isFileTypes(capabilities['content_extraction'])),
        `capabilities is ${shown(capabilities, 200)}`,
      );
    },
  },
];

const SEMANTIC = /^\d+\.\d+\.\d+(?:[-+].*)?$/;

async function hasText(subject: Subject, field: string) {
  const value = (await manifestOf(subject))[field];
  return verdict(isText(value), `${field} is ${shown(value)}`);
}

function isFileTypes(value: Json | undefined): boolean {
  return isJsonObject(value) && isListOfTexts(value['formats']) && isListOfTexts(value['extensions']);
}

function isListOfTexts(value: Json | undefined): boolean {
  return isJsonArray(value) && value.every(isText);
}
