import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ApiKeyId } from '@postmesh/contracts';
import type { SealedColumn } from '@postmesh/secrets';

/** The access key of an API key: signatures are checked with its secret, which is sealed and not hashed (decision 138). */
@Entity('ses_credentials')
export class SesCredentialEntity {
  @PrimaryColumn('uuid', { name: 'api_key_id' }) apiKeyId!: ApiKeyId;
  @Column('text', { name: 'access_key_id' }) accessKeyId!: string;
  @Column('text', { name: 'sealed_secret', select: false }) sealedSecret!: string;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
}

export const SES_SECRETS: SealedColumn = {
  kind: 'ses-credentials',
  table: 'ses_credentials',
  primaryKey: { api_key_id: 'uuid' },
  column: 'sealed_secret',
  about: (apiKeyId) => `ses-credential/${apiKeyId}`,
};
