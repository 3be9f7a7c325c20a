// The test vectors of docs/dialects/planner.md, as a program reads them there.
import type { JsonObject } from '../../../../src/base/json.ts';
import { blocksOf } from '../../markdown.ts';

export interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly timestamp: number;
  readonly message: JsonObject;
  readonly canonical: string;
  readonly signature: string;
}

const block = blocksOf('docs/dialects/planner.md').find(
  ({ text }) => text.includes('"signature"') && text.trimStart().startsWith('['),
);

// What is read here is our own page.
export const vectors = JSON.parse(block?.text ?? '[]') as readonly Vector[];
