// The API in the words of OpenAPI 3.1.
import type { JsonObject } from '../../../base/json.ts';
import { callSchemas } from './call-schemas.ts';
import { paths } from './paths.ts';
import { pluginSchemas } from './plugin-schemas.ts';

export function openApi(version: string): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'pluglot',
      version,
      description: 'A running host of plugins: see docs/http-api.md.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The host that serves this document.' }],
    tags: ['host', 'plugins', 'calls', 'talks', 'approvals', 'observation', 'access'].map((name) => ({
      name,
    })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A token that is for what x-needs says of an operation: metrics, api-read or api, each with those before it. Whoever has one is a client.',
        },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'pluglot',
          description: 'Of the console, for its own page: the user.',
        },
        protocol: {
          type: 'apiKey',
          in: 'header',
          name: 'Sec-WebSocket-Protocol',
          description: 'For WebSockets of pages: pluglot.v1, pluglot.bearer.TOKEN',
        },
      },
      schemas: { ...pluginSchemas, ...callSchemas },
    },
  };
}
