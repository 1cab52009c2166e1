/** Where a form is documented, and the day on which the page was read. */
interface Documented {
  readonly page: string;
  readonly read: string;
}

/** A file with rows: a CSV file, or the JSON of an API response. */
export interface RowForm extends Documented {
  /** what `--as` names it */
  readonly name: string;
  /** its columns, or fields of a row in JSON (`merge_fields.FNAME` is a field within a field), without which it is another form */
  readonly needs: readonly string[];
  /** names of the array with the rows in JSON; the outermost array needs no name */
  readonly rowsIn?: readonly string[];
}

/** Why an address gets no mail. They are kept apart: `complaint` and `unsubscribe` are the recipient's own decision. */
export const CAUSES = ['bounce', 'complaint', 'unsubscribe', 'manual'] as const;
export type Cause = (typeof CAUSES)[number];

/** A value that depends on a column: by the text in it, in lower case. A text that is not listed is refused. */
export interface ByColumn<Value> {
  readonly column: string;
  readonly values: Readonly<Record<string, Value>>;
}

export interface SuppressionForm extends RowForm {
  readonly email: string;
  readonly at?: string;
  /** columns with the words of the remote server or of the service */
  readonly details?: readonly string[];
  /** null: a row that is no suppression */
  readonly cause: Cause | ByColumn<Cause | null>;
}

/**
 * The consent of a contact. Only `subscribed` is mailable here; `unconfirmed` has never agreed, or nothing says so.
 */
export const CONSENTS = [
  'subscribed',
  'unsubscribed',
  'unconfirmed',
  'bounced',
  'blocked',
  'disabled',
] as const;
export type Consent = (typeof CONSENTS)[number];

export interface ContactForm extends RowForm {
  readonly email: string;
  readonly firstName?: string;
  readonly lastName?: string;
  /** first and last name in one */
  readonly fullName?: string;
  readonly consent: Consent | ByColumn<Consent>;
  /**
   * Only in files whose rows do not say whether a contact confirmed: with `--confirmed`, the operator says that all of the
   * `unconfirmed` ones did.
   */
  readonly mayBeConfirmed?: boolean;
  /** lists in an array: of ids or names, or of objects with these fields */
  readonly lists?: {
    readonly column: string;
    readonly word: string;
    readonly of?: { readonly name: string; readonly status: string; readonly joined: string };
  };
  /** a column with an object of attributes; without it the other columns are attributes */
  readonly attributes?: string;
  /** columns that are no attributes */
  readonly passedOver?: readonly string[];
}

type TemplateLanguage = 'handlebars' | 'mustachio' | 'go' | 'brevo' | 'merge-tags' | 'placeholders';

/** Templates in the JSON of an API response. A path may lead through arrays: `versions.html_content`. */
export interface TemplateForm extends Documented {
  readonly rowsIn: readonly string[];
  readonly templateName: string;
  readonly subject: string;
  readonly html: string;
  readonly text?: string;
  /** of several versions, the one with this value */
  readonly version?: { readonly list: string; readonly flag: string; readonly value: unknown };
}

export interface TemplateSource {
  readonly language: TemplateLanguage;
  /** names of the service for what we call otherwise */
  readonly names?: Readonly<Record<string, string>>;
  /** helpers beyond those of the language itself */
  readonly helpers?: 'sendgrid' | 'mailgun';
  readonly form?: TemplateForm;
}

/** The events of our webhooks (spec 2-messages §17). */
export type WebhookFlag =
  | 'on_reception'
  | 'on_delivered'
  | 'on_transient_error'
  | 'on_failed'
  | 'on_bounced'
  | 'on_suppressed'
  | 'on_opened'
  | 'on_clicked'
  | 'on_suppression_created';

export interface WebhookForm extends Documented {
  readonly rowsIn: readonly string[];
  readonly url: string;
  readonly webhookName?: string;
  readonly enabled?: { readonly column: string; readonly value: unknown };
  /**
   * Where the events are: an array of names, an object of switches, switches in the webhook itself, or (`by-event`) one
   * object of URLs for all webhooks.
   */
  readonly events: { readonly column: string; readonly as: 'names' | 'switches' | 'by-event' };
  /** null: an event that we do not have */
  readonly flags: Readonly<Record<string, readonly WebhookFlag[] | null>>;
}

export interface RecordsForm extends Documented {
  /** the domain in the JSON */
  readonly domain: string;
  /** objects anywhere in the JSON that have these fields are records */
  readonly host: readonly string[];
  readonly type: string;
  readonly value: readonly string[];
  /** records whose values are fields of the domain itself */
  readonly fields?: readonly { readonly host: string; readonly type: string; readonly value: string }[];
}

export interface Source {
  readonly title: string;
  readonly suppressions: readonly SuppressionForm[];
  readonly contacts: readonly ContactForm[];
  readonly templates?: TemplateSource;
  readonly webhooks?: WebhookForm;
  readonly records?: RecordsForm;
  /** part of a host in an SPF record that is of this service */
  readonly spf: readonly string[];
  /** what it has and cannot be imported, and why */
  readonly without: Readonly<
    Partial<Record<'suppressions' | 'contacts' | 'templates' | 'webhooks' | 'domains', string>>
  >;
}
