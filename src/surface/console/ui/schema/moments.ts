// Dates and times between what a schema wants (RFC 3339) and what the pickers of browsers give: the time of the reader's own place.

export type MomentFormat = 'date' | 'date-time' | 'time';

export const pickers: Readonly<Record<MomentFormat, string>> = {
  date: 'date',
  'date-time': 'datetime-local',
  time: 'time',
};

export function isMoment(format: string): format is MomentFormat {
  return Object.hasOwn(pickers, format);
}

/** Undefined where no picker can show it: then it is typed. */
export function picked(format: MomentFormat, value: string): string | undefined {
  switch (format) {
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined;
    case 'time':
      return /^(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)Z?$/i.exec(value)?.[1];
    case 'date-time':
      return localTime(value);
  }
}

/** As it is sent. */
export function momentOf(format: MomentFormat, text: string): string | undefined {
  if (text === '') return undefined;
  switch (format) {
    case 'date':
      return text;
    case 'time':
      return `${text.length === 5 ? `${text}:00` : text}Z`;
    case 'date-time': {
      const date = new Date(text);
      return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace('.000Z', 'Z');
    }
  }
}

function localTime(value: string): string | undefined {
  const date = new Date(value);
  if (!/^\d{4}-\d\d-\d\dT/i.test(value) || Number.isNaN(date.getTime())) return undefined;
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const seconds = date.getSeconds();
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}${seconds === 0 ? '' : `:${two(seconds)}`}`;
}
