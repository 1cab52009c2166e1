/**
 * Domains that people type when they mean a large mailbox provider: neighbours on the keyboard, characters that are
 * missing, doubled or swapped, and endings that are not there. None of them is a mail provider; a name that might be
 * one (`ymail.com`, `mail.com`, `gmail.co`) does not belong here. An operator's file
 * (`POSTMESH_MISTYPED_DOMAINS_FILE`) takes the place of this list.
 */
const MISTYPED: Readonly<Record<string, string>> = {
  'gmail.com': `gmai.com gmal.com gmil.com gamil.com gmial.com gimail.com gmali.com gmaill.com gmmail.com ggmail.com
    gmaiil.com gmaul.com gmsil.com gnail.com gmaik.com gmaio.com gmaol.com gmqil.com gmwil.com gmeil.com gmaile.com
    gmalil.com gmaii.com gmailm.com gmailo.com gamail.com gmaila.com gmiail.com gmaail.com
    gmail.con gmail.cmo gmail.ocm gmail.comm gmail.coom gmail.cpm gmail.vom gmail.xom gmail.cim gmail.ckm`,
  'googlemail.com': 'googlmail.com goglemail.com googlemial.com googlemai.com googelmail.com googlemail.con',
  'hotmail.com': `hotnail.com hotmial.com hotmai.com hotmal.com hotmil.com hotmaill.com hotamil.com hotmali.com hormail.com
    hotmaul.com hotmsil.com hotmaik.com hotmaio.com hotmaiil.com hptmail.com hoymail.com hotmmail.com hottmail.com
    hotmeil.com hotmaile.com homtail.com hotmail.con hotmail.cmo hotmail.ocm hotmail.comm hotmail.coom hotmail.cpm
    hotmail.vom hotmail.xom`,
  'yahoo.com': `yaho.com yhoo.com yaoo.com yahho.com yhaoo.com yahpo.com yajoo.com yshoo.com yahuoo.com yaahoo.com
    yahoo.con yahoo.cmo yahoo.ocm yahoo.comm yahoo.coom yahoo.cpm yahoo.vom yahoo.xom`,
  'outlook.com': `outlok.com outloo.com outlool.com outllok.com outlokk.com outloook.com oultook.com oulook.com outlookk.com
    outllook.com ouutlook.com ooutlook.com outlook.con outlook.cmo outlook.ocm outlook.comm outlook.cpm outlook.vom`,
  'icloud.com': `iclod.com iclould.com icoud.com icluod.com iclou.com icloude.com ilcoud.com icloudd.com icloud.con
    icloud.cmo icloud.comm icloud.vom`,
  'protonmail.com': 'protonmial.com protonmai.com protonmal.com protonmaill.com protonmail.con',
  'aol.com': 'aol.con aol.cmo aol.comm aol.vom',
  'live.com': 'live.con live.cmo live.comm live.vom',
  'msn.com': 'msn.con msn.cmo msn.comm msn.vom',
};

export const MISTYPED_DOMAINS: readonly string[] = Object.values(MISTYPED).flatMap((names) =>
  names.split(/\s+/),
);
export const MEANT_DOMAINS: readonly string[] = Object.keys(MISTYPED);
