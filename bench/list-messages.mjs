// @ts-check
// Messages of six days in the form of Postmesh's rows, written with a few large statements; and the queries on them.
// n is the age: message 0 is the newest.

const MESSAGES_PER_STATEMENT = 200_000;

/**
 * Each message is a send request of its own. 80 % are orders with a number of seven digits in the subject and the tag
 * `receipt`, from `orders@bench.test`; 20 % are newsletters with the tag `news`, from `news@bench.test`. Every tenth
 * address got ten messages. 3 % of the orders bounced, no newsletter did. Needles are at the old end.
 * @param {import('pg').Client} client
 * @param {{ accountId: string, count: number }} messages
 */
export async function generateMessages(client, { accountId, count }) {
  await client.query(`set search_path = messages; set timezone = 'UTC'; set synchronous_commit = off`);
  for (let end = count; end > 0; end -= MESSAGES_PER_STATEMENT) {
    const first = Math.max(0, end - MESSAGES_PER_STATEMENT);
    await client.query(GENERATE, [accountId, first, end - 1, count]);
  }
  await client.query('vacuum analyze messages, send_requests');
}

// Minutes old at least, so that the index covers all of them; from old to new, in the order of arrival.
const GENERATE = `
  with given as materialized (
    select n, is_news, at,
      (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8' || substr(md5($1::text), 1, 7)
        || lpad(to_hex(n), 8, '0'))::uuid as id,
      -- mixed, so that adjacent rows have nothing in common
      hashint8extended(n, 1) & 1048575 as dice
    from (
      select n, n % 5 = 4 as is_news,
        date_trunc('milliseconds', now() - interval '4 minutes' - n * (interval '6 days' / $4::bigint)) as at
      from generate_series($3::bigint, $2::bigint, -1) as n) as numbered),
  requests as (
    insert into send_requests (id, account_id, kind, domain_id, domain, sender, subject, message_id_header, tags,
      content_id, size, track_opens, track_clicks, created_at, hide_when_done, retain_data_until, retain_metadata_until)
    select id, $1::uuid, 'conversation', $1::uuid, 'bench.test',
      case when n = $4::bigint - 2 then 'rare@bench.test' when is_news then 'news@bench.test' else 'orders@bench.test' end,
      case when n = $4::bigint - 2 then 'Zebra crossing' when is_news then 'News of week ' || n % 52
        else 'Your order A-' || lpad((hashint8extended(n, 7) & 8388607)::text, 7, '0') end,
      '<' || id || '@bench.test>',
      case when n = $4::bigint - 2 then array['rare'] when is_news then array['news'] else array['receipt', 'bench'] end,
      id, 2000, true, true, at, false, at + interval '30 days', at + interval '30 days'
    from given order by n desc)
  insert into messages (id, send_request_id, account_id, recipient, recipient_name, status, num_attempts, created_at,
    updated_at, sent_at, delivered_at)
  select id, id, $1::uuid,
    case when n = $4::bigint - 2 then 'needle@example.com' else 'u' || dice % greatest(1, $4::bigint / 10) || '@example.com' end, '',
    case when n = $4::bigint - 2 then 'Deferred' when not is_news and dice % 100 < 3 then 'Bounced'
      when dice % 100 < 10 then 'Clicked' when dice % 100 < 30 then 'Opened' else 'Delivered' end,
    1, at, at, at, at
  from given order by n desc`;

/**
 * `found`: least number of messages on a page; `none`: zero. `isHard`: the query reads many rows.
 * @type {{ name: string, query: Record<string, string>, found: 'page' | 'one' | 'few' | 'none', isHard?: boolean }[]}
 */
export const LIST_FILTERS = [
  { name: 'no filter', query: {}, found: 'page' },
  { name: 'status, most', query: { status: 'Delivered' }, found: 'page' },
  { name: 'status, 3 of 100', query: { status: 'Bounced' }, found: 'page' },
  { name: 'status, the oldest but one', query: { status: 'Deferred' }, found: 'one', isHard: true },
  { name: 'status, none', query: { status: 'Suppressed' }, found: 'none' },
  { name: 'sender, most', query: { sender: 'orders@bench.test' }, found: 'page' },
  { name: 'sender, one message', query: { sender: 'rare@bench.test' }, found: 'one', isHard: true },
  { name: 'sender, none', query: { sender: 'nobody@bench.test' }, found: 'none' },
  { name: 'recipient, some messages', query: { recipient: 'u17@example.com' }, found: 'few', isHard: true },
  { name: 'recipient, one message', query: { recipient: 'needle@example.com' }, found: 'one', isHard: true },
  { name: 'recipient, none', query: { recipient: 'nobody@example.com' }, found: 'none', isHard: true },
  { name: 'subject, most', query: { subject: 'order' }, found: 'page' },
  { name: 'subject, one message', query: { subject: 'ZEBRA cross' }, found: 'one', isHard: true },
  {
    name: 'subject, digits of one or no message',
    query: { subject: 'A-4711081' },
    found: 'few',
    isHard: true,
  },
  { name: 'subject, none', query: { subject: 'A-99999990' }, found: 'none', isHard: true },
  { name: 'subject, one character', query: { subject: 'k' }, found: 'page' },
  { name: 'subject, two rare characters', query: { subject: 'zE' }, found: 'one', isHard: true },
  { name: 'tag, most', query: { tags: 'receipt' }, found: 'page' },
  { name: 'tags, one message', query: { tags: 'rare,unknown' }, found: 'one' },
  {
    name: 'most and most, never together',
    query: { tags: 'news', subject: 'order' },
    found: 'none',
    isHard: true,
  },
  {
    name: 'status and tag, never together',
    query: { status: 'Bounced', tags: 'news' },
    found: 'none',
    isHard: true,
  },
  {
    name: 'status, sender and subject, all usual',
    query: { status: 'Opened', sender: 'orders@bench.test', subject: 'A-1' },
    found: 'page',
  },
  {
    name: 'everything, one message',
    query: {
      status: 'Deferred,Delivered',
      sender: 'rare@bench.test',
      recipient: 'needle@example.com',
      subject: 'zebra',
      tags: 'rare',
    },
    found: 'one',
    isHard: true,
  },
];

/** @throws Error when the page does not hold the generated messages */
export function checkFound(name, { data }, found) {
  const fits = {
    page: data.length === 100,
    one: data.length === 1,
    few: data.length < 100,
    none: data.length === 0,
  };
  if (!fits[found]) throw new Error(`${name}: ${data.length} messages on the page`);
}
