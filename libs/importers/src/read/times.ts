const SECONDS = /^\d{9,10}(?:\.\d+)?$/;
const MILLISECONDS = /^\d{12,13}$/;
// `2024-01-02 15:04:05.123 +0000 UTC`, as Go prints it
const WITH_BLANKS =
  /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,9})?)(?: ?([-+]\d\d):?(\d\d)| ?(?:UTC|Z))?(?: \S+)?$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
// `Thu, 13 Oct 2011 18:02:00 UTC` (RFC 2822)
const RFC_2822 =
  /^(?:[A-Za-z]{3}, )?\d{1,2} [A-Za-z]{3} \d{4} \d\d:\d\d(?::\d\d)? (?:[-+]\d{4}|GMT|UTC|UT|Z)$/;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:?\d\d)$/;
const EARLIEST = Date.UTC(1990, 0, 1);

/**
 * A time in one of the forms that services export: RFC 3339, RFC 2822, seconds or milliseconds since 1970, a day, or a
 * time with blanks, which is UTC when it names no zone.
 * @returns undefined for anything else, and for a time before 1990 or after now
 */
export function timeOf(given: unknown, now: Date): Date | undefined {
  const time = readTime(
    typeof given === 'number' ? String(given) : typeof given === 'string' ? given.trim() : '',
  );
  return Number.isNaN(time) || time < EARLIEST || time > now.getTime() ? undefined : new Date(time);
}

function readTime(text: string): number {
  if (SECONDS.test(text)) return Number(text) * 1_000;
  if (MILLISECONDS.test(text)) return Number(text);
  if (RFC_3339.test(text)) return Date.parse(text.replace(/([-+]\d\d)(\d\d)$/, '$1:$2'));
  if (RFC_2822.test(text)) return Date.parse(text.replace(/ (?:UTC|UT|Z)$/, ' GMT'));
  if (DAY.test(text)) return Date.parse(`${text}T00:00:00Z`);
  const [, day, clock = '', hours, minutes] = WITH_BLANKS.exec(text) ?? [];
  if (day === undefined) return Number.NaN;
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  return Date.parse(`${day}T${clock.slice(0, 12)}${zone}`);
}
