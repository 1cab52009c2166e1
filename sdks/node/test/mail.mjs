// Sends one mail by Nodemailer and prints its Message-ID, for services/all-in-one/test/sdks.spec.ts.
import nodemailer from 'nodemailer';
import { Postmesh } from '../src/index.ts';
import { postmeshTransport } from '../src/nodemailer.ts';

const mailer = nodemailer.createTransport(postmeshTransport(new Postmesh()));
const { messageId } = await mailer.sendMail({
  from: '"Shop, Inc" <news@shop.example.com>',
  to: 'Ann <ann@mail.test>',
  replyTo: 'help@shop.example.com',
  subject: 'Grüße',
  text: 'Hi',
  html: '<b>Hi</b> <img src="cid:logo">',
  headers: { 'X-Order': '17' },
  attachments: [
    { filename: 'a.txt', content: 'text' },
    { filename: 'b.png', content: Buffer.from([1, 2]), cid: 'logo' },
  ],
  postmesh: { tags: ['mail'] },
});
console.log(messageId);
