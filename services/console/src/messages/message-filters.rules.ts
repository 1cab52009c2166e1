/** Filters of the list of messages: in the address of the page, and in the words of the API but for the period. */
export interface MessageFilters {
  status?: string;
  recipient?: string;
  sender?: string;
  subject?: string;
  tags?: string;
  /** part of an address */
  address?: string;
  /** `sends`, `campaigns` or `inbound` */
  kind?: string;
  /** hours back from now */
  hours?: string;
}

export const FILTERS = [
  'status',
  'recipient',
  'sender',
  'subject',
  'tags',
  'address',
  'kind',
  'hours',
] as const;

export function readMessageFilters(given: Record<string, unknown>): MessageFilters {
  const found = FILTERS.flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as const] : [];
  });
  return Object.fromEntries(found);
}

/** The parameters of the API for these filters. */
export function queryOf({ hours, ...filters }: MessageFilters, now: number): Record<string, string> {
  const back = Number(hours);
  if (!(back > 0)) return filters;
  // to the minute, so that a page that is read again asks the same
  const from = Math.floor((now - back * 3_600_000) / 60_000) * 60_000;
  return { ...filters, from_time: new Date(from).toISOString() };
}

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

/** `tag:welcome`, `from:shop@mail.test` */
const NAMED = [
  [/^tag:\s*(\S.*)$/i, 'tags'],
  [/^from:\s*(\S+)$/i, 'sender'],
] as const;

/** One box: an address is a recipient, a part of one has an `@`, a tag and a sender are named, anything else is a part of the subject. */
export function filterOfText(given: string): MessageFilters {
  const text = given.trim();
  for (const [pattern, name] of NAMED) {
    const value = pattern.exec(text)?.[1];
    if (value !== undefined) return { [name]: value };
  }
  if (ADDRESS.test(text)) return { recipient: text };
  return text.includes('@') && !/\s/.test(text) ? { address: text } : { subject: text };
}
