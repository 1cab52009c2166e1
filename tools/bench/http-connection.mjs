// One keep-alive connection with at most one request on its way. No HTTP library: at thousands of requests
// per second its objects would take the processor from the system that is measured.
import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNKED_END = Buffer.from('\r\n0\r\n\r\n');
const MOST_RECONNECTS = 100;

export class HttpConnection {
  /** @param events `onAnswer(connection, status, body)`, `onBroken(connection, reason)`: exactly one per send */
  constructor({ host, port }, events) {
    this.address = { host, port, noDelay: true };
    this.events = events;
    this.busy = false;
    this.received = null;
    this.reconnects = 0;
  }

  /** @throws Error when nobody listens */
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
    this.socket.write(request);
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

/** @returns `{status, body}`, undefined while it is not complete (RFC 9112 §6) */
export function readAnswer(data) {
  const headEnd = data.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = data.latin1Slice(0, headEnd);
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
  const parts = [];
  for (let at = 0; at < data.length;) {
    const lineEnd = data.indexOf('\r\n', at);
    const size = Number.parseInt(data.latin1Slice(at, lineEnd), 16);
    parts.push(data.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(parts);
}
