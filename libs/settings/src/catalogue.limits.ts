import { choice, decimal, flag, integer, list, powersOfFour, text, url, waits } from './setting.js';

/** Limits of the API and of delivery, and settings of logs. */
export const LIMITS = {
  // Limits (spec 1-platform §16)
  bodyLimitBytes: integer({
    env: 'POSTMESH_BODY_LIMIT_BYTES',
    description: 'Largest request body, bytes.',
    default: 30_000_000,
    min: 1_000,
    max: 30_000_000,
  }),
  jsonDepth: integer({
    env: 'POSTMESH_JSON_DEPTH',
    description:
      'Nesting depth of arrays and objects in a JSON text: a request body, a line of an import, an event.',
    default: 128,
    min: 16,
    max: 1_000,
  }),
  jsonValues: integer({
    env: 'POSTMESH_JSON_VALUES',
    description:
      'Values (objects, arrays, and what they hold) that a JSON text may have. A value of three bytes takes up to 100 bytes of memory; a batch of 1,000 contacts with 100 attributes each has 105,000.',
    default: 150_000,
    min: 10_000,
    max: 10_000_000,
  }),
  messageLimitBytes: integer({
    env: 'POSTMESH_MESSAGE_LIMIT_BYTES',
    description: 'Largest finished message, bytes.',
    default: 20_971_520,
    min: 10_000,
    max: 20_971_520,
  }),
  rawTexts: flag({
    env: 'POSTMESH_RAW_TEXTS',
    description:
      'Store the texts of messages apart from their JSON, which costs less. Turn it on only when every process has this setting, also the release of a rollback: older processes cannot read such messages and fail them.',
    default: false,
  }),
  largeBytes: integer({
    env: 'POSTMESH_LARGE_BYTES',
    description:
      'Bytes of request bodies of 1 MiB and more that a process holds at once, and bytes of large messages that a delivery worker sends at once; others wait. Each body takes several times its size of memory.',
    default: 50_331_648,
    min: 1_048_576,
    max: 17_179_869_184,
  }),
  bodyBytes: integer({
    env: 'POSTMESH_BODY_BYTES',
    description:
      'Bytes of request bodies of less than 1 MiB that a process holds at once, each counted as it arrives and as 16 KiB at least. An account may use a third of it; above that its requests get 429. Above the whole limit all requests get 503.',
    default: 100_663_296,
    min: 6_291_456,
    max: 17_179_869_184,
  }),
  uploadStallSeconds: integer({
    env: 'POSTMESH_UPLOAD_STALL_S',
    description:
      'A request body slower than POSTMESH_UPLOAD_MIN_BYTES_PER_SECOND for this time gets 408; while another account waits for its memory, 503 after half of this time. The whole request may take 300 s.',
    default: 10,
    min: 1,
    max: 300,
  }),
  uploadMinBytesPerSecond: integer({
    env: 'POSTMESH_UPLOAD_MIN_BYTES_PER_SECOND',
    description: 'Lowest rate of a request body; slower ones are ended.',
    default: 1_024,
    min: 1,
    max: 1_048_576,
  }),
  rateGeneralPerSecond: integer({
    env: 'POSTMESH_RATE_GENERAL_PER_SECOND',
    description: 'API requests per second and account.',
    default: 100,
    min: 1,
    max: 1_000_000,
  }),
  rateGeneralBurst: integer({
    env: 'POSTMESH_RATE_GENERAL_BURST',
    description: 'Burst of the above.',
    default: 200,
    min: 1,
    max: 1_000_000,
  }),
  rateStatisticsPerSecond: integer({
    env: 'POSTMESH_RATE_STATISTICS_PER_SECOND',
    description: 'Statistics requests per second and account.',
    default: 1,
    min: 1,
    max: 1_000_000,
  }),
  rateStatisticsBurst: integer({
    env: 'POSTMESH_RATE_STATISTICS_BURST',
    description: 'Burst of the above.',
    default: 1,
    min: 1,
    max: 1_000_000,
  }),
  idempotencyLeaseSeconds: integer({
    env: 'POSTMESH_IDEMPOTENCY_LEASE_S',
    description: 'How long a run may hold an idempotency key.',
    default: 300,
    min: 1,
    max: 3_600,
  }),
  idempotencyTtlSeconds: integer({
    env: 'POSTMESH_IDEMPOTENCY_TTL_S',
    description: 'How long a response is replayed.',
    default: 86_400,
    min: 1,
    max: 604_800,
  }),
  idempotencySecretTtlSeconds: integer({
    env: 'POSTMESH_IDEMPOTENCY_SECRET_TTL_S',
    description: 'How long a response that holds an API key is replayed.',
    default: 300,
    min: 1,
    max: 3_600,
  }),
  deadLetterDays: integer({
    env: 'POSTMESH_DEAD_LETTER_DAYS',
    description: 'How long dead letters of consumers are kept for a replay, days; then they are deleted.',
    default: 30,
    min: 1,
    max: 366,
  }),
  requestLogDays: integer({
    env: 'POSTMESH_REQUEST_LOG_DAYS',
    description:
      'How long the console shows requests of an account that were refused or have failed, days. 0: none is stored.',
    default: 7,
    min: 0,
    max: 30,
  }),
  auditKeysPerDay: integer({
    env: 'POSTMESH_AUDIT_KEYS_PER_DAY',
    description:
      'Most changes of the configuration by API keys of an account that have an entry in the audit a day (UTC); the last entry says that it is full.',
    default: 10_000,
    min: 10,
    max: 1_000_000,
  }),
  requestLogPerDay: integer({
    env: 'POSTMESH_REQUEST_LOG_PER_DAY',
    description:
      'Most such requests of an account that are stored a day (UTC): half of them at any time, the rest spread over the day. Further ones are counted.',
    default: 1_000,
    min: 10,
    max: 5_000,
  }),
  domainLimit: integer({
    env: 'POSTMESH_DOMAIN_LIMIT',
    description: 'Sending domains per account.',
    default: 10_000,
    min: 1,
    max: 1_000_000,
  }),
  webhookLimit: integer({
    env: 'POSTMESH_WEBHOOK_LIMIT',
    description: 'Webhooks per account; an account that has more keeps them.',
    default: 100,
    min: 1,
    max: 10_000,
  }),
  routeLimit: integer({
    env: 'POSTMESH_ROUTE_LIMIT',
    description: 'Routes per account.',
    default: 100,
    min: 1,
    max: 1_000,
  }),
  pauseBounceRate: decimal({
    env: 'POSTMESH_PAUSE_BOUNCE_RATE',
    description:
      'A sending domain is paused when more than this part of its messages of the last 30 days bounced; 1 = never.',
    default: 0.1,
    min: 0.001,
    max: 1,
  }),
  pauseMinBounces: integer({
    env: 'POSTMESH_PAUSE_MIN_BOUNCES',
    description: 'Least number of bounces for such a pause.',
    default: 100,
    min: 1,
    max: 1_000_000_000,
  }),
  campaignReview: flag({
    env: 'POSTMESH_CAMPAIGN_REVIEW',
    description:
      'Whether campaigns may wait for the review of an operator: campaigns of reviewed accounts, to lists with many addresses that may bounce, or with content that needs a review.',
    default: false,
  }),
  campaignContentCheckUrl: url({
    env: 'POSTMESH_CAMPAIGN_CONTENT_CHECK_URL',
    description:
      'The service that reviews the content of campaigns while they may be held: each is posted as JSON, and the answer is `{"review": true}` or `{"review": false}`; any other answer holds the campaign.',
    default: undefined as string | undefined,
    protocols: ['http:', 'https:'],
  }),
  campaignBounceRate: decimal({
    env: 'POSTMESH_CAMPAIGN_BOUNCE_RATE',
    description: 'A campaign is paused when more than this part of its outcomes bounced; 1 = never.',
    // Spec 3-marketing §4.2
    default: 0.05,
    min: 0.001,
    max: 1,
  }),
  campaignComplaintRate: decimal({
    env: 'POSTMESH_CAMPAIGN_COMPLAINT_RATE',
    description: 'The same for complaints about delivered messages.',
    default: 0.003,
    min: 0.0001,
    max: 1,
  }),
  campaignMinOutcomes: integer({
    env: 'POSTMESH_CAMPAIGN_MIN_OUTCOMES',
    description: 'Least number of delivered and bounced messages of a campaign for such a pause.',
    default: 500,
    min: 1,
    max: 1_000_000_000,
  }),
  bannedDomainsFile: text({
    env: 'POSTMESH_BANNED_DOMAINS_FILE',
    description:
      'Domains that no account may add, with everything below them: one name per line, `#` for remarks; read again when it changes.',
    default: undefined as string | undefined,
  }),
  dnsMode: choice({
    env: 'POSTMESH_DNS_MODE',
    description: 'DNS mode of new domains.',
    default: 'managed',
    of: ['managed', 'manual'],
  }),
  dkimRotationDays: integer({
    env: 'POSTMESH_DKIM_ROTATION_DAYS',
    description:
      'Days for which a DKIM key of a managed domain signs, unless its domain or account says otherwise.',
    default: 90,
    min: 1,
    max: 365,
  }),
  dkimKeyBits: integer({
    env: 'POSTMESH_DKIM_KEY_BITS',
    description:
      'Size of the RSA keys that are made for DKIM. Existing keys keep their size until they are rotated. Less than 2048 is the least that receivers accept (RFC 8301); above it the record needs more room than some DNS providers have, and a signature costs several times as much.',
    default: 2048,
    min: 1024,
    max: 4096,
  }),
  toxicDomainsFile: text({
    env: 'POSTMESH_TOXIC_DOMAINS_FILE',
    description:
      'Recipient domains that accounts with `reject_bad_recipients` do not send to, instead of the list that comes with Postmesh: one name per line, `#` for remarks; read again when it changes.',
    default: undefined as string | undefined,
  }),
  mistypedDomainsFile: text({
    env: 'POSTMESH_MISTYPED_DOMAINS_FILE',
    description:
      'Misspelled recipient domains that accounts with `reject_mistyped_recipients` do not send to, instead of the list that comes with Postmesh; in the same form.',
    default: undefined as string | undefined,
  }),
  retentionMetadataDays: integer({
    env: 'POSTMESH_RETENTION_METADATA_DAYS',
    description: 'How long new accounts keep the metadata of a message, days.',
    default: 7,
    min: 1,
    max: 30,
  }),
  retentionDataDays: integer({
    env: 'POSTMESH_RETENTION_DATA_DAYS',
    description: 'How long new accounts keep the content of a message, days.',
    default: 7,
    min: 0,
    max: 30,
  }),
  pricePerMessage: decimal({
    env: 'POSTMESH_PRICE_PER_MESSAGE',
    description: 'The price of one accepted message, for the usage report of sub-accounts.',
    default: 0,
    min: 0,
    max: 1_000,
  }),
  currency: choice({
    env: 'POSTMESH_CURRENCY',
    description: 'Currency of the above.',
    default: 'usd',
    of: ['usd', 'eur', 'gbp', 'chf', 'sek', 'nok', 'dkk', 'pln', 'czk', 'jpy', 'cad', 'aud', 'inr', 'brl'],
  }),
  platformPartner: flag({
    env: 'POSTMESH_PLATFORM_PARTNER',
    description: 'Whether new accounts may have sub-accounts.',
    default: true,
  }),

  // Delivery
  delivery: flag({
    env: 'POSTMESH_DELIVERY',
    description:
      'Whether delivery workers attempt deliveries. `off`: messages are accepted and wait, and no server is asked; for the start after a restore (docs/operations.md).',
    default: true,
  }),
  deliveryConcurrency: integer({
    env: 'POSTMESH_DELIVERY_CONCURRENCY',
    description: 'SMTP transactions at once per delivery worker.',
    default: 200,
    min: 1,
    max: 5_000,
  }),
  deliveryPerDestination: integer({
    env: 'POSTMESH_DELIVERY_PER_DESTINATION',
    description:
      'Most connections per MX group, source address and delivery worker, whatever a provider allows. The number of all workers together is learnt (POSTMESH_SHAPING_FILE).',
    default: 20,
    min: 1,
    max: 500,
  }),
  shapingFile: text({
    env: 'POSTMESH_SHAPING_FILE',
    description:
      'JSON file of limits per mailbox provider: rows by id, put over the ones that Postmesh brings along, `default` included.',
    default: undefined as string | undefined,
  }),
  deliveryLeaseSeconds: integer({
    env: 'POSTMESH_DELIVERY_LEASE_S',
    description:
      'Lease of claimed deliveries: after this time without a renewal, for example when a worker cannot reach its database, another worker claims them. The leases of a dead process on the same machine end within seconds.',
    default: 60,
    min: 5,
    max: 3_600,
  }),
  retryDelaysSeconds: list({
    env: 'POSTMESH_RETRY_DELAYS_S',
    description: 'Backoff after failed attempts 1…7, seconds (tests shorten it).',
    // Spec 2-messages §14.5: 5 m, 15 m, 40 m, 2 h, 4 h, 6 h, 10 h.
    default: ['300', '900', '2400', '7200', '14400', '21600', '36000'],
  }),
  deliveryWindowSeconds: integer({
    env: 'POSTMESH_DELIVERY_WINDOW_S',
    description: 'How long delivery is retried after the first attempt.',
    default: 86_400,
    min: 10,
    max: 604_800,
  }),
  webhookConcurrency: integer({
    env: 'POSTMESH_WEBHOOK_CONCURRENCY',
    description: 'Webhook attempts at once per dispatcher.',
    default: 200,
    min: 1,
    max: 5_000,
  }),
  webhookPerHost: integer({
    env: 'POSTMESH_WEBHOOK_PER_HOST',
    description: 'Webhook attempts at once per host and dispatcher.',
    default: 64,
    min: 1,
    max: 500,
  }),
  webhookPerEndpoint: integer({
    env: 'POSTMESH_WEBHOOK_PER_ENDPOINT',
    description: 'Attempts at once per webhook or route and dispatcher.',
    default: 16,
    min: 1,
    max: 500,
  }),
  webhookTimeoutSeconds: integer({
    env: 'POSTMESH_WEBHOOK_TIMEOUT_S',
    description: 'How long an attempt of a webhook or route may take, redirects included.',
    // Spec 2-messages §18.5
    default: 10,
    min: 1,
    max: 60,
  }),
  webhookRetries: waits({
    env: 'POSTMESH_WEBHOOK_RETRIES',
    description:
      'Backoff after failed attempts of a webhook delivery, each up to 10 % more or less; then the delivery is dropped.',
    // Spec 2-messages §18.6: 10 tries in about 28 hours.
    default: [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 36_000],
  }),
  webhookProbeSeconds: integer({
    env: 'POSTMESH_WEBHOOK_PROBE_S',
    description:
      'Most seconds between two calls of a webhook or route while every call fails. The next call comes after a tenth of the time that the calls have been failing, and after 5 s at the earliest.',
    // Spec 2-messages §18.8
    default: 300,
    min: 5,
    max: 3_600,
  }),
  webhookFailingMinutes: decimal({
    env: 'POSTMESH_WEBHOOK_FAILING_MINUTES',
    description:
      'When every call of a webhook or route has failed for this time, the members of its account are mailed.',
    // Spec 2-messages §18.8
    default: 60,
    min: 0.01,
    max: 10_080,
  }),
  webhookDisableHours: decimal({
    env: 'POSTMESH_WEBHOOK_DISABLE_HOURS',
    description:
      'When every call of a webhook or route has failed for this time, ten calls at least, it is disabled, and the members of its account are mailed.',
    // Spec 2-messages §18.8: 5 days
    default: 120,
    min: 0.001,
    max: 720,
  }),
  routeRetries: waits({
    env: 'POSTMESH_ROUTE_RETRIES',
    description: 'The same for a route.',
    // Spec 1-platform §13.5
    default: powersOfFour(11),
  }),
  routeBytes: integer({
    env: 'POSTMESH_ROUTE_BYTES',
    description:
      'Bytes of inbound messages that a dispatcher holds at once while it posts them to routes, half of them of one account at most; others wait.',
    default: 67_108_864,
    min: 33_554_432,
    max: 17_179_869_184,
  }),
  webhookPending: integer({
    env: 'POSTMESH_WEBHOOK_PENDING',
    description:
      'Most pending webhook deliveries per account. Further ones are set aside, kept as long as ended ones, and made once the account has half as many.',
    default: 100_000,
    min: 1_000,
    max: 10_000_000,
  }),
  webhookAttemptDays: integer({
    env: 'POSTMESH_WEBHOOK_ATTEMPT_DAYS',
    description:
      'How long each attempt of a webhook or route is kept, with the beginning of its response, days.',
    default: 30,
    min: 1,
    max: 366,
  }),
  webhookReplayDays: integer({
    env: 'POSTMESH_WEBHOOK_REPLAY_DAYS',
    description:
      'How long ended webhook deliveries are kept with their bodies for a replay, days. Bodies name recipients and subjects, so they are kept no longer than the metadata of messages. 0: not at all.',
    default: 7,
    min: 0,
    max: 30,
  }),
  webhookRetryScale: decimal({
    env: 'POSTMESH_WEBHOOK_RETRY_SCALE',
    description: 'Factor on the waits between webhook attempts (tests shorten them).',
    default: 1,
    min: 0.001,
    max: 10,
  }),
  campaignConcurrency: integer({
    env: 'POSTMESH_CAMPAIGN_CONCURRENCY',
    description:
      'Batches of campaigns, up to 100 recipients each, that a process sends at once; one campaign may use half of them.',
    default: 8,
    min: 2,
    max: 100,
  }),
  campaignWindow: integer({
    env: 'POSTMESH_CAMPAIGN_WINDOW',
    description:
      'Messages of a campaign that may be accepted without a first outcome; the others wait, so that a campaign can be paused.',
    default: 10_000,
    min: 100,
    max: 1_000_000,
  }),
  marketingDailyLimit: integer<number | undefined>({
    env: 'POSTMESH_MARKETING_DAILY_LIMIT',
    description:
      'Campaign messages per account and UTC day, for accounts without a limit of their own. 0: campaigns are off.',
    default: undefined,
    defaultText: 'none: no limit',
    min: 0,
    max: 1_000_000_000,
  }),

  // Observability
  logLevel: choice({
    env: 'POSTMESH_LOG_LEVEL',
    description: 'Lowest level that is logged.',
    default: 'info',
    of: ['debug', 'info', 'warn', 'error', 'silent'],
  }),
  tracesPerThousand: integer({
    env: 'POSTMESH_TRACES_PER_THOUSAND',
    description:
      'The number of API requests and submitted messages in a thousand that OpenTelemetry traces through all services; 0: none, and nothing of it is loaded. The target of traces is set by the standard variables `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS` and so on.',
    default: 0,
    min: 0,
    max: 1_000,
  }),
} as const;
