import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { api, once, read } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount } from '../api/session';
import { Button } from '../ui/button';
import { Input, Select } from '../ui/field';
import { Modal, ModalActions } from '../ui/modal';
import { t } from '../words/words';
import { useTemplateNames } from './campaign-templates';

/** A draft, empty or with the design of a campaign template. */
export function NewCampaign({
  from,
  onClose,
}: {
  /** the template that is chosen at first */
  from?: { id: string; name: string };
  onClose: () => void;
}) {
  const account = useAccount();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [templateId, setTemplateId] = useState(from?.id ?? '');
  const names = useTemplateNames();
  const options =
    from && !names.some(([id]) => id === from.id) ? [[from.id, from.name] as const, ...names] : names;
  const add = useAction(
    () =>
      read(
        api.POST('/v2/accounts/{account_id}/campaigns', {
          params: { path: account, header: once() },
          body: { name: name.trim(), ...(templateId !== '' && { template_id: templateId }) },
        }),
      ),
    {
      changes: [['campaigns']],
      quiet: true,
      done: ({ id }) => void navigate({ to: '/campaigns/$campaignId', params: { campaignId: id } }),
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(undefined);
  };
  return (
    <Modal title={t.campaigns.add} onClose={onClose}>
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
        {options.length > 0 && (
          <Select
            label={t.campaigns.fromTemplate}
            hint={t.campaignTemplates.copyHint}
            options={[['', t.campaignTemplates.noTemplate], ...options]}
            value={templateId}
            onChange={(event) => setTemplateId(event.target.value)}
          />
        )}
        <ModalActions>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="primary" busy={add.isPending} disabled={name.trim() === ''}>
            {t.campaigns.add}
          </Button>
        </ModalActions>
      </form>
    </Modal>
  );
}
