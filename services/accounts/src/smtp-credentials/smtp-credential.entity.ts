import { Column, Entity, JoinColumn, ManyToOne, OneToMany, PrimaryColumn } from 'typeorm';
import type { AccountId, DomainId, SmtpCredentialId } from '@postmesh/contracts';
import type { PepperedColumn } from '@postmesh/secrets';

@Entity('smtp_credentials')
export class SmtpCredentialEntity {
  @PrimaryColumn('uuid') id!: SmtpCredentialId;
  @Column('uuid', { name: 'account_id' }) accountId!: AccountId;
  @Column('text') name!: string;
  @Column('text') username!: string;
  @Column('bytea', { name: 'password_hash', select: false }) passwordHash!: Buffer;
  /** id of the key of its hash */
  @Column('text', { name: 'pepper_id', select: false }) pepperId!: string;
  /** every message through it is simulated */
  @Column('boolean') sandbox!: boolean;
  @Column('text') scope!: 'global' | 'scoped';
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt!: Date;
  /** domains of a scoped credential; deleted domains are removed, and it stays scoped without any */
  @OneToMany(() => SmtpCredentialDomainEntity, (domain) => domain.credential)
  domains!: SmtpCredentialDomainEntity[];
}

/** Rehashed after a login (SmtpCredentialLookup). */
export const PEPPERED_SMTP_CREDENTIALS: PepperedColumn = {
  kind: 'smtp-credentials',
  table: 'smtp_credentials',
  hashColumn: 'password_hash',
  keyIdColumn: 'pepper_id',
};

/** A domain by its id: a domain that is deleted and created again is another one. */
@Entity('smtp_credential_domains')
export class SmtpCredentialDomainEntity {
  @PrimaryColumn('uuid', { name: 'smtp_credential_id' }) smtpCredentialId!: SmtpCredentialId;
  @PrimaryColumn('uuid', { name: 'domain_id' }) domainId!: DomainId;
  @ManyToOne(() => SmtpCredentialEntity, (credential) => credential.domains)
  @JoinColumn({ name: 'smtp_credential_id' })
  credential?: SmtpCredentialEntity;

  @Column('text') domain!: string;
  /** order of the request */
  @Column('smallint') position!: number;
}
