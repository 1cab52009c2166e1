import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AccountId, SessionId, UserId } from '@postmesh/contracts';
import type { PepperedColumn } from '@postmesh/secrets';

/** How a member signed in. */
export type SignInWay = 'link' | 'invitation' | 'operator' | 'passkey' | 'oidc';

/** A member who is signed in to the console with one browser. */
@Entity('sessions')
export class SessionEntity {
  @PrimaryColumn('uuid') id!: SessionId;
  @Column('uuid', { name: 'user_id' }) userId!: UserId;
  /** the account that the member works in now */
  @Column('uuid', { name: 'account_id' }) accountId!: AccountId;
  @Column('bytea', { name: 'secret_hash', select: false }) secretHash!: Buffer;
  @Column('text', { name: 'pepper_id', select: false }) pepperId!: string;
  @Column('text') way!: SignInWay;
  @Column('text', { name: 'user_agent' }) userAgent!: string;
  @Column('text', { name: 'client_ip' }) clientIp!: string;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3 }) lastUsedAt!: Date;
  /** the last use of a passkey in it */
  @Column({ type: 'timestamptz', name: 'confirmed_at', precision: 3, nullable: true })
  confirmedAt!: Date | null;
}

/** Rehashed when they are used (SessionLookup). */
export const PEPPERED_SESSIONS: PepperedColumn = {
  kind: 'sessions',
  table: 'sessions',
  hashColumn: 'secret_hash',
  keyIdColumn: 'pepper_id',
};

/** Not rehashed: a link that is shown is used up, and any other one expires within days. */
export const PEPPERED_SIGN_IN_LINKS: PepperedColumn = {
  kind: 'sign-in-links',
  table: 'sign_in_links',
  hashColumn: 'token_hash',
  keyIdColumn: 'pepper_id',
};
