// @ts-check
// (n) A campaign from Send until the sink has the last message, and the same with listmonk, to the sink and through a
// Postfix that signs: as many recipients, the same HTML, in turns on the same PostgreSQL server. Postmesh is frozen while
// listmonk sends.
import { median, ratio, round } from './figures.rules.mjs';
import { whileFrozen } from './frozen.mjs';
import { measureListmonk } from './listmonk.mjs';
import { SigningRelay, whyNoPostfix, whyNoSigner } from './postfix.mjs';
import { machinePace } from './report.mjs';
import { makeFolder, nowMicros, removeFolder } from '../tools/processes.mjs';
import { DOMAIN, withParts } from './stack.mjs';

const LIMIT_MS = 900_000;
const QUIET_MS = 60_000;
const WARM_UP = 1_000;
const PIECE = 50_000;

const HTML = `<html><body><h1>Hello {{ name }}</h1>${'<p>News of the month, as every month.</p>'.repeat(40)}
<p><a href="{{ unsubscribe }}">Unsubscribe</a></p></body></html>`;
const OURS = HTML.replace('{{ name }}', '{{ first_name }}').replace(
  '{{ unsubscribe }}',
  '{{ unsubscribe_url }}',
);
const THEIRS = HTML.replace('{{ name }}', '{{ .Subscriber.Name }}').replace(
  '{{ unsubscribe }}',
  '{{ UnsubscribeURL }}',
);

/** @param {import('./options.mjs').Context} context @returns {Promise<Record<string, any>>} figures */
export function measureCampaigns({ options, note }) {
  const recipients = options.campaignRecipients;
  // the sink of the other system offers none either
  return withParts({ tls: false, note }, async (parts) => {
    await measure(parts, { name: 'Warm', recipients: WARM_UP });
    const systems = [
      { key: 'postmesh', run: (nth) => measure(parts, { name: `Bench ${nth}`, recipients }) },
      {
        key: 'listmonk',
        run: () => frozen(parts, () => measureListmonk(parts, { recipients, html: THEIRS })),
      },
      {
        key: 'listmonk_and_signed_postfix',
        run: () => frozen(parts, () => throughPostfix(parts, recipients)),
      },
    ];
    /** @type {Record<string, Record<string, any>[]>} */
    const rounds = {};
    /** @type {Record<string, string>} by system */
    const skipped = {};
    for (let nth = 0; nth < Math.min(options.rounds, MOST_ROUNDS); nth += 1) {
      for (const { key, run } of systems) {
        if (skipped[key] !== undefined) continue;
        const machine = machinePace();
        try {
          const figures = { ...(await run(nth)), machine };
          (rounds[key] ??= []).push(figures);
        } catch (error) {
          if (key === 'postmesh') throw error;
          skipped[key] = error instanceof Error ? error.message : String(error);
        }
      }
    }
    const { postmesh: ours = [], ...theirs } = rounds;
    return {
      name: NAME,
      runs: Object.values(rounds).flatMap((of) => medianRun(of)),
      rounds,
      ...(Object.keys(skipped).length > 0 ? { skipped: Object.values(skipped).join('; ') } : {}),
      ratios: Object.fromEntries(
        Object.entries(theirs).map(([key, of]) => [
          `campaign_recipients_per_second_to_${key}`,
          round(
            median(
              of.map((one, nth) => ratio(ours[nth]?.recipients_per_second, one.recipients_per_second) ?? NaN),
            ),
            2,
          ),
        ]),
      ),
    };
  });
}

const MOST_ROUNDS = 3;

const frozen = ({ stack }, work) => whileFrozen(stack.nodeGroups(), work);

/** @param {import('./stack.mjs').Parts} parts @param {number} recipients */
async function throughPostfix(parts, recipients) {
  const why = whyNoPostfix() ?? whyNoSigner();
  if (why) throw new Error(why);
  const relay = await SigningRelay.start({ relayPort: parts.sink.port });
  try {
    return await measureListmonk(parts, { recipients, html: THEIRS, relay });
  } finally {
    await relay.stop();
  }
}

/** The round in the middle by its rate. */
function medianRun(rounds) {
  const sorted = [...rounds].sort((a, b) => a.recipients_per_second - b.recipients_per_second);
  return sorted.slice(Math.floor((sorted.length - 1) / 2)).slice(0, 1);
}

const NAME = 'a campaign, from Send to the last message at the sink';

/** @param {import('./stack.mjs').Parts} parts @param {{ name: string, recipients: number }} about */
async function measure({ stack, sink }, { name, recipients }) {
  const list = await stack.call('POST', '/lists', 201, { name });
  await fill(stack, { list: list.id, name, recipients });
  const campaign = await stack.call('POST', '/campaigns', 201, {
    name,
    subject: 'News for you',
    from: { email: `sender@${DOMAIN}`, name: 'Bench' },
    list_ids: [list.id],
    content: { html: OURS },
  });
  await sink.reset();
  const before = stack.cpu();
  const began = nowMicros();
  await stack.call('POST', `/campaigns/${campaign.id}/send`, 200, {});
  const counts = await sink.waitFor(recipients, { limitMs: LIMIT_MS, quietMs: QUIET_MS });
  const cpu = stack.cpuPerThousand(before, recipients);
  if (counts.messages < recipients) {
    const now = await stack.call('GET', `/campaigns/${campaign.id}`, 200);
    throw new Error(
      `${counts.messages} of ${recipients} arrived; the campaign is ${now.status}: ${now.status_reason}`,
    );
  }
  const seconds = (counts.last - began) / 1e6;
  return {
    name: `Postmesh, ${counts.signed === counts.messages ? 'signed' : 'NOT ALL SIGNED'}`,
    recipients,
    first_after_s: round((counts.first - began) / 1e6, 2),
    seconds: round(seconds, 2),
    recipients_per_second: round(recipients / seconds),
    duplicates: counts.messages - (await distinct(sink)),
    cpu_seconds_per_1000: cpu,
    memory_mib: stack.memory().postmesh,
  };
}

/** Number of distinct Message-IDs: each recipient has one. */
async function distinct(sink) {
  const folder = makeFolder('campaign');
  try {
    return new Set((await sink.arrivals(folder)).map(([id]) => id)).size;
  } finally {
    removeFolder(folder);
  }
}

/** Contacts on a list, as if they had been added in batches. */
const fill = (stack, { list, name, recipients }) =>
  stack.askDatabase(async (client) => {
    await client.query('set search_path to marketing');
    for (let from = 0; from < recipients; from += PIECE) {
      const until = Math.min(from + PIECE, recipients);
      await client.query(INSERT, [stack.credentials.account_id, list, name.toLowerCase(), from, until]);
      await client.query(JOIN, [stack.credentials.account_id, list, name.toLowerCase(), from, until]);
    }
    await client.query('vacuum analyze contacts, memberships');
  });

const INSERT = `
  insert into contacts (id, account_id, created_at, updated_at, email, first_name, last_name, status, status_reason,
    unsubscribed, attributes)
  select gen_random_uuid(), $1::uuid, now(), now(), $3 || n || '@r00.test', 'Pat', 'Example', 'enabled', '', false, '{}'
    from generate_series($4::int, $5::int - 1) as n where $2::uuid is not null`;
const JOIN = `
  insert into memberships (list_id, contact_id, account_id, subscription_status, subscribed_at, created_at, updated_at)
  select $2::uuid, contacts.id, $1::uuid, 'confirmed', now(), now(), now()
    from generate_series($4::int, $5::int - 1) as n
    join contacts on contacts.account_id = $1::uuid and contacts.email = $3 || n || '@r00.test'`;
