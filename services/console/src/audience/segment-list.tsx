import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { back, read } from '../api/client';
import { useAction } from '../api/pages';
import { Button } from '../ui/button';
import { Input } from '../ui/field';
import { Modal, ModalActions } from '../ui/modal';
import { Empty, Loaded } from '../ui/states';
import { t } from '../words/words';
import { FIRST_FILTER } from './segment-filter.rules';
import { useSegments } from './segments';

/** The segments: an account has 100 at most. */
export function SegmentList({ add }: { add: ReactNode }) {
  return (
    <Loaded query={useSegments()}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title={t.segments.none} action={add}>
            {t.segments.noneText}
          </Empty>
        ) : (
          <ul className="panel divide-y divide-line">
            {data.map(({ id, name, contacts }) => (
              <li key={id} className="flex items-center justify-between gap-4 px-4 py-3">
                <Link
                  to="/audience/segments/$segmentId"
                  params={{ segmentId: id }}
                  className="min-w-0 truncate font-medium text-accent hover:underline"
                >
                  {name}
                </Link>
                <span className="shrink-0 text-sm text-ink-3">
                  {contacts === null ? t.segments.notCounted : t.lists.contactCount(contacts)}
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

export function AddSegment({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const add = useAction(
    () => read(back.POST('/console/api/segments', { body: { name: name.trim(), filter: FIRST_FILTER } })),
    {
      changes: [['segments']],
      quiet: true,
      done: ({ id }) => void navigate({ to: '/audience/segments/$segmentId', params: { segmentId: id } }),
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(undefined);
  };
  return (
    <Modal title={t.segments.add} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Input
          label={t.webhooks.name}
          hint={t.campaigns.nameHint}
          autoFocus
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={add.error?.message}
        />
        <ModalActions>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="primary" busy={add.isPending}>
            {t.segments.add}
          </Button>
        </ModalActions>
      </form>
    </Modal>
  );
}
