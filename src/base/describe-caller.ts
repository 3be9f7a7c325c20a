// Who calls, in words: at the terminal and in the browser alike.

interface DescribedCaller {
  readonly kind: string;
  readonly name?: string;
  readonly access?: string;
  readonly profile?: string;
}

/** How it came in, for people: `token laptop, profile reader`. Undefined where the host knows nothing of that. */
export function accessOf({ access, profile }: DescribedCaller): string | undefined {
  const parts = [
    ...(access === undefined ? [] : [`token ${access}`]),
    ...(profile === undefined ? [] : [`profile ${profile}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** In a few words: `client claude (token laptop)`. */
export function describeCaller(caller: DescribedCaller): string {
  const { kind, name } = caller;
  const access = accessOf(caller);
  const who = name === undefined || name === kind ? kind : `${kind} ${name}`;
  return access === undefined ? who : `${who} (${access})`;
}
