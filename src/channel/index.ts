// pluglot/channel: JSON-RPC 2.0 between two processes, from bytes to calls.
export { PluglotError, errorCodes, type ErrorCode } from '../base/error.ts';
export type { Clock } from '../base/clock.ts';
export { childPipe, type ChildLike } from './bytes/child-pipe.ts';
export {
  describeEnding,
  type Encoded,
  type Ending,
  type Pipe,
  type PipeOptions,
  type PipeReader,
} from './bytes/pipe.ts';
export { fdPipe, linkedPipes, socketPipe, streamPipe } from './bytes/stream-pipe.ts';
export type { Body } from './frame/body.ts';
export type { FrameDecoder, FrameLimits, FrameSink, Framing } from './frame/framing.ts';
export { lengthPrefix } from './frame/length-prefix.ts';
export { lines } from './frame/lines.ts';
export { framedLink, type LinkOptions } from './link/framed-link.ts';
export type { Link, LinkListener, Trouble } from './link/link.ts';
export type {
  Batch,
  ErrorObject,
  Failure,
  Id,
  Invalid,
  Message,
  Notification,
  Received,
  Request,
  Response,
  Single,
  Success,
} from './message/message.ts';
export { RpcError, standardErrors } from './message/rpc-error.ts';
export { strict, tolerant, type Tolerances } from './message/tolerances.ts';
export type { CallContext } from './peer/call-context.ts';
export type { Exchange } from './peer/exchange.ts';
export type { LatencySummary } from './peer/stats.ts';
export type { Handler } from './peer/incoming-calls.ts';
export type { CancelProtocol, PeerOptions, PeerTrouble } from './peer/options.ts';
export type { CallOptions } from './peer/options.ts';
export type { BatchCall } from './peer/outgoing-calls.ts';
export type { NotificationListener, Observer, OtherNotificationListener } from './peer/options.ts';
export { Peer, type CloseOptions } from './peer/peer.ts';
export type { PeerStats } from './peer/stats.ts';
