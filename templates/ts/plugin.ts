// The plugin: what it is called, and what it can do. It runs under every host that pluglot knows.
import { definePlugin, fail } from 'pluglot/sdk';

export const plugin = definePlugin({
  name: 'plugin-name',
  version: '0.1.0',
  description: 'Greets people.',
  tools: {
    greet: {
      description: 'Greets somebody by name.',
      input: {
        type: 'object',
        properties: { name: { type: 'string', description: 'Who is greeted' } },
        required: ['name'],
      },
      hints: { readOnly: true },
      handler({ name }, context) {
        if (name.trim() === '') fail({ message: 'Nobody has an empty name.', suggestions: ['Give a name.'] });
        context.log('info', `greeting ${name}`);
        return `Hello, ${name}!`;
      },
    },
  },
});
