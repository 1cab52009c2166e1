// The receiving side of one SMTP connection: no more than is needed to take messages as fast as they come.

const MESSAGE_END = Buffer.from('\r\n.\r\n');
const EMPTY_MESSAGE = Buffer.from('.\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
// RFC 5321 §4.5.3.1.4 asks for 512; more without a line end is no SMTP.
const LONGEST_LINE = 8192;
// The Message-ID stands within; the rest of a message is not kept.
const LONGEST_HEAD = 65_536;

export class SmtpSession {
  /**
   * @param wire `write(text)`, `end()`, `startTls()` (undefined: not offered)
   * @param {(messages: {head: Buffer, recipients: number}[]) => void} onMessages called once their `250`s are written
   */
  constructor(wire, onMessages) {
    this.wire = wire;
    this.onMessages = onMessages;
    this.rest = null;
    this.recipients = 0;
    this.message = null;
    this.secure = false;
    this.wire.write('220 sink.bench ESMTP\r\n');
  }

  /** Everything that a chunk completes is answered with one write (RFC 2920 §3.2). */
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
    if (turn.over === 'tls') this.wire.startTls();
    if (turn.over === 'quit' || (this.message === null && this.rest?.length > LONGEST_LINE)) this.wire.end();
  }

  /** @returns whether there may be more in the chunk */
  takeCommand(turn) {
    const lineEnd = turn.data.indexOf(10, turn.at);
    if (lineEnd < 0 || turn.over !== undefined) return false;
    const verb = turn.data.latin1Slice(turn.at, Math.min(lineEnd, turn.at + 4)).toUpperCase();
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
    // what was sent in clear behind STARTTLS must not count as sent inside (RFC 3207 §4.2, CVE-2011-0411)
    turn.at = turn.data.length;
    return '220 2.0.0 go ahead\r\n';
  }

  beginMessage() {
    if (this.recipients === 0) return '503 5.5.1 no recipient\r\n';
    this.message = { pieces: [], headBytes: 0, headEnded: false, empty: true };
    return '354 go ahead\r\n';
  }

  /** The terminator may be cut anywhere: the last four bytes stay until more is there. */
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
    if (message.headEnded) return;
    message.pieces.push(piece);
    message.headBytes += piece.length;
    message.headEnded = message.headBytes > LONGEST_HEAD || piece.includes(HEAD_END);
  }

  endMessage(turn) {
    const { pieces } = this.message;
    const head = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    turn.messages.push({ head, recipients: this.recipients });
    turn.replies += '250 2.0.0 taken\r\n';
    this.message = null;
    this.recipients = 0;
    return true;
  }
}

const MESSAGE_ID = /^message-id:\s*(<[^>\r\n]+>)/im;
const SIGNATURE = /^dkim-signature:/im;

/** @param {Buffer} head begins with the message's header, may go on with its body */
export function readHead(head) {
  const end = head.indexOf(HEAD_END);
  const text = head.latin1Slice(0, end < 0 ? head.length : end + 2);
  return { id: MESSAGE_ID.exec(text)?.[1] ?? '', signed: SIGNATURE.test(text) };
}
