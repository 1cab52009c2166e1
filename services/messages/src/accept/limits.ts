/** What a send may hold (spec 2-messages §1.1); lengths count characters. */
export const MAX_TAGS = 10;
export const MAX_TAG_CHARACTERS = 64;
export const MAX_RETENTION_DAYS = 30;
// As in templates (spec 2-messages §6). Events carry the subject, and no bus takes them at any size.
export const MAX_SUBJECT_CHARACTERS = 998;
