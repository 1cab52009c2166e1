import { z } from 'zod';
import type { BodyRules } from '@postmesh/contracts';

// `messages:send:{domain}` with the longest domain has 285 characters; IDN and spaces may come on top.
const LONGEST_SCOPE = 512;
const LONGEST_ADDRESS = 64;
// A key's scopes travel in a header with every request.
const MOST_SCOPES = 1_000;

const label = z
  .string()
  .trim()
  .superRefine((text, context) => {
    const problem = labelProblem(text);
    if (problem) context.addIssue({ code: 'custom', message: `label ${problem}` });
  });

/** Lengths count characters, not UTF-16 units (spec 1-platform §1.2). */
function labelProblem(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  if ([...text].length > 255) return 'must be at most 255 characters';
  return /\p{Cc}/u.test(text) ? 'must not contain control characters' : undefined;
}

const scopes = z.array(z.string().max(LONGEST_SCOPE)).min(1).max(MOST_SCOPES);
// The limit of 100 counts after de-duplication (rules of the allow list); this one bounds the work.
const ipAllowList = z.array(z.string().max(LONGEST_ADDRESS)).max(10_000);

export const CreateApiKeyBody = z.object({ label, scopes, ip_allow_list: ipAllowList.nullish() });
export type CreateApiKeyBody = z.infer<typeof CreateApiKeyBody>;

export const UpdateApiKeyBody = z.object({
  label: label.nullish(),
  scopes: scopes.nullish(),
  ip_allow_list: ipAllowList.nullish(),
});
export type UpdateApiKeyBody = z.infer<typeof UpdateApiKeyBody>;

export const API_KEY_BODY_RULES: BodyRules = {
  readOnly: [
    'object',
    'id',
    'created_at',
    'updated_at',
    'last_used_at',
    'account_id',
    'public_key',
    'secret_key',
  ],
};
