import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { SecretBox, type SealedColumn } from '@postmesh/secrets';
import { DkimKey, otherSlot, type DkimSlot, type SendingDomain } from '../database/entities.js';
import type { KeyPair } from './key-pairs.js';

export interface NewDkimKey extends KeyPair {
  slot: DkimSlot;
  /** supplied by a partner account */
  own: boolean;
}

interface SigningKey {
  id: string;
  privateKeyPem: string;
}

const belongsTo = (keyId = '') => `dkim-key/${keyId}`;

/** A rotation of the secret keys encrypts private keys again. */
export const SEALED_DKIM_KEYS: SealedColumn = {
  kind: 'dkim-keys',
  table: 'dkim_keys',
  primaryKey: { id: 'uuid' },
  column: 'private_key',
  about: belongsTo,
};

@Injectable()
export class DkimKeys {
  constructor(
    @InjectRepository(DkimKey) private readonly keys: Repository<DkimKey>,
    private readonly box: SecretBox,
  ) {}

  /** @param createdAt creation time of the keys: that of the domain, unless they are added later */
  async insert(
    tx: EntityManager,
    domain: SendingDomain,
    keys: readonly NewDkimKey[],
    createdAt = domain.createdAt,
  ): Promise<void> {
    const { id: domainId, activeSlot } = domain;
    const rows = keys.map(({ privateKeyPem, ...key }) => {
      const id = newId();
      const sealedPrivateKey = this.box.seal(privateKeyPem, belongsTo(id));
      const activatedAt = key.slot === activeSlot ? createdAt : null;
      return { id, domainId, ...key, sealedPrivateKey, createdAt, activatedAt, publishedAt: null };
    });
    await tx.insert(DkimKey, rows);
  }

  /**
   * Stores a partner's key in place of the current one. The old one signs until a check has seen the record of the new
   * one, so that signatures can be verified with the published key (spec 1-platform §11.3).
   * @param domain with manual DNS, locked in this transaction
   * @returns the domain's public keys from now on
   */
  async replaceOwn(
    tx: EntityManager,
    domain: SendingDomain,
    key: KeyPair,
  ): Promise<SendingDomain['publicKeys']> {
    const { id: domainId, activeSlot } = domain;
    const signing = { [activeSlot]: domain.publicKeys[activeSlot] };
    const slot = otherSlot(activeSlot);
    if (domain.publicKeys[activeSlot] === key.publicKey) {
      await tx.delete(DkimKey, { domainId, slot });
      return signing;
    }
    await this.replace(tx, domain, { ...key, slot, own: true });
    return { ...signing, [slot]: key.publicKey };
  }

  /** Stores a fresh key in place of the one in this slot. */
  async replace(tx: EntityManager, domain: SendingDomain, key: NewDkimKey): Promise<void> {
    await tx.delete(DkimKey, { domainId: domain.id, slot: key.slot });
    await this.insert(tx, domain, [key], new Date());
  }

  /** After a change of the active slot: its key signs from now on. With manual DNS the old one is deleted. */
  async activate(tx: EntityManager, { id: domainId, activeSlot, dnsMode }: SendingDomain, at: Date) {
    await tx.update(DkimKey, { domainId, slot: activeSlot }, { activatedAt: at });
    if (dnsMode === 'manual') await tx.delete(DkimKey, { domainId, slot: otherSlot(activeSlot) });
  }

  /** The key that signs. @returns null when the domain is deleted */
  async findActive({ id: domainId, activeSlot: slot }: SendingDomain): Promise<SigningKey | null> {
    const key = await this.keys.findOneBy({ domainId, slot });
    return key && { id: key.id, privateKeyPem: this.box.open(key.sealedPrivateKey, belongsTo(key.id)) };
  }
}
