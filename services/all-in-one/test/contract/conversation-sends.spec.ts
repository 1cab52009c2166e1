import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, sharedInstallation, unique } from './harness.js';
import { errorOf, Sender } from './sends.js';

const postmesh = sharedInstallation();
let sender: Sender;
beforeAll(async () => {
  sender = await Sender.make(postmesh);
});

const people = (count: number, name = 'r') =>
  Array.from({ length: count }, (_, at) => ({ email: `${name}${at}@mail.test` }));

describe('spec 2-messages §1.3 conversation', () => {
  it('spec 2-messages §1.3 rule 1 fifty recipients in all, each list has one at least', async () => {
    const lists = { to: people(20), cc: people(20, 'c'), bcc: people(10, 'b') };
    expect((await sender.conversation(lists)).body.data).toHaveLength(50);
    expect(await errorOf(sender.conversation({ ...lists, bcc: people(11, 'b') }))).toBe(
      '400 to, cc and bcc together must have at most 50 recipients',
    );
    for (const field of ['to', 'cc', 'bcc']) {
      expect(await errorOf(sender.conversation({ [field]: [] }))).toBe(
        `400 ${field} must have at least 1 items`,
      );
      expect(await errorOf(sender.conversation({ [field]: people(51) }))).toBe(
        `400 ${field} must have at most 50 items`,
      );
    }
  });

  it('spec 2-messages §1.3 rule 2 substitutes nothing', async () => {
    const to = [{ email: 'ann@mail.test', substitutions: { name: 'Ann' } }];
    const more = {
      to,
      subject: 'Hi {{ name }}',
      text_content: '{% if %} {{ name }}',
      headers: { 'X-A': '{{' },
    };
    const message = await sender.readSent(sender.conversation(more));
    expect([message.body.subject, message.text, message.header('x-a')]).toEqual([
      'Hi {{ name }}',
      '{% if %} {{ name }}',
      '{{',
    ]);
    expect(await errorOf(sender.conversation({ substitutions: {} }))).toBe(
      '400 unknown field: substitutions',
    );
  });

  it('spec 2-messages §1.3 rule 3, §1.3 rule 4, §1.3 rule 5 one message to all, a record and a transaction for each', async () => {
    const [ann, bob, boss, log] = ['ann', 'bob', 'boss', 'log'].map((name) => `${unique(name)}@mail.test`);
    const given = {
      to: [{ email: ann, name: 'Ann' }, { email: bob }],
      cc: [{ email: boss }, { email: ann!.toUpperCase() }],
      bcc: [{ email: log }, { email: boss }],
    };
    const { status, body } = await sender.conversation({ ...given, sandbox: false });
    expect(status).toBe(202);
    expect(body.data.map(({ recipient }: { recipient: object }) => recipient)).toEqual([
      { email: ann, name: 'Ann' },
      { email: bob, name: '' },
      { email: boss, name: '' },
      { email: log, name: '' },
    ]);
    const [id, ...others] = new Set<string>(body.data.map((one: { id: string }) => one.id));
    expect(others).toEqual([]);
    for (const email of [ann, bob, boss, log]) {
      await eventually(async () => (await postmesh.messagesTo(email!)).length).toBe(1);
      const [message] = await postmesh.messagesTo(email!);
      expect(message!.to).toEqual([email]);
      const text = (await postmesh.messageText(message!.id)).replaceAll(/\r\n[ \t]/g, ' ');
      expect(text).toContain(`\r\nMessage-ID: ${id}\r\n`);
      expect(text).toContain(`\r\nTo: Ann <${ann}>, ${bob}\r\n`);
      expect(text).toContain(`\r\nCc: ${boss}, ${ann}\r\n`);
      expect(text.slice(text.indexOf('\r\nFrom:'))).not.toContain(email === log ? '\r\nBcc' : log!);
    }
    const records = await postmesh.sql<{ id: string; recipient: string }>(
      `select m.id, m.recipient from messages.messages m join messages.send_requests s on s.id = m.send_request_id
       where s.message_id_header = $1 order by m.id`,
      [id],
    );
    expect(records.map(({ recipient }) => recipient)).toEqual([ann, bob, boss, log]);
    expect(new Set(records.map((record) => record.id)).size).toBe(4);
  });

  it('spec 2-messages §1.3, §1.5 takes an address with a UTF-8 local part like any other', async () => {
    const to = [{ email: 'bob@mail.test' }, { email: 'jürgen@mail.test' }];
    const { status, body } = await sender.conversation({ to });
    const shown = to.map((recipient) => ({ status: 'queued', recipient }));
    expect([status, body.data]).toMatchObject([202, shown]);
  });

  it('spec 2-messages §1.3 rule 3 a cc header alone sets the header and adds no recipient', async () => {
    const sent = sender.conversation({ headers: { Cc: 'Boss <boss@mail.test>' } });
    expect((await sent).body.data).toHaveLength(1);
    expect((await sender.readSent(sent)).header('cc')).toContain('boss@mail.test');
  });
});
