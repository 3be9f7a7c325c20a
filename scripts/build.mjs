// `npm run build`: dist from src, installing first when needed.
import { CommandFailed } from './stage.mjs';
import { prepare } from './prepare.mjs';

try {
  await prepare();
} catch (error) {
  if (!(error instanceof CommandFailed)) throw error;
  process.exitCode = 1;
}
