// `POST …/messages/conversation` as bytes that are made once. Only the digits in the recipients' addresses
// change from request to request, in place.

/** So many destinations share the messages, as customers' mail does; all of them lead to the sink. */
const DESTINATIONS = 20;
const ADDRESS = 'u000000000@r00.test';
const NUMBER_AT = 1;
const NUMBER_DIGITS = 9;
const DESTINATION_AT = ADDRESS.indexOf('@r') + 2;

export class MessageRequest {
  /**
   * @param message `{host, port, path, apiKey, from, recipients, bodyBytes, firstAttempt?}`; recipients 1…50
   * (spec 2-messages §1.3); `firstAttempt`: RFC 3339, the message waits until then
   */
  constructor(message) {
    const body = JSON.stringify(requestBody(message));
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

  /** @param {number} number of the request; the same bytes are given back each time */
  numbered(number) {
    this.slots.forEach((slot, index) => {
      const recipient = number * this.slots.length + index;
      writeDigits(this.bytes, slot + NUMBER_AT, NUMBER_DIGITS, recipient);
      writeDigits(this.bytes, slot + DESTINATION_AT, 2, recipient % DESTINATIONS);
    });
    return this.bytes;
  }
}

function requestBody({ from, recipients, bodyBytes, firstAttempt }) {
  return {
    from: { email: from },
    to: Array.from({ length: recipients }, () => ({ email: ADDRESS })),
    subject: 'A message of the bench',
    text_content: textOf(bodyBytes),
    ...(firstAttempt === undefined ? {} : { schedule: { first_attempt: firstAttempt } }),
  };
}

/** Lines of 78 characters and a line end, as smtp-source writes them; exactly so many bytes. */
export function textOf(bytes) {
  const rest = bytes % 80;
  const last = rest > 2 ? `${'X'.repeat(rest - 2)}\r\n` : 'X'.repeat(rest);
  return `${'X'.repeat(78)}\r\n`.repeat(Math.floor(bytes / 80)) + last;
}

function slotsIn(bytes) {
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
