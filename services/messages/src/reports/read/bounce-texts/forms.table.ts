import { z } from 'zod';
import { Form } from './forms.schema.js';
import { PROVIDER_FORMS } from './provider-forms.table.js';
import { OTHER_MAILER, SERVER_FORMS } from './server-forms.table.js';

/** In their order; the first that matches decides how the message is read. Checked at the start. */
export const FORMS: readonly Form[] = z
  .array(Form)
  .refine((forms) => new Set(forms.map(({ id }) => id)).size === forms.length, 'two forms have the same id')
  .parse([...PROVIDER_FORMS, ...SERVER_FORMS, OTHER_MAILER]);
