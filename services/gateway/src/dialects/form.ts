import { ApiError } from '@postmesh/contracts';

/** A file of a multipart form. */
export interface FormFile {
  readonly fileName: string;
  readonly contentType: string;
  /** base64 */
  readonly data: string;
}

/** The values of each name, in the order of the form. */
export type Form = Readonly<Record<string, readonly (string | FormFile)[]>>;

const URL_ENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

// Each part becomes objects of a thousand bytes, however short it is.
const MAX_PARTS = 5_000;

const mediaType = (contentType = ''): string => contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const isForm = (contentType: string | undefined): boolean =>
  [URL_ENCODED, MULTIPART].includes(mediaType(contentType));

/** @throws ApiError 400 for a body that is no such form, or one of more than 5,000 parts */
export async function parseForm(bytes: Buffer, contentType: string): Promise<Form> {
  if (hasMoreThan(MAX_PARTS, bytes, separatorOf(contentType)))
    throw new ApiError(400, `a form may have at most ${MAX_PARTS} parts`);
  const values = new Map<string, (string | FormFile)[]>();
  for (const [name, value] of await entriesOf(bytes, contentType)) {
    const read = typeof value === 'string' ? value : await fileOf(value);
    const list = values.get(name);
    if (list) list.push(read);
    else values.set(name, [read]);
  }
  return Object.fromEntries(values);
}

/** Node parses both kinds of forms. */
async function entriesOf(bytes: Buffer, contentType: string): Promise<Iterable<[string, string | File]>> {
  try {
    const body = bytes as Uint8Array<ArrayBuffer>;
    return await new Response(body, { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new ApiError(400, 'invalid request body');
  }
}

async function fileOf(file: File): Promise<FormFile> {
  const data = Buffer.from(await file.arrayBuffer()).toString('base64');
  return { fileName: file.name, contentType: file.type, data };
}

/** A multipart body without a boundary is refused by the parser. */
function separatorOf(contentType: string): string {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? [];
  return mediaType(contentType) === URL_ENCODED ? '&' : `--${quoted ?? bare ?? ''}`;
}

function hasMoreThan(most: number, bytes: Buffer, separator: string): boolean {
  let count = 0;
  for (let at = bytes.indexOf(separator); at >= 0; at = bytes.indexOf(separator, at + 1)) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}
