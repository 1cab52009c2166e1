import { ApiErrors, MessageResponse, type ServiceDocument } from '@postmesh/contracts';
import { OidcErrors } from '@postmesh/oidc';
import { ADMINISTRATORS_ONLY, AuditFilters, AuditPage } from './audit/audit.schema.js';
import { NamedMemberList } from './members/member.schema.js';
import { RequestLogEntry, RequestLogFilters, RequestLogPage } from './request-log/request-log.schema.js';
import { OpenSessionList, RoleList, SessionResource, SwitchAccountBody } from './sessions/session.schema.js';
import { MembershipErrors } from './oidc/membership.rules.js';
import { OidcResponseBody, OidcSignIn, OidcStart, OidcStartBody, SignInWays } from './oidc/oidc.schema.js';
import {
  AssertionBody,
  CreatePasskeyBody,
  PasskeyErrors,
  PasskeyList,
  PasskeyOptions,
  PasskeyResource,
} from './passkeys/passkey.schema.js';
import { SesCredentialResource } from './ses-credentials/ses-credential.schema.js';
import { SignInErrors } from './sign-in/sign-in.rules.js';
import { SignInBody, SignInLinkBody } from './sign-in/sign-in.schema.js';

const says = (apiError: { message: string }): string => `\`${apiError.message}\``;
const notFound = (thing: string) => ({ status: 404, when: says(ApiErrors.notFound(thing)) }) as const;
const done = (message: string, description: string) =>
  ({ status: 200, description, schema: MessageResponse, example: { message } }) as const;

const oidcOnly = { status: 403, when: says(MembershipErrors.only('Acme', 'example.com')) } as const;

export const SIGN_IN_DOCUMENT: ServiceDocument = {
  'sign-in-links.create': {
    summary: 'Request a sign-in link',
    description:
      'Mails a link to a member: it works once, for 15 minutes. The response is the same for every address, and takes the same time. An address gets three links in 15 minutes; further requests have no effect.',
    body: SignInLinkBody,
    example: { email: 'ann@example.com' },
    response: {
      status: 202,
      description: 'A link is on its way if the address is known.',
      schema: MessageResponse,
      example: { message: 'if the address is known, a link is on its way' },
    },
    apiErrors: [oidcOnly],
  },
  'sessions.create': {
    summary: 'Sign in',
    description:
      'Uses a link up and begins a session, whose cookie is in `Set-Cookie`. It ends 12 hours after its last use, and 30 days after its begin.',
    body: SignInBody,
    example: { token: 'k3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmIk3Yp9QxV2bT' },
    response: { status: 201, description: 'The member is signed in.', schema: SessionResource },
    apiErrors: [
      { status: 401, when: says(SignInErrors.badLink()) },
      { status: 403, when: says(SignInErrors.noAccount()) },
      oidcOnly,
    ],
  },
};

const START = { url: 'https://id.example.com/authorize?response_type=code&state=sign-in.k3Yp9QxV2b' };
const RESPONSE = { response: 'code=SplxlOBeZQQYbYS6WxSbIA&state=sign-in.k3Yp9QxV2b' };
const away = { status: 503, when: says(OidcErrors.away('Acme')) } as const;
const off = { status: 404, when: says(OidcErrors.off()) } as const;
const badResponse = [
  { status: 401, when: says(OidcErrors.over()) },
  { status: 401, when: `${says(OidcErrors.cancelled('Acme'))}, ${says(OidcErrors.notAccepted('Acme'))}` },
] as const;

export const OIDC_DOCUMENT: ServiceDocument = {
  'sign-in-ways.get': {
    summary: 'List ways to sign in',
    description: 'For the page of the sign-in.',
    response: {
      status: 200,
      description: 'The ways.',
      schema: SignInWays,
      example: { oidc: { name: 'Acme', only: false } },
    },
  },
  'oidc-sign-ins.options': {
    summary: 'Begin a sign-in by OpenID Connect',
    description:
      'The browser opens the page of the provider (code flow with PKCE), which sends it back to `/console/sign-in/oidc`. It has ten minutes, and a cookie that the end of the sign-in needs.',
    body: OidcStartBody,
    example: { to: '/messages' },
    response: { status: 200, description: 'Where the browser goes.', schema: OidcStart, example: START },
    apiErrors: [off, away],
  },
  'oidc-sign-ins.create': {
    summary: 'Sign in by OpenID Connect',
    description:
      'Uses the response of the provider up and begins a session like a sign-in link; it ends after 24 hours. The groups of the person make, change and end memberships before, where the operator has mapped them.',
    body: OidcResponseBody,
    example: RESPONSE,
    response: { status: 201, description: 'The member is signed in.', schema: OidcSignIn },
    apiErrors: [
      ...badResponse,
      { status: 403, when: says(OidcErrors.notVerified('Acme')) },
      { status: 403, when: says(OidcErrors.otherDomain('Acme', 'example.org')) },
      { status: 403, when: says(MembershipErrors.noMember('ann@example.com')) },
      away,
    ],
  },
  'session.confirm-oidc-options': {
    summary: 'Begin a confirmation by OpenID Connect',
    description:
      'For a session that has begun so: the provider asks for a login. Without one in the last ten minutes, changes of keys, SMTP credentials, members and passkeys, and deletions, have 403 with `WWW-Authenticate: OIDC`, or `Passkey, OIDC` for a member who has a passkey.',
    response: { status: 200, description: 'Where the browser goes.', schema: OidcStart, example: START },
    apiErrors: [{ status: 403, when: says(MembershipErrors.notByIt('Acme')) }, off, away],
  },
  'session.confirm-oidc': {
    summary: 'Confirm by OpenID Connect',
    description: 'Allows the session for ten minutes what needs a confirmation.',
    body: OidcResponseBody,
    example: RESPONSE,
    response: done('confirmed', 'The session is confirmed.'),
    apiErrors: [
      ...badResponse,
      { status: 403, when: says(MembershipErrors.otherPerson('ann@example.com')) },
      { status: 403, when: says(MembershipErrors.notAgain('Acme')) },
      away,
    ],
  },
};

export const SESSIONS_DOCUMENT: ServiceDocument = {
  'session.get': {
    summary: 'Get the session',
    response: { status: 200, description: 'The session of the request.', schema: SessionResource },
  },
  'session.switch-account': {
    summary: 'Work in another account',
    description: 'The next requests of the session are in the account, with the roles of the member there.',
    body: SwitchAccountBody,
    example: { account_id: '0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0' },
    response: { status: 200, description: 'The session after the change.', schema: SessionResource },
    apiErrors: [notFound('account')],
  },
  'session.end': {
    summary: 'Sign out',
    description: 'No gateway accepts the session from now on.',
    response: done('signed out', 'The session has ended.'),
  },
  'sessions.list': {
    summary: 'List sessions',
    description: 'The sessions of the member in all browsers, the last used ones first.',
    response: { status: 200, description: 'The sessions.', schema: OpenSessionList },
  },
  'sessions.end': {
    summary: 'End a session',
    response: done('session ended', 'The session has ended.'),
    apiErrors: [notFound('session')],
  },
  'sessions.end-all': {
    summary: 'Sign out everywhere',
    description: 'Ends all sessions of the member, with that of the request.',
    response: done('signed out everywhere', 'The sessions have ended.'),
  },
  'roles.list': {
    summary: 'List roles',
    description: 'The scopes of members with each role.',
    response: { status: 200, description: 'The roles.', schema: RoleList },
  },
  'member-names.list': {
    summary: 'List members with their addresses',
    description:
      'The members of the account, oldest first; up to 1,000. The API has them without address and name.',
    response: { status: 200, description: 'The members.', schema: NamedMemberList },
  },
};

const notAccepted = { status: 401, when: says(PasskeyErrors.notAccepted()) } as const;
const options = (description: string) => ({
  status: 200 as const,
  description,
  schema: PasskeyOptions,
  example: {
    challenge: 'k3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmI',
    rpId: 'mail.example.com',
    userVerification: 'required',
  },
});
const CREDENTIAL = { id: 'q83v', rawId: 'q83v', type: 'public-key', clientExtensionResults: {} };
const assertion = {
  credential: {
    ...CREDENTIAL,
    response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
  },
};

export const PASSKEYS_DOCUMENT: ServiceDocument = {
  'passkey-sign-ins.options': {
    summary: 'Begin a sign-in by passkey',
    response: options('For `navigator.credentials.get`; the challenge is good for five minutes, once.'),
  },
  'passkey-sign-ins.create': {
    summary: 'Sign in by passkey',
    description: 'Begins a session like a sign-in link. It counts as confirmed for ten minutes.',
    body: AssertionBody,
    example: assertion,
    response: { status: 201, description: 'The member is signed in.', schema: SessionResource },
    apiErrors: [notAccepted, { status: 403, when: says(SignInErrors.noAccount()) }, oidcOnly],
  },
  'passkeys.list': {
    summary: 'List passkeys',
    response: { status: 200, description: 'The passkeys of the member, oldest first.', schema: PasskeyList },
  },
  'passkeys.options': {
    summary: 'Begin the registration of a passkey',
    response: options('For `navigator.credentials.create`; the challenge is good for five minutes, once.'),
    apiErrors: [{ status: 409, when: says(PasskeyErrors.tooMany()) }],
  },
  'passkeys.create': {
    summary: 'Register a passkey',
    description:
      'From now on the member confirms with a passkey, not longer than ten minutes before, changes of keys, SMTP credentials, members and passkeys, and deletions. Without that these have 403 with `WWW-Authenticate: Passkey`.',
    body: CreatePasskeyBody,
    example: {
      label: 'Laptop',
      credential: { ...CREDENTIAL, response: { clientDataJSON: 'e30', attestationObject: 'oA' } },
    },
    response: { status: 201, description: 'The new passkey.', schema: PasskeyResource },
    apiErrors: [
      notAccepted,
      { status: 403, when: says(ApiErrors.confirmFirst()) },
      { status: 409, when: says(PasskeyErrors.tooMany()) },
      { status: 409, when: says(PasskeyErrors.known()) },
    ],
  },
  'passkeys.remove': {
    summary: 'Remove a passkey',
    response: done('passkey removed', 'It signs the member in no longer.'),
    apiErrors: [notFound('passkey'), { status: 403, when: says(ApiErrors.confirmFirst()) }],
  },
  'session.confirm-options': {
    summary: 'Begin a confirmation',
    response: options('For `navigator.credentials.get`; the challenge is good for five minutes, once.'),
  },
  'session.confirm': {
    summary: 'Confirm with a passkey',
    description: 'Allows the session for ten minutes what needs a passkey.',
    body: AssertionBody,
    example: assertion,
    response: done('confirmed', 'The session is confirmed.'),
    apiErrors: [notAccepted],
  },
};

export const SES_CREDENTIALS_DOCUMENT: ServiceDocument = {
  'ses-credentials.create': {
    summary: 'Make the access key of an API key',
    description:
      'For requests in the dialect of Amazon SES (docs/dialects.md), with the scopes and the IP allow list of the API key. An earlier access key of it ends.',
    response: { status: 201, description: 'The access key with its secret.', schema: SesCredentialResource },
    apiErrors: [notFound('api key')],
  },
  'ses-credentials.delete': {
    summary: 'Delete the access key of an API key',
    description: 'Requests that it signed are refused from then on; the API key stays.',
    response: done('ses credential deleted successfully', 'It is deleted.'),
    apiErrors: [notFound('api key')],
  },
};

export const AUDIT_DOCUMENT: ServiceDocument = {
  'audit.list': {
    summary: 'List audit entries',
    description:
      'The actions on the account by members, keys and operators, newest first. For Administrators. `seq` and `hash` are of the chain of all accounts, which an operator verifies.',
    query: AuditFilters,
    paginated: true,
    response: { status: 200, description: 'One page of entries.', schema: AuditPage },
    apiErrors: [{ status: 403, when: says(ADMINISTRATORS_ONLY()) }],
  },
};

export const REQUEST_LOG_DOCUMENT: ServiceDocument = {
  'request-log.list': {
    summary: 'List refused and failed requests',
    description:
      'Requests with API keys of the account and SMTP submissions that had a 4xx or 5xx, newest first, without bodies, headers and values of queries; they appear within seconds. `left_out` counts those beyond the bound of a day.',
    query: RequestLogFilters,
    paginated: true,
    response: { status: 200, description: 'One page of requests.', schema: RequestLogPage },
    apiErrors: [{ status: 400, when: '`status must be 4xx, 5xx, or a number from 400 to 599`' }],
  },
  'request-log.get': {
    summary: 'Get a refused or failed request',
    response: { status: 200, description: 'The request.', schema: RequestLogEntry },
    apiErrors: [notFound('request')],
  },
};
