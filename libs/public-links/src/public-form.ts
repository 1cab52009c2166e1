/** The one field of a form. */
export interface FormField {
  readonly name: string;
  readonly value: string;
}

/**
 * Reads the body of a POST to an unsubscribe link: the form of one of our pages, or a one-click request of a
 * mailbox provider. Both have exactly one field.
 * @param contentType urlencoded or multipart (RFC 8058 §3.2)
 * @param bytes bounded by the listener; another type means that there was no body
 * @returns undefined for any other body
 */
export async function readFormField(
  contentType: string | undefined,
  bytes: unknown,
): Promise<FormField | undefined> {
  const fields = await readFields(contentType ?? '', Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0));
  const [field] = fields;
  if (!field || fields.length > 1) return undefined;
  const [name, value] = field;
  return typeof value === 'string' ? { name, value } : undefined;
}

/**
 * Reads the body of a POST of a page with several fields.
 * @param most more fields, a field twice, or one that is no text: undefined
 */
export async function readFormFields(
  contentType: string | undefined,
  bytes: unknown,
  most: number,
): Promise<ReadonlyMap<string, string> | undefined> {
  const given = await readFields(contentType ?? '', Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0));
  const fields = new Map(
    given.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
  return given.length > 0 && given.length <= most && fields.size === given.length ? fields : undefined;
}

/** RFC 8058 §3.1: exactly this pair. */
export const isOneClick = ({ name, value }: FormField): boolean =>
  name === 'List-Unsubscribe' && value === 'One-Click';

/** By the parser of the fetch standard, which supports both types and rejects all others. */
async function readFields(contentType: string, bytes: Buffer): Promise<[string, unknown][]> {
  try {
    const body = new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } });
    return [...(await body.formData())];
  } catch {
    return [];
  }
}
