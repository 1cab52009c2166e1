import { decodeWords } from 'postal-mime';
import { plainFileName } from '@postmesh/mail-format';
import { decodeCharset, decodeTransfer, readContentType, type Part } from '@postmesh/mail-reports';

/** What a route gets of a message, taken apart; nothing is decoded yet. */
export interface RouteParts {
  plain: readonly Part[];
  html: readonly Part[];
  attachments: readonly RouteAttachment[];
}

export interface RouteAttachment {
  filename: string;
  contentType: string;
  contentId: string;
  disposition: string;
  part: Part;
}

/** Texts that are shown are the bodies; all else is attached, in the order of spec 2-messages §16 rule 6. */
export function routeParts(root: Part): RouteParts {
  const leaves = leavesOf(root).map(describe);
  const isBody = ({ part, filename, disposition }: RouteAttachment) =>
    (part.type === 'text/plain' || part.type === 'text/html') &&
    filename === '' &&
    (disposition === '' || disposition === 'inline');
  const bodies = leaves.filter(isBody).map(({ part }) => part);
  return {
    plain: bodies.filter(({ type }) => type === 'text/plain'),
    html: bodies.filter(({ type }) => type === 'text/html'),
    attachments: leaves.filter((leaf) => !isBody(leaf)).toSorted((one, other) => rank(one) - rank(other)),
  };
}

/** Conventional attachments, parts with another disposition (inline above all), parts with none. */
function rank({ disposition }: RouteAttachment): number {
  if (disposition === 'attachment') return 0;
  return disposition === '' ? 2 : 1;
}

/** Without containers; a message in the message is one file. */
export function leavesOf(part: Part): Part[] {
  return part.parts.length === 0 ? [part] : part.parts.flatMap(leavesOf);
}

function describe(part: Part): RouteAttachment {
  const given = part.fields.first('content-disposition') ?? '';
  const { parameters } = readContentType(given, '');
  return {
    filename: plainFileName(fileName(parameters, 'filename') || fileName(part.parameters, 'name')),
    contentType: part.type,
    contentId: contentId(part.fields.first('content-id') ?? ''),
    disposition: (/^[^;\s]*/.exec(given.trim())?.[0] ?? '').toLowerCase(),
    part,
  };
}

/** Brackets stripped, percent-decoded with `+` as a blank (spec 2-messages §19.4). */
function contentId(value: string): string {
  const bare = value.trim().replace(/^<|>$/g, '').replaceAll('+', ' ');
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare;
  }
}

const MAX_CONTINUATIONS = 50;

/** RFC 2231, also in pieces; else encoded words, which no standard allows and many send. */
function fileName(parameters: ReadonlyMap<string, string>, name: string): string {
  const extended = parameters.get(`${name}*`);
  if (extended !== undefined) return fromExtended([{ text: extended, isEncoded: true }]);
  const pieces = piecesOf(parameters, name);
  if (pieces.length > 0) return fromExtended(pieces);
  return decodeWords(parameters.get(name) ?? '').trim();
}

interface Piece {
  text: string;
  isEncoded: boolean;
}

function piecesOf(parameters: ReadonlyMap<string, string>, name: string): Piece[] {
  const pieces: Piece[] = [];
  for (let nth = 0; nth < MAX_CONTINUATIONS; nth++) {
    const encoded = parameters.get(`${name}*${nth}*`);
    const text = encoded ?? parameters.get(`${name}*${nth}`);
    if (text === undefined) break;
    pieces.push({ text, isEncoded: encoded !== undefined });
  }
  return pieces;
}

/** `charset'language'percent-encoded`: only the first piece names the charset. */
function fromExtended(pieces: readonly Piece[]): string {
  const [, charset = '', rest] = /^([^']*)'[^']*'(.*)$/s.exec(pieces[0]?.text ?? '') ?? [];
  const texts = pieces.map(({ text, isEncoded }, nth) => {
    const value = nth === 0 && isEncoded && rest !== undefined ? rest : text;
    return isEncoded ? percentDecoded(value) : Buffer.from(value);
  });
  return decodeCharset(Buffer.concat(texts), charset).trim();
}

function percentDecoded(text: string): Buffer {
  const latin1 = text.replace(/%([0-9a-f]{2})/gi, (_match, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(latin1, 'latin1');
}

/** The text of the bodies of one kind, decoded and otherwise as it is; several follow each other on new lines. */
export const bodyText = (parts: readonly Part[]): string => parts.map(decodedText).join('\r\n');

function decodedText({ body, parameters, fields }: Part): string {
  const charset = (parameters.get('charset') ?? '').trim().toLowerCase();
  const bytes = decodeTransfer(body, encodingOf(fields.first('content-transfer-encoding')), body.length);
  // who says ASCII and writes more than that writes UTF-8 nearly always
  return decodeCharset(bytes, charset === 'us-ascii' ? 'utf-8' : charset);
}

const encodingOf = (value = ''): string => value.trim().toLowerCase();

const SLICE_BYTES = 96 * 1024;

/** The bytes of an attachment in base64, piece by piece: the whole of it is not in memory once more. */
export function* base64Of({ body, fields }: Part): Generator<string> {
  const encoding = encodingOf(fields.first('content-transfer-encoding'));
  if (encoding === 'base64') {
    yield* cleanBase64(body);
    return;
  }
  const bytes = decodeTransfer(body, encoding, body.length);
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.toString('base64', at, at + SLICE_BYTES);
}

/** Without line ends and what else does not belong there, up to its padding. */
function* cleanBase64(body: Buffer): Generator<string> {
  let rest = '';
  for (let at = 0; at < body.length; at += SLICE_BYTES) {
    const slice = body.toString('latin1', at, at + SLICE_BYTES);
    const padding = slice.indexOf('=');
    rest += (padding < 0 ? slice : slice.slice(0, padding)).replace(/[^A-Za-z0-9+/]+/g, '');
    const whole = rest.length - (rest.length % 4);
    if (whole > 0) yield rest.slice(0, whole);
    rest = rest.slice(whole);
    if (padding >= 0) break;
  }
  // an odd character at the end stands for nothing
  if (rest.length > 1) yield Buffer.from(rest, 'base64').toString('base64');
}
