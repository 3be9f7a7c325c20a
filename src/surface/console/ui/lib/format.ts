// Numbers and times as short text.

/** `0.34 ms`, `3.2 ms`, `850 ms`, `1.2 s`, `4 min`, `3 h`, `2 d`. */
export function shortDuration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms) || ms < 0) return '–';
  if (ms < 0.005) return '<1 ms';
  if (ms < 1) return `${Number(ms.toFixed(2))} ms`;
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 60_000) return `${Math.floor(ms / 1000)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)} h`;
  return `${Math.floor(ms / 86_400_000)} d`;
}

/** 0 means that nothing was measured. */
export function shortLatency(ms: number): string {
  return ms === 0 ? '–' : shortDuration(ms);
}

/** `4 min 12 s`: two units, for a running clock. */
export function longDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  if (minutes > 0) return `${minutes} min ${seconds % 60} s`;
  return `${seconds} s`;
}

/** `12:04:09.123`, in local time. */
export function clockTime(at: number, withMilliseconds = true): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '–';
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => padded(part, 2))
    .join(':');
  return withMilliseconds ? `${time}.${padded(date.getMilliseconds(), 3)}` : time;
}

/** `2026-11-17 12:04:09`. */
export function dayAndTime(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '–';
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => padded(part, 2))
    .join('-');
  return `${day} ${clockTime(at, false)}`;
}

/** `312 B`, `4.1 kB`, `2.0 MB`. */
export function shortSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** `1 234 567`, with thin spaces. */
export function grouped(count: number): string {
  return String(Math.round(count)).replaceAll(/\B(?=(\d{3})+$)/g, '\u{202f}');
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** `3`, `2.5`, `0.07`. */
export function shortNumber(value: number): string {
  const [whole = '', rest] = String(Number(value.toFixed(Math.abs(value) < 1 ? 3 : 2))).split('.');
  const isNegative = whole.startsWith('-');
  const digits = grouped(Number(isNegative ? whole.slice(1) : whole));
  return `${isNegative ? '-' : ''}${digits}${rest === undefined ? '' : `.${rest}`}`;
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

export interface CallProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** A report without a total keeps the total of the report before it. */
export function nextProgress(before: CallProgress | undefined, next: CallProgress): CallProgress {
  const total = next.total ?? before?.total;
  return total === undefined ? next : { ...next, total };
}

/** `part` is from 0 to 1, or undefined where the total is not known. */
export function progressText({ progress, total }: CallProgress): { text: string; part?: number } {
  if (total === undefined || !(total > 0) || !Number.isFinite(progress / total))
    return { text: shortNumber(progress) };
  const part = Math.min(1, Math.max(0, progress / total));
  const isShare = total === 1 || total === 100;
  return {
    text: isShare ? `${Math.floor(part * 100)} %` : `${shortNumber(progress)} of ${shortNumber(total)}`,
    part,
  };
}
