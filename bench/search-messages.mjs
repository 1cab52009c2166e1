// @ts-check
// A month of messages of several accounts in the form of Postmesh's rows, and the searches of the console on them. n is
// the age: message 0 is the newest.

const MESSAGES_PER_STATEMENT = 200_000;
const DAYS = 30;

/**
 * The first account, which is searched, has 60 of 100 messages; the second 20; the others the rest. A campaign of one
 * account is 4,000 of each 10,000 messages that follow each other. 3 of 100 of the others are inbound, 20 are
 * newsletters, and the rest orders with a number of seven digits in the subject. Recipients are people of whom few get
 * much, at two large providers and a thousand other domains. 3 of 100 orders bounced, no newsletter did. Needles are at
 * the old end.
 * @param {import('pg').Client} client
 * @param {{ accountIds: string[], count: number, base: Date }} messages
 */
export async function generateMonth(client, { accountIds, count, base }) {
  await client.query(`set search_path = messages; set timezone = 'UTC'; set synchronous_commit = off`);
  await client.query(FUNCTIONS);
  for (let end = count; end > 0; end -= MESSAGES_PER_STATEMENT) {
    const first = Math.max(0, end - MESSAGES_PER_STATEMENT);
    await client.query(GENERATE, [accountIds, first, end - 1, count, base]);
  }
  await client.query('vacuum analyze messages, send_requests');
}

/** Those of this session: the id of a message says its time, as a UUID of version 7 does. */
const FUNCTIONS = `
  create function pg_temp.at(n bigint, count bigint, base timestamptz) returns timestamptz language sql immutable
    return date_trunc('milliseconds', base - n * (interval '${DAYS} days' / count));
  create function pg_temp.id(n bigint, at timestamptz) returns uuid language sql immutable
    return (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8' || 'bec4711'
      || lpad(to_hex(n), 8, '0'))::uuid;
  create function pg_temp.account(dice bigint, ids uuid[]) returns uuid language sql immutable
    return ids[case when dice % 100 < 60 then 1 when dice % 100 < 80 then 2 else 3 + dice % (cardinality(ids) - 2) end]`;

// $1 accounts, $2 first, $3 last, $4 messages in all, $5 time of the newest; from old to new, in the order of arrival. A
// batch of a campaign is a send request of a hundred messages, whose id is that of its first, newest one.
const GENERATE = `
  with numbered as materialized (
    select n, n % 10000 < 4000 as is_campaign, n = $4::bigint - 2 as is_needle, n = $4::bigint / 10000 * 10000 - 10000 + 99 as is_reader,
      hashint8extended(n, 1) & 1048575 as dice, hashint8extended(n, 5) & 1048575 as other,
      hashint8extended(n / 10000, 3) & 1048575 as burst, pg_temp.at(n, $4, $5) as at
    from generate_series($3::bigint, $2::bigint, -1) as n),
  given as materialized (
    select n, at, pg_temp.id(n, at) as id, dice, is_needle, is_campaign and not is_needle as is_campaign,
      case when is_needle or is_reader then ($1::uuid[])[1]
        when is_campaign then pg_temp.account(burst, $1::uuid[]) else pg_temp.account(other, $1::uuid[]) end as account,
      case when is_campaign and not is_needle
        then pg_temp.id(n / 100 * 100, pg_temp.at(n / 100 * 100, $4, $5)) else pg_temp.id(n, at) end as request,
      case when is_campaign and not is_needle then md5((n / 10000)::text)::uuid end as campaign,
      not is_needle and not is_campaign and other % 100 < 3 as is_inbound,
      not is_needle and not is_campaign and other % 100 between 80 and 99 as is_news,
      case when is_needle then 'needle@rare.example' when is_reader then 'reader@rare.example'
        else person || '@' || case when person_n % 10 < 4 then 'large.example' when person_n % 10 < 6 then 'mail.example'
          else 'd' || person_n % 997 || '.example' end end as person
    from numbered, lateral (select floor(power(dice / 1048576.0, 3) * greatest(10, $4::bigint / 10))::bigint as person_n) as p,
      lateral (select 'u' || person_n as person) as q),
  requests as (
    insert into send_requests (id, account_id, kind, domain_id, domain, sender, subject, message_id_header, tags,
      content_id, size, track_opens, track_clicks, created_at, hide_when_done, retain_data_until, retain_metadata_until,
      campaign_id)
    select id, account, case when is_campaign then 'campaign' when is_inbound then 'inbound' else 'conversation' end,
      account, 'bench.test',
      case when is_needle then 'rare@bench.test' when is_inbound then person when is_campaign or is_news then 'news@bench.test'
        else 'orders@bench.test' end,
      case when is_needle then 'Zebra crossing' when is_inbound then 'Question about A-' || n % 9999
        when is_campaign then 'Spring offers' when is_news then 'News of week ' || n % 52
        else 'Your order A-' || lpad((hashint8extended(n, 7) & 8388607)::text, 7, '0') end,
      '<' || id || '@bench.test>',
      case when is_needle then array['rare'] when is_campaign or is_news then array['news'] when is_inbound then '{}'
        else array['receipt', 'bench'] end,
      id, 2000, true, true, at, false, at + interval '60 days', at + interval '60 days', campaign
    from given where id = request order by n desc)
  insert into messages (id, send_request_id, account_id, recipient, recipient_name, status, num_attempts, created_at,
    updated_at, sent_at, delivered_at, campaign_id, subject)
  select id, request, account, case when is_inbound then 'help@bench.test' else person end, '',
    case when is_needle then 'Deferred' when is_inbound then 'Inbound'
      when not is_news and not is_campaign and dice % 100 < 3 then 'Bounced'
      when dice % 100 < 10 then 'Clicked' when dice % 100 < 30 then 'Opened' else 'Delivered' end,
    1, at, at, at, at, campaign, case when is_campaign then 'Spring offers for ' || split_part(person, '@', 1) end
  from given order by n desc`;

/**
 * `found`: messages on the first page, where it can be known. A search that looks at row after row ends its page at its
 * bound, and the next one continues.
 * @param {Date} base @returns {{ name: string, query: Record<string, string>, found?: 'page' | 'one' | 'none' }[]}
 */
export function searches(base) {
  const day = (ago) => new Date(base.getTime() - ago * 86_400_000).toISOString();
  const aDay = { from_time: day(DAYS - 5), to_time: day(DAYS - 6) };
  const lastDay = { from_time: day(DAYS + 1), to_time: day(DAYS - 1) };
  return [
    { name: 'no filter', query: {}, found: 'page' },
    { name: 'address, of many messages', query: { recipient: 'u0@large.example' } },
    { name: 'address, of one message', query: { recipient: 'needle@rare.example' } },
    { name: 'address, of none', query: { recipient: 'nobody@rare.example' } },
    {
      name: 'address, sends only, of one message',
      query: { recipient: 'needle@rare.example', kind: 'sends' },
      found: 'one',
    },
    { name: 'part of an address, most', query: { address: '@large' }, found: 'page' },
    { name: 'part of an address, one message', query: { address: 'needle@' } },
    { name: 'the same, within its two days', query: { address: 'needle@', ...lastDay } },
    { name: 'word of the subject, most', query: { subject: 'order' }, found: 'page' },
    { name: 'word of the subject, of campaigns', query: { subject: 'spring' } },
    { name: 'word of the subject, one message', query: { subject: 'ZEBRA' } },
    { name: 'digits of the subject, of one or no message', query: { subject: 'A-4711081' } },
    { name: 'tag, most', query: { tags: 'receipt' }, found: 'page' },
    { name: 'tag, one message', query: { tags: 'rare' } },
    { name: 'status, most', query: { status: 'Delivered' }, found: 'page' },
    { name: 'status, few of 100', query: { status: 'Bounced' }, found: 'page' },
    { name: 'status, one message', query: { status: 'Deferred', kind: 'sends' }, found: 'one' },
    { name: 'a day of long ago', query: aDay, found: 'page' },
    { name: 'a day of long ago, and a status', query: { ...aDay, status: 'Bounced' } },
    { name: 'inbound', query: { kind: 'inbound' }, found: 'page' },
    { name: 'campaigns, and a status', query: { kind: 'campaigns', status: 'Opened' }, found: 'page' },
    {
      name: 'status and tag, never together',
      query: { status: 'Bounced', tags: 'news', kind: 'sends' },
      found: 'none',
    },
    {
      name: 'worst: part of an address, subject, tag and status of most, never together',
      query: { address: 'nobody@', subject: 'order', tags: 'receipt', status: 'Delivered' },
    },
  ];
}

/** @throws Error when the page does not hold the generated messages */
export function checkPage(name, { data }, found, limit) {
  const wanted = found === 'page' ? limit : found === 'one' ? 1 : 0;
  if (found !== undefined && data.length !== wanted)
    throw new Error(`${name}: ${data.length} messages on the page`);
}
