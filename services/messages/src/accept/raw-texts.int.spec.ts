import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BlobStore } from '@postmesh/blob-store';
import { readRequestContent } from '@postmesh/message-content';
import { BLOB_STORE } from '@postmesh/service-host';
import { testDatabase } from '@postmesh/testing';
import { startSends, type SendsUnderTest } from '../testing/sends-under-test.js';

const database = testDatabase();
let under: SendsUnderTest;

beforeAll(async () => {
  under = await startSends(database.url, { rawTexts: true });
});
afterAll(() => under?.stop());

describe('texts that are stored next to their JSON', () => {
  it('are in the store as they were given, and are read from there', async () => {
    const html = '<p class="a">Gr\u00fc\u00dfe\r\n</p>';
    const { status, body } = await under.send('/conversation', {
      from: { email: 'orders@shop.test' },
      to: [{ email: 'ann@mail.test' }],
      subject: 'Order',
      text_content: 'a "quoted" text',
      html_content: html,
    });
    expect(status).toBe(202);
    const id: string = body.data[0].id;
    const [row] = await under.sql<{ contentId: string }>(
      'select content_id as "contentId" from send_requests where id = $1',
      [id.slice(1, 37)],
    );
    const contentId = row?.contentId ?? '';
    const stored = (await under.service.get<BlobStore>(BLOB_STORE).get([contentId])).get(contentId);
    expect(stored?.includes(html)).toBe(true);
    expect(stored?.includes('a "quoted" text')).toBe(true);
    expect(stored && readRequestContent(stored)).toMatchObject({ text: 'a "quoted" text', html });
  });
});
