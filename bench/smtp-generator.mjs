// @ts-check
// A process of its own: submits messages over SMTP, closed loop. Each connection sends STARTTLS and AUTH once, then
// MAIL, RCPT and DATA together (RFC 2920), and the next message after the reply to the last one.
import { createConnection } from 'node:net';
import { connect as startTls } from 'node:tls';
import { percentiles } from './figures.rules.mjs';
import { nowMicros } from '../tools/processes.mjs';
import { serveJobs } from './workers.mjs';

const REPLY_MS = 30_000;

/**
 * @typedef {object} SmtpJob
 * @property {string} host
 * @property {number} port
 * @property {number} connections
 * @property {{ user: string, pass: string }} [auth] without it no login
 * @property {string} from
 * @property {string} to domain of the recipients
 * @property {number} bodyBytes
 * @property {number} warmup seconds
 * @property {number} seconds
 */

serveJobs({ submit });

/** @param {SmtpJob} job @returns {Promise<import('./workers.mjs').Load>} */
async function submit(job) {
  /** @type {Conversation[]} */
  const conversations = [];
  // one after another: concurrent handshakes are not measured
  for (let nth = 0; nth < job.connections; nth += 1) conversations.push(await Conversation.open(job));
  const cpuBefore = process.cpuUsage();
  const began = nowMicros();
  const countFrom = began + job.warmup * 1e6;
  const until = countFrom + job.seconds * 1e6;
  const run = {
    job,
    countFrom,
    until,
    sent: 0,
    accepted: 0,
    inTime: 0,
    latencies: [],
    others: {},
    sample: undefined,
  };
  await Promise.all(conversations.map((conversation) => loop(conversation, run)));
  conversations.forEach((conversation) => conversation.close());
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    began,
    sent: run.sent,
    accepted: run.accepted,
    accepted_in_time: run.inTime,
    unanswered: 0,
    answer_ms: percentiles(run.latencies),
    other_answers: run.others,
    other_answer_sample: run.sample,
    cpu_seconds: (user + system) / 1e6,
  };
}

async function loop(conversation, run) {
  while (nowMicros() < run.until) {
    const begin = nowMicros();
    run.sent += 1;
    const reply = await conversation.send(messageOf(run.job, run.sent)).catch((error) => String(error));
    const now = nowMicros();
    if (reply.startsWith('250')) {
      run.accepted += 1;
      if (now >= run.countFrom && now < run.until) {
        run.inTime += 1;
        run.latencies.push(now - begin);
      }
      continue;
    }
    const code = reply.slice(0, 3);
    run.others[code] = (run.others[code] ?? 0) + 1;
    run.sample ??= reply.slice(0, 300);
    if (conversation.closed) return;
  }
}

const LINE = `${'x'.repeat(70)}\r\n`;

function messageOf({ from, to, bodyBytes }, number) {
  const recipient = `r${process.pid}-${number}@${to}`;
  const body = LINE.repeat(Math.max(1, Math.round(bodyBytes / LINE.length)));
  const head = `From: ${from}\r\nTo: ${recipient}\r\nSubject: Message ${number}\r\nMIME-Version: 1.0\r\n`;
  return { from, recipient, text: `${head}Content-Type: text/plain; charset=utf-8\r\n\r\n${body}` };
}

class Conversation {
  constructor(socket) {
    this.said = '';
    this.closed = false;
    this.attach(socket);
  }

  /** @param {SmtpJob} job */
  static async open({ host, port, auth }) {
    const conversation = new Conversation(createConnection({ host, port, noDelay: true }));
    await conversation.expect('220');
    await conversation.command('EHLO bench.test', '250');
    await conversation.command('STARTTLS', '220');
    conversation.secure();
    await conversation.command('EHLO bench.test', '250');
    if (auth) {
      const token = Buffer.from(`\0${auth.user}\0${auth.pass}`).toString('base64');
      await conversation.command(`AUTH PLAIN ${token}`, '235');
    }
    return conversation;
  }

  attach(socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.said += chunk.toString('latin1');
      this.wake?.();
    });
    const end = () => {
      this.closed = true;
      this.wake?.();
    };
    socket.on('error', end).on('close', end);
  }

  secure() {
    this.socket.removeAllListeners('data');
    this.attach(startTls({ socket: this.socket, rejectUnauthorized: false }));
  }

  async command(text, expected) {
    this.socket.write(`${text}\r\n`);
    await this.expect(expected);
  }

  /** @returns {Promise<string>} the reply to the message, or the first negative reply */
  async send({ from, recipient, text }) {
    this.socket.write(`MAIL FROM:<${from}>\r\nRCPT TO:<${recipient}>\r\nDATA\r\n`);
    const replies = [await this.reply(), await this.reply(), await this.reply()];
    const refused = replies.find((reply) => !/^[23]/.test(reply));
    if (refused !== undefined) return refused;
    this.socket.write(`${text}.\r\n`);
    return this.reply();
  }

  async expect(code) {
    const reply = await this.reply();
    if (!reply.startsWith(code)) throw new Error(`expected ${code}, got ${reply}`);
  }

  /** The last line of the next reply. */
  async reply() {
    for (;;) {
      const found = /^(?:\d{3}-[^\r\n]*\r\n)*(\d{3}(?: [^\r\n]*)?)\r\n/.exec(this.said);
      if (found) {
        this.said = this.said.slice(found[0].length);
        return found[1] ?? '';
      }
      if (this.closed) throw new Error('the server closed the connection');
      await this.news();
    }
  }

  news() {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no reply in time')), REPLY_MS);
      this.wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  }

  close() {
    this.socket.end('QUIT\r\n');
  }
}
