/** What a POST to an unsubscribe link asks for. */
export type UnsubscribeForm = 'confirm' | 'one-click';

const FORMS: readonly { name: string; value: string; form: UnsubscribeForm }[] = [
  { name: 'confirm', value: '1', form: 'confirm' },
  // RFC 8058 §3.1: exactly this pair
  { name: 'List-Unsubscribe', value: 'One-Click', form: 'one-click' },
];

/**
 * Reads the body of a POST: the form of our page, or a one-click request of a mailbox provider.
 * @param contentType urlencoded or multipart (RFC 8058 §3.2)
 * @param bytes bounded by the listener
 * @returns undefined for any other body
 */
export async function readUnsubscribeForm(
  contentType: string,
  bytes: Buffer,
): Promise<UnsubscribeForm | undefined> {
  const fields = await readFields(contentType, bytes);
  const [field] = fields;
  if (!field || fields.length > 1) return undefined;
  return FORMS.find(({ name, value }) => name === field[0] && value === field[1])?.form;
}

/** By the parser of the fetch standard, which knows both types and refuses every other. */
async function readFields(contentType: string, bytes: Buffer): Promise<[string, unknown][]> {
  try {
    const body = new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } });
    return [...(await body.formData())];
  } catch {
    return [];
  }
}
