// The author's side of the planner protocol: an executor, a planner, or both on the wire, whatever answers behind it.
import { toError } from '../../base/error.ts';
import { DEFAULT_FRAME_LIMIT } from '../../base/limits.ts';
import { shown } from '../../base/shown.ts';
import { sentence } from '../../base/sentence.ts';
import type { Pipe } from '../../channel/bytes/pipe.ts';
import type { Backend } from '../../definition/backend.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { AuthorDialect, AuthorServices, Served } from '../author-dialect.ts';
import { AuthorLife } from '../author-life.ts';
import { facetCollision } from '../facet-tools.ts';
import { hostPeer } from '../host-peer.ts';
import { notServed } from '../not-served.ts';
import { authorSettings } from './author-settings.ts';
import { IncomingStreams } from './incoming-streams.ts';
import { logLine } from './log-line.ts';
import { RequestLog } from './request-log.ts';
import { ServedMethods, wordlessFacets } from './served-methods.ts';
import { taskHost } from './task-host.ts';
import { PlannerWire, refuseUnauthenticated } from './wire.ts';

export const plannerAuthor: AuthorDialect = { name: 'planner', serve };

function serve(pipe: Pipe, backend: Backend, services: AuthorServices): Served {
  const collision = facetCollision(backend, wordlessFacets);
  if (collision !== undefined) return notServed(collision, backend, services);
  const { debug = false } = services;
  const settings = authorSettings(services.config);
  const { secret } = settings;
  const log = (entry: LogEntry) => services.print(logLine(entry));
  const tell = (reason: string, got: unknown) =>
    log({
      level: 'warn',
      message: `The host said something odd: ${sentence(reason)}`,
      data: { got: shown(got) },
    });
  const wire = new PlannerWire({
    receiveLimit: DEFAULT_FRAME_LIMIT,
    ...(secret === undefined ? {} : { secret }),
    trouble: tell,
  });
  const peer = hostPeer(pipe, wire, services, {
    onTrouble: (trouble) => {
      if (trouble.kind === 'thrown') log({ level: 'error', message: toError(trouble.error).message });
    },
  });
  refuseUnauthenticated(peer);
  const streams = new IncomingStreams(peer, tell);
  const served = new ServedMethods({
    peer,
    backend,
    settings,
    clock: services.clock,
    debug,
    log,
    host: taskHost(peer, streams),
    takeGzip: () => (wire.takesGzip = true),
    requests: new RequestLog(services.clock, debug ? log : () => {}),
  });
  served.begin();
  const life = new AuthorLife(peer, backend);
  return { log, over: life.over, close: () => void life.close() };
}
