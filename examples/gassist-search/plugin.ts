// The example of the G-Assist specification in TypeScript: `search_web` streams, `get_weather` does not. No line of it knows the protocol.
import { definePlugin, fail, serve } from 'pluglot/sdk';

const plugin = definePlugin({
  name: 'my-plugin',
  version: '1.0.0',
  tools: {
    search_web: {
      description: 'Search the web for information.',
      input: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
      async handler({ query }, { stream }) {
        stream('Searching...');
        const results = await search(query);
        return { results };
      },
    },
    get_weather: {
      description: 'Get weather for a location.',
      input: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
      handler: ({ location }) => weatherIn(location),
    },
  },
});

/** A web small enough for an example. */
const pages = ['NVIDIA stock price', 'NVIDIA drivers', 'The weather of tomorrow'];

async function search(query: string): Promise<string[]> {
  const words = query.toLowerCase().split(/\s+/);
  return pages.filter((page) => words.some((word) => page.toLowerCase().includes(word)));
}

function weatherIn(location: string): string {
  if (location === 'Atlantis') fail('Atlantis is under water.');
  return `Rain in ${location}`;
}

serve(plugin);
