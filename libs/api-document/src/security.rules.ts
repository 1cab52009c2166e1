import type { OperationDocument, OperationSpec, ScopeFamily } from '@postmesh/contracts';
import type { SecurityRequirement } from './open-api.js';

export const BEARER = 'bearer';

/**
 * Which keys may call an operation: roles of one requirement are all needed, requirements are alternatives
 * (spec 0-interface §5 rule 3). `*`, which grants everything, is not repeated for each.
 */
export function securityOf(spec: OperationSpec, document: OperationDocument): SecurityRequirement[] {
  const { scope } = spec;
  if (scope.kind === 'static') return [{ [BEARER]: scope.scopes }];
  const family = familyOf(spec, document);
  if (family === undefined) return [{ [BEARER]: [] }];
  return [{ [BEARER]: [`${family}:all`] }, { [BEARER]: [`${family}:{domain}`] }];
}

/** The same in a sentence. */
export function scopeWords(spec: OperationSpec, document: OperationDocument): string {
  const { scope } = spec;
  if (scope.kind === 'static') {
    const names = scope.scopes.map((name) => `\`${name}\``).join(' and ');
    return `Needs the scope${scope.scopes.length > 1 ? 's' : ''} ${names}.`;
  }
  const family = familyOf(spec, document);
  if (family === undefined) return 'Any valid key may call it; no scope is needed.';
  return `Needs the scope \`${family}:all\`, or \`${family}:{domain}\` for the domain that it is about.`;
}

function familyOf({ scope }: OperationSpec, { scopeFamily }: OperationDocument): ScopeFamily | undefined {
  return scope.kind === 'family' ? scope.family : scopeFamily;
}
