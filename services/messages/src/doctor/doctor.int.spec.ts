import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DeliveryAttempted } from '@postmesh/delivery-worker-contract';
import { DoctorFacts, type DomainDoctor } from '@postmesh/domains-contract';
import { newId } from '@postmesh/contracts';
import { deliver, memberOf, startTestService, type TestService } from '@postmesh/service-testing';
import { testDatabase } from '@postmesh/testing';
import { MESSAGES_SERVICE } from '../messages.definition.js';
import { FoldStatistics } from '../statistics/fold-statistics.js';
import { recordFacts } from '../statistics/record-facts.js';
import type { StatisticsFact } from '../statistics/statistics-facts.rules.js';
import { DOMAIN } from '../testing/domain.js';
import { storeMessages } from '../testing/stored-messages.js';

const database = testDatabase();
let messages: TestService;
let account: string;
/** what the domains service got, per path */
const asked: ({ path: string } & DoctorFacts)[] = [];
const EGRESS = { addresses: ['198.51.100.77'], only_relays: false };
const DOCTOR: DomainDoctor = {
  ...{ object: 'domain_doctor', domain: 'shop.test', checks: [], requirements: [], views: [] },
  address_views: [],
  feedback_views: [],
};

beforeAll(async () => {
  messages = await startTestService(MESSAGES_SERVICE, {
    databaseUrl: database.url,
    settings: { baseUrl: 'http://mail.test' },
    neighbours: {
      'delivery-worker': ({ path }) =>
        path === '/internal/egress-addresses' ? { status: 200, body: EGRESS } : { status: 404, body: {} },
      domains: ({ path, body }) => {
        if (!path.includes('/shop.test')) return { status: 404, body: { message: 'domain not found' } };
        if (!path.endsWith('/doctor')) return { status: 200, body: DOMAIN };
        asked.push({ path, ...DoctorFacts.parse(body) });
        return { status: 200, body: DOCTOR };
      },
    },
  });
});
afterAll(() => messages?.stop());
beforeEach(() => {
  account = newId();
  asked.length = 0;
});

const DAY_MS = 86_400_000;
const fact = (change: Partial<StatisticsFact>): StatisticsFact => ({
  accountId: account,
  domain: 'shop.test',
  recipientDomain: 'mail.test',
  tags: null,
  at: new Date(Date.now() - 2 * DAY_MS),
  figure: 'delivered',
  classification: null,
  count: 1,
  deliveryMs: 0,
  campaign: false,
  templateId: null,
  provider: null,
  ...change,
});
const ofCampaign = { campaign: true, recipientDomain: '' };

const doctor = (domain: string, role: 'Analyst' | 'Billing Manager' = 'Analyst') =>
  messages.call('GET', `/console/api/domains/${domain}/doctor`, { principal: memberOf(account, role) });

it('the domains service gets figures of the domain (deliveries, complaints, campaigns, encryption) and the sources', async () => {
  const { service } = messages;
  const yahoo = { provider: 'yahoo', recipientDomain: 'yahoo.test' };
  const reportedAt = new Date(Date.now() - DAY_MS);
  const ofYahoo = [
    fact({ ...yahoo, count: 30 }),
    fact({ ...yahoo, ...ofCampaign, count: 10 }),
    fact({ ...yahoo, count: 2, figure: 'complained', at: reportedAt }),
    fact({ ...yahoo, count: 7, figure: 'complained', domain: 'other.test' }),
    fact({ ...yahoo, count: 7, figure: 'complained', accountId: newId() }),
  ];
  const dataSource = service.get(DataSource);
  await recordFacts(dataSource.manager, [
    fact({ count: 400 }),
    fact({ count: 100, ...ofCampaign }),
    fact({ count: 120, figure: 'received', ...ofCampaign }),
    fact({ count: 2, figure: 'complained' }),
    fact({ count: 1, figure: 'complained', ...ofCampaign }),
    fact({ count: 999, at: new Date(Date.now() - 40 * DAY_MS) }),
    ...ofYahoo,
    fact({ count: 999, domain: 'other.test' }),
    fact({ count: 999, accountId: newId() }),
  ]);
  await service.get(FoldStatistics).fold(new AbortController().signal);
  const sent = ['shop.test', 'shop.test', 'shop.test', 'other.test'].map((domain) => ({
    ...{ id: newId(), createdAt: new Date(), domain, sender: `a@${domain}`, recipient: 'b@mail.test' },
    ...{ subject: 'Hello', tags: [], status: 'Received' },
  }));
  await storeMessages(dataSource, account, sent);
  await deliver(
    service,
    sent.map(({ id }, nth) =>
      DeliveryAttempted.make(
        { ...DeliveryAttempted.examples[0]!, message_id: id, outcome: 'delivered', tls: nth > 0 },
        { account_id: account },
      ),
    ),
  );
  const { status, body } = await doctor('SHOP.test');
  expect([status, body]).toEqual([200, DOCTOR]);
  expect(asked).toEqual([
    {
      path: `/internal/accounts/${account}/domains/shop.test/doctor`,
      figures: {
        at: expect.any(String),
        days: 30,
        delivered: 540,
        complained: 5,
        bulk: 120,
        sessions: { encrypted: 2, plain: 1 },
        secure_links: false,
      },
      feedback: [
        {
          ...{ provider: 'yahoo', source: 'Yahoo Complaint Feedback Loop', read_at: expect.any(String) },
          ...{ days_shown: 30, delivered: 40, complained: 2, share: 0.05 },
          last_report_day: reportedAt.toISOString().slice(0, 10),
          days: [{ day: reportedAt.toISOString().slice(0, 10), reports: 2 }],
        },
      ],
      egress: EGRESS,
    },
  ]);
});

it('operators examine a domain of any account', async () => {
  const path = `/operator/accounts/${account}/domains/shop.test/doctor`;
  expect(await messages.internal('GET', path)).toMatchObject({ status: 200, body: DOCTOR });
  expect(asked[0]?.figures).toMatchObject({ delivered: 0, sessions: { encrypted: 0, plain: 0 } });
});

it('is for domains of the account, and for members who may read domains', async () => {
  expect(await doctor('strange.test')).toMatchObject({ status: 404, body: { message: 'domain not found' } });
  expect(await doctor('no domain')).toMatchObject({ status: 400, body: { message: 'invalid domain name' } });
  expect((await doctor('shop.test', 'Billing Manager')).status).toBe(403);
  expect(asked).toEqual([]);
});
