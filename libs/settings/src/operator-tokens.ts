import { setting, type Options, type Setting } from './setting.js';

/** One of several operators: a request with the token acts under the name. */
export interface OperatorToken {
  readonly name: string;
  readonly token: string;
}

/** The operator name of `POSTMESH_OPERATOR_TOKEN`. */
export const FIRST_OPERATOR = 'operator';

// Names are stored in audit entries and sent in a header.
const NAME = /^[a-z0-9][a-z0-9._@-]{0,63}$/i;
const TOKEN = /^[\x21-\x7e]{16,512}$/;

/** `name:token,name:token`; the errors name the entry by its place, since it holds a secret. */
export const operatorTokens = (
  options: Options<readonly OperatorToken[]>,
): Setting<readonly OperatorToken[]> =>
  setting('comma-separated `name:token`', options, (value) => {
    const entries = value.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
    const operators = entries.map(readEntry);
    refuseTwice(
      operators.map(({ name }) => name.toLowerCase()),
      'name',
    );
    refuseTwice(
      operators.map(({ token }) => token),
      'token',
    );
    return operators;
  });

function readEntry(entry: string, index: number): OperatorToken {
  const colon = entry.indexOf(':');
  if (colon < 0) throw problem(index, 'has no colon');
  const [name, token] = [entry.slice(0, colon).trim(), entry.slice(colon + 1).trim()];
  if (!NAME.test(name)) {
    throw problem(index, "needs a name of 1 to 64 letters, digits, '.', '_', '@' or '-'");
  }
  if (name.toLowerCase() === FIRST_OPERATOR) {
    throw problem(index, `has the name ${FIRST_OPERATOR}, which belongs to POSTMESH_OPERATOR_TOKEN`);
  }
  if (!TOKEN.test(token)) {
    throw problem(index, 'needs a token of 16 to 512 printable characters without spaces');
  }
  return { name, token };
}

function refuseTwice(values: readonly string[], what: string): void {
  const at = values.findIndex((value, index) => values.indexOf(value) < index);
  if (at >= 0) throw problem(at, `has the ${what} of an entry before it`);
}

const problem = (index: number, what: string) =>
  new Error(`must be a list of name:token: entry ${index + 1} ${what}`);
