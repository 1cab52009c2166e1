import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ReconciledDeliveries, ReconcileDeliveriesRequest } from '@postmesh/delivery-worker-contract';
import { KeptOutcomes } from './kept-outcomes.js';

// The name of the consumer in intake/on-message-accepted.consumer.ts, as recorded in the inbox.
const INTAKE = 'delivery-worker.intake';

type Asked = ReconcileDeliveriesRequest['deliveries'][number];

/**
 * Reports the real state of deliveries that are open in the messages service (decision 68): a row means that it waits,
 * the entry of its event in the inbox that it was ingested, and so has ended. A delivery with neither never arrived
 * here.
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

// The event of a send request has its id. One statement: it sees a concurrent intake as a whole or not at all.
const ABSENT = `
  select given.id, given.request, exists (
    select from inbox i where i.event_id = given.request and i.consumer = $3) as taken
  from unnest($1::uuid[], $2::uuid[]) as given(id, request)
  where not exists (select from deliveries d where d.id = given.id)`;
