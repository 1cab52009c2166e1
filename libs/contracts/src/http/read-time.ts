// RFC 3339 §5.6: `T` and `Z` in either case, a fraction of any length, an offset of up to 23:59.
const FORM = /^(\d{4})-(\d\d)-(\d\d)t(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:z|([+-])(\d\d):(\d\d))$/i;
const MINUTE_MS = 60_000;

/**
 * A time in the form of RFC 3339, to the millisecond: clients may write nanoseconds. A leap second (RFC 3339 §5.7) is the
 * end of the last day of a month in UTC, and is read as the first second of the next day.
 * @returns undefined for any other text, also for a day that its month does not have
 */
export function readTime(text: string): Date | undefined {
  const found = FORM.exec(text);
  if (!found) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number);
  const [offsetHour = 0, offsetMinute = 0] = found.slice(9).map((digits) => Number(digits ?? 0));
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const time = new Date(0);
  // not Date.UTC, which reads the years 0 to 99 as 1900 to 1999
  time.setUTCFullYear(year, month - 1, day);
  if (time.getUTCMonth() !== month - 1 || time.getUTCDate() !== day) return undefined;
  time.setUTCHours(hour, minute, second, Number(`${found[7] ?? ''}000`.slice(0, 3)));
  const ahead = (offsetHour * 60 + offsetMinute) * MINUTE_MS;
  time.setTime(time.getTime() + (found[8] === '-' ? ahead : -ahead));
  return second < 60 || isFirstSecondOfMonth(time) ? time : undefined;
}

const isFirstSecondOfMonth = (time: Date): boolean =>
  time.getUTCDate() === 1 && time.getUTCHours() + time.getUTCMinutes() + time.getUTCSeconds() === 0;
