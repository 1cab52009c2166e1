import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { back, read, type ConsoleSchemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Button, IconButton } from '../ui/button';
import { Check, Input, Select } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { FormModal } from '../ui/form-modal';
import { Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { notify } from '../ui/toasts';
import { t } from '../words/words';

type DnsHost = ConsoleSchemas['DnsHost'];

const CHANGES = [['dns-hosts'], ['dns-changes']];

/** The tokens of DNS hosts of the account, for Administrators. */
export default function DnsHostTokens({ domain }: { domain: string }) {
  const account = useAccount();
  const isAdministrator = useCan('accounts:members:update');
  const [isAdding, setAdding] = useState(false);
  const query = useQuery({
    queryKey: ['dns-hosts', account.account_id],
    queryFn: () => read(back.GET('/console/api/dns-hosts')),
    enabled: isAdministrator,
  });
  if (!isAdministrator) return null;
  return (
    <Section
      title={t.dnsHosts.title}
      lead={t.dnsHosts.tokensLead}
      actions={
        <Button icon="plus" onClick={() => setAdding(true)}>
          {t.dnsHosts.add}
        </Button>
      }
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="panel px-4 py-3 text-ink-2">{t.dnsHosts.none}</p>
          ) : (
            <ul className="panel divide-y divide-line">
              {data.map((host) => (
                <Token key={host.id} host={host} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAdding && <AddToken domain={domain} onClose={() => setAdding(false)} />}
    </Section>
  );
}

function Token({ host: { id, zone, host, allow_rotation, rotation_problem } }: { host: DnsHost }) {
  const params = { path: { dns_host_id: id } };
  const allow = useAction(
    (isAllowed: boolean) =>
      read(back.PUT('/console/api/dns-hosts/{dns_host_id}', { params, body: { allow_rotation: isAllowed } })),
    { changes: CHANGES },
  );
  const remove = useAction(() => read(back.DELETE('/console/api/dns-hosts/{dns_host_id}', { params })), {
    changes: CHANGES,
    done: () => notify(t.dnsHosts.removed(zone)),
  });
  return (
    <li className="flex items-start justify-between gap-3 px-4 py-2">
      <div className="min-w-0">
        <p className="font-medium break-words">
          {zone} <span className="font-normal text-ink-3">{t.dnsHosts.names[host]}</span>
        </p>
        <Check
          label={t.dnsHosts.allowRotation}
          checked={allow_rotation}
          disabled={allow.isPending}
          onChange={(event) => allow.mutate(event.target.checked)}
        />
        {rotation_problem !== null && (
          <p className="text-sm text-bad">{t.dnsHosts.rotationProblem(rotation_problem)}</p>
        )}
      </div>
      <IconButton icon="trash" label={t.dnsHosts.remove(zone)} onClick={() => remove.mutate(undefined)} />
    </li>
  );
}

const FORM = z.object({
  zone: z.string().check(z.minLength(1, t.domains.domainNeeded)),
  host: z.enum(['cloudflare', 'route53', 'desec']),
  access_key_id: z.string(),
  token: z.string().check(z.minLength(1, t.dnsHosts.tokenNeeded)),
  allow_rotation: z.boolean(),
});

function AddToken({ domain, onClose }: { domain: string; onClose: () => void }) {
  const form = useSchemaForm<z.infer<typeof FORM>>(FORM, {
    zone: domain,
    host: 'cloudflare',
    access_key_id: '',
    token: '',
    allow_rotation: false,
  });
  const add = useAction(
    ({ access_key_id, ...body }: z.infer<typeof FORM>) =>
      read(
        back.POST('/console/api/dns-hosts', {
          body: { ...body, ...(body.host === 'route53' && { access_key_id: access_key_id.trim() }) },
        }),
      ),
    { changes: CHANGES, quiet: true, done: onClose },
  );
  const { errors } = form.formState;
  const host = form.watch('host');
  return (
    <FormModal
      title={t.dnsHosts.add}
      of={add}
      submit={form.handleSubmit((values) => add.mutate(values))}
      onClose={onClose}
    >
      <Select label={t.dnsHosts.host} options={Object.entries(t.dnsHosts.names)} {...form.register('host')} />
      <Input
        label={t.dnsHosts.zone}
        hint={t.dnsHosts.zoneHint}
        error={errors.zone?.message}
        {...form.register('zone')}
      />
      {host === 'route53' && <Input label={t.dnsHosts.keyId} {...form.register('access_key_id')} />}
      <Input
        type="password"
        label={t.dnsHosts.secrets[host]}
        hint={t.dnsHosts.rights[host]}
        error={errors.token?.message}
        {...form.register('token')}
      />
      <Check
        label={t.dnsHosts.allowRotation}
        hint={t.dnsHosts.allowRotationHint}
        {...form.register('allow_rotation')}
      />
    </FormModal>
  );
}
