import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '@postmesh/contracts';
import { SecretBox } from '@postmesh/secrets';
import { DkimKeyEntity } from '../database/entities/dkim-key.entity.js';
import type { DkimSlot, DnsMode } from '../sending-domain/sending-domain.js';
import type { KeyMaterial } from './own-key.rules.js';

export interface NewDkimKey extends KeyMaterial {
  slot: DkimSlot;
  /** brought by a partner account */
  own: boolean;
}

/** The active key of a domain, and what says under which selector it signs. */
export interface ActiveKey {
  account_id: string;
  domain: string;
  dns_mode: DnsMode;
  active_slot: DkimSlot;
  locked_selector: string | null;
  dkim_selector: string | null;
  key_id: string;
  private_key_pem: string;
}

const belongsTo = (keyId: string) => `dkim-key/${keyId}`;

@Injectable()
export class DkimKeys {
  constructor(
    private readonly dataSource: DataSource,
    private readonly box: SecretBox,
  ) {}

  async insert(
    manager: EntityManager,
    about: { domainId: string; activeSlot: DkimSlot; now: Date },
    keys: readonly NewDkimKey[],
  ): Promise<void> {
    const rows = keys.map((key) => {
      const id = newId();
      return {
        id,
        domain_id: about.domainId,
        slot: key.slot,
        bits: key.bits,
        public_key: key.publicKey,
        private_key: this.box.seal(key.privateKeyPem, belongsTo(id)),
        own: key.own,
        created_at: about.now,
        activated_at: key.slot === about.activeSlot ? about.now : null,
        retired_at: null,
      };
    });
    await manager.insert(DkimKeyEntity, rows);
  }

  /** @returns undefined when the domain is gone */
  async findActive(domainId: string): Promise<ActiveKey | undefined> {
    const rows: (Omit<ActiveKey, 'private_key_pem'> & { private_key: string })[] =
      await this.dataSource.query(
        `select d.account_id, d.domain, d.dns_mode, d.active_slot, d.locked_selector, d.dkim_selector,
              k.id as key_id, k.private_key
         from domains d join dkim_keys k on k.domain_id = d.id and k.slot = d.active_slot
        where d.id = $1`,
        [domainId],
      );
    const [row] = rows;
    if (!row) return undefined;
    const { private_key, ...active } = row;
    return { ...active, private_key_pem: this.box.open(private_key, belongsTo(row.key_id)) };
  }
}
