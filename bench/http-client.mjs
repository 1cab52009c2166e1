// @ts-check
// Requests as bytes that are made once, and keep-alive connections with at most one request in flight. No HTTP
// library: at thousands of requests per second its objects would take CPU from the measured system.
import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNKED_END = Buffer.from('\r\n0\r\n\r\n');
const MOST_RECONNECTS = 100;

export class HttpConnection {
  /**
   * @param {{ host: string, port: number }} address
   * @param {{ onAnswer: (connection: HttpConnection, status: number, body: Buffer) => void,
   *   onBroken: (connection: HttpConnection, reason: string) => void }} events exactly one of them per send
   */
  constructor({ host, port }, events) {
    this.address = { host, port, noDelay: true };
    this.events = events;
    this.busy = false;
    /** @type {Buffer | null} */
    this.received = null;
    this.reconnects = 0;
    /** @type {import('node:net').Socket | undefined} */
    this.socket = undefined;
    /** Due time of the request in flight, in microseconds. */
    this.due = 0;
    /** @type {MessageRequest | PlainRequest | undefined} */
    this.request = undefined;
  }

  /** @throws Error when there is no listener */
  async open() {
    const socket = connect(this.address);
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    this.use(socket);
  }

  /** @param {Buffer} request must not change before its answer */
  send(request) {
    this.busy = true;
    if (this.socket === undefined) {
      if ((this.reconnects += 1) > MOST_RECONNECTS) return this.fail('closed too often');
      this.use(connect(this.address));
    }
    this.socket?.write(request);
  }

  close() {
    this.busy = false;
    this.socket?.destroy();
  }

  use(socket) {
    this.socket = socket;
    this.received = null;
    socket.on('data', (chunk) => this.onData(chunk));
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      if (this.socket !== socket) return;
      this.socket = undefined;
      if (this.busy) this.fail('closed before the answer');
    });
  }

  fail(reason) {
    this.busy = false;
    // not at once: an error of every connection must not become an endless loop in one turn
    setTimeout(() => this.events.onBroken(this, reason), 10);
  }

  onData(chunk) {
    const data = this.received === null ? chunk : Buffer.concat([this.received, chunk]);
    const response = readAnswer(data);
    if (response === undefined) {
      this.received = data;
      return;
    }
    this.received = null;
    this.busy = false;
    this.events.onAnswer(this, response.status, response.body);
  }
}

/** @param {Buffer} data @returns {{ status: number, body: Buffer } | undefined} undefined while it is not complete (RFC 9112 §6) */
export function readAnswer(data) {
  const headEnd = data.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = data.toString('latin1', 0, headEnd);
  const status = Number(head.slice(9, 12));
  const bodyStart = headEnd + 4;
  const length = /\ncontent-length: *(\d+)/i.exec(head);
  if (length !== null) {
    const end = bodyStart + Number(length[1]);
    return data.length < end ? undefined : { status, body: data.subarray(bodyStart, end) };
  }
  if (!/\ntransfer-encoding: *chunked/i.test(head)) return { status, body: data.subarray(bodyStart) };
  const end = data.indexOf(CHUNKED_END, headEnd);
  return end < 0 ? undefined : { status, body: unchunk(data.subarray(bodyStart, end + 2)) };
}

function unchunk(data) {
  /** @type {Buffer[]} */
  const parts = [];
  for (let at = 0; at < data.length;) {
    const lineEnd = data.indexOf('\r\n', at);
    const size = Number.parseInt(data.toString('latin1', at, lineEnd), 16);
    parts.push(data.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(parts);
}

/** Number of recipient domains, as in customers' mail; all of them lead to the sink. */
const DESTINATIONS = 20;
/** Placeholder of the recipient, which differs in each request. */
export const ADDRESS = 'u000000000@r00.test';
const NUMBER_AT = 1;
const NUMBER_DIGITS = 9;
const DESTINATION_AT = ADDRESS.indexOf('@r') + 2;

/** A send: only the digits in the recipients' addresses change between requests, in place. */
export class MessageRequest {
  /**
   * @param {{ host: string, port: number, path: string, apiKey: string, from: string, recipients: number,
   *   bodyBytes: number, firstAttempt?: string, body?: object }} message recipients 1…50 (spec 2-messages §1.3); `firstAttempt`:
   *   RFC 3339, the message waits until then; `body`: instead of a plain conversation, with ADDRESS for each recipient
   */
  constructor(message) {
    const body = JSON.stringify(message.body ?? requestBody(message));
    const head = [
      `POST ${message.path} HTTP/1.1`,
      `Host: ${message.host}:${message.port}`,
      `Authorization: Bearer ${message.apiKey}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    this.bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
    this.slots = slotsIn(this.bytes);
  }

  /** @param {number} number of the request @returns {Buffer} the same bytes each time */
  numbered(number) {
    this.slots.forEach((slot, index) => {
      const recipient = number * this.slots.length + index;
      writeDigits(this.bytes, slot + NUMBER_AT, NUMBER_DIGITS, recipient);
      writeDigits(this.bytes, slot + DESTINATION_AT, 2, recipient % DESTINATIONS);
    });
    return this.bytes;
  }
}

/** @param {ConstructorParameters<typeof MessageRequest>[0]} message */
function requestBody({ from, recipients, bodyBytes, firstAttempt }) {
  return {
    from: { email: from },
    to: Array.from({ length: recipients }, () => ({ email: ADDRESS })),
    subject: 'A message of the bench',
    text_content: textOf(bodyBytes),
    ...(firstAttempt === undefined ? {} : { schedule: { first_attempt: firstAttempt } }),
  };
}

/** Lines of 78 characters and a line end, as smtp-source writes them. @param {number} bytes @returns {string} of exactly this many bytes */
export function textOf(bytes) {
  const rest = bytes % 80;
  const last = rest > 2 ? `${'X'.repeat(rest - 2)}\r\n` : 'X'.repeat(rest);
  return `${'X'.repeat(78)}\r\n`.repeat(Math.floor(bytes / 80)) + last;
}

function slotsIn(bytes) {
  /** @type {number[]} */
  const slots = [];
  for (let at = bytes.indexOf(ADDRESS); at >= 0; at = bytes.indexOf(ADDRESS, at + 1)) slots.push(at);
  return slots;
}

function writeDigits(bytes, at, digits, value) {
  let rest = value;
  for (let index = at + digits - 1; index >= at; index -= 1) {
    bytes[index] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

/** A request without a body, the same each time. */
export class PlainRequest {
  /** @param {{ host: string, port: number, path: string, apiKey?: string }} request */
  constructor({ host, port, path, apiKey }) {
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}:${port}`];
    if (apiKey !== undefined) lines.push(`Authorization: Bearer ${apiKey}`);
    this.bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
  }

  /** @param {number} _number @returns {Buffer} */
  numbered(_number) {
    return this.bytes;
  }
}
