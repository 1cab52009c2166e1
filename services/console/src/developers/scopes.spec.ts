import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ACCOUNT_SCOPES, DOMAIN_SCOPES, scopesOf } from './scopes';

const { components } = JSON.parse(
  readFileSync(new URL('../../../gateway/openapi.json', import.meta.url), 'utf8'),
);
const known: string[] = components.schemas.Scope.anyOf.find(
  ({ enum: names }: { enum?: string[] }) => names,
).enum;

it('the picker has every scope of the API document', () => {
  const offered = [
    ...ACCOUNT_SCOPES.flatMap(([, scopes]) => scopes),
    ...scopesOf(
      DOMAIN_SCOPES.flatMap(([, scopes]) => scopes),
      [],
    ),
  ];
  expect(offered.toSorted()).toEqual(known.filter((scope) => scope !== '*').toSorted());
});

it('limits to domains those scopes that can be', () => {
  expect(scopesOf(['messages:send', 'templates:read'], ['a.test', 'b.test'])).toEqual([
    'messages:send:a.test',
    'messages:send:b.test',
    'templates:read',
  ]);
  expect(scopesOf(['messages:send', '*'], [])).toEqual(['*']);
});
