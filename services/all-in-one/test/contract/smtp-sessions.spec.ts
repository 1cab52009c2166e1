import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SmtpDialogue } from '@postmesh/testing';
import { eventually, sharedInstallation, unique } from './harness.js';
import { ok, Sender } from './sender.js';
import { newLogin, type Login } from './smtp-client.js';

const postmesh = sharedInstallation();
let sender: Sender;
let login: Login;
const open: SmtpDialogue[] = [];

beforeAll(async () => {
  sender = await Sender.make(postmesh);
  login = await newLogin(sender);
});
afterEach(() => {
  for (const dialogue of open.splice(0)) dialogue.end();
});

const port = () => postmesh.credentials.smtp.port;
const plain = ({ user, pass }: Login) => `AUTH PLAIN ${Buffer.from(`\0${user}\0${pass}`).toString('base64')}`;

async function secure(): Promise<SmtpDialogue> {
  const dialogue = await SmtpDialogue.secure(port());
  open.push(dialogue);
  return dialogue;
}

async function loggedIn(by = login): Promise<SmtpDialogue> {
  const dialogue = await secure();
  expect(await dialogue.say(plain(by))).toBe('235 2.7.0 Authentication successful');
  return dialogue;
}

const mailFrom = (domain = sender.domain) => `MAIL FROM:<news@${domain}>`;

describe('spec 2-messages §13 rule 1 ports', () => {
  it('spec 2-messages §13 rule 1 STARTTLS comes before AUTH and MAIL: 530 5.7.0', async () => {
    const { dialogue, greeting } = await SmtpDialogue.open(port());
    open.push(dialogue);
    expect(greeting).toMatch(/^220 \S+ ESMTP/);
    await dialogue.say('EHLO [192.0.2.1]');
    const first = '530 5.7.0 Must issue a STARTTLS command first';
    expect(await dialogue.say(plain(login))).toBe(first);
    expect(await dialogue.say(mailFrom())).toBe(first);
  });

  it('spec 2-messages §13 rule 1 TLS 1.2 at least', async () => {
    const { dialogue } = await SmtpDialogue.open(port());
    await dialogue.say('EHLO x');
    await dialogue.say('STARTTLS');
    await expect(dialogue.startTls({ maxVersion: 'TLSv1.1' })).rejects.toThrow();
    const other = await SmtpDialogue.open(port());
    open.push(other.dialogue);
    await other.dialogue.say('EHLO x');
    await other.dialogue.say('STARTTLS');
    await other.dialogue.startTls({ maxVersion: 'TLSv1.2' });
  });
});

describe('spec 2-messages §13 rule 2 EHLO and AUTH', () => {
  it('spec 2-messages §13 rule 2 offers exactly what the contract names', async () => {
    const { dialogue } = await SmtpDialogue.open(port());
    open.push(dialogue);
    const features = (reply: string) =>
      reply
        .split(/\r?\n/)
        .slice(1)
        .map((line) => line.slice(4))
        .sort();
    const always = ['8BITMIME', 'ENHANCEDSTATUSCODES', 'PIPELINING', 'SIZE 20971520', 'SMTPUTF8'];
    expect(features(await dialogue.say('EHLO x'))).toEqual([...always, 'STARTTLS'].sort());
    await dialogue.say('STARTTLS');
    await dialogue.startTls();
    expect(features(await dialogue.say('EHLO x'))).toEqual([...always, 'AUTH PLAIN LOGIN'].sort());
  });
});

describe('§12 rule 1 submission with SMTP credentials', () => {
  it('§12 rule 1 wrong or unknown: 535 5.7.8', async () => {
    for (const wrong of [
      { ...login, pass: 'x' },
      { ...login, user: unique('smtp') },
    ]) {
      expect(await (await secure()).say(plain(wrong))).toMatch(/^535 5\.7\.8 /);
    }
  });

  it('§12 rule 2 the domain of MAIL FROM is owned and valid, else 556', async () => {
    const dialogue = await loggedIn();
    expect(await dialogue.say(mailFrom('unknown.test'))).toMatch(/^556 /);
    const unchecked = `${unique('new')}.test`;
    ok(await sender.api('POST', '{A}/domains', { domain: unchecked }), 201);
    expect(await dialogue.say(mailFrom(unchecked))).toMatch(/^556 /);
    expect(await dialogue.say(mailFrom())).toMatch(/^250 /);
  });

  it('§12 rule 2 a scoped credential outside its domains meets 550 with its username and account', async () => {
    const scoped = await newLogin(sender, { scope: 'scoped', domains: [sender.domain] });
    const other = await postmesh.verifiedDomain(sender.account);
    const dialogue = await loggedIn(scoped);
    expect(await dialogue.say(mailFrom(other))).toBe(
      `550 5.7.1 authz_id '${scoped.user}' is not authorized to send as tenant '${sender.account.id}' or from this domain`,
    );
    expect(await dialogue.say(mailFrom())).toMatch(/^250 /);
  });

  it('§12 rule 3 mail of a sandbox credential is simulated', async () => {
    const dialogue = await loggedIn(await newLogin(sender, { sandbox: true }));
    const to = `${unique('r')}@mail.test`;
    await dialogue.say(mailFrom());
    await dialogue.say(`RCPT TO:<${to}>`);
    const said = await dialogue.data(`From: news@${sender.domain}\r\nSubject: x\r\n\r\nx`);
    expect(said).toMatch(/^250 2\.0\.0 OK /);
    const id = said.slice('250 2.0.0 OK '.length);
    await eventually(async () => (await sender.read(id)).body.status).toBe('Sandbox Delivered');
    expect(await postmesh.messagesTo(to)).toEqual([]);
  });

  it('§12 rule 4 is of use at once; deleted, no login and no message that begins later in an open session', async () => {
    const made = ok(await sender.api('POST', '{A}/smtp-credentials', { name: 'n', scope: 'global' }), 201);
    const own = { user: made.username, pass: made.password };
    const dialogue = await loggedIn(own);
    expect(await dialogue.say(mailFrom())).toMatch(/^250 /);
    expect(await dialogue.say('RCPT TO:<ann@mail.test>')).toMatch(/^250 /);
    ok(await sender.api('DELETE', `{A}/smtp-credentials/${made.id}`), 200);
    expect(await (await secure()).say(plain(own))).toMatch(/^535 5\.7\.8 /);
    expect(await dialogue.data(`From: news@${sender.domain}\r\n\r\nx`)).toMatch(/^250 /);
    expect(await dialogue.say(mailFrom())).toMatch(/^421 4\.7\.0 /);
    await dialogue.ended();
  });
});

describe('spec 2-messages §13 rule 4 limits', () => {
  it('spec 2-messages §13 rule 4 more than 20 MiB: 552 5.3.4, at MAIL when the client says so', async () => {
    const dialogue = await loggedIn();
    expect(await dialogue.say(`${mailFrom()} SIZE=20971521`)).toMatch(/^552 5\.3\.4 /);
    expect(await dialogue.say(`${mailFrom()} SIZE=20971520`)).toMatch(/^250 /);
  });
});

describe('spec 2-messages §13.6 replies', () => {
  it('spec 2-messages §13.6 521 at MAIL for a suspended account, in an open session too', async () => {
    const other = await Sender.make(postmesh);
    const own = await newLogin(other);
    const dialogue = await loggedIn(own);
    const operate = async (action: string) => {
      const path = `/operator/accounts/accounts/${other.account.id}/${action}`;
      ok(await postmesh.operator('POST', path, { reason: 'test' }), 200);
    };
    await operate('suspend');
    expect(await dialogue.say(mailFrom(other.domain))).toMatch(/^521 /);
    await operate('resume');
    expect(await dialogue.say(mailFrom(other.domain))).toMatch(/^250 /);
  });

  it('spec 2-messages §13.6 552 5.6.0 for bare line ends, and the literal texts of the shields', async () => {
    const dialogue = await loggedIn();
    await dialogue.say(mailFrom());
    await dialogue.say('RCPT TO:<ann@mail.test>');
    expect(await dialogue.data(`From: news@${sender.domain}\r\n\r\na\n.\nb`)).toMatch(/^552 5\.6\.0 /);
    const shielded = await Sender.make(postmesh);
    const flags = { reject_bad_recipients: true, reject_mistyped_recipients: true };
    ok(await shielded.api('PUT', '{A}', flags), 200);
    const other = await loggedIn(await newLogin(shielded));
    await other.say(mailFrom(shielded.domain));
    await dialogue.say(mailFrom());
    for (const to of ['x@mailinator.com', 'x@gmial.com']) {
      expect(await dialogue.say(`RCPT TO:<${to}>`)).toMatch(/^250 2\.1\.5 /);
    }
    expect(await other.say('RCPT TO:<x@mailinator.com>')).toBe(
      '553 Requested action not taken: recipient domain is toxic or tempmail',
    );
    expect(await other.say('RCPT TO:<x@gmial.com>')).toBe(
      '553 Requested action not taken: recipient domain has common a typo',
    );
  });
});
