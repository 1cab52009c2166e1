import { apiResponse, type ApiError, type ApiResponse } from '@postmesh/contracts';
import { strictObject } from '../strict-object.js';

/** Our statuses that are others of theirs. */
const STATUSES: Readonly<Record<number, number>> = { 408: 400, 409: 400, 415: 400, 422: 400 };

export function mailgunError({ status, message }: ApiError): ApiResponse {
  // theirs is a text
  if (status === 401)
    return {
      status,
      bytes: Buffer.from('Forbidden'),
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    };
  return apiResponse(STATUSES[status] ?? status, { message });
}

/** The body of an error; that of an unknown key is a text. */
export const MAILGUN_ERROR = strictObject({ message: { type: 'string' } });
