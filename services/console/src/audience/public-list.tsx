import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { back, read, type ConsoleSchemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan } from '../api/session';
import { Button } from '../ui/button';
import { Check, Input } from '../ui/field';
import { Section } from '../ui/page';
import { Loaded } from '../ui/states';
import { notify } from '../ui/toasts';
import { t } from '../words/words';

/** Whether contacts see the list in their preference centre, and under which name. */
export function PublicList({ listId }: { listId: string }) {
  const account = useAccount();
  const query = useQuery({
    queryKey: ['public-lists', account.account_id, listId],
    queryFn: () =>
      read(back.GET('/console/api/lists/{list_id}/preferences', { params: { path: { list_id: listId } } })),
  });
  return (
    <div className="mt-8 max-w-xl">
      <Section title={t.lists.choosable} lead={t.lists.choosableLead}>
        <Loaded query={query}>
          {(list) => <Choice key={`${list.is_public} ${list.title}`} list={list} />}
        </Loaded>
      </Section>
    </div>
  );
}

function Choice({ list }: { list: ConsoleSchemas['PublicList'] }) {
  const mayWrite = useCan('lists:write');
  const [isPublic, setPublic] = useState(list.is_public);
  const [title, setTitle] = useState(list.title);
  const save = useAction(
    () =>
      read(
        back.PUT('/console/api/lists/{list_id}/preferences', {
          params: { path: { list_id: list.list_id } },
          body: { is_public: isPublic, title },
        }),
      ),
    { changes: [['public-lists']], done: () => notify(t.saved) },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  return (
    <form onSubmit={submit} className="panel flex flex-col gap-4 p-5">
      <fieldset disabled={!mayWrite} className="contents">
        <Check
          label={t.lists.isChoosable}
          checked={isPublic}
          onChange={(event) => setPublic(event.target.checked)}
        />
        {isPublic && (
          <Input
            label={t.lists.publicTitle}
            hint={t.lists.publicTitleHint}
            required
            maxLength={100}
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        )}
        {mayWrite && (
          <div>
            <Button type="submit" busy={save.isPending}>
              {t.save}
            </Button>
          </div>
        )}
      </fieldset>
    </form>
  );
}
