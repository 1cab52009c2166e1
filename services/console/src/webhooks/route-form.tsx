import { api, once, read, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount } from '../api/session';
import { Check, Input } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { FormModal } from '../ui/form-modal';
import { t } from '../words/words';

type Route = Schemas['Route'];

const FLAGS = ['attachments', 'headers', 'group_by_message_id', 'strip_replies'] as const;

const FORM = z.object({
  name: z.string().check(z.minLength(1, t.needed)),
  url: z.string().check(z.regex(/^https?:\/\/\S+$/, t.webhooks.urlNeeded)),
  recipient: z.string(),
  attachments: z.boolean(),
  headers: z.boolean(),
  group_by_message_id: z.boolean(),
  strip_replies: z.boolean(),
});
type Values = z.infer<typeof FORM>;

export default function RouteForm({
  route,
  onClose,
  onCreated,
}: {
  route?: Route;
  onClose: () => void;
  onCreated?: (created: { secret: string }) => void;
}) {
  const account = useAccount();
  const form = useSchemaForm<Values>(FORM, {
    name: route?.name ?? '',
    url: route?.url ?? '',
    recipient: route?.recipient ?? '',
    attachments: route?.attachments ?? true,
    headers: route?.headers ?? false,
    group_by_message_id: route?.group_by_message_id ?? false,
    strip_replies: route?.strip_replies ?? false,
  });
  const save = useAction(
    async (body: Values) => {
      if (route) {
        const path = { ...account, route_id: route.id };
        await read(api.PUT('/v2/accounts/{account_id}/routes/{route_id}', { params: { path }, body }));
        return undefined;
      }
      return read(
        api.POST('/v2/accounts/{account_id}/routes', { params: { path: account, header: once() }, body }),
      );
    },
    { changes: [['routes']], quiet: true, done: (created) => (created ? onCreated?.(created) : onClose()) },
  );
  const { errors } = form.formState;
  return (
    <FormModal
      title={route ? t.routes.change : t.routes.add}
      send={route ? t.save : t.routes.add}
      of={save}
      submit={form.handleSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      <Input label={t.webhooks.name} autoFocus error={errors.name?.message} {...form.register('name')} />
      <Input
        label={t.routes.recipient}
        placeholder="support@mail.example.com"
        hint={t.routes.recipientHint}
        error={errors.recipient?.message}
        {...form.register('recipient')}
      />
      <Input label="URL" placeholder="https://" error={errors.url?.message} {...form.register('url')} />
      <fieldset>
        <legend className="mb-1 text-sm font-medium">{t.routes.options}</legend>
        {FLAGS.map((flag) => (
          <Check
            key={flag}
            label={t.routes.flags[flag][0]}
            hint={t.routes.flags[flag][1]}
            {...form.register(flag)}
          />
        ))}
      </fieldset>
    </FormModal>
  );
}
