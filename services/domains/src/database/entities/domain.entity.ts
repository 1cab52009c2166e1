import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DkimSlot, DnsMode, DnsState, SendingType } from '../../sending-domain/sending-domain.js';

const TIME = { type: 'timestamptz', precision: 3 } as const;

@Entity('domains')
export class DomainEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  account_id!: string;

  @Column('text')
  domain!: string;

  @Column(TIME)
  created_at!: Date;

  @Column(TIME)
  updated_at!: Date;

  @Column('text')
  dns_mode!: DnsMode;

  @Column('text')
  state!: DnsState;

  @Column(TIME)
  state_since!: Date;

  @Column('smallint')
  failures!: number;

  @Column('boolean')
  contested!: boolean;

  @Column({ ...TIME, nullable: true })
  last_dns_check_at!: Date | null;

  @Column(TIME)
  next_check_at!: Date;

  @Column('text', { nullable: true })
  tracking_subdomain!: string | null;

  @Column('text', { nullable: true })
  return_path_subdomain!: string | null;

  @Column('text', { nullable: true })
  subscription_subdomain!: string | null;

  @Column('text', { nullable: true })
  media_subdomain!: string | null;

  @Column('text')
  domain_token!: string;

  @Column('smallint')
  active_slot!: DkimSlot;

  @Column('text', { nullable: true })
  dkim_selector!: string | null;

  @Column('text', { nullable: true })
  locked_selector!: string | null;

  @Column('smallint', { nullable: true })
  dkim_rotation_interval_days!: number | null;

  /** from the publication of the standby key to the swap of the slots */
  @Column({ ...TIME, nullable: true })
  rotation_started_at!: Date | null;

  @Column('text', { nullable: true })
  published_spf!: string | null;

  @Column('text', { nullable: true })
  dsn_recipient!: string | null;

  @Column('text')
  sending_type!: SendingType;

  @Column({ ...TIME, nullable: true })
  paused_at!: Date | null;

  @Column('text', { nullable: true })
  pause_reason!: string | null;

  @Column('bigint')
  revision!: number;
}
