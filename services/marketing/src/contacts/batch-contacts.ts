import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiError, parseBody, type AccountId } from '@postmesh/contracts';
import { forgetResult, type Remember } from '@postmesh/service-host';
import { requirePresent } from '../account-changes/deleted-accounts.js';
import { ApplyContacts, type ContactEntry } from './apply-contacts.js';
import { AttributeDefinitions } from './attributes/attribute-definitions.js';
import { readAttributes, type AttributeTypes } from './attributes/attribute.rules.js';
import { shownEmail } from './contact-email.rules.js';
import { contactResource } from './contact.js';
import { CreateContactBody, type BatchResultResource } from './contact.schema.js';

export interface BatchContactsCommand {
  accountId: AccountId;
  data: readonly unknown[];
}

/** `POST …/contacts/batch`: entries are independent, all in one transaction (spec 3-marketing §1.3). */
@Injectable()
export class BatchContacts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly definitions: AttributeDefinitions,
    private readonly applying: ApplyContacts,
  ) {}

  /** @throws ApiError 401 */
  execute(
    { accountId, data }: BatchContactsCommand,
    remember: Remember<BatchResultResource> = forgetResult,
  ): Promise<BatchResultResource> {
    return this.dataSource.transaction(async (tx) => {
      await requirePresent(tx, accountId);
      const read = readBatch(await this.definitions.types(accountId, tx), data);
      const applied = await this.applying.execute(
        tx,
        accountId,
        read.flatMap(({ entry }) => (entry ? [entry] : [])),
        'account',
      );
      const done = applied.values();
      const outcomes = read.map(({ email, reason }, position) => {
        if (reason !== undefined) return { position, email, outcome: 'failed' as const, reason };
        const { value } = done.next();
        if (!value) throw new Error('an entry of a batch was not applied');
        return { position, email, outcome: value.outcome, contact: contactResource(value.contact) };
      });
      const count = (wanted: string) => outcomes.filter(({ outcome }) => outcome === wanted).length;
      const result: BatchResultResource = {
        object: 'list',
        created: count('created'),
        updated: count('updated'),
        failed: count('failed'),
        data: outcomes,
      };
      await remember(tx, result);
      return result;
    });
  }
}

/** Either an entry or the reason why it is invalid. */
interface ReadEntry {
  email: string;
  entry?: ContactEntry;
  reason?: string;
}

function readBatch(types: AttributeTypes, data: readonly unknown[]): ReadEntry[] {
  const read = data.map((given) => readEntry(types, given));
  const seen = new Map<string, number>();
  for (const { email } of read) seen.set(email, (seen.get(email) ?? 0) + 1);
  return read.map((one) =>
    one.email !== '' && (seen.get(one.email) ?? 0) > 1
      ? { email: one.email, reason: 'duplicate email in this batch' }
      : one,
  );
}

/** An entry by the rules of a create. */
export function readEntry(types: AttributeTypes, given: unknown): ReadEntry {
  const email = shownEmail((given as { email?: unknown } | null)?.email);
  try {
    const input = parseBody(CreateContactBody, given);
    return { email, entry: { ...input, attributes: readAttributes(types, input.attributes) } };
  } catch (error) {
    if (error instanceof ApiError) return { email, reason: error.message };
    throw error;
  }
}
