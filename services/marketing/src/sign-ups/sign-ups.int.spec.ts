import type { AccountId } from '@postmesh/contracts';
import { testDatabaseWithClock } from '@postmesh/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PurgeAccounts } from '../account-changes/purge-accounts.js';
import { recordDeletion } from '../account-changes/deleted-accounts.js';
import { formBody, startSignUps, TEXTS, type SignUpsUnderTest } from './testing/sign-ups-under-test.js';
import { SignUpMailer } from './sign-up-mailer.js';
import { DataSource } from 'typeorm';

// proven again: mail that cannot be handed over, addresses that are members, requests of programs
const database = testDatabaseWithClock();
let marketing: SignUpsUnderTest;
beforeAll(async () => {
  marketing = await startSignUps(database.url);
});
afterAll(() => marketing?.stop());
// `Date` and the database have one time from the beginning of each test
beforeEach(() => database.advance(0));

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let counted = 0;
const newAddress = () => `reader-${(counted += 1)}@mail.test`;

interface Form {
  accountId: AccountId;
  listId: string;
  id: string;
  url: string;
}
async function newForm(
  more: Parameters<typeof formBody>[1] = {},
  accountId = marketing.account(),
): Promise<Form> {
  const listId = await marketing.list(accountId, 0);
  const made = await marketing.console(accountId, 'POST', '/sign-up-forms', formBody(listId, more));
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return { accountId, listId, id: made.body.id, url: made.body.url };
}

const timeIn = (page: string) => /name="t" value="([\w-]+)"/.exec(page)?.[1] ?? '';
/** A person opens the page, fills it in, and sends it. */
async function signUp({ url }: Pick<Form, 'url'>, email: string, more: Record<string, string> = {}) {
  const { text } = await marketing.page(url);
  await database.advance(5_000);
  return marketing.page(url, {
    email,
    first_name: 'Ann',
    website: '',
    t: timeIn(text),
    consent: '1',
    ...more,
  });
}

const mailsTo = (email: string) => marketing.sends.filter(({ recipients }) => recipients[0]?.email === email);
const mailTo = async (email: string, nth = 0) => {
  await marketing.service.get(SignUpMailer).sendDue(new AbortController().signal);
  await expect.poll(() => mailsTo(email).length).toBeGreaterThan(nth);
  return mailsTo(email)[nth]!;
};
const linkOf = async (email: string, nth = 0) =>
  String((await mailTo(email, nth)).recipients[0]?.values['confirm_url']);
const settled = () => marketing.service.get(SignUpMailer).sendDue(new AbortController().signal);
const confirm = (link: string) => marketing.page(link, { confirm: '1' });

const membersOf = async ({ accountId, listId }: Form) =>
  (
    await marketing.call('GET', `/v2/accounts/${accountId}/lists/${listId}/contacts?include_contacts=true`, {
      account_id: accountId,
    })
  ).body.data;
const contactsOf = async ({ accountId }: Form) =>
  (await marketing.call('GET', `/v2/accounts/${accountId}/contacts`, { account_id: accountId })).body.data;

describe('a sign-up', () => {
  it('is a member once the reader of the mailbox has pressed the button, and nothing in the API before', async () => {
    const form = await newForm();
    const email = newAddress();
    const asked = await signUp(form, ` ${email.toUpperCase()} `);
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining(TEXTS.thanks)]);
    const link = await linkOf(email);
    for (let times = 0; times < 3; times += 1) {
      const page = await marketing.page(link);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(email)]);
    }
    expect([await contactsOf(form), await membersOf(form)]).toEqual([[], []]);
    expect((await confirm(link)).text).toContain(TEXTS.confirmed);
    expect(await membersOf(form)).toMatchObject([
      {
        email,
        subscription_status: 'confirmed',
        contact: { first_name: 'Ann', last_name: '', status: 'enabled' },
      },
    ]);
    const before = await membersOf(form);
    expect((await confirm(link)).text).toContain(TEXTS.confirmed);
    expect(await membersOf(form)).toEqual(before);
  });

  it('is asked by a mail of the account that has no text of the request in it', async () => {
    const form = await newForm();
    const email = newAddress();
    await signUp(form, email, { first_name: 'Buy at evil.test' });
    const { content, recipients, ...about } = await mailTo(email);
    expect(about).toMatchObject({ account_id: form.accountId, test: true, purpose: 'confirmation' });
    expect(content.from).toEqual({ email: 'news@shop.test', name: 'Shop' });
    expect(recipients).toMatchObject([
      {
        contact_id: null,
        name: '',
        values: { subject: TEXTS.mail_subject, paragraphs: ['Hello,', 'do you want our <news>?'] },
      },
    ]);
    expect(JSON.stringify([content, recipients])).not.toContain('evil');
  });

  it('gets one mail in an hour, and the link of the first one keeps working', async () => {
    const form = await newForm();
    const other = await newForm({}, form.accountId);
    const email = newAddress();
    await signUp(form, email);
    const first = await linkOf(email);
    await signUp(form, email);
    await signUp(other, email);
    await settled();
    expect(mailsTo(email)).toHaveLength(1);
    await database.advance(HOUR);
    await mailTo(email, 1);
    await signUp(form, email);
    await settled();
    expect(mailsTo(email)).toHaveLength(2);
    await database.advance(HOUR);
    await mailTo(email, 2);
    expect((await confirm(first)).text).toContain(TEXTS.confirmed);
    expect(await membersOf(form)).toHaveLength(1);
    expect(await membersOf(other)).toEqual([]);
  });

  it('looks the same for every address: new, asked, a member, or one that complained', async () => {
    const form = await newForm();
    const [fresh, member, complained] = [newAddress(), newAddress(), newAddress()];
    for (const email of [member, complained]) {
      await signUp(form, email);
      await confirm(await linkOf(email));
    }
    await marketing.sql(
      `update memberships set subscription_status = 'complained'
       where list_id = $1 and contact_id = (select id from contacts where email = $2)`,
      [form.listId, complained],
    );
    const answers = [];
    for (const email of [fresh, fresh, member, complained]) answers.push(await signUp(form, email));
    for (const { status, text } of answers) expect([status, text]).toEqual([200, answers[0]?.text]);
    await database.advance(2 * HOUR);
    await settled();
    expect([fresh, member, complained].map((email) => mailsTo(email).length)).toEqual([1, 1, 1]);
  });

  it('of a program is none: no page before, too fast, too old, or with the field that people do not see', async () => {
    const form = await newForm();
    const { text } = await marketing.page(form.url);
    const body = { email: newAddress(), website: '', consent: '1' };
    expect((await marketing.page(form.url, body)).text).toContain('press the button once more');
    const fast = await marketing.page(form.url, { ...body, t: timeIn(text) });
    expect(fast.text).toContain('press the button once more');
    await database.advance(5_000);
    const filled = await marketing.page(form.url, { ...body, website: 'https://x.test', t: timeIn(text) });
    expect(filled.text).toContain(TEXTS.thanks);
    await database.advance(DAY);
    expect((await marketing.page(form.url, { ...body, t: timeIn(text) })).text).toContain('press the button');
    const other = await newForm();
    const theirs = await marketing.page(other.url);
    await database.advance(5_000);
    expect((await marketing.page(form.url, { ...body, t: timeIn(theirs.text) })).text).toContain(
      'press the button',
    );
    expect(await marketing.sql('select from sign_ups where form_id = $1', [form.id])).toEqual([]);
    // the page of the last answer works, with what was filled in
    expect(fast.text).toContain(`value="${body.email}"`);
    const again = await marketing.page(form.url, {
      ...body,
      t: timeIn((await marketing.page(form.url, body)).text),
    });
    expect(again.status).toBe(200);
  });

  it('shows what was typed as text, and needs a valid address and the consent', async () => {
    const form = await newForm();
    const nasty = await signUp(form, '"><script>alert(1)</script>', { first_name: '"><b>' });
    expect(nasty.text).toContain('enter a valid email address');
    expect(nasty.text).not.toMatch(/<script|"><b>/);
    const { text } = await marketing.page(form.url);
    const noConsent = await marketing.page(form.url, { email: newAddress(), t: timeIn(text) });
    expect(noConsent.text).toContain('tick the box');
    expect(
      (await marketing.page(form.url, { a: '1', b: '1', c: '1', d: '1', e: '1', f: '1', g: '1' })).status,
    ).toBe(400);
  });

  it('can be shown in a frame of any page; its confirmation cannot', async () => {
    const form = await newForm();
    const email = newAddress();
    const shown = await marketing.page(form.url);
    expect(shown.headers.get('content-security-policy')).toContain('frame-ancestors *');
    expect(shown.text).toContain('background:#1d4fc4');
    await signUp(form, email);
    const asking = await marketing.page(await linkOf(email));
    expect(asking.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(asking.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('ends after a week, with its form, or with its list', async () => {
    const form = await newForm();
    const [late, orphan, closed] = [newAddress(), newAddress(), newAddress()];
    await signUp(form, late);
    const lateLink = await linkOf(late);
    await database.advance(7 * DAY);
    expect([(await marketing.page(lateLink)).status, (await confirm(lateLink)).status]).toEqual([410, 410]);
    await marketing.service.get(SignUpMailer).sweep(new AbortController().signal);
    expect(await marketing.sql('select from sign_ups where email = $1', [late])).toEqual([]);
    await signUp(form, orphan);
    const orphanLink = await linkOf(orphan);
    expect((await marketing.console(form.accountId, 'DELETE', `/sign-up-forms/${form.id}`)).status).toBe(200);
    expect([(await confirm(orphanLink)).status, (await marketing.page(form.url)).status]).toEqual([410, 404]);
    const other = await newForm();
    await signUp(other, closed);
    const closedLink = await linkOf(closed);
    const list = `/v2/accounts/${other.accountId}/lists/${other.listId}`;
    expect((await marketing.call('DELETE', list, { account_id: other.accountId })).status).toBe(200);
    expect([(await confirm(closedLink)).status, (await marketing.page(other.url)).status]).toEqual([
      410, 410,
    ]);
    expect(await contactsOf(other)).toEqual([]);
  });

  it('waits while the sender may not send, and is handed over once, whatever answer was lost', async () => {
    const form = await newForm();
    const email = newAddress();
    marketing.answer = () => ({ ok: false, problem: 'domain_paused' });
    await signUp(form, email);
    const { recipients } = await mailTo(email);
    marketing.answer = undefined;
    await database.advance(HOUR);
    const again = await mailTo(email, 1);
    expect(again.recipients[0]?.message_id).toBe(recipients[0]?.message_id);
    await database.advance(HOUR);
    await settled();
    expect(mailsTo(email)).toHaveLength(2);
  });

  it('of a contact that had stopped all mail brings the mail of this list alone', async () => {
    const form = await newForm();
    const other = await newForm({}, form.accountId);
    const email = newAddress();
    await signUp(other, email);
    await confirm(await linkOf(email));
    const contact = `/v2/accounts/${form.accountId}/contacts/${email}`;
    await marketing.call('PUT', contact, {
      account_id: form.accountId,
      body: { unsubscribed: true, first_name: 'Anna' },
    });
    await database.advance(HOUR);
    await signUp(form, email, { first_name: 'Eve' });
    await confirm(await linkOf(email, 1));
    const [member] = await membersOf(form);
    expect(member).toMatchObject({
      subscription_status: 'confirmed',
      contact: { unsubscribed: false, first_name: 'Anna' },
    });
    expect(await membersOf(other)).toMatchObject([{ subscription_status: 'unsubscribed' }]);
  });

  it('is welcomed by a template, with a way out', async () => {
    const accountId = marketing.account();
    const html = '<p>Welcome {{ first_name }}</p><a href="{{ unsubscribe_url }}">no more</a>';
    const template = await marketing.call('POST', `/v2/accounts/${accountId}/campaign-templates`, {
      account_id: accountId,
      body: { name: 'Welcome', content: { html } },
    });
    const form = await newForm({ welcome: { template_id: template.body.id, subject: 'Welcome' } }, accountId);
    const email = newAddress();
    await signUp(form, email);
    await confirm(await linkOf(email));
    const mail = await mailTo(email, 1);
    expect(mail).toMatchObject({ purpose: 'welcome', content: { subject: 'Welcome', html } });
    const way = String(mail.recipients[0]?.values['unsubscribe_url']);
    expect((await marketing.page(way)).text).toContain('Stop all marketing email');
    await marketing.page(way, { 'List-Unsubscribe': 'One-Click' });
    expect(await membersOf(form)).toMatchObject([{ contact: { unsubscribed: true } }]);
  });
});

describe('a form', () => {
  it('is changed whole; another text of the consent is another version', async () => {
    const form = await newForm();
    const path = `/sign-up-forms/${form.id}`;
    const put = (more: object) =>
      marketing.console(form.accountId, 'PUT', path, { ...formBody(form.listId), ...more });
    expect((await put({ name: 'Top' })).body).toMatchObject({ name: 'Top', text_version: 1, url: form.url });
    const texts = { ...TEXTS, consent: 'I want more.' };
    expect((await put({ texts })).body).toMatchObject({ text_version: 2, texts });
    expect((await put({ is_open: false, texts })).body).toMatchObject({ text_version: 2, is_open: false });
    expect((await marketing.page(form.url)).status).toBe(410);
    const listed = await marketing.console(form.accountId, 'GET', '/sign-up-forms');
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([form.id]);
  });

  it.each([
    ['a sender on a domain that may not send', { from: { email: 'news@other.test', name: '' } }],
    ['a color that is none', { accent: 'red;}' }],
    ['a field twice', { fields: ['first_name', 'first_name'] }],
    [
      'an unknown template',
      { welcome: { template_id: '01980f3e-0000-7c11-a2d4-0c5f9e6b8a99', subject: 'x' } },
    ],
    ['an empty consent', { texts: { ...TEXTS, consent: ' ' } }],
    ['too long a text', { texts: { ...TEXTS, mail_text: 'x'.repeat(2_001) } }],
    ['an unknown property', { html: '<script>' }],
  ])('is refused with %s', async (_, more) => {
    const accountId = marketing.account();
    const body = { ...formBody(await marketing.list(accountId, 0)), ...more };
    expect((await marketing.console(accountId, 'POST', '/sign-up-forms', body)).status).toBe(400);
  });

  it('is one of 50 at most, and of its own account', async () => {
    const form = await newForm();
    for (let more = 1; more < 50; more += 1) {
      const made = await marketing.console(form.accountId, 'POST', '/sign-up-forms', formBody(form.listId));
      expect(made.status).toBe(201);
    }
    const over = await marketing.console(form.accountId, 'POST', '/sign-up-forms', formBody(form.listId));
    expect(over.status).toBe(409);
    const stranger = marketing.account();
    expect((await marketing.console(stranger, 'GET', `/sign-up-forms/${form.id}`)).status).toBe(404);
    expect((await marketing.console(stranger, 'POST', '/sign-up-forms', formBody(form.listId))).status).toBe(
      404,
    );
  });

  it('asks an address that a member of the account adds, and says what becomes of it', async () => {
    const form = await newForm();
    const email = newAddress();
    const ask = () =>
      marketing.console(form.accountId, 'POST', `/sign-up-forms/${form.id}/sign-ups`, { email });
    expect((await ask()).body).toEqual({ object: 'sign_up', email, outcome: 'asked' });
    expect((await ask()).body).toMatchObject({ outcome: 'asked_already' });
    await confirm(await linkOf(email));
    expect((await ask()).body).toMatchObject({ outcome: 'member' });
    const consents = await marketing.console(form.accountId, 'GET', '/consents');
    expect(consents.body.data).toMatchObject([{ way: 'console', email, ip: '203.0.113.9' }]);
  });
});

it('nothing is left of a deleted account', async () => {
  const form = await newForm();
  const email = newAddress();
  await signUp(form, email);
  await confirm(await linkOf(email));
  await signUp(form, newAddress());
  await marketing.service.get(DataSource).transaction((tx) => recordDeletion(tx, form.accountId));
  await marketing.service.get(PurgeAccounts).purgeDue(new AbortController().signal);
  for (const table of [
    'sign_up_forms',
    'sign_ups',
    'consent_texts',
    'consent_records',
    'consent_chains',
    'contacts',
  ]) {
    expect(
      await marketing.sql(`select from ${table} where account_id = $1`, [form.accountId]),
      table,
    ).toEqual([]);
  }
});

/** A form that asks for an attribute of each kind, and the names of the account's attributes. */
async function newAsking(): Promise<Form> {
  const accountId = marketing.account();
  for (const [key, type] of Object.entries({
    ...{ city: 'string', plan: 'string', size: 'number', born: 'date' },
    ...{ tall: 'boolean', seen: 'timestamp' },
  })) {
    const defined = await marketing.console(accountId, 'POST', '/contact-attributes', { key, type });
    expect(defined.status).toBe(201);
  }
  const ask = (key: string, label: string, more = {}) => ({
    key,
    label,
    required: false,
    options: [],
    ...more,
  });
  return newForm(
    {
      attributes: [
        ask('plan', 'Your <plan>', { required: true, options: ['free', 'paid'] }),
        ...[ask('city', 'City'), ask('size', 'Size'), ask('born', 'Birthday'), ask('tall', 'Are you tall?')],
      ],
    },
    accountId,
  );
}
const answers = (given: Record<string, string>) =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [`attributes.${key}`, value]));
const attributesOf = async (form: Form) => (await contactsOf(form))[0]?.attributes;
/** The fields of the page behind the link. */
const shownConfirm = async (link: string) => {
  const { text } = await marketing.page(link);
  return { text, fields: { confirm: '1', answers: /name="answers" value="(\w*)"/.exec(text)?.[1] ?? '' } };
};

describe('a form that asks for attributes', () => {
  it('writes them at the confirmation, which shows them, and not before', async () => {
    const form = await newAsking();
    const email = newAddress();
    const path = `/v2/accounts/${form.accountId}/contacts`;
    const before = { city: 'Vienna', plan: 'paid', seen: '2026-01-01T00:00:00Z' };
    await marketing.call('POST', path, { account_id: form.accountId, body: { email, attributes: before } });
    const { text } = await marketing.page(form.url);
    expect(text).toContain('Your &lt;plan&gt;<select name="attributes.plan" required>');
    expect(text).toContain('<option value="free">free</option>');
    expect(text).toMatch(/name="attributes\.size" type="number"[^]*name="attributes\.born" type="date"/);
    const typed = { plan: 'free', city: ' Graz <b>', size: '007.50', born: '2000-02-29', tall: 'false' };
    expect((await signUp(form, email, answers(typed))).text).toContain(TEXTS.thanks);
    const link = await linkOf(email);
    const shown = await shownConfirm(link);
    for (const part of ['Your &lt;plan&gt;: ', 'Graz &lt;b&gt;', '7.5', 'Are you tall?: <strong><bdi>No'])
      expect(shown.text).toContain(part);
    expect(await attributesOf(form)).toEqual(before);
    // no page shows these values
    expect((await confirm(link)).text).toContain('Graz &lt;b&gt;');
    expect([await attributesOf(form), await membersOf(form)]).toEqual([before, []]);
    for (let times = 0; times < 2; times += 1)
      expect((await marketing.page(link, shown.fields)).text).toContain(TEXTS.confirmed);
    expect(await attributesOf(form)).toEqual({
      ...{ ...before, plan: 'free', city: 'Graz <b>', size: 7.5, born: '2000-02-29', tall: false },
    });
  });

  it('confirms the values that the page showed, not those of a later request', async () => {
    const form = await newAsking();
    const email = newAddress();
    await signUp(form, email, answers({ plan: 'free' }));
    const link = await linkOf(email);
    const { fields } = await shownConfirm(link);
    await database.advance(HOUR);
    await signUp(form, email, answers({ plan: 'paid', city: 'Linz' }));
    expect((await marketing.page(link, fields)).text).toContain('Linz');
    expect(await contactsOf(form)).toEqual([]);
    await marketing.console(form.accountId, 'PUT', `/sign-up-forms/${form.id}`, formBody(form.listId));
    await marketing.internal('DELETE', `/operator/accounts/${form.accountId}/attributes/city`);
    await marketing.page(link, (await shownConfirm(link)).fields);
    expect(await attributesOf(form)).toEqual({ plan: 'paid' });
  });

  it('asks again for what is missing or wrong, with what was typed', async () => {
    const form = await newAsking();
    const email = newAddress();
    for (const [given, problem] of [
      [{}, 'Please fill in “Your &lt;plan&gt;”.'],
      [{ plan: 'gold' }, 'Please check “Your &lt;plan&gt;”.'],
      [{ plan: 'free', size: 'many' }, 'Please check “Size”.'],
      [{ plan: 'free', born: '2001-02-29' }, 'Please check “Birthday”.'],
      [{ plan: 'free', tall: 'maybe' }, 'Please check “Are you tall?”.'],
      [{ plan: 'free', city: 'x'.repeat(256) }, 'Please check “City”.'],
    ] as const) {
      const { text } = await signUp(form, email, answers({ born: '2000-01-01', ...given }));
      expect(text).toContain(problem);
      expect(text).toContain(`value="${'born' in given ? given.born : '2000-01-01'}"`);
      if ('size' in given) expect(text).toContain('<option value="free" selected>');
    }
    await settled();
    expect(mailsTo(email)).toEqual([]);
  });

  it('has attributes of the account alone, and none that was deleted', async () => {
    const form = await newAsking();
    const put = (attributes: object[]) =>
      marketing.console(form.accountId, 'PUT', `/sign-up-forms/${form.id}`, {
        ...formBody(form.listId),
        attributes: attributes.map((one) => ({ label: 'x', required: true, options: [], ...one })),
      });
    for (const [attributes, problem] of [
      [[{ key: 'other' }], 'unknown attribute "other"'],
      [[{ key: 'seen' }], /timestamp/],
      [[{ key: 'size', options: ['1'] }], /no text/],
      [[{ key: 'plan', options: ['a', 'a'] }], /repeated/],
      [[{ key: 'plan' }, { key: 'plan' }], /repeated/],
      [Array(11).fill({ key: 'plan' }), /attributes/],
    ] as const) {
      const { status, body } = await put([...attributes]);
      expect([status, body.message]).toEqual([400, expect.stringMatching(problem)]);
    }
    expect((await put([{ key: 'plan' }, { key: 'city' }])).status).toBe(200);
    await marketing.internal('DELETE', `/operator/accounts/${form.accountId}/attributes/plan`);
    const { body } = await marketing.console(form.accountId, 'GET', `/sign-up-forms/${form.id}`);
    expect(body.attributes).toMatchObject([
      { key: 'plan', type: null },
      { key: 'city', type: 'string' },
    ]);
    const { text } = await marketing.page(form.url);
    expect([text.includes('attributes.plan'), text.includes('attributes.city')]).toEqual([false, true]);
    expect((await signUp(form, newAddress(), answers({ city: 'Graz' }))).text).toContain(TEXTS.thanks);
  });
});

describe('a form in JSON', () => {
  const send = async (url: string, init: RequestInit = {}) => {
    const answer = await marketing.fetchPublic(url, {
      ...init,
      headers: { accept: 'application/json', 'x-client-ip': '203.0.113.9', ...init.headers },
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const post = (url: string, body: unknown) =>
    send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('asks the address, as its page does, and has the same time and trap', async () => {
    const form = await newForm();
    const email = newAddress();
    const { status, body } = await send(form.url);
    expect([status, body]).toEqual([
      200,
      {
        object: 'sign_up_form',
        title: TEXTS.title,
        intro: TEXTS.intro,
        button: TEXTS.button,
        consent: TEXTS.consent,
        fields: expect.any(Array),
        attributes: [],
        t: expect.any(String),
      },
    ]);
    const fields = { email, first_name: 'Ann', consent: true, t: body['t'] };
    const early = await post(form.url, fields);
    expect([early.status, early.body['message']]).toEqual([400, expect.stringMatching(/^t must be/)]);
    await database.advance(5_000);
    const trapped = await post(form.url, { ...fields, website: 'x' });
    expect([trapped.status, trapped.body]).toEqual([202, { object: 'sign_up', message: TEXTS.thanks }]);
    await settled();
    expect(mailsTo(email)).toEqual([]);
    expect(await post(form.url, fields)).toEqual(trapped);
    await confirm(await linkOf(email));
    expect(await membersOf(form)).toMatchObject([{ email, contact: { first_name: 'Ann' } }]);
  });

  it('takes attributes as the API does, and no others', async () => {
    const form = await newAsking();
    const email = newAddress();
    const { body } = await send(form.url);
    const [plan, , size] = body['attributes'] as object[];
    expect([plan, size]).toEqual([
      { key: 'plan', label: 'Your <plan>', type: 'string', required: true, options: ['free', 'paid'] },
      { key: 'size', label: 'Size', type: 'number', required: false, options: [] },
    ]);
    await database.advance(5_000);
    const sent = async (attributes: string) =>
      post(
        form.url,
        `{"email":"${email}","consent":true,"t":"${String(body['t'])}","attributes":${attributes}}`,
      );
    for (const [attributes, problem] of [
      ['{}', 'attribute "plan" is required'],
      ['{"plan":"gold"}', 'attribute "plan" must be one of: free, paid'],
      ['{"plan":"free","size":"1"}', 'attribute "size" must be a finite number'],
      ['{"plan":"free","size":12345678901234567891}', /has more digits than a number keeps/],
      ['{"plan":"free","tall":null}', 'attribute "tall" must not be null'],
      ['{"plan":"free","seen":"2026-01-01T00:00:00Z"}', 'unknown attribute "seen"'],
      ['[]', 'attributes must be an object'],
    ] as const) {
      const answer = await sent(attributes);
      expect([answer.status, answer.body['message']]).toEqual([400, expect.stringMatching(problem)]);
    }
    expect((await sent('{"plan":"free","size":1.50,"tall":true}')).status).toBe(202);
    await marketing.page(await linkOf(email), (await shownConfirm(await linkOf(email))).fields);
    expect(await attributesOf(form)).toEqual({ plan: 'free', size: 1.5, tall: true });
  });

  it('says why it is not taken', async () => {
    const form = await newForm({ fields: ['first_name'] });
    const { body } = await send(form.url);
    await database.advance(5_000);
    const fields = { email: newAddress(), consent: true, t: body['t'] };
    const message = async (given: unknown) => {
      const { status, body: answer } = await post(form.url, given);
      expect(status).toBe(400);
      return answer['message'];
    };
    expect(await message('{')).toBe('the body must be a JSON object');
    expect(await message([])).toBe('the body must be a JSON object');
    expect(await message({ ...fields, plan: 'pro' })).toBe('unknown field: plan');
    expect(await message({ ...fields, last_name: 'B' })).toBe('unknown field: last_name');
    expect(await message({ ...fields, email: 1 })).toBe('email must be a text');
    expect(await message({ ...fields, email: 'nobody' })).toBe('email must be a valid email address');
    expect(await message({ ...fields, consent: false })).toBe('consent must be true');
    expect(await message({ ...fields, t: 'x' })).toMatch(/^t must be of a GET/);
    const closed = await newForm({ is_open: false });
    expect(await post(closed.url, fields)).toEqual({ status: 410, body: { message: 'this form is closed' } });
    expect(await post(`${form.url}x`, fields)).toEqual({ status: 404, body: { message: 'form not found' } });
  });
});
