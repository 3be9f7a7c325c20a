// Its manifest has params that are no JSON Schema.
import { manifest, send, serve } from '../../support/dialect/gevals/plain-wire.mjs';

const operations = { run: { params: { type: 5 } } };
await serve({ initialize: ({ id }) => send({ id, result: { ...manifest, operations } }) });
