// Which handler a request is for, by method and path.
import { badRequest, HttpProblem, notFound } from './problem.ts';
import type { Needs } from '../../runtime/api.ts';
import type { Exchange } from './exchange.ts';

type Method = 'GET' | 'POST' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** As OpenAPI writes it: `/api/v1/plugins/{name}`. */
  readonly path: string;
  /** The same path, as others write it. */
  readonly alias?: string;
  readonly needs: Needs;
  readonly handle: (exchange: Exchange) => Promise<void> | void;
}

interface Match {
  readonly route: Route;
  readonly params: ReadonlyMap<string, string>;
}

export interface Router {
  /** HEAD is matched like GET. @throws HttpProblem 400, 404 or 405 */
  match(method: string, path: string): Match;
  /** What may be asked of a path; none where nothing is there. */
  methods(path: string): readonly string[];
}

export function createRouter(routes: readonly Route[]): Router {
  const known = routes.flatMap((route) =>
    [route.path, route.alias ?? []].flat().map((path) => ({ route, parts: path.split('/') })),
  );
  const fitting = (parts: readonly string[]) => known.filter((one) => fits(one.parts, parts));
  const methodsOf = (found: readonly { route: Route }[]) => {
    const methods = new Set<string>(found.map(({ route }) => route.method));
    return [...methods, ...(methods.has('GET') ? ['HEAD'] : []), ...(methods.size > 0 ? ['OPTIONS'] : [])];
  };
  return {
    match(method, path) {
      const parts = path.split('/');
      const found = fitting(parts);
      if (found.length === 0)
        throw notFound('Nothing is at this address. /api/v1/openapi.json lists what there is.');
      const wanted = method === 'HEAD' ? 'GET' : method;
      const one = found.find(({ route }) => route.method === wanted);
      if (one === undefined) {
        const allow = methodsOf(found).join(', ');
        throw new HttpProblem(405, 'BAD_REQUEST', `This address takes ${allow}.`, { allow });
      }
      return { route: one.route, params: paramsOf(one.parts, parts) };
    },
    methods: (path) => methodsOf(fitting(path.split('/'))),
  };
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  if (pattern.length !== parts.length) return false;
  return pattern.every((part, at) => (part.startsWith('{') ? parts[at] !== '' : part === parts[at]));
}

/** Decoded part by part, so that a name can have a slash. */
function paramsOf(pattern: readonly string[], parts: readonly string[]): Map<string, string> {
  const params = new Map<string, string>();
  for (const [at, part] of pattern.entries())
    if (part.startsWith('{')) params.set(part.slice(1, -1), decoded(parts[at] ?? ''));
  return params;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest('A name in the address is not percent-encoded correctly.');
  }
}
