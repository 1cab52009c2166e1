import { api, once, read, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount } from '../api/session';
import { Button } from '../ui/button';
import { Check, Input, Select } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { Modal, ModalActions } from '../ui/modal';
import { t } from '../words/words';
import { splitDomains } from '../ui/split-domains';
import { EVENTS, type EventField } from './webhook-events';

type Webhook = Schemas['Webhook'];

const FORM = z
  .object({
    name: z.string().check(z.minLength(1, t.needed)),
    url: z.string().check(z.regex(/^https?:\/\/\S+$/, t.webhooks.urlNeeded)),
    scope: z.enum(['global', 'scoped']),
    domains: z.string(),
    events: z.array(z.string()).check(z.minLength(1, t.webhooks.eventNeeded)),
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

/** Creates a webhook, or changes the given one. */
export default function WebhookForm({
  webhook,
  onClose,
  onCreated,
}: {
  webhook?: Webhook;
  onClose: () => void;
  onCreated?: (created: { secret: string }) => void;
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
        return undefined;
      }
      const params = { path: account, header: once() };
      return read(api.POST('/v2/accounts/{account_id}/webhooks', { params, body: bodyOf(values) }));
    },
    {
      changes: [['webhooks']],
      quiet: true,
      done: (created) => (created ? onCreated?.(created) : onClose()),
    },
  );
  const { errors } = form.formState;
  return (
    <Modal title={webhook ? t.webhooks.change : t.webhooks.add} onClose={onClose}>
      <form onSubmit={form.handleSubmit((values) => save.mutate(values))} className="flex flex-col gap-4">
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
        {save.error && (
          <p role="alert" className="text-bad">
            {save.error.message}
          </p>
        )}
        <ModalActions>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="primary" busy={save.isPending}>
            {webhook ? t.save : t.webhooks.add}
          </Button>
        </ModalActions>
      </form>
    </Modal>
  );
}
