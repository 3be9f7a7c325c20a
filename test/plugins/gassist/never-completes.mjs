// Works for ever; answers pings meanwhile.
import { notify, serve } from './wire.mjs';

await serve({ execute: (_, id) => notify('stream', { request_id: id, data: '.' }) });
