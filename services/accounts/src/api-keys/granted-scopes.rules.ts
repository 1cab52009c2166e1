import {
  ApiError,
  closest,
  coversScope,
  normaliseDomain,
  SCOPE_FAMILIES,
  STATIC_SCOPES,
  WILDCARD_SCOPE,
  type Principal,
  type ScopeFamily,
} from '@postmesh/contracts';

/** A normalised scope: `messages:send:{example.com}`. */
export interface WantedScope {
  readonly scope: string;
  /** undefined for static scopes, `*` and `<family>:all` */
  readonly domain: string | undefined;
}

export const INVALID_SCOPE = (scope: string) =>
  new ApiError(400, `invalid scope: ${scope} (for example ${exampleFor(scope)})`);
export const DUPLICATE_SCOPE = (scope: string) => new ApiError(400, `duplicate scope: ${scope}`);
const BEYOND_ROLE = (scope: string, role: string) =>
  new ApiError(403, `the role ${role} cannot grant the scope: ${scope}`);
const SUB_ACCOUNT_SCOPE = (scope: string) =>
  new ApiError(400, `scope is not allowed for a sub account key: ${scope}`);
export const SCOPE_DOMAIN_NOT_FOUND = (scope: string) =>
  new ApiError(400, `domain not found in scope: ${scope}`);

const PLAIN = new Set<string>([WILDCARD_SCOPE, ...STATIC_SCOPES]);

const EXAMPLES = [...SCOPE_FAMILIES.map((family) => `${family}:all`), ...STATIC_SCOPES];

/** An example for the error: the scope that was probably meant. */
function exampleFor(given: string): string {
  const words = given
    .toLowerCase()
    .split(':', 3)
    .filter((word) => word !== '');
  const [first = ''] = words;
  return (
    closest(given, EXAMPLES) ??
    EXAMPLES.find((scope) => words.length > 1 && scope.startsWith(`${words[0]}:${words[1]}`)) ??
    EXAMPLES.find((scope) => scope.split(':').includes(words.at(-1) ?? '')) ??
    EXAMPLES.find((scope) => scope.startsWith(first)) ??
    'messages:send:all'
  );
}

/**
 * The granted scopes of a list (spec 1-platform §2.3), in its order; domain scopes that a wider scope of the same
 * list covers are dropped.
 * @throws ApiError 400 for the first entry that may not be granted
 */
export function readScopes(given: readonly string[], owner: { isSubAccount: boolean }): WantedScope[] {
  const wanted = new Map<string, WantedScope>();
  for (const text of given) {
    const one = readScope(text);
    if (!one) throw INVALID_SCOPE(text);
    if (wanted.has(one.scope)) throw DUPLICATE_SCOPE(one.scope);
    if (owner.isSubAccount && isForParents(one.scope)) throw SUB_ACCOUNT_SCOPE(one.scope);
    wanted.set(one.scope, one);
  }
  return [...wanted.values()].filter((one) => !isCovered(one, wanted));
}

/**
 * A member grants no key more than their role has: the key would outlive the role. A key may grant any scope
 * (spec 1-platform §9).
 * @throws ApiError 403 for the first such scope
 */
export function requireGrantable(
  { member, scopes }: Pick<Principal, 'member' | 'scopes'>,
  given: readonly string[],
): void {
  if (!member) return;
  // a text that is no scope has an error of its own
  const beyond = given.find((text) => {
    const wanted = readScope(text);
    return wanted && !coversScope({ scopes }, wanted.scope);
  });
  if (beyond !== undefined) throw BEYOND_ROLE(beyond, member.role);
}

function readScope(text: string): WantedScope | undefined {
  if (PLAIN.has(text)) return { scope: text, domain: undefined };
  const family = familyOf(text);
  if (!family) return undefined;
  const rest = text.slice(family.length + 1);
  if (rest === 'all') return { scope: text, domain: undefined };
  const inBraces = /^\{(.*)\}$/s.exec(rest);
  const domain = normaliseDomain(inBraces?.[1] ?? rest);
  return domain === undefined ? undefined : { scope: `${family}:{${domain}}`, domain };
}

const familyOf = (scope: string): ScopeFamily | undefined =>
  SCOPE_FAMILIES.find((family) => scope.startsWith(`${family}:`));

/** A sub-account has no children, so scopes over children are not allowed there (§2.3 rule 7). */
const isForParents = (scope: string): boolean =>
  scope.startsWith('sub-accounts:') || scope.startsWith('sub-account-api-keys:');

function isCovered(one: WantedScope, wanted: ReadonlyMap<string, WantedScope>): boolean {
  if (one.domain === undefined) return false;
  return wanted.has(WILDCARD_SCOPE) || wanted.has(`${familyOf(one.scope)}:all`);
}
