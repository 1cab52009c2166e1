import { plainFileName } from '../mime/file-name.rules.js';
import { decodeCharset } from './charsets.js';
import { decodeWords } from './encoded-words.js';
import { firstToken, readParameters } from './parameters.rules.js';
import { leavesOf, type Part } from './parts.js';
import { decodeTransfer } from './transfer-encodings.js';

/** The shown texts and the attachments of a message; nothing is decoded yet. */
export interface MessageLeaves {
  /** texts that are shown, in the order of the message */
  readonly bodies: readonly Part[];
  readonly attachments: readonly AttachedPart[];
}

export interface AttachedPart {
  /** empty when it has none */
  readonly filename: string;
  readonly contentType: string;
  /** as it is written, with its brackets; empty when it has none */
  readonly contentId: string;
  /** token in lower case; empty when it has none */
  readonly disposition: string;
  readonly part: Part;
}

/**
 * Texts of the types that are shown, unless they are files, are bodies; all else is attached.
 * @param bodyTypes in lower case
 */
export function readLeaves(root: Part, bodyTypes: readonly string[]): MessageLeaves {
  const leaves = leavesOf(root).map(describe);
  const isBody = ({ contentType, filename, disposition }: AttachedPart) =>
    bodyTypes.includes(contentType) && filename === '' && (disposition === '' || disposition === 'inline');
  return {
    bodies: leaves.filter(isBody).map(({ part }) => part),
    attachments: leaves.filter((leaf) => !isBody(leaf)),
  };
}

function describe(part: Part): AttachedPart {
  const given = part.fields.first('content-disposition');
  return {
    filename: plainFileName(
      nameOf(readParameters(given).parameters, 'filename') || nameOf(part.parameters, 'name'),
    ),
    contentType: part.type,
    contentId: (part.fields.first('content-id') ?? '').trim(),
    disposition: firstToken(given ?? ''),
    part,
  };
}

/** RFC 2231, else encoded words, which no standard allows there and many send. */
const nameOf = (parameters: ReadonlyMap<string, string>, name: string): string =>
  decodeWords(parameters.get(name) ?? '').trim();

/** The whole text of a body, decoded and otherwise unchanged. */
export const bodyText = (part: Part): string =>
  decodeCharset(bodyBytes(part), part.parameters.get('charset') ?? '');

/** The content of a part without its transfer encoding. */
export const bodyBytes = ({ encoding, body }: Part): Buffer => decodeTransfer(body, encoding, body.length);
