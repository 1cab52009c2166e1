import { api, back, once, read, type ConsoleSchemas, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount } from '../api/session';
import { Check, Input, Select } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { FormModal } from '../ui/form-modal';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { splitDomains } from '../ui/split-domains';
import { DIALECTS, EVENTS, type EventField } from './webhook-events';

type Webhook = Schemas['Webhook'];
export type Dialect = ConsoleSchemas['WebhookDialect']['dialect'];
/** Names and values that are shown once. */
export type Secrets = readonly (readonly [string, string])[];

const FORM = z
  .object({
    name: z.string().check(z.minLength(1, t.needed)),
    url: z.string().check(z.regex(/^https?:\/\/\S+$/, t.webhooks.urlNeeded)),
    scope: z.enum(['global', 'scoped']),
    domains: z.string(),
    events: z.array(z.string()).check(z.minLength(1, t.webhooks.eventNeeded)),
    dialect: z.string(),
    secret: z.string(),
  })
  .check(
    z.refine(({ scope, domains }) => scope === 'global' || splitDomains(domains).length > 0, {
      path: ['domains'],
      message: t.needed,
    }),
  );
type Values = z.infer<typeof FORM>;

const DEFAULT_EVENTS: readonly EventField[] = ['on_delivered', 'on_failed', 'on_bounced'];

function bodyOf({ name, url, scope, domains, events }: Values): Schemas['WebhooksCreateBody'] {
  const flags = Object.fromEntries(EVENTS.map(([field]) => [field, events.includes(field)]));
  return { name, url, scope, ...(scope === 'scoped' ? { domains: splitDomains(domains) } : {}), ...flags };
}

const OURS = '';
/** Dialects whose receivers have a secret that can be kept. */
const WITH_OWN_SECRET: readonly string[] = ['resend', 'mailgun'];

/** Each choice makes a new secret, so it is made only where something changes. */
async function chooseDialect(webhookId: string, { dialect, secret }: Values, now: Dialect): Promise<Secrets> {
  const chosen = DIALECTS.find(([name]) => name === dialect)?.[0] ?? null;
  const given = chosen !== null && WITH_OWN_SECRET.includes(chosen) && secret !== '' ? secret : undefined;
  if (chosen === now && given === undefined) return [];
  const body = { dialect: chosen, ...(given === undefined ? {} : { secret: given }) };
  const params = { path: { webhook_id: webhookId } };
  const made = await read(back.PUT('/console/api/webhooks/{webhook_id}/dialect', { params, body }));
  return [
    ...(made.secret === null ? [] : [[t.webhooks.dialectSecret, made.secret] as const]),
    ...(made.public_key === null ? [] : [[t.webhooks.publicKey, made.public_key] as const]),
  ];
}

/** Creates a webhook, or changes the given one. */
export default function WebhookForm({
  webhook,
  dialect = null,
  onClose,
  onSecrets,
}: {
  webhook?: Webhook;
  /** of the given one */
  dialect?: Dialect;
  onClose: () => void;
  /** after a save that made secrets */
  onSecrets: (secrets: Secrets) => void;
}) {
  const account = useAccount();
  const form = useSchemaForm<Values>(FORM, {
    name: webhook?.name ?? '',
    url: webhook?.url ?? '',
    scope: webhook?.scope ?? 'global',
    domains: webhook?.domains.join(', ') ?? '',
    events: webhook
      ? EVENTS.filter(([field]) => webhook[field]).map(([field]) => field)
      : [...DEFAULT_EVENTS],
    dialect: dialect ?? OURS,
    secret: '',
  });
  const save = useAction(
    async (values: Values) => {
      if (webhook) {
        const path = { ...account, webhook_id: webhook.id };
        await read(
          api.PUT('/v2/accounts/{account_id}/webhooks/{webhook_id}', {
            params: { path },
            body: bodyOf(values),
          }),
        );
        return chooseDialect(webhook.id, values, dialect);
      }
      const params = { path: account, header: once() };
      const created = await read(
        api.POST('/v2/accounts/{account_id}/webhooks', { params, body: bodyOf(values) }),
      );
      // the webhook and its secret are there in any case
      const secrets = await chooseDialect(created.id, values, null).catch((error: Error) => {
        notify(error.message, 'bad');
        return [];
      });
      return [[t.webhooks.secret, created.secret] as const, ...secrets];
    },
    {
      changes: [['webhooks']],
      quiet: true,
      done: (secrets: Secrets) => (secrets.length > 0 ? onSecrets(secrets) : onClose()),
    },
  );
  const { errors } = form.formState;
  return (
    <FormModal
      title={webhook ? t.webhooks.change : t.webhooks.add}
      send={webhook ? t.save : t.webhooks.add}
      of={save}
      submit={form.handleSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <Input label={t.webhooks.name} autoFocus error={errors.name?.message} {...form.register('name')} />
      <Input
        label="URL"
        placeholder="https://"
        hint={t.webhooks.urlHint}
        error={errors.url?.message}
        {...form.register('url')}
      />
      <fieldset>
        <legend className="mb-1 text-sm font-medium">{t.webhooks.events}</legend>
        <div className="grid gap-x-4 sm:grid-cols-2">
          {EVENTS.map(([field, type]) => (
            <Check
              key={field}
              value={field}
              label={t.webhooks.eventNames[field]}
              hint={type}
              {...form.register('events')}
            />
          ))}
        </div>
        {errors.events && (
          <p role="alert" className="text-xs text-bad">
            {errors.events.message}
          </p>
        )}
      </fieldset>
      <Select
        label={t.webhooks.scope}
        options={[
          ['global', t.webhooks.scopes.global],
          ['scoped', t.webhooks.scopes.scoped],
        ]}
        {...form.register('scope')}
      />
      {form.watch('scope') === 'scoped' && (
        <Input
          label={t.domains.title}
          hint={t.webhooks.domainsHint}
          error={errors.domains?.message}
          {...form.register('domains')}
        />
      )}
      <Select
        label={t.webhooks.dialect}
        hint={t.webhooks.dialectHint}
        options={[[OURS, t.webhooks.ours], ...DIALECTS]}
        {...form.register('dialect')}
      />
      {WITH_OWN_SECRET.includes(form.watch('dialect')) && (
        <Input
          label={t.webhooks.dialectSecret}
          hint={t.webhooks.dialectSecretHint}
          {...form.register('secret')}
        />
      )}
    </FormModal>
  );
}
