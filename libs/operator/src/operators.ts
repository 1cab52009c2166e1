import { createHash, timingSafeEqual } from 'node:crypto';
import { FIRST_OPERATOR, type OperatorToken, type Settings } from '@postmesh/settings';

// Hashes have one length, so that no comparison tells anything about a token's.
const digest = (text: string) => createHash('sha256').update(text).digest();

/** Who may use the operator interface, by token. Keeps hashes only. */
export class Operators {
  private readonly known: readonly { name: string; digest: Buffer }[];

  /** @throws Error when two operators have one token: nobody could say who it was */
  constructor(operators: readonly OperatorToken[]) {
    this.known = operators.map(({ name, token }) => ({ name, digest: digest(token) }));
    const tokens = new Set(operators.map(({ token }) => token));
    if (tokens.size < operators.length) {
      throw new Error('POSTMESH_OPERATOR_TOKENS: a token there is that of another operator');
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

  /** Every token is compared, whichever fits. @returns undefined when nobody has this token */
  nameOf(token: string): string | undefined {
    const given = digest(token);
    return this.known.filter((one) => timingSafeEqual(given, one.digest))[0]?.name;
  }
}
