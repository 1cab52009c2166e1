import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, back, once, read, type ConsoleSchemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan, useSession } from '../api/session';
import { Badge } from '../ui/badge';
import { Button, IconButton } from '../ui/button';
import { Input, Select } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { FormModal } from '../ui/form-modal';
import { Section } from '../ui/page';
import { Curl, Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { notify, runUnlessUndone } from '../ui/toasts';
import { t } from '../words/words';

type Member = ConsoleSchemas['NamedMember'];
type Role = Member['role'];

const ROLES: readonly Role[] = ['Administrator', 'Developer', 'Analyst', 'Billing Manager'];

export function Members() {
  const account = useAccount();
  const [isAdding, setAdding] = useState(false);
  const mayAdd = useCan('accounts:members:add');
  const query = useQuery({
    queryKey: ['members', account.account_id],
    queryFn: () => read(back.GET('/console/api/members')),
  });
  return (
    <>
      <Section
        title={t.members.title}
        lead={t.members.lead}
        actions={
          mayAdd && (
            <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
              {t.members.invite}
            </Button>
          )
        }
      >
        <Loaded query={query}>
          {({ data }) => (
            <ul className="panel divide-y divide-line">
              {data.map((member) => (
                <MemberRow key={member.user_id} member={member} />
              ))}
            </ul>
          )}
        </Loaded>
        <div className="mt-3">
          <Curl path="/members" />
        </div>
      </Section>
      <Roles />
      {isAdding && <Invite onClose={() => setAdding(false)} />}
    </>
  );
}

function MemberRow({ member }: { member: Member }) {
  const account = useAccount();
  const { member: own } = useSession();
  const [isLeaving, setLeaving] = useState(false);
  const mayUpdate = useCan('accounts:members:update');
  const mayRemove = useCan('accounts:members:remove');
  const path = { ...account, user_id: member.user_id };
  const changes = [['members']];
  const update = useAction(
    (role: Role) =>
      read(api.PUT('/v2/accounts/{account_id}/members/{user_id}', { params: { path }, body: { role } })),
    { changes, done: () => notify(t.saved) },
  );
  const remove = useAction(
    () => read(api.DELETE('/v2/accounts/{account_id}/members/{user_id}', { params: { path } })),
    { changes },
  );
  const start = () => {
    setLeaving(true);
    runUnlessUndone(
      t.members.removing,
      () => remove.mutate(undefined, { onError: () => setLeaving(false) }),
      () => setLeaving(false),
    );
  };
  if (isLeaving) return null;
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 px-4 py-2">
      <span className="min-w-0">
        <span className="font-medium break-all">{member.email}</span>{' '}
        {member.user_id === own.user_id && <Badge tone="good">{t.members.own}</Badge>}{' '}
        {member.by_group && <Badge>{t.members.byGroup}</Badge>}
        <span className="block text-xs text-ink-3">
          {member.name && `${member.name}, `}
          {t.contacts.since.toLowerCase()} <Time at={member.created_at} />
        </span>
      </span>
      <span className="flex items-center gap-2">
        <Select
          label={t.members.role}
          bare
          className="w-auto"
          disabled={!mayUpdate}
          options={ROLES.map((role) => [role, role] as const)}
          value={member.role}
          onChange={(event) => update.mutate(event.target.value as Role)}
        />
        {mayRemove && <IconButton icon="trash" label={t.members.remove} onClick={start} />}
      </span>
    </li>
  );
}

const FORM = z.object({
  email: z.string().check(z.regex(/^\s*[^\s@]+@[^\s@]+\s*$/, t.addressNeeded)),
  name: z.string(),
  role: z.enum(['Administrator', 'Developer', 'Analyst', 'Billing Manager']),
});
type Values = z.infer<typeof FORM>;

function Invite({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const roles = useRoles();
  const form = useSchemaForm<Values>(FORM, { email: '', name: '', role: 'Developer' });
  const add = useAction(
    ({ email, name, role }: Values) =>
      read(
        api.POST('/v2/accounts/{account_id}/members', {
          params: { path: account, header: once() },
          body: { email: email.trim(), role, ...(name.trim() === '' ? {} : { name: name.trim() }) },
        }),
      ),
    {
      changes: [['members']],
      quiet: true,
      done: (_answer, { email }) => {
        notify(t.members.invited(email.trim()));
        onClose();
      },
    },
  );
  return (
    <FormModal
      title={t.members.invite}
      of={add}
      submit={form.handleSubmit((values) => add.mutate(values))}
      onClose={onClose}
    >
      <Input
        label={t.suppressions.address}
        type="email"
        autoFocus
        error={form.formState.errors.email?.message}
        {...form.register('email')}
      />
      <Input label={t.contacts.name} {...form.register('name')} />
      <Select
        label={t.members.role}
        hint={roles.data?.data.find(({ role }) => role === form.watch('role'))?.summary}
        options={ROLES.map((role) => [role, role] as const)}
        {...form.register('role')}
      />
    </FormModal>
  );
}

const useRoles = () =>
  useQuery({
    queryKey: ['roles'],
    staleTime: Infinity,
    queryFn: () => read(back.GET('/console/api/roles')),
  });

/** Which role may do what: the one table that the server decides by. */
function Roles() {
  const query = useRoles();
  return (
    <Section title={t.members.table} lead={t.members.tableText}>
      <Loaded query={query}>
        {({ data }) => (
          <dl className="panel divide-y divide-line">
            {data.map(({ role, summary, scopes }) => (
              <div key={role} className="px-4 py-2">
                <dt className="font-medium">{role}</dt>
                <dd className="text-sm text-ink-2">{summary}</dd>
                <dd>
                  <details>
                    <summary className="text-xs text-ink-3">{t.keys.scopes}</summary>
                    <p className="font-mono text-xs break-words">{scopes.join(', ')}</p>
                  </details>
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Loaded>
    </Section>
  );
}
