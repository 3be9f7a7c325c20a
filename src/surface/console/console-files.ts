// The built page of the console for the HTTP server: a fixed list of files, read once, so that no path can lead elsewhere.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PluglotError } from '../../base/error.ts';

export interface ConsoleFile {
  readonly body: Uint8Array;
  /** With its `content-type`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Nothing inline, nothing from other origins, and no frames. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // Images and audio in results are shown from data addresses.
  "img-src 'self' data:",
  'media-src data:',
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * By request path: `/` and `/assets/…`.
 * @throws PluglotError where the page was not built
 */
export function consoleFiles(folder: string = builtPage): ReadonlyMap<string, ConsoleFile> {
  const files = new Map<string, ConsoleFile>();
  for (const name of namesIn(folder)) {
    const path = `/${name}`;
    files.set(path === '/index.html' ? '/' : path, {
      body: readFileSync(join(folder, name)),
      headers: headersOf(path),
    });
  }
  if (!files.has('/'))
    throw new PluglotError(
      'UNAVAILABLE',
      `The console is not built: ${folder} has no index.html. Run \`npm run build\`, or start without the console: \`pluglot up --no-console\`.`,
    );
  return files;
}

/** Beside this file in dist/; the files in src/ are not built yet. */
const builtPage = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../dist/surface/console/ui' : 'ui', import.meta.url),
);

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && Object.hasOwn(types, extname(entry.name)))
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  } catch {
    return [];
  }
}

/** Only files of these types are served. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

function headersOf(path: string): Record<string, string> {
  return {
    'content-type': types[extname(path)] ?? 'application/octet-stream',
    // The names of assets contain a hash of their content.
    'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-store',
    'content-security-policy': CONSOLE_POLICY,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  };
}
