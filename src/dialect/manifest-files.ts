// The files that hosts read before they start a plugin, made from what the plugin says of itself.
import type { JsonObject } from '../base/json.ts';
import type { Profile } from '../definition/backend.ts';

export const manifestNames = ['gassist', 'yams'] as const;

/** The dialects whose hosts read one. */
export type ManifestName = (typeof manifestNames)[number];

/** What it is called beside the plugin. */
export const manifestFileNames: Readonly<Record<ManifestName, string>> = {
  gassist: 'manifest.json',
  yams: 'yams-plugin.json',
};

/** What starts a program of Node on Windows, where the engine of G-Assist starts executables only; its manifest then names this file. */
export const windowsLauncherName = 'launch.bat';

/** @param program a file of Node's beside it */
export function windowsLauncher(program: string): string {
  return ['@echo off', `node "%~dp0${program}" %*`, ''].join('\r\n');
}

/**
 * @param program a file of Node's beside the manifest
 * @throws PluglotError UNSUPPORTED when the dialect cannot have a plugin like this
 */
export async function manifestFile(
  name: ManifestName,
  profile: Profile,
  program: string,
): Promise<JsonObject> {
  switch (name) {
    case 'gassist': {
      const { gassistManifestFile } = await import('./gassist/manifest-file.ts');
      return gassistManifestFile(profile, { executable: program });
    }
    case 'yams': {
      const { yamsManifestFile } = await import('./yams/manifest-file.ts');
      return yamsManifestFile(profile, { command: ['node', `\${plugin_dir}/${program}`] });
    }
  }
}
