// What an author end says of itself: its roles and methods are those of what answers behind it.
import type { JsonObject } from '../../base/json.ts';
import type { Backend } from '../../definition/backend.ts';
import type { Offer } from '../facet-tools.ts';
import { writeTool } from './discovery.ts';
import { methods, type Role } from './schema.ts';
import { isReserved } from './tools.ts';

/** @param offer the tools, also those that stand for what the protocol has no words for */
export function ownDiscovery(backend: Backend, offer: Offer, auth: boolean): JsonObject {
  const { name, version, description, instructions, tools } = offer.profile;
  const roles = rolesOf(backend, offer);
  const own = tools.map((tool) => tool.name).filter((tool) => !isReserved(tool));
  return {
    name,
    version,
    ...(description === undefined ? {} : { description }),
    ...(instructions === undefined ? {} : { instructions }),
    roles,
    methods: [...methodsOf(backend, roles), ...own],
    tools: tools.map(writeTool),
    gzip: true,
    batch: true,
    auth,
  };
}

function rolesOf({ planner, executor }: Backend, { profile }: Offer): readonly Role[] {
  return [
    ...(planner === undefined ? [] : (['planner'] as const)),
    ...(executor === undefined && profile.tools.length === 0 ? [] : (['executor'] as const)),
  ];
}

function methodsOf({ executor }: Backend, roles: readonly Role[]): readonly string[] {
  return [
    ...(roles.includes('executor') ? [methods.executeTask] : []),
    ...(roles.includes('planner') ? [methods.createPlan] : []),
    ...(executor?.validateCode === undefined ? [] : [methods.validateCode]),
    methods.updateContext,
  ];
}
