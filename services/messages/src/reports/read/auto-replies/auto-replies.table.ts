import { z } from 'zod';
import { linearPattern } from '@postmesh/smtp-replies';

const { raw } = String;

const AutoReplyRow = z
  .strictObject({
    /** used in reports, logs and docs/reports.md */
    id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
    /** in lower case */
    header: z
      .string()
      .regex(/^[a-z0-9-]+$/)
      .optional(),
    /** of the header; any value when missing */
    says: linearPattern.optional(),
    subject: linearPattern.optional(),
    because: z.string().min(3),
    /** a matching field, and one that does not match */
    sample: z.string().regex(/^[A-Za-z-]+: /),
    not: z.string().regex(/^[A-Za-z-]+: /),
  })
  .refine(({ header, subject }) => (header ?? subject) !== undefined, 'fits everything');
export type AutoReplyRow = z.output<typeof AutoReplyRow>;

const said = (header: string, sample: string, more: object = {}) => ({
  id: header,
  header,
  because: 'a header of auto-replies only',
  sample,
  not: 'X-Mailer: a mail program',
  ...more,
});

/** A subject that only programs write, at its start; people put Re: before it. */
const subject = (language: string, words: string, sample: string) => ({
  id: `subject-${language}`,
  subject: raw`^\s{0,5}(?:\[?(?:${words}))`,
  because: 'what mail programs write in this language',
  sample: `Subject: ${sample}`,
  not: `Subject: Re: ${sample}`,
});

const SUBJECTS = [
  subject(
    'english',
    raw`auto(?:matic|mated)?[- ]?(?:reply|response|answer)\b|out of (?:the )?office\b|ooo\s?[:-]|away from (?:my|the) (?:mail|office|desk)|(?:i am|i'm) (?:currently )?(?:out of|away|on (?:vacation|leave|holiday))|vacation (?:reply|message|response)|on vacation\b`,
    'Automatic reply: Your order',
  ),
  subject(
    'german',
    raw`automatische (?:antwort|e-?mail-?antwort|rückantwort)|abwesenheits?(?:notiz|nachricht|assistent|benachrichtigung|meldung)?\b|autoantwort|ich bin (?:nicht im büro|im urlaub|abwesend)|nicht im (?:büro|haus)`,
    'Automatische Antwort: Ihre Bestellung',
  ),
  subject(
    'french',
    raw`r[ée]ponse automatique|absence (?:du bureau|temporaire)|absent du bureau|message d.absence|en cong[ée]s?\b`,
    'Réponse automatique : Votre commande',
  ),
  subject(
    'spanish',
    raw`respuesta autom[áa]tica|fuera de (?:la )?oficina|ausente de la oficina|contestaci[óo]n autom[áa]tica`,
    'Respuesta automática: Su pedido',
  ),
  subject(
    'portuguese',
    raw`resposta autom[áa]tica|fora d[oe] escrit[óo]rio|aus[êe]ncia (?:tempor[áa]ria|do escrit[óo]rio)`,
    'Resposta automática: O seu pedido',
  ),
  subject(
    'italian',
    raw`risposta automatica|fuori (?:ufficio|sede)|assen(?:te|za) dall.ufficio`,
    'Risposta automatica: Il tuo ordine',
  ),
  subject(
    'dutch',
    raw`automatisch(?:e)? (?:antwoord|beantwoording|bericht)|afwezig(?:heids)?(?:bericht|melding|heid)?\b|niet op kantoor`,
    'Automatisch antwoord: Uw bestelling',
  ),
  subject(
    'nordic',
    raw`autosvar|automatisk[t]? (?:svar|svarmeddelande)|ej på kontoret|frånvaro|fraværs?|ikke (?:på kontoret|til stede)|automaattinen vastaus|poissa toimistosta|poissaoloviesti`,
    'Autosvar: Din beställning',
  ),
  subject(
    'polish',
    raw`odpowied[źz] automatyczna|automatyczna odpowied[źz]|autoodpowied[źz]|poza biurem|nieobecno[śs][ćc]`,
    'Odpowiedź automatyczna: Zamówienie',
  ),
  subject(
    'central-european',
    raw`automatick[áa] odpov[ěe][ďd]|mimo kancel[áa][řr]|nepřítomnost|automatikus v[áa]lasz|házon k[íi]v[üu]l|r[ăa]spuns automat|absen[țt][ăa] din birou|samodejni odgovor|automatski odgovor`,
    'Automatická odpověď: Objednávka',
  ),
  subject(
    'russian',
    raw`автоматическ(?:ий|ое) (?:ответ|сообщение)|автоответ|вне офиса|нет на (?:месте|работе)|я в отпуске|автоматична відповідь|автовідповідь|автоматичен отговор`,
    'Автоматический ответ: Ваш заказ',
  ),
  subject('turkish', raw`otomatik (?:yan[ıi]t|cevap)|ofis d[ıi][şs][ıi]nda`, 'Otomatik Yanıt: Siparişiniz'),
  subject('greek', raw`αυτόματη απάντηση|εκτός γραφείου`, 'Αυτόματη απάντηση: Παραγγελία'),
  subject(
    'arabic-hebrew',
    raw`رد تلقائي|الرد التلقائي|خارج المكتب|תשובה אוטומטית|מענה אוטומטי|מחוץ למשרד`,
    'رد تلقائي: طلبك',
  ),
  subject('japanese', '自動(?:応答|返信|送信)|不在(?:通知|のお知らせ|応答|です)|【自動', '自動応答: ご注文'),
  subject(
    'chinese',
    '自动(?:回复|答复|回覆)|自動(?:回覆|回復|回信|答覆)|不在办公室|外出自动|休假自动',
    '自动回复: 您的订单',
  ),
  subject('korean', '자동 ?(?:회신|응답|답장)|부재 ?중|외출 ?중', '자동 회신: 주문'),
  subject(
    'south-east-asian',
    raw`trả lời tự động|balasan otomatis|jawapan automatik|ตอบกลับอัตโนมัติ|การตอบกลับอัตโนมัติ`,
    'Trả lời tự động: Đơn hàng',
  ),
];

/** In their order; the first that matches is the reason for dropping a message (spec 2-messages §15.4). */
export const AUTO_REPLIES: readonly AutoReplyRow[] = z
  .array(AutoReplyRow)
  .refine((rows) => new Set(rows.map(({ id }) => id)).size === rows.length, 'two rows have the same id')
  .parse([
    {
      id: 'auto-submitted',
      header: 'auto-submitted',
      says: raw`^\s{0,20}(?!no\b)\S`,
      because: 'RFC 3834 §5',
      sample: 'Auto-Submitted: auto-replied; owner-email="ann@mail.test"',
      not: 'Auto-Submitted: no',
    },
    {
      id: 'challenge',
      subject: raw`(?:confirm|verify|authenticate|validate) (?:that )?(?:you(?:r)? (?:sent|message|e-?mail|are)|the sender)|sender (?:verification|confirmation)|e-?mail challenge|verification required for mail|requires? (?:your )?confirmation to deliver`,
      because: 'challenge-response systems: we do not answer their challenges',
      sample: 'Subject: Please confirm your message to ann@mail.test',
      not: 'Subject: Please confirm the order',
    },
    said('x-boxbe-sender-status', 'X-Boxbe-Sender-Status: waiting', {
      id: 'challenge-header',
      because: 'a challenge-response system',
    }),
    said('x-list-administrivia', 'X-List-Administrivia: yes', {
      id: 'list-moderation-header',
      says: 'yes',
      because: 'Mailman to who writes to a list',
      not: 'X-List-Administrivia: no',
    }),
    {
      id: 'list-moderation',
      subject: raw`awaits? moderator approval|(?:message|posting|post|mail) to .{1,80} (?:is )?(?:awaiting|awaits|held for) (?:moderat|approv)|^moderation (?:response|notice) for`,
      because: 'Mailman, Sympa, Google Groups to who writes to a list',
      sample: 'Subject: Your message to news awaits moderator approval',
      not: 'Subject: The moderator approves of your message',
    },
    said('x-autoreply', 'X-Autoreply: yes', { says: raw`^\s{0,20}(?!no\b)`, not: 'X-Autoreply: no' }),
    said('x-autorespond', 'X-Autorespond: your order'),
    said('x-autoreply-from', 'X-Autoreply-From: ann@mail.test'),
    said('x-mail-autoreply', 'X-Mail-Autoreply: yes'),
    said('x-autogenerated', 'X-Autogenerated: Reply'),
    said('x-auto-response-suppress', 'X-Auto-Response-Suppress: All', {
      because: 'Exchange on what its rules write; RFC 3834 knows no better sign of it',
    }),
    said('x-apple-action', 'X-Apple-Action: VACATION', {
      says: 'vacation',
      because: 'iCloud',
      not: 'X-Apple-Action: JUNK-TO-INBOX',
    }),
    said('x-ms-exchange-inbox-rules-loop', 'X-MS-Exchange-Inbox-Rules-Loop: ann@mail.test', {
      because: 'Exchange rules',
    }),
    said('x-fc-machinegenerated', 'X-FC-MachineGenerated: true', { because: 'FirstClass' }),
    said('x-post-messageclass', 'X-POST-MessageClass: 9; Autoresponder', {
      says: 'autoresponder',
      because: 'FirstClass',
      not: 'X-POST-MessageClass: 1; Message',
    }),
    {
      id: 'precedence',
      header: 'precedence',
      says: raw`auto[-_]?reply`,
      because: 'older vacation programs',
      sample: 'Precedence: auto_reply',
      not: 'Precedence: bulk',
    },
    ...SUBJECTS,
  ]);

/** With `Precedence: bulk` or `junk` these are sufficient: without it people write them, too. */
export const WEAK_SUBJECT = linearPattern.parse(
  raw`\b(?:vacation|holiday|away|out of|office|absen|automat|auto-?(?:reply|response)|thank you for (?:your|contacting)|we have received|received your|urlaub|abwesen|cong[ée]|vacances|vacaciones|f[ée]rias|ferie|vakantie|semester|отпуск)`,
);
