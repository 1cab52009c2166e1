import { describe, expect, it } from 'vitest';
import { readRequestContent, writeRequestContent } from './request-content.js';

const CONTENT = {
  from: { email: 'a@shop.test', name: 'Añn' },
  to: [{ email: 'b@mail.test' }],
  subject: 'Grüße',
  messageId: '<1@shop.test>',
  date: new Date('2026-01-05T08:00:00Z'),
  text: 'Hello',
  attachments: [
    {
      fileName: 'a.bin',
      contentType: 'application/pdf',
      disposition: 'attachment' as const,
      content: Buffer.from([0, 1, 255]),
    },
    {
      fileName: 'b.txt',
      contentType: 'text/plain',
      disposition: 'inline' as const,
      contentId: '<b>',
      content: Buffer.alloc(0),
    },
  ],
};

describe('a stored content', () => {
  it('reads back as it was written, attachments byte for byte', () => {
    const read = readRequestContent(writeRequestContent(CONTENT));
    expect(read).toMatchObject({ from: CONTENT.from, subject: 'Grüße', date: CONTENT.date, text: 'Hello' });
    expect(read.attachments?.map(({ content }) => content)).toEqual([
      Buffer.from([0, 1, 255]),
      Buffer.alloc(0),
    ]);
  });

  it('says when it is cut short', () => {
    const bytes = writeRequestContent(CONTENT);
    expect(() => readRequestContent(bytes.subarray(0, -1))).toThrow(/cut short/);
  });
});
