// Why something that was found is not to be used, in words for whoever wants it.
import { PluglotError } from '../../base/error.ts';
import { sentences } from '../../base/sentence.ts';
import type { Found } from './discover.ts';

/** @param what who is refused, to begin a sentence with */
export function refusalOf(
  what: string,
  { trust, disabled }: Pick<Found, 'trust' | 'disabled'>,
): PluglotError | undefined {
  if (disabled !== undefined) return new PluglotError('UNKNOWN_PLUGIN', disabledWords(what, disabled));
  if (trust.trusted) return undefined;
  return new PluglotError('NOT_TRUSTED', `${what} may not be run: ${sentences(trust.reason, trust.wayOut)}`);
}

export function disabledWords(what: string, { file, line }: NonNullable<Found['disabled']>): string {
  const place = [file, line].filter((part) => part !== undefined).join(':');
  return `${what} is disabled in ${place}. Take "disabled" away there to use it.`;
}
