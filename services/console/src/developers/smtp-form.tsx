import { api, once, read, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount } from '../api/session';
import { Check, Input, Select } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { FormModal } from '../ui/form-modal';
import { splitDomains } from '../ui/split-domains';
import { t } from '../words/words';

const FORM = z.object({
  name: z.string().check(z.minLength(1, t.needed)),
  scope: z.enum(['global', 'scoped']),
  domains: z.string(),
  sandbox: z.boolean(),
});
type Values = z.infer<typeof FORM>;

export default function SmtpForm({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (one: Schemas['NewSmtpCredential']) => void;
}) {
  const account = useAccount();
  const form = useSchemaForm<Values>(FORM, { name: '', scope: 'global', domains: '', sandbox: false });
  const add = useAction(
    ({ name, scope, domains, sandbox }: Values) =>
      read(
        api.POST('/v2/accounts/{account_id}/smtp-credentials', {
          params: { path: account, header: once() },
          body: { name, scope, sandbox, ...(scope === 'scoped' ? { domains: splitDomains(domains) } : {}) },
        }),
      ),
    { changes: [['smtp']], quiet: true, done: onCreated },
  );
  return (
    <FormModal
      title={t.smtp.add}
      of={add}
      submit={form.handleSubmit((values) => add.mutate(values))}
      onClose={onClose}
    >
      <Input
        label={t.webhooks.name}
        autoFocus
        error={form.formState.errors.name?.message}
        {...form.register('name')}
      />
      <Select
        label={t.webhooks.scope}
        options={[
          ['global', t.webhooks.scopes.global],
          ['scoped', t.webhooks.scopes.scoped],
        ]}
        {...form.register('scope')}
      />
      {form.watch('scope') === 'scoped' && (
        <Input label={t.domains.title} hint={t.webhooks.domainsHint} {...form.register('domains')} />
      )}
      <Check label={t.smtp.sandbox} hint={t.smtp.sandboxText} {...form.register('sandbox')} />
    </FormModal>
  );
}
