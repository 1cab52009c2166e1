import { ApiErrors, SESSION_COOKIE } from '@postmesh/contracts';
import { CONSOLE_INTRODUCTION, INTRODUCTION } from './introduction.js';
import type { JsonSchema } from './open-api.js';

/** The callers of the operations of a document, and what follows from that for each of them. */
export interface Audience {
  readonly title: string;
  readonly summary: string;
  readonly introduction: string;
  readonly security: { readonly name: string; readonly scheme: JsonSchema };
  /** for an operation that needs no scope */
  readonly anyCaller: string;
  /** for one that checks its caller itself, beyond scopes */
  readonly checkedCaller: string;
  /** the reasons for a 401 and a 403 of every operation */
  readonly unauthorized: readonly string[];
  readonly forbidden: readonly string[];
  /** for a 403 of an operation that needs no scope */
  readonly forbiddenWithoutScope: readonly string[];
  /** the example of a 401 */
  readonly unauthorizedExample: { readonly message: string };
}

const says = ({ message }: { message: string }): string => `\`${message}\``;
const noScope = 'lacks the scope: `WWW-Authenticate` names those that would do.';

export const OF_KEYS: Audience = {
  title: 'Postmesh API',
  summary: 'Send email, and know what became of it.',
  introduction: INTRODUCTION,
  security: {
    name: 'bearer',
    scheme: { type: 'http', scheme: 'bearer', description: 'An API key of the account.' },
  },
  anyCaller: 'Any valid key may call it; no scope is needed.',
  checkedCaller: 'Any valid key may call it; no scope is needed.',
  unauthorized: [
    says(ApiErrors.missingBearer()),
    `${says(ApiErrors.invalidKey())}, also for the key of another account`,
    says(ApiErrors.accountBlocked()),
  ],
  forbidden: [says(ApiErrors.ipNotAllowed()), `The key ${noScope}`],
  forbiddenWithoutScope: [says(ApiErrors.ipNotAllowed())],
  unauthorizedExample: ApiErrors.invalidKey(),
};

/** Members in the console (decision 116). */
export const OF_MEMBERS: Audience = {
  title: 'Postmesh console',
  summary: 'The operations that the console needs in addition to the API.',
  introduction: CONSOLE_INTRODUCTION,
  security: {
    name: 'session',
    scheme: {
      type: 'apiKey',
      in: 'cookie',
      name: SESSION_COOKIE,
      description: 'The session of a member.',
    },
  },
  anyCaller: 'Every member who is signed in may call it.',
  checkedCaller: 'Only members with this role may call it.',
  unauthorized: [says(ApiErrors.noSession()), says(ApiErrors.accountBlocked())],
  forbidden: [says(ApiErrors.notFromConsole()), `The role ${noScope}`],
  forbiddenWithoutScope: [says(ApiErrors.notFromConsole())],
  unauthorizedExample: ApiErrors.noSession(),
};
