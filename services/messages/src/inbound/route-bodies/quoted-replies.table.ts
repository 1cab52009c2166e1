/**
 * The attribution lines of mail programs above the quoted history of a reply. Patterns match one line of at most some
 * hundred characters (wrapped lines joined), with a colon at its end and a digit, of a date or an address.
 */
export interface Attribution {
  /** of the program's user (ISO 639-1) */
  readonly language: string;
  readonly pattern: RegExp;
}

export const ATTRIBUTIONS: readonly Attribution[] = [
  { language: 'en', pattern: /^On .+ wrote:$/ },
  { language: 'en', pattern: /<[^<>]+> (?:on .+ )?wrote:$/ },
  { language: 'de', pattern: /^(?:Am|Den) .+ schrieb.*:$/ },
  { language: 'de', pattern: /schrieb am .+:$/ },
  { language: 'de', pattern: /<[^<>]+> (?:hat .+ )?(?:schrieb|geschrieben):$/ },
  { language: 'fr', pattern: /^(?:Le|Au) .+ (?:a écrit|écrit) ?:$/ },
  { language: 'es', pattern: /^El .+ escribió:$/ },
  { language: 'ca', pattern: /^El .+ va escriure:$/ },
  { language: 'pt', pattern: /^(?:Em|A|No dia|Às) .+ escreveu:$/ },
  { language: 'it', pattern: /^(?:Il|In data|Il giorno) .+ (?:ha scritto|scrisse):$/ },
  { language: 'nl', pattern: /^Op .+ (?:schreef|heeft).*:$/ },
  { language: 'pl', pattern: /(?:napisał|napisała|napisał\(a\)|pisze):$/ },
  { language: 'sv', pattern: /(?:^Den|^\p{L}{2,4}) .+ skrev .*:$/u },
  { language: 'da', pattern: /^(?:Den|Le|På|\p{L}{2,3}\.) .+ (?:skrev|skrev følgende).*:$/u },
  { language: 'no', pattern: / skrev .*<[^<>]+>:$/ },
  { language: 'fi', pattern: /kirjoitti(?: .+)?:$/ },
  { language: 'cs', pattern: /napsal(?:a|\(a\))?:$/ },
  { language: 'sk', pattern: /napísal(?:a|\(a\))?:$/ },
  { language: 'hu', pattern: /ezt írta(?: .+)?:$/ },
  { language: 'ro', pattern: / a scris:$/ },
  { language: 'tr', pattern: /(?:şunu|tarihinde) .*yazdı:$/ },
  { language: 'el', pattern: /έγραψε:$/ },
  { language: 'ru', pattern: /(?:написал|написала|написал\(а\)|пишет|писал|писала):$/ },
  { language: 'ru', pattern: /\d{4} г\..+<[^<>]+>:$/ },
  { language: 'uk', pattern: /(?:пише|написав|написала)(?: .+)?:$/ },
  { language: 'uk', pattern: /\d{4} р\..+<[^<>]+>.*:$/ },
  { language: 'ja', pattern: /^\d{4}年.+<[^<>]+>:$/ },
  { language: 'ja', pattern: /^\d{4}[年/].+(?:のメッセージ|さんは書きました|が書きました):$/ },
  { language: 'zh', pattern: /(?:写道|寫道|撰写|撰寫):$/ },
  { language: 'ko', pattern: /(?:작성|썼습니다|쓴 글):$/ },
  { language: 'he', pattern: /כתב(?:\/ה|ה)?:$/ },
  { language: 'ar', pattern: /كتب(?:ت)?:$/ },
  { language: 'vi', pattern: /đã viết:$/ },
  { language: 'id', pattern: /menulis:$/ },
];

/** Between lines of hyphens, as in Outlook and similar programs; lower case. */
export const SEPARATORS: ReadonlySet<string> = new Set([
  'original message',
  'original appointment',
  'reply message',
  'ursprüngliche nachricht',
  'originalnachricht',
  'original-nachricht',
  'urspr. nachricht',
  "message d'origine",
  'message d’origine',
  'mensaje original',
  'mensagem original',
  'messaggio originale',
  'oorspronkelijk bericht',
  'wiadomość oryginalna',
  'oryginalna wiadomość',
  'ursprungligt meddelande',
  'oprindelig meddelelse',
  'opprinnelig melding',
  'alkuperäinen viesti',
  'původní zpráva',
  'původní e-mail',
  'pôvodná správa',
  'eredeti üzenet',
  'mesaj original',
  'özgün ileti',
  'orijinal mesaj',
  'исходное сообщение',
  'пересылаемое сообщение',
  'оригінальне повідомлення',
  '元のメッセージ',
  'original message (元のメッセージ)',
  '原始邮件',
  '原始郵件',
  '원본 메시지',
]);

/** Labels of the quoted message's header in Outlook; lower case. */
const LABELS = {
  from: 'from|von|de|da|van|od|fra|från|lähettäjä|feladó|kimden|gönderen|от|від|expéditeur|remitente|mittente|差出人|发件人|寄件者|보낸 사람|מאת|من',
  date: 'sent|date|gesendet|datum|envoyé|date d’envoi|enviado|enviado el|enviada em|fecha|data|inviato|verzonden|wysłano|sendt|dato|skickat|lähetetty|päiväys|odesláno|odoslané|elküldve|dátum|trimis|gönderildi|tarih|отправлено|дата|надіслано|送信日時|日付|日時|发送时间|日期|寄件日期|보낸 날짜|날짜|נשלח|تاريخ',
  to: 'to|an|à|para|a|aan|do|til|till|vastaanottaja|komu|címzett|către|kime|alıcı|кому|destinataire|destinatario|宛先|收件人|收件者|받는 사람|אל|إلى',
  subject:
    'subject|betreff|objet|asunto|assunto|oggetto|onderwerp|temat|emne|ämne|aihe|předmět|predmet|tárgy|subiect|konu|тема|件名|主题|主題|主旨|제목|נושא|الموضوع',
} as const;
export type HeaderLabel = keyof typeof LABELS;

/** `a` and `de` are different labels in different languages, so one text may be several. */
export const HEADER_LABELS: ReadonlyMap<string, ReadonlySet<HeaderLabel>> = (() => {
  const labels = new Map<string, Set<HeaderLabel>>();
  for (const [label, texts] of Object.entries(LABELS) as [HeaderLabel, string][]) {
    for (const text of texts.split('|')) labels.set(text, (labels.get(text) ?? new Set()).add(label));
  }
  return labels;
})();
