import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DkimSlot } from '../../sending-domain/sending-domain.js';

const TIME = { type: 'timestamptz', precision: 3 } as const;

@Entity('dkim_keys')
export class DkimKeyEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  domain_id!: string;

  @Column('smallint')
  slot!: DkimSlot;

  @Column('smallint')
  bits!: number;

  /** SubjectPublicKeyInfo, base64: the `p=` of the record */
  @Column('text')
  public_key!: string;

  /** PKCS#8 PEM, sealed about `dkim-key/<id>` */
  @Column('text')
  private_key!: string;

  /** brought by a partner account */
  @Column('boolean')
  own!: boolean;

  @Column(TIME)
  created_at!: Date;

  /** null: never signed yet */
  @Column({ ...TIME, nullable: true })
  activated_at!: Date | null;

  /** its public key stays published until messages signed with it are delivered */
  @Column({ ...TIME, nullable: true })
  retired_at!: Date | null;
}
