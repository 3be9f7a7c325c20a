// Plugins of G-Assist V1 are refused, with what their authors have to do. V1 ends its answers, plain text, with a mark of its own.
import { PluglotError } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { shortened, textOf } from '../../base/shown.ts';
import { sentence } from '../../base/sentence.ts';
import { isPresent, isVersion2 } from './schema.ts';

const V1_END = '<<END>>';

const HOW_TO_MIGRATE =
  'Only protocol 2.x is supported. To migrate a V1 plugin: install the SDK (pip install gassist_sdk), move the code onto it, put "protocol_version": "2.0" ' +
  'into manifest.json, and remove its heartbeats, threads and pipes. docs/dialects/gassist.md has the steps.';

export function unsupported(pluginName: string, why: string): PluglotError {
  return new PluglotError(
    'UNSUPPORTED_PROTOCOL',
    `Plugin "${pluginName}" ${sentence(why)} ${HOW_TO_MIGRATE}`,
  );
}

/** @throws PluglotError UNSUPPORTED_PROTOCOL when a version is told and it is another. One that is not told may be any. */
export function checkVersion(pluginName: string, version: Json | undefined, where: string): void {
  if (!isPresent(version) || isVersion2(version)) return;
  throw unsupported(
    pluginName,
    `speaks G-Assist protocol ${shortened(textOf(version), 40)}, says its ${where}`,
  );
}

/** A manifest.json of V1 names no version. Some of V2 do not either, so that it tells only where nothing else does. */
export function mayBeV1(manifest: JsonObject | undefined): boolean {
  return manifest !== undefined && !isPresent(manifest['protocol_version']);
}

/** Calls once when the mark of V1 has come, in whatever pieces. */
export function v1Watcher(found: () => void): (text: string) => void {
  let tail = '';
  return (text) => {
    tail += text;
    if (tail.includes(V1_END)) found();
    tail = tail.slice(1 - V1_END.length);
  };
}
