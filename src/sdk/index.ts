// pluglot/sdk: the author's side. It loads Node's own modules and nothing else.
export { lengthPrefix } from '../channel/frame/length-prefix.ts';
export { lines } from '../channel/frame/lines.ts';
export { RpcError, standardErrors } from '../channel/message/rpc-error.ts';
export type { CallContext } from '../channel/peer/call-context.ts';
export type { Peer } from '../channel/peer/peer.ts';
export { definePlugin } from '../definition/define-plugin.ts';
export { fail, Failure, type FailureOptions } from '../definition/failure.ts';
export { result, type Result } from '../definition/result.ts';
export { openStdio, serve, type ServeOptions, type StdioOptions } from './serve.ts';
