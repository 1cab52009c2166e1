import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { SecretBox, type SealedColumn } from '@postmesh/secrets';
import { DkimKey, type DkimSlot, type SendingDomain } from '../database/entities.js';
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
    private readonly dataSource: DataSource,
    private readonly box: SecretBox,
  ) {}

  async insert(tx: EntityManager, domain: SendingDomain, keys: readonly NewDkimKey[]): Promise<void> {
    const { id: domainId, createdAt, activeSlot } = domain;
    const rows = keys.map(({ privateKeyPem, ...key }) => {
      const id = newId();
      const sealedPrivateKey = this.box.seal(privateKeyPem, belongsTo(id));
      const activatedAt = key.slot === activeSlot ? createdAt : null;
      return { id, domainId, ...key, sealedPrivateKey, createdAt, activatedAt };
    });
    await tx.insert(DkimKey, rows);
  }

  /** The key that signs. @returns null when the domain is gone by now */
  async findActive({ id: domainId, activeSlot: slot }: SendingDomain): Promise<SigningKey | null> {
    const key = await this.dataSource.manager.findOneBy(DkimKey, { domainId, slot });
    return key && { id: key.id, privateKeyPem: this.box.open(key.sealedPrivateKey, belongsTo(key.id)) };
  }
}
