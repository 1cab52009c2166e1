import { Column, Entity } from 'typeorm';
import type { EventFlag } from '../webhook-events/webhook-events.table.js';
import { EndpointEntity } from './endpoint.entity.js';

export type WebhookScope = 'global' | 'scoped';

@Entity('webhooks')
export class WebhookEntity extends EndpointEntity {
  /** the enabled events; a newer release may have added events unknown to this one */
  @Column('text', { array: true })
  events!: EventFlag[];

  @Column('text')
  scope!: WebhookScope;

  /** normalised; empty for a global webhook */
  @Column('text', { array: true })
  domains!: string[];
}
