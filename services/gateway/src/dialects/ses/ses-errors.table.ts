import { strictObject } from '../strict-object.js';
import { apiResponse, type ApiError, type ApiResponse } from '@postmesh/contracts';
import { SignatureError } from './signature-v4.rules.js';

type Shown = readonly [status: number, type: string];

const INVALID: Shown = [400, 'BadRequestException'];

/** Our statuses as theirs, with the names of their errors. */
const BY_STATUS: Readonly<Record<number, Shown>> = {
  400: INVALID,
  401: [403, 'UnrecognizedClientException'],
  403: [403, 'AccessDeniedException'],
  404: [404, 'NotFoundException'],
  405: [405, 'MethodNotAllowedException'],
  408: [408, 'RequestTimeoutException'],
  409: [409, 'ConflictException'],
  413: [413, 'BadRequestException'],
  415: INVALID,
  422: INVALID,
  429: [429, 'TooManyRequestsException'],
  503: [503, 'ServiceUnavailableException'],
};

/** Errors that share a status of ours with others. */
const SPECIAL: readonly (readonly [matches: (error: ApiError) => boolean, Shown])[] = [
  [(error) => error instanceof SignatureError, [403, 'InvalidSignatureException']],
  [
    ({ status, message }) => status === 401 && message.startsWith('missing'),
    [403, 'MissingAuthenticationTokenException'],
  ],
  [({ message }) => message === 'account is suspended', [400, 'AccountSuspendedException']],
  [
    ({ message }) =>
      /not a domain of this account|domain .*(?:not found|not verified|valid DNS)|sender domain/i.test(
        message,
      ),
    [400, 'MailFromDomainNotVerifiedException'],
  ],
  [({ message }) => /template not found/.test(message), [404, 'NotFoundException']],
];

export const SES_ERROR = strictObject({ message: { type: 'string' } });

export function sesError(error: ApiError): ApiResponse {
  const [status, type] = SPECIAL.find(([matches]) => matches(error))?.[1] ??
    BY_STATUS[error.status] ?? [500, 'InternalServiceErrorException'];
  return { ...apiResponse(status, { message: error.message }), headers: { 'x-amzn-errortype': type } };
}
