// pluglot: what a host needs. The channel itself is pluglot/channel, the author's side pluglot/sdk.
export { errorCodes, PluglotError, type ErrorCode } from './base/error.ts';
export {
  spawn,
  type Exit,
  type Program,
  type Running,
  type SpawnOptions,
  type StopLimits,
} from './fleet/supervisor/spawn.ts';
