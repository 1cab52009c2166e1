import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { SmtpDialogue, testDatabase } from '@postmesh/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { mail } from '../testing/echo-service.js';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';

// proven again: connections of many peers at once

const database = testDatabase();
let gateway: TestGateway;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.stop();
});

const portOf = (role: string) => gateway.smtp.find((listener) => listener.role === role)?.port ?? 0;
const login = (username: string, password: string) =>
  `AUTH PLAIN ${Buffer.from(`\0${username}\0${password}`).toString('base64')}`;

/** A connection from an address of this machine, and the code of its greeting. */
function greeted(from: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect({ port: portOf('submission'), host: '127.0.0.1', localAddress: from });
    sockets.push(socket);
    socket.once('data', (chunk: Buffer) => resolve(Number(chunk.toString().slice(0, 3))));
    socket.on('error', () => resolve(0));
  });
}

/** A logged in session that is in the middle of its message. */
async function inData(from: string): Promise<SmtpDialogue> {
  const { username, password } = gateway.accounts.addCredential();
  const dialogue = await SmtpDialogue.secure(portOf('submission'), { localAddress: from });
  await dialogue.say(login(username, password));
  await dialogue.say('MAIL FROM:<a@shop.test>');
  await dialogue.say('RCPT TO:<ann@mail.test>');
  await dialogue.say('DATA');
  return dialogue;
}

describe('connections', () => {
  it('one peer that takes all it can does not keep a second one out, and gets its places back', async () => {
    gateway = await startGateway(database.url, 'in process');
    const taken = await Promise.all(Array.from({ length: 1_001 }, () => greeted('127.0.0.1')));
    const open = taken.filter((code) => code === 220).length;
    const second = await greeted('127.0.0.2');
    console.info(`the first peer has ${open} sessions; the second is greeted with ${second}`);
    expect([open, second]).toEqual([50, 220]);
    expect(new Set(taken)).toEqual(new Set([220, 421]));
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(() => greeted('127.0.0.1')).toBe(220);
  });

  it('there are so many in all, and the next peer is told 421', async () => {
    gateway = await startGateway(database.url, 'in process', { smtpConnections: 3 });
    for (const peer of [1, 2, 3]) expect(await greeted(`127.0.0.${peer}`)).toBe(220);
    expect(await greeted('127.0.0.4')).toBe(421);
  });

  it('one credential has so many, from wherever', async () => {
    gateway = await startGateway(database.url, 'in process', { smtpConnectionsPerCredential: 2 });
    const { username, password } = gateway.accounts.addCredential();
    const dialogues = [];
    for (const peer of [1, 2, 3]) {
      const dialogue = await SmtpDialogue.secure(portOf('submission'), { localAddress: `127.0.0.${peer}` });
      dialogues.push(dialogue);
      expect(await dialogue.say(login(username, password))).toMatch(peer < 3 ? /^235 / : /^421 4\.3\.2 /);
    }
    for (const dialogue of dialogues) dialogue.end();
    await expect
      .poll(async () => {
        const dialogue = await SmtpDialogue.secure(portOf('submission'));
        const said = await dialogue.say(login(username, password));
        dialogue.end();
        return said.slice(0, 3);
      })
      .toBe('235');
  });
});

describe('failed logins', () => {
  it('the third one of a session ends it, the tenth of a peer shuts it out, and its username still works elsewhere', async () => {
    gateway = await startGateway(database.url, 'in process');
    const { username, password } = gateway.accounts.addCredential();
    const from = { localAddress: '127.0.0.5' };
    for (let session = 0; session < 4; session += 1) {
      const dialogue = await SmtpDialogue.secure(portOf('submission'), from);
      for (let tries = 0; tries < 3; tries += 1) {
        // usernames that nobody tried before get their reply at once
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
    const elsewhere = await SmtpDialogue.secure(portOf('submission'), { localAddress: '127.0.0.6' });
    expect(await elsewhere.say(login(username, password))).toMatch(/^235 /);
    elsewhere.end();
  });
});

describe('time and commands', () => {
  it('spec 2-messages §13 rule 4: 421 4.4.2 for a session that is silent, sooner before its login', async () => {
    gateway = await startGateway(database.url, 'in process', { smtpIdleSeconds: 2, smtpLoginSeconds: 1 });
    const { username, password } = gateway.accounts.addCredential();
    const silent = await SmtpDialogue.open(portOf('submission'));
    expect(await silent.dialogue.reply()).toBe('421 4.4.2 Timeout - closing connection');
    await silent.dialogue.ended();
    const dialogue = await SmtpDialogue.secure(portOf('submission'));
    expect(await dialogue.say(login(username, password))).toMatch(/^235 /);
    expect(await dialogue.reply()).toBe('421 4.4.2 Timeout - closing connection');
    await dialogue.ended();
    const handshake = connect(portOf('submission'), '127.0.0.1');
    sockets.push(handshake);
    handshake.write('');
    await once(handshake, 'data');
    handshake.write('EHLO a\r\nSTARTTLS\r\n');
    handshake.resume();
    await once(handshake, 'close');
  });

  it('a client that keeps talking and never logs in is sent away', async () => {
    gateway = await startGateway(database.url, 'in process', { smtpLoginSeconds: 1 });
    const { dialogue } = await SmtpDialogue.open(portOf('submission'));
    let said = '';
    for (let commands = 0; commands < 30 && !said.startsWith('421'); commands += 1) {
      said = await dialogue.say('EHLO client.test');
    }
    expect(said).toBe('421 4.7.0 Too many commands without a message');
    const slow = await SmtpDialogue.open(portOf('submission'));
    const typing = setInterval(() => slow.dialogue.send('x'), 100);
    expect(await slow.dialogue.reply()).toMatch(/^421 4\.4\.2 /);
    clearInterval(typing);
    const unknown = await SmtpDialogue.open(portOf('submission'));
    for (let commands = 0; commands < 9; commands += 1) {
      expect(await unknown.dialogue.say('NONSENSE')).toMatch(/^500 /);
    }
    expect(await unknown.dialogue.say('NONSENSE')).toMatch(/^421 4\.7\.0 /);
  });

  it('421 for a line of more than 16 KB', async () => {
    gateway = await startGateway(database.url, 'in process');
    const { dialogue } = await SmtpDialogue.open(portOf('submission'));
    expect(await dialogue.say(`EHLO ${'x'.repeat(17_000)}`)).toMatch(/^421 4\.5\.2 /);
    await dialogue.ended();
  });

  it('spec 2-messages §13 rule 4: after 10,000 messages (here two) the next MAIL is a temporary error', async () => {
    gateway = await startGateway(database.url, 'in process', { smtpMessagesPerSession: 2 });
    expect(gateway.context.settings.smtpMessagesPerSession).toBe(2);
    const dialogue = await inData('127.0.0.1');
    expect(await dialogue.say('x\r\n.')).toMatch(/^250 /);
    expect(await dialogue.say('MAIL FROM:<a@shop.test>')).toMatch(/^250 /);
    await dialogue.say('RSET');
    expect(await dialogue.say('MAIL FROM:<a@shop.test>')).toMatch(/^451 4\.5\.3 /);
    dialogue.end();
  });
});

describe('a stop', () => {
  it('421 4.3.2 at once for who is idle; a message under way is stored and gets its 250 first', async () => {
    gateway = await startGateway(database.url, 'in process');
    mail.submissions.length = 0;
    const idle = await SmtpDialogue.secure(portOf('submission'));
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
