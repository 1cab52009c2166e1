import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inBatches } from '@postmesh/concurrency';
import { FAILING_AFTER, WebhookFailing, type EndpointStanding } from '@postmesh/webhooks-contract';
import { Periodic } from '@postmesh/work';
import { Metrics } from '@postmesh/observability';
import { Outbox } from '@postmesh/events';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { ENDPOINT_KINDS, targetInEvents, type EndpointKind } from '../endpoints/endpoint-kinds.js';
import { standingOf, type EndpointRow } from './endpoint-standing.rules.js';

const MAX_SHOWN = 100;
const BATCH = 200;
const HOUR_MS = 3_600_000;

interface FailingRow {
  id: string;
  account_id: string;
  name: string;
  failing_since: Date;
  failures: number;
  last_failure: string | null;
}

interface Trouble {
  failing: number;
  failing_seconds: number;
  disabled: number;
}

/** Webhooks and routes whose calls all fail, and those disabled for it (spec 2-messages §18 rule 8). */
@Injectable()
export class FailingEndpoints {
  /** a disabled one is shown as long as its events can be recovered */
  private readonly shownDays: number;

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    @Inject(SETTINGS) private readonly settings: Settings,
    metrics: Metrics,
  ) {
    this.shownDays = Math.max(1, settings.webhookReplayDays);
    metrics.asked<Trouble>(
      () => this.count(),
      [
        {
          name: 'postmesh_webhook_endpoints',
          help: 'Webhooks and routes that are failing: every call of them fails; or disabled: for that reason, by Postmesh, in the replay window',
          labelNames: ['state'],
          read: ({ failing, disabled }) => [
            [{ state: 'failing' }, failing],
            [{ state: 'disabled' }, disabled],
          ],
        },
        {
          name: 'postmesh_webhook_endpoints_failing_seconds',
          help: 'How long every call of the webhook or route that has failed for longest has failed',
          read: ({ failing_seconds }) => failing_seconds,
        },
      ],
    );
  }

  /** Failing and disabled endpoints, disabled ones first; with an id that one, in any state. */
  async standings(filter: { accountId?: string; endpointId?: string }): Promise<EndpointStanding[]> {
    const { accountId = null, endpointId = null } = filter;
    const rows: EndpointRow[] = await this.dataSource.query(STANDINGS, [
      accountId,
      endpointId,
      this.shownDays,
    ]);
    return rows.map(standingOf);
  }

  /** The number of each kind. */
  async count(): Promise<Trouble> {
    const [found]: Trouble[] = await this.dataSource.query(COUNT, [this.shownDays]);
    return found as Trouble;
  }

  /** Notifies the members of their accounts by mail, once per series of failures. */
  @Periodic({ name: 'notify-of-failing', everyMs: 60_000, timeoutMs: 60_000 })
  async notify(signal: AbortSignal): Promise<void> {
    for (const kind of ENDPOINT_KINDS) {
      await inBatches(() => this.notifySome(kind), { size: BATCH, signal });
    }
  }

  private async notifySome(kind: EndpointKind): Promise<number> {
    const { webhookFailingMinutes, webhookDisableHours } = this.settings;
    return this.dataSource.transaction(async (tx) => {
      const [rows]: [FailingRow[], number] = await tx.query(notice(kind), [webhookFailingMinutes * 60]);
      const events = rows.map(({ id, account_id, failing_since, ...row }) =>
        WebhookFailing.make(
          {
            webhook_id: id,
            ...targetInEvents(kind),
            account_id,
            ...row,
            failing_since: failing_since.toISOString(),
            disabled_from: new Date(failing_since.getTime() + webhookDisableHours * HOUR_MS).toISOString(),
          },
          { account_id },
        ),
      );
      await this.outbox.add(tx, events);
      return events.length;
    });
  }
}

const FAILING = `enabled and failing_since is not null and errors_since_last_success >= ${FAILING_AFTER}`;
const disabled = (days: string) =>
  `not enabled and disabled_at > now() - make_interval(days => ${days}::int)`;

const columnsOf = ({
  name,
  table,
}: EndpointKind) => `select '${name}' as target, id as endpoint_id, account_id, name, url, enabled,
    errors_since_last_success as failures, failing_since, last_failure, disabled_at from ${table}`;
const troubled = (kind: EndpointKind) => `${columnsOf(kind)}
  where ($2::uuid is null or id = $2) and ($1::uuid is null or account_id = $1)
    and ($2 is not null or (${FAILING}) or (${disabled('$3')}))`;
const STANDINGS = `select * from (${ENDPOINT_KINDS.map(troubled).join(' union all ')}) as endpoints
  order by enabled, failing_since, endpoint_id limit ${MAX_SHOWN}`;

const counted = ({ table }: EndpointKind) => `select count(*) filter (where enabled) as failing,
    count(*) filter (where not enabled) as disabled, min(failing_since) filter (where enabled) as since
  from ${table} where (${FAILING}) or (${disabled('$1')})`;
const COUNT = `select sum(failing)::int as failing, sum(disabled)::int as disabled,
    coalesce(extract(epoch from now() - min(since)), 0)::float8 as failing_seconds
  from (${ENDPOINT_KINDS.map(counted).join(' union all ')}) as all_tables`;

const notice = ({ table }: EndpointKind) => `update ${table} set failing_notified_at = now()
  where id = any(array(
    select id from ${table}
    where ${FAILING} and failing_notified_at is null and failing_since <= now() - make_interval(secs => $1)
    order by failing_since limit ${BATCH} for no key update skip locked))
  returning id, account_id, name, failing_since, errors_since_last_success as failures, last_failure`;
