import { parseEmailAddress } from '@postmesh/mail-format';
import { readFields, ReportFields } from '../mime/header-fields.js';
import { findEnhancedCode } from '../reply-codes.rules.js';
import type { RecipientStatus } from '../report.js';

export interface DeliveryStatus {
  readonly recipients: RecipientStatus[];
  readonly reportingMta?: string | undefined;
  /** of the whole message, and of all recipients together: what forms are recognised by */
  readonly fields: ReportFields;
}

/** RFC 3464 §2.2: fields about the message, whichever group they stand in. */
const OF_MESSAGE = [
  'reporting-mta',
  'arrival-date',
  'original-envelope-id',
  'received-from-mta',
  'dsn-gateway',
];
const MAX_GROUPS = 200;
const MAX_CHARS = 256 * 1024;

/**
 * Reads the content of a message/delivery-status part (RFC 3464 §2.1). Groups are told apart by empty lines, or by a
 * recipient named again where a writer forgot them.
 */
export function readDeliveryStatus(text: string): DeliveryStatus {
  const groups = text
    .slice(0, MAX_CHARS)
    .split(/\r?\n[ \t]{0,20}\r?\n/, MAX_GROUPS + 1)
    .flatMap((block) => splitAtRecipients(readFields(block)));
  const all = new ReportFields(groups.flatMap(({ list }) => list));
  return {
    recipients: groups.map(readRecipient).filter(saysSomething).slice(0, MAX_GROUPS),
    reportingMta: hostOf(all.first('reporting-mta')),
    fields: all,
  };
}

function splitAtRecipients(list: ReportFields['list']): ReportFields[] {
  const groups: ReportFields['list'][number][][] = [[]];
  for (const field of list) {
    const group = groups.at(-1) ?? [];
    const repeated = field.name === 'final-recipient' && group.some(({ name }) => name === field.name);
    if (repeated) groups.push([field]);
    else group.push(field);
  }
  return groups.map((group) => new ReportFields(group));
}

function readRecipient(fields: ReportFields): RecipientStatus {
  return {
    action: readAction(fields.first('action')),
    status: findEnhancedCode(fields.first('status') ?? ''),
    diagnostic: withoutType(fields.first('diagnostic-code')),
    finalRecipient: readAddress(fields.first('final-recipient')),
    originalRecipient: readAddress(fields.first('original-recipient')),
    remoteMta: hostOf(fields.first('remote-mta')),
  };
}

function saysSomething({ action, status, finalRecipient, diagnostic }: RecipientStatus): boolean {
  return (action ?? status ?? diagnostic) !== undefined || finalRecipient !== undefined;
}

const ACTIONS: Readonly<Record<string, RecipientStatus['action']>> = {
  failed: 'failed',
  failure: 'failed',
  expired: 'failed',
  delayed: 'delayed',
  delay: 'delayed',
  delivered: 'delivered',
  deliverable: 'delivered',
  relayed: 'relayed',
  expanded: 'expanded',
};

function readAction(value = ''): RecipientStatus['action'] {
  const [, word = ''] = /^\W{0,5}([a-z]+)/i.exec(value) ?? [];
  return ACTIONS[word.toLowerCase()];
}

/** `smtp; 550 5.1.1 …` → `550 5.1.1 …` */
function withoutType(value: string | undefined): string | undefined {
  const text = value?.replace(/^[\w-]{1,40}\s{0,5};/, '').trim();
  return text === '' ? undefined : text;
}

/** `rfc822; ann@mail.test`, also with xtext (RFC 3461 §4), in angle brackets, or without its type. */
export function readAddress(value: string | undefined): string | undefined {
  const given = withoutType(value)?.slice(0, 500);
  if (given === undefined) return undefined;
  const [, bracketed] = /<([^<>]*)>/.exec(given) ?? [];
  const plain = (bracketed ?? given.split(/\s/)[0] ?? '').replace(/^mailto:/i, '');
  const decoded = plain.replace(/\+([0-9A-F]{2})/g, (all, hex: string) =>
    /^(?:2B|3D)$/.test(hex) ? String.fromCharCode(Number.parseInt(hex, 16)) : all,
  );
  const parsed = parseEmailAddress(decoded);
  return parsed.ok ? parsed.address.address : undefined;
}

/** `dns; mx.mail.test (198.51.100.7)` → `mx.mail.test` */
function hostOf(value: string | undefined): string | undefined {
  const [host = ''] = (withoutType(value) ?? '').slice(0, 300).split(/[\s(]/);
  return host === '' ? undefined : host.toLowerCase().replace(/\.$/, '');
}
