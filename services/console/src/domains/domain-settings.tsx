import { useQueryClient } from '@tanstack/react-query';
import { api, read, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Input, Select } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { SaveButton } from '../ui/form-modal';
import { notify } from '../ui/toasts';
import { t } from '../words/words';

type Domain = Schemas['Domain'];

const FORM = z.object({
  sending_type: z.enum(['transactional', 'marketing']),
  tracking_subdomain: z.string(),
  return_path_subdomain: z.string(),
  subscription_subdomain: z.string(),
  media_subdomain: z.string(),
  dkim_selector: z.string(),
  dkim_rotation_interval_days: z.string().check(z.regex(/^\d*$/, t.wholeNumber)),
  dsn_recipient: z.string(),
});

const LABELS = [
  'tracking_subdomain',
  'return_path_subdomain',
  'subscription_subdomain',
  'media_subdomain',
  'dkim_selector',
  'dkim_rotation_interval_days',
  'dsn_recipient',
] as const;

/** An empty field is the default. */
const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

export default function DomainSettings({ domain }: { domain: Domain }) {
  const account = useAccount();
  const client = useQueryClient();
  const mayChange = useCan('domains:write');
  const form = useSchemaForm<z.infer<typeof FORM>>(FORM, {
    sending_type: domain.sending_type,
    ...(Object.fromEntries(LABELS.map((name) => [name, String(domain[name] ?? '')])) as Record<
      (typeof LABELS)[number],
      string
    >),
  });
  const save = useAction(
    ({ sending_type, ...texts }: z.infer<typeof FORM>) => {
      const days = orNull(texts.dkim_rotation_interval_days);
      return read(
        api.PUT('/v2/accounts/{account_id}/domains/{domain}', {
          params: { path: { ...account, domain: domain.domain } },
          body: {
            sending_type,
            tracking_subdomain: orNull(texts.tracking_subdomain),
            return_path_subdomain: orNull(texts.return_path_subdomain),
            subscription_subdomain: orNull(texts.subscription_subdomain),
            media_subdomain: orNull(texts.media_subdomain),
            dkim_selector: orNull(texts.dkim_selector),
            dkim_rotation_interval_days: days === null ? null : Number(days),
            dsn_recipient: orNull(texts.dsn_recipient),
          },
        }),
      );
    },
    {
      changes: [['domains']],
      quiet: true,
      done: (changed) => {
        client.setQueryData(['domain', account.account_id, domain.domain], changed);
        notify(t.saved);
      },
    },
  );
  return (
    <form
      onSubmit={form.handleSubmit((values) => save.mutate(values))}
      className="panel flex max-w-2xl flex-col gap-4 p-5"
    >
      <fieldset disabled={!mayChange} className="contents">
        <Select
          label={t.domains.use}
          hint={t.domains.useHint}
          options={[
            ['transactional', t.domains.uses.transactional],
            ['marketing', t.domains.uses.marketing],
          ]}
          {...form.register('sending_type')}
        />
        {LABELS.map((name) => (
          <Input
            key={name}
            label={t.domains.fields[name][0]}
            hint={t.domains.fields[name][1]}
            placeholder={t.default}
            error={form.formState.errors[name]?.message}
            {...form.register(name)}
          />
        ))}
        <SaveButton of={save} mayWrite={mayChange} />
      </fieldset>
    </form>
  );
}
