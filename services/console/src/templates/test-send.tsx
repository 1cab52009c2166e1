import { useState } from 'react';
import { api, once, read, type Schemas } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount, useCan, useSession } from '../api/session';
import { Button } from '../ui/button';
import { Input } from '../ui/field';
import { Modal, ModalActions } from '../ui/modal';
import { notify } from '../ui/toasts';
import { t } from '../words/words';

/** Sends the published version with the values of the form. */
export function TestSend({
  template,
  values,
}: {
  template: Schemas['Template'];
  values: Record<string, string>;
}) {
  const account = useAccount();
  const { member } = useSession();
  const [isOpen, setOpen] = useState(false);
  const [to, setTo] = useState(member.email);
  const [from, setFrom] = useState('');
  const maySend = useCan('messages:send:all');
  const hasFrom = template.from !== null;
  const send = useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/messages/template', {
          params: { path: account, header: once() },
          body: {
            template_id: template.id,
            recipients: [{ email: to.trim(), substitutions: values }],
            ...(from.trim() === '' ? {} : { from: { email: from.trim() } }),
            tags: ['test'],
          },
        }),
      ),
    {
      quiet: true,
      changes: [['messages']],
      done: ({ data: [result] }) => {
        if (result?.error) return notify(result.error, 'bad');
        notify(t.templates.testSent(to.trim()));
        setOpen(false);
      },
    },
  );
  if (!maySend) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t.templates.test}</Button>
      {isOpen && (
        <Modal title={t.templates.test} onClose={() => setOpen(false)}>
          <p className="mb-4 text-ink-2">{t.templates.testText}</p>
          <div className="flex flex-col gap-4">
            <Input
              label={t.messages.recipient}
              type="email"
              autoFocus
              value={to}
              onChange={(event) => setTo(event.target.value)}
            />
            <Input
              label={t.messages.sender}
              type="email"
              hint={hasFrom ? t.templates.fromHint : t.templates.fromNeeded}
              value={from}
              onChange={(event) => setFrom(event.target.value)}
              error={send.error?.message}
            />
          </div>
          <ModalActions>
            <Button onClick={() => setOpen(false)}>{t.cancel}</Button>
            <Button
              look="primary"
              busy={send.isPending}
              disabled={!to.includes('@')}
              onClick={() => send.mutate(undefined)}
            >
              {t.templates.send}
            </Button>
          </ModalActions>
        </Modal>
      )}
    </>
  );
}
