import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, once, read } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount } from '../api/session';
import { Input, Select } from '../ui/field';
import { FormModal } from '../ui/form-modal';
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
  return (
    <FormModal
      title={t.campaigns.add}
      of={add}
      disabled={name.trim() === ''}
      submit={() => add.mutate(undefined)}
      onClose={onClose}
    >
      <Input
        label={t.webhooks.name}
        hint={t.campaigns.nameHint}
        autoFocus
        required
        value={name}
        onChange={(event) => setName(event.target.value)}
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
    </FormModal>
  );
}
