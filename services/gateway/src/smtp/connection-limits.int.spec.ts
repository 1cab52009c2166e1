import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { SmtpDialogue, testDatabase } from '@postmesh/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mail } from '../testing/echo-service.js';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';

// proven again: connections of many peers at once, and the times of a session

const database = testDatabase();
let gateway: TestGateway;
const sockets: Socket[] = [];

beforeAll(async () => {
  gateway = await startGateway(database.url, 'in process', {
    smtpConnections: 100,
    smtpConnectionsPerCredential: 2,
    smtpMessagesPerSession: 2,
  });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => gateway.stop());

const portOf = ({ smtp }: TestGateway) => smtp.find(({ role }) => role === 'submission')?.port ?? 0;
const login = (username: string, password: string) =>
  `AUTH PLAIN ${Buffer.from(`\0${username}\0${password}`).toString('base64')}`;

/** A connection from an address of this machine, and the code of its greeting. */
function greeted(from: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect({ port: portOf(gateway), host: '127.0.0.1', localAddress: from });
    sockets.push(socket);
    socket.once('data', (chunk: Buffer) => resolve(Number(chunk.toString().slice(0, 3))));
    socket.on('error', () => resolve(0));
  });
}

/** A logged in session that is in the middle of its message. */
async function inData(from: string): Promise<SmtpDialogue> {
  const { username, password } = gateway.accounts.addCredential();
  const dialogue = await SmtpDialogue.secure(portOf(gateway), { localAddress: from });
  await dialogue.say(login(username, password));
  await dialogue.say('MAIL FROM:<a@shop.test>');
  await dialogue.say('RCPT TO:<ann@mail.test>');
  await dialogue.say('DATA');
  return dialogue;
}

describe('connections', () => {
  it('one peer at its limit does not block a second one; all peers together have a limit', async () => {
    const taken = await Promise.all(Array.from({ length: 101 }, () => greeted('127.0.0.1')));
    expect(taken.filter((code) => code === 220)).toHaveLength(50);
    expect(new Set(taken)).toEqual(new Set([220, 421]));
    const second = await Promise.all(Array.from({ length: 50 }, () => greeted('127.0.0.2')));
    expect(new Set(second)).toEqual(new Set([220]));
    expect(await greeted('127.0.0.3')).toBe(421);
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(() => greeted('127.0.0.1')).toBe(220);
  });

  it('one credential has a limit, whatever the peers', async () => {
    const { username, password } = gateway.accounts.addCredential();
    const dialogues = [];
    for (const peer of [1, 2, 3]) {
      const dialogue = await SmtpDialogue.secure(portOf(gateway), { localAddress: `127.0.0.${peer}` });
      dialogues.push(dialogue);
      expect(await dialogue.say(login(username, password))).toMatch(peer < 3 ? /^235 / : /^421 4\.3\.2 /);
    }
    for (const dialogue of dialogues) dialogue.end();
    await expect
      .poll(async () => {
        const dialogue = await SmtpDialogue.secure(portOf(gateway));
        const said = await dialogue.say(login(username, password));
        dialogue.end();
        return said.slice(0, 3);
      })
      .toBe('235');
  });
});

describe('failed logins', () => {
  it('the third one of a session ends it, the tenth of a peer blocks the peer, and the username still works from other peers', async () => {
    const { username, password } = gateway.accounts.addCredential();
    const from = { localAddress: '127.0.0.5' };
    for (let session = 0; session < 4; session += 1) {
      const dialogue = await SmtpDialogue.secure(portOf(gateway), from);
      for (let tries = 0; tries < 3; tries += 1) {
        // failures of a new username get their reply at once
        const said = await dialogue.say(
          login(session === 0 ? `${username}${tries}` : `${session}-${tries}`, 'x'),
        );
        if (session < 3) expect(said).toMatch(tries < 2 ? /^535 5\.7\.8 / : /^421 4\.7\.0 /);
        else expect(said).toMatch(tries === 0 ? /^535 / : /^421 4\.7\.0 /);
        if (said.startsWith('421')) break;
      }
      await dialogue.ended();
    }
    expect(await greeted('127.0.0.5')).toBe(421);
    const elsewhere = await SmtpDialogue.secure(portOf(gateway), { localAddress: '127.0.0.6' });
    expect(await elsewhere.say(login(username, password))).toMatch(/^235 /);
    elsewhere.end();
  });
});

describe('messages of a session', () => {
  it('spec 2-messages §13 rule 4: after 10,000 messages (here two) the next MAIL is a temporary error', async () => {
    expect(gateway.context.settings.smtpMessagesPerSession).toBe(2);
    const dialogue = await inData('127.0.0.1');
    expect(await dialogue.say('x\r\n.')).toMatch(/^250 /);
    expect(await dialogue.say('MAIL FROM:<a@shop.test>')).toMatch(/^250 /);
    await dialogue.say('RSET');
    expect(await dialogue.say('MAIL FROM:<a@shop.test>')).toMatch(/^451 4\.5\.3 /);
    dialogue.end();
  });
});

describe('time and commands', () => {
  let impatient: TestGateway;
  // for clients that are to run out of time, and do nothing else
  let hasty: TestGateway;
  beforeAll(async () => {
    impatient = await startGateway(database.url, 'in process', { smtpIdleSeconds: 3, smtpLoginSeconds: 2 });
    hasty = await startGateway(database.url, 'in process', { smtpLoginSeconds: 1 });
  });
  afterAll(async () => {
    await impatient.stop();
    await hasty.stop();
  });
  const open = async (at = impatient) => (await SmtpDialogue.open(portOf(at))).dialogue;
  const TIMEOUT = '421 4.4.2 Timeout - closing connection';

  // each test waits for a timeout of its session, so all of them run together
  describe.concurrent('run out', () => {
    it('spec 2-messages §13 rule 4: 421 4.4.2 for a session that is silent before its login', async () => {
      const silent = await open(hasty);
      expect(await silent.reply()).toBe(TIMEOUT);
      await silent.ended();
    });

    it('spec 2-messages §13 rule 4: 421 4.4.2 for a session that is silent after its login, later', async () => {
      const { username, password } = impatient.accounts.addCredential();
      const dialogue = await SmtpDialogue.secure(portOf(impatient));
      expect(await dialogue.say(login(username, password))).toMatch(/^235 /);
      const began = performance.now();
      expect(await dialogue.reply()).toBe(TIMEOUT);
      // longer than a client may take to log in
      expect(performance.now() - began).toBeGreaterThan(2_000);
      await dialogue.ended();
    });

    it('for a client that never ends its TLS handshake', async () => {
      const handshake = connect(portOf(hasty), '127.0.0.1');
      await once(handshake, 'data');
      handshake.write('EHLO a\r\nSTARTTLS\r\n');
      handshake.resume();
      await once(handshake, 'close');
    });

    it('for a client that types slowly and never logs in', async () => {
      const slow = await open(hasty);
      const typing = setInterval(() => slow.send('x'), 100);
      expect(await slow.reply()).toMatch(/^421 4\.4\.2 /);
      clearInterval(typing);
    });

    it('for a client that keeps talking and never logs in', async () => {
      const dialogue = await open();
      let said = '';
      for (let commands = 0; commands < 30 && !said.startsWith('421'); commands += 1) {
        said = await dialogue.say('EHLO client.test');
      }
      expect(said).toBe('421 4.7.0 Too many commands without a message');
    });

    it('for a client that sends unknown commands', async () => {
      const unknown = await open();
      for (let commands = 0; commands < 9; commands += 1) {
        expect(await unknown.say('NONSENSE')).toMatch(/^500 /);
      }
      expect(await unknown.say('NONSENSE')).toMatch(/^421 4\.7\.0 /);
    });

    it('421 for a line of more than 16 KB', async () => {
      const dialogue = await open();
      expect(await dialogue.say(`EHLO ${'x'.repeat(17_000)}`)).toMatch(/^421 4\.5\.2 /);
      await dialogue.ended();
    });
  });
});

describe('a stop', () => {
  it('421 4.3.2 at once for an idle session; a message in transfer is stored and gets its 250 first', async () => {
    mail.submissions.length = 0;
    const idle = await SmtpDialogue.secure(portOf(gateway));
    const busy = await inData('127.0.0.1');
    busy.send('Subject: x\r\n');
    const stopped = gateway.stop();
    expect(await idle.reply()).toMatch(/^421 4\.3\.2 /);
    await idle.ended();
    expect(await busy.say('\r\nHello\r\n.')).toMatch(/^250 2\.0\.0 OK /);
    expect(mail.submissions).toHaveLength(1);
    expect(await busy.say('NOOP')).toMatch(/^421 4\.3\.2 /);
    await busy.ended();
    await stopped;
  });
});
