import { once } from 'node:events';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AccountId, newId, type Principal } from '@postmesh/contracts';
import { InternalClient, ServiceDirectory, serviceTokenKeys, ServiceTokens } from '@postmesh/http';
import { MessageRenderer } from '@postmesh/message-content';
import { RenderedPreview, type PreviewRequest } from '@postmesh/messages-contract';
import { testDatabase } from '@postmesh/testing';
import { startTemplates, type TemplatesUnderTest } from '../testing/templates-under-test.js';
import { PreviewCampaign } from './preview-campaign.js';
import { PreviewTemplate } from './preview-template.js';

const database = testDatabase();
let under: TemplatesUnderTest;
beforeAll(async () => {
  under = await startTemplates(database.url);
});
afterAll(() => under.stop());

it('a preview is not rendered for a client that has disconnected', async () => {
  const account = under.account();
  const { body } = await under.templates(account, 'POST', '', {
    body: { name: 'Login code', content: { html: '<p>{{ code }}</p>' } },
  });
  const principal = { account_id: account, account: { parent_account_id: null } } as unknown as Principal;
  const left = new Error('the client has closed its connection');
  const preview = (signal?: AbortSignal) =>
    under.service.get(PreviewTemplate).execute(principal, body.id, { substitutions: { code: 7 } }, signal);

  await expect(preview(AbortSignal.abort(left))).rejects.toBe(left);
  expect((await preview()).html).toContain('<p>7</p>');
});

it.each(['in the process', 'over HTTP'])(
  'the preview of a campaign is given up when its caller disconnects, %s',
  async (way) => {
    const { service, context } = under;
    const url = way === 'over HTTP' ? `http://127.0.0.1:${await service.listen('127.0.0.1', 0)}` : undefined;
    const directory = url === undefined ? context.directory : new ServiceDirectory({ messages: url });
    const tokens = new ServiceTokens(serviceTokenKeys(context.settings), 'marketing');
    const caller = new AbortController();
    const body = PREVIEW;
    const request = { method: 'POST', path: '/internal/message-previews', body } as const;
    const client = new InternalClient(directory, tokens);
    const preview = () => client.request('messages', { ...request, signal: caller.signal }, RenderedPreview);
    expect(await preview()).toMatchObject({ html: '<p>7</p>' });

    const renderer = service.get(MessageRenderer);
    const render = renderer.render.bind(renderer);
    // all threads are busy until the caller has disconnected
    vi.spyOn(renderer, 'render').mockImplementationOnce(async (job) => {
      caller.abort(new Error('the caller has disconnected'));
      if (job.signal?.aborted === false) await once(job.signal, 'abort');
      return render(job);
    });
    const execute = vi.spyOn(service.get(PreviewCampaign), 'execute');
    await expect(preview()).rejects.toThrow('the caller has disconnected');
    await expect(execute.mock.results[0]?.value).rejects.toThrow('the client has closed its connection');
    vi.restoreAllMocks();
    if (directory !== context.directory) await directory.close();
  },
);

const PREVIEW: PreviewRequest = {
  account_id: AccountId.parse(newId()),
  parent_account_id: null,
  campaign_id: newId(),
  content: {
    from: null,
    reply_to: null,
    subject: null,
    preheader: null,
    html: '<p>{{ code }}</p>',
    text: null,
  },
  recipient: { email: 'ann@mail.test', name: '', values: { code: 7 } },
};
