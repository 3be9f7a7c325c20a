// Sources to choose among, with something in them that a terminal would obey.
import type { SelectionRequest } from '../../../src/plugins/references/selection.ts';

export const request: SelectionRequest = {
  request_id: 'r-1',
  timestamp: '2026-01-01T00:00:00.000Z',
  context: 'for the \u001B[2Jlogin',
  sources: [
    { id: 'api', name: 'API', description: 'The API\nof ours', type: 'local', tags: ['rest', 'http'] },
    { id: 'auth', name: 'Auth', description: '', type: 'mcp', tags: [] },
    { id: 'style', name: 'Style', description: 'How we write', type: 'url', tags: ['style'] },
  ],
};
/** It is never aborted. */
export const forever = new AbortController().signal;
