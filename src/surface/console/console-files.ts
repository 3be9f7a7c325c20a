// The built page of the console, for the HTTP server to serve: a fixed list of files, read once, so that no path can lead elsewhere.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PluglotError } from '../../base/error.ts';

export interface ConsoleFile {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Nothing inline, nothing from elsewhere, and nobody may put the page into a frame. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // What tools answer is drawn and played from where it stands in the page, and from nowhere else.
  "img-src 'self' data:",
  'media-src data:',
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * By path, as browsers ask for them: `/` and `/assets/…`.
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
      `The page of the console is not built: there is no index.html in ${folder}. Run \`npm run build\`, or start without it: \`pluglot up --no-console\`.`,
    );
  return files;
}

/** Beside this file once it is built; the page beside the sources is none that a browser could read. */
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

/** Only these are ever served. */
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
    // The names of assets carry a hash of their content; the page itself is asked for each time.
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
