// @ts-check
// A year of statistics in the form of Postmesh's counters, written with a few large statements.

const DAYS = 365;
/** Single facts are kept this long. */
const HISTORY_DAYS = 35;
const MESSAGES_PER_STATEMENT = 500_000;
const TAGS = 20;

/**
 * Hours from single messages: spread evenly over the year, recipient domains with a long tail, two of three messages
 * with one tag, 90 % delivered, the rest bounced; single facts for the days that they are kept.
 * @param {import('pg').Client} client
 * @param {{ accountId: string, messages: number, recipientDomains: number }} year
 */
export async function generateYear(client, { accountId, messages, recipientDomains }) {
  await client.query(`set search_path = messages; set timezone = 'UTC'; select setseed(0.42)`);
  await client.query('begin');
  for (let first = 0; first < messages; first += MESSAGES_PER_STATEMENT) {
    const last = Math.min(messages, first + MESSAGES_PER_STATEMENT) - 1;
    await client.query('drop table if exists generated');
    await client.query(GENERATE(first, last, { messages, recipientDomains }));
    await client.query(COUNT_HOURS, [accountId]);
    await client.query(KEEP_FACTS, [accountId, HISTORY_DAYS]);
  }
  await client.query(
    `update statistics_progress set after_account = null,
       complete_until = date_trunc(level, now() - make_interval(days => $1) - interval '1 month')`,
    [DAYS],
  );
  await client.query('commit');
  await client.query('vacuum analyze statistics_counters, statistics_history');
}

/** No message is lost between the levels. @throws Error */
export async function checkYear(client, { accountId, messages }) {
  const { rows } = await client.query(
    `select level, sum(received)::int as received from messages.statistics_counters
     where account_id = $1 and detail = 'total' and from_time < date_trunc('month', now(), 'UTC') group by level`,
    [accountId],
  );
  const counts = rows.map(({ received }) => received);
  if (counts.length !== 3 || new Set(counts).size !== 1 || counts[0] > messages) {
    throw new Error(`the levels differ: ${JSON.stringify(rows)}`);
  }
  await client.query('vacuum analyze messages.statistics_counters');
}

/** Facts of now, each with a recipient domain and a tag of its own. */
export async function writeLoudFacts(client, { accountId, facts }) {
  await client.query(
    `insert into messages.statistics_facts
       (account_id, domain, recipient_domain, tags, at, figure, classification, count, delivery_ms)
     select $1, 'bench.test', 'r' || nth || '.example', array['u' || nth], now(), 'received', null, 1, 0
     from generate_series(1, $2::int) as nth`,
    [accountId, facts],
  );
}

// Both messages of a second differ in its fraction: no two are at the same time.
const GENERATE = (first, last, { messages, recipientDomains }) => `
  create temp table generated as
  select now() - make_interval(days => ${DAYS}) + nth * (interval '${DAYS} days' / ${messages}) as at,
    'd' || floor(${recipientDomains} * random() ^ 4)::int || '.example' as recipient_domain,
    case when random() < 0.67 then array['t' || floor(${TAGS} * random())::int] end as tags,
    case when random() < 0.9 then null
      else (array['InvalidRecipient', 'PolicyRelated', 'QuotaIssues'])[1 + floor(3 * random())::int] end as classification,
    (500 + 3000 * random())::bigint as delivery_ms
  from generate_series(${first}, ${last}) as nth`;

const COUNT_HOURS = `
  insert into statistics_counters as c (account_id, detail, level, from_time, series, domain, recipient_domain, tags,
    classification, received, delivered, deferred, bounced, failed, suppressed, opened, clicked, delivery_ms)
  select $1, detail, 'hour', from_time,
    md5(jsonb_build_array('bench.test', recipient_domain, tags, classification)::text)::uuid,
    'bench.test', recipient_domain, tags, classification, received, delivered, 0, bounced, 0, 0, 0, 0, delivery_ms
  from (
    select of.detail, date_trunc('hour', f.at) as from_time, of.recipient_domain, of.tags, f.classification,
      sum(f.received) as received, sum(f.delivered) as delivered, sum(f.bounced) as bounced, sum(f.ms) as delivery_ms
    from generated g
    cross join lateral (
      select g.at, null as classification, 1 as received, 0 as delivered, 0 as bounced, 0 as ms
      union all
      select g.at, g.classification, 0, (g.classification is null)::int, (g.classification is not null)::int,
        case when g.classification is null then g.delivery_ms else 0 end) as f
    cross join lateral (values ('total', null, null), ('recipient', g.recipient_domain, null),
      ('tags', null, g.tags), ('recipient-tags', g.recipient_domain, g.tags)) as of(detail, recipient_domain, tags)
    where of.detail in ('total', 'recipient') or g.tags is not null
    group by 1, 2, 3, 4, 5) as sums
  on conflict (account_id, detail, level, from_time, series) do update set
    received = c.received + excluded.received, delivered = c.delivered + excluded.delivered,
    bounced = c.bounced + excluded.bounced, delivery_ms = c.delivery_ms + excluded.delivery_ms`;

const KEEP_FACTS = `
  insert into statistics_history
    (account_id, domain, recipient_domain, tags, at, figure, classification, count, delivery_ms)
  select $1, 'bench.test', recipient_domain, tags, at, figure,
    case when figure = 'bounced' then classification end, 1,
    case when figure = 'delivered' then delivery_ms else 0 end
  from generated
  cross join lateral unnest(array['received', case when classification is null then 'delivered' else 'bounced' end])
    as figure
  where at > now() - make_interval(days => $2)`;
