import { Injectable } from '@nestjs/common';
import { databaseNow } from '@postmesh/database';
import { DataSource, type EntityManager } from 'typeorm';
import { newId, type AccountId, type DomainId } from '@postmesh/contracts';
import { randomText } from '@postmesh/secrets';
import type { SendingDomain } from '../database/entities.js';
import { DkimKeys, type NewDkimKey } from '../dkim-keys/dkim-keys.repository.js';
import { KeyGeneration } from '../dkim-keys/key-pairs.js';
import { RecordLookups } from '../dns/record-lookups.js';
import { SendingDomains } from '../domain-store/sending-domains.repository.js';
import { AliasPublication } from '../managed-zone/alias-publication.js';
import { newDomain, type DomainDraft } from './create-domain.rules.js';

// 80 bits: a token cannot be guessed, and none occurs twice.
const TOKEN = { length: 16, alphabet: 'abcdefghijklmnopqrstuvwxyz234567' };

/** A domain that is not stored yet. */
interface PreparedDomain {
  domain: SendingDomain;
  keys: readonly NewDkimKey[];
}

/** Creates domains with their keys and records. The callers decide whether an account may have one. */
@Injectable()
export class NewDomains {
  constructor(
    private readonly dataSource: DataSource,
    private readonly generation: KeyGeneration,
    private readonly lookups: RecordLookups,
    private readonly keys: DkimKeys,
    private readonly domains: SendingDomains,
    private readonly aliases: AliasPublication,
  ) {}

  /** The slow parts come before the transaction: the key pairs and a look-up of the owner's SPF. */
  async prepare(draft: DomainDraft, accountId: AccountId): Promise<PreparedDomain> {
    const [keys, publishedSpf] = await Promise.all([
      this.makeKeys(draft, accountId),
      this.lookups.findPublishedSpf(draft.domain),
    ]);
    const now = await databaseNow(this.dataSource);
    const id = newId() as DomainId;
    const domainToken = randomText(TOKEN.length, TOKEN.alphabet);
    const publicKeys = Object.fromEntries(keys.map((key) => [key.slot, key.publicKey]));
    const about = { id, accountId, domainToken, publishedSpf, publicKeys, now };
    return { domain: newDomain(draft, about), keys };
  }

  async insert(tx: EntityManager, { domain, keys }: PreparedDomain): Promise<void> {
    await this.domains.insert(tx, domain);
    await this.keys.insert(tx, domain, keys);
  }

  /** After the commit: publishes its keys in the managed zone now, not with the next sweep. */
  publish({ domain }: PreparedDomain): void {
    if (domain.dnsMode === 'managed') this.aliases.soon(domain.id);
  }

  private async makeKeys(draft: DomainDraft, accountId: AccountId): Promise<NewDkimKey[]> {
    if (draft.ownKey) return [{ ...draft.ownKey, slot: 1, own: true }];
    const slots = draft.dnsMode === 'managed' ? ([1, 2] as const) : ([1] as const);
    return Promise.all(
      slots.map(async (slot) => ({ ...(await this.generation.make(accountId)), slot, own: false })),
    );
  }
}
