// All events of a host, as a stream to one client.
import type { TrafficEntry } from '../../fleet/recording/traffic.ts';
import type { RuntimeApi, RuntimeEvent } from '../../runtime/api.ts';
import type { QueryOf } from '../../runtime/endpoint.ts';
import type { EventStream } from './event-stream.ts';
import type { Exchange } from './exchange.ts';

/** At most ten batches of messages a second. */
const BATCH_MS = 100;
const BATCH_ENTRIES = 2000;
const BATCH_CHARACTERS = 512 * 1024;

export async function followEvents(
  api: RuntimeApi,
  exchange: Exchange,
  { since = lastSeen(exchange), traffic = false, plugin }: QueryOf<'events'>,
): Promise<void> {
  const { version } = await api.health();
  const events = exchange.events();
  if (exchange.isHead) return events.end();
  const end = [api.onEvent((event) => send(events, event))];
  try {
    events.offer('hello', { version });
    if (traffic) end.push(await followTraffic(api, exchange, events, { since, plugin }));
    await new Promise<void>((resolve) => events.onClosed(resolve));
  } finally {
    for (const each of end) each();
  }
}

/** As browsers send it that connect again. */
function lastSeen({ request }: Exchange): number | undefined {
  const id = request.headers['last-event-id'];
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

function send(events: EventStream, event: RuntimeEvent): void {
  const { kind, ...data } = event;
  events.offer(kind, event.kind === 'plugin' ? event.plugin : data);
}

async function followTraffic(
  api: RuntimeApi,
  exchange: Exchange,
  events: EventStream,
  { since, plugin }: Pick<QueryOf<'events'>, 'since' | 'plugin'>,
): Promise<() => void> {
  let waiting: TrafficEntry[] = [];
  let characters = 0;
  let dropped = 0;
  let callOff: (() => void) | undefined;
  const flush = () => {
    callOff = undefined;
    // A client that does not read gets it later, and less of it.
    if (events.isFull) return void (callOff = exchange.clock.after(BATCH_MS, flush));
    const last = waiting.at(-1)?.seq;
    events.offer('traffic', { entries: waiting, ...(dropped > 0 && { dropped }) }, last);
    [waiting, characters, dropped] = [[], 0, 0];
  };
  const take = (entry: TrafficEntry) => {
    if (plugin !== undefined && entry.plugin !== plugin) return;
    const size = (entry.text?.length ?? 0) + 100;
    if (waiting.length >= BATCH_ENTRIES || characters + size > BATCH_CHARACTERS) dropped += 1;
    else {
      waiting.push(entry);
      characters += size;
    }
    callOff ??= exchange.clock.after(BATCH_MS, flush);
  };
  let came: TrafficEntry[] | undefined = since === undefined ? undefined : [];
  const unfollow = api.traffic.onEntry((entry) => {
    if (came === undefined) take(entry);
    else if (came.length < BATCH_ENTRIES) came.push(entry);
  });
  if (since !== undefined) {
    // The newest of those that were missed; the rest is had from /api/v1/traffic. What came meanwhile may stand in both.
    const { entries } = await api.traffic.since(since, { limit: Number.MAX_SAFE_INTEGER });
    const newest = entries.slice(-BATCH_ENTRIES);
    dropped += entries.length - newest.length;
    for (const entry of newest) take(entry);
    const seen = newest.at(-1)?.seq ?? 0;
    for (const entry of came ?? []) if (entry.seq > seen) take(entry);
    came = undefined;
  }
  return () => {
    unfollow();
    callOff?.();
  };
}
