import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportAddress } from '@postmesh/mail-format';
import { BRIEF_LIFE } from '../../../tools/ledger/fleet.mjs';
import { ACCEPTING, acceptingElsewhere, RoleProcess } from '../../../tools/ledger/role-process.mjs';
import { publishZone } from './contract/dns-zones.js';
import { eventually, Postmesh } from './contract/harness.js';
import { CONTRACT_SETTINGS } from './contract/installation-facts.js';
import { ok, Sender } from './contract/sender.js';

const START_MS = 240_000;
const WAIT_MS = 60_000;
/** Domains with a policy, and the kind of it that a report names. */
const HOUSES = [
  { domain: 'sts-enforce.houses.test', policy: 'sts' },
  { domain: 'dane-good.houses.test', policy: 'tlsa' },
];

/** Reports ask the delivery worker from the messages service: by a call in the process, or from another one. */
describe.each([
  ['in one process', false],
  ['in three processes', true],
])('reports about the TLS of our sessions, %s', (_, inSeveral) => {
  const postmesh = new Postmesh();
  const accepting: RoleProcess[] = [];
  beforeAll(async () => {
    const settings = { ...CONTRACT_SETTINGS, POSTMESH_TLS_REPORTS: 'on' };
    if (!inSeveral) return postmesh.start(settings);
    await postmesh.start({ ...settings, ...(await acceptingElsewhere()) }, (environment) => {
      const env = { ...environment, ...ACCEPTING };
      accepting.push(...[1, 2].map(() => new RoleProcess(env, BRIEF_LIFE)));
      return Promise.all(accepting.map((one) => one.ready()));
    });
  }, START_MS);
  afterAll(async () => {
    await Promise.all(accepting.map((one) => one.stop()));
    await postmesh.leave();
  }, WAIT_MS);

  const isTrue = (text: string, parameters: unknown[]) =>
    eventually(async () => (await postmesh.sql<{ is: boolean }>(text, parameters))[0]?.is, WAIT_MS).toBe(
      true,
    );

  it(
    'go by mail to the domains that ask for them, and our own reader takes them',
    { timeout: START_MS },
    async () => {
      const sender = await Sender.make(postmesh);
      const domains = HOUSES.map(({ domain }) => domain);
      for (const domain of domains) {
        const host = `_smtp._tls.${domain}`;
        const content = `v=TLSRPTv1; rua=mailto:tls@${domain}`;
        await publishZone(postmesh, host, { records: [{ type: 'TXT', host, content }] });
      }
      const ids = await Promise.all(domains.map((domain) => sender.send(`ann@${domain}`)));
      await Promise.all(ids.map((id) => sender.becomes(id, 'Delivered')));
      await isTrue(
        `select count(*) = $2 as is from delivery_worker.tls_sessions where policy_domain = any($1) and result = 'success'`,
        [domains, domains.length],
      );
      // they become those of yesterday, which no process has collected
      await postmesh.sql('update delivery_worker.tls_sessions set day = day - 1');
      await postmesh.sql('delete from messages.tls_report_days');

      await postmesh.periodic('messages', 'collect-tls-sessions');
      await isTrue(
        `select count(*) = $2 as is from messages.tls_report_sends where policy_domain = any($1) and destination = ''`,
        [domains, domains.length],
      );
      // a look-up, then its mail
      for (const result of ['looked-up', 'mailed']) {
        await postmesh.sql('update messages.tls_report_sends set next_try_at = now() where ended_at is null');
        await postmesh.periodic('messages', 'send-tls-reports');
        await isTrue(
          'select count(*) = $3 as is from messages.tls_report_sends where policy_domain = any($1) and result = $2',
          [domains, result, domains.length],
        );
      }

      for (const { domain, policy } of HOUSES) {
        const mails = async () => {
          const found = await postmesh.messagesTo(`tls@${domain}`);
          return found.map(({ id, tls }) => ({ id, tls }));
        };
        await eventually(mails, WAIT_MS).toEqual([{ id: expect.any(String), tls: true }]);
        const raw = await postmesh.messageText((await mails())[0]?.id ?? '');
        expect(raw).toMatch(new RegExp(`^TLS-Report-Domain: ${domain}\r?$`, 'im'));
        // the domain becomes one of ours, and the same bytes come to its address for reports
        const { id } = ok(await sender.api('POST', '{A}/domains', { domain }), 201);
        const { mx_port: port } = postmesh.credentials.smtp;
        const transport = createTransport({ host: '127.0.0.1', port, tls: { rejectUnauthorized: false } });
        await transport.sendMail({
          envelope: { from: '', to: [reportAddress(id, 'rp.postmesh.test')] },
          raw,
        });
        transport.close();
        const rows = () =>
          postmesh.sql(
            'select policy_type, result_type, sessions from messages.reported_tls where domain_id = $1',
            [id],
          );
        await eventually(rows, WAIT_MS).toEqual([{ policy_type: policy, result_type: '', sessions: '1' }]);
      }
    },
  );
});
