import { expect, describe, it } from 'vitest';
import { withoutQuotes } from './strip-quotes.rules.js';

/** What programs write below an answer. */
const QUOTES: [program: string, quote: string][] = [
  ['Gmail', 'On Mon, Jan 5, 2026 at 11:59 AM Shop <shop@shop.test> wrote:\n\n> Does it work?\n> Really?'],
  [
    'Gmail, wrapped',
    'On Mon, Jan 5, 2026 at 11:59 AM A very long name of a shop indeed <\nshop@shop.test> wrote:\n\n> Does it work?',
  ],
  ['Gmail in German', 'Am Mo., 5. Jan. 2026 um 11:59 Uhr schrieb Shop <shop@shop.test>:\n\n> Geht es?'],
  ['Gmail in French', 'Le lun. 5 janv. 2026 à 11:59, Shop <shop@shop.test> a écrit :\n\n> Ça marche ?'],
  ['Gmail in Spanish', 'El lun, 5 ene 2026 a las 11:59, Shop (<shop@shop.test>) escribió:\n\n> ¿Funciona?'],
  ['Gmail in Italian', 'Il giorno lun 5 gen 2026 alle ore 11:59 Shop <shop@shop.test> ha scritto:\n\n> Va?'],
  [
    'Gmail in Portuguese',
    'Em seg., 5 de jan. de 2026 às 11:59, Shop <shop@shop.test> escreveu:\n\n> Funciona?',
  ],
  ['Gmail in Dutch', 'Op ma 5 jan 2026 om 11:59 schreef Shop <shop@shop.test>:\n\n> Werkt het?'],
  ['Gmail in Polish', 'pon., 5 sty 2026 o 11:59 Shop <shop@shop.test> napisał(a):\n\n> Działa?'],
  ['Gmail in Swedish', 'Den mån 5 jan. 2026 kl 11:59 skrev Shop <shop@shop.test>:\n\n> Funkar det?'],
  ['Gmail in Danish', 'Den man. 5. jan. 2026 kl. 11.59 skrev Shop <shop@shop.test>:\n\n> Virker det?'],
  ['Gmail in Norwegian', 'man. 5. jan. 2026 kl. 11:59 skrev Shop <shop@shop.test>:\n\n> Virker det?'],
  ['Gmail in Finnish', 'ma 5. tammik. 2026 klo 11.59 Shop (shop@shop.test) kirjoitti:\n\n> Toimiiko?'],
  ['Gmail in Czech', 'po 5. 1. 2026 v 11:59 odesílatel Shop <shop@shop.test> napsal:\n\n> Funguje?'],
  ['Gmail in Turkish', 'Shop <shop@shop.test>, 5 Oca 2026 Pzt, 11:59 tarihinde şunu yazdı:\n\n> Oldu mu?'],
  ['Gmail in Russian', 'пн, 5 янв. 2026 г. в 11:59, Shop <shop@shop.test>:\n\n> Работает?'],
  ['Gmail in Japanese', '2026年1月5日(月) 11:59 Shop <shop@shop.test>:\n\n> 動きますか?'],
  ['Gmail in Chinese', 'Shop <shop@shop.test> 于2026年1月5日周一 11:59写道：\n\n> 可以吗?'],
  ['Gmail in Korean', '2026년 1월 5일 (월) 오전 11:59, Shop <shop@shop.test>님이 작성:\n\n> 되나요?'],
  ['Apple Mail', '> On 5 Jan 2026, at 11:59, Shop <shop@shop.test> wrote:\n> \n> Does it work?'],
  [
    'Apple Mail, attribution apart',
    'On 5 Jan 2026, at 11:59, Shop <shop@shop.test> wrote:\n\n> Does it work?',
  ],
  ['iPhone in German', 'Am 05.01.2026 um 11:59 schrieb Shop <shop@shop.test>:\n\n> Geht es?'],
  ['Thunderbird', 'On 1/5/26 11:59, Shop wrote:\n> Does it work?'],
  ['Thunderbird in German', 'Am 05.01.26 um 11:59 schrieb Shop:\n> Geht es?'],
  ['Thunderbird in French', 'Le 05/01/2026 à 11:59, Shop a écrit :\n> Ça marche ?'],
  ['Thunderbird in Spanish', 'El 5/1/26 a las 11:59, Shop escribió:\n> ¿Funciona?'],
  [
    'Outlook',
    'From: Shop <shop@shop.test>\nSent: Monday, January 5, 2026 11:00 AM\nTo: Zoe <zoe@mail.test>\nSubject: ticket 9\n\nDoes it work?',
  ],
  [
    'Outlook on the web',
    '________________________________\nFrom: Shop <shop@shop.test>\nSent: Monday, January 5, 2026 11:00 AM\nTo: Zoe <zoe@mail.test>\nSubject: ticket 9\n\nDoes it work?',
  ],
  [
    'Outlook in German',
    'Von: Shop <shop@shop.test>\nGesendet: Montag, 5. Januar 2026 11:00\nAn: Zoe <zoe@mail.test>\nBetreff: ticket 9\n\nGeht es?',
  ],
  [
    'Outlook in French',
    'De : Shop <shop@shop.test>\nEnvoyé : lundi 5 janvier 2026 11:00\nÀ : Zoe <zoe@mail.test>\nObjet : ticket 9\n\nÇa marche ?',
  ],
  [
    'Outlook in Spanish',
    'De: Shop <shop@shop.test>\nEnviado el: lunes, 5 de enero de 2026 11:00\nPara: Zoe <zoe@mail.test>\nAsunto: ticket 9\n\n¿Funciona?',
  ],
  [
    'Outlook with bold labels',
    '*From:* Shop <shop@shop.test>\n*Sent:* Monday, January 5, 2026 11:00 AM\n*To:* Zoe\n*Subject:* ticket 9\n\nDoes it work?',
  ],
  ['Outlook Express', '-----Original Message-----\nFrom: Shop\nSent: Monday\n\nDoes it work?'],
  ['Outlook Express in German', '-----Ursprüngliche Nachricht-----\nVon: Shop\n\nGeht es?'],
  ['Outlook Express in French', "-----Message d'origine-----\nDe : Shop\n\nÇa marche ?"],
  [
    'GMX',
    'Gesendet: Montag, 05. Januar 2026 um 11:59 Uhr\nVon: "Shop" <shop@shop.test>\nAn: zoe@mail.test\nBetreff: ticket 9\n\nGeht es?',
  ],
  ['no attribution', '> Does it work?\n>> Really?'],
];

describe('spec 2-messages §16 rule 5: the text above what is quoted', () => {
  it.each(QUOTES)('is left by %s', (_program, quote) => {
    for (const end of ['\n', '\r\n']) {
      const text = `Works.\n\nThanks, Zoe\n\n${quote}\n`.replaceAll('\n', end);
      expect(withoutQuotes(text)).toBe(`Works.${end}${end}Thanks, Zoe`);
    }
  });

  it.each([
    ['an ordinary text', 'Hello there\n\nOn Monday I wrote: nothing.\n\nBye'],
    ['a list after a colon', 'These 3 are on order:\n- one\n- two'],
    ['labels in a text', 'From: Hamburg to Berlin\nit takes 2 hours.'],
    ['a signature', 'Works.\n\n-- \nZoe'],
    ['a rule', 'Above\n\n--------------------\n\nBelow'],
    ['a comparison', 'a > b and\nb > c'],
  ])('is all of %s', (_what, text) => {
    expect(withoutQuotes(text)).toBe(text);
  });

  it('of an answer below its quotation is the answer', () => {
    expect(withoutQuotes('On 1/5/26 11:59, Shop wrote:\r\n> Does it work?\r\n\r\nYes.\r\n')).toBe('Yes.');
    expect(withoutQuotes('> Does it work?\n\nYes.\n')).toBe('Yes.');
  });

  it('of nothing but a quotation is empty', () => {
    expect(withoutQuotes('> Does it work?\n')).toBe('');
    expect(withoutQuotes('')).toBe('');
  });

  it('is found in time that grows with the text alone', () => {
    const hostile = [
      'On 1 ',
      'On\n',
      'On 1 x:\n',
      '>',
      '> \n',
      'From: a\n',
      '-',
      '_',
      ' ',
      '<a> ',
      'a:\n',
      '\n',
    ];
    for (const piece of hostile) {
      expect(withoutQuotes(piece.repeat(Math.ceil(4_000_000 / piece.length))).length).toBeLessThanOrEqual(
        4_000_010,
      );
    }
  });
});
