// The types of each endpoint of the table, and the paths of requests.
import { endpoints, type Endpoint, type Needs } from './api.ts';
import type { ValueOf } from './api-schema.ts';

export type EndpointId = keyof typeof endpoints;
type Table = typeof endpoints;

export type ResultOf<Id extends EndpointId> = Table[Id] extends { readonly result: infer Result }
  ? ValueOf<Result>
  : undefined;

export type BodyOf<Id extends EndpointId> = Table[Id] extends { readonly body: infer Body }
  ? ValueOf<Body>
  : undefined;

interface QueryValues {
  readonly flag: boolean;
  readonly count: number;
  readonly text: string;
}

export type QueryOf<Id extends EndpointId> = Table[Id] extends { readonly query: infer Query }
  ? {
      readonly [Key in keyof Query]?: Query[Key] extends {
        readonly kind: infer Kind extends keyof QueryValues;
      }
        ? QueryValues[Kind] | undefined
        : never;
    }
  : Readonly<Record<string, never>>;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

export type ParamsOf<Id extends EndpointId> = Readonly<Record<NamesIn<Table[Id]['path']>, string>>;

/** The entry, as code sees it that handles any of them. */
export function endpointOf(id: EndpointId): Endpoint & { readonly needs: Needs } {
  const entry: Endpoint = endpoints[id];
  return { ...entry, needs: entry.needs ?? (entry.method === 'GET' ? 'api-read' : 'api') };
}

/** The path of a request, with its names and its query. Values that are undefined or false are left out. */
export function pathOf(
  id: EndpointId,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | number | boolean | undefined>> = {},
): string {
  const path = endpoints[id].path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === false ? [] : [[name, value === true ? '1' : String(value)]],
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`;
}
