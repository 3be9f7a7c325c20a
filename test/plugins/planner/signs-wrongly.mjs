// Signs its messages with a secret of its own.
import { createHmac } from 'node:crypto';
import { serve } from './wire.mjs';

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (/** @type {any} */ line) => {
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', 'not the secret').update(String(line)).digest('base64');
  return write(`${JSON.stringify({ ...JSON.parse(String(line)), auth: { timestamp, signature } })}\n`);
};

serve({ 'rpc.discover': () => ({ roles: ['executor'] }) });
