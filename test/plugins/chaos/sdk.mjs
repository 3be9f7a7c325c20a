// The same deeds as a definition of the SDK, in the dialect that it is told.
import { definePlugin, serve } from '../../../dist/sdk/index.js';
import { act, deeds } from './deeds.mjs';

const tools = deeds.map((deed) => [
  deed,
  { description: `to ${deed}`, handler: (/** @type {{}} */ args) => act(deed, args) },
]);
serve(
  definePlugin({
    name: 'chaos',
    version: '1.0.0',
    tools: /** @type {{}} */ (Object.fromEntries(tools)),
  }),
);
