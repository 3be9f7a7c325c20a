// The host, as far as a planner may ask it for work: execute_task and validate_code go up the pipe.
import { PluglotError } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { sentence } from '../../base/sentence.ts';
import type { Peer } from '../../channel/peer/peer.ts';
import type { TaskHost } from '../../definition/backend.ts';
import type { IncomingStreams } from './incoming-streams.ts';
import { codeRequest, codeVerdict, methods, taskRequest } from './schema.ts';
import { fromWire, toWire, type Read } from './shape.ts';
import { taskResultFromWire } from './task-result.ts';

export function taskHost(peer: Peer, streams: IncomingStreams): TaskHost {
  return {
    async executeTask(request, onText = () => {}) {
      const exchange = peer.open(methods.executeTask, toWire(taskRequest, request));
      streams.follow(exchange.id, { text: onText, warn: () => {} });
      try {
        return answered(methods.executeTask, taskResultFromWire(await exchange.result));
      } finally {
        streams.release(exchange.id);
      }
    },
    async validateCode(request) {
      const result = await peer.request(methods.validateCode, toWire(codeRequest, request));
      return answered(methods.validateCode, fromWire(codeVerdict, result, 'the result', 'lenient'));
    },
  };
}

function answered(method: string, read: Read<object>): Json {
  if ('value' in read) return read.value as JsonObject; // the neutral types of plans are made of JSON
  throw new PluglotError('PROTOCOL_VIOLATION', `The host answered ${method}, but ${sentence(read.problem)}`);
}
