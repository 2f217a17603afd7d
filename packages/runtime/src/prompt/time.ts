import { nameText } from './quote.ts';

/** Longest text of a time: an offset may have seconds. */
export const TIME_LENGTH = 28;

/** A time as prompts show it: absolute, with offset and zone (P52). Unknown zones are shown in UTC. */
export type TimeText = (at: number) => string;

/** Zone names come from the host; `Intl` takes some 50 µs to make a format, so one is kept for each zone in use. */
export function timeText(zone: string): TimeText {
  if (zone === 'UTC' || zone === 'Etc/UTC') return utc;
  const format = zoneFormat(zone);
  if (format === null) return utc;
  return (at) => (isTime(at) ? zoned(format, at) : 'unknown');
}

/** `2026-03-01T23:30:00-05:00`. */
function zoned(format: Intl.DateTimeFormat, at: number): string {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of format.formatToParts(at)) parts[type] = value;
  const offset = parts.timeZoneName?.slice(3) || '+00:00';
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:${parts.second}${offset}`;
}

function utc(at: number): string {
  return isTime(at) ? `${new Date(at).toISOString().slice(0, -5)}+00:00` : 'unknown';
}

/** Years 1 to 9999. */
function isTime(at: number): boolean {
  return at >= -62_135_596_800_000 && at < 253_402_300_800_000;
}

function zoneFormat(zone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    });
  } catch {
    return null;
  }
}

/** The zone's name beside a time. */
export function zoneText(zone: string): string {
  return nameText(zone, 64);
}
