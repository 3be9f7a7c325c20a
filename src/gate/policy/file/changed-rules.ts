// Rules of files that were written when they meant something else, in words. Each is reported once.
import { isJsonObject, isJsonArray, type Json } from '../../../base/json.ts';
import { MiB } from '../../../base/limits.ts';
import { shown } from '../../../base/shown.ts';
import { changeFile } from '../../../fleet/trust/guarded-file.ts';
import { readTextFile } from '../../../fleet/trust/regular-file.ts';
import { callRule } from '../rules/call-rule.ts';
import type { PermissionSource } from './permissions.ts';

/** `allow` and `deny` came with the new meaning, so that nothing in them can have had another. */
export function changedRules(sources: readonly PermissionSource[]): readonly string[] {
  return sources.flatMap(({ file, content }) => {
    const lists = [content?.whitelist, content?.classes?.readOnly];
    const tools = lists.flatMap((list) => list?.tools ?? []);
    const patterns = lists.flatMap((list) => list?.patterns ?? []);
    const words = [...tools.map(ofName), ...patterns.map(ofArguments)].filter((one) => one !== undefined);
    return [...new Set(words)].map((one) => `${file}: ${one}`);
  });
}

/** A `*` went over the end of the plugin. */
function ofName(source: string): string | undefined {
  const rule = callRule(source);
  if (rule?.plugin !== undefined || !/[*?]/.test(source) || source === '*') return undefined;
  return `the rule ${shown(source)} names tools by their own names now, of no matter which plugin. For all tools of a plugin, write PLUGIN__*.`;
}

/** Further arguments made another call of it. */
function ofArguments(source: string): string | undefined {
  const rule = callRule(source);
  if (!rule || rule.arguments.length === 0 || rule.isExact || /[(,]\s*\*\s*[,)]/.test(source))
    return undefined;
  const before = source.trim().replace(/\)$/, ', !*)');
  return `the rule ${shown(source)} allows calls with further arguments too now. For those without, write ${shown(before)}.`;
}

const FILE_MAX = MiB;

/** Those that were never reported; they are recorded as reported. What cannot be recorded is reported again. */
export async function untold(texts: readonly string[], file: string): Promise<readonly string[]> {
  if (texts.length === 0) return [];
  let fresh = texts;
  try {
    await changeFile(file, { mode: 0o600 }, async () => {
      const read = await readTextFile(file, FILE_MAX);
      const told = read.kind === 'read' ? toldIn(read.text) : [];
      fresh = texts.filter((text) => !told.includes(text));
      return fresh.length === 0
        ? undefined
        : `${JSON.stringify({ told: [...told, ...fresh] }, undefined, 2)}\n`;
    });
  } catch {
    return fresh;
  }
  return fresh;
}

function toldIn(text: string): readonly string[] {
  try {
    // Looked at below.
    const value = JSON.parse(text) as Json;
    const told = isJsonObject(value) ? value['told'] : undefined;
    return isJsonArray(told) ? told.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
