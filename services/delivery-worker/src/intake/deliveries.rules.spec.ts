import { describe, expect, it } from 'vitest';
import { MessageAccepted } from '@postmesh/messages-contract';
import { newId } from '@postmesh/contracts';
import { BULK, SINGLE } from '@postmesh/work';
import { destinationKey } from '../record/attempt-record.rules.js';
import { destinationsOf, toDeliveries } from './deliveries.rules.js';

const [example] = MessageAccepted.examples;
const accepted = (change: Partial<typeof example> = {}) =>
  MessageAccepted.make({ ...example!, ...change }, { account_id: newId() });

const recipientsOf = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({ id: newId(), email: `r${nth}@mail.test` }));

describe('the deliveries of an accepted message', () => {
  it('are one per recipient, due at once, to the domain of the address', () => {
    const recipients = [
      { id: newId(), email: 'ann@mail.test' },
      { id: newId(), email: '"odd@local"@sub.other.test' },
    ];
    const event = accepted({ recipients });
    expect(toDeliveries(event, undefined, 86_400)).toMatchObject([
      {
        id: recipients[0]!.id,
        accountId: event.account_id,
        key: 'd:mail.test',
        lane: SINGLE,
        dueAt: new Date(example!.accepted_at),
        endsAt: new Date(Date.parse(example!.accepted_at) + 86_400_000),
        columns: {
          destination: 'mail.test',
          send_request_id: example!.send_request_id,
          recipient: 'ann@mail.test',
        },
      },
      { key: 'd:sub.other.test', columns: { recipient: '"odd@local"@sub.other.test' } },
    ]);
  });

  it('leave with the null sender where they are reports, and with one of their own otherwise', () => {
    const factsOf = (change: Partial<typeof example>) =>
      toDeliveries(accepted(change), undefined, 86_400).map(({ columns }) =>
        JSON.parse(String(columns?.['facts'])),
      );
    expect(factsOf({ null_sender: true })).toMatchObject([{ nullSender: true }]);
    expect(factsOf({})[0]).not.toHaveProperty('nullSender');
  });

  it('are in the group of their domain where it is known, and a sandbox send in none of any host', () => {
    const recipients = [
      { id: newId(), email: 'ann@Mail.test' },
      { id: newId(), email: 'bob@new.test' },
      { id: newId(), email: 'eve@[192.0.2.1]' },
    ];
    const groups = new Map([['Mail.test', 'p:google']]);
    const keysOf = (change: Partial<typeof example>) =>
      toDeliveries(accepted({ recipients, ...change }), undefined, 86_400, groups).map(({ key }) => key);
    expect(keysOf({})).toEqual(['p:google', 'd:new.test', 'none']);
    expect(keysOf({ sandbox: 'deliver' })).toEqual(['sandbox', 'sandbox', 'sandbox']);
    expect(destinationsOf(accepted({ recipients }))).toEqual(['Mail.test', 'new.test', '[192.0.2.1]']);
    expect(destinationsOf(accepted({ recipients, sandbox: 'bounce' }))).toEqual([]);
  });

  it.each([
    ['of a campaign', { campaign: true as const }, BULK],
    ['of reports to senders', { null_sender: true as const }, BULK],
    ['of 21 recipients', { recipients: recipientsOf(21) }, BULK],
    ['of 20 recipients', { recipients: recipientsOf(20) }, SINGLE],
  ])('%s are in their lane', (_, change, lane) => {
    const lanes = toDeliveries(accepted(change), undefined, 86_400).map((delivery) => delivery.lane);
    expect(new Set(lanes)).toEqual(new Set([lane]));
  });

  it('leave out recipients that were suppressed at acceptance, and count the others', () => {
    const recipients = [
      { id: newId(), email: 'gone@mail.test', suppressed: true as const },
      { id: newId(), email: 'ann@mail.test' },
    ];
    const deliveries = toDeliveries(accepted({ recipients }), undefined, 86_400);
    expect(deliveries.map(({ id }) => id)).toEqual([recipients[1]!.id]);
    expect(JSON.parse(String(deliveries[0]!.columns['facts']))).toMatchObject({ recipients: 1 });
    expect(toDeliveries(accepted({ recipients: recipients.slice(0, 1) }), undefined, 86_400)).toEqual([]);
  });

  it('are looked up in the suppression list by sending domain and lower-case address, sandbox sends are not', () => {
    const recipients = [{ id: newId(), email: 'Ann@mail.test' }];
    const columnsOf = (change: Partial<typeof example>) =>
      toDeliveries(accepted({ recipients, ...change }), undefined, 86_400)[0]!.columns;
    expect(columnsOf({})).toMatchObject({ domain: example!.domain, recipient: 'ann@mail.test' });
    expect(columnsOf({ sandbox: 'deliver' })).toMatchObject({ domain: '' });
  });

  it('keep the fields of their statistics', () => {
    const factsOf = (change: Partial<typeof example>) =>
      JSON.parse(String(toDeliveries(accepted(change), undefined, 86_400)[0]?.columns?.['facts']));
    expect(factsOf({})).toMatchObject({ acceptedAt: example!.accepted_at, tags: ['orders'] });
    expect(factsOf({ tags: undefined })).not.toHaveProperty('tags');
  });

  it('spec 3-marketing §7.7 keep their campaign and the name of its sender', () => {
    const factsOf = (change: Partial<typeof example>) =>
      JSON.parse(String(toDeliveries(accepted(change), undefined, 86_400)[0]?.columns?.['facts']));
    const campaign = { campaign: true as const, campaign_id: newId(), sender_name: 'Shop' };
    expect(factsOf(campaign)).toMatchObject({ campaignId: campaign.campaign_id, senderName: 'Shop' });
    expect(Object.keys(factsOf({}))).not.toContain('campaignId');
  });

  it('have the subject that their recipient reads', () => {
    const recipients = [
      { id: newId(), email: 'ann@mail.test' },
      { id: newId(), email: 'bob@mail.test', subject: 'Bob, hello', message_id_header: '<2@shop.test>' },
    ];
    const factsOf = (change: Partial<typeof example>) =>
      toDeliveries(accepted(change), undefined, 86_400).map(({ columns }) =>
        JSON.parse(String(columns['facts'])),
      );
    const tracking = { open: true, click: false };
    expect(factsOf({ recipients, tracking })).toMatchObject([
      { subject: example!.subject, messageIdHeader: example!.message_id_header, tracking },
      { subject: 'Bob, hello', messageIdHeader: '<2@shop.test>', recipients: 2 },
    ]);
    const [plain] = factsOf({ recipients: recipients.slice(0, 1) });
    expect(plain).not.toHaveProperty('tracking');
  });

  it('are due at the scheduled first attempt, if there is one', () => {
    const first_attempt = '2026-03-01T09:00:00.000Z';
    expect(toDeliveries(accepted({ first_attempt }), undefined, 86_400)).toMatchObject([
      { dueAt: new Date(first_attempt) },
    ]);
  });
});

describe('the key of the events of a delivery', () => {
  it('is always the same for one message', () => {
    const id = newId();
    expect(destinationKey('mail.test', id)).toBe(destinationKey('mail.test', id));
  });

  it('spreads one destination over four keys', () => {
    const keys = Array.from({ length: 256 }, (_, nth) =>
      destinationKey('mail.test', `01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a${nth.toString(16).padStart(2, '0')}`),
    );
    expect([...new Set(keys)].sort()).toEqual(['mail.test#0', 'mail.test#1', 'mail.test#2', 'mail.test#3']);
    expect(keys.filter((key) => key === 'mail.test#0')).toHaveLength(64);
  });
});
