// The version of this package.
import fs from 'node:fs';

export function ownVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(fs.readFileSync(file, 'utf8')) as { version: string }).version; // our own file
}
