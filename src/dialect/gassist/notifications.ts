// What a plugin says without being asked for it: stream, complete, error and log, each taken to the call it is for.
import { PluglotError } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { shortened } from '../../base/shown.ts';
import type { PeerTrouble } from '../../channel/peer/options.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { LogEntry } from '../../definition/tool.ts';
import type { OpenCall } from './open-call.ts';
import type { OpenCalls } from './open-calls.ts';
import { paramsIn, parseCompletion, parseFailure, parseLog, parseRequestId, parseStream } from './schema.ts';

/** Who hears what belongs to no call. */
export interface Hearers {
  log(entry: LogEntry): void;
  trouble(trouble: PeerTrouble): void;
}

export function hearNotifications(peer: Peer, calls: OpenCalls, hearers: Hearers): void {
  const forCall = (method: string, act: (call: OpenCall, params: JsonObject) => void) => {
    peer.onNotification(method, (given) => {
      const params = paramsIn(given);
      const id = parseRequestId(params);
      const call = calls.find(id);
      if (call !== undefined) act(call, params);
      else if (method === 'error' && id === 'the-active-one' && calls.size === 0) logError(params, hearers);
      else {
        if (method !== 'stream') calls.endedLate(id);
        hearers.trouble(
          stray(method, typeof id === 'number' ? `request ${id}` : 'a request it does not name'),
        );
      }
    });
  };
  forCall('stream', (call, params) => {
    const text = parseStream(params);
    if (text !== undefined) call.stream(text);
  });
  forCall('complete', (call, params) => call.complete(parseCompletion(params)));
  forCall('error', (call, params) => call.refuse(parseFailure(params)));
  peer.onNotification('log', (given) => {
    const params = paramsIn(given);
    const entry = parseLog(params);
    const call = calls.find(parseRequestId(params));
    if (call === undefined) hearers.log(entry);
    else call.log(entry);
  });
}

/** An end that was too large to be read ends its call all the same: nobody shall wait for what was skipped. */
export function endLost(trouble: PeerTrouble, calls: OpenCalls, pluginName: string): void {
  if (trouble.kind !== 'oversize') return;
  const [, method] = /^\s*\{[^{]*"method"\s*:\s*"(\w+)"/.exec(trouble.head) ?? [];
  if (method !== 'complete' && method !== 'error') return;
  const [, digits] = /"request_id"\s*:\s*"?(\d{1,10})\b/.exec(trouble.head) ?? [];
  const id = digits === undefined ? 'the-active-one' : Number(digits);
  const call = calls.find(id);
  if (call === undefined) calls.endedLate(id);
  call?.giveUp(
    new PluglotError(
      'FRAME_TOO_LARGE',
      `Plugin "${pluginName}" ended a call with ${trouble.size} bytes, which is over the limit for receiving (limits.messageBytes).`,
    ),
  );
}

/** Without a call and without an id it is news of the plugin itself. */
function logError(params: JsonObject, hearers: Hearers): void {
  const { code, message = 'an error without a reason', data } = parseFailure(params);
  hearers.log({
    level: 'error',
    message: shortened(code === undefined ? message : `${message} (${code})`),
    ...(data !== undefined && { data }),
  });
}

function stray(method: string, what: string): PeerTrouble {
  return {
    kind: 'invalid',
    reason: `"${method}" came for ${what}, and none such is under way`,
    text: method,
  };
}
