import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { back, read } from '../api/client';
import { useAction } from '../api/pages';
import { Button } from '../ui/button';
import { Input } from '../ui/field';
import { Modal, ModalActions } from '../ui/modal';
import { t } from '../words/words';
import { FIRST_FILTER } from './segment-filter.rules';

/** A segment with a condition to begin with. */
export default function AddSegment({ onClose }: { onClose: () => void }) {
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
