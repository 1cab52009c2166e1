import type { Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { Button } from '../ui/button';
import { Check, Input, TextArea } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { FormModal } from '../ui/form-modal';
import { notify } from '../ui/toasts';
import { splitDomains } from '../ui/split-domains';
import { t } from '../words/words';
import type { Key, KeyCalls } from './key-calls';
import { ACCOUNT_SCOPES, DOMAIN_SCOPES, PRESETS, scopesOf } from './scopes';

const FORM = z.object({
  label: z.string().check(z.minLength(1, t.needed)),
  scopes: z.array(z.string()).check(z.minLength(1, t.keys.scopeNeeded)),
  domains: z.string(),
  ips: z.string(),
});
type Values = z.infer<typeof FORM>;

const LIMITED = DOMAIN_SCOPES.flatMap(([, scopes]): readonly string[] => scopes);

/** The scopes of a key as the form has them: those of domains without the domain. */
function valuesOf(from: Key | undefined, label: string): Values {
  const scopes = from?.scopes.map(({ scope }) => scope) ?? [...PRESETS.send];
  const parts = scopes.map((scope) => {
    const base = LIMITED.find((one) => scope.startsWith(`${one}:`));
    return base === undefined ? { scope, domain: '' } : { scope: base, domain: scope.slice(base.length + 1) };
  });
  const domains = new Set(
    parts.map(({ domain }) => domain).filter((domain) => domain !== '' && domain !== 'all'),
  );
  return {
    label,
    scopes: [...new Set(parts.map(({ scope }) => scope))],
    domains: [...domains].join(', '),
    ips: from?.ip_allow_list.join('\n') ?? '',
  };
}

/** Rotation is a second key with the same rights: both work until the first one is deleted. */
export default function KeyForm({
  calls,
  isOfSubAccount,
  mode,
  from,
  onClose,
  onCreated,
}: {
  calls: KeyCalls;
  /** it has no accounts below it */
  isOfSubAccount: boolean;
  mode: 'create' | 'change' | 'rotate';
  from: Key | undefined;
  onClose: () => void;
  onCreated: (key: Schemas['CreatedApiKey']) => void;
}) {
  const form = useSchemaForm<Values>(
    FORM,
    valuesOf(from, mode === 'rotate' ? t.keys.rotated(from?.label ?? '') : (from?.label ?? '')),
  );
  const save = useAction(
    async ({ label, scopes, domains, ips }: Values) => {
      const body = {
        label,
        scopes: scopesOf(scopes, splitDomains(domains)),
        ip_allow_list: splitDomains(ips),
      };
      if (mode !== 'change' || !from) return calls.create(body);
      await calls.change(from.id, body);
      return undefined;
    },
    {
      changes: [['api-keys']],
      quiet: true,
      done: (created) => {
        if (created) return onCreated(created);
        notify(t.saved);
        onClose();
      },
    },
  );
  const { errors } = form.formState;
  const chosen = form.watch('scopes');
  const isAll = chosen.includes('*');
  const groups = [...DOMAIN_SCOPES, ...ACCOUNT_SCOPES].filter(
    ([group]) => group !== 'subAccounts' || !isOfSubAccount,
  );
  return (
    <FormModal
      title={mode === 'change' ? t.keys.change : mode === 'rotate' ? t.keys.rotate : t.developers.createKey}
      send={mode === 'change' ? t.save : t.developers.createKey}
      of={save}
      wide
      submit={form.handleSubmit((values) => save.mutate(values))}
      onClose={onClose}
    >
      {mode === 'rotate' && (
        <p className="rounded-md bg-accent-soft px-3 py-2 text-sm text-accent">{t.keys.rotateText}</p>
      )}
      <Input
        label={t.keys.label}
        autoFocus
        hint={t.keys.labelHint}
        error={errors.label?.message}
        {...form.register('label')}
      />
      <fieldset>
        <legend className="mb-1 text-sm font-medium">{t.keys.scopes}</legend>
        <div className="mb-2 flex flex-wrap gap-2">
          {(['send', 'read', 'all'] as const).map((preset) => (
            <Button
              key={preset}
              className="min-h-7"
              onClick={() => form.setValue('scopes', [...PRESETS[preset]], { shouldValidate: true })}
            >
              {t.keys.presets[preset]}
            </Button>
          ))}
        </div>
        {isAll ? (
          <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">{t.keys.everythingText}</p>
        ) : (
          <div
            className="grid max-h-72 gap-x-6 gap-y-3 overflow-y-auto rounded-md border border-line p-3 sm:grid-cols-2"
            tabIndex={0}
            role="group"
            aria-label={t.keys.scopes}
          >
            {groups.map(([group, scopes]) => (
              <div key={group}>
                <p className="text-xs font-medium text-ink-3">{t.keys.groups[group]}</p>
                {scopes.map((scope) => (
                  <Check
                    key={scope}
                    label={<code className="font-mono text-xs">{scope}</code>}
                    value={scope}
                    {...form.register('scopes')}
                  />
                ))}
              </div>
            ))}
          </div>
        )}
        {errors.scopes && (
          <p role="alert" className="mt-1 text-xs text-bad">
            {errors.scopes.message}
          </p>
        )}
      </fieldset>
      {!isAll && chosen.some((scope) => LIMITED.includes(scope)) && (
        <Input label={t.keys.domains} hint={t.keys.domainsHint} {...form.register('domains')} />
      )}
      <TextArea label={t.keys.ips} rows={2} hint={t.keys.ipsHint} {...form.register('ips')} />
    </FormModal>
  );
}
