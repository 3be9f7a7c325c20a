// Never answers extractor.extract, and goes on answering all else.
import { serve, silence } from '../../support/dialect/yams/plain-yams.mjs';

await serve({ 'extractor.extract': () => silence });
