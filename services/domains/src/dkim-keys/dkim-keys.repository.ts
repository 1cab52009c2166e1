import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { SecretBox, type SealedColumn } from '@postmesh/secrets';
import { DkimKey, otherSlot, type DkimSlot, type SendingDomain } from '../database/entities.js';
import type { KeyPair } from './key-pairs.js';

export interface NewDkimKey extends KeyPair {
  slot: DkimSlot;
  /** brought by a partner account */
  own: boolean;
}

interface SigningKey {
  id: string;
  privateKeyPem: string;
}

const belongsTo = (keyId = '') => `dkim-key/${keyId}`;

/** A rotation of the secret keys encrypts private keys anew. */
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

  /** @param createdAt when the keys were made: with the domain, unless they come later */
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
   * A partner's key in place of its own. The old one signs until a check has seen the record of the new one: what is
   * signed meanwhile can be verified with what is published (spec 1-platform §11.3).
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

  /** A fresh key in place of the one that has this slot. */
  async replace(tx: EntityManager, domain: SendingDomain, key: NewDkimKey): Promise<void> {
    await tx.delete(DkimKey, { domainId: domain.id, slot: key.slot });
    await this.insert(tx, domain, [key], new Date());
  }

  /** The active slot has changed: its key signs from now on. With manual DNS the old one goes away. */
  async activate(tx: EntityManager, { id: domainId, activeSlot, dnsMode }: SendingDomain, at: Date) {
    await tx.update(DkimKey, { domainId, slot: activeSlot }, { activatedAt: at });
    if (dnsMode === 'manual') await tx.delete(DkimKey, { domainId, slot: otherSlot(activeSlot) });
  }

  /** The key that signs. @returns null when the domain is gone by now */
  async findActive({ id: domainId, activeSlot: slot }: SendingDomain): Promise<SigningKey | null> {
    const key = await this.keys.findOneBy({ domainId, slot });
    return key && { id: key.id, privateKeyPem: this.box.open(key.sealedPrivateKey, belongsTo(key.id)) };
  }
}
