import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { MessageStorage } from '../messages/message-storage.js';
import type { ReceivedMessage } from '../messages/message.rules.js';
import type { Verifier } from '../messages/verifier.js';
import type { LateReports, SentReport } from '../reports/late-reports.js';
import { HttpError, parseOrThrow } from './http-error.js';
import { hasRemoteImages, htmlDocument, htmlPolicy, viewMessage, type MessageView } from './message-view.js';
import { mailboxPage } from './page.js';

// A verdict takes milliseconds; this long only when the records cannot be read. Then it is `pending`.
const MAX_WAIT_SECONDS = 15;
const DETAIL_WAIT_MS = 5_000;
const MAX_LISTED = 10_000;
const DEFAULT_LISTED = 100;
const SANDBOX = "sandbox; default-src 'none'";

const part = z.string().max(998).toLowerCase().optional();
const wholeNumber = (name: string, min: number, max: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, `${name} must be a whole number`)
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .default(fallback);

const ListQuery = z.object({
  to: part,
  from: part,
  subject: part,
  q: part,
  limit: wholeNumber('limit', 1, MAX_LISTED, DEFAULT_LISTED),
  wait: wholeNumber('wait', 0, MAX_WAIT_SECONDS, MAX_WAIT_SECONDS),
});

interface MessageRoute {
  Params: { id: string; index: string };
  Querystring: { images?: string };
}

export interface MessageParts {
  storage: MessageStorage;
  verifier: Verifier;
  reports: LateReports;
  /** of the console, without a trailing slash; left out: there is none */
  consoleUrl?: string | undefined;
}

/** The web mailbox and `/api/messages`, which it and tests read. */
export function addMessageRoutes(app: FastifyInstance, parts: MessageParts): void {
  const { storage, verifier } = parts;
  // Revisions count from the start of this process; the tag must not match one of an earlier process.
  const start = randomBytes(6).toString('hex');
  const page = mailboxPage(parts.consoleUrl ?? '');

  app.get('/', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', page.policy).send(page.html),
  );

  app.get('/api/stats', async () => ({ ...storage.counts(), pending_verdicts: storage.unverified().length }));

  app.get('/api/messages', async ({ query, headers }, reply) => {
    const { q, limit, wait, ...parts } = parseOrThrow(ListQuery, query);
    const tag = `"${start}-${storage.revision}"`;
    reply.headers({ etag: tag, 'cache-control': 'no-cache' });
    if (headers['if-none-match'] === tag) return reply.code(304).send();
    const messages = storage.find({ ...parts, any: q }, limit);
    const ids = messages.map(({ id }) => id);
    await verifier.settled(ids, wait * 1000);
    // Messages that were removed meanwhile are still listed: they existed when the request arrived.
    return { messages: messages.map(listedMessage) };
  });

  app.delete('/api/messages', async (_request, reply) => {
    await storage.clear();
    return reply.code(204).send();
  });

  addContentRoutes(app, parts);
}

/** `/api/messages/<id>`: one message, parsed and as it was received. */
function addContentRoutes(app: FastifyInstance, { storage, verifier, reports }: MessageParts): void {
  const rawOf = async (id: string): Promise<Buffer> => {
    const raw = await storage.raw(id);
    if (raw === undefined) throw new HttpError(404, 'message not found');
    return raw;
  };

  app.get<MessageRoute>('/api/messages/:id', async ({ params: { id } }) => {
    const view = viewMessage(await rawOf(id));
    await verifier.settled([id], DETAIL_WAIT_MS);
    const message = storage.get(id);
    if (message === undefined) throw new HttpError(404, 'message not found');
    return messageDetail(message, view, reports.of(id));
  });

  app.get<MessageRoute>('/api/messages/:id/raw', async ({ params: { id } }, reply) => {
    const raw = await rawOf(id);
    reply.headers({
      'content-type': 'message/rfc822',
      'content-disposition': `attachment; filename="${id}.eml"`,
      'content-security-policy': SANDBOX,
    });
    return reply.send(raw);
  });

  app.get<MessageRoute>('/api/messages/:id/html', async ({ params, query }, reply) => {
    const { html, inline } = viewMessage(await rawOf(params.id));
    if (html === undefined) throw new HttpError(404, 'this message has no HTML part');
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': htmlPolicy(query.images === '1'),
    });
    return reply.send(htmlDocument(html, inline));
  });

  app.get<MessageRoute>('/api/messages/:id/attachments/:index', async ({ params }, reply) => {
    const { attachments } = viewMessage(await rawOf(params.id));
    const attachment = attachments[Number(params.index)];
    if (attachment === undefined) throw new HttpError(404, 'attachment not found');
    reply.headers({
      // Only as a download: an attachment may be a web page.
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeFileName(attachment.name)}`,
      'content-security-policy': SANDBOX,
    });
    return reply.send(attachment.content);
  });
}

/** A message in the form of the list. */
function listedMessage(message: ReceivedMessage): object {
  const { spf = 'pending', dkim = 'pending', dmarc = 'pending' } = message.verdict ?? {};
  return {
    id: message.id,
    received_at: message.receivedAt,
    envelope_from: message.envelopeFrom,
    to: message.to,
    from: message.from,
    subject: message.subject,
    auth: { spf, dkim, dmarc },
    tls: message.tls,
    size: message.size,
  };
}

function messageDetail(message: ReceivedMessage, view: MessageView, reports: readonly SentReport[]): object {
  return {
    ...listedMessage(message),
    helo: message.helo,
    remote_address: message.remoteAddress,
    auth_details: message.verdict?.details ?? null,
    /** later reports of the receiver */
    reports,
    headers: view.headers,
    text: view.text,
    has_html: view.html !== undefined,
    has_remote_images: hasRemoteImages(view.html ?? ''),
    attachments: view.attachments.map(({ name, contentType, content }, index) => ({
      index,
      name,
      content_type: contentType,
      size: content.length,
    })),
  };
}

/** RFC 8187: characters that encodeURIComponent keeps and a header parameter must not hold. */
function encodeFileName(name: string): string {
  const wellFormed = name.replace(/[\ud800-\udfff]/gu, '_').replace(/[/\\\p{Cc}]/gu, '_');
  return encodeURIComponent(wellFormed).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
}
