import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import nodemailer from 'nodemailer';
import { postmeshTransport } from '../src/nodemailer.ts';

const RESULTS = {
  object: 'list',
  data: [
    {
      object: 'message',
      id: '<1@shop.test>',
      status: 'queued',
      recipient: { email: 'ann@mail.test', name: '' },
    },
    {
      object: 'message',
      id: null,
      status: 'error',
      recipient: { email: 'bob@mail.test', name: '' },
      error: 'no',
    },
  ],
};

function transportOf(results = RESULTS) {
  const calls = [];
  const sendConversation = async (options) => {
    calls.push(options);
    return results;
  };
  return { calls, mailer: nodemailer.createTransport(postmeshTransport({ messages: { sendConversation } })) };
}

describe('the Nodemailer transport', () => {
  it('keeps every field of a mail', async () => {
    const { calls, mailer } = transportOf();
    const info = await mailer.sendMail({
      from: '"Shop" <news@shop.test>',
      to: ['Ann <ann@mail.test>', 'bob@mail.test'],
      cc: 'cc@mail.test',
      bcc: { name: 'B', address: 'bcc@mail.test' },
      replyTo: 'help@shop.test',
      subject: 'Grüße',
      text: 'Hi',
      html: Buffer.from('<b>Hi</b>'),
      headers: { 'X-Order': '17', 'X-Two': ['a', 'b'] },
      inReplyTo: '<0@shop.test>',
      references: ['<0@shop.test>', '<-1@shop.test>'],
      priority: 'high',
      attachments: [
        { filename: 'a.txt', content: 'text' },
        { filename: 'b.png', content: Buffer.from([1, 2]), cid: 'logo' },
      ],
      postmesh: { tags: ['order'], idempotencyKey: 'order-17' },
    });
    assert.deepEqual(calls, [
      {
        body: {
          from: { email: 'news@shop.test', name: 'Shop' },
          to: [{ email: 'ann@mail.test', name: 'Ann' }, { email: 'bob@mail.test' }],
          cc: [{ email: 'cc@mail.test' }],
          bcc: [{ email: 'bcc@mail.test', name: 'B' }],
          reply_to: { email: 'help@shop.test' },
          subject: 'Grüße',
          text_content: 'Hi',
          html_content: '<b>Hi</b>',
          headers: [
            { name: 'X-Order', value: '17' },
            { name: 'X-Two', value: 'a' },
            { name: 'X-Two', value: 'b' },
            { name: 'In-Reply-To', value: '<0@shop.test>' },
            { name: 'References', value: '<0@shop.test> <-1@shop.test>' },
            { name: 'X-Priority', value: '1 (Highest)' },
          ],
          attachments: [
            { data: 'dGV4dA==', base64: true, content_type: 'text/plain', file_name: 'a.txt' },
            {
              data: 'AQI=',
              base64: true,
              content_type: 'image/png',
              file_name: 'b.png',
              content_id: '<logo>',
            },
          ],
          tags: ['order'],
        },
        headers: { 'Idempotency-Key': 'order-17' },
      },
    ]);
    assert.equal(info.messageId, '<1@shop.test>');
    assert.deepEqual([info.accepted, info.rejected], [['ann@mail.test'], ['bob@mail.test']]);
  });

  it('fails when no recipient is accepted', async () => {
    const { mailer } = transportOf({ object: 'list', data: RESULTS.data.slice(1) });
    const mail = { from: 'a@shop.test', to: 'bob@mail.test', subject: 's', text: 't' };
    await assert.rejects(mailer.sendMail(mail), /no recipient was accepted: no/);
  });

  it('refuses by name what the API has not', async () => {
    const { calls, mailer } = transportOf();
    const mail = { from: 'a@shop.test', to: 'b@mail.test', subject: 's', text: 't' };
    await assert.rejects(
      mailer.sendMail({ ...mail, raw: 'x', icalEvent: { content: 'x' } }),
      /icalEvent, raw/,
    );
    await assert.rejects(mailer.sendMail({ ...mail, to: undefined, bcc: 'b@mail.test' }), /to is missing/);
    assert.equal(calls.length, 0);
  });
});
