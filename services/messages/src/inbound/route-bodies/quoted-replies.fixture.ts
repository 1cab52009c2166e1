/** Quotations that mail programs add below a reply. */
export const QUOTES: readonly (readonly [program: string, quote: string])[] = [
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
  [
    'Yahoo, where nothing marks the quotation',
    'On Monday, January 5, 2026 at 11:59:00 AM GMT+1, Shop <shop@shop.test> wrote:\n\nDoes it work?\n\nReally?',
  ],
  [
    'Outlook within a company, without addresses',
    'From: Smith, John\nSent: Monday, January 5, 2026 11:00 AM\nTo: Doe, Zoe\nCc: Roe, Max;\n Poe, Eva\nSubject: RE: ticket 9\n\nDoes it work?',
  ],
  [
    'Samsung',
    '-------- Original message --------\nFrom: Shop <shop@shop.test>\nDate: 1/5/26 11:59 AM (GMT+01:00)\nTo: zoe@mail.test\nSubject: ticket 9\n\nDoes it work?',
  ],
  [
    'Proton Mail',
    '------- Original Message -------\nOn Monday, January 5th, 2026 at 11:59, Shop <shop@shop.test> wrote:\n\n> Does it work?',
  ],
  ['mutt', 'On Mon, Jan 05, 2026 at 11:59:00AM +0000, Shop wrote:\n> Does it work?\n> > Really?'],
  [
    'two programs, one below the other',
    'On 1/5/26 11:59, Shop wrote:\n> Does it work?\n\nFrom: Shop <shop@shop.test>\nSent: Monday, January 5, 2026 11:00 AM\nTo: Zoe\nSubject: ticket 9\n\nHello',
  ],
];

/** Texts of a person that look like a quotation: each stays unchanged. */
export const OWN_WORDS: readonly (readonly [what: string, text: string])[] = [
  ['an ordinary text', 'Hello there\n\nOn Monday I wrote: nothing.\n\nBye'],
  ['a list after a colon', 'These 3 are on order:\n- one\n- two'],
  ['labels in a text', 'From: Hamburg to Berlin\nit takes 2 hours.'],
  ['a signature', 'Works.\n\n-- \nZoe'],
  ['a rule', 'Above\n\n--------------------\n\nBelow'],
  ['a comparison', 'a > b and\nb > c'],
  ['an itinerary', 'Please book:\n\nFrom: Berlin\nTo: Hamburg\nDate: 5 May\n\nThanks, Ann'],
  [
    'an itinerary with a time and a subject',
    'Please book:\n\nFrom: Berlin\nTo: Hamburg\nDate: 5 May 2026 10:30\nSubject: two seats\n\nThanks, Ann',
  ],
  [
    'a delivery note in German',
    'Bitte liefern:\n\nVon: Lager 3\nAn: Kunde 7\nDatum: 5.5.2026 10:30\n\nDanke',
  ],
  [
    'a sentence that ends in wrote',
    'On 5 May I ordered 3 things and Ann wrote:\n"they are lost". Please help.',
  ],
  ['one in German', 'Am 5. Mai habe ich 3 Dinge bestellt und Ann schrieb:\n„sie sind weg“. Bitte helfen.'],
  ['one in French', 'Le 5 mai 3 choses sont arrivées et Ann a écrit :\n« perdu »\nMerci'],
  [
    'one at the end',
    'See what they answer on 5 May 2026.\n\nOn 5 May 2026 at 10:30 Ann <ann@mail.test> wrote:',
  ],
  [
    'one with a quotation of its own',
    'On 5 May I ordered 3 things and Ann wrote:\n> they are lost\nPlease help.',
  ],
  ['a line of a log', 'At 10:30 on 5 May 2026 <ann@mail.test> wrote:\n550 no such user\nWhat now?'],
  [
    'fields of a message in a question',
    'This one is missing:\n\nFrom: ann@mail.test\nTo: shop@shop.test\nSubject: Order 7\n\nIt never came. Please help.',
  ],
  [
    'fields within a paragraph',
    'Your mail says\nFrom: shop@shop.test\nDate: Mon, 5 Jan 2026 11:59\nTo: ann@mail.test\nand this is wrong. Please help.',
  ],
  ['a separator in a sentence', 'I clicked on\n-----Original Message-----\nand nothing came.'],
  ['a line that a mailbox file escapes', 'Hello\n\n>From here on it works.'],
  ['a question that is taken up', 'You ask 3 things:\n\n> Does it work?\n\nYes.'],
];

/** Replies around a quotation, and the person's own part of them. */
export const ANSWERS: readonly (readonly [where: string, text: string, own: string])[] = [
  ['below', 'On 1/5/26 11:59, Shop wrote:\n> Does it work?\n\nYes.\n', 'Yes.'],
  ['below, without an attribution', '> Does it work?\n\nYes.\n', 'Yes.'],
  [
    'between',
    'Hi,\n\nOn 1/5/26 11:59, Shop wrote:\n> Does it work?\n\nYes.\n\n> Really?\n> Always?\n\n  Really.\n\nZoe\n',
    'Hi,\n\nYes.\n\n  Really.\n\nZoe',
  ],
  [
    'above, with a signature below',
    'Works.\n\nAm 05.01.26 um 11:59 schrieb Shop:\n> Geht es?\n\n-- \nZoe\n',
    'Works.\n\n-- \nZoe',
  ],
  [
    'above, where a long line of the quotation is wrapped without a mark',
    'Works.\n\nOn 1/5/26 11:59, Shop wrote:\n> Does it work\nfor you?\n',
    'Works.\n\nfor you?',
  ],
  [
    'above a quotation with an attribution that is half marked',
    'Hi.\nOn 1/5/26 11:59, Shop wrote:\n> On 5 Jan 2026, at 10:59,\nBob wrote:\n> Does it work?\n\nYes.\n',
    'Hi.\nBob wrote:\n\nYes.',
  ],
  ['nowhere', '> Does it work?\n', ''],
  ['in nothing', '', ''],
];
