import { decodeHTMLAttribute } from 'entities';
import { scanTags, type Attribute, type StartTag } from './html-tags.rules.js';
import type { LinkTokens } from './link-tokens.js';
import { isTarget } from './link-urls.rules.js';

export interface TrackingOptions {
  messageId: string;
  /** insert the pixel */
  open: boolean;
  /** rewrite links */
  click: boolean;
  /** number of the first link; 0 when left out */
  firstLink?: number;
  /** links beyond this number stay unchanged; default MAX_TRACKED_LINKS */
  maxLinks?: number;
  /** of `publicBaseUrl` */
  baseUrl: string;
  tokens: LinkTokens;
  /** links of Postmesh itself (unsubscribing, reading in a browser), which stay unchanged */
  isOwn: (url: string) => boolean;
}

/** A replaced piece of the HTML. */
interface Edit {
  from: number;
  to: number;
  text: string;
}

const NOT_TRACKED = 'data-as-no-track';

/** Links of a message. Signing takes 25 microseconds per link and recipient; real designs have fewer. */
export const MAX_TRACKED_LINKS = 5_000;
// Tokens count links with 16 bits.
const MAX_INDEX = 65_535;

/**
 * Inserts the pixel and the redirects of one message into its HTML (spec 2-messages §11 rules 3 and 4); everything
 * else stays as it is, byte for byte. The time is linear in the length for any HTML.
 */
export function trackHtml(html: string, options: TrackingOptions): string {
  const edits: Edit[] = [];
  let bodyEnd = html.length;
  let links = options.firstLink ?? 0;
  const end = Math.min(links + (options.maxLinks ?? MAX_TRACKED_LINKS), MAX_INDEX + 1);
  scanTags(html, {
    element: 'a',
    attributes: ['href', NOT_TRACKED],
    start(tag) {
      if (!options.click) return;
      const optOuts = tag.attributes.filter(({ name }) => name === NOT_TRACKED);
      for (const attribute of optOuts) edits.push(removal(html, attribute));
      if (optOuts.length > 0 || links >= end) return;
      const href = trackedHref(html, tag, options);
      if (!href) return;
      const token = options.tokens.sign({
        kind: 'click',
        messageId: options.messageId,
        index: links,
        url: href.url,
      });
      links += 1;
      edits.push({ from: href.from, to: href.to, text: `${options.baseUrl}/c/${token}` });
    },
    end(name, at) {
      if (name === 'body') bodyEnd = at;
    },
  });
  if (options.open) edits.push({ from: bodyEnd, to: bodyEnd, text: pixel(options) });
  return applied(html, edits);
}

/** The target of a link to track, and its range. */
function trackedHref(
  html: string,
  { attributes }: StartTag,
  { isOwn }: TrackingOptions,
): { from: number; to: number; url: string } | undefined {
  // the first of duplicate attributes counts
  const href = attributes.find(({ name }) => name === 'href');
  if (!href?.quoted || href.spaced) return undefined;
  const { valueStart: from, valueEnd: to } = href;
  const url = decodeHTMLAttribute(html.slice(from, to));
  return isTarget(url) && !isOwn(url) ? { from, to, url } : undefined;
}

/** Removes the space before an attribute, too, unless it separates two others. */
function removal(html: string, { start, end }: Attribute): Edit {
  const parted = /[\s/>]/.test(html.charAt(end));
  const from = parted && /\s/.test(html.charAt(start - 1)) ? start - 1 : start;
  return { from, to: end, text: '' };
}

function pixel({ baseUrl, tokens, messageId }: TrackingOptions): string {
  const source = `${baseUrl}/o/${tokens.sign({ kind: 'open', messageId })}`;
  return `<img src="${source}" alt="" width="1" height="1" style="border:0;width:1px;height:1px" />`;
}

function applied(html: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { from, to, text } of edits.toSorted((one, other) => one.from - other.from)) {
    pieces.push(html.slice(at, from), text);
    at = to;
  }
  pieces.push(html.slice(at));
  return pieces.join('');
}
