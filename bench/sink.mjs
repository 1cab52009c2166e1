// @ts-check
// A process of its own: an SMTP server on loopback that accepts every message and records its time. It has only the
// part of SMTP that is needed to accept messages at full speed.
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { finished } from 'node:stream/promises';
import { TLSSocket, createSecureContext } from 'node:tls';
import { nowMicros } from '../tools/processes.mjs';
import { serveJobs } from './workers.mjs';

const NEWS_MS = 100;
// More than any run delivers; messages above it are counted, not recorded.
const MOST_ARRIVALS = 3_000_000;

/** @type {Record<string, any>} */
const counts = {
  messages: 0,
  bytes: 0,
  signed: 0,
  connections: 0,
  tls_connections: 0,
  first: null,
  last: null,
};
/** @type {string[]} */
let arrivals = [];
let published = -1;

serveJobs({
  listen,
  listenAs,
  counts: () => counts,
  /** Drops all records until now. */
  reset() {
    Object.assign(counts, {
      messages: 0,
      bytes: 0,
      signed: 0,
      connections: 0,
      tls_connections: 0,
      first: null,
      last: null,
    });
    arrivals = [];
  },
  write,
});

/** @param input `tls`: `{key, cert}` in PEM, or undefined */
async function listen({ tls }) {
  const context = tls && createSecureContext(tls);
  const server = createServer({ noDelay: true }, (socket) => serve(socket, context));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  setInterval(() => {
    if (counts.messages === published) return;
    published = counts.messages;
    process.send?.({ counts });
  }, NEWS_MS);
  return { port: /** @type {import('node:net').AddressInfo} */ (server.address()).port };
}

/**
 * A further host on a loopback address of its own.
 * @param input `replyAfterMs`: delay of each reply; null: no reply
 */
async function listenAs({ address, port, replyAfterMs }) {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    if (replyAfterMs === null) socket.resume();
    else serve(socket, undefined, (say) => void setTimeout(say, replyAfterMs));
  });
  server.listen(port, address);
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
}

/** @param {import('node:net').Socket} socket @param context of TLS, if any @param {(say: () => void) => void} [when] a reply is said */
function serve(socket, context, when = (say) => say()) {
  counts.connections += 1;
  /** @type {import('node:net').Socket} */
  let current = socket;
  const wire = {
    write: (text) => when(() => void (current.writable && current.write(text))),
    end: () => when(() => void current.end()),
    startTls: context && (() => startTls()),
  };
  const session = new SmtpSession(wire, remember);
  const read = (from) => {
    from.on('data', (chunk) => session.receive(chunk));
    from.on('error', () => from.destroy());
  };
  const startTls = () => {
    counts.tls_connections += 1;
    socket.removeAllListeners('data');
    current = new TLSSocket(socket, { isServer: true, secureContext: context });
    read(current);
  };
  read(socket);
}

function remember(messages) {
  const now = nowMicros();
  counts.first ??= now;
  counts.last = now;
  for (const { head, bytes } of messages) {
    const { id, signed } = readHead(head);
    counts.messages += 1;
    counts.bytes += bytes;
    if (signed) counts.signed += 1;
    if (arrivals.length < MOST_ARRIVALS) arrivals.push(`${id}\t${now}`);
  }
}

async function write({ path }) {
  const file = createWriteStream(path);
  for (const line of arrivals) file.write(`${line}\n`);
  file.end();
  await finished(file);
  const { user, system } = process.cpuUsage();
  return { cpu_seconds: (user + system) / 1e6 };
}

const MESSAGE_END = Buffer.from('\r\n.\r\n');
const EMPTY_MESSAGE = Buffer.from('.\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
// RFC 5321 §4.5.3.1.4 requires 512; more without a line end is not SMTP.
const LONGEST_LINE = 8192;
// The part with the Message-ID; the rest of a message is not kept.
const LONGEST_HEAD = 65_536;

export class SmtpSession {
  /**
   * @param {{ write: (text: string) => unknown, end: () => unknown, startTls?: () => unknown }} wire without `startTls`
   *   it is not offered
   * @param {(messages: {head: Buffer, bytes: number, recipients: number}[]) => void} onMessages called once their `250`s are written
   */
  constructor(wire, onMessages) {
    this.wire = wire;
    this.onMessages = onMessages;
    /** @type {Buffer | null} */
    this.rest = null;
    this.recipients = 0;
    /** @type {any} */
    this.message = null;
    this.secure = false;
    this.wire.write('220 sink.bench ESMTP\r\n');
  }

  /** All commands that a chunk completes get their replies with one write (RFC 2920 §3.2). */
  receive(chunk) {
    const turn = {
      data: this.rest === null ? chunk : Buffer.concat([this.rest, chunk]),
      at: 0,
      replies: '',
      messages: [],
    };
    this.rest = null;
    while (this.message === null ? this.takeCommand(turn) : this.takeMessage(turn));
    if (turn.at < turn.data.length) this.rest = turn.data.subarray(turn.at);
    if (turn.replies !== '') this.wire.write(turn.replies);
    if (turn.messages.length > 0) this.onMessages(turn.messages);
    if (turn.over === 'tls') this.wire.startTls?.();
    if (turn.over === 'quit' || (this.message === null && (this.rest?.length ?? 0) > LONGEST_LINE))
      this.wire.end();
  }

  /** @returns whether there may be more in the chunk */
  takeCommand(turn) {
    const lineEnd = turn.data.indexOf(10, turn.at);
    if (lineEnd < 0 || turn.over !== undefined) return false;
    const verb = turn.data.toString('latin1', turn.at, Math.min(lineEnd, turn.at + 4)).toUpperCase();
    turn.at = lineEnd + 1;
    turn.replies += this.response(verb, turn);
    return true;
  }

  response(verb, turn) {
    if (verb === 'EHLO' || verb === 'HELO') return this.greet(verb);
    if (verb === 'RCPT') this.recipients += 1;
    if (verb === 'MAIL' || verb === 'RSET') this.recipients = 0;
    if (verb === 'DATA') return this.beginMessage();
    if (verb === 'QUIT') return this.quit(turn);
    if (verb === 'STAR' && this.mayStartTls()) return this.beginTls(turn);
    return /^(MAIL|RCPT|RSET|NOOP)$/.test(verb) ? '250 2.0.0 ok\r\n' : '502 5.5.1 not here\r\n';
  }

  quit(turn) {
    turn.over = 'quit';
    return '221 2.0.0 bye\r\n';
  }

  greet(verb) {
    if (verb === 'HELO') return '250 sink.bench\r\n';
    const offers = ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES', 'SIZE 52428800'];
    if (this.mayStartTls()) offers.unshift('STARTTLS');
    return `250-sink.bench\r\n${offers.map((offer, i) => `250${i < offers.length - 1 ? '-' : ' '}${offer}\r\n`).join('')}`;
  }

  mayStartTls() {
    return this.wire.startTls !== undefined && !this.secure;
  }

  beginTls(turn) {
    this.secure = true;
    turn.over = 'tls';
    // data sent in clear after STARTTLS must not count as sent under TLS (RFC 3207 §4.2, CVE-2011-0411)
    turn.at = turn.data.length;
    return '220 2.0.0 go ahead\r\n';
  }

  beginMessage() {
    if (this.recipients === 0) return '503 5.5.1 no recipient\r\n';
    this.message = { pieces: [], bytes: 0, headBytes: 0, headEnded: false, empty: true };
    return '354 go ahead\r\n';
  }

  /** The terminator may be split anywhere: the last four bytes are kept until more data arrives. */
  takeMessage(turn) {
    const { data, at } = turn;
    if (this.message.empty && data.length - at >= 3 && data.subarray(at, at + 3).equals(EMPTY_MESSAGE)) {
      turn.at = at + 3;
      return this.endMessage(turn);
    }
    const end = data.indexOf(MESSAGE_END, at);
    const until = end < 0 ? Math.max(at, data.length - 4) : end + 2;
    this.keepHead(data.subarray(at, until));
    turn.at = end < 0 ? until : end + MESSAGE_END.length;
    return end < 0 ? false : this.endMessage(turn);
  }

  keepHead(piece) {
    const { message } = this;
    if (piece.length === 0) return;
    message.empty = false;
    message.bytes += piece.length;
    if (message.headEnded) return;
    message.pieces.push(piece);
    message.headBytes += piece.length;
    message.headEnded = message.headBytes > LONGEST_HEAD || piece.includes(HEAD_END);
  }

  endMessage(turn) {
    const { pieces, bytes } = this.message;
    const head = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    turn.messages.push({ head, bytes, recipients: this.recipients });
    turn.replies += '250 2.0.0 taken\r\n';
    this.message = null;
    this.recipients = 0;
    return true;
  }
}

const MESSAGE_ID = /^message-id:\s*(<[^>\r\n]+>)/im;
const SIGNATURE = /^dkim-signature:/im;

/**
 * @param {Buffer} head begins with the message's header, and may contain a part of its body
 * @returns {{ id: string, signed: boolean }} Message-ID
 */
export function readHead(head) {
  const end = head.indexOf(HEAD_END);
  const text = head.toString('latin1', 0, end < 0 ? head.length : end + 2);
  return { id: MESSAGE_ID.exec(text)?.[1] ?? '', signed: SIGNATURE.test(text) };
}
