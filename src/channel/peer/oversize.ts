// Finds the request that a body over the limit belongs to: by its first bytes, where the id comes before the large part, else by its last.
import { parseJson } from '../message/json.ts';
import type { Trouble } from '../link/link.ts';
import type { Id } from '../message/message.ts';

export type Owner = { readonly kind: 'request' | 'response'; readonly id: Id };

/** How much of a body that came as noise is looked at. */
const HEAD_MAX = 256;

/** Tells of each body over the limit whose it was, where and as soon as that is known. */
export class OversizeBodies {
  /** One whose length cannot be: the framing skips its length only, so that the body comes as noise after it. */
  #asNoise: { readonly size: number; head: string } | undefined;

  take(trouble: Trouble): (Owner & { readonly size: number }) | undefined {
    if (trouble.kind === 'oversize') {
      const { size, head, tail } = trouble;
      this.#asNoise = head === '' ? { size, head } : undefined;
      return withSize(ownerOf(head, tail), size);
    }
    if (trouble.kind !== 'noise' || this.#asNoise === undefined) return undefined;
    const { size, head } = this.#asNoise;
    this.#asNoise.head = head + trouble.text.slice(0, HEAD_MAX);
    const owner = ownerOf(this.#asNoise.head.slice(this.#asNoise.head.indexOf('{"')));
    if (owner !== undefined || this.#asNoise.head.length >= HEAD_MAX) this.#asNoise = undefined;
    return withSize(owner, size);
  }
}

function withSize(owner: Owner | undefined, size: number): (Owner & { readonly size: number }) | undefined {
  return owner && { ...owner, size };
}

const START = /^\s*\{/;
/** A short member and the comma after it; without them, a member that may be long. */
const MEMBER = /\s*"(jsonrpc|id|method|params|result|error)"\s*:\s*(?:("(?:[^"\\]|\\.)*"|-?\d+|null)\s*,)?/y;

/** The last member of the outermost object. */
const ID_AT_END = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*\}\s*$/;

/** Undefined when it cannot be found, or has no id. */
export function ownerOf(head: string, tail = ''): Owner | undefined {
  const start = START.exec(head);
  if (start === null) return undefined;
  const member = new RegExp(MEMBER);
  member.lastIndex = start[0].length;
  let id: Id | undefined;
  let kind: Owner['kind'] | undefined;
  for (let value: string | undefined = ''; value !== undefined;) {
    const match = member.exec(head);
    value = match?.[2];
    const name = match?.[1];
    if (name === 'id') id = value === undefined ? undefined : idFrom(value);
    else if (name === 'method' || name === 'params') kind = 'request';
    else if (name === 'result' || name === 'error') kind = 'response';
  }
  const last = id === undefined ? ID_AT_END.exec(tail)?.[1] : undefined;
  if (last !== undefined) id = idFrom(last);
  return id === undefined || kind === undefined ? undefined : { kind, id };
}

function idFrom(text: string): Id | undefined {
  try {
    return parseJson(text) as Id; // the expression takes nothing else
  } catch {
    return undefined;
  }
}
