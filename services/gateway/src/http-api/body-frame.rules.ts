import type { IncomingHttpHeaders } from 'node:http';
import { ApiErrors } from '@postmesh/contracts';

/** What the head of a request says about its body. */
export interface BodyFrame {
  readonly present: boolean;
  /** bytes; undefined while nobody knows (chunked) */
  readonly length: number | undefined;
}

export function bodyFrame(headers: IncomingHttpHeaders): BodyFrame {
  if (headers['transfer-encoding'] !== undefined) return { present: true, length: undefined };
  const length = Number(headers['content-length'] ?? 0);
  return { present: length > 0, length };
}

/** @throws ApiError 415, 413 (spec 1-platform §1.4) as far as the head tells */
export function checkBody(headers: IncomingHttpHeaders, frame: BodyFrame, limit: number): void {
  if (!frame.present) return;
  if (!isJson(headers['content-type'])) throw ApiErrors.wrongContentType();
  if (frame.length !== undefined && frame.length > limit) throw ApiErrors.bodyTooLarge();
}

/** Parameters are allowed; a missing type is read as JSON. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return true;
  const end = contentType.indexOf(';');
  const type = end < 0 ? contentType : contentType.slice(0, end);
  return type === 'application/json' || type.trim().toLowerCase() === 'application/json';
}
