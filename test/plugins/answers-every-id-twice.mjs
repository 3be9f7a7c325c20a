// Answers every request twice.
import { answer, receive } from '../support/channel/plain-wire.mjs';

await receive(({ id }) => {
  answer(id, 'works');
  answer(id, 'again');
});
