// The first exchange with an end: who it is and what it knows, or that it is a plain one that knows the specification alone.
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { Manifest } from '../../definition/manifest.ts';
import type { PluginSpec } from '../../definition/plugin-spec.ts';
import { refusal, replyTo, unexpected } from '../reply.ts';
import { AUTHENTICATION_FAILED, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND } from './codes.ts';
import { DISCOVERY_FORM, plainDiscovery, readDiscovery, rolesIn, type Discovery } from './discovery.ts';
import { methods, type Role } from './schema.ts';
import { toolsOf } from './tools.ts';

export interface Introduction {
  readonly discovery: Discovery;
  readonly manifest: Manifest;
  /** It knows no rpc.discover. */
  readonly isPlain: boolean;
}

/** What the configuration says for this host, and what is for the plugin. */
export interface Settings {
  readonly secret?: string;
  readonly roles: readonly Role[];
  /** How many attempts at a task may follow the first. */
  readonly retries: number;
  /** Whether every request is logged. */
  readonly logsRequests: boolean;
  readonly forPlugin?: JsonObject;
}

/** Unless the configuration says otherwise. */
const RETRIES = 2;
const MOST_RETRIES = 20;

const bothRoles: readonly Role[] = ['planner', 'executor'];

export function settingsOf({ config = {} }: PluginSpec): Settings {
  const { secret, roles, retries, log_requests: logRequests, ...forPlugin } = config;
  const named = rolesIn(roles);
  return {
    ...(typeof secret === 'string' && secret !== '' ? { secret } : {}),
    roles: named.length === 0 ? bothRoles : named,
    retries:
      typeof retries === 'number' && retries >= 0 ? Math.min(Math.floor(retries), MOST_RETRIES) : RETRIES,
    logsRequests: logRequests === true,
    ...(Object.keys(forPlugin).length === 0 ? {} : { forPlugin }),
  };
}

/** What a program says that does not know the method at all. */
const unknownMethod: readonly number[] = [METHOD_NOT_FOUND, INVALID_PARAMS, INVALID_REQUEST];

/** @throws PluglotError, in words that name the plugin */
export async function introduce(
  peer: Peer,
  { name }: PluginSpec,
  settings: Settings,
  signal: AbortSignal,
): Promise<Introduction> {
  const question = { pluginName: name, method: methods.discover };
  const { forPlugin } = settings;
  const params = { gzip: true, batch: true, ...(forPlugin === undefined ? {} : { config: forPlugin }) };
  const reply = await replyTo(question, peer.request(methods.discover, params, { signal }));
  if ('result' in reply) {
    const discovery = readDiscovery(reply.result);
    if (discovery === undefined) throw unexpected(question, reply.result, DISCOVERY_FORM);
    // What was read as an object came out of JSON.
    return { discovery, manifest: manifestOf(name, discovery, reply.result as Json), isPlain: false };
  }
  const { error } = reply;
  if (!unknownMethod.includes(error.code)) throw refusal(question, error, 'START_FAILED', wayOut(error.code));
  const discovery = plainDiscovery(settings.roles);
  return { discovery, manifest: manifestOf(name, discovery, {}), isPlain: true };
}

function wayOut(wireCode: number): string {
  return wireCode === AUTHENTICATION_FAILED
    ? 'Both ends need the same secret: "config": { "secret": … } of the plugin, best as a reference such as ${env:NAME}.'
    : '';
}

function manifestOf(pluginName: string, discovery: Discovery, raw: Json): Manifest {
  const {
    name = pluginName,
    version = 'unknown',
    description,
    instructions,
    roles,
    gzip,
    batch,
    auth,
  } = discovery;
  return {
    name,
    version: version === '' ? 'unknown' : version,
    dialect: 'planner',
    ...(description === undefined ? {} : { description }),
    ...(instructions === undefined ? {} : { instructions }),
    interfaces: roles.map((id) => ({ id })),
    capabilities: { gzip, batch, auth },
    tools: toolsOf(discovery),
    raw: isJsonObject(raw) ? raw : {},
  };
}
