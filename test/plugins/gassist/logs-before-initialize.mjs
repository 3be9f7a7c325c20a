// Has something to say before anybody has asked.
import { notify, serve } from './wire.mjs';

notify('log', { level: 'warning', message: 'no API key' });
await serve();
