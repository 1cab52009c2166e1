import type { LetterStore } from '../letters/letter-store.js';
import type { VerdictQueue } from '../verdicts/verdict-queue.js';
import { hasRemoteImages, htmlDocument, htmlPolicy } from '../web-mailbox/html-document.rules.js';
import { viewLetter, type LetterView } from '../web-mailbox/letter-view.js';
import { mailboxPage } from '../web-mailbox/page.js';
import { json, Refusal, type Answer } from './answer.js';
import type { Asked, Route } from './http-server.js';
import { listed } from './letters.routes.js';

const VERDICT_WAIT_MS = 5_000;

/** The web mailbox, and what it shows of one letter. */
export function viewRoutes(store: LetterStore, verdicts: VerdictQueue): Route[] {
  const page = mailboxPage();

  const open = async (id: string): Promise<LetterView> => {
    const raw = await store.raw(id);
    if (raw === undefined) throw new Refusal(404, 'message not found');
    return viewLetter(raw);
  };

  const detail = async ({ params: [id = ''] }: Asked): Promise<Answer> => {
    const view = await open(id);
    await verdicts.settled([id], VERDICT_WAIT_MS);
    const letter = store.get(id);
    if (letter === undefined) throw new Refusal(404, 'message not found');
    return json(200, {
      ...listed(letter),
      helo: letter.helo,
      remote_address: letter.remoteAddress,
      auth_details: letter.verdict?.details ?? null,
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
    });
  };

  const html = async ({ url, params: [id = ''] }: Asked): Promise<Answer> => {
    const view = await open(id);
    if (view.html === undefined) throw new Refusal(404, 'this message has no HTML part');
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': htmlPolicy(url.searchParams.get('images') === '1'),
    };
    return { status: 200, headers, body: htmlDocument(view.html, view.inline) };
  };

  const attachment = async ({ params: [id = '', index = ''] }: Asked): Promise<Answer> => {
    const part = (await open(id)).attachments[Number(index)];
    if (part === undefined) throw new Refusal(404, 'attachment not found');
    const headers = {
      // Never shown, only saved: a letter may bring a page along.
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeFileName(part.name)}`,
      'content-security-policy': "sandbox; default-src 'none'",
    };
    return { status: 200, headers, body: part.content };
  };

  return [
    { method: 'GET', path: /^\/$/, answer: () => page },
    { method: 'GET', path: /^\/api\/messages\/([^/]+)$/, answer: detail },
    { method: 'GET', path: /^\/api\/messages\/([^/]+)\/html$/, answer: html },
    { method: 'GET', path: /^\/api\/messages\/([^/]+)\/attachments\/(\d{1,4})$/, answer: attachment },
  ];
}

/** RFC 8187: what encodeURIComponent leaves alone and a header parameter must not hold. */
function encodeFileName(name: string): string {
  const wellFormed = name.replace(/[\ud800-\udfff]/gu, '_').replace(/[/\\\p{Cc}]/gu, '_');
  return encodeURIComponent(wellFormed).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
}
