import { connect, type Socket } from 'node:net';
import { Metrics } from '@postmesh/observability';
import { SmtpDialogue, testDatabase } from '@postmesh/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { mail } from '../testing/echo-service.js';
import { startGateway, type TestGateway } from '../testing/start-gateway.js';

// POSTMESH_FUZZ_LINES=1000000 POSTMESH_FUZZ_SEED=7: more of them, and those of a run that failed.
const { POSTMESH_FUZZ_LINES = '100000', POSTMESH_FUZZ_SEED } = process.env;
const LINES = Number(POSTMESH_FUZZ_LINES);
const SEED = Number(POSTMESH_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
// A session with too many unknown commands is ended: many short ones reach further than a few long ones.
const LINES_PER_SESSION = 60;
const SESSIONS_AT_ONCE = 60;

const database = testDatabase();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway(database.url, 'in process', {
    logLevel: 'silent',
    smtpConnectionsPerAddress: 100,
    smtpConnectionsPerCredential: 100,
    inboundMessagesPerMinute: 1_000_000,
    inboundMegabytesPerMinute: 1_000_000,
  });
  gateway.routes.add('ann@shop.test');
});
afterAll(() => gateway.stop());

/** The same numbers for the same seed (mulberry32). */
function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const KNOWN = [
  ...'EHLO x|EHLO|HELO y|HELO|RCPT|RCPT TO:<>|RSET|NOOP|VRFY ann|EXPN x|HELP|BDAT 10 LAST|ETRN x|.|..'.split(
    '|',
  ),
  ...'MAIL FROM:|MAIL FROM:<>|MAIL FROM:<a@else.test>|mail from:<a@b.c> SIZE=100|MAIL FROM:<a@b.c> X=+00'.split(
    '|',
  ),
  ...'MAIL FROM:<a@b.c> SIZE=99999999999999999999|MAIL FROM:<a@b.c> SIZE=-1 SIZE=1'.split('|'),
  ...'MAIL FROM:<a@b.c> BODY=8BITMIME SMTPUTF8|RCPT TO:<nobody@shop.test>|RCPT TO:<ann@shop.test>'.split('|'),
  ...'RCPT TO:<@a,@b:ann@shop.test>|DATA|AUTH|AUTH PLAIN|AUTH PLAIN AGEAYg==|AUTH LOGIN|AUTH LOGIN ='.split(
    '|',
  ),
];
const WHOLE = [
  'RSET\r\nMAIL FROM:<a@else.test>\r\nRCPT TO:<ann@shop.test>',
  'RSET\r\nMAIL FROM:<>\r\nRCPT TO:<ann@shop.test>\r\nDATA\r\nSubject: x\r\n\r\nHello\r\n.',
];
const RARE =
  'XCLIENT ADDR=1.2.3.4|XFORWARD NAME=x|LHLO x|WIZ|SHELL|KILL|GET / HTTP/1.1|__proto__|*|YQ==| ||QUIT|STARTTLS'.split(
    '|',
  );
const NOISE = ['\0', '\r', ...'\u00ff|\t| |<|>|"|:|@|\\|=|+0D+0A|[|(|٪|ß|🙂'.split('|')];
const ENDS = [...Array.from({ length: 20 }, () => '\r\n'), '\r\n.\r\n', '\r\n.\r\n', '\n', '\r', '\n.\n'];

function line(roll: () => number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(roll() * list.length)] as T;
  const kind = roll();
  if (kind < 0.25) return `${pick(WHOLE)}\r\n`;
  let text = pick(kind < 0.28 ? RARE : KNOWN);
  while (roll() < 0.15) {
    const at = Math.floor(roll() * (text.length + 1));
    const how = roll();
    if (how < 0.4) text = text.slice(0, at) + pick(NOISE) + text.slice(at);
    else if (how < 0.6) text = text.slice(0, at) + text.slice(at + 1);
    else if (how < 0.8) text += ` ${pick(KNOWN)}`;
    else text += pick(NOISE).repeat(Math.floor(roll() * 300));
  }
  return text + pick(ENDS);
}

/** A session under TLS, logged in. */
async function loggedInSession(port: number, login: string, text: string): Promise<string> {
  const dialogue = await SmtpDialogue.secure(port);
  expect(await dialogue.say(login)).toMatch(/^235 /);
  dialogue.send(Buffer.from(text, 'latin1'));
  dialogue.finish();
  return dialogue.rest();
}

/** Writes the whole text without reading in between. Resolves with all replies when the connection has ended. */
function session(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1');
    let said = '';
    const stuck = setTimeout(() => {
      socket.destroy();
      reject(new Error(`a session is stuck; seed ${SEED}; it said ${said.slice(-500)}`));
    }, 60_000);
    socket.once('data', () => socket.end(Buffer.from(text, 'latin1')));
    socket.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(stuck);
      resolve(said);
    });
  });
}

describe('a fuzzed command stream', () => {
  it(
    'ends no process and leaves no session stuck, and every reply is a valid one',
    { timeout: 1_200_000 },
    async () => {
      console.info(`fuzzing ${LINES} lines with seed ${SEED}`);
      // other files of the process sent some before
      mail.inbound.length = 0;
      mail.submissions.length = 0;
      const roll = dice(SEED);
      const { username, password } = gateway.accounts.addCredential();
      const login = `AUTH PLAIN ${Buffer.from(`\0${username}\0${password}`).toString('base64')}`;
      const portOf = (role: string) => gateway.smtp.find((listener) => listener.role === role)?.port ?? 0;
      let left = LINES;
      let replies = 0;
      const next = async (): Promise<void> => {
        while (left > 0) {
          const count = Math.min(left, LINES_PER_SESSION);
          left -= count;
          const text = ['EHLO x\r\n', ...Array.from({ length: count }, () => line(roll))].join('');
          const kind = roll();
          const said =
            kind < 0.7
              ? await session(portOf(kind < 0.1 ? 'submission' : 'inbound'), text)
              : await loggedInSession(portOf('submission'), login, text);
          const lines = said.split('\r\n').slice(0, -1);
          replies += lines.length;
          const odd = lines.find((reply) => !/^[2345]\d\d[ -][\x20-\x7e]*$/.test(reply));
          if (odd !== undefined) throw new Error(`no reply: ${JSON.stringify(odd)}; seed ${SEED}`);
        }
      };
      await Promise.all(Array.from({ length: SESSIONS_AT_ONCE }, next));
      console.info(
        `${replies} lines of replies, ${mail.inbound.length} messages to recipients here, ${mail.submissions.length} submitted`,
      );
      expect([mail.inbound.length > 0, mail.submissions.length > 0]).toEqual([true, true]);
      for (const { envelope } of mail.inbound) expect(envelope.recipients).toHaveLength(1);
      for (const { envelope } of mail.submissions) expect(envelope.submitter.username).toBe(username);
      for (const { raw } of [...mail.inbound, ...mail.submissions]) {
        expect(raw.includes(0) || /[^\r]\n|\r[^\n]/.test(raw.toString('latin1'))).toBe(false);
      }
      await vi.waitFor(async () => {
        const text = await gateway.service.get<{ render(): Promise<string> }>(Metrics).render();
        expect(text).toMatch(/postmesh_smtp_sessions_open\{listener="inbound"\} 0/);
        expect(text).toMatch(/postmesh_smtp_sessions_open\{listener="submission"\} 0/);
      }, 60_000);
      const { dialogue, greeting } = await SmtpDialogue.open(portOf('inbound'));
      expect(greeting).toMatch(/^220 /);
      dialogue.end();
    },
  );
});
