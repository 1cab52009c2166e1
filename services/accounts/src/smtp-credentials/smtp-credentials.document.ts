import { ApiErrors, MessageResponse, type ServiceDocument } from '@postmesh/contracts';
import { MAX_SMTP_CREDENTIALS, SmtpCredentialErrors } from './smtp-credential.rules.js';
import {
  CreateSmtpCredentialBody,
  MAX_DOMAINS,
  NewSmtpCredential,
  SmtpCredentialPage,
  SmtpCredentialResource,
} from './smtp-credential.schema.js';

const says = (apiError: { message: string }): string => `\`${apiError.message}\``;
const lacks = (action: 'read' | 'write' | 'delete') =>
  ({ status: 403, when: says(SmtpCredentialErrors.noScope(action)) }) as const;
const notFound = { status: 404, when: says(SmtpCredentialErrors.notFound()) } as const;

/** Documents of the operations on SMTP credentials (spec 1-platform §12). */
export const SMTP_CREDENTIALS_DOCUMENT: ServiceDocument = {
  'smtp-credentials.list': {
    summary: 'List SMTP credentials',
    description:
      'Without passwords. A key with domain scopes sees the credentials with one of its domains, and no global ones.',
    paginated: true,
    response: { status: 200, description: 'One page of credentials.', schema: SmtpCredentialPage },
    apiErrors: [lacks('read')],
  },
  'smtp-credentials.create': {
    summary: 'Create an SMTP credential',
    description: `The only response with \`password\`. A global credential needs the scope for all domains; a scoped one the scope for each domain that it lists, ${MAX_DOMAINS} at most. It can log in at once. An account can have ${MAX_SMTP_CREDENTIALS} of them. There is no change: make another one and delete the first.`,
    body: CreateSmtpCredentialBody,
    example: { name: 'Shop', scope: 'scoped', domains: ['example.com'] },
    response: {
      status: 201,
      description: 'The new credential with its password.',
      schema: NewSmtpCredential,
    },
    apiErrors: [
      { status: 400, when: says(SmtpCredentialErrors.domainsNeeded()) },
      { status: 400, when: says(SmtpCredentialErrors.noDomain('<domain>')) },
      lacks('write'),
      { status: 404, when: says(ApiErrors.notFound('account')) },
      { status: 409, when: says(SmtpCredentialErrors.tooMany()) },
    ],
  },
  'smtp-credentials.get': {
    summary: 'Get an SMTP credential',
    response: { status: 200, description: 'The credential.', schema: SmtpCredentialResource },
    apiErrors: [lacks('read'), notFound],
  },
  'smtp-credentials.delete': {
    summary: 'Delete an SMTP credential',
    description: 'The next login is refused, and an open session ends with its next message.',
    response: {
      status: 200,
      description: 'It is deleted.',
      schema: MessageResponse,
      example: { message: 'smtp credential deleted successfully' },
    },
    apiErrors: [lacks('delete'), notFound],
  },
};
