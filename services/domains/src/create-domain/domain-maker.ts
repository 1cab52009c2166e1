import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { Outbox } from '@postmesh/outbox';
import { randomText } from '@postmesh/secrets';
import { DomainChecker } from '../check-dns/domain-checker.js';
import { DomainEntity } from '../database/entities/domain.entity.js';
import { DkimKeys, type NewDkimKey } from '../dkim-keys/dkim-keys.repository.js';
import { KeyGeneration } from '../dkim-keys/key-generation.js';
import { domainChanged, domainFacts } from '../sending-domain/domain-facts.rules.js';
import type { SendingDomain } from '../sending-domain/sending-domain.js';
import { newDomain, type DomainDraft } from './create-domain.rules.js';

// 80 bits: no token is ever guessed or met twice.
const TOKEN = { length: 16, alphabet: 'abcdefghijklmnopqrstuvwxyz234567' };

/** A domain that is not stored yet. */
export interface PreparedDomain {
  domain: SendingDomain;
  keys: readonly NewDkimKey[];
}

/** Makes domains with what belongs to them. Whether an account may have one is for the callers to decide. */
@Injectable()
export class DomainMaker {
  constructor(
    private readonly generation: KeyGeneration,
    private readonly checker: DomainChecker,
    private readonly keys: DkimKeys,
    private readonly outbox: Outbox,
  ) {}

  /** What takes long is done before the transaction: the key pairs and a look at the owner's SPF. */
  async prepare(draft: DomainDraft, accountId: string): Promise<PreparedDomain> {
    const [keys, publishedSpf] = await Promise.all([
      this.makeKeys(draft),
      this.checker.findPublishedSpf(draft.domain),
    ]);
    const token = randomText(TOKEN.length, TOKEN.alphabet);
    const about = { id: newId(), accountId, token, publishedSpf, now: new Date() };
    const public_keys = Object.fromEntries(keys.map((key) => [key.slot, key.publicKey]));
    return { domain: { ...newDomain(draft, about), public_keys }, keys };
  }

  async insert(manager: EntityManager, { domain, keys }: PreparedDomain): Promise<void> {
    const { records: _none, public_keys: _with_keys, ...row } = domain;
    await manager.insert(DomainEntity, row);
    await this.keys.insert(
      manager,
      { domainId: domain.id, activeSlot: domain.active_slot, now: domain.created_at },
      keys,
    );
    await this.outbox.add(manager, domainChanged(domainFacts(domain), domain.created_at));
  }

  private async makeKeys(draft: DomainDraft): Promise<NewDkimKey[]> {
    if (draft.ownKey) return [{ ...draft.ownKey, slot: 1, own: true }];
    const slots = draft.dns_mode === 'managed' ? ([1, 2] as const) : ([1] as const);
    return Promise.all(slots.map(async (slot) => ({ ...(await this.generation.make()), slot, own: false })));
  }
}
