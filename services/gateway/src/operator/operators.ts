import { createHash, timingSafeEqual } from 'node:crypto';
import { FIRST_OPERATOR, type OperatorToken, type Settings } from '@postmesh/settings';

// Hashes have one length, so that a comparison reveals nothing about the length of a token.
const digest = (text: string) => createHash('sha256').update(text).digest();

/** The operators, by token. Keeps hashes only. */
export class Operators {
  private readonly known: readonly { name: string; digest: Buffer }[];

  /** @throws Error when two operators share a token, since the audit could not distinguish them */
  constructor(operators: readonly OperatorToken[]) {
    this.known = operators.map(({ name, token }) => ({ name, digest: digest(token) }));
    const tokens = new Set(operators.map(({ token }) => token));
    if (tokens.size < operators.length) {
      throw new Error('POSTMESH_OPERATOR_TOKENS: two operators have the same token');
    }
  }

  /** The token of the settings belongs to `operator`, each of the others to its name. */
  static fromSettings(settings: Pick<Settings, 'operatorToken' | 'operatorTokens'>): Operators {
    const first = settings.operatorToken;
    return new Operators([
      ...(first === undefined ? [] : [{ name: FIRST_OPERATOR, token: first }]),
      ...settings.operatorTokens,
    ]);
  }

  get areNone(): boolean {
    return this.known.length === 0;
  }

  /** Compares all tokens, also after a match. @returns undefined for an unknown token */
  nameOf(token: string): string | undefined {
    const given = digest(token);
    return this.known.filter((one) => timingSafeEqual(given, one.digest))[0]?.name;
  }
}
