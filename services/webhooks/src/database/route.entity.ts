import { Column, Entity } from 'typeorm';
import { EndpointEntity } from './endpoint.entity.js';

@Entity('routes')
export class RouteEntity extends EndpointEntity {
  /** `<local pattern>@<domain>`; empty matches every address of the account */
  @Column('text')
  recipient!: string;

  /** of `recipient`; null when that is empty */
  @Column('text', { nullable: true })
  recipient_domain!: string | null;

  /** the domain at the time when the recipient was set or the route enabled; a domain added again has another id */
  @Column('uuid', { nullable: true })
  recipient_domain_id!: string | null;

  @Column('boolean')
  attachments!: boolean;

  @Column('boolean')
  headers!: boolean;

  @Column('boolean')
  group_by_message_id!: boolean;

  @Column('boolean')
  strip_replies!: boolean;
}
