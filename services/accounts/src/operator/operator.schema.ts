import { z } from 'zod';

const text = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    // Postgres stores no NUL, and nobody needs the others in a name
    .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters');

export const OperatorCreateAccountBody = z.object({
  name: text(255).min(1),
  website: text(255).default(''),
  owner_email: text(320).toLowerCase().pipe(z.email()),
  owner_name: text(255).default(''),
});

export const OperatorReasonBody = z.object({ reason: text(500).min(1) });
