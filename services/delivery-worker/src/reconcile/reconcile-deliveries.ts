import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ReconcileDeliveriesRequest, ReconciledDeliveries } from '@postmesh/contracts';
import { KeptOutcomes } from './kept-outcomes.js';

// The name of the consumer in intake/on-message-accepted.consumer.ts, by which the inbox knows it.
const INTAKE = 'delivery-worker.intake';

type Asked = ReconcileDeliveriesRequest['deliveries'][number];

/**
 * Says what this service really has of deliveries that the messages service holds for open (decision 68): a row says that
 * it waits, the mark of its event in the inbox that it was taken in, and so has ended. What has neither was never here.
 */
@Injectable()
export class ReconcileDeliveries {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outcomes: KeptOutcomes,
  ) {}

  async execute(asked: readonly Asked[], { retell }: { retell: boolean }): Promise<ReconciledDeliveries> {
    const absent: { id: string; request: string; taken: boolean }[] = await this.dataSource.query(ABSENT, [
      asked.map(({ id }) => id),
      asked.map(({ send_request_id: request }) => request),
      INTAKE,
    ]);
    const unknown = absent.filter(({ taken }) => !taken).map(({ request }) => request);
    const ended = absent.filter(({ taken }) => taken).map(({ id }) => id);
    const retold = retell ? await this.outcomes.retell(ended) : [];
    return { unknown: [...new Set(unknown)], ended, retold };
  }
}

// The event of a send request has its id. One statement: an intake that commits meanwhile is seen whole or not at all.
const ABSENT = `
  select given.id, given.request, exists (
    select from inbox i where i.event_id = given.request and i.consumer = $3) as taken
  from unnest($1::uuid[], $2::uuid[]) as given(id, request)
  where not exists (select from deliveries d where d.id = given.id)`;
