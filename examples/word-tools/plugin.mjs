#!/usr/bin/env node
import { definePlugin, serve } from 'pluglot/sdk';

const wordTools = definePlugin({
  name: 'word_tools',
  version: '1.0.0',
  description: 'Small things that people do with words',
  tools: {
    count_words: {
      description: 'Counts the words of a text',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      hints: { readOnly: true },
      handler({ text }) {
        const words = text.split(/\s+/).filter(Boolean);
        return `${words.length} words, ${new Set(words).size} of them different`;
      },
    },
  },
});

serve(wordTools);
