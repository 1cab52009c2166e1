import { apiResponse, type ApiError, type ApiResponse } from '@postmesh/contracts';
import { FieldError } from '../fields.js';
import { strictObject } from '../strict-object.js';

/** Our statuses that are others of theirs. */
const STATUSES: Readonly<Record<number, number>> = { 408: 400, 409: 400, 422: 400 };

/** Theirs have no text of ours for these. */
const MESSAGES: Readonly<Record<number, string>> = {
  401: 'The provided authorization grant is invalid, expired, or revoked',
};

export function sendgridError(error: ApiError): ApiResponse {
  const field = error instanceof FieldError ? error.field : null;
  const message = MESSAGES[error.status] ?? error.message;
  return apiResponse(STATUSES[error.status] ?? error.status, { errors: [{ message, field, help: null }] });
}

/** The body of an error. */
export const SENDGRID_ERROR = strictObject({
  errors: {
    type: 'array',
    minItems: 1,
    items: strictObject({
      message: { type: 'string' },
      field: { type: ['string', 'null'] },
      help: { type: 'null' },
    }),
  },
});
