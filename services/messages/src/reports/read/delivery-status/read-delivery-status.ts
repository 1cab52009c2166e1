import { ReadFields, readFields } from '@postmesh/mail-format';
import { findEnhancedCode } from '@postmesh/smtp-replies';
import { readAddress, readHost, withoutType } from '../addresses.rules.js';
import type { RecipientStatus } from '../report.js';

export interface DeliveryStatus {
  readonly recipients: RecipientStatus[];
  readonly reportingMta?: string | undefined;
  /** of the whole message, and of all recipients together: they identify forms */
  readonly fields: ReadFields;
}

const MAX_GROUPS = 200;
const MAX_CHARS = 256 * 1024;

/**
 * Reads the content of a message/delivery-status part (RFC 3464 §2.1). Groups are separated by empty lines, or by a
 * repeated recipient where the separator is missing.
 */
export function readDeliveryStatus(text: string): DeliveryStatus {
  const groups = text
    .slice(0, MAX_CHARS)
    .split(/\r?\n[ \t]{0,20}\r?\n/, MAX_GROUPS + 1)
    .flatMap((block) => splitAtRecipients(readFields(block)));
  const all = new ReadFields(groups.flatMap(({ list }) => list));
  return {
    recipients: groups.map(readRecipient).filter(saysSomething).slice(0, MAX_GROUPS),
    reportingMta: readHost(all.first('reporting-mta')),
    fields: all,
  };
}

function splitAtRecipients(list: ReadFields['list']): ReadFields[] {
  const groups: ReadFields['list'][number][][] = [[]];
  for (const field of list) {
    const group = groups.at(-1) ?? [];
    const repeated = field.name === 'final-recipient' && group.some(({ name }) => name === field.name);
    if (repeated) groups.push([field]);
    else group.push(field);
  }
  return groups.map((group) => new ReadFields(group));
}

function readRecipient(fields: ReadFields): RecipientStatus {
  return {
    action: readAction(fields.first('action')),
    status: findEnhancedCode(fields.first('status') ?? ''),
    diagnostic: withoutType(fields.first('diagnostic-code')),
    finalRecipient: readAddress(fields.first('final-recipient')),
    originalRecipient: readAddress(fields.first('original-recipient')),
    remoteMta: readHost(fields.first('remote-mta')),
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
