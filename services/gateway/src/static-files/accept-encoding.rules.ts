export type Encoding = 'br' | 'gzip' | 'identity';

/** The smallest first. */
const PREFERRED = ['br', 'gzip'] as const;

/**
 * The encoding to send (RFC 9110 §12.5.3): the smallest that exists and that the client does not refuse.
 * @param header Accept-Encoding, as received
 */
export function chooseEncoding(header: string | undefined, has: (encoding: Encoding) => boolean): Encoding {
  const weights = new Map(
    (header ?? '').split(',').map((part): [string, number] => {
      const [coding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const q = parameters.find((parameter) => parameter.startsWith('q='));
      return [coding, q === undefined ? 1 : Number(q.slice(2))];
    }),
  );
  const accepts = (encoding: string) => (weights.get(encoding) ?? weights.get('*') ?? 0) > 0;
  return PREFERRED.find((encoding) => has(encoding) && accepts(encoding)) ?? 'identity';
}
