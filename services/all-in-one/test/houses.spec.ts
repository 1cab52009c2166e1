import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, ownInstallation } from './contract/harness.js';
import { Sender } from './contract/sender.js';
import { HousesClient } from './houses-client.js';

const postmesh = ownInstallation({ POSTMESH_RETRY_DELAYS_S: '3,3,3,3,3,3,600' });
const houses = new HousesClient(postmesh);
let sender: Sender;
beforeAll(async () => {
  sender = await Sender.make(postmesh);
});

const at = (house: string, local = 'ann'): string => `${local}@${house}.houses.test`;

/** What became of one message to each house, after its first attempt. */
async function firstOutcomes(names: readonly string[]): Promise<Record<string, string>> {
  const ids = await Promise.all(names.map((name) => sender.send(at(name))));
  const outcomes = await Promise.all(
    ids.map(async (id) => {
      const status = async () => (await sender.message(id)).status;
      await eventually(status, 60_000).toMatch(/^(Delivered|Deferred|Bounced)$/);
      return status();
    }),
  );
  return Object.fromEntries(names.map((name, nth) => [name, outcomes[nth] ?? '']));
}

/** Whether the message to this house came over TLS. */
async function cameOverTls(house: string): Promise<boolean> {
  const { body } = await postmesh.mailbox(`/api/messages?to=${encodeURIComponent(at(house))}`);
  return body.messages[0].tls;
}

describe('houses with TLS of all kinds', () => {
  it('take mail over TLS where that works, in clear where it does not: nobody asked for more', async () => {
    const withTls = ['tls-good', 'tls-self-signed', 'tls-wrong-name', 'tls-expired'];
    const inClear = ['tls-none', 'tls-old', 'tls-refused'];
    const names = [...withTls, ...inClear, 'tls-injected'];
    const outcomes = await firstOutcomes(names);
    expect(outcomes).toEqual(Object.fromEntries(names.map((name) => [name, 'Delivered'])));
    for (const house of withTls) expect([house, await cameOverTls(house)]).toEqual([house, true]);
    for (const house of inClear) expect([house, await cameOverTls(house)]).toEqual([house, false]);
  }, 90_000);
});

describe('houses that ask for proof', () => {
  it('get mail when the host proves what their records demand, and none otherwise', async () => {
    const delivered = [
      ...['dane-good', 'dane-authority', 'dane-unusable', 'dane-insecure'],
      ...['sts-enforce', 'sts-testing', 'sts-none', 'sts-gone'],
    ];
    const deferred = [
      ...['dane-bad', 'dane-failing', 'dane-no-tls'],
      ...['sts-enforce-bad', 'sts-enforce-no-tls', 'sts-other-host'],
    ];
    expect(await firstOutcomes([...delivered, ...deferred])).toEqual({
      ...Object.fromEntries(delivered.map((name) => [name, 'Delivered'])),
      ...Object.fromEntries(deferred.map((name) => [name, 'Deferred'])),
    });
    for (const house of ['dane-good', 'dane-authority', 'dane-unusable', 'sts-enforce']) {
      expect([house, await cameOverTls(house)]).toEqual([house, true]);
    }
  }, 90_000);

  it('share no session with those that ask for none at the same host', async () => {
    // one host, an expired certificate: the domains of `tls-expired` do not mind, that of `sts-shared` does
    const open = ['a', 'b', 'c'].map((name) => `${name}.tls-expired`);
    expect(await firstOutcomes(['sts-shared', ...open, 'sts-shared'])).toEqual({
      'sts-shared': 'Deferred',
      ...Object.fromEntries(open.map((name) => [name, 'Delivered'])),
    });
  }, 90_000);
});

describe('houses that are not easy', () => {
  it('grey lets a message pass on its first retry', async () => {
    await houses.change('grey', { greylist: { seconds: 2 } });
    const id = await sender.send(at('grey'));
    await sender.becomes(id, 'Delivered');
    expect(await sender.message(id)).toMatchObject({ num_attempts: 2 });
  });

  it('chatty and backup take messages at the first try, null bounces them', async () => {
    expect(await firstOutcomes(['chatty', 'backup', 'null'])).toEqual({
      chatty: 'Delivered',
      backup: 'Delivered',
      null: 'Bounced',
    });
  });
});
