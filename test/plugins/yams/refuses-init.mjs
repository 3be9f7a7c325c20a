// Says at setup that it cannot work with its configuration.
import { serve } from '../../support/dialect/yams/plain-yams.mjs';

await serve({ 'plugin.init': () => ({ status: 'error', message: 'depth has to be positive' }) });
