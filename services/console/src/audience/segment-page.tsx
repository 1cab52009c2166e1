import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { back, read } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Button } from '../ui/button';
import { Input } from '../ui/field';
import { Page } from '../ui/page';
import { Loaded } from '../ui/states';
import { Time } from '../ui/times';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { SegmentFilter } from './segment-filter';
import type { Segment } from './segments';

const LIST = { to: '/audience', search: { tab: 'segments' } } as const;
const CHANGES = [['segments']];

export default function SegmentPage() {
  const { account_id } = useAccount();
  const { segmentId = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const mayDelete = useCan('lists:delete');
  const params = { path: { segment_id: segmentId } };
  const query = useQuery({
    queryKey: ['segments', account_id, segmentId],
    refetchOnWindowFocus: false,
    queryFn: () => read(back.GET('/console/api/segments/{segment_id}', { params })),
  });
  const remove = useAction(() => read(back.DELETE('/console/api/segments/{segment_id}', { params })), {
    done: () => {
      notify(t.keys.deleted(query.data?.name ?? ''));
      void navigate(LIST);
    },
  });
  return (
    <Page
      title={query.data?.name ?? t.segments.tab}
      back={{ ...LIST, label: t.segments.tab }}
      actions={
        query.data &&
        mayDelete && (
          <Button look="danger" icon="trash" busy={remove.isPending} onClick={() => remove.mutate(undefined)}>
            {t.delete}
          </Button>
        )
      }
    >
      <Loaded query={query}>{(segment) => <Settings key={segment.updated_at} segment={segment} />}</Loaded>
    </Page>
  );
}

function Settings({ segment }: { segment: Segment }) {
  const mayWrite = useCan('lists:write');
  const [name, setName] = useState(segment.name);
  const [filter, setFilter] = useState(segment.filter);
  const count = useAction(() => read(back.POST('/console/api/segment-counts', { body: { filter } })));
  const save = useAction(
    () =>
      read(
        back.PUT('/console/api/segments/{segment_id}', {
          params: { path: { segment_id: segment.id } },
          body: { name: name.trim(), filter },
        }),
      ),
    { changes: CHANGES, quiet: true, done: () => notify(t.saved) },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  const isSaved = filter === segment.filter;
  const contacts = isSaved ? segment.contacts : count.data?.contacts;
  return (
    <form onSubmit={submit} className="max-w-3xl">
      <fieldset disabled={!mayWrite} className="flex min-w-0 flex-col gap-4">
        <Input
          label={t.webhooks.name}
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <SegmentFilter
          filter={filter}
          change={(next) => {
            count.reset();
            setFilter(next);
          }}
        />
        <p role="status" className="text-ink-2">
          {contacts === undefined
            ? t.segments.changed
            : contacts === null
              ? t.segments.notCounted
              : t.segments.takes(contacts)}
          {isSaved && segment.counted_at !== null && (
            <>
              {' '}
              <Time at={segment.counted_at} ago />
            </>
          )}
        </p>
        {save.error && (
          <p role="alert" className="text-bad">
            {save.error.message}
          </p>
        )}
        {mayWrite && (
          <div className="flex flex-wrap gap-2">
            <Button type="submit" look="primary" busy={save.isPending}>
              {t.save}
            </Button>
            <Button busy={count.isPending} onClick={() => count.mutate(undefined)}>
              {t.segments.count}
            </Button>
          </div>
        )}
      </fieldset>
    </form>
  );
}
