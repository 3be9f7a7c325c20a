// What is kept of a server between runs: who we are there, and what we are let in with.
import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../../base/json.ts';

export interface AccessRecord {
  /** Of the MCP server. */
  readonly url: string;
  /** The authorisation server that all of this comes from; nothing of it is ever shown to another. */
  readonly issuer: string;
  /** As it was registered; one that is configured is not kept. */
  readonly client?: RegisteredClient;
  readonly tokens?: Tokens;
  /** What was asked for, however much of it was given. */
  readonly scope?: string;
  /** What the server has asked for while no person was present to agree. */
  readonly wanted?: string;
}

export interface RegisteredClient {
  readonly id: string;
  readonly secret?: string;
  /** How it shows its secret, in the words of OAuth. */
  readonly method?: string;
  /** Many servers take no other, not even one of another port. */
  readonly redirectUri: string;
}

export interface Tokens {
  readonly access: string;
  readonly refresh?: string;
  readonly scope?: string;
}

/** For a file name: readable, and different for every server and client. */
export function recordKey(url: URL, clientId: string | undefined): string {
  const hash = createHash('sha256').update(JSON.stringify([addressOf(url), clientId ?? '']));
  return `${url.hostname.replaceAll(/[^\w.-]/g, '_').slice(0, 80)}-${hash.digest('hex').slice(0, 32)}`;
}

/** Without what does not belong to the server. */
export function addressOf(url: URL): string {
  const address = new URL(url);
  address.hash = '';
  return address.href;
}

/** Undefined when it cannot be read, or is of another server. */
export function readRecord(text: string | undefined, url: URL): AccessRecord | undefined {
  const value = parsed(text);
  if (value === undefined || value['url'] !== addressOf(url)) return undefined;
  const issuer = textIn(value, 'issuer');
  if (issuer === undefined) return undefined;
  const client = clientIn(value['client']);
  const tokens = tokensIn(value['tokens']);
  const scope = textIn(value, 'scope');
  const wanted = textIn(value, 'wanted');
  return {
    url: addressOf(url),
    issuer,
    ...(client !== undefined && { client }),
    ...(tokens !== undefined && { tokens }),
    ...(scope !== undefined && { scope }),
    ...(wanted !== undefined && { wanted }),
  };
}

export function writeRecord(record: AccessRecord): string {
  return `${JSON.stringify({ version: 1, ...record }, undefined, 2)}\n`;
}

/** What can be sent in a header; Node would name any other in its error. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && value.length <= TOKEN_MAX && /^[\x21-\x7e]+$/.test(value);
}

const TOKEN_MAX = 16 * 1024;

function parsed(text: string | undefined): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isJsonObject(value) && value['version'] === 1 ? value : undefined;
  } catch {
    return undefined;
  }
}

function clientIn(value: unknown): RegisteredClient | undefined {
  if (!isJsonObject(value)) return undefined;
  const [id, redirectUri] = [textIn(value, 'id'), textIn(value, 'redirectUri')];
  if (id === undefined || redirectUri === undefined) return undefined;
  const [secret, method] = [textIn(value, 'secret'), textIn(value, 'method')];
  return {
    id,
    redirectUri,
    ...(secret !== undefined && { secret }),
    ...(method !== undefined && { method }),
  };
}

function tokensIn(value: unknown): Tokens | undefined {
  if (!isJsonObject(value) || !isToken(value['access'])) return undefined;
  const [refresh, scope] = [textIn(value, 'refresh'), textIn(value, 'scope')];
  return {
    access: value['access'],
    ...(refresh !== undefined && { refresh }),
    ...(scope !== undefined && { scope }),
  };
}

function textIn(value: JsonObject, key: string): string | undefined {
  const text = Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
