import type { ReplyRowInput } from './reply-rows.schema.js';

const { raw } = String;

const HOUR = 3_600;
/** A block of our address: nothing is sent from it for a while, once several messages have met it. */
export const BLOCKED_SOURCE = {
  do: 'suspend',
  scope: 'source',
  forSeconds: HOUR,
  longestSeconds: 4 * HOUR,
  after: { count: 3, perSeconds: HOUR },
} as const;

/** The words for a sender, a recipient and a negative reply, of servers that reply in the language of their users. */
const SENDER = raw`(?:Absender|expéditeur|expediteur|remitente|mittente|remetente|afzender|nadawc|avsändar|avsandar|afsender|avsender|odesílatel|odesilatel|odosielateľ|lähettäj|gönderen|gonderen|feladó|expeditor|отправител|відправник|αποστολέ|发件人|寄件人|寄件者|發件人|送信者|送信元|差出人|발신자|보낸 사람)`;
const RECIPIENT = raw`(?:Empfänger|destinat|ontvanger|odbiorc|mottagar|modtager|mottaker|adresát|příjemc|vastaanottaj|alıcı|címzett|получател|адресат|отримувач|παραλήπτ|收件人|受信者|宛先|수신자|받는 사람)`;
const REFUSED = raw`(?:existiert nicht|nicht (?:existent|gefunden|akzeptiert|erlaubt|zugelassen|verifiziert|gültig)|ungültig|unbekannt|unzulässig|abgelehnt|abgewiesen|gesperrt|verweigert|n'existe pas|inexistant|inconnu|introuvable|invalide|refusé|rejeté|bloqué|non autorisé|no existe|no válid|no valid|inválid|desconocid|desconhecid|rechazad|rejeitad|recusad|denegad|bloquead|não existe|nao existe|não encontrad|no encontrad|inexistente|non esist|inesistente|sconosciut|rifiutat|non valid|non autorizzat|bestaat niet|onbekend|ongeldig|geweigerd|niet geaccepteerd|nie istnieje|nieznan|nieprawidłow|odrzucon|niedozwolon|finns inte|finnes ikke|findes ikke|okänd|ukendt|ukjent|ogiltig|ugyldig|avvisad|avvist|afvist|neexistuj|neznám|neplatn|odmítnut|odmietnut|ei ole olemassa|tuntematon|hylätty|mevcut değil|bulunamadı|geçersiz|reddedildi|nem létezik|ismeretlen|érvénytelen|elutasít|nu există|necunoscut|respins|не существует|не найден|неизвест|недействител|отклон|отвергнут|заблокирован|запрещ|не існує|невідом|відхилен|δεν υπάρχει|άγνωστ|απορρίφθηκε|不存在|无效|無效|被拒|拒绝|拒絕|存在しません|無効|拒否|존재하지|유효하지|거부)`;

/**
 * Texts about the sender, the name in HELO and our host: they come before those about mailboxes and domains, which
 * servers use for both (`sender rejected, user unknown`).
 */
export const ABOUT_US: readonly ReplyRowInput[] = [
  {
    id: 'sender-not-authenticated',
    says: raw`\b(?:sender|mail ?from|helo|ehlo)\b.{0,60}\b(?:DMARC|SPF|DKIM)\b|\b(?:DMARC|SPF|DKIM)\b.{0,60}\b(?:sender|mail ?from|helo|ehlo)\b`,
    kind: 'auth',
    because: 'spec 2-messages §15.2: DMARC, SPF, DKIM',
    sample: '550 5.1.8 sender rejected, SPF says that this host may not send',
    not: '550 5.1.8 sender rejected, its domain has no MX',
  },
  {
    id: 'sender-refused',
    says: raw`(?<!\bto |\bto the )\b(?:sender|originator|return[- ]path|reverse[- ]path|bounce[- ]address|envelope[- ]from|from[- ]address)(?:'s)?\b.{0,60}\b(?:rejected|refused|denied|invalid|illegal|undeliverable|unverified|unrout(?:e)?able|unresolvable|non-?existent|(?<!user |recipient |mailbox |account )(?:unknown|not found)|(?<!(?<!sender )(?:recipient|user|mailbox|account)(?: is| was| has been)? )(?:unavailable|disabled|deactivated|closed)|not (?:exist|accepted|allowed|verified|resolve|(?:a )?valid)|(?:does|could|can)(?: ?not|n.t|.t) (?:be )?(?:exist|resolve|resolved|found|verified|reached)|(?:verify|verification|check|callout|callback) failed)\b`,
    kind: 'sender',
    because:
      'Postfix reject_unlisted_sender, reject_unverified_sender; Exim verify = sender; Sisimai Reason/Rejected',
    sample: '550 5.1.0 <news@shop.test>: Sender address rejected: User unknown in virtual mailbox table',
    not: '550 5.1.1 <ann@mail.test>: user unknown, returned to sender',
  },
  {
    id: 'sender-refused-in-other-languages',
    says: raw`(?<!\b(?:an den|à l'|a l'|al|ao|aan de|do|till|til|k|a|to) )${SENDER}(?!.{0,60}${RECIPIENT}).{0,60}${REFUSED}`,
    kind: 'sender',
    because: 'the words of sender-refused in the languages of mailbox providers',
    sample: '550 5.1.1 <news@shop.test>: Absenderadresse existiert nicht',
    not: '550 5.1.1 Empfänger unbekannt, die Nachricht geht an den Absender zurück',
  },
  {
    id: 'bad-sender-in-other-languages',
    says: raw`${REFUSED}[^,.;: ]{0,3} ?${SENDER}`,
    kind: 'sender',
    because: 'the words of bad-sender in the languages of mailbox providers',
    sample: '550 5.1.1 unbekannte Absenderadresse',
    not: '550 5.1.1 unbekannter Empfänger, der Absender ist benachrichtigt',
  },
  {
    id: 'bad-sender',
    says: raw`\b(?:invalid|unknown|bad|unrout(?:e)?able|unresolvable|nonexistent|non-existent|unverified|forged|fake|illegal|malformed|missing|rejected|refused) (?:envelope |mail |e-?mail )?(?:sender|return[- ]path|from[- ]address|mail ?from)\b|\b(?:verify|verifying|verification)\b.{0,40}\bsender\b|\bdomain name required for (?:the )?sender\b|\b(?:unknown|invalid|no such|non-?existent|not exist|not found)\b.{0,20}(?:\(sender\)|\bin (?:your|the) from\b)`,
    kind: 'sender',
    because: 'Sisimai Reason/Rejected; Sendmail: "Domain name required for sender address"',
    sample: '550 5.1.1 unknown sender <news@shop.test>',
    not: '550 5.1.1 unknown user, the sender was notified',
  },
  {
    id: 'mail-from-refused',
    says: raw`\b(?:mail|header) ?from\b(?!.{0,90}\b(?:to|recipient|rcpt)\b).{0,50}\b(?:rejected|refused|denied|not accepted|not allowed|does(?: not|n.t) (?:exist|resolve)|invalid|unknown|non-?existent)\b`,
    kind: 'sender',
    because: 'Sisimai Reason/Rejected: the address of MAIL FROM',
    sample: '550 MAIL FROM <news@shop.test> rejected, no such user',
    not: '550 5.1.1 mail from news@shop.test to ann@mail.test rejected: no such user',
  },
  {
    id: 'helo-refused',
    says: raw`\b(?:helo|ehlo)\b.{0,80}\b(?:rejected|refused|denied|invalid|bad|does(?: not|n.t)|not (?:found|valid|accepted|allowed|exist|resolve|resolvable)|unknown|mismatch|unresolvable|fully.qualified|FQDN|failed|forged|syntax)\b|\b(?:invalid|bad|wrong|malformed|forged|fake|unknown|bogus|illegal|rejected|refused|unacceptable)\b(?! sequence).{0,30}\b(?:helo|ehlo)\b`,
    unless: ['7.*'],
    kind: 'policy',
    shape: { ...BLOCKED_SOURCE, alert: true },
    because: 'Postfix reject_invalid_helo_hostname, reject_unknown_helo_hostname; Exim verify = helo',
    sample: '550 5.0.0 Invalid HELO: host name does not exist',
    not: '503 5.5.1 bad sequence of commands, send HELO first',
  },
  {
    id: 'our-host-unknown',
    says: raw`\b(?:reverse (?:dns|hostname|host name|lookup|mapping)|rdns|PTR)\b|\b(?:client|sending|connecting|your|sender's) (?:host|server|mta|ip|domain)(?: ?name| address)?\b.{0,80}\b(?:does(?: not|n.t) (?:exist|resolve|have)|(?<!user |recipient |mailbox )(?:not found|unknown)|not (?:resolvable|resolve|valid)|invalid|cannot (?:find|resolve)|unresolvable)\b`,
    unless: ['7.*'],
    kind: 'policy',
    shape: { ...BLOCKED_SOURCE, alert: true },
    because: 'Postfix reject_unknown_client_hostname; Sisimai Reason/RequirePTR',
    sample: '550 your host name does not exist in DNS',
    not: '550 the host name of ann@mail.test does not exist',
  },
  {
    id: 'our-host-refused',
    says: raw`\b(?:client|sending|connecting|your|source) (?:host|hostname|server|mail ?server|mta|ip|domain|network)(?: address)?\b.{0,60}\b(?:rejected|refused|denied|not (?:allowed|accepted|permitted|authorized|authorised|welcome))\b|\b(?:mail|e-?mails?|messages?|connections?) from (?:your|this) (?:host|server|ip|domain|network)\b`,
    unless: ['7.*'],
    kind: 'reputation',
    because: 'Postfix check_client_access; Sisimai Reason/Blocked',
    sample: '554 <unknown[198.51.100.7]>: Client host rejected: Access denied',
    not: '550 5.4.1 Recipient address rejected: Access denied',
  },
];
