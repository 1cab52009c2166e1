import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DnsRecordKind } from '../../dns-records/record-kinds.js';

/** What the last conclusive check said about one record of a domain. */
@Entity('dns_records')
export class DnsRecordEntity {
  @PrimaryColumn('uuid')
  domain_id!: string;

  @PrimaryColumn('text')
  kind!: DnsRecordKind;

  @Column('boolean')
  propagated!: boolean;

  /** the label under which it was first seen; null until then */
  @Column('text', { nullable: true })
  locked_label!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  judged_at!: Date;
}
