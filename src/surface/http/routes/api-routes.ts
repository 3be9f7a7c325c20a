// All routes of the API, in the order of its document.
import type { RuntimeApi } from '../../../runtime/api.ts';
import type { CallStats } from '../../../runtime/views/call-stats.ts';
import type { HttpCounts } from '../metrics/http-counts.ts';
import { metricsText } from '../metrics/metrics-text.ts';
import type { Route } from '../router.ts';
import { approvalRoutes } from './approvals.ts';
import { callRoutes } from './calls.ts';
import { eventRoutes } from './events.ts';
import { observationRoutes } from './observation.ts';
import type { RouteParts } from './parts.ts';
import { pluginRoutes } from './plugins.ts';
import { talkRoutes } from './talks.ts';
import { tokenRoutes } from './tokens.ts';

export interface ApiRouteParts extends RouteParts {
  readonly api: RuntimeApi & { readonly stats?: CallStats };
  readonly counts: HttpCounts;
}

export function apiRoutes(parts: ApiRouteParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1',
      needs: 'api-read',
      alias: '/api/v1/',
      async handle(exchange) {
        const [{ apiIndex }, { version }] = await Promise.all([
          import('../openapi/api-index.ts'),
          parts.api.health(),
        ]);
        exchange.json(apiIndex(version));
      },
    },
    ...pluginRoutes(parts),
    ...callRoutes(parts),
    ...talkRoutes(parts),
    ...approvalRoutes(parts),
    ...eventRoutes(parts),
    ...observationRoutes(parts),
    ...tokenRoutes(parts),
    {
      method: 'GET',
      path: '/api/v1/openapi.json',
      needs: 'api-read',
      // Loaded when somebody wants it.
      async handle(exchange) {
        const [{ openApi }, { version }] = await Promise.all([
          import('../openapi/open-api.ts'),
          parts.api.health(),
        ]);
        exchange.json(openApi(version));
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      needs: 'metrics',
      async handle(exchange) {
        exchange.send(200, await metricsText(parts), 'text/plain; version=0.0.4; charset=utf-8');
      },
    },
  ];
}
