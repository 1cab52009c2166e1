import {
  ALL_OPERATIONS,
  CONSOLE_OPERATIONS,
  coversScope,
  MEMBER_ROLES,
  newId,
  OPERATIONS,
  ROLES,
  SESSION_COOKIE,
  type MemberRole,
  type OperationId,
  type OperationSpec,
} from '@postmesh/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, freshIp, ownInstallation, unique } from './contract/harness.js';
import { send, type HttpResponse } from './contract/http-request.js';
import { fullAccount, type FullAccount } from './contract/two-accounts.js';

// The console as a browser sees it: a whole installation, cookies, and every operation of the API and of the console.

const postmesh = ownInstallation({
  POSTMESH_RATE_STATISTICS_PER_SECOND: '100000',
  POSTMESH_RATE_STATISTICS_BURST: '100000',
});

const API = Object.entries(OPERATIONS as Record<string, OperationSpec>);
const UNDER_ACCOUNT = API.filter(([, { path }]) => path.includes('{account_id}'));
const CONSOLE = Object.entries(CONSOLE_OPERATIONS as Record<string, OperationSpec>);
const WITH_SESSION = CONSOLE.filter(([, { scope }]) => scope.kind !== 'anonymous');

const BLOCKS = {
  blocks: { version: 1, style: { accent: '#2563eb', background: '#ffffff', font: 'sans' }, blocks: [] },
};
const NEWEST = {
  match: 'all',
  groups: [{ match: 'all', conditions: [{ kind: 'created', days: 30, within: true }] }],
};
/** The bodies of operations of the console that read one before they look for their resource. */
const BODIES: Record<string, object> = {
  'template-blocks.put': BLOCKS,
  'campaign-blocks.put': BLOCKS,
  'webhook-dialects.put': { dialect: null },
  'dns-changes.write': { digest: 'of-no-difference' },
  'dns-hosts.update': { allow_rotation: true },
  'campaign-template-blocks.put': BLOCKS,
  'public-lists.put': { is_public: true, title: 'News' },
  'sign-ups.create': { email: 'reader@mail.test' },
  'segments.update': { name: 'Some', filter: NEWEST },
  'campaign-audiences.put': { segment_ids: [] },
  'campaign-trials.put': { trial: null },
  'endpoint-replays.create': { kind: 'recover', since: new Date().toISOString() },
};

/** The queries of lists that need one: of things of the other account. */
const QUERIES: Record<string, (owner: FullAccount) => string> = {
  // a send answers the Message-ID, which begins with the id
  'message-calls.list': ({ ids }) => `?message_id=${/[0-9a-f-]{36}/.exec(ids['message_id']?.[0] ?? '')?.[0]}`,
};

/** A draft conflicts with them. */
const OF_SENT_CAMPAIGNS = ['campaigns.pause', 'campaigns.resume', 'campaigns.cancel'];

let ann: FullAccount;
let bob: FullAccount;
beforeAll(async () => {
  ann = await fullAccount(postmesh, unique('ann'));
  bob = await fullAccount(postmesh, unique('bob'));
  for (const owner of [ann, bob]) await addForms(owner);
});

const formOf = ({ word, domain }: FullAccount, listId: string) => ({
  ...{
    name: `${word} form`,
    list_id: listId,
    is_open: true,
    fields: [],
    attributes: [],
    accent: '#1d4fc4',
    welcome: null,
  },
  from: { email: `news@${domain}`, name: '' },
  texts: {
    ...{ title: word, intro: '', button: word, consent: word, thanks: word, confirmed: word },
    ...{ mail_subject: word, mail_text: word, mail_button: word },
  },
});

/** Two lists, two contacts, two segments, and two sign-up forms, which keys cannot make. */
async function addForms(owner: FullAccount): Promise<void> {
  const cookie = await signIn(owner.account.ownerEmail);
  const made: Record<string, string[]> = { list_id: [], contact_id: [], sign_up_form_id: [], segment_id: [] };
  for (const nth of [1, 2]) {
    const list = await postmesh.api(owner.key, 'POST', '{A}/lists', { body: { name: `${owner.word} list` } });
    const contact = await postmesh.api(owner.key, 'POST', '{A}/contacts', {
      body: { email: `${owner.word}-${nth}@mail.test` },
    });
    const body = formOf(owner, list.body.id);
    BODIES['sign-up-forms.update'] ??= body;
    const form = await ask('POST', '/console/api/sign-up-forms', { cookie, body });
    expect(form.status).toBe(201);
    const segment = await ask('POST', '/console/api/segments', {
      cookie,
      body: { name: `${owner.word} segment`, filter: NEWEST },
    });
    expect(segment.status).toBe(201);
    const ids = { list_id: list, contact_id: contact, sign_up_form_id: form, segment_id: segment };
    for (const [name, { body: of }] of Object.entries(ids)) made[name]?.push(of.id);
  }
  Object.assign(owner.ids, made);
}

type Headers = Record<string, string>;

/** A request of a page of the console, or with other headers. */
function ask(
  method: string,
  path: string,
  { cookie, body, headers }: { cookie?: string; body?: unknown; headers?: Headers } = {},
): Promise<HttpResponse> {
  const sent = body === undefined && (method === 'POST' || method === 'PUT') ? {} : body;
  return send({
    method,
    url: `${postmesh.url}${path}`,
    headers: {
      // limits per peer are proven elsewhere
      'x-forwarded-for': freshIp(),
      ...(headers ?? { origin: postmesh.url, 'sec-fetch-site': 'same-origin' }),
      ...(cookie !== undefined && { cookie }),
      ...(sent !== undefined && { 'content-type': 'application/json' }),
    },
    ...(sent !== undefined && { body: JSON.stringify(sent) }),
  });
}

/** The path in the console, with an id for each parameter. */
const pathOf = ({ path }: OperationSpec, idOf: (name: string) => string): string =>
  (path.startsWith('/v2') ? `/console/api${path}` : path).replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(idOf(name)),
  );

async function link(email: string): Promise<string> {
  const made = await postmesh.operator('POST', '/operator/accounts/sign-in-links', { email });
  expect(made.status).toBe(201);
  return tokenOf(made.body.url);
}
const tokenOf = (url: string): string => url.split('#')[1] ?? '';
const useLink = (token: string) => ask('POST', '/console/api/sessions', { body: { token } });

/** @returns the cookie as a browser sends it */
async function begin(token: string): Promise<string> {
  const { status, headers } = await useLink(token);
  expect(status).toBe(201);
  const [cookie = '', ...attributes] = String(headers['set-cookie']).split('; ');
  expect(cookie).toMatch(new RegExp(`^${SESSION_COOKIE}=[A-Za-z0-9]{64}$`));
  expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'Secure', 'HttpOnly', 'SameSite=Lax']));
  return cookie;
}
const signIn = async (email: string): Promise<string> => begin(await link(email));

async function newMember({ key, word }: FullAccount, role: MemberRole): Promise<string> {
  const email = `${unique(word)}@mail.test`;
  const made = await postmesh.api(key, 'POST', '{A}/members', { body: { email, role } });
  expect(made.status).toBe(201);
  return email;
}

describe('a sign-in', () => {
  it('is by the link that npm start prints, once, whatever has fetched its page before', async () => {
    const url = /Console: (\S+)/.exec(postmesh.installation.printed)?.[1] ?? '';
    expect(url).toMatch(/\/console\/sign-in#[A-Za-z0-9]{43}$/);
    // a scanner fetches the page; its request has no token, and one that guesses the endpoint changes nothing
    await ask('GET', new URL(url).pathname);
    expect((await ask('GET', `/console/api/sessions?token=${tokenOf(url)}`)).status).toBe(401);
    const cookie = await begin(tokenOf(url));
    const { body } = await ask('GET', '/console/api/session', { cookie });
    expect(body).toMatchObject({
      account: { id: postmesh.credentials.account_id },
      roles: ['Administrator'],
    });
    const again = await useLink(tokenOf(url));
    expect([again.status, again.headers['set-cookie']]).toEqual([401, undefined]);
  });

  it('is by a link in a mail of the system, which an invitation has, too', async () => {
    const email = await newMember(ann, 'Developer');
    const tokenIn = async (subject: string) => {
      await eventually(async () =>
        (await postmesh.messagesTo(email)).map((message) => message.subject),
      ).toContain(subject);
      const found = (await postmesh.messagesTo(email)).find((message) => message.subject === subject);
      const raw = await postmesh.messageText(found?.id ?? '');
      // quoted-printable
      const text = raw.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
      return /\/console\/sign-in#([A-Za-z0-9]{43})/.exec(text)?.[1] ?? '';
    };
    await begin(await tokenIn(`You have been invited to ${ann.word} Inc`));
    const asked = await ask('POST', '/console/api/sign-in-links', { body: { email } });
    const unknown = await ask('POST', '/console/api/sign-in-links', {
      body: { email: `${unique('x')}@mail.test` },
    });
    expect([asked.status, asked.body]).toEqual([unknown.status, unknown.body]);
    await begin(await tokenIn('Your link to sign in to Postmesh'));
  });

  it('fails with an expired link', async () => {
    const token = await link(ann.account.ownerEmail);
    await postmesh.sql(`update accounts.sign_in_links set expires_at = now() - interval '1 second'`);
    expect((await useLink(token)).status).toBe(401);
  });
});

describe('with the session of another account', () => {
  let cookie: string;
  beforeAll(async () => {
    cookie = await signIn(ann.account.ownerEmail);
  });

  it.each(UNDER_ACCOUNT)('%s: nothing of an account is reached by its path', async (_, spec) => {
    const idOf = (name: string) => bob.ids[name]?.[0] ?? bob.domain;
    const refused = await ask(spec.method, pathOf(spec, idOf), { cookie });
    expect(refused.status).toBe(403);
    expect(refused.bytes.toString()).not.toContain(bob.word);
  });

  it.each(UNDER_ACCOUNT.filter(([, { path }]) => path.split('{').length > 2))(
    '%s: nothing of an account is reached by its ids',
    async (_, spec) => {
      const idOf = (name: string) =>
        name === 'account_id' ? ann.account.id : (bob.ids[name]?.[0] ?? `${bob.word}@mail.test`);
      const refused = await ask(spec.method, pathOf(spec, idOf), { cookie });
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(refused.bytes.toString()).not.toContain(`${bob.word} `);
    },
  );

  it('operations of the console show and change nothing of it', async () => {
    const theirs = await signIn(bob.account.ownerEmail);
    const { body: session } = await ask('GET', '/console/api/session', { cookie: theirs });
    // a stream does not end
    const lists = WITH_SESSION.filter(
      ([id, { method, path }]) => method === 'GET' && !path.includes('{') && id !== 'events.stream',
    );
    for (const [id, spec] of lists) {
      const shown = await ask('GET', pathOf(spec, () => newId()) + (QUERIES[id]?.(bob) ?? ''), { cookie });
      expect(shown.status, id).toBe(200);
      expect(shown.bytes.toString(), id).not.toContain(bob.word);
      expect(shown.bytes.toString(), id).not.toContain(session.id);
    }
    expect((await ask('DELETE', `/console/api/sessions/${session.id}`, { cookie })).status).toBe(404);
    const entered = { body: { account_id: bob.account.id }, cookie };
    expect((await ask('POST', '/console/api/session/account', entered)).status).toBe(404);
    const audit = await ask('GET', `/console/api/audit?account_id=${bob.account.id}&limit=100`, { cookie });
    expect(audit.bytes.toString()).not.toContain(bob.word);
    expect((await ask('GET', '/console/api/session', { cookie: theirs })).status).toBe(200);
  });

  it.each(WITH_SESSION.filter(([, { path }]) => path.includes('{')))(
    '%s: the console reaches nothing of an account by its ids',
    async (id, spec) => {
      const names = spec.path.match(/(?<=\{)\w+/g) ?? [];
      const idsOf = ({ ids }: FullAccount, name: string) => ids[name === 'endpoint_id' ? 'webhook_id' : name];
      const by = (owner: FullAccount, nth: number) =>
        ask(
          spec.method,
          pathOf(spec, (name) => idsOf(owner, name)?.[nth] ?? idsOf(owner, name)?.at(-1) ?? newId()),
          { cookie, ...(id in BODIES && { body: BODIES[id] }) },
        );
      const refused = await by(bob, 0);
      expect(refused.status).toBe(404);
      expect(refused.bytes.toString()).not.toContain(bob.word);
      // with an id of the own account the same path is served
      if (!names.every((name) => idsOf(ann, name))) return;
      const { status } = await by(ann, 1);
      if (OF_SENT_CAMPAIGNS.includes(id)) expect(status).toBe(409);
      else expect(status).toBeLessThan(400);
    },
  );

  it('every resource of the other account is there as before', async () => {
    const kept = ['account', 'api-keys', 'domains', 'webhooks', 'routes', 'smtp-credentials', 'sub-accounts'];
    for (const id of [...kept, 'messages', 'templates'].map((family) => `${family}.get`)) {
      const { path } = ALL_OPERATIONS[id as OperationId];
      const own = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => bob.ids[name]?.[0] ?? '');
      expect((await postmesh.api(bob.key, 'GET', own)).status, id).toBe(200);
    }
  });
});

describe('CSRF: without the headers of a page of the console', () => {
  const writes = Object.entries(ALL_OPERATIONS).filter(([, { method }]) => method !== 'GET');
  const FOREIGN: [string, Headers][] = [
    ['no Origin', { 'sec-fetch-site': 'same-origin' }],
    ['another Origin', { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }],
    ['a lying Origin', { origin: 'https://evil.test', 'sec-fetch-site': 'same-origin' }],
    ['no Sec-Fetch-Site', {}],
  ];

  it.each(FOREIGN)('%s: every write is refused', async (_, headers) => {
    const cookie = await signIn(ann.account.ownerEmail);
    const given =
      headers.origin === undefined && !('sec-fetch-site' in headers) ? { origin: postmesh.url } : headers;
    const refused = await Promise.all(
      writes.map(async ([id, spec]) => {
        const path = pathOf(spec, (name) => ann.ids[name]?.[0] ?? ann.domain);
        const { status, body } = await ask(spec.method, path, { cookie, headers: given });
        return `${id} ${status} ${body.message}`;
      }),
    );
    const message = 'the request does not come from a page of the console';
    expect(refused).toEqual(writes.map(([id]) => `${id} 403 ${message}`));
    expect((await ask('GET', '/console/api/session', { cookie })).status).toBe(200);
  });

  it('a read of another site is refused', async () => {
    const cookie = await signIn(ann.account.ownerEmail);
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await ask('GET', '/console/api/session', { cookie, headers })).status).toBe(403);
  });
});

describe('a stolen cookie', () => {
  const everything = Object.entries(ALL_OPERATIONS).filter(([, { scope }]) => scope.kind !== 'anonymous');
  const statuses = (cookie: string) =>
    Promise.all(
      everything.map(async ([id, spec]) => {
        const path = pathOf(spec, (name) => ann.ids[name]?.[0] ?? ann.domain);
        return `${id} ${(await ask(spec.method, path, { cookie })).status}`;
      }),
    );
  const refused = everything.map(([id]) => `${id} 401`);

  it('opens nothing from the moment of the sign-out on', async () => {
    const cookie = await signIn(await newMember(ann, 'Developer'));
    expect((await ask('GET', '/console/api/session', { cookie })).status).toBe(200);
    const out = await ask('DELETE', '/console/api/session', { cookie });
    expect([out.status, out.headers['set-cookie']]).toEqual([
      200,
      expect.stringMatching(/=; Max-Age=0; Path=\//),
    ]);
    expect(await statuses(cookie)).toEqual(refused);
  });

  it('opens nothing after a sign-out everywhere in another browser, and after the removal of the member', async () => {
    const email = await newMember(ann, 'Developer');
    const [stolen, own] = [await signIn(email), await signIn(email)];
    expect((await ask('DELETE', '/console/api/sessions', { cookie: own })).status).toBe(200);
    expect((await ask('GET', '/console/api/session', { cookie: stolen })).status).toBe(401);
    const cookie = await signIn(email);
    const { body } = await ask('GET', '/console/api/session', { cookie });
    const removed = await postmesh.api(ann.key, 'DELETE', `{A}/members/${body.member.user_id}`);
    expect(removed.status).toBe(200);
    expect((await ask('GET', '/console/api/session', { cookie })).status).toBe(401);
  });

  it('is no API key', async () => {
    const secret = (await signIn(ann.account.ownerEmail)).split('=')[1] ?? '';
    expect((await postmesh.api(secret, 'GET', '/v2/ping')).status).toBe(401);
    const bearer = {
      authorization: `Bearer ${ann.key.secret}`,
      origin: postmesh.url,
      'sec-fetch-site': 'same-origin',
    };
    expect((await ask('GET', '/console/api/v2/ping', { headers: bearer })).status).toBe(401);
  });
});

describe('roles', () => {
  /** Whether a role has a scope for an operation; undefined where the handler decides. */
  function mayCall(role: MemberRole, { scope }: OperationSpec): boolean | undefined {
    const holder = ROLES[role];
    if (scope.kind === 'static') return scope.scopes.every((one) => coversScope(holder, one));
    return scope.kind === 'family' ? coversScope(holder, `${scope.family}:all`) : undefined;
  }

  it.each(MEMBER_ROLES)(
    '%s may call what the table of roles says, and gets 403 for the rest',
    async (role) => {
      const cookie = await signIn(await newMember(ann, role));
      // ids that do not exist, and no body: nothing is changed by what is allowed
      const idOf = (name: string) =>
        name === 'account_id' ? ann.account.id : name === 'domain' ? 'unknown.test' : newId();
      const decided = [...UNDER_ACCOUNT, ...WITH_SESSION].filter(
        ([id, spec]) =>
          mayCall(role, spec) !== undefined && id !== 'suppressions.wipe' && id !== 'account.update',
      );
      const answers = await Promise.all(
        decided.map(async ([id, spec]) => {
          const { status, headers } = await ask(spec.method, pathOf(spec, idOf), { cookie });
          return `${id} ${status !== 403 || headers['www-authenticate'] === undefined}`;
        }),
      );
      expect(answers).toEqual(decided.map(([id, spec]) => `${id} ${mayCall(role, spec)}`));
      expect((await ask('GET', '/console/api/audit', { cookie })).status).toBe(
        role === 'Administrator' ? 200 : 403,
      );
      const { body } = await ask('GET', '/console/api/session', { cookie });
      expect(body).toMatchObject({
        roles: [role],
        scopes: ROLES[role].scopes,
        contents: ROLES[role].contents,
      });
    },
  );

  it('an Analyst reads messages without their content, a Developer with it', async () => {
    const path = `/console/api/v2/accounts/${ann.account.id}/messages/${ann.ids['message_id']?.[0]}`;
    const read = async (role: MemberRole) =>
      (await ask('GET', path, { cookie: await signIn(await newMember(ann, role)) })).body;
    const [analyst, developer] = [await read('Analyst'), await read('Developer')];
    expect(developer.content).toContain(ann.word);
    expect(analyst).toMatchObject({ subject: ann.word, status: expect.any(String) });
    expect([analyst.content, analyst.content_parsed]).toEqual([undefined, undefined]);
  });
});

describe('the audit', () => {
  it('has actions of members and keys in every service, and its chain is whole', async () => {
    const cookie = await signIn(ann.account.ownerEmail);
    const domain = `${unique('audited')}.test`;
    const domains = `/console/api/v2/accounts/${ann.account.id}/domains`;
    expect((await ask('POST', domains, { cookie, body: { domain } })).status).toBe(201);
    expect((await ask('DELETE', `${domains}/${domain}`, { cookie })).status).toBe(200);
    const actor = { type: 'member', name: ann.account.ownerEmail };
    await eventually(async () =>
      (await ask('GET', '/console/api/audit?action=domains.*', { cookie })).body.data.slice(0, 2),
    ).toMatchObject([
      { action: 'domains.delete', actor, subject_id: domain, details: { status: 200 } },
      { action: 'domains.create', actor, details: { status: 201 } },
    ]);
    const byKey = `${unique('by-key')}.test`;
    const made = await postmesh.api(ann.account.key, 'POST', '{A}/domains', { body: { domain: byKey } });
    expect(made.status).toBe(201);
    await postmesh.api(ann.account.key, 'DELETE', `{A}/domains/${byKey}`);
    const ofKeys = async () =>
      (await ask('GET', '/console/api/audit?action=domains.*', { cookie })).body.data.slice(0, 2);
    const keyActor = { type: 'api_key', name: expect.any(String) };
    await eventually(ofKeys).toMatchObject([
      { action: 'domains.delete', actor: keyActor, subject_id: byKey, details: { status: 200 } },
      { action: 'domains.create', actor: keyActor, details: { status: 201 } },
    ]);
    const chain = await postmesh.operator('GET', '/operator/accounts/audit/chain');
    expect(chain.body).toMatchObject({ problem: null });
    expect(chain.body.seq).toBeGreaterThan(10);
  });
});
