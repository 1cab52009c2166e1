import { judgeReply } from '@postmesh/smtp-replies';
import { afterEach, describe, expect, it } from 'vitest';
import { polite, ScriptedServer } from '../testing/scripted-server.js';
import type { Manners, Script } from '../testing/scripted-server.js';
import { openConnection } from './open-connection.js';
import type { OpenOptions } from './open-connection.js';
import type { SmtpOutcome } from './smtp-outcome.js';
import { SmtpSession } from './smtp-session.js';
import type { Handover, OutgoingMessage } from './smtp-transaction.js';
import { TlsMemory } from './tls-memory.js';
import { SMTP_TIMEOUTS } from './timeouts.js';

// proven again: what is on the wire between the client and a mail host

const servers: ScriptedServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});
const start = async (script: Script) => {
  const server = await ScriptedServer.start(script);
  servers.push(server);
  return server;
};

const message = (
  change: Partial<OutgoingMessage> = {},
  text = 'Subject: x\r\n\r\nhello\r\n',
): OutgoingMessage => ({
  envelopeFrom: 'b+x@rp.shop.test',
  recipient: 'ann@mail.test',
  chunks: [Buffer.from(text)],
  size: Buffer.byteLength(text),
  eightBit: false,
  smtpUtf8: false,
  ...change,
});
const options = (port: number, change: Partial<OpenOptions> = {}): OpenOptions => ({
  host: 'mx.test',
  address: '127.0.0.1',
  port,
  ehloName: 'mta.service.test',
  tls: 'opportunistic',
  tlsMemory: new TlsMemory(),
  timeouts: SMTP_TIMEOUTS,
  ...change,
});

interface Sent {
  outcomes: SmtpOutcome[];
  server: ScriptedServer;
  session: SmtpSession;
}

/** Sends messages over one connection and waits for all their outcomes. */
async function send(
  script: Script,
  messages: readonly OutgoingMessage[],
  change: Partial<OpenOptions> = {},
): Promise<Sent> {
  const server = await start(script);
  const opened = await openConnection(options(server.port, change));
  if (!opened.ok) throw new Error(opened.failure.response);
  const outcomes: SmtpOutcome[] = [];
  const queue = [...messages.entries()];
  const session = await new Promise<SmtpSession>((resolve) => {
    const check = () => {
      if (Object.keys(outcomes).length === messages.length) resolve(made);
    };
    const take = (): Handover | undefined => {
      const next = queue.shift();
      if (next === undefined) return undefined;
      const settle = (outcome: SmtpOutcome) => {
        outcomes[next[0]] = outcome;
        check();
      };
      return { message: next[1], settle };
    };
    const made = new SmtpSession(
      opened.connection,
      {
        take,
        onIdle: () => undefined,
        // No other session takes the rest when the connection is gone.
        onClosed: () => {
          for (const handover of queue.splice(0).map(([index]) => index)) outcomes[handover] ??= NOT_TAKEN;
          check();
        },
      },
      { timeouts: change.timeouts ?? SMTP_TIMEOUTS, maxMessages: 1_000 },
    );
    made.wake();
  });
  return { outcomes, server, session };
}
const NOT_TAKEN: SmtpOutcome = {
  kind: 'connection-lost',
  smtpCode: 0,
  response: 'not taken',
  command: 'CONNECT',
  dataSent: 'no',
};
const sendOne = async (manners: Manners, one = message(), change: Partial<OpenOptions> = {}) => {
  const sent = await send(polite(manners), [one], change);
  return { ...sent, outcome: sent.outcomes[0], transcript: sent.server.peers[0]?.transcript ?? [] };
};
const on =
  (verb: string, reply: string): Manners['reply'] =>
  (command) =>
    command.startsWith(verb) ? reply : undefined;
const soon = (change: Partial<typeof SMTP_TIMEOUTS>) => ({ timeouts: { ...SMTP_TIMEOUTS, ...change } });

describe.each([
  ['a server that pipelines', ['PIPELINING', '8BITMIME', 'SIZE 1000000']],
  ['a server that does not', ['8BITMIME', 'SIZE 1000000']],
  ['a server that knows only HELO', undefined],
])('with %s, a message', (_what, offers) => {
  it('is accepted', async () => {
    const { outcome, transcript } = await sendOne({ offers });
    expect(outcome).toEqual({
      kind: 'accepted',
      smtpCode: 250,
      enhancedStatusCode: '2.0.0',
      response: 'queued as 7F1',
      command: 'DATA',
      dataSent: 'complete',
    });
    const parameters = offers === undefined ? '' : ' SIZE=21';
    expect(transcript.slice(offers === undefined ? 2 : 1)).toEqual([
      `MAIL FROM:<b+x@rp.shop.test>${parameters}`,
      'RCPT TO:<ann@mail.test>',
      'DATA',
      'Subject: x',
      '',
      'hello',
      '.',
    ]);
  });

  it.each([
    ['MAIL', 'MAIL FROM', 'no'],
    ['RCPT', 'RCPT TO', 'no'],
    ['DATA', 'DATA', 'no'],
  ] as const)(
    'refused at %s says so, and the next message goes after a RSET',
    async (verb, command, dataSent) => {
      let apiErrors = 0;
      const reply = (line: string) =>
        line.startsWith(verb) && apiErrors++ === 0 ? '550-5.7.1 not\r\n550 5.7.1 here' : undefined;
      const { outcomes, server } = await send(polite({ offers, reply }), [
        message(),
        message({ recipient: 'bob@mail.test' }),
      ]);
      expect(outcomes[0]).toEqual({
        kind: 'rejected',
        smtpCode: 550,
        enhancedStatusCode: '5.7.1',
        response: 'not here',
        command,
        dataSent,
      });
      expect(outcomes[1]?.kind).toBe('accepted');
      expect(server.peers).toHaveLength(1);
      const { transcript = [] } = server.peers[0] ?? {};
      const second = transcript.indexOf('RCPT TO:<bob@mail.test>');
      // A message that was refused at RCPT leaves a server that pipelines with an empty message instead of a RSET.
      expect(transcript.slice(0, second).some((line) => line === 'RSET' || line === '.')).toBe(true);
    },
  );

  it('refused after its final dot is rejected, and the next one is sent', async () => {
    let messages = 0;
    const accept = () => (messages++ === 0 ? '552 5.2.2 mailbox full' : undefined);
    const { outcomes } = await send(polite({ offers, accept }), [message(), message()]);
    expect(
      outcomes.map(({ kind, smtpCode, command, dataSent }) => [kind, smtpCode, command, dataSent]),
    ).toEqual([
      ['rejected', 552, 'DATA', 'complete'],
      ['accepted', 250, 'DATA', 'complete'],
    ]);
  });

  it.each([
    ['MAIL', '451 4.3.0 later', 'deferred', 'MAIL FROM'],
    ['RCPT', '452 4.2.2 full', 'deferred', 'RCPT TO'],
    ['DATA', '421 4.3.2 closing', 'deferred', 'DATA'],
    ['RCPT', '421 4.7.0 closing', 'deferred', 'RCPT TO'],
  ])('deferred at %s with %s', async (verb, reply, kind, command) => {
    const { outcome } = await sendOne({ offers, reply: on(verb, reply) });
    expect(outcome).toMatchObject({ kind, smtpCode: Number(reply.slice(0, 3)), command, dataSent: 'no' });
  });

  it.each([
    ['MAIL', 'MAIL FROM', 'no'],
    ['RCPT', 'RCPT TO', 'no'],
    ['DATA', 'DATA', 'no'],
  ] as const)('lost at %s was not sent', async (verb, command, dataSent) => {
    const { outcome } = await sendOne({ offers, reply: on(verb, 'drop') });
    expect(outcome).toMatchObject({
      kind: 'connection-lost',
      smtpCode: 0,
      enhancedStatusCode: '4.4.2',
      command,
      dataSent,
    });
  });

  it('lost after its final dot is uncertain', async () => {
    const { outcome } = await sendOne({ offers, accept: () => 'drop' });
    expect(outcome).toMatchObject({
      kind: 'connection-lost',
      smtpCode: 0,
      command: 'DATA',
      dataSent: 'complete',
    });
  });

  it('comes through with dots, and is never what ends it', async () => {
    const text = '.first\r\n..\r\n.\r\nMAIL FROM:<evil@x.test>\r\nlast.';
    let received = '';
    const accept = (data: string) => {
      received = data;
      return undefined;
    };
    const { outcome } = await sendOne({ offers, accept }, message({}, text));
    expect(outcome?.kind).toBe('accepted');
    expect(received).toBe(`${text}\r\n`);
  });

  it('is one of many over the same connection', async () => {
    const messages = Array.from({ length: 200 }, (_, i) => message({ recipient: `r${i}@mail.test` }));
    const { outcomes, server } = await send(polite({ offers }), messages);
    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(200);
    expect(server.peers).toHaveLength(1);
    const recipients = server.peers[0]?.transcript.filter((line) => line.startsWith('RCPT'));
    expect(recipients).toEqual(messages.map(({ recipient }) => `RCPT TO:<${recipient}>`));
  });
});

describe('pipelining', () => {
  it('sends the whole envelope in one go, and the next one behind the final dot', async () => {
    const seen: string[] = [];
    const server: Script = async (peer) => {
      peer.say('220 mx.test');
      await peer.line();
      peer.say('250-mx.test', '250 PIPELINING');
      // The server replies only after all three commands.
      seen.push(
        ...[await peer.line(), await peer.line(), await peer.line()].map((line) => line?.slice(0, 4) ?? ''),
      );
      peer.say('250 ok', '250 ok', '354 go');
      await peer.data();
      // The next envelope has arrived before the reply to the message.
      seen.push(
        ...[await peer.line(), await peer.line(), await peer.line()].map((line) => line?.slice(0, 4) ?? ''),
      );
      peer.say('250 first', '250 ok', '250 ok', '354 go');
      await peer.data();
      peer.say('250 second');
    };
    const { outcomes } = await send(server, [message(), message()]);
    expect(seen).toEqual(['MAIL', 'RCPT', 'DATA', 'MAIL', 'RCPT', 'DATA']);
    expect(outcomes.map(({ response }) => response)).toEqual(['first', 'second']);
  });

  it('gives an empty message to a server that wants data although it refused the recipient', async () => {
    const bodies: string[] = [];
    const script = polite({
      reply: (line) => (line.startsWith('RCPT TO:<gone@') ? '550 5.1.1 no such user' : undefined),
      accept: (data) => {
        bodies.push(data);
        return data === '' ? '554 5.5.1 no valid recipients' : undefined;
      },
    });
    const { outcomes } = await send(script, [message({ recipient: 'gone@mail.test' }), message()]);
    expect(outcomes[0]).toMatchObject({
      kind: 'rejected',
      smtpCode: 550,
      command: 'RCPT TO',
      dataSent: 'no',
    });
    expect(outcomes[1]).toMatchObject({ kind: 'accepted' });
    expect(bodies).toEqual(['', 'Subject: x\r\n\r\nhello\r\n']);
  });

  it.each([
    ['MAIL', ['421 4.3.2 closing']],
    ['RCPT', ['250 ok', '421 4.3.2 closing']],
  ])('does not wait for more from a server that says 421 to %s and stays', async (_verb, replies) => {
    const script: Script = async (peer) => {
      peer.say('220 mx.test');
      await peer.line();
      peer.say('250-mx.test', '250 PIPELINING');
      await peer.line();
      peer.say(...replies);
      await peer.gone();
    };
    const { outcomes, session } = await send(script, [message()]);
    expect(outcomes[0]).toMatchObject({ kind: 'deferred', smtpCode: 421, dataSent: 'no' });
    expect(session.closed).toBe(true);
  });

  it('keeps the reason when a server refuses the recipient, wants data and hangs up', async () => {
    const { outcomes } = await send(polite({ reply: on('RCPT', '550 5.1.1 no'), accept: () => 'drop' }), [
      message(),
    ]);
    expect(outcomes[0]).toMatchObject({ kind: 'rejected', smtpCode: 550, dataSent: 'no' });
  });

  it('loses the first message uncertain and the next one unsent when the connection breaks in between', async () => {
    const script: Script = async (peer) => {
      peer.say('220 mx.test');
      await peer.line();
      peer.say('250-mx.test', '250 PIPELINING');
      for (let i = 0; i < 3; i++) await peer.line();
      peer.say('250 ok', '250 ok', '354 go');
      await peer.data();
      for (let i = 0; i < 3; i++) await peer.line();
      peer.drop();
    };
    const { outcomes } = await send(script, [message(), message()]);
    expect(outcomes.map(({ kind, dataSent }) => [kind, dataSent])).toEqual([
      ['connection-lost', 'complete'],
      ['connection-lost', 'no'],
    ]);
  });
});

describe('what a server may do', () => {
  it('stay silent: the time of each step is up', async () => {
    const steps = [
      // what comes before the silence has the same time
      ['MAIL', { envelopeMs: 60 }, 'MAIL FROM', 'no'],
      ['RCPT', { envelopeMs: 500 }, 'RCPT TO', 'no'],
      ['DATA', { dataMs: 60 }, 'DATA', 'no'],
    ] as const;
    for (const [verb, timeouts, command, dataSent] of steps) {
      const reply = (line: string) =>
        line.startsWith(verb) ? new Promise<string>(() => undefined) : undefined;
      const { outcome } = await sendOne({ offers: [], reply }, message(), soon(timeouts));
      expect(outcome).toMatchObject({ kind: 'connection-lost', smtpCode: 0, command, dataSent });
      expect(outcome?.response).toContain('no reply within');
    }
    const { outcome } = await sendOne(
      { accept: () => new Promise<string>(() => undefined) },
      message(),
      soon({ dataMs: 500 }),
    );
    expect(outcome).toMatchObject({ kind: 'connection-lost', command: 'DATA', dataSent: 'complete' });
  });

  it('drip its reply byte by byte: the time is for the whole reply', async () => {
    const script: Script = async (peer) => {
      peer.say('220 mx.test');
      await peer.line();
      peer.say('250 mx.test');
      await peer.line();
      const timer = setInterval(() => peer.raw('2'), 10);
      await peer.gone();
      clearInterval(timer);
    };
    const before = Date.now();
    const { outcomes } = await send(script, [message()], soon({ envelopeMs: 150 }));
    expect(outcomes[0]).toMatchObject({ kind: 'connection-lost', command: 'MAIL FROM' });
    expect(Date.now() - before).toBeLessThan(5_000);
  });

  it.each([
    ['garbage', 'nonsense without a code'],
    ['pages of text', `250-${'lorem ipsum '.repeat(20)}\r\n`.repeat(400)],
    ['a line without end', `250 ${'x'.repeat(100_000)}`],
  ])('answer with %s: the connection is dropped', async (_what, reply) => {
    const { outcome } = await sendOne({ reply: on('MAIL', reply) });
    expect(outcome).toMatchObject({
      kind: 'connection-lost',
      smtpCode: 0,
      command: 'MAIL FROM',
      dataSent: 'no',
    });
  });

  it('send more than it was asked for: the connection is dropped', async () => {
    const { outcomes } = await send(
      polite({ reply: on('MAIL', '250 ok\r\n250 ok\r\n250 ok\r\n250 ok\r\n250 ok') }),
      [message()],
    );
    expect(outcomes[0]?.kind).toBe('connection-lost');
  });

  it('answer DATA with 250, which has no defined meaning', async () => {
    const { outcome } = await sendOne({ reply: on('DATA', '250 fine') });
    expect(outcome).toMatchObject({ dataSent: 'no' });
    expect(outcome?.kind).not.toBe('accepted');
  });

  it.each(['MAIL', 'RCPT'])('answer %s with 354: that accepts nothing', async (verb) => {
    const { outcome } = await sendOne({ reply: on(verb, '354 go on') });
    expect(outcome).toMatchObject({ kind: 'deferred', smtpCode: 354, dataSent: 'no' });
  });

  it('answer the final dot with 354: that accepts nothing', async () => {
    const { outcome } = await sendOne({ accept: () => '354 more' });
    expect(outcome).toMatchObject({ kind: 'deferred', smtpCode: 354, dataSent: 'complete' });
  });

  it.each([
    ['552 5.3.4 too much', { kind: 'rejected', smtpCode: 552, command: 'DATA' }],
    ['451 4.3.1 too much', { kind: 'deferred', smtpCode: 451, command: 'DATA' }],
    ['250 2.0.0 wonderful', { kind: 'connection-lost', command: 'DATA', dataSent: 'partial' }],
  ])('have enough of a long message before its end: %s', async (reply, expected) => {
    const script: Script = async (peer) => {
      peer.say('220 mx.test');
      await peer.line();
      peer.say('250-mx.test', '250 PIPELINING');
      for (let i = 0; i < 3; i++) await peer.line();
      peer.say('250 ok', '250 ok', '354 go');
      await peer.line();
      peer.say(reply);
      peer.socket.pause();
      peer.socket.on('error', () => undefined);
    };
    const chunk = Buffer.from(`${'x'.repeat(70)}\r\n`.repeat(30_000));
    const big = message({ chunks: Array<Buffer>(8).fill(chunk), size: chunk.length * 8 });
    const { outcomes, session } = await send(script, [big]);
    expect(outcomes[0]).toMatchObject(expected);
    expect(session.closed).toBe(true);
  });

  it('stop reading in the middle of a long message: partly sent', async () => {
    const script: Script = async (peer) => {
      peer.say('220 mx.test');
      await peer.line();
      peer.say('250-mx.test', '250 PIPELINING');
      for (let i = 0; i < 3; i++) await peer.line();
      peer.say('250 ok', '250 ok', '354 go');
      peer.socket.pause();
    };
    const chunk = Buffer.alloc(4_000_000, `${'x'.repeat(70)}\r\n`);
    const big = message({ chunks: Array<Buffer>(5).fill(chunk), size: chunk.length * 5 });
    const { outcomes } = await send(script, [big], soon({ dataMs: 500 }));
    expect(outcomes[0]).toMatchObject({ kind: 'connection-lost', command: 'DATA', dataSent: 'partial' });
  });
});

describe('a message of 20 MB', () => {
  it('comes through whole', async () => {
    const chunk = Buffer.alloc(7_200, `${'x'.repeat(70)}\r\n`);
    const chunks = Array<Buffer>(2_800).fill(chunk);
    let bytes = 0;
    const accept = (data: string) => {
      bytes = data.length;
      return undefined;
    };
    const { outcome } = await sendOne(
      { offers: ['PIPELINING'], accept },
      message({ chunks, size: chunk.length * 2_800 }),
    );
    expect(outcome?.kind).toBe('accepted');
    expect(bytes).toBe(chunk.length * 2_800);
  });
});

describe('the envelope', () => {
  it.each([
    { recipient: 'a@b.test>\r\nRCPT TO:<c@d.test' },
    { recipient: 'a b@c.test' },
    { recipient: '' },
    { envelopeFrom: 'a@b.test>\r\nQUIT' },
    { recipient: 'nobody' },
  ])('%j never reaches the wire', async (change) => {
    const { outcomes, server } = await send(polite(), [message(change), message()]);
    expect(outcomes[0]).toMatchObject({
      kind: 'rejected',
      smtpCode: 0,
      enhancedStatusCode: '5.1.3',
      dataSent: 'no',
    });
    expect(outcomes[1]?.kind).toBe('accepted');
    expect(server.peers[0]?.transcript.filter((line) => /^(MAIL|RCPT)/.test(line))).toHaveLength(2);
  });

  it('may have the null sender', async () => {
    const { transcript } = await sendOne({}, message({ envelopeFrom: '' }));
    expect(transcript[1]).toBe('MAIL FROM:<> SIZE=21');
  });

  it('is not even offered to a server with a smaller size limit', async () => {
    const { outcome, transcript } = await sendOne({ offers: ['SIZE 10'] });
    expect(outcome).toMatchObject({ kind: 'rejected', smtpCode: 0, enhancedStatusCode: '5.3.4' });
    expect(transcript).toHaveLength(1);
  });

  it('announces bytes beyond ASCII where the server knows how', async () => {
    expect((await sendOne({}, message({ eightBit: true }))).transcript[1]).toContain(' BODY=8BITMIME');
    expect((await sendOne({ offers: [] }, message({ eightBit: true }))).transcript[1]).not.toContain('BODY');
  });

  it('spec 2-messages §1.5: goes with bytes beyond ASCII in address or header only to a server with SMTPUTF8', async () => {
    const jürgen = message({ recipient: 'jürgen@mail.test' });
    for (const one of [jürgen, message({ smtpUtf8: true })]) {
      const { outcome } = await sendOne({}, one);
      expect(outcome).toMatchObject({ kind: 'rejected', smtpCode: 553, enhancedStatusCode: '5.6.7' });
      expect(judgeReply(outcome!)).toMatchObject({ class: 'InvalidRecipient', suppresses: 'never' });
      expect((await sendOne({ offers: ['SMTPUTF8'] }, one)).transcript[1]).toContain(' SMTPUTF8');
    }
    const { outcome, transcript } = await sendOne({ offers: ['SMTPUTF8'] }, jürgen);
    expect(outcome?.kind).toBe('accepted');
    expect(transcript[1]).toContain(' SMTPUTF8');
    expect(Buffer.from(transcript[2] ?? '', 'latin1').toString()).toBe('RCPT TO:<jürgen@mail.test>');
  });
});

describe('greeting a host', () => {
  const fails = async (script: Script, change: Partial<OpenOptions> = {}) => {
    const server = await start(script);
    const opened = await openConnection(options(server.port, change));
    if (opened.ok) throw new Error('it was greeted');
    return opened.failure;
  };

  it.each([
    [
      '554 5.7.1 no service for you',
      { command: 'CONNECT', smtpCode: 554, enhancedStatusCode: '5.7.1', kind: 'rejected' },
    ],
    ['421 4.7.0 too many connections', { command: 'CONNECT', smtpCode: 421, kind: 'deferred' }],
    ['SSH-2.0-OpenSSH_9.2', { command: 'CONNECT', smtpCode: 0, kind: 'deferred' }],
  ])('fails at the banner %s', async (banner, failure) => {
    expect(await fails(polite({ banner }))).toMatchObject(failure);
  });

  it('fails when EHLO and HELO are both refused, at once when it is temporary', async () => {
    expect(
      await fails(polite({ reply: (line) => (/^(EHLO|HELO)/.test(line) ? '550 go away' : undefined) })),
    ).toMatchObject({
      command: 'EHLO',
      smtpCode: 550,
      kind: 'rejected',
    });
    expect(await fails(polite({ reply: on('EHLO', '450 4.7.0 later') }))).toMatchObject({
      command: 'EHLO',
      smtpCode: 450,
      kind: 'deferred',
    });
  });

  it('fails when no server listens, and when no server answers', async () => {
    // its port stays taken, so that no other process listens at it
    const server = await start(polite());
    const opened = await openConnection(options(server.port, { address: '127.0.0.77' }));
    expect(opened).toMatchObject({
      ok: false,
      failure: { command: 'CONNECT', smtpCode: 0, enhancedStatusCode: '4.4.1', kind: 'deferred' },
    });
    expect(await fails(() => undefined, soon({ bannerMs: 50 }))).toMatchObject({
      command: 'CONNECT',
      response: 'no reply within 1 s',
    });
    expect(await fails((peer) => peer.drop())).toMatchObject({ command: 'CONNECT', kind: 'deferred' });
  });

  it('fails, as data, with a source address that is none', async () => {
    expect(await fails(polite(), { localAddress: 'nonsense' })).toMatchObject({
      command: 'CONNECT',
      kind: 'deferred',
    });
  });

  it('takes a banner of many lines', async () => {
    const { outcome } = await sendOne({ banner: '220-mx.test\r\n220-be nice\r\n220 ESMTP' });
    expect(outcome?.kind).toBe('accepted');
  });
});
