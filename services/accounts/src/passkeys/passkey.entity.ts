import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { UserId } from '@postmesh/contracts';

// pg reads bigint as text; the counter of an authenticator has 32 bits
const COUNTER = { to: (value: number) => value, from: (text: string) => Number(text) };

/** The public half of a key pair in an authenticator of a user (WebAuthn). */
@Entity('passkeys')
export class PasskeyEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'user_id' }) userId!: UserId;
  @Column('text') label!: string;
  /** base64url, chosen by the authenticator */
  @Column('text', { name: 'credential_id' }) credentialId!: string;
  /** COSE */
  @Column('bytea', { name: 'public_key' }) publicKey!: Buffer;
  /** uses, where the authenticator counts them: a smaller one is of a copy */
  @Column('bigint', { transformer: COUNTER }) counter!: number;
  /** hints for browsers: `internal`, `usb`, … */
  @Column('text', { array: true }) transports!: string[];
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt!: Date;
  @Column({ type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
}
