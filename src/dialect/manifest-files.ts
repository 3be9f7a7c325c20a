// The manifest files that hosts read before they start a plugin.
import type { JsonObject } from '../base/json.ts';
import type { Manifest } from '../definition/manifest.ts';

export const manifestNames = ['gassist', 'yams'] as const;

/** The dialects whose hosts read a manifest file. */
export type ManifestName = (typeof manifestNames)[number];

/** The file name beside the plugin. */
export const manifestFileNames: Readonly<Record<ManifestName, string>> = {
  gassist: 'manifest.json',
  yams: 'yams-plugin.json',
};

/** Starts a Node program on Windows, where the G-Assist engine starts executables only; the manifest then names this file. */
export const windowsLauncherName = 'launch.bat';

/** @param program a Node program beside it */
export function windowsLauncher(program: string): string {
  return ['@echo off', `node "%~dp0${program}" %*`, ''].join('\r\n');
}

/**
 * @param program a Node program beside the manifest
 * @throws PluglotError UNSUPPORTED when the dialect cannot express the plugin
 */
export async function manifestFile(
  name: ManifestName,
  manifest: Manifest,
  program: string,
): Promise<JsonObject> {
  switch (name) {
    case 'gassist': {
      const { gassistManifestFile } = await import('./gassist/manifest.ts');
      return gassistManifestFile(manifest, { executable: program });
    }
    case 'yams': {
      const { yamsManifestFile } = await import('./yams/manifest.ts');
      return yamsManifestFile(manifest, { command: ['node', `\${plugin_dir}/${program}`] });
    }
  }
}
