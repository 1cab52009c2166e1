import { beforeAll, describe, expect, it } from 'vitest';
import { publishZone, type ZoneRecord } from './dns-zones.js';
import { sharedInstallation, unique } from './harness.js';
import { Sender } from './sender.js';

const postmesh = sharedInstallation();
let sender: Sender;

beforeAll(async () => {
  sender = await Sender.make(postmesh);
});

type Failure = 'servfail' | 'refused';
/** A domain with records of its own, which are made for its name. */
async function domainWith(records: (name: string) => ZoneRecord[], failure?: Failure): Promise<string> {
  const name = `${unique('route')}.test`;
  await publishZone(postmesh, name, { records: records(name), ...(failure ? { failure } : {}) });
  return name;
}
const mx = (host: string, content: string): ZoneRecord => ({ type: 'MX', host, content });
const a = (host: string, content: string): ZoneRecord => ({ type: 'A', host, content });

/** The message after its first attempt. */
async function attempted(domain: string, status: string) {
  const id = await sender.send(`ann@${domain}`);
  return sender.becomes(id, status);
}

describe('spec 2-messages §14 rule 1', () => {
  it('spec 2-messages §14 rule 1 the next host by preference takes mail that the first cannot', async () => {
    const domain = await domainWith((name) => [
      mx(name, `10 dead.${name}`),
      mx(name, `20 alive.${name}`),
      // no server listens there
      a(`dead.${name}`, '127.0.0.99'),
      a(`alive.${name}`, '127.0.0.1'),
    ]);
    expect(await attempted(domain, 'Delivered')).toMatchObject({ num_attempts: 1 });
  });

  it('spec 2-messages §14 rule 1 without MX the domain itself is the host', async () => {
    const domain = await domainWith((name) => [a(name, '127.0.0.1')]);
    expect(await attempted(domain, 'Delivered')).toMatchObject({ num_attempts: 1 });
  });

  it.each<[string, (name: string) => ZoneRecord[], string]>([
    ['a null MX', (name) => [mx(name, '0 .')], 'takes no mail (null MX)'],
    ['an MX without an address', (name) => [mx(name, `10 none.${name}`)], 'no mail host of'],
    ['neither MX nor address', (name) => [{ type: 'TXT', host: name, content: 'x' }], 'no mail host of'],
  ])('spec 2-messages §14 rule 1 %s bounces as BadDomain', async (_, records, text) => {
    const message = await attempted(await domainWith(records), 'Bounced');
    expect(message).toMatchObject({ num_attempts: 1, bounce_classification: 'BadDomain' });
    expect(message.delivery_attempts[0].log).toContain(text);
  });

  it('spec 2-messages §14 rule 1 NXDOMAIN bounces as BadDomain', async () => {
    const message = await attempted(`nodns${unique('gone')}.test`, 'Bounced');
    expect(message).toMatchObject({ num_attempts: 1, bounce_classification: 'BadDomain' });
    expect(message.delivery_attempts[0].log).toContain('does not exist');
  });

  it('spec 2-messages §14 rule 1 SERVFAIL is temporary', async () => {
    const message = await attempted(await domainWith(() => [], 'servfail'), 'Deferred');
    expect(message).toMatchObject({ num_attempts: 1, delivered_at: null });
    expect(message.delivery_attempts[0]).toMatchObject({ status: 'TransientFailure' });
    expect(message.delivery_attempts[0].log).toContain('SERVFAIL');
  });
});
