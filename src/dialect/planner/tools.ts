// The methods of the protocol as tools that anybody can call, and those that the plugin has on its own.
import type { Tool } from '../../definition/tool.ts';
import type { Discovery } from './discovery.ts';
import { codeRequest, contextUpdate, methods, planRequest, taskRequest } from './schema.ts';
import { schemaOf } from './shape.ts';

const ofProtocol: readonly Tool[] = [
  {
    name: methods.executeTask,
    facet: 'executor',
    description: 'Lets the executor carry out one task.',
    inputSchema: schemaOf(taskRequest),
  },
  {
    name: methods.createPlan,
    facet: 'planner',
    description: 'Lets the planner break a request down into tasks.',
    inputSchema: schemaOf(planRequest),
  },
  {
    name: methods.validateCode,
    facet: 'executor',
    description: 'Lets the executor check code against rules.',
    inputSchema: schemaOf(codeRequest),
    hints: { readOnly: true },
  },
  {
    name: methods.updateContext,
    description: 'Tells what was added, removed or modified around the work.',
    inputSchema: schemaOf(contextUpdate),
  },
];

const reserved: ReadonlySet<string> = new Set(Object.values(methods));

/** Whether a method of this name belongs to the protocol, or to JSON-RPC itself. */
export function isReserved(method: string): boolean {
  return reserved.has(method) || method.startsWith('rpc.');
}

export function toolsOf({ methods: known, tools }: Discovery): readonly Tool[] {
  const own = tools.filter(({ name }) => !isReserved(name));
  const named = new Set(own.map(({ name }) => name));
  const unlisted = known.filter((name) => !isReserved(name) && !named.has(name));
  return [
    ...ofProtocol.filter(({ name }) => known.includes(name)),
    ...own,
    ...unlisted.map((name) => ({ name })),
  ];
}
