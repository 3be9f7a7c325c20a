// How the two ends of the demonstration say that a call is given up.
import type { CancelProtocol } from '../../../channel/peer/options.ts';

export const cancelWords: CancelProtocol = {
  method: '$/cancel',
  notification: (id) => ({ method: '$/cancel', params: { id } }),
  idIn(params) {
    if (typeof params !== 'object' || params === null || !('id' in params)) return undefined;
    return typeof params.id === 'number' ? params.id : undefined;
  },
};
