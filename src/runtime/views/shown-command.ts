// How a plugin is started, and what it was told then, without secrets: people show their screens to others.
import type { Manifest } from '../../definition/manifest.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { maskedEntry } from '../../fleet/discovery/secrets.ts';

export function shownCommand(start: PluginSpec['start']): string {
  if (start.kind === 'http') return maskedEntry({ url: start.shown ?? start.url }).url ?? '';
  const { command, args = [], shown } = start;
  const [program, ...words] = shown ?? [command, ...args];
  return [program, ...(maskedEntry({ args: words }).args ?? [])].join(' ');
}

/** What it was told at its start comes back from it. */
export function withoutSecrets(manifest: Manifest): Manifest {
  const { configApplied: applied } = manifest;
  if (applied === undefined) return manifest;
  return { ...manifest, configApplied: maskedEntry({ config: { applied } }).config?.['applied'] ?? null };
}
