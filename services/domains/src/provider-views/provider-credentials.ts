import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { SecretBox, type SealedColumn } from '@postmesh/secrets';
import { Repository } from 'typeorm';
import { ProviderCredential } from '../database/entities.js';
import type { GmailCredentials } from './gmail.view.js';

const belongsTo = (provider = '') => `provider-credential/${provider}`;

/** A rotation of the secret keys encrypts credentials again. */
export const SEALED_PROVIDER_CREDENTIALS: SealedColumn = {
  kind: 'provider-credentials',
  table: 'provider_credentials',
  primaryKey: { provider: 'text' },
  column: 'secret',
  about: belongsTo,
};

const GMAIL = 'gmail';

/** Credentials of the operator for the figures of providers, one set for each provider. */
@Injectable()
export class ProviderCredentials {
  constructor(
    @InjectRepository(ProviderCredential) private readonly rows: Repository<ProviderCredential>,
    private readonly box: SecretBox,
  ) {}

  list(): Promise<ProviderCredential[]> {
    return this.rows.find({ order: { provider: 'asc' } });
  }

  /** @returns with the time at which they were given */
  async gmail(): Promise<{ credentials: GmailCredentials; givenAt: Date } | undefined> {
    const row = await this.rows.findOneBy({ provider: GMAIL });
    if (!row) return undefined;
    const secret = JSON.parse(this.box.open(row.sealedSecret, belongsTo(GMAIL))) as Omit<
      GmailCredentials,
      'clientId'
    >;
    return { credentials: { clientId: row.clientId, ...secret }, givenAt: row.givenAt };
  }

  /** In place of earlier ones. */
  async putGmail({ clientId, ...secret }: GmailCredentials, givenBy: string): Promise<void> {
    const sealedSecret = this.box.seal(JSON.stringify(secret), belongsTo(GMAIL));
    const row = { provider: GMAIL, clientId, sealedSecret, givenBy, givenAt: new Date() };
    await this.rows.upsert(row, ['provider']);
  }

  async remove(provider: string): Promise<boolean> {
    return ((await this.rows.delete({ provider })).affected ?? 0) > 0;
  }
}
