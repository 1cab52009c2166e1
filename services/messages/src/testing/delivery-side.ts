import { ReconcileDeliveriesRequest } from '@postmesh/delivery-worker-contract';
import type { InternalRequest } from '@postmesh/http';
import type { TestService } from '@postmesh/service-testing';
import { DataSource } from 'typeorm';
import { PASSES } from '../republish/republish-passes.rules.js';
import { RepublishMessages } from '../republish/republish-messages.js';

/** The delivery worker's responses to the sweep of open messages, by the sets below; both are empty at first. */
export class DeliverySide {
  /** ids of messages that wait there */
  readonly waiting = new Set<string>();
  /** ids of messages whose delivery has ended there */
  readonly ended = new Set<string>();
  /** ids of the messages in its requests, call by call */
  readonly asked: string[][] = [];

  readonly respond = ({ body }: InternalRequest) => {
    const { deliveries } = ReconcileDeliveriesRequest.parse(body);
    this.asked.push(deliveries.map(({ id }) => id));
    const absent = deliveries.filter(({ id }) => !this.waiting.has(id));
    const never = absent.filter(({ id }) => !this.ended.has(id));
    return {
      status: 200,
      body: {
        unknown: [...new Set(never.map(({ send_request_id: request }) => request))],
        ended: absent.filter(({ id }) => this.ended.has(id)).map(({ id }) => id),
        retold: [],
      },
    };
  };
}

/**
 * Two runs at this time: the first one only stores the publishing state. A pass begins an hour before the checked
 * messages.
 */
export async function sweepOpenMessages({ service }: Pick<TestService, 'service'>, now: Date): Promise<void> {
  const never = new AbortController().signal;
  await service.get(DataSource).query(
    `insert into republish_passes as known (pass, checked_until)
     select pass, $3::timestamptz - make_interval(secs => age + 3600)
     from unnest($1::text[], $2::int[]) as given(pass, age)
     on conflict (pass) do update set checked_until = excluded.checked_until, checked_id = null
       where known.checked_until < excluded.checked_until`,
    [PASSES.map(({ name }) => name), PASSES.map(({ ageSeconds }) => ageSeconds), now],
  );
  await service.get(RepublishMessages).sweep(now, never);
  await service.get(RepublishMessages).sweep(now, never);
}
