import { describe, expect, it } from 'vitest';
import { loadSettings, redactedSettings } from './load.js';
import { oidcOf, operatorOidcOf } from './oidc.rules.js';

const ID = '0B6F4A52-7c1d-4e0f-8a39-61b2c7d8e9f0';
const WHOLE = {
  POSTMESH_OIDC_ISSUER: 'https://id.example/realms/shop/',
  POSTMESH_OIDC_CLIENT_ID: 'postmesh',
  POSTMESH_OIDC_CLIENT_SECRET: 'between-the-two',
  POSTMESH_OIDC_DOMAINS: 'Shop.example, mail.shop.example',
};
const load = (env: Record<string, string>) => () => loadSettings(env);

describe('the provider of the console', () => {
  it('is none unless it is given, and keeps its issuer as it is', () => {
    expect(oidcOf(loadSettings({}))).toBeUndefined();
    expect(oidcOf(loadSettings(WHOLE))).toMatchObject({
      issuer: 'https://id.example/realms/shop/',
      domains: ['shop.example', 'mail.shop.example'],
      scopes: 'openid email profile',
      groupsClaim: 'groups',
      isOnly: false,
      trustsAddresses: false,
    });
  });

  it('is given as a whole', () => {
    const { POSTMESH_OIDC_ISSUER: issuer, ...rest } = WHOLE;
    const whole = (env: Record<string, string>) => () => oidcOf(loadSettings(env));
    expect(whole({ POSTMESH_OIDC_ISSUER: issuer })).toThrow(
      /CLIENT_ID: is needed.*\n.*CLIENT_SECRET: is needed.*\n.*DOMAINS: is needed with POSTMESH_OIDC_ISSUER/,
    );
    expect(whole(rest)).toThrow(/POSTMESH_OIDC_ISSUER: is needed with POSTMESH_OIDC_CLIENT_ID/);
    expect(whole({ POSTMESH_OIDC_ONLY: 'on' })).toThrow(/POSTMESH_OIDC_ISSUER: is needed/);
  });

  it.each([
    ['ISSUER', 'http://id.example', /must be an https URL/],
    ['ISSUER', 'http://localhost.example', /must be an https URL/],
    ['ISSUER', 'https://id.example/.well-known/openid-configuration', /must be the issuer itself/],
    ['DOMAINS', 'shop.example,*', /'\*' is not a domain/],
    ['DOMAINS', '@shop.example', /is not a domain/],
    ['GROUPS', 'mail=Developer', /must be JSON/],
    ['GROUPS', '[{"group":"a","account_id":"x","role":"Developer"}]', /0.account_id Invalid UUID/],
    ['GROUPS', `[{"group":"a","account_id":"${ID}","role":"developer"}]`, /0.role Invalid option/],
  ])('POSTMESH_OIDC_%s=%s is refused', (name, value, message) => {
    expect(load({ ...WHOLE, [`POSTMESH_OIDC_${name}`]: value })).toThrow(message);
  });

  it('may be on this machine without TLS, and maps groups to roles', () => {
    const groups = `[{"group":"mail","account_id":"${ID}","role":"Billing Manager"}]`;
    const env = {
      ...WHOLE,
      POSTMESH_OIDC_ISSUER: 'http://localhost:8888/realm',
      POSTMESH_OIDC_GROUPS: groups,
    };
    expect(oidcOf(loadSettings(env))).toMatchObject({
      issuer: 'http://localhost:8888/realm',
      groups: [{ group: 'mail', accountId: ID.toLowerCase(), role: 'Billing Manager' }],
    });
  });

  it('of operators is given as a whole, with the groups that may operate', () => {
    const own = {
      POSTMESH_OPERATOR_OIDC_ISSUER: 'https://id.example/realms/shop/',
      POSTMESH_OPERATOR_OIDC_CLIENT_ID: 'postmesh-operators',
      POSTMESH_OPERATOR_OIDC_CLIENT_SECRET: 'between-these-two',
    };
    const operators = (env: Record<string, string>) => () => operatorOidcOf(loadSettings(env));
    expect(operators(WHOLE)()).toBeUndefined();
    expect(operators(own)).toThrow(/OPERATOR_OIDC_GROUPS: is needed with POSTMESH_OPERATOR_OIDC_ISSUER/);
    expect(operators({ POSTMESH_OPERATOR_OIDC_GROUPS: '["ops"]' })).toThrow(
      /POSTMESH_OPERATOR_OIDC_ISSUER: is needed with POSTMESH_OPERATOR_OIDC_GROUPS/,
    );
    expect(operators({ ...own, POSTMESH_OPERATOR_OIDC_GROUPS: 'ops' })).toThrow(/must be JSON: \["mail/);
    expect(operators({ ...own, POSTMESH_OPERATOR_OIDC_GROUPS: '[""]' })).toThrow(/list of names/);
    const groups = '["ops", "CN=Mail,OU=Ops"]';
    expect(operators({ ...own, POSTMESH_OPERATOR_OIDC_GROUPS: groups })()).toMatchObject({
      groups: ['ops', 'CN=Mail,OU=Ops'],
      domains: undefined,
      readsGroups: true,
    });
  });

  it('has a secret that is never printed', () => {
    expect(JSON.stringify(redactedSettings(loadSettings(WHOLE)))).not.toContain('between-the-two');
  });
});
