/** One request of the account. @returns the body of a response with this status */
type Api = (method: string, path: string, wanted: number, body?: unknown) => Promise<any>; // eslint-disable-line typescript/no-explicit-any

/** The most contacts of one request. */
const MAX_BATCH = 1_000;

/** Campaigns of one account, through the API. */
export class CampaignClient {
  /** @param from an address that may send */
  constructor(
    private readonly api: Api,
    private readonly from: string,
  ) {}

  /** A list with these contacts on it. */
  async list(emails: readonly string[]): Promise<string> {
    const list = (await this.api('POST', '{A}/lists', 201, { name: 'News' })) as { id: string };
    for (let at = 0; at < emails.length; at += MAX_BATCH) {
      const data = emails.slice(at, at + MAX_BATCH).map((email) => ({ email }));
      await this.api('POST', '{A}/contacts/batch', 200, { data });
      await this.api('POST', `{A}/lists/${list.id}/contacts/batch`, 200, { data });
    }
    return list.id;
  }

  /** A campaign to these lists, ready to be sent. */
  async campaign(listIds: readonly string[], more: object = {}): Promise<string> {
    const { id } = (await this.api('POST', '{A}/campaigns', 201, {
      name: 'News',
      subject: 'News for {{ first_name|default("you") }}',
      from: { email: this.from, name: 'Shop' },
      list_ids: listIds,
      content: { html: '<p>Hello</p><a href="{{ unsubscribe_url }}">no more</a>' },
      ...more,
    })) as { id: string };
    return id;
  }

  async send(id: string): Promise<void> {
    await this.api('POST', `{A}/campaigns/${id}/send`, 200);
  }

  async read(
    id: string,
  ): Promise<{ status: string; status_reason: string | null; send_resumes_at: string | null }> {
    return this.api('GET', `{A}/campaigns/${id}`, 200);
  }

  async stats(id: string): Promise<Record<string, number>> {
    return this.api('GET', `{A}/campaigns/${id}/stats`, 200);
  }

  async recipients(id: string): Promise<Record<string, unknown>[]> {
    return (await this.api('GET', `{A}/campaigns/${id}/recipients`, 200)).data;
  }
}
