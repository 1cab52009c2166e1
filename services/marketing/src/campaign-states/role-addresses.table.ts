/** Local parts for a task, not for a person: their readers did not subscribe. */
export const ROLE_ADDRESSES: ReadonlySet<string> = new Set(
  `abuse accounts admin administrator all billing bounce bounces compliance contact customerservice devnull
   everyone ftp help helpdesk hostmaster hr info information investorrelations ispfeedback ispsupport jobs list
   list-request listserv maildaemon mailer-daemon mailerdaemon marketing media news no-reply noc noreply null office
   orders phish phishing postmaster press privacy registrar remove root sales security service spam staff subscribe
   support sysadmin team tech test unsubscribe usenet uucp webmaster www`
    .split(/\s+/)
    .filter((name) => name !== ''),
);
