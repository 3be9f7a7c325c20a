// pluglot: the runtime as a library. So far it is the channel.
export * from './channel/index.ts';
