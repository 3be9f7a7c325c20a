// Where the API begins: what else there is, and where it is described.
import type { JsonObject } from '../../../base/json.ts';
import { operations } from './paths.ts';

/** What can be asked for without knowing a name; the rest is in the document. */
const FIRST = /^GET (\/api\/v1\/[\w.]+|\/metrics)$/;

export function apiIndex(version: string): JsonObject {
  const links = Object.entries(operations).flatMap(([key, { id, summary }]) => {
    const [, href] = FIRST.exec(key) ?? [];
    return href === undefined ? [] : [[id, { href, title: summary }] as const];
  });
  return { name: 'pluglot', version, links: Object.fromEntries(links) };
}
