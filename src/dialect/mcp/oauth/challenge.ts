// How a server that requires authorisation can be entered: the header WWW-Authenticate of RFC 9110, 6750 and 9728.

export interface Challenge {
  readonly resourceMetadata?: string;
  readonly scope?: string;
  readonly error?: string;
}

/** That of the scheme Bearer, wherever in the header it stands; empty without one. */
export function readChallenge(header: string | null): Challenge {
  if (header === null || header.length > HEADER_MAX) return {};
  const parameters = bearerParameters(header);
  const resourceMetadata = parameters.get('resource_metadata');
  const scope = parameters.get('scope');
  const error = parameters.get('error');
  return {
    ...(resourceMetadata !== undefined && { resourceMetadata }),
    ...(scope !== undefined && isScope(scope) && { scope }),
    ...(error !== undefined && { error }),
  };
}

/** Words of RFC 6749, parted by single spaces. */
export function isScope(text: string): boolean {
  return text.length <= SCOPE_MAX && /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text);
}

/** All words of the scopes, each once. */
export function joinedScope(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = new Set(scopes.flatMap((scope) => scope?.split(' ').filter((word) => word !== '') ?? []));
  return words.size === 0 ? undefined : [...words].join(' ');
}

const HEADER_MAX = 16 * 1024;
const SCOPE_MAX = 4096;

/** `name`, `name=value` or `name="va\"lue"`, with the commas before it: a name without a value begins a challenge. */
const PART = /[\s,]*([\w!#$%&'*+.^`|~-]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/y;

function bearerParameters(header: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  let isBearer = false;
  PART.lastIndex = 0;
  for (let part = PART.exec(header); part !== null; part = PART.exec(header)) {
    const [, name = '', quoted, plain] = part;
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
    if (value === undefined) isBearer = name.toLowerCase() === 'bearer';
    else if (isBearer && !parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value);
  }
  return parameters;
}
