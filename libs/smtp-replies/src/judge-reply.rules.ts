import { fitsCode, classOfCodes, isTemporary, isVague } from './enhanced-codes.rules.js';
import { REPLY_TABLE } from './replies.table.js';
import { REPLY_KINDS, suppressionOf } from './reply-kinds.table.js';
import type { ReplyRow, ReplyTable } from './reply-rows.schema.js';
import type { BounceClass, ReplyKind, ReplyText, ReplyVerdict } from './reply.js';

/** Facts about a reply in addition to its text. */
export interface AboutReply {
  /** provider of the host that replied, by the id in the provider table */
  provider?: string | undefined;
  /** it came through a relay: the author of the text is unknown, and trouble of servers is the relay's, so ours */
  relayed?: boolean | undefined;
  /** no server at all replied to us recently: the missing reply may be our own trouble */
  offline?: boolean | undefined;
}

/** The rest is not read: patterns take time by the length of the text. */
const MAX_TEXT_CHARS = 1_000;

/**
 * The meaning of a reply (spec 2-messages §15.2): the first row that applies decides, steps in the order of the table.
 * @returns the same for the same reply, for any text; in time linear in its length
 */
export function judgeReply(reply: ReplyText, about: AboutReply = {}, table = REPLY_TABLE): ReplyVerdict {
  const text = { ...reply, response: reply.response.slice(0, MAX_TEXT_CHARS) };
  const row = findRow(text, about, table);
  const temporary = isTemporary(text);
  const kind = aboutUs(row.kind, text) ?? kindOf(row, text, about);
  const shaping = row.shape !== undefined && (temporary || row.shapesOnly === undefined);
  return {
    class: (kind === row.kind ? row.class : undefined) ?? classOf(kind, text),
    kind,
    rule: row.id,
    suppresses: suppressionOf(kind, temporary),
    ...(shaping ? { shape: row.shape } : {}),
  };
}

function findRow(reply: ReplyText, about: AboutReply, table: ReplyTable): ReplyRow {
  const found = steps(reply, about, table)
    .flat()
    .find((row) => applies(row, reply));
  // the schema requires a last row without a condition
  if (!found) throw new Error('the table of replies has no last row');
  return found;
}

function steps(reply: ReplyText, { provider, relayed }: AboutReply, table: ReplyTable): ReplyRow[][] {
  if (reply.smtpCode === 0) return [table.own];
  const named = provider !== undefined && relayed !== true;
  const ofProvider = named ? table.provider.filter((row) => row.provider?.includes(provider)) : [];
  return [ofProvider, table.sure, table.codes, ...(isVague(reply) ? [table.vague] : []), table.rest];
}

function applies({ codes, enhanced, unless, only, says }: ReplyRow, reply: ReplyText): boolean {
  if (only !== undefined && (only === 'temporary') !== isTemporary(reply)) return false;
  if (codes !== undefined && !codes.includes(reply.smtpCode)) return false;
  const code = reply.enhancedStatusCode;
  if (enhanced !== undefined) {
    if (code === undefined || !enhanced.some((wanted) => fitsCode(code, wanted))) return false;
  }
  if (code !== undefined && unless?.some((other) => fitsCode(code, other)) === true) return false;
  return says === undefined || says.test(reply.response);
}

/** Commands before any recipient is named (RFC 5321 §3.3), and the subjects of a rejection of them. */
const BEFORE_RECIPIENTS: ReadonlyMap<string, ReplyKind> = new Map([
  ['CONNECT', 'policy'],
  ['EHLO', 'policy'],
  ['HELO', 'policy'],
  ['STARTTLS', 'policy'],
  ['AUTH', 'policy'],
  ['MAIL FROM', 'sender'],
]);
const ABOUT_RECIPIENT: ReadonlySet<ReplyKind> = new Set<ReplyKind>(['mailbox', 'inactive', 'domain']);

/** @returns undefined where the reply may be about the recipient, or is about neither */
function aboutUs(kind: ReplyKind, reply: ReplyText): ReplyKind | undefined {
  if (reply.smtpCode === 0) return undefined;
  const refused = ABOUT_RECIPIENT.has(kind) || (kind === 'other' && !isTemporary(reply));
  if (!refused) return undefined;
  return (
    BEFORE_RECIPIENTS.get(reply.command ?? '') ?? (namesSenderAlone(reply.response) ? 'sender' : undefined)
  );
}

// Spec 2-messages §14.3: the envelope sender, of which no recipient has the form.
const ENVELOPE_SENDER = /^b\+[a-z2-7]{42}@$/i;
const LOCAL_PART = /[^\s<>()[\]"',:;@]{1,100}@/g;

/** Whether the only addresses in a text are envelope senders of ours: whatever is wrong with them, it is not the recipient. */
function namesSenderAlone(response: string): boolean {
  const named = response.match(LOCAL_PART) ?? [];
  return named.length > 0 && named.every((local) => ENVELOPE_SENDER.test(local));
}

/** Trouble of servers or of the way to them is ours if a relay is in between, or if no server replies to us. */
function kindOf(row: ReplyRow, reply: ReplyText, about: AboutReply): ReplyKind {
  if (row.kind !== 'infra') return row.kind;
  const ours = about.relayed === true || (about.offline === true && reply.smtpCode === 0);
  return ours ? 'own' : 'infra';
}

/** By its codes, as the contract requires, unless the deciding text means something else. */
function classOf(kind: ReplyKind, reply: ReplyText): BounceClass {
  const { temporary, permanent, fits } = REPLY_KINDS[kind];
  const byKind = isTemporary(reply) ? temporary : permanent;
  const byCodes = classOfCodes(reply);
  return fits.includes(byCodes) ? byCodes : byKind;
}
