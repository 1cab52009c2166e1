import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKeys } from '@postmesh/secrets';
import { isTarget } from './link-urls.rules.js';

/** The pixel of one message. */
export interface OpenLink {
  readonly kind: 'open';
  readonly messageId: string;
}

/** A link in the HTML of one message. */
export interface ClickLink {
  readonly kind: 'click';
  readonly messageId: string;
  /** which link of the message, from 0 */
  readonly index: number;
  /** where it leads, entities decoded */
  readonly url: string;
}

/** Outlives the record of its message, so it carries the address to suppress and its domain. */
export interface UnsubscribeLink {
  readonly kind: 'unsubscribe';
  readonly messageId: string;
  readonly accountId: string;
  /** the sending domain */
  readonly domain: string;
  readonly recipient: string;
  /** of a sandbox message: using it suppresses no address */
  readonly sandbox?: true;
}

/** The link of a campaign message (spec 3-marketing §7.4); tied to campaign and contact, and never expires. */
export interface CampaignUnsubscribeLink {
  readonly kind: 'campaign-unsubscribe';
  readonly messageId: string;
  readonly accountId: string;
  readonly campaignId: string;
  readonly contactId: string;
}

/** The link of a campaign test: its page says so, and it does nothing (spec 3-marketing §3.2). */
export interface TestUnsubscribeLink {
  readonly kind: 'test-unsubscribe';
  readonly messageId: string;
}

/** The web copy of the message of one recipient (spec 3-marketing §5.4). */
interface ViewLink {
  readonly kind: 'view';
  readonly messageId: string;
}

/** The hosted page of a sign-up form. */
interface FormLink {
  readonly kind: 'form';
  readonly formId: string;
  readonly accountId: string;
}

/** The link of a confirmation mail, which only the reader of the mailbox has. */
export interface ConfirmLink {
  readonly kind: 'confirm';
  readonly signUpId: string;
  readonly accountId: string;
}

/** The preference centre of a contact, in mail of no campaign. */
interface PreferencesLink {
  readonly kind: 'preferences';
  readonly contactId: string;
  readonly accountId: string;
}

/** The links of messages: their token names the message. */
type MessageLink =
  OpenLink | ClickLink | UnsubscribeLink | CampaignUnsubscribeLink | TestUnsubscribeLink | ViewLink;

export type PublicLink = MessageLink | FormLink | ConfirmLink | PreferencesLink;

const SIGNATURE_BYTES = 16;
const ID_BYTES = 16;
/** signature, kind, message */
const HEAD_BYTES = SIGNATURE_BYTES + 1 + ID_BYTES;
const MAX_TOKEN_LENGTH = 6_000;
const MAX_INDEX = 0xffff;

const KINDS = {
  open: 1,
  click: 2,
  unsubscribe: 3,
  sandboxUnsubscribe: 4,
  'campaign-unsubscribe': 5,
  'test-unsubscribe': 6,
  view: 7,
  form: 8,
  confirm: 9,
  preferences: 10,
} as const;

/**
 * Tokens in public links: the action of the link, signed, in base64url. HMAC-SHA-256 cut to 128 bits (RFC 2104 §5)
 * under a key that is derived from POSTMESH_SECRET_KEYS for this purpose: the first key signs, every key verifies,
 * so that links in mail that was sent before a rotation keep working.
 *
 * `signature (16 bytes) | kind (1) | id of the message, form, sign-up or contact (16) | the fields of the kind`
 */
export class LinkTokens {
  private readonly keys: readonly Buffer[];

  /** @throws Error when there is no key */
  constructor(secretKeys: readonly string[]) {
    if (secretKeys.length === 0) throw new Error('POSTMESH_SECRET_KEYS is empty');
    this.keys = deriveKeys(secretKeys, 'postmesh public links');
  }

  /**
   * @throws RangeError for a link that no token can hold: another kind of URL, a name beyond 255 bytes, an index
   *   beyond 65,535
   */
  sign(link: PublicLink): string {
    const body = Buffer.concat([Buffer.from([kindOf(link)]), idBytes(subjectOf(link)), ...detailsOf(link)]);
    return Buffer.concat([signature(this.keys[0] as Buffer, body), body]).toString('base64url');
  }

  /** @returns undefined for any input that none of the keys has signed */
  read(token: string): PublicLink | undefined {
    if (token.length > MAX_TOKEN_LENGTH) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    // each link has one spelling: decoding ignores characters that are not base64url
    if (bytes.length < HEAD_BYTES || bytes.toString('base64url') !== token) return undefined;
    const body = bytes.subarray(SIGNATURE_BYTES);
    const given = bytes.subarray(0, SIGNATURE_BYTES);
    return this.keys.some((key) => timingSafeEqual(signature(key, body), given)) ? readBody(body) : undefined;
  }
}

const signature = (key: Buffer, body: Buffer): Buffer =>
  createHmac('sha256', key).update(body).digest().subarray(0, SIGNATURE_BYTES);

const kindOf = (link: PublicLink): number =>
  link.kind === 'unsubscribe' && link.sandbox ? KINDS.sandboxUnsubscribe : KINDS[link.kind];

function subjectOf(link: PublicLink): string {
  switch (link.kind) {
    case 'form':
      return link.formId;
    case 'confirm':
      return link.signUpId;
    case 'preferences':
      return link.contactId;
    default:
      return link.messageId;
  }
}

function detailsOf(link: PublicLink): Buffer[] {
  switch (link.kind) {
    case 'open':
    case 'test-unsubscribe':
    case 'view':
      return [];
    case 'form':
    case 'confirm':
    case 'preferences':
      return [idBytes(link.accountId)];
    case 'campaign-unsubscribe':
      return [idBytes(link.accountId), idBytes(link.campaignId), idBytes(link.contactId)];
    case 'click':
      if (link.index > MAX_INDEX || !isTarget(link.url)) throw new RangeError('no link that can be tracked');
      return [Buffer.from([link.index >> 8, link.index & 0xff]), Buffer.from(link.url)];
    case 'unsubscribe': {
      const domain = Buffer.from(link.domain);
      if (domain.length > 255) throw new RangeError('no domain');
      return [idBytes(link.accountId), Buffer.from([domain.length]), domain, Buffer.from(link.recipient)];
    }
  }
}

/** Parses a signed body, which has the form that `sign` gave it. */
function readBody(body: Buffer): PublicLink | undefined {
  const messageId = idOf(body, 1);
  const rest = body.subarray(1 + ID_BYTES);
  switch (body[0]) {
    case KINDS.open:
      return { kind: 'open', messageId };
    case KINDS.click: {
      const url = rest.toString('utf8', 2);
      // only web addresses are redirected to, even when another one was signed
      return isTarget(url) ? { kind: 'click', messageId, index: rest.readUInt16BE(0), url } : undefined;
    }
    case KINDS.unsubscribe:
      return { kind: 'unsubscribe', messageId, ...subscriptionOf(rest) };
    case KINDS.sandboxUnsubscribe:
      return { kind: 'unsubscribe', messageId, ...subscriptionOf(rest), sandbox: true };
    case KINDS['campaign-unsubscribe']: {
      const [accountId, campaignId, contactId] = [0, 1, 2].map((nth) => idOf(rest, nth * ID_BYTES));
      return { kind: 'campaign-unsubscribe', messageId, accountId, campaignId, contactId } as PublicLink;
    }
    case KINDS['test-unsubscribe']:
      return { kind: 'test-unsubscribe', messageId };
    case KINDS.view:
      return { kind: 'view', messageId };
    case KINDS.form:
      return { kind: 'form', formId: messageId, accountId: idOf(rest, 0) };
    case KINDS.confirm:
      return { kind: 'confirm', signUpId: messageId, accountId: idOf(rest, 0) };
    case KINDS.preferences:
      return { kind: 'preferences', contactId: messageId, accountId: idOf(rest, 0) };
    default:
      return undefined;
  }
}

function subscriptionOf(bytes: Buffer): Pick<UnsubscribeLink, 'accountId' | 'domain' | 'recipient'> {
  const domainEnd = ID_BYTES + 1 + (bytes[ID_BYTES] ?? 0);
  const domain = bytes.toString('utf8', ID_BYTES + 1, domainEnd);
  return { accountId: idOf(bytes, 0), domain, recipient: bytes.toString('utf8', domainEnd) };
}

function idBytes(id: string): Buffer {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  if (bytes.length !== ID_BYTES) throw new RangeError('no UUID');
  return bytes;
}

function idOf(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + ID_BYTES);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
