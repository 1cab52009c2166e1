// @ts-check
// What the Grafana board shows, row by row: [title, unit, what a line is called, query …]. deploy/helm/postmesh/files/dashboard.json
// is made of it by `npm run generate`. A gauge that every replica reads from the database is the same in all of them: `max`
// over them. Counters of all processes are summed. `service_name` is of the target, by the configurations that are
// delivered; one process with all services has none.

/** @typedef {readonly [legend: string, query: string]} Line */
/** @typedef {{ title: string, unit: 'short' | 'cps' | 's' | 'percentunit' | 'bytes', lines: readonly Line[] }} Panel */

const RATE = '[$__rate_interval]';

/** @param {string} metric @param {string} [by] */
const rate = (metric, by) => `sum${by ? ` by (${by})` : ''} (rate(${metric}${RATE}))`;

/** @param {string} metric of a histogram @param {number} quantile @param {string} [by] */
const quantile = (metric, quantile, by) =>
  `histogram_quantile(${quantile}, sum by (${by ? `${by}, ` : ''}le) (rate(${metric}_bucket${RATE})))`;

/** @param {string} title @param {Panel['unit']} unit @param {...Line} lines @returns {Panel} */
const panel = (title, unit, ...lines) => ({ title, unit, lines });

/** @type {readonly { title: string, panels: readonly Panel[] }[]} */
export const BOARD = [
  {
    title: 'Mail',
    panels: [
      panel('Messages accepted', 'cps', ['{{kind}}', rate('postmesh_messages_accepted_total', 'kind')]),
      panel('Outcomes of attempts', 'cps', [
        '{{outcome}}',
        rate('postmesh_delivery_attempts_total', 'outcome'),
      ]),
      panel(
        'From acceptance to delivery',
        's',
        ['half', quantile('postmesh_delivery_latency_seconds', 0.5)],
        ['95 %', quantile('postmesh_delivery_latency_seconds', 0.95)],
        ['99 %', quantile('postmesh_delivery_latency_seconds', 0.99)],
      ),
      panel(
        'May arrive twice, set aside',
        'cps',
        ['uncertain: {{cause}}', rate('postmesh_delivery_uncertain_total', 'cause')],
        ['set aside', rate('postmesh_delivery_set_aside_total')],
      ),
    ],
  },
  {
    title: 'Providers',
    panels: [
      panel('Delivered', 'cps', [
        '{{provider}}',
        rate('postmesh_delivery_attempts_total{outcome="delivered"}', 'provider'),
      ]),
      panel('Deferred', 'cps', [
        '{{provider}}',
        rate('postmesh_delivery_attempts_total{outcome="deferred"}', 'provider'),
      ]),
      panel('Bounced', 'cps', [
        '{{provider}}',
        rate('postmesh_delivery_attempts_total{outcome="bounced"}', 'provider'),
      ]),
      panel('From acceptance to delivery, 95 %', 's', [
        '{{provider}}',
        quantile('postmesh_delivery_latency_seconds', 0.95, 'provider'),
      ]),
      panel('Connections', 'short', [
        '{{provider}}',
        'sum by (provider) (postmesh_smtp_provider_connections)',
      ]),
      panel(
        'Suspended MX groups, limits lowered',
        'short',
        [
          'suspended: {{provider}}',
          'max by (provider, needs_operator) (postmesh_smtp_groups_suspended) or vector(0)',
        ],
        ['lowered', `sum(increase(postmesh_smtp_limit_cuts_total${RATE})) or vector(0)`],
      ),
    ],
  },
  {
    title: 'Accounts: the ten with most per process, in the last minute',
    panels: [
      panel('Accepted', 'short', ['{{account_id}}', 'sum by (account_id) (postmesh_account_accepted)']),
      panel('Delivered', 'short', [
        '{{account_id}}',
        'sum by (account_id) (postmesh_account_outcomes{outcome="delivered"})',
      ]),
      panel('Deferred', 'short', [
        '{{account_id}}',
        'sum by (account_id) (postmesh_account_outcomes{outcome="deferred"})',
      ]),
      panel('Bounced', 'short', [
        '{{account_id}}',
        'sum by (account_id) (postmesh_account_outcomes{outcome="bounced"})',
      ]),
    ],
  },
  {
    title: 'Queues',
    panels: [
      panel(
        'Deliveries',
        'short',
        ['due', 'max(postmesh_deliveries_due)'],
        ['in flight', 'sum(postmesh_deliveries_in_flight)'],
        ['wait for: {{reason}}', 'max by (reason) (postmesh_deliveries_waiting)'],
      ),
      panel('Oldest delivery that is due', 's', ['age', 'max(postmesh_deliveries_due_oldest_seconds)']),
      panel('Outbox: oldest event', 's', [
        '{{service}}',
        'max by (service) (postmesh_outbox_oldest_seconds)',
      ]),
      panel(
        'Events waiting',
        'short',
        ['{{service}} ← {{stream}}', 'max by (service, stream) (postmesh_events_waiting)'],
        ['outbox of {{service}}', 'max by (service) (postmesh_outbox_events)'],
      ),
      panel('Events handled', 'cps', ['{{service}}', rate('postmesh_events_handled_total', 'service')]),
      panel('Dead letters', 'short', ['{{service}}', 'max by (service) (postmesh_dead_letters)']),
    ],
  },
  {
    title: 'Webhooks',
    panels: [
      panel('Attempts', 'cps', ['{{outcome}}', rate('postmesh_webhook_attempts_total', 'outcome')]),
      panel(
        'Deliveries',
        'short',
        ['pending', 'max(postmesh_webhook_deliveries_pending)'],
        ['due', 'max(postmesh_webhook_deliveries_due)'],
        ['of one account', 'max(postmesh_webhook_deliveries_of_one_account)'],
        ['in flight', 'sum(postmesh_webhook_deliveries_in_flight)'],
      ),
      panel(
        'Age',
        's',
        ['due and not made', 'max(postmesh_webhook_deliveries_late_seconds)'],
        ['wanted for', 'max(postmesh_webhook_deliveries_oldest_seconds)'],
      ),
      panel('Endpoints in trouble', 'short', ['{{state}}', 'max by (state) (postmesh_webhook_endpoints)']),
      panel('Endpoints: failing for', 's', [
        'the longest',
        'max(postmesh_webhook_endpoints_failing_seconds)',
      ]),
      panel(
        'Time until an endpoint answers',
        's',
        ['half', quantile('postmesh_webhook_attempt_seconds', 0.5)],
        ['95 %', quantile('postmesh_webhook_attempt_seconds', 0.95)],
      ),
    ],
  },
  {
    title: 'Clients and domains',
    panels: [
      panel('API requests', 'cps', ['{{status}}', rate('postmesh_http_requests_total', 'status')]),
      panel('API requests, 95 %', 's', [
        '{{operation}}',
        `topk(10, ${quantile('postmesh_http_request_seconds', 0.95, 'operation')})`,
      ]),
      panel(
        'SMTP clients',
        'cps',
        ['{{way}} {{result}}', `${rate('postmesh_smtp_messages_total', 'way, result')} or vector(0)`],
        ['refused: {{reason}}', `${rate('postmesh_smtp_refused_connections_total', 'reason')} or vector(0)`],
      ),
      panel('Sending domains', 'short', ['{{state}}', 'max by (state) (postmesh_sending_domains)']),
      panel('Domains whose alignment has fallen', 'short', [
        'domains',
        'max(postmesh_domains_alignment_fallen)',
      ]),
    ],
  },
  {
    title: 'Saturation',
    panels: [
      panel('Processor', 'percentunit', [
        '{{service_name}} {{instance}}',
        `sum by (service_name, instance) (rate(process_cpu_seconds_total${RATE}))`,
      ]),
      panel('Event loops: busy', 'percentunit', [
        '{{service_name}} {{instance}} {{process}}',
        'max by (service_name, instance, process) (postmesh_event_loop_busy_ratio)',
      ]),
      panel('Event loops: lag, 99 %', 's', [
        '{{service_name}} {{instance}} {{process}}',
        'max by (service_name, instance, process) (postmesh_event_loop_lag_seconds)',
      ]),
      panel('Memory', 'bytes', [
        '{{service_name}} {{instance}}',
        'sum by (service_name, instance) (process_resident_memory_bytes)',
      ]),
      panel('Database connections', 'short', [
        '{{service}} {{state}}',
        'sum by (service, state) (postmesh_database_connections)',
      ]),
      panel('Disk of the embedded PostgreSQL: free', 'bytes', [
        'free',
        'min(postmesh_embedded_disk_free_bytes)',
      ]),
    ],
  },
];
