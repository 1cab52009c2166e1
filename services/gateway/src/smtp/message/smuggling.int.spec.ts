import { setImmediate as nextTurn } from 'node:timers/promises';
import { SmtpDialogue, testDatabase } from '@postmesh/testing';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mail } from '../../testing/echo-service.js';
import { startGateway, type TestGateway } from '../../testing/start-gateway.js';
import { LineEnds } from './line-ends.js';

// proven again: line ends byte by byte

const database = testDatabase();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway(database.url, 'in process', { smtpIdleSeconds: 5 });
  gateway.routes.add('ann@shop.test');
});
afterAll(() => gateway.stop());
beforeEach(() => {
  mail.inbound.length = 0;
});
const port = () => gateway.smtp.find(({ role }) => role === 'inbound')?.port ?? 0;

const HEAD = 'From: x@else.test\r\n\r\nfirst';
const SECOND = [
  'MAIL FROM:<evil@else.test>',
  'RCPT TO:<ann@shop.test>',
  'DATA',
  'From: boss@shop.test',
  '',
  'second',
].join('\r\n');
/** Byte sequences that other servers might read as the end of a message (SMTP smuggling). */
const ENDINGS = {
  'LF.LF': '\n.\n',
  'LF.CRLF': '\n.\r\n',
  'CRLF.LF': '\r\n.\n',
  'CR.CR': '\r.\r',
  'CR.CRLF': '\r.\r\n',
  'CRLF.CR': '\r\n.\r',
  'CRCRLF.CRCRLF': '\r\r\n.\r\r\n',
  'LF..LF': '\n..\n',
  'NUL in front of the dot': '\r\n\0.\r\n',
};

/** A session after the reply to DATA. */
async function inData(): Promise<SmtpDialogue> {
  const { dialogue } = await SmtpDialogue.open(port());
  await dialogue.say('EHLO else.test');
  await dialogue.say('MAIL FROM:<x@else.test>');
  await dialogue.say('RCPT TO:<ann@shop.test>');
  await dialogue.say('DATA');
  return dialogue;
}

/** In two pieces: in a whole turn of the loop the server, which is in this process, reads the first. */
async function sendInTwo(dialogue: SmtpDialogue, text: string, cut: number): Promise<void> {
  dialogue.send(text.slice(0, cut));
  await nextTurn();
  await nextTurn();
  dialogue.send(text.slice(cut));
}

/** Numbers from 0; a server waits 100 ms before it greets, so all sessions run at once. */
const upTo = (last: number) => Array.from({ length: last + 1 }, (_, at) => at);

describe.each(Object.entries(ENDINGS))('%s inside a message', (_name, ending) => {
  it('spec 2-messages §13.6: is no end of it, split at each byte: 552 5.6.0 and nothing stored', async () => {
    const said = await Promise.all(
      upTo(ending.length + 1).map(async (at) => {
        const dialogue = await inData();
        await sendInTwo(dialogue, `${HEAD}${ending}${SECOND}\r\n.\r\n`, HEAD.length + at);
        const replies = [await dialogue.reply(), (await dialogue.say('NOOP')).slice(0, 4)];
        dialogue.end();
        return replies;
      }),
    );
    expect(said).toEqual(said.map(() => ['552 5.6.0 Message has a bare CR, a bare LF or a NUL', '250 ']));
    expect(mail.inbound).toEqual([]);
  });
});

describe('the end of a message', () => {
  it('is CRLF.CRLF, split at each byte; what follows is the next command', async () => {
    const end = '\r\n.\r\n';
    await Promise.all(
      upTo(end.length).map(async (at) => {
        const dialogue = await inData();
        await sendInTwo(dialogue, `${HEAD} ${at}${end}NOOP\r\n`, HEAD.length + 2 + at);
        expect(await dialogue.reply()).toMatch(/^250 2\.0\.0 OK /);
        expect(await dialogue.reply()).toMatch(/^250 /);
        dialogue.end();
      }),
    );
    const stored = mail.inbound.map(({ raw }) => raw.toString()).sort();
    expect(stored).toEqual(upTo(end.length).map((at) => `${HEAD} ${at}\r\n`));
  });
});

describe('what was sent before STARTTLS in one go with it', () => {
  it('is discarded: no injected command runs under the TLS of a client', async () => {
    const { dialogue } = await SmtpDialogue.open(port());
    await dialogue.say('EHLO else.test');
    dialogue.send('STARTTLS\r\nMAIL FROM:<evil@else.test>\r\n');
    expect(await dialogue.reply()).toMatch(/^220 /);
    await dialogue.startTls();
    await dialogue.say('EHLO else.test');
    expect(await dialogue.say('RCPT TO:<ann@shop.test>')).toMatch(/^503 /);
    dialogue.end();
  });
});

/** smtp-server 3.21.6 alone, so that another version that behaves otherwise is noticed. */
describe('facts of smtp-server on which this rests', () => {
  async function contentOf(sent: string): Promise<{ content: string; messages: number }> {
    const contents: string[] = [];
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onData: (stream, _session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          contents.push(Buffer.concat(chunks).toString());
          done();
        });
      },
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const { dialogue } = await SmtpDialogue.open((server.server.address() as { port: number }).port);
    for (const line of ['EHLO x', 'MAIL FROM:<a@x.test>', 'RCPT TO:<b@x.test>', 'DATA']) {
      await dialogue.say(line);
    }
    dialogue.send(`${sent}\r\n.\r\n`);
    await dialogue.reply();
    dialogue.end();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    return { content: contents[0] ?? '', messages: contents.length };
  }

  it.each([
    ['a\n.\nb', 'a\n.\nb\r\n'],
    ['a\n.\r\nb', 'a\n.\r\nb\r\n'],
    ['a\r.\rb', 'a\r.\rb\r\n'],
    ['a\n..b', 'a\n.b\r\n'],
    ['a\r\n..b', 'a\r\n.b\r\n'],
    ['..', '.\r\n'],
  ])('%j has the content %j', async (sent, content) => {
    expect(await contentOf(sent)).toEqual({ content, messages: 1 });
  });
});

describe('line ends', () => {
  it.each([
    [['a\r\nb\r\n'], true],
    [['a\r', '\nb'], true],
    [['', 'a', '', '\r\n'], true],
    [['a\nb'], false],
    [['a\rb'], false],
    [['a\r', 'b'], false],
    [['a', '\nb'], false],
    [['a\r'], false],
    [['\n'], false],
    [['a\r\r\n'], false],
    [['a\0'], false],
    [['\r\n\r\n'], true],
  ])('%j all CRLF: %s', (chunks, expected) => {
    const lines = new LineEnds();
    expect(chunks.every((chunk) => lines.take(Buffer.from(chunk))) && lines.whole).toBe(expected);
  });
});
