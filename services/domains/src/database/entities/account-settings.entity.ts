import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DnsMode } from '../../sending-domain/sending-domain.js';

@Entity('account_settings')
export class AccountSettingsEntity {
  @PrimaryColumn('uuid')
  account_id!: string;

  @Column('text', { nullable: true })
  dns_mode!: DnsMode | null;

  @Column('int', { nullable: true })
  domain_limit!: number | null;

  @Column('boolean')
  return_path_satisfies_spf!: boolean;

  @Column('text', { nullable: true })
  dkim_selector!: string | null;

  @Column('smallint', { nullable: true })
  dkim_rotation_days!: number | null;

  @Column('text', { nullable: true })
  tracking_subdomain!: string | null;

  @Column('text', { nullable: true })
  return_path_subdomain!: string | null;

  @Column('text', { nullable: true })
  subscription_subdomain!: string | null;

  @Column('text', { nullable: true })
  media_subdomain!: string | null;

  @Column('text', { nullable: true })
  spf_host!: string | null;

  @Column('text', { nullable: true })
  return_path_host!: string | null;

  @Column('text', { nullable: true })
  tracking_host!: string | null;

  @Column('text', { nullable: true })
  mx_host!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  updated_at!: Date;
}
