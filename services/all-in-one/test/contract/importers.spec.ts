import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, sharedInstallation, unique, type Account } from './harness.js';

const PROGRAM = fileURLToPath(new URL('../../../../tools/postmesh.mjs', import.meta.url));
const ROWS = 100;

const postmesh = sharedInstallation();
let folder: string;
let account: Account;
let domain: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postmesh-importers-'));
  account = await postmesh.newAccount();
  domain = await postmesh.verifiedDomain(account);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The command line, in this process. */
async function run(words: string[], by = account) {
  return JSON.parse(await shown([...words, '--json'], by));
}

async function shown(words: string[], by = account): Promise<string> {
  const { runCommand } = await import(PROGRAM);
  return (await runCommand(words, settings(by))).text;
}

function settings({ id, key }: Account): Record<string, string> {
  const { operator_url, operator_token } = postmesh.credentials;
  return {
    POSTMESH_BASE_URL: postmesh.url,
    POSTMESH_API_KEY: key.secret,
    POSTMESH_ACCOUNT_ID: id,
    POSTMESH_OPERATOR_URL: operator_url.replace('//localhost:', '//127.0.0.1:'),
    POSTMESH_OPERATOR_TOKEN: operator_token,
  };
}

let files = 0;
async function written(extension: string, text: string): Promise<string> {
  const path = join(folder, `${(files += 1)}.${extension}`);
  await writeFile(path, text);
  return path;
}

const addresses = (count: number) => Array.from({ length: count }, () => `${unique('r')}@mail.test`);
const json = (value: unknown) => JSON.stringify(value);
const TIME = '2026-03-01T10:00:00Z';

/** An export of each service, in the form of one of its lists. */
const SUPPRESSIONS: Readonly<
  Record<
    string,
    { as?: string; reason: string; file: (emails: string[]) => [extension: string, text: string] }
  >
> = {
  sendgrid: {
    as: 'spam_reports',
    reason: 'FBL Complaint Report',
    file: (emails) => ['csv', `email,created\n${emails.map((email) => `${email},1772359200`).join('\n')}\n`],
  },
  mailgun: {
    reason: 'Bounced at Mailgun: 550 no such user',
    file: (emails) => [
      'csv',
      `address,code,error,created_at\n${emails.map((email) => `${email},550,no such user,"Sun, 01 Mar 2026 10:00:00 UTC"`).join('\n')}\n`,
    ],
  },
  postmark: {
    reason: 'FBL Complaint Report',
    file: (emails) => [
      'json',
      json({
        Suppressions: emails.map((email) => ({
          EmailAddress: email,
          SuppressionReason: 'SpamComplaint',
          Origin: 'Recipient',
          CreatedAt: TIME,
        })),
      }),
    ],
  },
  resend: {
    reason: 'Suppressed at Resend',
    file: (emails) => [
      'json',
      json({ data: emails.map((email) => ({ email, origin: 'manual', created_at: TIME })) }),
    ],
  },
  ses: {
    reason: 'Bounced at Amazon SES',
    file: (emails) => [
      'json',
      json({
        SuppressedDestinationSummaries: emails.map((email) => ({
          EmailAddress: email,
          Reason: 'BOUNCE',
          LastUpdateTime: TIME,
        })),
      }),
    ],
  },
  brevo: {
    reason: 'Unsubscribed',
    file: (emails) => [
      'json',
      json({
        contacts: emails.map((email) => ({
          email,
          reason: { code: 'unsubscribedViaEmail', message: '' },
          blockedAt: TIME,
        })),
      }),
    ],
  },
  mailchimp: {
    reason: 'Unsubscribed',
    file: (emails) => [
      'csv',
      `"Email Address",UNSUB_TIME\n${emails.map((email) => `${email},2026-03-01 10:00:00`).join('\n')}\n`,
    ],
  },
  listmonk: {
    reason: 'Suppressed at listmonk',
    file: (emails) => [
      'csv',
      `uuid,email,name,attributes,status,created_at,updated_at\n${emails.map((email) => `1,${email},,{},blocklisted,,2026-03-01 10:00:00 +0000 +0000`).join('\n')}\n`,
    ],
  },
  postal: {
    reason: 'Bounced at Postal: too many soft fails',
    file: (emails) => [
      'csv',
      `type,address,reason,timestamp\n${emails.map((email) => `recipient,${email},too many soft fails,1772359200`).join('\n')}\n`,
    ],
  },
};

describe('suppressions', () => {
  it.each(Object.entries(SUPPRESSIONS))(
    'of %s come along with reason and date, once',
    async (source, { as, reason, file }) => {
      const emails = addresses(ROWS);
      const [extension, text] = file(emails);
      const path = await written(extension, text);
      const words = ['import', source, 'suppressions', path, ...(as ? ['--as', as] : [])];

      const survey = await run(words);
      expect(survey).toMatchObject({
        applied: false,
        rows: ROWS,
        refused: 0,
        would: { add: ROWS, change_nothing: 0 },
      });
      const stored = () => postmesh.api(account.key, 'GET', `{A}/suppressions?email=${emails[ROWS - 1]}`);
      expect((await stored()).body.data).toEqual([]);

      const first = await run([...words, '--apply']);
      expect(first).toMatchObject({
        applied: true,
        refused: 0,
        done: { added: ROWS, extended: 0, unchanged: 0 },
      });
      const row = {
        domain,
        reason,
        created_at: '2026-03-01T10:00:00.000Z',
        expires_at: '9999-12-31T23:59:59Z',
      };
      const isProtected = reason === 'Unsubscribed' || reason === 'FBL Complaint Report';
      expect((await stored()).body.data).toMatchObject([{ ...row, protected: isProtected }]);

      const second = await run([...words, '--apply']);
      expect(second.done).toMatchObject({ added: 0, extended: 0, unchanged: ROWS });
      expect((await run(words)).would).toEqual({ add: 0, extend: 0, change_nothing: ROWS });
    },
  );

  it('that the account cannot take are named with their lines', async () => {
    const path = await written('csv', `email,created\nnonsense,1\n${addresses(1)[0]},1\n`);
    const words = ['import', 'sendgrid', 'suppressions', path, '--as', 'unsubscribes'];
    const refused = [{ line: 2, reason: 'email is not an email address', text: 'nonsense,1' }];
    expect(await run(words)).toMatchObject({ refused: 1, first_refused: refused, without_date: 1 });
    expect(await run([...words, '--apply'])).toMatchObject({ refused: 1, done: { added: 1 } });
    await expect(run([...words, '--domain', 'other.test'])).rejects.toThrow(
      'the account has no domain other.test',
    );
  });
});

interface GivenContact {
  email: string;
  status: 'enabled' | 'disabled' | 'blocklisted';
  subscription: 'confirmed' | 'unconfirmed' | 'unsubscribed';
}

const listmonk = (contacts: readonly GivenContact[]) =>
  json({
    data: {
      results: contacts.map(({ email, status, subscription }) => ({
        ...{ uuid: email, email, name: 'Ann Lee', attribs: { city: 'Oslo' }, status },
        lists: [{ name: 'Daily', subscription_status: subscription }],
      })),
    },
  });

describe('contacts', () => {
  it('come along with lists, attributes and consent, once', async () => {
    const by = await postmesh.newAccount();
    const [ann, ben, cyd, dan] = addresses(4) as [string, string, string, string];
    const given: GivenContact[] = [
      { email: ann, status: 'enabled', subscription: 'confirmed' },
      { email: ben, status: 'enabled', subscription: 'unconfirmed' },
      { email: cyd, status: 'enabled', subscription: 'unsubscribed' },
      { email: dan, status: 'blocklisted', subscription: 'confirmed' },
    ];
    const more = addresses(1_200).map(
      (email) => ({ email, status: 'enabled', subscription: 'confirmed' }) as const,
    );
    const words = ['import', 'listmonk', 'contacts', await written('json', listmonk([...given, ...more]))];

    const survey = await run(words, by);
    expect(survey).toMatchObject({
      taken: { subscribed: 1_201, unconfirmed: 1, unsubscribed: 1, blocked: 1 },
      lists: { Daily: 1_201 },
      attributes: [{ key: 'city', type: 'string', defined: false }],
      would: { create: 1_204, update: 0, stop_mail_to: 0 },
    });
    expect(await shown(words, by)).toContain('attributes  city (string, to be defined)\n');
    const first = await run([...words, '--apply'], by);
    expect(first).toMatchObject({ refused: 0, done: { created: 1_204, updated: 0, joined_lists: 1_201 } });
    const contact = async (email: string) =>
      (await postmesh.api(by.key, 'GET', `{A}/contacts/${email}`)).body;
    const names = { first_name: 'Ann', last_name: 'Lee', attributes: { city: 'Oslo' } };
    expect(await contact(ann)).toMatchObject({ ...names, status: 'enabled', unsubscribed: false });
    expect(await contact(ben)).toMatchObject({
      ...names,
      status: 'disabled',
      status_reason: 'not confirmed at listmonk',
    });
    expect(await contact(cyd)).toMatchObject({ unsubscribed: true });
    expect(await contact(dan)).toMatchObject({ status: 'blocked', status_reason: 'blocked at listmonk' });
    const [list] = (await postmesh.api(by.key, 'GET', '{A}/lists')).body.data;
    expect(list).toMatchObject({ name: 'Daily', contact_count: 1_201 });

    // decided here after the export: the second run does not revert it
    await postmesh.api(by.key, 'PUT', `{A}/contacts/${ann}`, { body: { unsubscribed: true } });
    await postmesh.api(by.key, 'PUT', `{A}/contacts/${ben}`, {
      body: { status: 'enabled', status_reason: '' },
    });
    const before = await postmesh.api(by.key, 'GET', `{A}/contacts?limit=100`);
    const second = await run([...words, '--apply'], by);
    expect(second.done).toMatchObject({
      created: 0,
      updated: 1_203,
      joined_lists: 0,
      known_and_unconfirmed: 1,
    });
    expect((await postmesh.api(by.key, 'GET', `{A}/contacts?limit=100`)).body).toEqual(before.body);
    expect(await contact(ann)).toMatchObject({ unsubscribed: true });
    expect(await contact(ben)).toMatchObject({ status: 'enabled' });
  });

  it('continue after a kill, by the file next to the export', async () => {
    const by = await postmesh.newAccount();
    const emails = addresses(5_000);
    const contacts = emails.map(
      (email) => ({ email, status: 'enabled', subscription: 'confirmed' }) as const,
    );
    const path = await written('json', listmonk(contacts));
    const words = ['import', 'listmonk', 'contacts', path, '--without-attributes', '--apply'];
    const killed = spawn(process.execPath, [PROGRAM, ...words], { env: { ...process.env, ...settings(by) } });
    const ended = once(killed, 'exit');
    await eventually(() => existsSync(`${path}.import`), 90_000).toBe(true);
    killed.kill('SIGKILL');
    expect((await ended)[1]).toBe('SIGKILL');
    const { rows } = JSON.parse(await readFile(`${path}.import`, 'utf8'));
    expect(rows).toBeLessThan(emails.length);

    await run(words, by);
    expect(existsSync(`${path}.import`)).toBe(false);
    const [list] = (await postmesh.api(by.key, 'GET', '{A}/lists')).body.data;
    expect(list.contact_count).toBe(emails.length);
    const state = { what: 'another', size: 1, modified: 1, run: 'x', rows: 0, counts: {} };
    await writeFile(`${path}.import`, json(state));
    await expect(run(words, by)).rejects.toThrow('belongs to another import');
  }, 180_000);
});

describe('after any import', () => {
  it('no address that the source would not write to is written to', async () => {
    const by = await postmesh.newAccount();
    const own = await postmesh.verifiedDomain(by);
    const cause = fc.constantFrom('HardBounce', 'SpamComplaint', 'ManualSuppression');
    const at = fc.constantFrom(TIME, '2026-03-01 10:00', '', '2999-01-01T00:00:00Z', null);
    const spelling = fc.constantFrom(
      (email: string) => email,
      (email: string) => email.toUpperCase(),
      (email: string) => ` ${email} `,
    );
    const suppressed = fc.record({ cause, at, spelling });
    const contact = fc.record({
      status: fc.constantFrom('enabled', 'disabled', 'blocklisted'),
      subscription: fc.constantFrom('confirmed', 'unconfirmed', 'unsubscribed'),
      again: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(suppressed, { minLength: 1, maxLength: 20 }),
        fc.array(contact, { minLength: 1, maxLength: 20 }),
        async (rows, people) => {
          const emails = addresses(rows.length);
          const dump = rows.map(({ cause: reason, at: date, spelling: spell }, nth) => ({
            ...{ EmailAddress: spell(emails[nth] ?? ''), SuppressionReason: reason, CreatedAt: date },
          }));
          const path = await written('json', json({ Suppressions: dump }));
          expect((await run(['import', 'postmark', 'suppressions', path, '--apply'], by)).refused).toBe(0);
          const sent = await postmesh.api(by.key, 'POST', '{A}/messages', {
            body: {
              from: { email: `a@${own}` },
              recipients: emails.map((email) => ({ email })),
              subject: 's',
              text_content: 't',
            },
          });
          for (const { id } of sent.body.data) {
            const { body } = await postmesh.api(by.key, 'GET', `{A}/messages/${encodeURIComponent(id)}`);
            expect(body.status).toBe('Suppressed');
          }

          const given = people.map((one) => ({ ...one, email: addresses(1)[0] ?? '' }));
          const all = given.flatMap((one) => (one.again ? [one, one] : [one])) as GivenContact[];
          const file = await written('json', listmonk(all));
          await run(['import', 'listmonk', 'contacts', file, '--without-attributes', '--apply'], by);
          for (const { email, status, subscription } of given) {
            const { body } = await postmesh.api(by.key, 'GET', `{A}/contacts/${email}`);
            const mayBeMailed = status === 'enabled' && subscription === 'confirmed';
            expect(body.status === 'enabled' && !body.unsubscribed).toBe(mayBeMailed);
          }
        },
      ),
      { numRuns: 5 },
    );
  });
});

describe('templates', () => {
  it('become drafts, once; what cannot be translated is named and left out', async () => {
    const by = await postmesh.newAccount();
    const templates = [
      {
        name: 'Receipt',
        versions: [
          {
            active: 1,
            subject: 'Order {{id}}',
            html_content: '<p>{{#each items}}{{name}}{{/each}}</p>',
            plain_content: 'Thanks',
          },
        ],
      },
      {
        name: 'Broken',
        versions: [{ active: 1, subject: 'x', html_content: '<p>\n{{> footer}}</p>', plain_content: '' }],
      },
    ];
    const path = await written('json', json({ result: templates }));
    const words = ['import', 'sendgrid', 'templates', path];
    const broken = {
      name: 'Broken',
      result: 'refused',
      problems: [
        {
          part: 'html',
          line: 2,
          problem: 'partials ({{> footer}}) are not in our language: put its content here',
        },
      ],
    };
    expect((await run(words, by)).templates).toMatchObject([{ name: 'Receipt', result: 'new' }, broken]);
    expect(await shown(words, by)).toContain(
      'new        Receipt\nrefused    Broken\n  html line 2: partials',
    );
    const { templates: made } = await run([...words, '--apply'], by);
    expect(made).toMatchObject([{ result: 'created' }, broken]);
    const { body } = await postmesh.api(by.key, 'GET', `{A}/templates/${made[0].id}/draft`);
    expect(body).toMatchObject({
      subject: 'Order {{ id }}',
      content: { html: '<p>{% for item1 in items %}{{ item1.name }}{% endfor %}</p>', text: 'Thanks' },
    });
    expect((await run([...words, '--apply'], by)).templates).toMatchObject([{ result: 'unchanged' }, broken]);
  });
});

describe('webhooks and domains', () => {
  it('get a webhook of their URL and events, once, with its secret', async () => {
    const by = await postmesh.newAccount();
    const url = 'https://app.example.com/hook';
    const path = await written(
      'json',
      json({ webhooks: { delivered: { urls: [url] }, permanent_fail: { urls: [url] } } }),
    );
    const words = ['import', 'mailgun', 'webhooks', path];
    expect((await run(words, by)).webhooks).toMatchObject([{ url, result: 'new' }]);
    expect(await shown(words, by)).toContain(`new        ${url}\n  on_delivered, on_bounced`);
    expect((await run([...words, '--apply'], by)).webhooks).toMatchObject([
      {
        url,
        result: 'created',
        events: 'on_delivered, on_bounced, on_failed, on_suppressed',
        secret: expect.any(String),
      },
    ]);
    expect((await run([...words, '--apply'], by)).webhooks).toMatchObject([{ result: 'unchanged' }]);
    const { body } = await postmesh.api(by.key, 'GET', '{A}/webhooks');
    expect(body.data).toMatchObject([{ url, scope: 'global', on_delivered: true, on_opened: false }]);
  });

  it('the difference names what is to be published, and adds the domain on request', async () => {
    const by = await postmesh.newAccount();
    const name = `${unique('moved')}.test`;
    const path = await written(
      'json',
      json([
        {
          domain: name,
          dns: { dkim1: { type: 'cname', host: `s1._domainkey.${name}`, data: 's1.wl.sendgrid.net' } },
        },
      ]),
    );
    const words = ['import', 'sendgrid', 'domains', path, '--dns', '127.0.0.1:9'];
    await expect(run(words, by)).rejects.toThrow(
      `the account has no domain ${name}: repeat with --apply, which adds it`,
    );
    const { added, records } = await run([...words, '--apply'], by);
    expect(added).toBe(true);
    const wanted = (await postmesh.api(by.key, 'GET', `{A}/domains/${name}`)).body.dns_records;
    expect(records.map(({ sign }: { sign: string }) => sign)).toEqual(wanted.map(() => '+'));
    expect((await run(words, by)).records).toEqual(records);
    expect(await shown(words, by)).toContain(`\n+ ${wanted[0].type}`);
  });
});
