import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { SecretBox, type SealedColumn } from '@postmesh/secrets';
import { Repository } from 'typeorm';
import { ProviderCredential } from '../database/entities.js';
import type { GmailCredentials } from './gmail.view.js';
import type { SndsCredentials } from './snds.view.js';

const belongsTo = (provider = '') => `provider-credential/${provider}`;

/** A rotation of the secret keys encrypts credentials again. */
export const SEALED_PROVIDER_CREDENTIALS: SealedColumn = {
  kind: 'provider-credentials',
  table: 'provider_credentials',
  primaryKey: { provider: 'text' },
  column: 'secret',
  about: belongsTo,
};

/** The providers, with what their credentials are. */
interface Credentials {
  readonly gmail: GmailCredentials;
  readonly snds: SndsCredentials;
}

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
  async find<P extends keyof Credentials>(
    provider: P,
  ): Promise<{ credentials: Credentials[P]; givenAt: Date } | undefined> {
    const row = await this.rows.findOneBy({ provider });
    if (!row) return undefined;
    const secret = JSON.parse(this.box.open(row.sealedSecret, belongsTo(provider))) as object;
    const credentials = { clientId: row.clientId, ...secret } as unknown as Credentials[P];
    return { credentials, givenAt: row.givenAt };
  }

  /** In place of earlier ones. The id of a client is no secret, and shown to operators. */
  async put<P extends keyof Credentials>(
    provider: P,
    credentials: Credentials[P],
    givenBy: string,
  ): Promise<void> {
    const { clientId = '', ...secret } = credentials as Credentials[P] & { clientId?: string };
    const sealedSecret = this.box.seal(JSON.stringify(secret), belongsTo(provider));
    await this.rows.upsert({ provider, clientId, sealedSecret, givenBy, givenAt: new Date() }, ['provider']);
  }

  async remove(provider: string): Promise<boolean> {
    return ((await this.rows.delete({ provider })).affected ?? 0) > 0;
  }
}
