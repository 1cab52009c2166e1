import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge } from '../ui/badge';
import { Button, LinkButton } from '../ui/button';
import { Check, Input, Select } from '../ui/field';
import { SaveButton } from '../ui/form-modal';
import { Page, Section } from '../ui/page';
import { Curl, Loaded } from '../ui/states';
import { notify, runUnlessUndone } from '../ui/toasts';
import { t } from '../words/words';
import { AddAttribute, AttributeFields } from './attribute-fields';
import { ContactState, nameOf } from './contact-state';
import { ChoicesOf } from './consents';

type Contact = Schemas['Contact'];

export function ContactPage() {
  const account = useAccount();
  const { contactId = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const mayDelete = useCan('contacts:delete');
  const path = { ...account, id_or_email: contactId };
  const query = useQuery({
    queryKey: ['contacts', account.account_id, 'one', contactId],
    queryFn: () => read(api.GET('/v2/accounts/{account_id}/contacts/{id_or_email}', { params: { path } })),
  });
  const remove = useAction(
    () => read(api.DELETE('/v2/accounts/{account_id}/contacts/{id_or_email}', { params: { path } })),
    { changes: [['contacts']] },
  );
  const contact = query.data;
  const start = () => {
    void navigate({ to: '/audience' });
    runUnlessUndone(
      t.deleting(contact?.email ?? ''),
      () => remove.mutate(undefined),
      () => void navigate({ to: '/audience/contacts/$contactId', params: { contactId } }),
    );
  };
  return (
    <Page
      title={contact?.email ?? t.contacts.tab}
      lead={contact && nameOf(contact)}
      back={{ to: '/audience', label: t.contacts.title }}
      heading={
        <span className="flex flex-wrap items-center gap-3">
          {contact?.email ?? t.contacts.tab}
          {contact && <ContactState contact={contact} />}
        </span>
      }
      actions={
        <>
          {contact && (
            <LinkButton to="/about/$address" params={{ address: contact.email }}>
              {t.contacts.history}
            </LinkButton>
          )}
          {mayDelete && contact && (
            <Button look="danger" icon="trash" onClick={start}>
              {t.delete}
            </Button>
          )}
        </>
      }
    >
      <Loaded query={query}>
        {(loaded) => (
          <div className="grid gap-8 lg:grid-cols-2">
            <Section title={t.contacts.about} actions={<AddAttribute />}>
              <Form key={loaded.updated_at} contact={loaded} />
            </Section>
            <Section title={t.lists.tab}>
              <ListsOf contact={loaded} />
              <ChoicesOf contactId={loaded.id} />
              <div className="mt-4">
                <Curl path={`/contacts/${loaded.id}`} />
              </div>
            </Section>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Form({ contact }: { contact: Contact }) {
  const account = useAccount();
  const mayWrite = useCan('contacts:write');
  const [values, setValues] = useState({
    email: contact.email,
    first_name: contact.first_name,
    last_name: contact.last_name,
    status: contact.status,
    unsubscribed: contact.unsubscribed,
  });
  const [attributes, setAttributes] = useState<Record<string, never>>({});
  const save = useAction(
    () =>
      read(
        api.PUT('/v2/accounts/{account_id}/contacts/{id_or_email}', {
          params: { path: { ...account, id_or_email: contact.id } },
          body: { ...values, attributes },
        }),
      ),
    { changes: [['contacts'], ['contact']], quiet: true, done: () => notify(t.saved) },
  );
  const set = (fields: Partial<typeof values>) => setValues({ ...values, ...fields });
  return (
    <form
      className="panel flex flex-col gap-4 p-5"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined);
      }}
    >
      <fieldset disabled={!mayWrite} className="contents">
        <Input
          label={t.suppressions.address}
          type="email"
          value={values.email}
          onChange={(event) => set({ email: event.target.value })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Input
            label={t.contacts.firstName}
            value={values.first_name}
            onChange={(event) => set({ first_name: event.target.value })}
          />
          <Input
            label={t.contacts.lastName}
            value={values.last_name}
            onChange={(event) => set({ last_name: event.target.value })}
          />
        </div>
        <Select
          label={t.contacts.status}
          options={Object.entries(t.contacts.statuses)}
          value={values.status}
          onChange={(event) => set({ status: event.target.value as Contact['status'] })}
        />
        <Check
          label={t.contacts.unsubscribedFromAll}
          hint={t.contacts.unsubscribedHint}
          checked={values.unsubscribed}
          onChange={(event) => set({ unsubscribed: event.target.checked })}
        />
        <AttributeFields
          values={{ ...contact.attributes, ...attributes }}
          change={(key, value) => setAttributes({ ...attributes, [key]: value as never })}
        />
        <SaveButton of={save} mayWrite={mayWrite} />
      </fieldset>
    </form>
  );
}

function ListsOf({ contact }: { contact: Contact }) {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['list-members', account.account_id, 'of', contact.id],
    queryFn: () =>
      read(
        api.GET('/v2/accounts/{account_id}/contacts/{id_or_email}/lists', {
          params: { path: { ...account, id_or_email: contact.id } },
        }),
      ),
  });
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <p className="panel px-4 py-3 text-ink-2">{t.lists.onNone}</p>
        ) : (
          <ul className="panel divide-y divide-line">
            {data.map(({ list, subscription_status: status }) => (
              <li key={list.id} className="flex items-center justify-between gap-3 px-4 py-2">
                <Link
                  to="/audience/lists/$listId"
                  params={{ listId: list.id }}
                  className="min-w-0 truncate text-accent hover:underline"
                >
                  {list.name}
                </Link>
                <Badge tone={status === 'confirmed' ? 'good' : status === 'unconfirmed' ? 'warn' : 'bad'}>
                  {t.lists.subscriptions[status]}
                </Badge>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
