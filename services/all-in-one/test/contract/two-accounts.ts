import { unique, uniqueDomain, type Account, type ApiKey, type Postmesh } from './harness.js';

/** An account with a resource of every kind. */
export interface FullAccount {
  account: Account;
  /** the key of the requests; no request names it */
  key: ApiKey;
  /** a word in every text of the account except its domains */
  word: string;
  domain: string;
  /** two and more ids by the name of the path parameter that takes them */
  ids: Record<string, string[]>;
}

/** @param word unique: any response that contains it shows data of this account */
export async function fullAccount(postmesh: Postmesh, word: string): Promise<FullAccount> {
  const account = await postmesh.newAccount({ name: `${word} Inc`, ownerEmail: `${word}@mail.test` });
  const { key } = account;
  const post = async (path: string, body: object) => {
    const response = await postmesh.api(key, 'POST', path, { body });
    if (response.status >= 300) throw new Error(`${path}: ${response.bytes.toString()}`);
    return response.body;
  };
  const domain = await postmesh.verifiedDomain(account);
  const spare = uniqueDomain('spare');
  await post('{A}/domains', { domain: spare });
  const keys = [1, 2].map(() => post('{A}/api-keys', { label: `${word} key`, scopes: ['accounts:read'] }));
  const url = `http://127.0.0.1:9/${word}`;
  const hook = { name: `${word} hook`, url, scope: 'global', on_dns_error: true };
  const scoped = { ...hook, scope: 'scoped', domains: [domain] };
  const newChild = () => post('{A}/sub-accounts', { name: `${word} child`, website: `${word}.test` });
  const [child, spareChild] = [await newChild(), await newChild()];
  const childKey = await post(`{A}/sub-accounts/${child.id}/api-keys`, {
    label: `${word} child key`,
    scopes: ['accounts:read'],
  });
  const newMember = () =>
    post('{A}/members', { email: `${unique(word)}@mail.test`, role: 'Analyst', name: word });
  const members = [await newMember(), await newMember()];
  const sent = await post('{A}/messages/conversation', {
    from: { email: `${word}@${domain}`, name: word },
    to: [{ email: `${word}@mail.test`, name: word }],
    subject: word,
    text_content: word,
    tags: [word],
    sandbox: true,
  });
  const newRoute = (recipient: string) =>
    post('{A}/routes', { name: `${word} route`, url: `http://127.0.0.1:9/${word}`, recipient });
  const newLogin = () => post('{A}/smtp-credentials', { name: `${word} login`, scope: 'global' });
  const newCampaign = () => post('{A}/campaigns', { name: `${word} campaign` });
  const design = { name: `${word} design`, content: { html: `<p>${word}</p>` } };
  const newDesign = () => post('{A}/campaign-templates', design);
  // of blocks, as the block editor needs it
  const newBlocks = async () => {
    const path = `/operator/marketing/accounts/${account.id}/campaign-templates`;
    const made = await postmesh.operator('POST', path, { ...design, blocks: {} });
    if (made.status !== 201) throw new Error(`${path}: ${made.bytes.toString()}`);
    return made.body;
  };
  const newTemplate = (design: object) => post('{A}/templates', { name: word, publish: true, ...design });
  const templates = [
    await newTemplate({ content: { html: `<p>${word}</p>` } }),
    await newTemplate({ editor: 'simple', content: { text: word } }),
  ];
  const versions = await Promise.all(
    templates.map(({ id }) => postmesh.api(key, 'GET', `{A}/templates/${id}/versions`)),
  );
  const idsOf = (made: { id: string }[]) => made.map(({ id }) => id);
  return {
    account,
    key,
    word,
    domain,
    ids: {
      account_id: [account.id],
      key_id: [...idsOf(await Promise.all(keys)), childKey.id],
      webhook_id: idsOf([await post('{A}/webhooks', hook), await post('{A}/webhooks', scoped)]),
      route_id: idsOf([await newRoute(''), await newRoute(`${word}-*@${domain}`)]),
      smtp_credential_id: idsOf([await newLogin(), await newLogin()]),
      sub_account_id: idsOf([child, spareChild]),
      user_id: members.map(({ user_id: id }) => id),
      message_id: idsOf(sent.data),
      template_id: idsOf(templates),
      campaign_id: idsOf([await newCampaign(), await newCampaign()]),
      campaign_template_id: idsOf([await newDesign(), await newBlocks()]),
      version_id: versions.flatMap(({ body }) => idsOf(body.data)),
      domain: [domain, spare],
    },
  };
}
