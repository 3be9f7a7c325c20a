// Needs a program that nobody has.
import { manifest, send, serve } from '../../support/dialect/gevals/plain-wire.mjs';

const requires = [{ command: 'kubectl-of-nobody' }];
await serve({ initialize: ({ id }) => send({ id, result: { ...manifest, requires } }) });
