// @ts-check
// A life of campaigns: they become due, are paused, resumed and canceled, their messages have outcomes, and two processes of
// marketing run and fail.
import { MessageChanged } from '../../../services/messages/contract/dist/index.js';
import { Bus } from '../bus.mjs';
import { Network } from '../network.mjs';
import { randomOf } from '../random.mjs';
import { runIn } from '../virtual-time.mjs';
import { World } from '../world.mjs';
import { DOMAIN_ID, MarketingProcess } from './marketing-process.mjs';
import { MessagesWorld } from './messages-world.mjs';
import { kindOf, subjectOf } from './plan.mjs';

/**
 * @typedef {object} Operation an act of an operator, from its first try to its answer
 * @property {import('./plan.mjs').Act} kind
 * @property {string} id of the campaign
 * @property {number} from
 * @property {number} to Infinity: no answer
 * @property {boolean} isDone false: it was answered with a 4xx
 */

const ENDS_WITHIN_MS = 420_000;
const MAX_TRIES = 40;
const ACCOUNT = '01989f3e-5b7a-7c11-8000-000000000041';
const LIST = '01984f3e-5b7a-7c11-8000-000000000001';
const HTML = '<p>Hi {{ first_name }} <a href="{{ unsubscribe_url }}">stop</a></p>';

/** @extends {World<any>} */
export class Life extends World {
  /** @type {Operation[]} */
  operations = [];
  waiting = 0;
  outcomes = 0;

  /** @param {import('./plan.mjs').Plan} plan @param {import('../store.mjs').Store} store @param {{ isTraced?: boolean }} [options] */
  constructor(plan, store, { isTraced = false } = {}) {
    super(plan, store, { isTraced, endsWithinMs: ENDS_WITHIN_MS });
    this.plan = plan;
    /** @type {Map<string, import('./plan.mjs').Campaign & { id: string, at: number }>} by id */
    this.campaigns = new Map(
      plan.steps.flatMap((step) => {
        if (step.kind !== 'send') return [];
        const id = idOf(5, Number(step.campaign.name.slice(1)));
        return [[id, { ...step.campaign, id, at: this.time.start + step.at }]];
      }),
    );
    this.operator = {
      ...{ name: 'operator', schema: '', isAlive: true, stalledUntil: 0, dateOffset: 0 },
      ...{ random: randomOf(plan.seed, plan.life, 'operator'), time: this.time },
    };
    this.network = new Network(this);
    this.bus = new Bus(this, ['marketing'], { marketing: ['messages'] });
    this.messages = new MessagesWorld(this, (stored) => this.made(stored));
  }

  /** @override */
  async begin() {
    await super.begin();
    await this.seed();
    this.bus.start();
  }

  /** Contacts, one list for each campaign, and campaigns that were checked and wait for their time. */
  async seed() {
    const { control, now } = this.store;
    const at = new Date(Math.min(now, this.time.start));
    for (const [id, { name, members, trialShare, at: dueAt }] of this.campaigns) {
      const list = LIST.replace(/.$/, name.slice(-1));
      const contacts = Array.from({ length: members }, (_, nth) =>
        idOf(6, 1_000 * Number(name.slice(1)) + nth),
      );
      const emails = contacts.map((_, nth) => `${kindOf(this.plan, name, nth)}-${name}-${nth}@mail.test`);
      await control.query(
        `insert into marketing.lists (id, account_id, created_at, updated_at, name, description, tags)
         values ($1, $2, $3, $3, 'List', '', '{}')`,
        [list, ACCOUNT, at],
      );
      await control.query(
        `insert into marketing.contacts (id, account_id, created_at, updated_at, email, first_name, last_name, status,
           status_reason, unsubscribed, attributes)
         select id, $1, $2, $2, email, 'Pat', '', 'enabled', '', false, '{}' from unnest($3::uuid[], $4::text[]) as given(id, email)`,
        [ACCOUNT, at, contacts, emails],
      );
      await control.query(
        `insert into marketing.memberships
           (list_id, contact_id, account_id, subscription_status, subscribed_at, created_at, updated_at)
         select $1, id, $2, 'confirmed', $3, $3, $3 from unnest($4::uuid[]) as given(id)`,
        [list, ACCOUNT, at, contacts],
      );
      await control.query(
        `insert into marketing.campaigns (id, account_id, created_at, updated_at, name, subject, from_email, from_name,
           from_domain, from_domain_id, status, send_at, due_at, editor, html, text)
         values ($1, $2, $3, $3, $4, $5, 'news@shop.test', '', 'shop.test', $6, 'scheduled', $7, $7, 'html', $8,
           '{{ unsubscribe_url }}')`,
        [id, ACCOUNT, at, name, subjectOf(0), DOMAIN_ID, new Date(dueAt), HTML],
      );
      await control.query(
        'insert into marketing.campaign_lists (campaign_id, position, list_id) values ($1, 0, $2)',
        [id, list],
      );
      if (trialShare === undefined) continue;
      await control.query(
        `insert into marketing.campaign_trials (campaign_id, metric, share, wait_minutes) values ($1, 'opened', $2, 1)`,
        [id, trialShare],
      );
      await control.query(
        'insert into marketing.campaign_variants (campaign_id, variant, subject) values ($1, 1, $2)',
        [id, subjectOf(1)],
      );
    }
  }

  /** @override @param {string} name @param {import('../random.mjs').Random} random */
  makeProcess(name, random) {
    return new MarketingProcess(name, random, this);
  }

  /** @override @param {any} owner */
  gone(owner) {
    this.network.gone(owner);
  }

  /** @override @param {import('./plan.mjs').Step} step */
  does(step) {
    switch (step.kind) {
      case 'send':
        return this.say(`${step.campaign.name} is due`);
      case 'account':
        this.messages.isActive = step.isActive;
        return this.say(`the account is ${step.isActive ? 'active' : 'suspended'}`);
      case 'pause':
      case 'resume':
      case 'cancel': {
        const id = idOf(5, Number(step.campaign.slice(1)));
        if (!this.campaigns.has(id)) return undefined;
        /** @type {Operation} */
        const operation = { kind: step.kind, id, from: this.time.now, to: Infinity, isDone: false };
        this.operations.push(operation);
        this.waiting++;
        return this.try(operation, MAX_TRIES);
      }
      default:
        return super.does(step);
    }
  }

  /** @param {Operation} operation @param {number} tries */
  try(operation, tries) {
    const { kind, id } = operation;
    const over = (/** @type {string} */ answer) => {
      this.waiting--;
      this.say(`${kind} ${this.campaigns.get(id)?.name}: ${answer}`);
    };
    const ask = () => this.network.call(this.operator, 'marketing', (owner) => owner.hold(kind, id));
    runIn(this.operator, ask).then(
      () => {
        operation.to = this.time.now;
        operation.isDone = true;
        over('done');
      },
      (error) => {
        if (error.status >= 400 && error.status < 500) {
          operation.to = this.time.now;
          over(String(error.status));
        } else if (tries === 0) over('given up');
        else this.time.after(this.random.between(200, 3_000), () => this.try(operation, tries - 1));
      },
    );
  }

  /** A message is stored: it has an outcome some time later. @param {import('./messages-world.mjs').Stored} stored */
  made(stored) {
    const { random, time } = this;
    const campaign = this.campaigns.get(stored.campaignId);
    this.say(`${campaign?.name}: a message for ${nameOf(stored.contactId)} is ${stored.outcome}`);
    if (stored.outcome !== 'accepted') return;
    const changes = random.chance(0.3)
      ? ['deferred', 'delivered']
      : [random.chance(0.9) ? 'delivered' : 'bounced'];
    if (changes.includes('delivered') && random.chance(0.5)) changes.push('opened');
    let at = 0;
    for (const change of changes) {
      at += random.between(20, 6_000);
      this.outcomes++;
      time.after(at, () => {
        this.outcomes--;
        stored.outcomeAt = Math.min(stored.outcomeAt, time.now);
        this.publish(stored, change);
      });
    }
  }

  /** @param {import('./messages-world.mjs').Stored} stored @param {string} change */
  publish({ id, campaignId }, change) {
    const [example] = MessageChanged.examples;
    const event = MessageChanged.make(
      /** @type {any} */ ({
        ...example,
        ...{
          change,
          message_id: id,
          campaign_id: campaignId,
          changed_at: new Date(this.time.now).toISOString(),
        },
        ...(change === 'opened' ? { fetch: { user_agent: '', ip: '', is_bot: false } } : {}),
      }),
      { account_id: ACCOUNT, occurred_at: new Date(this.time.now) },
    );
    this.bus.publish('messages', { ...event, id: idOf(3, ++this.events) });
  }
  events = 0;

  /** @override */
  async hasEnded() {
    if (this.open > 0 || this.waiting > 0 || this.time.now < this.mayRestAt || !this.bus.isQuiet)
      return false;
    if (this.outcomes > 0 || this.messages.underWay > 0) return false;
    const { rows } = await this.store.control.query({ name: 'campaigns-left', text: LEFT });
    if (rows.length > 0) return false;
    this.quietLooks++;
    return this.quietLooks >= 2;
  }

  /** @returns {Promise<import('./oracle.rules.mjs').History>} */
  async history() {
    const happened = await this.run();
    const read = async (/** @type {string} */ name, /** @type {string} */ text) =>
      (await this.store.control.query({ name, text })).rows;
    return {
      ...happened,
      plan: this.plan,
      campaigns: [...this.campaigns.values()],
      operations: this.operations,
      stored: [...this.messages.stored.values()],
      isActive: this.messages.isActive,
      rows: await read('campaigns-rows', CAMPAIGNS),
      recipients: await read('campaigns-recipients', RECIPIENTS),
      left: await read('campaigns-all-left', LEFT),
    };
  }
}

// One that is paused by an operator, or until tomorrow, has come to rest.
const LEFT = `select c.id, c.status, c.pause_cause as cause from marketing.campaigns c
  where c.status in ('scheduled', 'sending') or (c.status = 'paused' and c.pause_cause not in ('operator', 'daily_limit'))
    or (c.status in ('sent', 'canceled', 'failed')
      and exists (select from marketing.campaign_batches b where b.campaign_id = c.id))`;
const STATUSES = [
  'pending',
  'queued',
  'deferred',
  'delivered',
  'bounced',
  'failed',
  'suppressed',
  'skipped',
  'canceled',
];
const counted = (
  /** @type {string} */ status,
) => `'${status}', coalesce((select ${status} from marketing.campaign_counts t
  where t.campaign_id = c.id), 0) + coalesce((select sum(${status}) from marketing.campaign_count_deltas d where d.campaign_id = c.id), 0)`;
const CAMPAIGNS = `select c.id, c.status, c.pause_cause as cause, t.size, t.winner,
    json_build_object(${STATUSES.map(counted).join(', ')}) as counts
  from marketing.campaigns c left join marketing.campaign_trials t on t.campaign_id = c.id`;
const RECIPIENTS = `select campaign_id as campaign, position, contact_id as contact, status, message_id as message
  from marketing.campaign_recipients order by campaign_id, position`;

/** @param {number} kind @param {number} nth */
const idOf = (kind, nth) => `0198${kind}f3e-5b7a-7c11-8000-${String(nth).padStart(12, '0')}`;
const nameOf = (/** @type {string} */ contact) => `contact ${Number(contact.slice(-3))}`;
