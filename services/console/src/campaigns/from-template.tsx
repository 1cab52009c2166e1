import { api, back, once, read } from '../api/client';
import { useAction } from '../api/pages';
import { useAccount } from '../api/session';
import { blocksBodyOf, bodyOf, contentOf } from '../editor/content.rules';
import { Select } from '../ui/field';
import { t } from '../words/words';
import type { Campaign } from './campaign-states';
import { blocksOfTemplate, useTemplateNames } from './campaign-templates';

/** Begins with the design of a campaign template. */
export function FromTemplate({ campaign }: { campaign: Campaign }) {
  const account = useAccount();
  const names = useTemplateNames();
  const take = useAction(
    async (id: string) => {
      const { content, editor } = await read(
        api.GET('/v2/accounts/{account_id}/campaign-templates/{template_id}', {
          params: { path: { ...account, template_id: id } },
        }),
      );
      const blocks = editor === 'simple' ? await blocksOfTemplate(id) : undefined;
      const design = blocks && blocksBodyOf(contentOf(content, blocks));
      if (design)
        return read(
          back.PUT('/console/api/campaigns/{campaign_id}/blocks', {
            params: { path: { campaign_id: campaign.id } },
            body: design,
          }),
        );
      // another editor made the blocks: their HTML alone can be taken
      return read(
        api.PUT('/v2/accounts/{account_id}/campaigns/{campaign_id}', {
          params: { path: { ...account, campaign_id: campaign.id }, header: once() },
          body: { content: bodyOf(contentOf(content)) ?? {} },
        }),
      );
    },
    { changes: [['campaigns']], done: () => location.reload() },
  );
  if (names.length === 0) return null;
  return (
    <Select
      label={t.campaigns.fromTemplate}
      options={[['', t.campaigns.chooseTemplate], ...names]}
      value=""
      onChange={(event) => event.target.value !== '' && take.mutate(event.target.value)}
    />
  );
}
