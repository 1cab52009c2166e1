/**
 * The contents of a campaign (`$1`): a row for its own content, variant 0, and one for each other variant.
 * A variant has the subject or the body of the campaign where it has none of its own.
 */
export const VARIANT_CONTENTS = `
  select 0 as variant, c.id as campaign_id, c.account_id, c.from_email, c.reply_to, c.subject, c.preheader, c.html, c.text
    from campaigns c where c.id = $1
  union all
  select v.variant, c.id, c.account_id, c.from_email, c.reply_to, coalesce(v.subject, c.subject), c.preheader,
      case when v.template_id is null then c.html else v.html end,
      case when v.template_id is null then c.text else v.text end
    from campaigns c join campaign_variants v on v.campaign_id = c.id where c.id = $1`;
