import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react';
import { api, once, read, type Schemas } from '../api/client';
import { useAction, useRows } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Badge } from '../ui/badge';
import { Button, LinkButton } from '../ui/button';
import { Input } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { FormModal } from '../ui/form-modal';
import { Page, Tabs } from '../ui/page';
import { RowsTable, type Column } from '../ui/rows-table';
import { ExportProgress, useCsvExport } from '../ui/save-csv';
import { SearchBox } from '../ui/search-box';
import { Curl, Empty, Skeleton } from '../ui/states';
import { Time } from '../ui/times';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { useAttributes } from './attributes';
import { ContactState, nameOf } from './contact-state';
import { AddForm, FormList } from './form-list';

const SegmentList = lazy(() => import('./segment-list'));
const AddSegment = lazy(() => import('./add-segment'));

type Contact = Schemas['Contact'];
type List = Schemas['ContactList'];

interface Part {
  List: ComponentType<{ q: string | undefined; add: ReactNode }>;
  Add: ComponentType<{ onClose: () => void }>;
  addText: string;
}

export function AudiencePage() {
  const { tab = 'contacts', q } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  const mayWriteContacts = useCan('contacts:write');
  const mayWriteLists = useCan('lists:write');
  const { List, Add, addText } = PARTS[tab] ?? CONTACTS;
  const add = (List === Contacts ? mayWriteContacts : mayWriteLists) && (
    <>
      {tab === 'contacts' && <LinkButton to="/audience/import">{t.contacts.import}</LinkButton>}
      <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
        {addText}
      </Button>
    </>
  );
  return (
    <Page title={t.contacts.title} lead={t.contacts.lead} actions={add}>
      <Tabs
        label={t.contacts.title}
        current={tab}
        choose={(next) => void navigate({ to: '/audience', search: { tab: next }, replace: true })}
        tabs={[
          { id: 'contacts', label: t.contacts.tab },
          { id: 'lists', label: t.lists.tab },
          { id: 'segments', label: t.segments.tab },
          { id: 'forms', label: t.forms.tab },
        ]}
      />
      <Suspense fallback={<Skeleton />}>
        <List q={q} add={add} />
      </Suspense>
      <Suspense>{isAdding && <Add onClose={() => setAdding(false)} />}</Suspense>
    </Page>
  );
}

const CONTACTS = { List: Contacts, Add: AddContact, addText: t.contacts.add };
const PARTS: Readonly<Record<string, Part>> = {
  lists: { List: Lists, Add: AddList, addText: t.lists.add },
  segments: { List: SegmentList, Add: AddSegment, addText: t.segments.add },
  forms: { List: FormList, Add: AddForm, addText: t.forms.add },
};

const CONTACT_COLUMNS: readonly Column<Contact>[] = [
  {
    id: 'email',
    title: t.suppressions.address,
    width: 'minmax(0,1.4fr)',
    cell: ({ email }) => <span className="font-medium">{email}</span>,
  },
  { id: 'name', title: t.contacts.name, width: 'minmax(0,1fr)', wide: true, cell: nameOf },
  {
    id: 'state',
    title: t.contacts.subscribed,
    width: '8rem',
    cell: (contact) => <ContactState contact={contact} />,
  },
  {
    id: 'since',
    title: t.contacts.since,
    width: '7rem',
    wide: true,
    end: true,
    cell: ({ created_at }) => <Time at={created_at} ago />,
  },
];

const HEAD = ['email', 'first_name', 'last_name', 'status', 'unsubscribed', 'created_at'];

function cellsOf(contact: Contact, attributes: readonly string[]): string[] {
  const { email, first_name, last_name, status, unsubscribed, created_at } = contact;
  const own = attributes.map((key) => {
    const value = contact.attributes[key] ?? '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
  return [email, first_name, last_name, status, String(unsubscribed), created_at, ...own];
}

function Contacts({ q, add }: { q: string | undefined; add: ReactNode }) {
  const account = useAccount();
  const navigate = useNavigate();
  const [text, setText] = useState(q ?? '');
  const fetchPage = (after: string | undefined) =>
    read(
      api.GET('/v2/accounts/{account_id}/contacts', {
        params: {
          path: account,
          query: { ...(q === undefined ? {} : { email: q }), ...(after === undefined ? {} : { after }) },
        },
      }),
    );
  const queryKey = ['contacts', account.account_id, q ?? ''];
  const list = useRows<Contact>(queryKey, fetchPage);
  const attributes = useAttributes();
  const keys = attributes.data?.data.map(({ key }) => key) ?? [];
  const file = useCsvExport<Contact>('contacts.csv', {
    head: [...HEAD, ...keys],
    cellsOf: (contact) => cellsOf(contact, keys),
    queryKey,
    fetchPage,
  });
  const submit = (given: string) =>
    void navigate({ to: '/audience', search: given === '' ? {} : { q: given } });
  return (
    <>
      <div className="mb-4 flex flex-wrap gap-2">
        <SearchBox
          label={t.contacts.search}
          text={text}
          setText={setText}
          search={submit}
          className="max-w-md grow"
        />
        <Button onClick={file.start} disabled={!attributes.isSuccess}>
          {t.exportCsv}
        </Button>
      </div>
      <ExportProgress of={file} />
      <RowsTable
        label={t.contacts.tab}
        list={list}
        columns={CONTACT_COLUMNS}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/audience/contacts/$contactId', params: { contactId: id } })}
        curl={<Curl path="/contacts" />}
        empty={
          q === undefined ? (
            <Empty
              title={t.contacts.none}
              action={add}
              curl={
                <Curl method="POST" path="/contacts" body={{ email: 'ann@example.com', first_name: 'Ann' }} />
              }
            >
              {t.contacts.noneText}
            </Empty>
          ) : (
            <Empty
              title={t.contacts.notFound(q)}
              action={
                q.includes('@') && (
                  <LinkButton to="/about/$address" params={{ address: q }}>
                    {t.command.about(q)}
                  </LinkButton>
                )
              }
            />
          )
        }
      />
    </>
  );
}

const LIST_COLUMNS: readonly Column<List>[] = [
  {
    id: 'name',
    title: t.webhooks.name,
    width: 'minmax(0,1.2fr)',
    cell: ({ name, tags }) => (
      <>
        <span className="font-medium">{name}</span>{' '}
        {tags.slice(0, 3).map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
      </>
    ),
  },
  {
    id: 'about',
    title: t.lists.description,
    width: 'minmax(0,1.4fr)',
    wide: true,
    cell: ({ description }) => description,
  },
  {
    id: 'count',
    title: t.lists.contacts,
    width: '7rem',
    end: true,
    cell: ({ contact_count: n }) => n.toLocaleString('en'),
  },
];

function Lists({ add }: { add: ReactNode }) {
  const account = useAccount();
  const list = useRows<List>(['lists', account.account_id], (after) =>
    read(
      api.GET('/v2/accounts/{account_id}/lists', {
        params: { path: account, query: after === undefined ? {} : { after } },
      }),
    ),
  );
  return (
    <RowsTable
      label={t.lists.tab}
      list={list}
      columns={LIST_COLUMNS}
      keyOf={({ id }) => id}
      linkOf={({ id }) => ({ to: '/audience/lists/$listId', params: { listId: id } })}
      curl={<Curl path="/lists" />}
      empty={
        <Empty
          title={t.lists.none}
          action={add}
          curl={<Curl method="POST" path="/lists" body={{ name: 'Newsletter' }} />}
        >
          {t.lists.noneText}
        </Empty>
      }
    />
  );
}

const CONTACT_FORM = z.object({
  email: z.string().check(z.regex(/^\s*[^\s@]+@[^\s@]+\s*$/, t.addressNeeded)),
  first_name: z.string(),
  last_name: z.string(),
});

function AddContact({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const navigate = useNavigate();
  const form = useSchemaForm<z.infer<typeof CONTACT_FORM>>(CONTACT_FORM, {
    email: '',
    first_name: '',
    last_name: '',
  });
  const add = useAction(
    ({ email, ...names }: z.infer<typeof CONTACT_FORM>) =>
      read(
        api.POST('/v2/accounts/{account_id}/contacts', {
          params: { path: account, header: once() },
          body: { email: email.trim(), ...names },
        }),
      ),
    {
      changes: [['contacts']],
      quiet: true,
      done: ({ id }) => void navigate({ to: '/audience/contacts/$contactId', params: { contactId: id } }),
    },
  );
  return (
    <FormModal
      title={t.contacts.add}
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
      <Input label={t.contacts.firstName} {...form.register('first_name')} />
      <Input label={t.contacts.lastName} {...form.register('last_name')} />
    </FormModal>
  );
}

const LIST_FORM = z.object({ name: z.string().check(z.minLength(1, t.needed)), description: z.string() });

function AddList({ onClose }: { onClose: () => void }) {
  const account = useAccount();
  const form = useSchemaForm<z.infer<typeof LIST_FORM>>(LIST_FORM, { name: '', description: '' });
  const add = useAction(
    (body: z.infer<typeof LIST_FORM>) =>
      read(api.POST('/v2/accounts/{account_id}/lists', { params: { path: account, header: once() }, body })),
    {
      changes: [['lists']],
      quiet: true,
      done: () => {
        notify(t.saved);
        onClose();
      },
    },
  );
  return (
    <FormModal
      title={t.lists.add}
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
      <Input label={t.lists.description} {...form.register('description')} />
    </FormModal>
  );
}
