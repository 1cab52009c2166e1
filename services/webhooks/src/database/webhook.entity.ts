import { Column, Entity } from 'typeorm';
import type { EventFlag } from '../webhook-events/webhook-events.table.js';
import { EndpointEntity } from './endpoint.entity.js';

export type WebhookScope = 'global' | 'scoped';

@Entity('webhooks')
export class WebhookEntity extends EndpointEntity {
  /** the events that are on; a newer release may have written some that this one does not know */
  @Column('text', { array: true })
  events!: EventFlag[];

  @Column('text')
  scope!: WebhookScope;

  /** normalised; empty for a global webhook */
  @Column('text', { array: true })
  domains!: string[];
}
