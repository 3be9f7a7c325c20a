// The table of endpoints as an OpenAPI 3.1 document, and as the index of the API.
import type { JsonObject } from '../../base/json.ts';
import { endpoints } from '../../runtime/api.ts';
import { endpointOf, type EndpointId } from '../../runtime/endpoint.ts';
import { callValues } from '../../runtime/api-call-values.ts';
import { pluginValues } from '../../runtime/api-plugin-values.ts';

const ids = Object.keys(endpoints) as EndpointId[]; // its keys

export function openApi(version: string): JsonObject {
  const paths = new Map<string, JsonObject>();
  for (const id of ids) {
    const { path, method } = endpoints[id];
    paths.set(path, { ...paths.get(path), [method.toLowerCase()]: operation(id) });
  }
  const named = Object.values({ ...pluginValues, ...callValues }).filter((value) => 'definition' in value);
  return {
    openapi: '3.1.0',
    info: {
      title: 'pluglot',
      version,
      description: 'A running host of plugins: see docs/http-api.md.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The host that serves this document.' }],
    tags: [...new Set(ids.map((id) => endpoints[id].tag))].map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A token for what x-needs says of an operation: metrics, api-read or api, each with those before it. Requests with a token are those of a client.',
        },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'pluglot',
          description: 'Of the console, for its own page: the user.',
        },
      },
      schemas: Object.fromEntries(named.map(({ name, definition }) => [name, definition])),
    },
  };
}

/** What can be asked without knowing a name; the rest is in the document. */
const PLAIN = /^(\/api\/v1\/[\w.]+|\/metrics)$/;

export function apiIndex(version: string) {
  const links = ids.flatMap((id) => {
    const { method, path, summary } = endpoints[id];
    return method === 'GET' && PLAIN.test(path) ? [[id, { href: path, title: summary }] as const] : [];
  });
  return { name: 'pluglot', version, links: Object.fromEntries(links) };
}

function operation(id: EndpointId): JsonObject {
  const { path, summary, tag, description, query = {}, body, result, events, needs, status } = endpointOf(id);
  const code = result === undefined && events === undefined ? 204 : (status ?? 200);
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(description !== undefined && { description }),
    security: [
      ...(needs === 'nothing' ? [{}] : []),
      ...(needs === 'user' ? [] : [{ token: [] }]),
      { cookie: [] },
    ],
    'x-needs': needs,
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...Object.entries(query).map(([name, field]) => ({
        name,
        in: 'query',
        schema: {
          ...queryTypes[field.kind],
          ...(field.description !== undefined && { description: field.description }),
        },
      })),
    ],
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: body.json } } },
    }),
    responses: {
      [String(code)]: answerOf(id),
      default: {
        description: 'What is wrong, with a stable code.',
        content: { 'application/problem+json': { schema: callValues.problem.json } },
      },
    },
  };
}

const queryTypes: Readonly<Record<'flag' | 'count' | 'text', JsonObject>> = {
  flag: { type: 'boolean', description: '1 or true for yes.' },
  count: { type: 'integer', minimum: 0 },
  text: { type: 'string' },
};

function answerOf(id: EndpointId): JsonObject {
  const { result, events, type = 'application/json' } = endpointOf(id);
  if (result === undefined && events === undefined) return { description: 'Done.' };
  const names = Object.entries(events ?? {});
  return {
    description: 'The result.',
    ...(events?.['outcome'] !== undefined && {
      headers: {
        'x-pluglot-call': {
          description: 'The id of the call, to cancel it by.',
          schema: { type: 'string' },
        },
      },
    }),
    content: {
      ...(result !== undefined && { [type]: { schema: result.json } }),
      ...(events !== undefined && {
        'text/event-stream': {
          schema: { type: 'string' },
          'x-events': Object.fromEntries(names.map(([name, data]) => [name, { data: data.json }])),
        },
      }),
    },
  };
}
