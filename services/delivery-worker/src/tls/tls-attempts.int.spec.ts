import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SMTPServerOptions } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueCertificate, selfSignedCertificate, type KeyAndCertificate } from '@postmesh/secrets';
import { TlsSessionsPage } from '@postmesh/delivery-worker-contract';
import { Metrics } from '@postmesh/observability';
import { createTestDatabase, testDatabase } from '@postmesh/testing';
import { a, mx, NameServer, txt } from '../testing/name-server.js';
import { makeCa, PolicyServer, policyText, Records, TlsMailHost, tlsaOf } from '../testing/tls-world.js';
import { TlsNeeds } from './tls-needs.js';
import { TlsSessions } from './tls-sessions.js';
import { startWorker, type Attempted, type WorkerUnderTest } from '../testing/worker-under-test.js';

const database = testDatabase();
const root = makeCa('Test CA');
const closing: (() => Promise<unknown>)[] = [];
let web: PolicyServer;
let records: Records;
let dns: NameServer;
let worker: WorkerUnderTest;
let port = 0;
let extraCaFile = '';

beforeAll(async () => {
  web = await PolicyServer.start(root);
  records = new Records();
  dns = await records.serve();
  extraCaFile = join(await mkdtemp(join(tmpdir(), 'tls-')), 'ca.pem');
  await writeFile(extraCaFile, root.cert);
  const first = await TlsMailHost.start({ address: '127.0.0.2', port: 0 });
  port = first.port;
  await first.stop();
  worker = await startAnother();
});
afterAll(async () => {
  await worker?.stop();
  for (const close of closing.splice(0).reverse()) await close();
  await dns?.stop();
  await web?.stop();
});

const startAnother = (
  more: Parameters<typeof startWorker>[0]['settings'] = {},
  databaseUrl = database.url,
): Promise<WorkerUnderTest> =>
  startWorker({
    databaseUrl,
    port,
    dns,
    settings: {
      dnsServers: [dns.address],
      validatingResolvers: [],
      outgoingHttpAllow: ['127.0.0.0/8'],
      mtaStsPort: web.port,
      extraCaFile,
      ...more,
    },
  });

/** Starts a worker with a database of its own, or a given one: no other worker takes its messages. */
async function alone(settings = {}, databaseUrl?: string): Promise<WorkerUnderTest> {
  const url = databaseUrl ?? (await freshDatabase());
  const other = await startAnother(settings, url);
  closing.push(() => other.stop());
  return other;
}
async function freshDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase({ isMade: false });
  closing.push(drop);
  return url;
}

type Showing = SMTPServerOptions | 'no STARTTLS';
interface House {
  readonly domain: string;
  readonly mx: string;
  readonly pair: KeyAndCertificate;
  readonly host: TlsMailHost;
}
let last = 1;
const nextDomain = () => `d${(last += 1)}.test`;
const signed = (names: string[], more: { from?: Date; until?: Date } = {}) =>
  issueCertificate({ names, issuer: root, ...more });

/** A domain with a mail host of its own, whose certificate is signed by the trusted CA unless given. */
async function house({
  domain = nextDomain(),
  pair,
  shows = {},
  isSecure = false,
}: { domain?: string; pair?: KeyAndCertificate; shows?: Showing; isSecure?: boolean } = {}): Promise<House> {
  const name = `mx.${domain}`;
  const given = pair ?? signed([name]);
  const address = `127.0.1.${last}`;
  const options = shows === 'no STARTTLS' ? { hideSTARTTLS: true } : { ...given, ...shows };
  const host = await TlsMailHost.start({ address, port }, options);
  closing.push(() => host.stop());
  const answer = (found: Parameters<typeof records.set>[1]) =>
    isSecure && Array.isArray(found) ? { validated: found } : found;
  records.set(`MX ${domain}`, answer([mx(domain, name, 10)]));
  records.set(`A ${name}`, answer([a(name, address)]));
  return { domain, mx: name, pair: given, host };
}
/** The same with TLSA records: of these fields, for this certificate. */
async function daneHouse(
  fields: readonly [number, number, number],
  options: Parameters<typeof house>[0] & { of?: KeyAndCertificate } = {},
): Promise<House> {
  const made = await house({ ...options, isSecure: true });
  setTlsa(made.mx, fields, options.of ?? made.pair);
  return made;
}
function setTlsa(host: string, fields: readonly [number, number, number], pair: KeyAndCertificate): void {
  const name = `_${port}._tcp.${host}`;
  records.set(`TLSA ${name}`, { validated: [tlsaOf(name, fields, pair)] });
}
function setPolicy(domain: string, mxPattern: string, mode = 'enforce'): void {
  records.set(`TXT _mta-sts.${domain}`, [txt(`_mta-sts.${domain}`, 'v=STSv1; id=1;')]);
  records.set(`A mta-sts.${domain}`, [a(`mta-sts.${domain}`, '127.0.0.1')]);
  web.policies.set(domain, { text: policyText(mxPattern, { mode }) });
}
/** A second domain of the same hosts. */
function guestOf({ mx: host }: House): string {
  const domain = nextDomain();
  records.set(`MX ${domain}`, [mx(domain, host, 10)]);
  return domain;
}

async function attempt(domain: string, by = worker): Promise<Attempted> {
  const [id] = await by.accept({ to: [`ann@${domain}`] });
  return by.until(() => by.published.find((one) => one.message_id === id));
}
const delivered = (tls_verdict: string, tls_policy = 'none') => ({
  outcome: 'delivered',
  tls: tls_verdict !== 'clear',
  tls_verdict,
  tls_policy,
});
const deferred = (code: string, response: RegExp, more: object = {}) => ({
  outcome: 'deferred',
  classification: null,
  reply: { smtp_code: 0, enhanced_status_code: code, response: expect.stringMatching(response) },
  next_attempt_at: expect.any(String),
  ...more,
});

describe('DANE (RFC 7672)', () => {
  const past = { from: new Date('2020-01-01'), until: new Date('2021-01-01') };

  it('usage 3: the certificate, with any name, dates and CA', async () => {
    const { domain } = await daneHouse([3, 1, 1], { pair: signed(['other.test'], past) });
    expect(await attempt(domain)).toMatchObject(delivered('dane', 'dane'));
    const own = await daneHouse([3, 0, 2], { pair: selfSignedCertificate(['whatever.test']) });
    expect(await attempt(own.domain)).toMatchObject(delivered('dane', 'dane'));
  });

  it('usage 2: the CA, with name and dates', async () => {
    const ca = makeCa('Own CA');
    const issued = (names: string[], more = {}) => {
      const leaf = issueCertificate({ names, issuer: ca, ...more });
      return { key: leaf.key, cert: leaf.cert + ca.cert };
    };
    const next = nextDomain();
    const good = await daneHouse([2, 0, 1], { domain: next, pair: issued([`mx.${next}`]), of: ca });
    expect(await attempt(good.domain)).toMatchObject(delivered('dane', 'dane'));
    const byDomain = nextDomain();
    await daneHouse([2, 1, 1], { domain: byDomain, pair: issued([byDomain]), of: ca });
    expect(await attempt(byDomain)).toMatchObject(delivered('dane', 'dane'));
    const named = await daneHouse([2, 0, 1], { pair: issued(['other.test']), of: ca });
    expect(await attempt(named.domain)).toMatchObject(deferred('4.7.5', /does not fit the TLSA records/));
    const late = nextDomain();
    await daneHouse([2, 0, 1], { domain: late, pair: issued([`mx.${late}`], past), of: ca });
    expect(await attempt(late)).toMatchObject(deferred('4.7.5', /does not fit the TLSA records/));
  });

  it('not met: the next host, else Deferred', async () => {
    const wrong = await daneHouse([3, 1, 1], { of: selfSignedCertificate(['x.test']) });
    expect(await attempt(wrong.domain)).toMatchObject(
      deferred('4.7.5', /does not fit the TLSA records \(DANE\)/, {
        tls_verdict: 'pkix',
        tls_policy: 'dane',
      }),
    );
    expect(wrong.host.taken).toEqual([]);
    const second = await daneHouse([3, 1, 1]);
    const both = nextDomain();
    records.set(`MX ${both}`, { validated: [mx(both, wrong.mx, 10), mx(both, second.mx, 20)] });
    expect(await attempt(both)).toMatchObject({ ...delivered('dane', 'dane'), remote_host: second.mx });
  });

  it('without STARTTLS: Deferred', async () => {
    const { domain, host } = await daneHouse([3, 1, 1], { shows: 'no STARTTLS' });
    expect(await attempt(domain)).toMatchObject(deferred('4.7.10', /does not offer STARTTLS.*DANE/));
    expect(host.taken).toEqual([]);
  });

  it('unusable records require STARTTLS, and the policy of MTA-STS', async () => {
    const { domain } = await daneHouse([1, 1, 1], { pair: selfSignedCertificate(['x.test']) });
    expect(await attempt(domain)).toMatchObject(delivered('untrusted', 'dane'));
    const bare = await daneHouse([1, 1, 1], { shows: 'no STARTTLS' });
    expect(await attempt(bare.domain)).toMatchObject(deferred('4.7.10', /STARTTLS/));
    const both = await daneHouse([1, 1, 1], { pair: selfSignedCertificate(['x.test']) });
    setPolicy(both.domain, both.mx);
    expect(await attempt(both.domain)).toMatchObject(deferred('4.7.5', /SELF_SIGNED.*MTA-STS/));
  });

  it('whose records cannot be queried: the host is not used', async () => {
    const { domain, mx: first, host } = await daneHouse([3, 1, 1]);
    records.set(`TLSA _${port}._tcp.${first}`, 'SERVFAIL');
    expect(await attempt(domain)).toMatchObject(deferred('4.4.4', /TLSA records of mx.*SERVFAIL/));
    const second = await daneHouse([3, 1, 1]);
    const both = nextDomain();
    records.set(`MX ${both}`, { validated: [mx(both, first, 10), mx(both, second.mx, 20)] });
    expect(await attempt(both)).toMatchObject({ ...delivered('dane', 'dane'), remote_host: second.mx });
    expect(host.connections).toBe(0);
  });

  it('counts below validated answers only: MX records, addresses, the records themselves', async () => {
    const wrong = selfSignedCertificate(['x.test']);
    const insecure = await house();
    setTlsa(insecure.mx, [3, 1, 1], wrong);
    expect(await attempt(insecure.domain)).toMatchObject(delivered('pkix'));
    const address = await daneHouse([3, 1, 1], { of: wrong });
    records.set(`A ${address.mx}`, [a(address.mx, address.host.address)]);
    expect(await attempt(address.domain)).toMatchObject(delivered('pkix'));
    const tlsa = await house({ isSecure: true });
    const name = `_${port}._tcp.${tlsa.mx}`;
    records.set(`TLSA ${name}`, [tlsaOf(name, [3, 1, 1], wrong)]);
    expect(await attempt(tlsa.domain)).toMatchObject(delivered('pkix'));
  });

  it('uses no host that the validated MX records do not name', async () => {
    const { domain, mx: name, host } = await house({ isSecure: true });
    // The resolver for routes may get its answer from another server, or an older one.
    const validated = await NameServer.start((asked, type) =>
      `${type} ${asked}` === `MX ${domain}` ? { validated: [mx(domain, 'mx.other.test', 10)] } : 'NXDOMAIN',
    );
    closing.push(() => validated.stop());
    const other = await alone({ validatingResolvers: [validated.address] });
    const why = new RegExp(`validated MX records of ${domain} do not name ${name}`);
    expect(await attempt(domain, other)).toMatchObject(deferred('4.4.4', why));
    expect(host.connections).toBe(0);
  });

  it('comes before MTA-STS, which is queried where there are no records', async () => {
    const { domain } = await daneHouse([3, 1, 1], { pair: selfSignedCertificate(['x.test']) });
    setPolicy(domain, 'other.test');
    expect(await attempt(domain)).toMatchObject(delivered('dane', 'dane'));
    const none = await house({ isSecure: true });
    setPolicy(none.domain, none.mx);
    expect(await attempt(none.domain)).toMatchObject(delivered('pkix', 'sts'));
  });

  it('is off where AD comes from an untrusted resolver', async () => {
    const { domain, mx: name } = await daneHouse([3, 1, 1], { of: selfSignedCertificate(['x.test']) });
    expect(await attempt(domain)).toMatchObject(deferred('4.7.5', /TLSA/));
    // The operator trusts another one instead, which does not validate.
    const elsewhere = new Records();
    elsewhere.set(`MX ${domain}`, [mx(domain, name, 10)]);
    const trusted = await elsewhere.serve();
    closing.push(() => trusted.stop());
    const other = await alone({ validatingResolvers: [trusted.address] });
    expect(await attempt(domain, other)).toMatchObject(delivered('pkix'));
  });
});

describe('MTA-STS (RFC 8461)', () => {
  const yesterday = new Date(Date.now() - 86_400_000);
  const lastYear = new Date(Date.now() - 400 * 86_400_000);

  it('enforce: a host of the policy, with a CA certificate for its name', async () => {
    const { domain, mx: host } = await house();
    setPolicy(domain, host);
    expect(await attempt(domain)).toMatchObject(delivered('pkix', 'sts'));
    const wild = await house();
    setPolicy(wild.domain, `*.${wild.domain}`);
    expect(await attempt(wild.domain)).toMatchObject(delivered('pkix', 'sts'));
  });

  it.each([
    ['that nobody has signed', (name: string) => selfSignedCertificate([name]), /SELF_SIGNED/],
    ['for another name', () => signed(['other.test']), /for another name/],
    ['that has expired', (name: string) => signed([name], { from: lastYear, until: yesterday }), /EXPIRED/],
  ])('enforce, a certificate %s: Deferred', async (_what, pairFor, why) => {
    const domain = nextDomain();
    const { host, mx: name } = await house({ domain, pair: pairFor(`mx.${domain}`) });
    setPolicy(domain, name);
    const met = await attempt(domain);
    expect(met).toMatchObject(deferred('4.7.5', why, { tls_verdict: 'untrusted', tls_policy: 'sts' }));
    expect(met.reply?.response).toContain('MTA-STS');
    expect(host.taken).toEqual([]);
  });

  it('enforce, STARTTLS stripped or broken: Deferred, never in clear text', async () => {
    const bare = await house({ shows: 'no STARTTLS' });
    setPolicy(bare.domain, bare.mx);
    expect(await attempt(bare.domain)).toMatchObject(
      deferred('4.7.10', /does not offer STARTTLS.*MTA-STS/, { tls_verdict: 'clear', tls_policy: 'sts' }),
    );
    const old = await house({
      shows: { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    });
    setPolicy(old.domain, old.mx);
    expect(await attempt(old.domain)).toMatchObject(deferred('4.7.5', /no TLS with mx.*MTA-STS/));
    expect([...bare.host.taken, ...old.host.taken]).toEqual([]);
    // A destination without a policy still gets clear text.
    expect(await attempt(guestOf(old))).toMatchObject(delivered('clear'));
  });

  it('enforce, a host that is not in the policy: the next one, else Deferred', async () => {
    const outside = await house();
    setPolicy(outside.domain, 'mx.elsewhere.test');
    expect(await attempt(outside.domain)).toMatchObject(
      deferred('4.7.5', /policy of .* does not name its mail host/, { remote_host: null }),
    );
    const inside = await house();
    records.set(`MX ${inside.domain}`, [mx(inside.domain, outside.mx, 10), mx(inside.domain, inside.mx, 20)]);
    setPolicy(inside.domain, inside.mx);
    expect(await attempt(inside.domain)).toMatchObject({
      ...delivered('pkix', 'sts'),
      remote_host: inside.mx,
    });
    expect(outside.host.connections).toBe(0);
  });

  it('testing: counted, and nothing else', async () => {
    const good = await house();
    setPolicy(good.domain, good.mx, 'testing');
    const bad = await house({ shows: 'no STARTTLS' });
    setPolicy(bad.domain, bad.mx, 'testing');
    expect(await attempt(good.domain)).toMatchObject(delivered('pkix'));
    expect(await attempt(bad.domain)).toMatchObject(delivered('clear'));
    const text = await worker.service.get(Metrics).render();
    for (const policy of ['sts-testing', 'sts', 'dane']) {
      for (const result of ['met', 'unmet']) {
        const labels = `policy="${policy}",result="${result}"`;
        expect(text).toMatch(new RegExp(`postmesh_tls_policy_results_total\\{.*${labels}.*\\} [1-9]`));
      }
    }
    expect(text).toMatch(/postmesh_smtp_connections_opened_total\{.*verdict="dane".*\} [1-9]/);
  });

  it('a policy that was fetched holds, though its record and its web server are gone', async () => {
    const { domain, mx: name, host } = await house();
    setPolicy(domain, name);
    const url = await freshDatabase();
    const before = await alone({}, url);
    expect(await attempt(domain, before)).toMatchObject(delivered('pkix', 'sts'));
    await before.stop();
    await host.stop();
    records.delete(`TXT _mta-sts.${domain}`);
    web.policies.delete(domain);
    const forged = await TlsMailHost.start({ address: host.address, port }, selfSignedCertificate([name]));
    closing.push(() => forged.stop());
    expect(await attempt(domain, await alone({}, url))).toMatchObject(deferred('4.7.5', /SELF_SIGNED/));
    expect(forged.taken).toEqual([]);
  });

  it('a domain that enforces and one that does not share no session that is not verified', async () => {
    const bad = await house({ pair: selfSignedCertificate(['x.test']) });
    const [strict, open] = [guestOf(bad), guestOf(bad)];
    setPolicy(strict, bad.mx);
    expect(await attempt(open)).toMatchObject(delivered('untrusted'));
    expect(await attempt(strict)).toMatchObject(deferred('4.7.5', /SELF_SIGNED/));
    expect(await attempt(open)).toMatchObject(delivered('untrusted'));
    expect(bad.host.taken.map(({ recipient }) => recipient)).toEqual([`ann@${open}`, `ann@${open}`]);
    // A verified connection serves both.
    const good = await house();
    const [asks, asksNot] = [guestOf(good), guestOf(good)];
    setPolicy(asks, good.mx);
    expect(await attempt(asksNot)).toMatchObject(delivered('pkix'));
    expect(await attempt(asks)).toMatchObject(delivered('pkix', 'sts'));
    expect(good.host.connections).toBe(1);
  });
});

describe('where nothing is asked for (spec 2-messages §14 rule 2)', () => {
  it('TLS is used with any certificate, or not at all', async () => {
    const own = await house({ pair: selfSignedCertificate(['x.test']) });
    expect(await attempt(own.domain)).toMatchObject(delivered('untrusted'));
    const bare = await house({ shows: 'no STARTTLS' });
    expect(await attempt(bare.domain)).toMatchObject(delivered('clear'));
    expect(bare.host.taken).toMatchObject([{ secure: false }]);
  });
});

describe('where the operator requires TLS', () => {
  it('any certificate will do, and clear text will not', async () => {
    const shapingFile = join(await mkdtemp(join(tmpdir(), 'tls-')), 'shaping.json');
    await writeFile(shapingFile, JSON.stringify({ default: { tls: 'required' } }));
    const strict = await alone({ shapingFile });
    const own = await house({ pair: selfSignedCertificate(['x.test']) });
    expect(await attempt(own.domain, strict)).toMatchObject(delivered('untrusted'));
    const bare = await house({ shows: 'no STARTTLS' });
    expect(await attempt(bare.domain, strict)).toMatchObject(deferred('4.7.10', /required$/));
    expect(bare.host.taken).toEqual([]);
  });
});

describe('a silent web server of a policy', () => {
  it('holds the message back, not its place', async () => {
    const { domain, mx: name, host } = await house();
    setPolicy(domain, name);
    web.policies.set(domain, { text: '', isSilent: true });
    worker.service.get(TlsNeeds).policyWaitMs = 100;
    await worker.accept({ to: [`ann@${domain}`] });
    const waiting = () => worker.deliveries().then((all) => all.find((one) => one.destination === domain));
    await expect.poll(async () => (await waiting())?.reason).toContain('does not answer yet');
    expect(host.taken).toEqual([]);
  });
});

describe('sessions for reports (RFC 8460)', () => {
  it('are counted by domain, policy and result: once for each domain whose mail they carry', async () => {
    const by = await alone({ tlsReports: true });
    const untrusted = () => selfSignedCertificate(['x.test']);
    const plain = await house();
    const guest = guestOf(plain);
    for (const domain of [plain.domain, plain.domain, guest]) await attempt(domain, by);
    expect(plain.host.connections).toBe(1);
    const bare = await house({ shows: 'no STARTTLS' });
    const good = await house();
    const named = await house({ pair: signed(['other.test']) });
    const old = await house({ pair: signed([`mx.d${last + 1}.test`], { until: new Date('2021-01-01') }) });
    const unlisted = await house();
    const tested = await house({ pair: untrusted() });
    const failing = await house();
    for (const one of [good, named, old]) setPolicy(one.domain, one.mx);
    setPolicy(unlisted.domain, 'another.test');
    setPolicy(tested.domain, tested.mx, 'testing');
    records.set(`TXT _mta-sts.${failing.domain}`, [txt(`_mta-sts.${failing.domain}`, 'v=STSv1; id=1;')]);
    records.set(`A mta-sts.${failing.domain}`, [a(`mta-sts.${failing.domain}`, '127.0.0.1')]);
    const proved = await daneHouse([3, 1, 1]);
    const wrong = await daneHouse([3, 1, 1], { of: untrusted() });
    const broken = await daneHouse([3, 1, 1]);
    records.set(`TLSA _${port}._tcp.${broken.mx}`, 'SERVFAIL');
    for (const one of [bare, good, named, old, unlisted, tested, failing, proved, wrong, broken])
      await attempt(one.domain, by);

    const counts = async () => {
      await by.service.get(TlsSessions).beforeApplicationShutdown();
      const day = new Date().toISOString().slice(0, 10);
      const { body } = await by.internal('GET', `/internal/tls-sessions?day=${day}`);
      const { domains } = TlsSessionsPage.parse(body);
      return Object.fromEntries(
        domains.map(({ policy_domain, policies }) => [
          policy_domain,
          policies.map(({ type, succeeded, failures }) => [
            type,
            succeeded,
            ...failures.map(({ result, mx_host, sessions }) => `${sessions} ${result} ${mx_host}`.trim()),
          ]),
        ]),
      );
    };
    await expect.poll(counts).toEqual({
      [plain.domain]: [['no-policy-found', 1]],
      [guest]: [['no-policy-found', 1]],
      [bare.domain]: [['no-policy-found', 0, `1 starttls-not-supported ${bare.mx}`]],
      [good.domain]: [['sts', 1]],
      [named.domain]: [['sts', 0, `1 certificate-host-mismatch ${named.mx}`]],
      [old.domain]: [['sts', 0, `1 certificate-expired ${old.mx}`]],
      [unlisted.domain]: [['sts', 0, `1 validation-failure ${unlisted.mx}`]],
      [tested.domain]: [['sts', 0, `1 certificate-not-trusted ${tested.mx}`]],
      [failing.domain]: [
        ['sts', 0, '1 sts-policy-fetch-error'],
        ['no-policy-found', 1],
      ],
      [proved.domain]: [['tlsa', 1]],
      [wrong.domain]: [['tlsa', 0, `1 validation-failure ${wrong.mx}`]],
      [broken.domain]: [['tlsa', 0, `1 dnssec-invalid ${broken.mx}`]],
    });
    const texts = await by.database.query<{ text: string[] }[]>(
      'select policy_text as text from tls_sessions where policy_domain = any($1) order by policy_type',
      [[good.domain, proved.domain]],
    );
    expect(texts.map(({ text }) => text)).toEqual([
      ['version: STSv1', 'mode: enforce', `mx: ${good.mx}`],
      [expect.stringMatching(/^3 1 1 [0-9a-f]{64}$/)],
    ]);
  });

  it('are not counted unless reports are on', async () => {
    const { domain } = await house();
    await attempt(domain);
    await worker.service.get(TlsSessions).beforeApplicationShutdown();
    expect(await worker.database.query('select from tls_sessions')).toEqual([]);
  });
});
