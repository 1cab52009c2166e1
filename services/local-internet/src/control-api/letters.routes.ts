import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { KeptLetter } from '../letters/letter.js';
import type { LetterStore } from '../letters/letter-store.js';
import type { VerdictQueue } from '../verdicts/verdict-queue.js';
import { check, json, Refusal, type Answer } from './answer.js';
import type { Asked, Route } from './http-server.js';

// A verdict takes milliseconds; this long only when the records cannot be read. Then it says `pending`.
const LONGEST_WAIT_SECONDS = 15;
const MOST_LISTED = 10_000;
const USUALLY_LISTED = 100;

const part = z.string().max(998).toLowerCase().optional();
const wholeNumber = (name: string, least: number, most: number, otherwise: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, `${name} must be a whole number`)
    .transform(Number)
    .pipe(z.number().min(least).max(most))
    .default(otherwise);

const ListQuery = z.object({
  to: part,
  from: part,
  subject: part,
  q: part,
  limit: wholeNumber('limit', 1, MOST_LISTED, USUALLY_LISTED),
  wait: wholeNumber('wait', 0, LONGEST_WAIT_SECONDS, LONGEST_WAIT_SECONDS),
});

const PENDING = 'pending';

/** A letter as the list shows it. */
export function listed(letter: KeptLetter): object {
  const { spf = PENDING, dkim = PENDING, dmarc = PENDING } = letter.verdict ?? {};
  return {
    id: letter.id,
    received_at: letter.receivedAt,
    envelope_from: letter.envelopeFrom,
    to: letter.to,
    from: letter.from,
    subject: letter.subject,
    auth: { spf, dkim, dmarc },
    tls: letter.tls,
    size: letter.size,
  };
}

/** `/api/messages`: what tests and the web mailbox read. */
export function letterRoutes(store: LetterStore, verdicts: VerdictQueue): Route[] {
  // Revisions count from the start of this process; the tag must not match one of an earlier process.
  const start = randomBytes(6).toString('hex');

  const list = async ({ request, url }: Asked): Promise<Answer> => {
    const { q, limit, wait, ...parts } = check(ListQuery, Object.fromEntries(url.searchParams));
    const unchanged = `"${start}-${store.revision}"`;
    if (request.headers['if-none-match'] === unchanged)
      return { status: 304, headers: cacheHeaders(unchanged) };
    const letters = store.find({ ...parts, any: q }, limit);
    await verdicts.settled(
      letters.map(({ id }) => id),
      wait * 1000,
    );
    // Letters that were removed meanwhile are still told of: they were there when the question came.
    return json(200, { messages: letters.map(listed) }, cacheHeaders(unchanged));
  };

  const remove = async (): Promise<Answer> => {
    await store.clear();
    return { status: 204 };
  };

  const raw = async ({ params: [id = ''] }: Asked): Promise<Answer> => {
    const body = await store.raw(id);
    if (body === undefined) throw new Refusal(404, 'message not found');
    const headers = {
      'content-type': 'message/rfc822',
      'content-disposition': `attachment; filename="${id}.eml"`,
      'content-security-policy': "sandbox; default-src 'none'",
    };
    return { status: 200, headers, body };
  };

  const stats = (): Answer => json(200, { ...store.counts(), pending_verdicts: verdicts.pending });

  return [
    { method: 'GET', path: /^\/api\/messages$/, answer: list },
    { method: 'DELETE', path: /^\/api\/messages$/, answer: remove },
    { method: 'GET', path: /^\/api\/messages\/([^/]+)\/raw$/, answer: raw },
    { method: 'GET', path: /^\/api\/stats$/, answer: stats },
  ];
}

function cacheHeaders(tag: string): Record<string, string> {
  return { etag: tag, 'cache-control': 'no-cache' };
}
