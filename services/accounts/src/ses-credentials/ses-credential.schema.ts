import { Timestamp } from '@postmesh/contracts';
import { z } from 'zod';
import type { CreatedSesCredential } from './create-ses-credential.js';

export const SesCredentialResource = z
  .object({
    object: z.literal('ses_credential'),
    api_key_id: z.uuid(),
    access_key_id: z.string().meta({ example: 'AKPMQ3ZT6VXN4LHD5RWM2KBJ' }),
    secret_access_key: z.string().meta({
      description: 'Signs requests. Shown only in this response.',
      example: 'k3Yp9QxVw7Lm2RtZ8sHc4NbJ6uDfG1aEoTiPqWvX',
    }),
    created_at: Timestamp,
  })
  .meta({ id: 'SesCredential', description: 'An access key for requests in the dialect of Amazon SES.' });

export const sesCredentialResource = ({
  credential,
  secret,
}: CreatedSesCredential): z.infer<typeof SesCredentialResource> => ({
  object: 'ses_credential',
  api_key_id: credential.apiKeyId,
  access_key_id: credential.accessKeyId,
  secret_access_key: secret,
  created_at: credential.createdAt.toISOString(),
});
