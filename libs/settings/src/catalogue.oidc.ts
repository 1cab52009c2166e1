import { oidcDomains, oidcGroupNames, oidcGroups, oidcIssuer } from './oidc.js';
import { flag, text, url } from './setting.js';

const none = undefined as string | undefined;

/** The OpenID Connect provider by which members sign in to the console. */
export const OIDC = {
  oidcIssuer: oidcIssuer({
    env: 'POSTMESH_OIDC_ISSUER',
    description:
      'The OpenID Connect provider by which members sign in to the console: the `issuer` of its discovery document, character by character. Its redirect URI is `<POSTMESH_BASE_URL>/console/sign-in/oidc`. A provider in a private network has to be in `POSTMESH_OUTGOING_HTTP_ALLOW`.',
    default: none,
    defaultText: 'none: members sign in by links and passkeys',
  }),
  oidcClientId: text({
    env: 'POSTMESH_OIDC_CLIENT_ID',
    description: 'The id of the client that is registered there for this installation.',
    default: none,
  }),
  oidcClientSecret: text({
    env: 'POSTMESH_OIDC_CLIENT_SECRET',
    description: 'Its secret.',
    default: none,
    secret: true,
  }),
  oidcName: text({
    env: 'POSTMESH_OIDC_NAME',
    description: 'The name of the provider on its button: `Sign in with <name>`.',
    default: 'single sign-on' as string,
  }),
  oidcDomains: oidcDomains({
    env: 'POSTMESH_OIDC_DOMAINS',
    description:
      'Domains whose addresses the provider may sign in, each by its full name; needed with `POSTMESH_OIDC_ISSUER`.',
    default: [],
  }),
  oidcOnly: flag({
    env: 'POSTMESH_OIDC_ONLY',
    description:
      'Whether addresses of these domains sign in by the provider alone: without mailed links and passkeys. Links of the operator still work.',
    default: false,
  }),
  oidcScopes: text({
    env: 'POSTMESH_OIDC_SCOPES',
    description: 'The scopes that are requested; some providers give groups for a scope only.',
    default: 'openid email profile' as string,
  }),
  oidcTrustEmail: flag({
    env: 'POSTMESH_OIDC_TRUST_EMAIL',
    description:
      'Whether an address counts as verified when the provider sends no `email_verified`, as Entra ID does. Turn it on only where its administrators alone change addresses. `false` is refused in any case.',
    default: false,
  }),
  oidcGroups: oidcGroups({
    env: 'POSTMESH_OIDC_GROUPS',
    description:
      'Groups at the provider that make people members: `[{"group": "mail-team", "account_id": "…", "role": "Developer"}]`. If several rows name an account, the first one counts.',
    default: [],
    defaultText: 'none: members are invited',
  }),
  oidcGroupsClaim: text({
    env: 'POSTMESH_OIDC_GROUPS_CLAIM',
    description: 'The claim with the groups of a person: its name, or a path such as `realm_access.roles`.',
    default: 'groups' as string,
  }),
};

/** The provider by which operators sign in to the pages of the operator port: it may be the same one, with another client. */
export const OPERATOR_OIDC = {
  operatorBaseUrl: url({
    env: 'POSTMESH_OPERATOR_BASE_URL',
    description:
      'The address of the operator pages as browsers see it, through a tunnel or a proxy: sign-ins by OpenID Connect come back to it, and writes of pages from there are accepted.',
    default: none,
    defaultText: '`http://localhost:<POSTMESH_OPERATOR_PORT>`',
    protocols: ['http:', 'https:'],
  }),
  operatorOidcIssuer: oidcIssuer({
    env: 'POSTMESH_OPERATOR_OIDC_ISSUER',
    description:
      'The OpenID Connect provider by which operators sign in to their pages: the `issuer` of its discovery document, character by character. Its redirect URI is `<POSTMESH_OPERATOR_BASE_URL>/console/sign-in/oidc`. A provider in a private network has to be in `POSTMESH_OUTGOING_HTTP_ALLOW`.',
    default: none,
    defaultText: 'none: operators sign in by tokens',
  }),
  operatorOidcClientId: text({
    env: 'POSTMESH_OPERATOR_OIDC_CLIENT_ID',
    description: 'The id of the client that is registered there for operators.',
    default: none,
  }),
  operatorOidcClientSecret: text({
    env: 'POSTMESH_OPERATOR_OIDC_CLIENT_SECRET',
    description: 'Its secret.',
    default: none,
    secret: true,
  }),
  operatorOidcName: text({
    env: 'POSTMESH_OPERATOR_OIDC_NAME',
    description: 'The name of the provider on its button: `Sign in with <name>`.',
    default: 'single sign-on' as string,
  }),
  operatorOidcGroups: oidcGroupNames({
    env: 'POSTMESH_OPERATOR_OIDC_GROUPS',
    description:
      'Groups at the provider whose people may operate: `["mail-operators"]`; needed with `POSTMESH_OPERATOR_OIDC_ISSUER`.',
    default: [],
  }),
  operatorOidcGroupsClaim: text({
    env: 'POSTMESH_OPERATOR_OIDC_GROUPS_CLAIM',
    description: 'The claim with the groups of a person: its name, or a path such as `realm_access.roles`.',
    default: 'groups' as string,
  }),
  operatorOidcScopes: text({
    env: 'POSTMESH_OPERATOR_OIDC_SCOPES',
    description: 'The scopes that are requested; some providers give groups for a scope only.',
    default: 'openid email profile' as string,
  }),
  operatorOidcTrustEmail: flag({
    env: 'POSTMESH_OPERATOR_OIDC_TRUST_EMAIL',
    description:
      'Whether an address, which is the name of the operator in the audit, counts as verified when the provider sends no `email_verified`, as Entra ID does.',
    default: false,
  }),
};
