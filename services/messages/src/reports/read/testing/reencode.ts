type Encoding = 'base64' | 'quoted-printable';

/** The same message with every part encoded that was not, enclosed messages too. Lines end in CRLF. */
export function reencode(message: Buffer, encoding: Encoding): Buffer {
  return Buffer.from(reencodePart(message.toString('latin1'), encoding), 'latin1');
}

export const withBareLineFeeds = (message: Buffer): Buffer =>
  Buffer.from(message.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');

function reencodePart(part: string, encoding: Encoding): string {
  const end = part.startsWith('\r\n') ? 0 : part.indexOf('\r\n\r\n') + 2;
  if (end === 1) return part;
  const head = part.slice(0, end);
  const body = part.slice(end + 2);
  const boundary = /^content-type: multipart\/[^]*?boundary="([^"]+)"/im.exec(head)?.[1];
  if (boundary !== undefined) return `${head}\r\n${reencodeParts(body, boundary, encoding)}`;
  if (/^content-transfer-encoding:/im.test(head)) return part;
  const encoded = encoding === 'base64' ? base64(body) : quotedPrintable(body);
  return `${head}Content-Transfer-Encoding: ${encoding}\r\n\r\n${encoded}`;
}

function reencodeParts(body: string, boundary: string, encoding: Encoding): string {
  const [preamble = '', ...parts] = body.split(`--${boundary}`);
  const between = parts.map((part) => {
    if (!part.startsWith('\r\n')) return part;
    return `\r\n${reencodePart(part.slice(2), encoding).replace(/(?:\r\n)?$/, '\r\n')}`;
  });
  return [preamble, ...between].join(`--${boundary}`);
}

const base64 = (body: string): string =>
  Buffer.from(body, 'latin1').toString('base64').replace(/.{76}/g, '$&\r\n');

/** The extreme of the standard: every byte that may be encoded is encoded, in short lines. */
function quotedPrintable(body: string): string {
  const lines = body.split('\r\n').map((line) => {
    const codes = [...line].map((each) =>
      /[A-Za-z0-9 ]/.test(each) ? each : `=${each.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
    const pieces: string[] = [''];
    for (const code of codes) {
      if ((pieces.at(-1) ?? '').length + code.length > 40) pieces.push('');
      pieces[pieces.length - 1] += code;
    }
    return pieces.join('=\r\n').replace(/ $/, '=20');
  });
  return lines.join('\r\n');
}
