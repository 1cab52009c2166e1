import { createHash } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';

export interface S3Access {
  /** Amazon S3 in the region when left out */
  endpoint?: string | undefined;
  region: string;
  /** the client's defaults from the environment (role of the machine, `AWS_…`) when left out */
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** the bucket is in the path instead of the host name */
  pathStyle: boolean;
}

/** Concurrent requests of one process, with a connection each. */
export const REQUESTS_AT_ONCE = 32;
/** Tries of one request, with backoff between them. */
export const TRIES = 4;

/** Amazon's client, restricted to features that servers of other makers support. */
export function openS3Client({ endpoint, region, credentials, pathStyle }: S3Access): S3Client {
  const agent = { keepAlive: true, maxSockets: REQUESTS_AT_ONCE };
  const client = new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts: TRIES,
    // the client adds a checksum to every request by default, and many other servers reject it
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 2_000,
      socketTimeout: 10_000,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  // behind the client's own checksums, before the signature
  const place = { step: 'build', priority: 'low', name: 'contentMd5OfDeletes' } as const;
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === 'DeleteObjectsCommand') preferContentMd5(args.request);
        return next(args);
      },
    place,
  );
  return client;
}

/** The one request that must have a checksum. All servers accept Content-MD5, few the newer headers. */
function preferContentMd5(request: unknown): void {
  const { headers, body } = request as { headers: Record<string, string>; body?: string | Uint8Array };
  for (const name of Object.keys(headers)) {
    if (/^x-amz-(?:sdk-)?checksum-/i.test(name)) delete headers[name];
  }
  headers['content-md5'] = createHash('md5')
    .update(body ?? '')
    .digest('base64');
}
