// How a user chooses among sources.
import type { JsonObject } from '../../../base/json.ts';
import type { Source } from '../source.ts';

export interface SelectionRequest {
  readonly request_id: string;
  readonly timestamp: string;
  /** Why they are wanted, in the words of whoever asks. */
  readonly context: string | null;
  readonly sources: readonly Pick<Source, 'id' | 'name' | 'description' | 'type' | 'tags'>[];
}

export type Selection =
  | {
      readonly kind: 'selected';
      /** Not checked: somebody else may have written them. */ readonly ids: readonly string[];
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'late' }
  /** Nobody could be asked; `reason` is a sentence with the way out. */
  | { readonly kind: 'unavailable'; readonly reason: string };

export interface SelectionChannel {
  /** Never rejects, and ends by its time limit. */
  choose(request: SelectionRequest, signal: AbortSignal): Promise<Selection>;
  /** What came of it, for whoever chose. Never rejects. */
  tell(message: string, signal: AbortSignal): Promise<void>;
}

/** As it is sent and written. */
export function requestJson({ request_id, timestamp, context, sources }: SelectionRequest): JsonObject {
  return {
    request_id,
    timestamp,
    context,
    sources: sources.map(({ id, name, description, type, tags }) => ({
      id,
      name,
      description,
      type,
      tags: [...tags],
    })),
  };
}
