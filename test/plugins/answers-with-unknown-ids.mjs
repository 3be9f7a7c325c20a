// Answers what nobody asked before it answers what somebody did.
import { answer, receive } from '../support/channel/plain-wire.mjs';

await receive(({ id }) => {
  for (const unknown of [-1, 1e9, 'nobody', null, 0.5]) answer(unknown, 'for nobody');
  answer(id, 'works');
});
